//! Reads literal and folded block scalars.

use super::lines::ends_line;
use super::properties::Properties;
use super::{Column, Scanner};
use crate::scalar::Chomping;
use crate::tree::Style;

/// What a block scalar's header says.
struct Header {
    style: Style,
    chomping: Chomping,
    /// The indentation that is given as a digit, relative to the collection around.
    increment: Option<usize>,
}

/// Lines of a block scalar that have been passed.
#[derive(Default)]
struct Position {
    /// The first byte of the current line.
    line: usize,
    /// The first byte of it after the indentation.
    at: usize,
    /// The number of blank lines before.
    blank_lines: usize,
}

impl Position {
    const fn column(&self) -> usize {
        self.at - self.line
    }
}

impl Scanner<'_> {
    /// Reads a block scalar in a collection at column `parent`, and adds it to the tree.
    pub(super) fn block_scalar(&mut self, parent: Column, properties: &Properties) -> Option<()> {
        let parent = usize::try_from(parent).ok()?;
        let header = self.block_header()?;
        if !self.finish_line()? || self.byte(self.at) == 0 {
            return None;
        }
        let mut position = Position {
            line: self.after_break(self.at),
            ..Position::default()
        };
        if self.byte(position.line) == b'\t' {
            return None;
        }
        let indent = match header.increment {
            Some(increment) => {
                self.skip_indentation(&mut position, parent + increment);
                parent + increment
            }
            None => self.find_indentation(&mut position).max(parent + 1),
        };
        let start = position.at;
        let column = position.column();
        let text_start = self.builder.tree.decoded.len();
        if position.at == self.bytes.len() {
            if header.chomping == Chomping::Keep {
                let is_line = position.blank_lines == 0 && column > 0;
                self.push_breaks(position.blank_lines + usize::from(is_line));
            }
        } else if column < indent {
            if column > parent {
                return None;
            }
            if header.chomping == Chomping::Keep {
                self.push_breaks(position.blank_lines);
            }
        } else {
            self.block_lines(&header, indent, &mut position)?;
        }
        // As in the complete parser, a block scalar without text is where it ends.
        let text = self.builder.tree.decoded.get(text_start..)?;
        let is_empty = text.bytes().all(|byte| byte == b'\n');
        let range = if is_empty { position.at } else { start }..position.at;
        let indent = if is_empty { position.column() } else { column };
        self.builder
            .scalar(header.style, indent, range, properties.tag());
        self.builder.take_text(text_start);
        self.at = if position.at == self.bytes.len() {
            position.at
        } else {
            position.line
        };
        self.line = position.line;
        Some(())
    }

    fn block_header(&mut self) -> Option<Header> {
        let style = match self.byte(self.at) {
            b'|' => Style::Literal,
            _ => Style::Folded,
        };
        let mut header = Header {
            style,
            chomping: Chomping::Clip,
            increment: None,
        };
        let mut is_chomped = false;
        self.at += 1;
        loop {
            match self.byte(self.at) {
                b'+' if !is_chomped => header.chomping = Chomping::Keep,
                b'-' if !is_chomped => header.chomping = Chomping::Strip,
                digit @ b'1'..=b'9' if header.increment.is_none() => {
                    header.increment = Some(usize::from(digit - b'0'));
                    self.at += 1;
                    continue;
                }
                byte if byte == b' ' || byte == b'\t' || ends_line(byte) => return Some(header),
                _ => return None,
            }
            is_chomped = true;
            self.at += 1;
        }
    }

    /// Moves to the first line that is not blank, and returns the longest indentation
    /// until there.
    fn find_indentation(&self, position: &mut Position) -> usize {
        let mut longest = 0;
        loop {
            position.at = self.after_spaces(position.line);
            longest = longest.max(position.column());
            let next = self.after_break(position.at);
            if next == position.at {
                return longest;
            }
            position.line = next;
            position.blank_lines += 1;
        }
    }

    /// Moves over at most `indent` spaces on this line, and over lines with fewer.
    fn skip_indentation(&self, position: &mut Position, indent: usize) {
        loop {
            position.at = position.line;
            while position.column() < indent && self.byte(position.at) == b' ' {
                position.at += 1;
            }
            let next = self.after_break(position.at);
            if next == position.at {
                return;
            }
            position.line = next;
            position.blank_lines += 1;
        }
    }

    /// Decodes the lines of a block scalar from its first one, and moves to the line after
    /// it.
    fn block_lines(
        &mut self,
        header: &Header,
        indent: usize,
        position: &mut Position,
    ) -> Option<()> {
        let is_folded = header.style == Style::Folded;
        let mut blank_before = false;
        let mut has_break = false;
        while position.column() == indent && position.at < self.bytes.len() {
            let end = self.line_end(position.at);
            let blank = matches!(self.byte(position.at), b' ' | b'\t');
            let line = self.text.get(position.at..end)?;
            let breaks = position.blank_lines + usize::from(has_break);
            let decoded = &mut self.builder.tree.decoded;
            match breaks {
                1 if has_break && is_folded && !blank && !blank_before => decoded.push(' '),
                1 => decoded.push('\n'),
                _ if has_break && is_folded && !blank && !blank_before => {
                    decoded.extend(std::iter::repeat_n('\n', breaks - 1));
                }
                _ => decoded.extend(std::iter::repeat_n('\n', breaks)),
            }
            decoded.push_str(line);
            blank_before = blank;
            position.blank_lines = 0;
            position.at = end;
            let next = self.after_break(end);
            has_break = next > end;
            if !has_break {
                break;
            }
            position.line = next;
            self.skip_indentation(position, indent);
        }
        match header.chomping {
            Chomping::Strip => {}
            // As in the complete parser, a last line without a line break has one: `locate`
            // corrects that.
            Chomping::Clip => self.push_breaks(1),
            Chomping::Keep => self.push_breaks(1 + position.blank_lines),
        }
        Some(())
    }

    fn push_breaks(&mut self, number: usize) {
        let decoded = &mut self.builder.tree.decoded;
        decoded.extend(std::iter::repeat_n('\n', number));
    }
}
