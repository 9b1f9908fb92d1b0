//! Standard output for megabytes: the standard library's looks for line breaks in
//! everything and holds the last line back.

use std::io::{self, BufWriter};

/// The most bytes that are gathered before they are written. Larger pieces go
/// out as they are.
const LARGEST_BUFFER: usize = 256 << 10;

#[cfg(unix)]
pub(super) type Stdout = BufWriter<std::fs::File>;
#[cfg(not(unix))]
pub(super) type Stdout = BufWriter<io::Stdout>;

/// Opens standard output for about `size` bytes.
pub(super) fn open(size: usize) -> io::Result<Stdout> {
    Ok(BufWriter::with_capacity(size.min(LARGEST_BUFFER), raw()?))
}

#[cfg(unix)]
fn raw() -> io::Result<std::fs::File> {
    use std::os::fd::AsFd;
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}

#[cfg(not(unix))]
fn raw() -> io::Result<io::Stdout> {
    Ok(io::stdout())
}
