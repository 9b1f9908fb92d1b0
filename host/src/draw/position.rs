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
    /// A line's first byte, and that line's number.
    known: (usize, usize),
}

impl<'a> Positions<'a> {
    pub(crate) const fn new(content: &'a [u8]) -> Self {
        Self {
            content,
            known: (0, 1),
        }
    }

    /// The position of the byte at `offset`, or of the end when it lies beyond.
    pub(crate) fn at(&mut self, offset: usize) -> Position {
        let offset = offset.min(self.content.len());
        let start = line_start(self.content, offset);
        let (known_start, known_line) = if self.known.0 <= start {
            self.known
        } else {
            (0, 1)
        };
        let line =
            known_line + memchr::memchr_iter(b'\n', &self.content[known_start..start]).count();
        self.known = (start, line);
        Position {
            line,
            column: 1 + characters(&self.content[start..offset], start == 0),
        }
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

/// Characters, as UTF-8 counts them; in other bytes everything that cannot
/// continue a character begins one.
fn characters(bytes: &[u8], is_first_line: bool) -> usize {
    let bytes = if is_first_line {
        bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
    } else {
        bytes
    };
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
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
        let content = b"a\nb\nc\nd\n";
        let mut positions = Positions::new(content);
        for offset in [7, 0, 4, 3, 8, 5, 100] {
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
