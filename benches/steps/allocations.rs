//! An allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting what each thread allocates and grows.
pub(crate) struct Counting;

// SAFETY: every call is passed on unchanged, and counting allocates nothing.
#[allow(unsafe_code, reason = "only an allocator can count allocations")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as required of the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as required of the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as required of the caller.
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as required of the caller.
        unsafe { System.dealloc(old, layout) }
    }
}

fn count() {
    COUNT.with(|count| count.set(count.get() + 1));
}

/// Returns how often this thread has allocated or grown memory.
pub(crate) fn allocations() -> u64 {
    COUNT.with(Cell::get)
}
