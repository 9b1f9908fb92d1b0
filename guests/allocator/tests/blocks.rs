//! The blocks of the allocator: their content, their alignment, and that memory is reused.

#![allow(
    unsafe_code,
    clippy::unwrap_used,
    reason = "the tests call an allocator, with layouts that are valid"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use landfall_allocator::Pool;
use landfall_test_support::property::cases;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use talc::cell::TalcCell;
use talc::source::Claim;

/// A block that a test holds, with the byte that fills it.
struct Block {
    start: *mut u8,
    layout: Layout,
    fill: u8,
}

impl Block {
    fn allocate(allocator: &impl GlobalAlloc, layout: Layout, fill: u8, is_zeroed: bool) -> Self {
        // SAFETY: no size in these tests is 0.
        let start = unsafe {
            if is_zeroed {
                allocator.alloc_zeroed(layout)
            } else {
                allocator.alloc(layout)
            }
        };
        assert!(!start.is_null(), "{layout:?}");
        let block = Self {
            start,
            layout,
            fill,
        };
        if is_zeroed {
            assert!(block.bytes().iter().all(|byte| *byte == 0), "{layout:?}");
        }
        block.fill();
        block
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: the block is allocated, and zeroed or filled.
        unsafe { std::slice::from_raw_parts(self.start, self.layout.size()) }
    }

    fn fill(&self) {
        // SAFETY: the block is allocated with this size.
        unsafe { self.start.write_bytes(self.fill, self.layout.size()) };
    }

    /// Checks the alignment, and that nothing else was written to the first `length` bytes.
    #[track_caller]
    fn check(&self, length: usize) {
        assert!(self.start.addr().is_multiple_of(self.layout.align()));
        let own = vec![self.fill; length];
        assert!(self.bytes()[..length] == own, "{:?}", self.layout);
    }

    fn reallocate(&mut self, allocator: &impl GlobalAlloc, size: usize) {
        let kept = size.min(self.layout.size());
        // SAFETY: the block is allocated with this layout, and `size` is not 0.
        self.start = unsafe { allocator.realloc(self.start, self.layout, size) };
        assert!(!self.start.is_null(), "{size}");
        // The bytes after `kept` are only initialized below, and `check` reads up to it.
        self.layout = Layout::from_size_align(kept, self.layout.align()).unwrap();
        self.check(kept);
        self.layout = Layout::from_size_align(size, self.layout.align()).unwrap();
        self.fill();
    }

    fn free(self, allocator: &impl GlobalAlloc) {
        self.check(self.layout.size());
        // SAFETY: the block is allocated with this layout, and not used again.
        unsafe { allocator.dealloc(self.start, self.layout) };
    }
}

/// A call of the allocator. Blocks are chosen among those that are allocated.
#[derive(Clone, Debug)]
enum Call {
    Allocate {
        size: usize,
        align: usize,
        is_zeroed: bool,
    },
    Reallocate {
        block: usize,
        size: usize,
    },
    Free {
        block: usize,
    },
}

/// Sizes around those of the pool, and large ones.
fn sizes() -> impl Strategy<Value = usize> {
    prop_oneof![4 => 1..80_usize, 2 => 480..540_usize, 1 => 1..20_000_usize]
}

fn calls() -> impl Strategy<Value = Call> {
    let aligns =
        prop_oneof![8 => Just(1), 8 => Just(4), 4 => Just(8), 1 => Just(16), 1 => Just(64)];
    prop_oneof![
        3 => (sizes(), aligns, any::<bool>()).prop_map(|(size, align, is_zeroed)| {
            Call::Allocate { size, align, is_zeroed }
        }),
        2 => (any::<usize>(), sizes()).prop_map(|(block, size)| Call::Reallocate { block, size }),
        2 => any::<usize>().prop_map(|block| Call::Free { block }),
    ]
}

