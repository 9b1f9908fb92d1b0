//! Converts byte offsets to lines and columns, from 1, as editors count them: a column
//! is a character, including tabs and combining marks, but not a byte order mark.
//!
//! Not rust-analyzer's `line-index`: it takes a `&str`, and a manifest need not be UTF-8
//! (the error that says so has a position too). It also keeps 12 bytes for each character
//! that is not ASCII: 100 MB with a Cyrillic word on each line take 365 ms there and
//! 78 ms here (100 MB of ASCII: 31 ms and 76 ms).

/// A position in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    /// From 1; lines end at `\n`.
    pub(crate) line: usize,
    /// From 1, in characters.
    pub(crate) column: usize,
}

/// The size of a block in bytes. A lookup scans one or two blocks.
const BLOCK: usize = 4096;

/// The line index of a document. It is built in one pass; then a lookup takes constant
/// time, however long the document and its lines are.
#[derive(Clone, Debug)]
pub(crate) struct Positions<'a> {
    content: &'a [u8],
    /// One entry per block of the document, and one for its end.
    blocks: Vec<Block>,
}

/// The position of the first byte of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    /// The number of line breaks before it.
    lines: usize,
    /// The number of characters that start before it.
    characters: usize,
    /// The start of its line.
    line_start: usize,
    /// The first line break at or after it, or the end of the document.
    line_break: usize,
}

impl<'a> Positions<'a> {
    pub(crate) fn new(content: &'a [u8]) -> Self {
        let mut blocks = Vec::with_capacity(content.len() / BLOCK + 2);
        let mut at = Block::default();
        blocks.push(at);
        for (nth, block) in content.chunks(BLOCK).enumerate() {
            at.lines += memchr::memchr_iter(b'\n', block).count();
            at.characters += count_characters(block);
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

    /// Returns the position of `offset`, or of the end of the document if it is greater.
    pub(crate) fn at(&self, offset: usize) -> Position {
        let offset = offset.min(self.content.len());
        let (start, block) = self.block(offset);
        let line_start = self.line_start(offset);
        let lines = memchr::memchr_iter(b'\n', &self.content[start..offset]).count();
        let characters = self.characters(offset) - self.characters(line_start);
        // A byte order mark does not count as a column.
        let has_mark = line_start == 0 && offset > 0 && self.content.starts_with(b"\xef\xbb\xbf");
        Position {
            line: block.lines + lines + 1,
            column: characters + 1 - usize::from(has_mark),
        }
    }

    /// Returns the start of the line that contains `offset`.
    pub(super) fn line_start(&self, offset: usize) -> usize {
        let (start, block) = self.block(offset);
        memchr::memrchr(b'\n', &self.content[start..offset])
            .map_or(block.line_start, |at| start + at + 1)
    }

    /// Returns the end of the line that contains `offset`, excluding the line break.
    pub(super) fn line_end(&self, offset: usize) -> usize {
        let end = self.line_break(offset);
        // A `\r` before the `\n` belongs to the line break.
        if end > 0 && self.content.get(end) == Some(&b'\n') && self.content[end - 1] == b'\r' {
            end - 1
        } else {
            end
        }
    }

    /// Returns the first line break at or after `offset`, or the end of the document.
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

    /// Returns the number of line breaks in `start..end`.
    pub(super) fn lines_between(&self, start: usize, end: usize) -> usize {
        self.at(end).line - self.at(start).line
    }

    /// Returns the number of characters that start before `offset`.
    fn characters(&self, offset: usize) -> usize {
        let (start, block) = self.block(offset);
        block.characters + count_characters(&self.content[start..offset])
    }

    /// Returns the block that contains `offset`, and its start.
    fn block(&self, offset: usize) -> (usize, Block) {
        let nth = offset / BLOCK;
        let block = self.blocks.get(nth).copied().unwrap_or_default();
        (nth * BLOCK, block)
    }
}

/// Returns the number of characters that start in these bytes. In invalid UTF-8, every
/// byte that is not a continuation byte starts one.
fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Position, Positions, count_characters};

    /// `‸` marks the offset.
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
    fn lines_and_columns_start_at_one() {
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
    fn offsets_beyond_the_end_are_at_the_end() {
        let content = "\u{feff}a\nbçd\r\nc\nd\n".as_bytes();
        let positions = Positions::new(content);
        assert_eq!(positions.at(100), positions.at(content.len()));
    }

    /// Tests offsets near block boundaries, with lines shorter and longer than a block.
    #[test]
    fn block_boundaries_do_not_affect_positions() {
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
                    column: count_characters(&content[line_start..offset]) + 1,
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
    fn invalid_utf_8_counts_bytes() {
        let position = Positions::new(b"a: \xff\xfe b").at(5);
        assert_eq!((position.line, position.column), (1, 6));
    }
}
