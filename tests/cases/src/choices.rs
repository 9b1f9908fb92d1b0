//! Decisions drawn from a list of numbers, which proptest shrinks.
//!
//! A generator that draws decisions produces coherent documents (anchors before their
//! aliases, one indentation) where composed strategies cannot, and shrinks as well:
//! numbers are removed or become 0, and 0 is always the simplest choice.

pub use landfall_test_support::seed::Sequence;

/// Decisions in their order; always 0 when they are used up.
pub struct Choices<'a> {
    numbers: std::slice::Iter<'a, u16>,
}

impl<'a> Choices<'a> {
    /// Creates the decisions that these numbers make.
    pub fn new(numbers: &'a [u16]) -> Self {
        Self {
            numbers: numbers.iter(),
        }
    }

    /// Whether any decision is left. Generators finish once none is.
    pub fn any_left(&self) -> bool {
        self.numbers.len() > 0
    }

    /// Returns a number in `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.numbers.next().copied().unwrap_or(0)) % n.max(1)
    }

    /// Returns true once in `n` times, and never when the decisions are used up.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1 && n > 1
    }

    /// Returns one of these; the first is the simplest.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}
