//! Bytes of one text.

use std::ops::Range;

/// Bytes `start..end` of one document, half-open. Offsets count every byte of the
/// original, including a byte order mark and carriage returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte; equal to `start` for a point.
    pub end: usize,
}

impl Span {
    /// Creates a span from `start` (inclusive) to `end` (exclusive).
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns an empty span: the position before the byte at `offset`.
    #[must_use]
    pub const fn point(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// Returns the span of the same bytes in a text that contains this span's text at
    /// `offset`.
    #[must_use]
    pub const fn shifted(self, offset: usize) -> Self {
        Self::new(self.start + offset, self.end + offset)
    }

    /// Returns the span as a range, for slicing.
    #[must_use]
    pub const fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::Span;

    #[test]
    fn a_span_moves_with_the_text_that_contains_it() {
        assert_eq!(Span::new(2, 5).shifted(10), Span::new(12, 15));
        assert_eq!(Span::point(3), Span::new(3, 3));
    }

    #[test]
    fn a_span_and_its_range_have_the_same_bytes() {
        assert_eq!(Span::from(2..5), Span::new(2, 5));
        assert_eq!(Span::new(2, 5).range(), 2..5);
    }
}
