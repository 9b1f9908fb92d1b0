//! Decisions drawn from a list of numbers: what proptest shrinks.
//!
//! A generator that asks for decisions makes documents that hang together
//! (anchors before their aliases, one indentation) where strategies composed of
//! strategies cannot, and shrinks as well: numbers vanish or become 0, and 0 is
//! always the simplest choice.

pub(crate) use landfall_test_support::seed::Sequence;

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
