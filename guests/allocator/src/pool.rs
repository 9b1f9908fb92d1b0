//! Small blocks in lists by size.

#![allow(
    unsafe_code,
    reason = "an allocator's trait is unsafe, and free blocks are a list in their own memory"
)]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::ptr::{self, NonNull};

/// The sizes of blocks are multiples of this, which is also their alignment. A free block
/// holds the address of the next one.
const UNIT: usize = 8;

/// The number of sizes: up to 512 bytes.
const CLASSES: usize = 64;

/// The bytes that the pool takes at once from the other allocator. They are never returned:
/// a module runs for one call, or for many of the same kind.
const CHUNK: usize = 32 << 10;

/// An allocator of small blocks, which takes its memory, and all other blocks, from `Large`.
#[derive(Debug)]
pub struct Pool<Large> {
    /// The first free block of each size.
    free: [Cell<Option<NonNull<FreeBlock>>>; CLASSES],
    /// The part of the last chunk that was never allocated.
    unused: Cell<*mut u8>,
    unused_bytes: Cell<usize>,
    large: Large,
}

/// A free block, which begins with the address of the next free one of its size.
#[derive(Debug)]
struct FreeBlock {
    next: Option<NonNull<FreeBlock>>,
}

const _: () = assert!(size_of::<FreeBlock>() <= UNIT && align_of::<FreeBlock>() <= UNIT);

// SAFETY: without atomics, a WebAssembly module has one thread, so no two calls overlap.
#[cfg(all(target_family = "wasm", not(target_feature = "atomics")))]
unsafe impl<Large: Sync> Sync for Pool<Large> {}

impl<Large> Pool<Large> {
    /// Creates a pool, which is empty.
    pub const fn new(large: Large) -> Self {
        Self {
            free: [const { Cell::new(None) }; CLASSES],
            unused: Cell::new(ptr::null_mut()),
            unused_bytes: Cell::new(0),
            large,
        }
    }

    /// Returns the list of free blocks for a layout, and their size. `None`: `Large` has it.
    fn class(&self, layout: Layout) -> Option<(&Cell<Option<NonNull<FreeBlock>>>, usize)> {
        // A size of 0 is not allowed, and has no class.
        let class = layout.size().wrapping_sub(1) / UNIT;
        let list = self.free.get(class)?;
        (layout.align() <= UNIT).then_some((list, (class + 1) * UNIT))
    }
}

impl<Large: GlobalAlloc> Pool<Large> {
    /// Returns a block for which there is no free one, or null if there is no memory.
    ///
    /// # Safety
    /// As [`GlobalAlloc::alloc`].
    #[inline(never)]
    unsafe fn alloc_new(&self, layout: Layout) -> *mut u8 {
        let Some((_, size)) = self.class(layout) else {
            // SAFETY: the caller keeps the contract of `alloc`.
            return unsafe { self.large.alloc(layout) };
        };
        if self.unused_bytes.get() < size {
            // What is left of the last chunk is less than a block, and is lost.
            let Ok(layout) = Layout::from_size_align(CHUNK, UNIT) else {
                return ptr::null_mut();
            };
            // SAFETY: the size is not 0.
            let chunk = unsafe { self.large.alloc(layout) };
            if chunk.is_null() {
                return chunk;
            }
            self.unused.set(chunk);
            self.unused_bytes.set(CHUNK);
        }
        let block = self.unused.get();
        // SAFETY: at least `size` bytes of the chunk are left after `block`.
        self.unused.set(unsafe { block.add(size) });
        self.unused_bytes.set(self.unused_bytes.get() - size);
        block
    }
}

// SAFETY: a block of a class is a part of a chunk that no other block overlaps; it has the
// size of its class, which is at least that of the layout, and its alignment, because chunks
// are aligned and sizes are multiples of `UNIT`. It is in the list of its class, or allocated.
// The class depends only on the layout, so it is the same when the block is freed. All other
// calls are passed to `Large` as they are.
//
// The methods are not inlined: otherwise each of more than a thousand calls in a module would
// contain the whole of `dealloc`.
unsafe impl<Large: GlobalAlloc> GlobalAlloc for Pool<Large> {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if let Some((list, _)) = self.class(layout)
            && let Some(block) = list.get()
        {
            // SAFETY: blocks in the list are free, and begin with a `FreeBlock`.
            list.set(unsafe { block.as_ref() }.next);
            return block.as_ptr().cast();
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { self.alloc_new(layout) }
    }

    #[inline(never)]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match self.class(layout) {
            Some((list, _)) => {
                let block = block.cast::<FreeBlock>();
                let next = list.get();
                // SAFETY: the caller no longer uses the block, which was allocated here with
                // this layout: it is large enough for a `FreeBlock`, and aligned.
                unsafe { block.write(FreeBlock { next }) };
                list.set(NonNull::new(block));
            }
            // SAFETY: the caller keeps the contract of `dealloc`, and `Large` allocated it.
            None => unsafe { self.large.dealloc(block, layout) },
        }
    }

    #[inline(never)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if self.class(layout).is_none() {
            // SAFETY: the caller keeps the contract of `alloc_zeroed`.
            return unsafe { self.large.alloc_zeroed(layout) };
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        let block = unsafe { self.alloc(layout) };
        if !block.is_null() {
            // SAFETY: the block has at least the size of the layout.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    #[inline(never)]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`: `size` is valid for this
        // alignment.
        let new_layout = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let sizes = [layout, new_layout].map(|layout| self.class(layout).map(|(_, size)| size));
        match sizes {
            // SAFETY: the caller keeps the contract of `realloc`, and `Large` allocated it.
            [None, None] => return unsafe { self.large.realloc(block, layout, size) },
            [Some(old), Some(new)] if old == new => return block,
            _ => {}
        }
        // SAFETY: `size` is not 0.
        let new_block = unsafe { self.alloc(new_layout) };
        if !new_block.is_null() {
            // SAFETY: both blocks are allocated, so they do not overlap, and have at least
            // this many bytes. The caller no longer uses the old one.
            unsafe {
                new_block.copy_from_nonoverlapping(block, layout.size().min(size));
                self.dealloc(block, layout);
            }
        }
        new_block
    }
}
