//! Decodes a scalar's text as YAML reads it, with a map from every decoded byte to its raw
//! bytes.

use std::borrow::Cow;
use std::ops::Range;

use crate::line::{Line, marker};
use crate::tree::{BlockHeader, Kind, NodeId, Style, Tree};

/// A decoded scalar. The text of a block scalar is not chomped: it has every line break of
/// its content.
#[derive(Debug)]
pub struct Decoded<'t> {
    /// The decoded text.
    pub text: Cow<'t, str>,
    pieces: Pieces,
    /// All raw bytes of the scalar, with its quotes; for a block scalar, from its
    /// indicator to its last line that is not blank.
    pub raw: Range<usize>,
    /// The offset after the blank lines that end a block scalar; `raw.end` for other
    /// scalars.
    pub next: usize,
    /// Only for a block scalar.
    pub header: Option<BlockHeader>,
}

/// The pieces of a decoded text, in order. Most texts are one slice of the source, which
/// takes no allocation.
#[derive(Debug)]
enum Pieces {
    One(Piece),
    Many(Vec<Piece>),
}

impl Pieces {
    fn as_slice(&self) -> &[Piece] {
        match self {
            Self::One(piece) => std::slice::from_ref(piece),
            Self::Many(pieces) => pieces,
        }
    }
}

/// A run of decoded bytes and the raw bytes that they came from.
#[derive(Clone, Copy, Debug)]
struct Piece {
    decoded: usize,
    raw: usize,
    raw_len: usize,
    /// Whether the bytes are the same; otherwise the piece represents its raw bytes as a
    /// whole: an escape, a folded line break.
    verbatim: bool,
}

/// How the trailing line breaks of a block scalar are chomped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chomping {
    /// `-`: none is kept.
    Strip,
    /// One is kept.
    Clip,
    /// `+`: all are kept.
    Keep,
}

impl Chomping {
    /// Returns `text` with its trailing line breaks chomped.
    pub fn chomp(self, text: &str) -> &str {
        let content = text.trim_end_matches('\n');
        match self {
            Self::Keep => text,
            Self::Strip => content,
            Self::Clip if content.is_empty() => content,
            Self::Clip => &text[..text.len().min(content.len() + 1)],
        }
    }
}

/// Decodes a scalar of `source`, the text of `tree`; the tree may have been located with
/// parts of it [`masked`](crate::masked). Returns `None` if the node is not a scalar, or
/// is a block scalar that doesn't match the tree.
#[must_use]
pub fn decode<'t>(source: &'t str, tree: &Tree, id: NodeId) -> Option<Decoded<'t>> {
    let node = &tree[id];
    let Kind::Scalar { style, indent } = node.kind() else {
        return None;
    };
    if !style.is_block() {
        return decode_flow(source, node.range(), style);
    }
    // With `Tree::with_texts`, a node that has content may have an empty text.
    let has_content = |text: &str| !text.trim_end_matches('\n').is_empty();
    if !tree.text(id).is_some_and(has_content) && !source.get(node.range()).is_some_and(has_content)
    {
        let header = BlockHeader::find(source, node.after(), source.len(), indent)?;
        return Some(decode_blank_block(source, header));
    }
    let header = BlockHeader::find(source, node.after(), node.range().start, indent)?;
    let length = node.range().end.saturating_sub(header.content);
    Some(decode_block(source, header, length, style == Style::Folded))
}

/// Decodes the raw text of a plain or quoted scalar at `raw`.
pub fn decode_flow(source: &str, raw: Range<usize>, style: Style) -> Option<Decoded<'_>> {
    let quotes = usize::from(style != Style::Plain);
    let inner = raw.start + quotes..raw.end.checked_sub(quotes)?;
    let text = source.get(inner.clone())?;
    let needs_work = match style {
        Style::Plain => memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_some(),
        Style::SingleQuoted => memchr::memchr3(b'\n', b'\r', b'\'', text.as_bytes()).is_some(),
        _ => memchr::memchr3(b'\n', b'\r', b'\\', text.as_bytes()).is_some(),
    };
    if !needs_work {
        let pieces = Pieces::One(Piece {
            decoded: 0,
            raw: inner.start,
            raw_len: inner.len(),
            verbatim: true,
        });
        let next = raw.end;
        return Some(Decoded {
            text: Cow::Borrowed(text),
            pieces,
            raw,
            next,
            header: None,
        });
    }
    let mut writer = Writer::new(source, inner.len());
    let mut at = inner.start;
    while at < inner.end {
        let byte = source.as_bytes()[at];
        match byte {
            b'\n' | b'\r' => at = fold_break(&mut writer, at, inner.end),
            b'\\' if style == Style::DoubleQuoted => at = escape(&mut writer, at, inner.end),
            b'\'' if style == Style::SingleQuoted && source[at..inner.end].starts_with("''") => {
                writer.push_replaced("'", at, 2);
                at += 2;
            }
            _ => {
                let rest = &source.as_bytes()[at + 1..inner.end];
                let run = 1 + rest
                    .iter()
                    .position(|b| matches!(b, b'\n' | b'\r' | b'\\' | b'\''))
                    .unwrap_or(rest.len());
                writer.push_verbatim(at, run);
                at += run;
            }
        }
    }
    let next = raw.end;
    Some(writer.finish(raw, next, None))
}

