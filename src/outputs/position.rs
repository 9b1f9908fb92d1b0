//! Locations in an outputs document that reveal nothing about its sensitive values: a
//! column after one on the same line would reveal its length.

use yaml::Span;

/// The locations in one document, requested in ascending order.
#[derive(Clone)]
pub(super) struct Positions<'a> {
    content: &'a [u8],
    /// Line breaks before this byte have been processed.
    seen: usize,
    line_start: usize,
    /// Whether a sensitive value ends on the line of the byte `seen`.
    hides: bool,
}

impl<'a> Positions<'a> {
    pub(super) const fn new(content: &'a [u8]) -> Self {
        Self {
            content,
            seen: 0,
            line_start: 0,
            hides: false,
        }
    }

    /// Returns a span as it may be reported: itself, or the start of its line if a
    /// sensitive value precedes it on that line.
    pub(super) fn reported(&mut self, span: Span) -> Span {
        self.advance(span.start);
        if self.hides {
            Span::point(self.line_start)
        } else {
            span
        }
    }

    /// Records that a sensitive value ends before the byte at `end`.
    pub(super) fn hide(&mut self, end: usize) {
        self.advance(end);
        self.hides = true;
    }

    fn advance(&mut self, to: usize) {
        let passed = self.content.get(self.seen..to).unwrap_or_default();
        if let Some(last) = memchr::memrchr(b'\n', passed) {
            self.line_start = self.seen + last + 1;
            self.hides = false;
        }
        self.seen = self.seen.max(to);
    }
}

/// Returns the start of a byte's line: the most precise location that may be reported in a
/// document that cannot be read, because it is unknown what in it is sensitive.
pub(super) fn line_of(content: &[u8], at: usize) -> Span {
    let before = content.get(..at).unwrap_or(content);
    Span::point(memchr::memrchr(b'\n', before).map_or(0, |end| end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_the_line_start_after_a_sensitive_value() {
        let text = "{\n  \"a\": 1, \"b\": \"secret\", \"c\": 2,\n  \"d\": 3}";
        let span = |name: &str| {
            let start = text.find(name).unwrap();
            Span::new(start, start + name.len())
        };
        let mut positions = Positions::new(text.as_bytes());
        assert_eq!(positions.reported(span("\"a\"")), span("\"a\""));
        assert_eq!(positions.reported(span("\"b\"")), span("\"b\""));
        positions.hide(span("\"secret\"").end);
        assert_eq!(positions.reported(span("\"c\"")), Span::point(2));
        assert_eq!(positions.reported(span("\"d\"")), span("\"d\""));
    }
}
