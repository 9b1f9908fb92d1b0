//! Runs compiled code where it lies in the program's own file.
//!
//! Wasmtime otherwise copies a precompiled module into fresh memory, page by page.
//! Of a module of 1.9 MB that is 0.6 ms of a process that takes 1 ms, for code of
//! which a small render touches a tenth (measured; wasmtime 48, Linux).

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use wasmtime::{CustomCodeMemory, Result};

/// Embeds a module that [`crate::Module::precompile`] made, so that
/// [`crate::Module::embedded`] can run it in place: on a boundary of pages.
///
/// ```ignore
/// static MODULE: &[u8] = landfall_sandbox::embed!(env!("LANDFALL_MODULE"));
/// ```
#[macro_export]
macro_rules! embed {
    ($path:expr $(,)?) => {{
        // The largest page of a supported processor: 64 KiB on ARM.
        #[cfg_attr(target_arch = "x86_64", repr(C, align(4096)))]
        #[cfg_attr(not(target_arch = "x86_64"), repr(C, align(65536)))]
        struct Paged<Bytes: ?Sized>(Bytes);
        static PAGED: &Paged<[u8]> = &Paged(*include_bytes!($path));
        &PAGED.0
    }};
}

/// Whether the code of this module may be run where it is: it lies on a boundary of
/// pages (its sections are aligned relative to its start), and it is asked for the
/// first time. Wasmtime finds modules by the addresses of their code, and panics
/// when two have the same.
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

/// Makes pages of the program's file executable. They are never writable.
pub(crate) struct InPlace;

impl CustomCodeMemory for InPlace {
    fn required_alignment(&self) -> usize {
        page()
    }

    #[cfg(target_os = "linux")]
    fn publish_executable(&self, start: *const u8, length: usize) -> Result<()> {
        use rustix::mm::{MprotectFlags, mprotect};
        // SAFETY: the pages are those of an embedded module, `'static` and read
        // only; that they become executable takes nothing from who reads them.
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
        wasmtime::bail!("code runs in place on Linux alone")
    }

    /// Nothing: that constant bytes stay executable takes nothing from anyone.
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