/// Folds the line breaks from `at` on inside a flow scalar, with the blanks around them:
/// one becomes a space, of several the first is dropped. Returns where the text continues.
fn fold_break(writer: &mut Writer<'_>, at: usize, end: usize) -> usize {
    let bytes = writer.source.as_bytes();
    // Blanks before the break are not content, unless they were escaped.
    let start = writer.trim_blanks(at);
    let mut after = at;
    let mut breaks = 0;
    while after < end {
        match bytes[after] {
            b'\r' if bytes.get(after + 1) == Some(&b'\n') => after += 1,
            b'\n' | b'\r' => {
                breaks += 1;
                after += 1;
            }
            b' ' | b'\t' => after += 1,
            _ => break,
        }
    }
    let folded = if breaks == 1 {
        " ".to_owned()
    } else {
        "\n".repeat(breaks - 1)
    };
    writer.push_replaced(&folded, start, after - start);
    after
}

/// Decodes an escape of a double-quoted scalar (YAML 1.2.2, 5.7). Returns where the text
/// continues.
fn escape(writer: &mut Writer<'_>, at: usize, end: usize) -> usize {
    let source = writer.source;
    let Some(escaped) = source[at + 1..end].chars().next() else {
        writer.push_verbatim(at, 1);
        return end;
    };
    let hex = |digits: usize| {
        let text = source.get(at + 2..at + 2 + digits)?;
        u32::from_str_radix(text, 16)
            .ok()
            .and_then(char::from_u32)
            .map(|decoded| (decoded, 2 + digits))
    };
    let simple = |decoded: char| Some((decoded, 1 + escaped.len_utf8()));
    let found = match escaped {
        '0' => simple('\0'),
        'a' => simple('\u{7}'),
        'b' => simple('\u{8}'),
        't' | '\t' => simple('\t'),
        'n' => simple('\n'),
        'v' => simple('\u{b}'),
        'f' => simple('\u{c}'),
        'r' => simple('\r'),
        'e' => simple('\u{1b}'),
        ' ' | '"' | '/' | '\\' => simple(escaped),
        'N' => simple('\u{85}'),
        '_' => simple('\u{a0}'),
        'L' => simple('\u{2028}'),
        'P' => simple('\u{2029}'),
        'x' => hex(2),
        'u' => surrogates(source, at).or_else(|| hex(4)),
        'U' => hex(8),
        '\n' | '\r' => {
            // The line continues: the break and the next line's blanks are dropped. Empty
            // lines after it become line feeds.
            let mut after = after_break(source, at + 1, end);
            let mut empty = String::new();
            loop {
                let blanks = source[after..end].bytes();
                after += blanks.take_while(|b| matches!(b, b' ' | b'\t')).count();
                if !source[after..end].starts_with(['\n', '\r']) {
                    break;
                }
                after = after_break(source, after, end);
                empty.push('\n');
            }
            writer.push_replaced(&empty, at, after - at);
            return after;
        }
        _ => None,
    };
    match found {
        Some((decoded, raw_len)) => {
            writer.push_replaced(decoded.encode_utf8(&mut [0; 4]), at, raw_len);
            at + raw_len
        }
        None => {
            // The parser accepted the document, so this is inside a mask.
            writer.push_verbatim(at, 1);
            at + 1
        }
    }
}

/// Returns the offset after the line break at `at`.
fn after_break(source: &str, at: usize, end: usize) -> usize {
    at + 1 + usize::from(source[at..end].starts_with("\r\n"))
}

