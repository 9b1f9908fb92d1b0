//! Lines and columns, from 1, as editors count them: a column is a character,
//! a tab and a combining mark are one each, and a byte order mark is none.

/// A place in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    /// From 1; lines end at `\n`.
    pub(crate) line: usize,
    /// From 1, in characters.
    pub(crate) column: usize,
}

/// Finds positions in one document. Asked in ascending order, it reads the
/// document once.
#[derive(Clone, Debug)]
pub(crate) struct Positions<'a> {
    content: &'a [u8],
    /// The byte that was asked for last.
    offset: usize,
    /// The first byte of its line.
    line_start: usize,
    position: Position,
}

impl<'a> Positions<'a> {
    pub(crate) const fn new(content: &'a [u8]) -> Self {
        Self {
            content,
            offset: 0,
            line_start: 0,
            position: Position { line: 1, column: 1 },
        }
    }

    /// The position of the byte at `offset`, or of the end when it lies beyond.
    pub(crate) fn at(&mut self, offset: usize) -> Position {
        let offset = offset.min(self.content.len());
        if offset < self.line_start {
            *self = Self::new(self.content);
        } else if offset < self.offset {
            self.offset = self.line_start;
            self.position.column = 1;
        }
        let passed = &self.content[self.offset..offset];
        let mut from = self.offset;
        if let Some(last) = memchr::memrchr(b'\n', passed) {
            self.position.line += memchr::memchr_iter(b'\n', passed).count();
            self.position.column = 1;
            self.line_start = self.offset + last + 1;
            from = self.line_start;
        }
        self.position.column += characters(self.content, from, offset);
        self.offset = offset;
        self.position
    }
}

/// The first byte of the line that holds `offset`.
pub(super) fn line_start(content: &[u8], offset: usize) -> usize {
    memchr::memrchr(b'\n', &content[..offset]).map_or(0, |at| at + 1)
}

/// One past the last byte of the line that holds `offset`, without its line break.
pub(super) fn line_end(content: &[u8], offset: usize) -> usize {
    let end = memchr::memchr(b'\n', &content[offset..]).map_or(content.len(), |at| offset + at);
    // At the `\r` of `\r\n` the line has ended already.
    if end > 0 && content.get(end) == Some(&b'\n') && content[end - 1] == b'\r' {
        end - 1
    } else {
        end
    }
}

/// Characters that begin in `start..end`, as UTF-8 counts them; in other bytes
/// everything that cannot continue a character begins one. A byte order mark at
/// the start of the document is none.
fn characters(content: &[u8], start: usize, end: usize) -> usize {
    let begins = content[start..end]
        .iter()
        .filter(|&&byte| byte & 0xC0 != 0x80);
    let has_mark = start == 0 && end > 0 && content.starts_with("\u{feff}".as_bytes());
    begins.count() - usize::from(has_mark)
}

#[cfg(test)]
mod tests {
    use super::Positions;

    /// `‸` marks the byte that is asked for.
    #[track_caller]
    fn check(marked: &str, line: usize, column: usize) {
        let offset = marked.find('‸').unwrap();
        let content = marked.replace('‸', "");
        let position = Positions::new(content.as_bytes()).at(offset);
        assert_eq!(
            (position.line, position.column),
            (line, column),
            "{marked:?}"
        );
    }

    #[test]
    fn lines_and_columns_are_from_one() {
        check("‸a", 1, 1);
        check("‸", 1, 1);
        check("a: ‸1", 1, 4);
        check("a: 1\n‸b: 2", 2, 1);
        check("a: 1‸\nb: 2", 1, 5);
        check("a\n\n\nb‸", 4, 2);
        check("a\n‸", 2, 1);
    }

    #[test]
    fn columns_are_characters() {
        check("ключ: ‸1", 1, 7);
        check("\t‸a", 1, 2);
        check("😀😀‸", 1, 3);
        check("a: 1\r\n  b: ‸2", 2, 6);
        check("\u{feff}a: ‸1", 1, 4);
        check("\u{feff}a\n\u{feff}‸", 2, 2);
    }

    #[test]
    fn any_order_gives_the_same() {
        let content = "\u{feff}a\nbçd\r\nc\nd\n".as_bytes();
        let mut positions = Positions::new(content);
        let length = content.len();
        for offset in (0..length)
            .chain((0..length).rev())
            .chain([7, 0, 4, 3, 8, 6, 5, 100])
        {
            assert_eq!(
                positions.at(offset),
                Positions::new(content).at(offset),
                "{offset}"
            );
        }
    }

    #[test]
    fn bytes_that_are_no_utf_8() {
        let position = Positions::new(b"a: \xff\xfe b").at(5);
        assert_eq!((position.line, position.column), (1, 6));
    }
}
