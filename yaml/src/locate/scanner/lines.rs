//! Moves over blanks, comments, line breaks and document markers.

use super::{Column, Scanner};
use crate::line::{Marker, marker};

/// The column of the end of the document.
pub(super) const END: Column = -1;

/// Returns whether a byte separates tokens: a blank, a line break, or the end of the text.
pub(super) const fn separates(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0)
}

/// Returns whether a byte ends a line. A carriage return does: `characters` accepts it
/// only before a line feed.
pub(super) const fn ends_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | 0)
}

impl Scanner<'_> {
    /// Returns a byte; 0 after the end. There is no such byte in the text.
    #[inline]
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// Returns the offset of the first byte from `at` that is not a space.
    #[inline]
    pub(super) fn after_spaces(&self, mut at: usize) -> usize {
        while self.byte(at) == b' ' {
            at += 1;
        }
        at
    }

    /// Returns the offset of the first byte from `at` that is not a blank.
    #[inline]
    pub(super) fn after_blanks(&self, mut at: usize) -> usize {
        while matches!(self.byte(at), b' ' | b'\t') {
            at += 1;
        }
        at
    }

    /// Returns the offset after the last byte in `from..to` that is not a blank.
    #[inline]
    pub(super) fn before_blanks(&self, from: usize, mut to: usize) -> usize {
        while to > from && matches!(self.byte(to - 1), b' ' | b'\t') {
            to -= 1;
        }
        to
    }

    /// Returns the end of the line that contains `at`, before its line break.
    #[inline]
    pub(super) fn line_end(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        match memchr::memchr(b'\n', rest) {
            Some(length) => self.before_return(at + length),
            None => self.bytes.len(),
        }
    }

    /// Returns the offset of the line break whose line feed is at `at`.
    #[inline]
    pub(super) fn before_return(&self, at: usize) -> usize {
        match at.checked_sub(1) {
            Some(before) if self.byte(before) == b'\r' => before,
            _ => at,
        }
    }

    /// Returns the offset after the line break at `at`, if there is one.
    #[inline]
    pub(super) fn after_break(&self, at: usize) -> usize {
        match self.byte(at) {
            b'\n' => at + 1,
            b'\r' => at + 2,
            _ => at,
        }
    }

    /// Returns the marker between documents at `at`, which begins a line.
    pub(super) fn marker(&self, at: usize) -> Option<Marker> {
        match self.byte(at) {
            b'-' | b'.' => marker(self.text.get(at..)?),
            _ => None,
        }
    }

    /// Moves to the end of the line, if only blanks and a comment are left on it, and
    /// returns whether that is so. Declines a comment without a blank before it.
    #[inline]
    pub(super) fn finish_line(&mut self) -> Option<bool> {
        let at = self.after_blanks(self.at);
        let byte = self.byte(at);
        if byte == b'#' {
            if at == self.at {
                return None;
            }
            self.comment(at);
            return Some(true);
        }
        self.at = at;
        Some(ends_line(byte))
    }

    /// Moves over a comment.
    pub(super) fn comment(&mut self, at: usize) {
        let end = self.line_end(at);
        self.builder.comment(at..end);
        self.at = end;
    }

    /// Moves from the end of a line, or the start of one, to the next token in block
    /// context and returns its column. Declines a tab before it.
    #[inline]
    pub(super) fn next_token(&mut self) -> Option<Column> {
        if let Some(column) = self.ahead.take() {
            return Some(column);
        }
        loop {
            let at = self.after_break(self.at);
            if at > self.at {
                self.line = at;
            }
            self.at = self.after_spaces(at);
            let mut byte = self.byte(self.at);
            if byte == b'\t' {
                self.at = self.after_blanks(self.at);
                byte = self.byte(self.at);
                if byte != b'#' && !ends_line(byte) {
                    return None;
                }
            }
            match byte {
                0 => return Some(END),
                b'#' => self.comment(self.at),
                b'\n' | b'\r' => {}
                _ if self.at > self.line => return Column::try_from(self.at - self.line).ok(),
                _ => {
                    return match self.marker(self.at) {
                        None => Some(0),
                        Some(Marker::Start) => None,
                        Some(Marker::End) => self.document_end(),
                    };
                }
            }
        }
    }

    /// Moves over `...` to the end of the text. Declines anything but comments after it.
    fn document_end(&mut self) -> Option<Column> {
        self.at += "...".len();
        if !self.finish_line()? {
            return None;
        }
        while self.at < self.bytes.len() {
            self.at = self.after_blanks(self.after_break(self.at));
            match self.byte(self.at) {
                b'#' => self.comment(self.at),
                byte if ends_line(byte) => {}
                _ => return None,
            }
        }
        Some(END)
    }
}
