//! The allocator of the module: std's, in functions that are not inlined. Otherwise each of
//! more than a thousand calls contains the whole of `free`, a tenth of the component.

#![allow(
    unsafe_code,
    reason = "an allocator's trait is unsafe; every call is handed on as it came"
)]

use std::alloc::{GlobalAlloc, Layout, System};

#[global_allocator]
static ALLOCATOR: Outlined = Outlined;

struct Outlined;

// SAFETY: all four methods forward to `System`.
unsafe impl GlobalAlloc for Outlined {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    #[inline(never)]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) }
    }

    #[inline(never)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline(never)]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(block, layout, size) }
    }
}
