//! Lines and columns, from 1, as editors count them: a column is a character,
//! a tab and a combining mark are one each, and a byte order mark is none.
//!
//! Not rust-analyzer's `line-index`: that one takes a `&str`, and a manifest need not be
//! UTF-8 (the error that says so has a position too). It also keeps 12 bytes for each
//! character that is not ASCII: 100 MB with a Cyrillic word on each line take it 365 ms,
//! and take this 78 ms (100 MB of ASCII: 31 ms and 76 ms).

/// A place in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    /// From 1; lines end at `\n`.
    pub(crate) line: usize,
    /// From 1, in characters.
    pub(crate) column: usize,
}

/// So many bytes are looked at for one position at most; their lines and characters
/// are counted once.
const BLOCK: usize = 4096;

/// Finds lines and columns in one document: after one pass over it each takes the
/// same time, however long the document and its lines are.
#[derive(Clone, Debug)]
pub(crate) struct Positions<'a> {
    content: &'a [u8],
    /// One for every block of the document, and one for its end.
    blocks: Vec<Block>,
}

/// What is known of the first byte of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    /// Line breaks before it.
    lines: usize,
    /// Characters that begin before it.
    characters: usize,
    /// The first byte of its line.
    line_start: usize,
    /// The first line break at it or after it, or the document's end.
    line_break: usize,
}

impl<'a> Positions<'a> {
    pub(crate) fn new(content: &'a [u8]) -> Self {
        let mut blocks = Vec::with_capacity(content.len() / BLOCK + 2);
        let mut at = Block::default();
        blocks.push(at);
        for (nth, block) in content.chunks(BLOCK).enumerate() {
            at.lines += memchr::memchr_iter(b'\n', block).count();
            at.characters += begun(block);
            if let Some(last) = memchr::memrchr(b'\n', block) {
                at.line_start = nth * BLOCK + last + 1;
            }
            blocks.push(at);
        }
        let mut line_break = content.len();
        for (nth, block) in blocks.iter_mut().enumerate().rev() {
            let start = content.len().min(nth * BLOCK);
            let bytes = &content[start..content.len().min(start + BLOCK)];
            if let Some(first) = memchr::memchr(b'\n', bytes) {
                line_break = start + first;
            }
            block.line_break = line_break;
        }
        Self { content, blocks }
    }

    pub(crate) const fn content(&self) -> &'a [u8] {
        self.content
    }

    /// The position of the byte at `offset`, or of the end when it lies beyond.
    pub(crate) fn at(&self, offset: usize) -> Position {
        let offset = offset.min(self.content.len());
        let (start, block) = self.block(offset);
        let line_start = self.line_start(offset);
        let lines = memchr::memchr_iter(b'\n', &self.content[start..offset]).count();
        let characters = self.characters(offset) - self.characters(line_start);
        // A byte order mark is no column.
        let has_mark = line_start == 0 && offset > 0 && self.content.starts_with(b"\xef\xbb\xbf");
        Position {
            line: block.lines + lines + 1,
            column: characters + 1 - usize::from(has_mark),
        }
    }

    /// The first byte of the line that holds `offset`.
    pub(super) fn line_start(&self, offset: usize) -> usize {
        let (start, block) = self.block(offset);
        memchr::memrchr(b'\n', &self.content[start..offset])
            .map_or(block.line_start, |at| start + at + 1)
    }

    /// One past the last byte of the line that holds `offset`, without its line
    /// break.
    pub(super) fn line_end(&self, offset: usize) -> usize {
        let end = self.line_break(offset);
        // At the `\r` of `\r\n` the line has ended already.
        if end > 0 && self.content.get(end) == Some(&b'\n') && self.content[end - 1] == b'\r' {
            end - 1
        } else {
            end
        }
    }

    /// The first line break at `offset` or after it, or the document's end.
    pub(super) fn line_break(&self, offset: usize) -> usize {
        let next = offset / BLOCK + 1;
        let end = self.content.len().min(next * BLOCK);
        match memchr::memchr(b'\n', &self.content[offset..end]) {
            Some(at) => offset + at,
            None => self
                .blocks
                .get(next)
                .map_or(self.content.len(), |next| next.line_break),
        }
    }

    /// Line breaks in `start..end`.
    pub(super) fn lines_between(&self, start: usize, end: usize) -> usize {
        self.at(end).line - self.at(start).line
    }

    /// Characters that begin before `offset`.
    fn characters(&self, offset: usize) -> usize {
        let (start, block) = self.block(offset);
        block.characters + begun(&self.content[start..offset])
    }

    /// The block that holds `offset`, and its first byte.
    fn block(&self, offset: usize) -> (usize, Block) {
        let nth = offset / BLOCK;
        let block = self.blocks.get(nth).copied().unwrap_or_default();
        (nth * BLOCK, block)
    }
}

/// Characters that begin in these bytes, as UTF-8 counts them; in other bytes
/// everything that cannot continue a character begins one.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Position, Positions, begun};

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
    fn what_lies_beyond_is_at_the_end() {
        let content = "\u{feff}a\nbçd\r\nc\nd\n".as_bytes();
        let positions = Positions::new(content);
        assert_eq!(positions.at(100), positions.at(content.len()));
    }

    /// Around the ends of blocks, with lines shorter and longer than these.
    #[test]
    fn blocks_are_not_seen() {
        for line in [1, 7, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK] {
            let content = format!("{}\r\n", "aç".repeat(line)).repeat(3 * BLOCK / line + 2);
            let content = content.as_bytes();
            let positions = Positions::new(content);
            let near = |offset: &usize| (offset + 5) % BLOCK < 10;
            for offset in (0..=content.len()).filter(near) {
                let before = &content[..offset];
                let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
                let expected = Position {
                    line: memchr::memchr_iter(b'\n', before).count() + 1,
                    column: begun(&content[line_start..offset]) + 1,
                };
                assert_eq!(positions.at(offset), expected, "{line} {offset}");
                assert_eq!(positions.line_start(offset), line_start, "{line} {offset}");
                let line_break = memchr::memchr(b'\n', &content[offset..]);
                let line_break = line_break.map_or(content.len(), |at| offset + at);
                assert_eq!(positions.line_break(offset), line_break, "{line} {offset}");
            }
        }
    }

    #[test]
    fn bytes_that_are_no_utf_8() {
        let position = Positions::new(b"a: \xff\xfe b").at(5);
        assert_eq!((position.line, position.column), (1, 6));
    }
}