/// Decodes `\uD83D\uDE00`, as JSON writes characters outside the Basic Multilingual Plane.
/// Returns the character and the length of the escapes.
fn surrogates(source: &str, at: usize) -> Option<(char, usize)> {
    let unit = |from: usize| {
        let digits = source.get(from..from + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let pair = [unit(at)?, unit(at + 6)?];
    let mut decoded = char::decode_utf16(pair);
    match (decoded.next(), decoded.next()) {
        (Some(Ok(character)), None) => Some((character, 12)),
        _ => None,
    }
}

/// Decodes `source`, which is one block scalar with its header.
pub(crate) fn decode_block_whole(source: &str, indent: usize, folded: bool) -> Option<Decoded<'_>> {
    let header = BlockHeader::find(source, 0, source.len(), indent)?;
    let length = source.len().saturating_sub(header.content);
    Some(decode_block(source, header, length, folded))
}

/// Decodes a block scalar that has only blank lines: the tree does not determine where its
/// content would be.
fn decode_blank_block(source: &str, header: BlockHeader) -> Decoded<'_> {
    let mut writer = Writer::new(source, 0);
    let mut at = header.content;
    while at < source.len() {
        let line = Line::at(source, at);
        if !source[line.text.clone()].bytes().all(|b| b == b' ') {
            break;
        }
        let breaks = line.break_text();
        writer.push_replaced(breaks, line.text.start, line.next - line.text.start);
        at = line.next;
    }
    writer.finish(header.start..header.content, at, Some(header))
}

/// A line break of a folded block scalar, whose text depends on the next line.
struct PendingBreak {
    /// The raw bytes of the break and of the blank lines after it.
    raw: Range<usize>,
    blank_lines: usize,
    /// Whether the line before it is more indented than the scalar.
    after_indented: bool,
}

impl PendingBreak {
    /// Returns its text before a line of content: a single break becomes a space, of several
    /// the first is dropped. Breaks next to a more indented line are kept.
    fn before_line(&self, indented: bool) -> String {
        match (self.after_indented || indented, self.blank_lines) {
            (true, blank_lines) => "\n".repeat(blank_lines + 1),
            (false, 0) => " ".to_owned(),
            (false, blank_lines) => "\n".repeat(blank_lines),
        }
    }

    /// Returns its text at the end of the scalar, where no break is folded.
    fn at_end(&self) -> String {
        "\n".repeat(self.blank_lines + usize::from(!self.raw.is_empty()))
    }
}

/// Decodes a block scalar whose content has about `length` bytes.
fn decode_block(source: &str, header: BlockHeader, length: usize, folded: bool) -> Decoded<'_> {
    let mut writer = Writer::new(source, length);
    let mut at = header.content;
    // The end of the last line that is not blank.
    let mut content_end = header.content;
    let mut pending: Option<PendingBreak> = None;
    while at < source.len() {
        let line = Line::at(source, at);
        let text = &source[line.text.clone()];
        let spaces = text.bytes().take_while(|b| *b == b' ').count();
        let blank = text.bytes().all(|b| matches!(b, b' ' | b'\t'));
        // A longer line of spaces has content: the spaces after the indentation.
        let empty = blank && text.len() <= header.indent;
        if !empty && spaces < header.indent {
            // A line of tabs is as blank as an empty one; anything else ends the scalar.
            if !blank {
                break;
            }
        } else if !empty && header.indent == 0 && marker(text).is_some() {
            break;
        }
        at = line.next;
        if empty || spaces < header.indent {
            match &mut pending {
                Some(pending) => {
                    pending.raw.end = line.next;
                    // Blanks that end the text without a break are not a line.
                    pending.blank_lines += line.break_text().len();
                }
                None => writer.push_replaced(
                    line.break_text(),
                    line.text.start,
                    line.next - line.text.start,
                ),
            }
            continue;
        }
        let content = line.text.start + header.indent..line.text.end;
        let indented = matches!(source.as_bytes().get(content.start), Some(b' ' | b'\t'))
            && !content.is_empty();
        if let Some(pending) = pending.take() {
            let text = pending.before_line(indented);
            writer.push_replaced(&text, pending.raw.start, pending.raw.len());
        }
        writer.push_verbatim(content.start, content.len());
        if folded {
            pending = Some(PendingBreak {
                raw: line.text.end..line.next,
                blank_lines: 0,
                after_indented: indented,
            });
        } else {
            writer.push_replaced(line.break_text(), line.text.end, line.next - line.text.end);
        }
        content_end = line.next;
    }
    if let Some(pending) = pending {
        writer.push_replaced(&pending.at_end(), pending.raw.start, pending.raw.len());
    }
    writer.finish(header.start..content_end, at, Some(header))
}

