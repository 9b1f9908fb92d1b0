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
    if closed::at_start() {
        return Err(rustix::io::Errno::BADF.into());
    }
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}

#[cfg(not(unix))]
fn raw() -> io::Result<io::Stdout> {
    Ok(io::stdout())
}

/// Whether standard output was closed when the program started. Before `main`, the standard
/// library opens `/dev/null` in its place, where all manifests would be lost without an error.
#[cfg(target_os = "linux")]
mod closed {
    use std::sync::atomic::{AtomicBool, Ordering};

    static AT_START: AtomicBool = AtomicBool::new(false);

    /// Called by the loader, before the standard library.
    #[used]
    #[allow(
        unsafe_code,
        reason = "the section has pointers to functions without arguments"
    )]
    #[unsafe(link_section = ".init_array")]
    static INITIALIZER: extern "C" fn() = initialize;

    extern "C" fn initialize() {
        let found = rustix::io::fcntl_getfd(rustix::stdio::stdout());
        AT_START.store(found.is_err(), Ordering::Relaxed);
    }

    pub(super) fn at_start() -> bool {
        AT_START.load(Ordering::Relaxed)
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
mod closed {
    pub(super) const fn at_start() -> bool {
        false
    }
}
