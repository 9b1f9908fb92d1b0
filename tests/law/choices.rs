//! Decisions drawn from a list of numbers: what proptest shrinks.
//!
//! A generator that asks for decisions makes documents that hang together
//! (anchors before their aliases, one indentation) where strategies composed of
//! strategies cannot, and shrinks as well: numbers vanish or become 0, and 0 is
//! always the simplest choice.

use std::sync::OnceLock;

/// Decisions in their order; 0 for ever when they are used up.
pub(crate) struct Choices<'a> {
    numbers: std::slice::Iter<'a, u16>,
}

impl<'a> Choices<'a> {
    pub(crate) fn new(numbers: &'a [u16]) -> Self {
        Self {
            numbers: numbers.iter(),
        }
    }

    /// Whether any decision is left: without, generators come to their end.
    pub(crate) fn any_left(&self) -> bool {
        self.numbers.len() > 0
    }

    /// `0..n`
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::from(self.numbers.next().copied().unwrap_or(0)) % n.max(1)
    }

    /// True once in `n` times, and never when the decisions are used up.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1 && n > 1
    }

    /// One of these; the first is the simplest.
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// What `LANDFALL_SEED` says: with another number, every generator makes other cases.
pub(crate) fn seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| {
        let text = std::env::var("LANDFALL_SEED").unwrap_or_default();
        text.parse().unwrap_or(0)
    })
}

/// A sequence of numbers that is the same on every machine (xorshift64*), for
/// samples of real files, and for cases that are all made before they are looked at.
pub(crate) struct Sequence(u64);

impl Sequence {
    pub(crate) fn new(seed: u64) -> Self {
        let seed = seed.wrapping_add(self::seed().wrapping_mul(1_000_003));
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// `0..n`
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let mixed = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(mixed).unwrap() % n.max(1)
    }
    /// The decisions of one case.
    pub(crate) fn numbers(&mut self, count: usize) -> Vec<u16> {
        std::iter::repeat_with(|| u16::try_from(self.below(1 << 16)).unwrap_or_default())
            .take(count)
            .collect()
    }
}
