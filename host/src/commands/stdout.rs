//! Standard output without line buffering. The standard library's `Stdout` searches
//! everything for line breaks, which is slow for megabytes.

use std::io::{self, BufWriter};

/// The maximum size of the buffer. Larger slices are written directly.
const MAX_BUFFER_SIZE: usize = 256 << 10;

#[cfg(unix)]
pub(super) type Stdout = BufWriter<std::fs::File>;
#[cfg(not(unix))]
pub(super) type Stdout = BufWriter<io::Stdout>;

/// Opens standard output with a buffer for about `size` bytes.
pub(super) fn open(size: usize) -> io::Result<Stdout> {
    Ok(BufWriter::with_capacity(size.min(MAX_BUFFER_SIZE), raw()?))
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
