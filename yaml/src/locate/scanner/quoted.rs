//! Reads scalars in single and double quotes.

use super::lines::ends_line;
use super::{Column, Content, Leaf, Scanner};
use crate::tree::Style;

impl Scanner<'_> {
    /// Reads a scalar in quotes. In block context, its lines are in a column after
    /// `indent`.
    #[inline]
    pub(super) fn quoted(&mut self, indent: Column, flow: bool) -> Option<Leaf> {
        let start = self.at;
        let quote = self.byte(start);
        let style = match quote {
            b'"' => Style::DoubleQuoted,
            _ => Style::SingleQuoted,
        };
        let stop = self.quoted_run(start + 1, quote)?;
        let is_end = self.byte(stop) == quote
            && (style == Style::DoubleQuoted || self.byte(stop + 1) != quote);
        if !is_end {
            return self.decode_quoted(style, indent, flow);
        }
        self.at = stop + 1;
        Some(Leaf {
            content: Content::Slice(style),
            range: start..self.at,
            multiline: false,
        })
    }

    /// Returns the end of the text at `from` that means itself: at a quote, an escape or a
    /// line feed.
    #[inline]
    fn quoted_run(&self, from: usize, quote: u8) -> Option<usize> {
        let rest = self.bytes.get(from..)?;
        let length = match quote {
            b'"' => memchr::memchr3(quote, b'\\', b'\n', rest),
            _ => memchr::memchr2(quote, b'\n', rest),
        };
        length.map(|length| from + length)
    }

    /// Reads a scalar in quotes whose text is not a slice of the source.
    fn decode_quoted(&mut self, style: Style, indent: Column, flow: bool) -> Option<Leaf> {
        let start = self.at;
        let quote = self.byte(start);
        let text_start = self.builder.tree.decoded.len();
        let mut multiline = false;
        let mut from = start + 1;
        loop {
            let stop = self.quoted_run(from, quote)?;
            let byte = self.byte(stop);
            if byte == b'\n' {
                let end = self.before_blanks(from, self.before_return(stop));
                self.push_text(from..end)?;
                multiline = true;
                from = self.fold_quoted(stop + 1, false, indent, flow)?;
                continue;
            }
            self.push_text(from..stop)?;
            let next = self.byte(stop + 1);
            if byte == b'\\' {
                if ends_line(next) {
                    multiline = true;
                    let line = self.after_break(stop + 1);
                    from = self.fold_quoted(line, true, indent, flow)?;
                } else {
                    from = self.escape(stop + 1)?;
                }
            } else if style == Style::SingleQuoted && next == quote {
                self.builder.tree.decoded.push('\'');
                from = stop + 2;
            } else {
                self.at = stop + 1;
                break;
            }
        }
        Some(Leaf {
            content: Content::Decoded(style, text_start),
            range: start..self.at,
            multiline,
        })
    }

    fn push_text(&mut self, range: std::ops::Range<usize>) -> Option<()> {
        self.builder.tree.decoded.push_str(self.text.get(range)?);
        Some(())
    }

    /// Folds the line breaks before `line`, and blank lines after it, and returns where the
    /// text continues.
    fn fold_quoted(
        &mut self,
        mut line: usize,
        escaped: bool,
        indent: Column,
        flow: bool,
    ) -> Option<usize> {
        let mut blank_lines = 0;
        loop {
            let at = self.after_spaces(line);
            let column = Column::try_from(at - line).ok()?;
            match self.byte(at) {
                b'\n' | b'\r' => {
                    blank_lines += 1;
                    line = self.after_break(at);
                    continue;
                }
                0 | b'\t' => return None,
                _ => {}
            }
            if (!flow && column <= indent) || (column == 0 && self.marker(at).is_some()) {
                return None;
            }
            let decoded = &mut self.builder.tree.decoded;
            if blank_lines > 0 {
                decoded.extend(std::iter::repeat_n('\n', blank_lines));
            } else if !escaped {
                decoded.push(' ');
            }
            return Some(at);
        }
    }

    /// Decodes the escape whose character after the backslash is at `at`, and returns the
    /// offset after it.
    fn escape(&mut self, at: usize) -> Option<usize> {
        let (digits, character) = match self.byte(at) {
            b'0' => (0, '\0'),
            b'a' => (0, '\u{7}'),
            b'b' => (0, '\u{8}'),
            b't' | b'\t' => (0, '\t'),
            b'n' => (0, '\n'),
            b'v' => (0, '\u{b}'),
            b'f' => (0, '\u{c}'),
            b'r' => (0, '\r'),
            b'e' => (0, '\u{1b}'),
            b' ' => (0, ' '),
            b'"' => (0, '"'),
            b'/' => (0, '/'),
            b'\\' => (0, '\\'),
            b'N' => (0, '\u{85}'),
            b'_' => (0, '\u{a0}'),
            b'L' => (0, '\u{2028}'),
            b'P' => (0, '\u{2029}'),
            // Declines the halves of surrogate pairs.
            b'x' => (2, self.code_point(at + 1, 2)?),
            b'u' => (4, self.code_point(at + 1, 4)?),
            b'U' => (8, self.code_point(at + 1, 8)?),
            _ => return None,
        };
        self.builder.tree.decoded.push(character);
        Some(at + 1 + digits)
    }

    /// Returns the character whose code point is written in this many hexadecimal digits.
    fn code_point(&self, from: usize, digits: usize) -> Option<char> {
        let written = self.text.get(from..from + digits)?;
        if !written.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        char::from_u32(u32::from_str_radix(written, 16).ok()?)
    }
}
