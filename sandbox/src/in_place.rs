//! Runs compiled code directly from the mapped program file.
//!
//! By default, wasmtime copies a precompiled module into new memory. For a module of 1.9 MB
//! this takes 0.6 ms of a process that takes 1 ms, although a small render uses only a tenth
//! of the code (measured with wasmtime 48 on Linux).

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use wasmtime::{CustomCodeMemory, Result};

/// Embeds a module from [`crate::Module::precompile`] on a page boundary, so that
/// [`crate::Module::embedded`] can run it in place.
///
/// ```text
/// static MODULE: &[u8] = landfall_sandbox::embed!(env!("LANDFALL_MODULE"));
/// ```
#[macro_export]
macro_rules! embed {
    ($path:expr $(,)?) => {{
        // The largest page size of supported processors: 64 KiB on ARM.
        #[cfg_attr(target_arch = "x86_64", repr(C, align(4096)))]
        #[cfg_attr(not(target_arch = "x86_64"), repr(C, align(65536)))]
        struct Paged<Bytes: ?Sized>(Bytes);
        static PAGED: &Paged<[u8]> = &Paged(*include_bytes!($path));
        &PAGED.0
    }};
}

/// Returns whether the code of this module can be run in place: it must be on a page
/// boundary (its sections are aligned relative to its start), and this must be the first
/// call. Wasmtime identifies modules by the addresses of their code, and panics if two have
/// the same address.
pub(crate) fn claim(module: &'static [u8]) -> bool {
    static CLAIMED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    let start = module.as_ptr().addr();
    cfg!(target_os = "linux")
        && start.is_multiple_of(page())
        && CLAIMED
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(start)
}

/// Makes pages of the program file executable. They are never writable.
pub(crate) struct InPlace;

impl CustomCodeMemory for InPlace {
    fn required_alignment(&self) -> usize {
        page()
    }

    #[cfg(target_os = "linux")]
    fn publish_executable(&self, start: *const u8, length: usize) -> Result<()> {
        use rustix::mm::{MprotectFlags, mprotect};
        // SAFETY: the pages belong to an embedded module, which is `'static` and read-only.
        // Making them executable does not affect readers.
        unsafe {
            mprotect(
                start.cast_mut().cast(),
                length,
                MprotectFlags::READ | MprotectFlags::EXEC,
            )
        }?;
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    fn publish_executable(&self, _start: *const u8, _length: usize) -> Result<()> {
        wasmtime::bail!("code can be run in place only on Linux")
    }

    /// Does nothing: constant bytes can stay executable.
    fn unpublish_executable(&self, _start: *const u8, _length: usize) -> Result<()> {
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn page() -> usize {
    rustix::param::page_size()
}

#[cfg(not(target_os = "linux"))]
fn page() -> usize {
    1
}
