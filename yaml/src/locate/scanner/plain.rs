//! Reads plain scalars.

use super::lines::{ends_line, separates};
use super::{Column, Content, Leaf, Scanner};
use crate::tree::Style;

/// Returns whether a byte is one of the indicators of flow collections.
pub(super) const fn is_flow_indicator(byte: u8) -> bool {
    matches!(byte, b',' | b'[' | b']' | b'{' | b'}')
}

impl Scanner<'_> {
    /// Reads a plain scalar, whose first byte can begin one. It ends before what follows
    /// it. In block context, its lines are in a column after `indent`.
    #[inline]
    pub(super) fn plain(&mut self, indent: Column, flow: bool) -> Option<Leaf> {
        let start = self.at;
        let stop = self.plain_line(start, flow);
        let end = self.before_blanks(start, stop);
        self.at = end;
        let mut leaf = Leaf {
            content: Content::Slice(Style::Plain),
            range: start..end,
            multiline: false,
        };
        if ends_line(self.byte(stop)) {
            self.plain_lines(&mut leaf, stop, indent, flow)?;
        }
        Some(leaf)
    }

    /// Reads the other lines of a plain scalar, whose first line ends at `stop`.
    fn plain_lines(
        &mut self,
        leaf: &mut Leaf,
        mut stop: usize,
        indent: Column,
        flow: bool,
    ) -> Option<()> {
        while let Some((from, breaks)) = self.plain_continuation(stop, indent, flow)? {
            if !leaf.multiline {
                leaf.multiline = true;
                let decoded = &mut self.builder.tree.decoded;
                leaf.content = Content::Decoded(Style::Plain, decoded.len());
                decoded.push_str(self.text.get(leaf.range.clone())?);
            }
            stop = self.plain_line(from, flow);
            let end = self.before_blanks(from, stop);
            let decoded = &mut self.builder.tree.decoded;
            match breaks {
                1 => decoded.push(' '),
                _ => decoded.extend(std::iter::repeat_n('\n', breaks - 1)),
            }
            decoded.push_str(self.text.get(from..end)?);
            leaf.range.end = end;
            self.at = end;
            if !ends_line(self.byte(stop)) {
                break;
            }
        }
        Some(())
    }

    /// Returns where a plain scalar continues after the end of a line, and the number of
    /// line breaks before; `Some(None)` if it doesn't.
    fn plain_continuation(
        &self,
        line_end: usize,
        indent: Column,
        flow: bool,
    ) -> Option<Option<(usize, usize)>> {
        let mut at = line_end;
        let mut breaks = 0;
        loop {
            let line = self.after_break(at);
            if line == at {
                return Some(None);
            }
            breaks += 1;
            at = self.after_spaces(line);
            let column = Column::try_from(at - line).ok()?;
            match self.byte(at) {
                b'\n' | b'\r' => continue,
                0 | b'#' => return Some(None),
                b'\t' => {
                    at = self.after_blanks(at);
                    match self.byte(at) {
                        b'\n' | b'\r' => continue,
                        // To the complete parser, the scalar may continue after this
                        // comment: its next line is declined as a token of its own.
                        0 | b'#' => return Some(None),
                        _ => return None,
                    }
                }
                _ => {}
            }
            let ends = (!flow && column <= indent)
                || (column == 0 && self.marker(at).is_some())
                || self.ends_plain(at, flow);
            return Some((!ends).then_some((at, breaks)));
        }
    }

    /// Returns whether the byte at `at` cannot be part of a plain scalar.
    fn ends_plain(&self, at: usize, flow: bool) -> bool {
        let byte = self.byte(at);
        (byte == b':' && self.ends_after_colon(at + 1, flow)) || (flow && is_flow_indicator(byte))
    }

    #[inline]
    fn ends_after_colon(&self, at: usize, flow: bool) -> bool {
        let byte = self.byte(at);
        separates(byte) || (flow && is_flow_indicator(byte))
    }

    /// Returns where a line of a plain scalar ends, which begins at `from`: at its line
    /// break, its comment, a colon, or an indicator of a flow collection.
    #[inline]
    fn plain_line(&self, from: usize, flow: bool) -> usize {
        let mut at = from;
        loop {
            let byte = self.byte(at);
            let ends = match byte {
                b':' => self.ends_after_colon(at + 1, flow),
                b'#' => at > from && matches!(self.byte(at - 1), b' ' | b'\t'),
                b'\n' | b'\r' | 0 => true,
                _ => flow && is_flow_indicator(byte),
            };
            if ends {
                return at;
            }
            at += 1;
        }
    }
}