impl Decoded<'_> {
    /// Returns the raw bytes of the decoded bytes `range`.
    pub fn raw_range(&self, range: &Range<usize>) -> Range<usize> {
        let piece_at = |at: usize| {
            let next = self
                .pieces
                .as_slice()
                .partition_point(|piece| piece.decoded <= at);
            next.checked_sub(1)
                .and_then(|index| self.pieces.as_slice().get(index))
                .copied()
        };
        let is_end = range.start == self.text.len() && self.header.is_none();
        let start = match piece_at(range.start) {
            Some(piece) if piece.verbatim => piece.raw + (range.start - piece.decoded),
            // The end of the text is after its last escape.
            Some(piece) if is_end && piece.decoded < range.start => piece.raw + piece.raw_len,
            Some(piece) => piece.raw,
            None => self.raw.start,
        };
        if range.is_empty() {
            return start..start;
        }
        let end = match piece_at(range.end - 1) {
            Some(piece) if piece.verbatim => piece.raw + (range.end - piece.decoded),
            Some(piece) => piece.raw + piece.raw_len,
            None => start,
        };
        start..end.max(start)
    }

    /// Returns the position of the raw byte `at` in the decoded text, if that byte
    /// represents itself.
    pub fn decoded_at(&self, at: usize) -> Option<usize> {
        let next = self
            .pieces
            .as_slice()
            .partition_point(|piece| piece.raw <= at);
        // Pieces without raw bytes may begin where the piece that contains the byte does.
        self.pieces.as_slice()[..next]
            .iter()
            .rev()
            .take(3)
            .find(|piece| piece.verbatim && at < piece.raw + piece.raw_len)
            .map(|piece| piece.decoded + (at - piece.raw))
    }

    /// Returns the text as YAML reads it: block scalars are chomped.
    pub fn chomped<'a>(&self, text: &'a str) -> &'a str {
        self.header
            .map_or(text, |header| header.chomping.chomp(text))
    }
}

/// Collects decoded text and the pieces that map it to raw bytes.
struct Writer<'t> {
    source: &'t str,
    text: String,
    pieces: Vec<Piece>,
}

impl<'t> Writer<'t> {
    /// `length` is about the length of the raw text.
    fn new(source: &'t str, length: usize) -> Self {
        Self {
            source,
            text: String::with_capacity(length),
            // A line of a block scalar has two, and about 40 bytes.
            pieces: Vec::with_capacity(length / 32),
        }
    }

    /// Adds raw bytes as they are.
    fn push_verbatim(&mut self, raw: usize, raw_len: usize) {
        if raw_len == 0 {
            return;
        }
        let decoded = self.text.len();
        self.text.push_str(&self.source[raw..raw + raw_len]);
        match self.pieces.last_mut() {
            Some(last) if last.verbatim && last.raw + last.raw_len == raw => {
                last.raw_len += raw_len;
            }
            _ => self.pieces.push(Piece {
                decoded,
                raw,
                raw_len,
                verbatim: true,
            }),
        }
    }

    /// Adds text that differs from its raw bytes.
    fn push_replaced(&mut self, text: &str, raw: usize, raw_len: usize) {
        self.pieces.push(Piece {
            decoded: self.text.len(),
            raw,
            raw_len,
            verbatim: false,
        });
        self.text.push_str(text);
    }

    /// Removes the trailing verbatim blanks from the text before raw byte `at`. Returns
    /// where they begin.
    fn trim_blanks(&mut self, at: usize) -> usize {
        match self.pieces.last_mut() {
            Some(last) if last.verbatim && last.raw + last.raw_len == at => {
                let written = self.source[last.raw..at]
                    .trim_end_matches([' ', '\t'])
                    .len();
                let blanks = last.raw_len - written;
                last.raw_len = written;
                self.text.truncate(self.text.len() - blanks);
                if written == 0 {
                    self.pieces.pop();
                }
                at - blanks
            }
            _ => at,
        }
    }