/// Makes the calls, and checks the content and the alignment of every block after each.
fn check(allocator: &impl GlobalAlloc, calls: Vec<Call>) {
    let mut blocks: Vec<Block> = Vec::new();
    for (nth, call) in calls.into_iter().enumerate() {
        // Never 0, so that zeroed memory differs.
        let fill = u8::try_from(nth % 255).unwrap() + 1;
        match call {
            Call::Allocate {
                size,
                align,
                is_zeroed,
            } => {
                let layout = Layout::from_size_align(size, align).unwrap();
                blocks.push(Block::allocate(allocator, layout, fill, is_zeroed));
            }
            Call::Reallocate { block, size } if !blocks.is_empty() => {
                let nth = block % blocks.len();
                blocks[nth].reallocate(allocator, size);
            }
            Call::Free { block } if !blocks.is_empty() => {
                let nth = block % blocks.len();
                blocks.swap_remove(nth).free(allocator);
            }
            Call::Reallocate { .. } | Call::Free { .. } => {}
        }
        for block in &blocks {
            block.check(block.layout.size());
        }
    }
    for block in blocks {
        block.free(allocator);
    }
}

/// The bytes from which talc allocates in a test: as little as a module has at first.
type Arena = [u8; 4 << 20];

/// Returns the allocator of a module, in an arena instead of the memory of the module.
fn in_arena(arena: &mut Box<Arena>) -> Pool<TalcCell<Claim, talc::wasm::WasmBinning>> {
    // SAFETY: the arena is only used by talc as long as the pool lives, which borrows it.
    let source = unsafe { Claim::array(&raw mut **arena) };
    Pool::new(TalcCell::new(source))
}

fn arena() -> Box<Arena> {
    vec![0; size_of::<Arena>()]
        .into_boxed_slice()
        .try_into()
        .unwrap()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn blocks_keep_their_content_and_alignment(calls in vec(calls(), 1..200)) {
        check(&Pool::new(System), calls.clone());
        check(&in_arena(&mut arena()), calls);
    }
}

/// Counts the bytes that are taken from it.
#[derive(Default)]
struct Counted {
    bytes: Cell<usize>,
}

// SAFETY: all methods forward to `System`.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.bytes.set(self.bytes.get() + layout.size());
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(block, layout) }
    }
}

#[test]
fn freed_small_blocks_are_reused() {
    let large = &*Box::leak(Box::new(Counted::default()));
    let pool = Pool::new(Borrowed(large));
    let layout = Layout::from_size_align(24, 8).unwrap();
    for _ in 0..10 {
        let blocks: Vec<_> = (0..1_000)
            .map(|_| Block::allocate(&pool, layout, 1, false))
            .collect();
        for block in blocks {
            block.free(&pool);
        }
    }
    // 24,000 bytes are one chunk.
    assert_eq!(large.bytes.get(), 32 << 10);
}

/// An allocator that a test also looks at.
struct Borrowed<'a>(&'a Counted);

// SAFETY: all methods forward.
unsafe impl GlobalAlloc for Borrowed<'_> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        unsafe { self.0.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { self.0.dealloc(block, layout) }
    }
}

#[test]
fn freed_large_blocks_are_merged_and_reused() {
    let mut arena = arena();
    let pool = in_arena(&mut arena);
    let layout = |size| Layout::from_size_align(size, 1).unwrap();
    for nth in 0..70 {
        // Three quarters of the arena, as one block and as several.
        let pieces = nth % 7 + 1;
        let blocks: Vec<_> = (0..pieces)
            .map(|_| Block::allocate(&pool, layout((3 << 20) / pieces), 1, false))
            .collect();
        for block in blocks {
            block.free(&pool);
        }
    }
}

#[test]
fn a_growing_block_at_the_end_is_not_copied() {
    let mut arena = arena();
    let pool = in_arena(&mut arena);
    let mut block = Block::allocate(&pool, Layout::from_size_align(2_000, 1).unwrap(), 1, false);
    let start = block.start;
    while block.layout.size() < 3 << 20 {
        let size = block.layout.size() * 5 / 4;
        block.reallocate(&pool, size);
    }
    assert_eq!(block.start, start);
}
