//! The module's memory, in large pages where the system has them.
//!
//! A kernel hands memory out page by page, at the first touch of each. For a
//! manifest of 5 MB that takes the module longer than all it does with it (1.2 of
//! 5 ms, Linux 6.18); with large pages nearly nothing of that is left. Wasmtime
//! has no setting for it, so the memory is reserved here.

use std::ffi::c_void;
use std::ptr::{self, NonNull};

use rustix::io::Errno;
use rustix::mm::{
    Advice, MapFlags, MprotectFlags, ProtFlags, madvise, mmap_anonymous, mprotect, munmap,
};
use wasmtime::{LinearMemory, MemoryCreator, MemoryType, Result};

use crate::limits::{NoAddressSpace, NoMemory};

/// Reserves memories.
pub(crate) struct LargePages;

// SAFETY: a memory reserves what it is asked for, its guards too, is zeroed by the
// system, and never moves.
unsafe impl MemoryCreator for LargePages {
    fn new_memory(
        &self,
        _: MemoryType,
        minimum: usize,
        maximum: Option<usize>,
        reserved: Option<usize>,
        guard: usize,
    ) -> Result<Box<dyn LinearMemory>, String> {
        // Without a reservation wasmtime would move a memory that grows; here it
        // gets all that it may ever have.
        let capacity = reserved.or(maximum).unwrap_or(minimum).max(minimum);
        let memory =
            Reserved::new(minimum, capacity, guard).map_err(|error| format!("{error:#}"))?;
        Ok(Box::new(memory))
    }
}

/// Address space of one memory: what is used, what it may grow to, the guards.
struct Reserved {
    start: NonNull<c_void>,
    /// All of it, guards included.
    length: usize,
    guard: usize,
    size: usize,
}

// SAFETY: the mapping is this value's alone, and belongs to no thread.
unsafe impl Send for Reserved {}
// SAFETY: as above; nothing changes through a shared reference.
unsafe impl Sync for Reserved {}

impl Reserved {
    fn new(size: usize, capacity: usize, guard: usize) -> Result<Self> {
        let page = rustix::param::page_size();
        let whole = |bytes: usize| bytes.checked_next_multiple_of(page);
        let lengths = (|| {
            let guard = whole(guard)?;
            Some((guard, whole(capacity)?.checked_add(guard.checked_mul(2)?)?))
        })();
        let Some((guard, length)) = lengths else {
            wasmtime::bail!("a memory of {capacity} bytes is beyond any address");
        };
        // SAFETY: at an address of the kernel's choice a mapping replaces nothing.
        let start = unsafe {
            mmap_anonymous(
                ptr::null_mut(),
                length,
                ProtFlags::empty(),
                MapFlags::PRIVATE | MapFlags::NORESERVE,
            )
        }
        .map_err(|error| match error {
            Errno::NOMEM | Errno::AGAIN => NoAddressSpace.into(),
            other => wasmtime::Error::from(other),
        })?;
        let Some(start) = NonNull::new(start) else {
            wasmtime::bail!("the system mapped a memory at address 0");
        };
        let mut memory = Self {
            start,
            length,
            guard,
            size: 0,
        };
        // SAFETY: the range is the mapping made above; advice changes no bytes.
        // Where the kernel does not take it everything is as without it.
        let _ = unsafe { madvise(start.as_ptr(), length, Advice::LinuxHugepage) };
        memory.grow_to(size)?;
        Ok(memory)
    }
}

// SAFETY: pages behind `size` stay unreadable until it grows, and the address never
// changes.
unsafe impl LinearMemory for Reserved {
    fn byte_size(&self) -> usize {
        self.size
    }

    fn byte_capacity(&self) -> usize {
        self.length - 2 * self.guard
    }

    fn grow_to(&mut self, size: usize) -> Result<()> {
        if size > self.byte_capacity() {
            wasmtime::bail!("the memory cannot grow to {size} bytes");
        }
        // Sizes of 32-bit memories are multiples of 64 KiB, which is a page or more.
        if size > self.size {
            // SAFETY: the range lies in this mapping, between its guards.
            unsafe {
                mprotect(
                    self.as_ptr().cast(),
                    size,
                    MprotectFlags::READ | MprotectFlags::WRITE,
                )
            }
            .map_err(no_memory)?;
            self.size = size;
        }
        Ok(())
    }

    fn as_ptr(&self) -> *mut u8 {
        // SAFETY: the guard lies inside of the mapping.
        unsafe { self.start.as_ptr().cast::<u8>().add(self.guard) }
    }
}

/// The system's error as one that names what is missing.
fn no_memory(error: Errno) -> wasmtime::Error {
    match error {
        Errno::NOMEM | Errno::AGAIN => NoMemory.into(),
        other => other.into(),
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // SAFETY: wasmtime drops a memory when no instance uses it any more.
        let _ = unsafe { munmap(self.start.as_ptr(), self.length) };
    }
}