    fn finish(self, raw: Range<usize>, next: usize, header: Option<BlockHeader>) -> Decoded<'t> {
        Decoded {
            text: Cow::Owned(self.text),
            pieces: Pieces::Many(self.pieces),
            raw,
            next,
            header,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::decode;
    use crate::locate;

    /// Checks that every scalar decodes to the parser's text, and that the raw bytes of
    /// the decoded bytes are in order.
    fn check(source: &str) {
        let tree = locate(source).unwrap();
        for id in tree.ids() {
            let node = &tree[id];
            let (Some(style), Some(text)) = (node.style(), tree.text(id)) else {
                continue;
            };
            // Empty nodes are null, not text.
            if node.range().is_empty() {
                continue;
            }
            let Some(decoded) = decode(source, &tree, id) else {
                panic!("{source:?}: {node:?} was not decoded");
            };
            let chomped = decoded.chomped(&decoded.text);
            assert_eq!(chomped, text, "{source:?} {style:?}");
            let mut last = 0;
            for (at, _) in decoded.text.char_indices() {
                let raw = decoded.raw_range(&(at..at + 1));
                assert!(
                    raw.start >= last && raw.start < raw.end,
                    "{source:?}: {at} is {raw:?}"
                );
                last = raw.start;
            }
        }
    }

    #[test]
    fn plain_and_quoted() {
        check("a: plain text\n");
        check("a: plain\n  text\n\n\n  more  \n  x\n");
        check("a: 'it''s'\nb: 'x  \n\n   y'\n");
        check(r#"a: "\"\\\n\t\u00e9\x41\U0001F600\ud83d\ude00 \e\_\N\L\P\0\a\b\v\f\r\/""#);
        check("a: \"x \\\n   y\\\n  z  \n\n  w\\t\n  v \\  \n u\"\n");
        check("a: \"x\r\n  y\r\n\r\n  z\"\r\n");
        check("- \"a\\\n \n\n  b\\\r\n\r\n c\"\n");
        check("- >+\n  x\n  ");
    }

    #[test]
    fn a_block_of_blank_lines_has_their_breaks() {
        for (source, expected) in [
            ("a: |+\n\n  \nb: 1\n", ("\n\n", 3..6, 10)),
            ("a: | # c\nb: 1\n", ("", 3..9, 9)),
            ("a: >\n\n", ("\n", 3..5, 6)),
            ("- |\n  ", ("", 2..4, 6)),
        ] {
            let tree = locate(source).unwrap();
            let decoded = decode(source, &tree, tree.len().min(3) - 1).unwrap();
            let found = (&*decoded.text, decoded.raw.clone(), decoded.next);
            assert_eq!(found, expected, "{source:?}");
        }
    }

    #[test]
    fn bytes_of_a_text_are_found_in_both_directions() {
        let source = "a: \"x\\ty\\\n  z\\u00e9\"\n";
        let tree = locate(source).unwrap();
        let decoded = decode(source, &tree, 2).unwrap();
        assert_eq!(decoded.text, "x\tyzé");
        for (range, raw) in [
            (0..1, "x"),
            (1..2, "\\t"),
            (2..4, "y\\\n  z"),
            (4..6, "\\u00e9"),
            (0..6, "x\\ty\\\n  z\\u00e9"),
        ] {
            assert_eq!(&source[decoded.raw_range(&range)], raw, "{range:?}");
        }
        assert_eq!(decoded.raw_range(&(6..6)), 19..19);
        let at = [3, 4, 5, 7, 12, 13].map(|at| decoded.decoded_at(at));
        assert_eq!(at, [None, Some(0), None, Some(2), Some(3), None]);
    }

    #[test]
    fn block_scalars() {
        for header in [
            "|", "|-", "|+", ">", ">-", ">+", "| # c", "|2", ">2-", "|-2",
        ] {
            for body in [
                "  x\n",
                "  x\n  y\n\n\n",
                "\n\n  x\n\n  y\n",
                "  x\n   y\n  z\n   w\n\n   v\n",
                "  x\n   \n  y\n",
                "  x\n\n   y\n\n  z",
            ] {
                check(&format!("a: {header}\n{body}"));
                check(&format!("a: {header}\n{body}").replace('\n', "\r\n"));
                check(&format!(
                    "l:\n- k: {header}\n  {}",
                    body.replace('\n', "\n  ").trim_end_matches(' ')
                ));
            }
            check(&format!("a: &x !!str {header}\n  x\nb: 1\n"));
        }
        check("# not | this\n--- # nor > this\na: &a|b |\n  x\n# done\n");
        check("--- |\nx\ny\n");
        check("? |\n  key\n: - |\n    x\n");
    }
}
