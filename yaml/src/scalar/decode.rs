//! A scalar's text as YAML reads it, with the way back from every decoded byte
//! to the raw bytes that it came from.

use std::borrow::Cow;
use std::ops::Range;

use crate::line::{Line, marker};
use crate::tree::{BlockHeader, Kind, NodeId, Style, Tree};

/// A decoded scalar. Of a block scalar the text before chomping: every line
/// break that its content has.
#[derive(Debug)]
pub struct Decoded<'t> {
    /// The decoded text.
    pub text: Cow<'t, str>,
    pieces: Vec<Piece>,
    /// Every raw byte of the scalar: quotes too, and of a block scalar
    /// everything from its indicator to its last line that is not blank.
    pub raw: Range<usize>,
    /// The offset after the blank lines that end a block scalar; `raw.end` of others.
    pub next: usize,
    /// Of a block scalar only.
    pub header: Option<BlockHeader>,
}

/// A run of decoded bytes and the raw bytes that they came from.
#[derive(Clone, Copy, Debug)]
struct Piece {
    decoded: usize,
    raw: usize,
    raw_len: usize,
    /// Byte for byte the same; otherwise the piece represents its raw bytes as a
    /// whole: an escape, a folded line break.
    verbatim: bool,
}

/// How a block scalar's last line breaks are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chomping {
    /// `-`: none stays.
    Strip,
    /// One stays.
    Clip,
    /// `+`: all stay.
    Keep,
}

impl Chomping {
    /// `text` with its last line breaks as the chomping leaves them.
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

/// Decodes a scalar of `source`, the text of which `tree` is the tree; the tree may have
/// been located with parts of it [`masked`](crate::masked). Returns `None` when the node
/// is not a scalar, or is a block scalar that isn't written as the tree says.
#[must_use]
pub fn decode<'t>(source: &'t str, tree: &Tree, id: NodeId) -> Option<Decoded<'t>> {
    let node = &tree[id];
    let Kind::Scalar { style, indent } = node.kind() else {
        return None;
    };
    if !style.is_block() {
        return decode_flow(source, node.range(), style);
    }
    let is_blank = tree
        .text(id)
        .is_none_or(|text| text.trim_end_matches('\n').is_empty());
    if is_blank {
        let header = BlockHeader::find(source, node.after(), source.len(), indent)?;
        return Some(decode_blank_block(source, header));
    }
    let header = BlockHeader::find(source, node.after(), node.range().start, indent)?;
    Some(decode_block(source, header, style == Style::Folded))
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
        let pieces = vec![Piece {
            decoded: 0,
            raw: inner.start,
            raw_len: inner.len(),
            verbatim: true,
        }];
        let next = raw.end;
        return Some(Decoded {
            text: Cow::Borrowed(text),
            pieces,
            raw,
            next,
            header: None,
        });
    }
    let mut writer = Writer::new(source);
    let mut at = inner.start;
    while at < inner.end {
        let byte = source.as_bytes()[at];
        match byte {
            b'\n' | b'\r' => at = fold_break(&mut writer, at, inner.end),
            b'\\' if style == Style::DoubleQuoted => at = escape(&mut writer, at, inner.end),
            b'\'' if style == Style::SingleQuoted && source[at..inner.end].starts_with("''") => {
                writer.stand_in("'", at, 2);
                at += 2;
            }
            _ => {
                let rest = &source.as_bytes()[at + 1..inner.end];
                let run = 1 + rest
                    .iter()
                    .position(|b| matches!(b, b'\n' | b'\r' | b'\\' | b'\''))
                    .unwrap_or(rest.len());
                writer.verbatim(at, run);
                at += run;
            }
        }
    }
    let next = raw.end;
    Some(writer.finish(raw, next, None))
}

/// A line break inside a flow scalar with the blanks around it: one folds into a
/// space, and of several one is lost. Returns where the text continues.
fn fold_break(writer: &mut Writer<'_>, at: usize, end: usize) -> usize {
    let bytes = writer.source.as_bytes();
    // Blanks before the break are no content, unless they were escaped.
    let start = writer.trim_blanks(at);
    let mut behind = at;
    let mut breaks = 0;
    while behind < end {
        match bytes[behind] {
            b'\r' if bytes.get(behind + 1) == Some(&b'\n') => behind += 1,
            b'\n' | b'\r' => {
                breaks += 1;
                behind += 1;
            }
            b' ' | b'\t' => behind += 1,
            _ => break,
        }
    }
    let folded = if breaks == 1 {
        " ".to_owned()
    } else {
        "\n".repeat(breaks - 1)
    };
    writer.stand_in(&folded, start, behind - start);
    behind
}

/// An escape of a double-quoted scalar (YAML 1.2.2, 5.7). Returns where the text
/// goes on.
fn escape(writer: &mut Writer<'_>, at: usize, end: usize) -> usize {
    let source = writer.source;
    let Some(escaped) = source[at + 1..end].chars().next() else {
        writer.verbatim(at, 1);
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
            // lines after it are line feeds.
            let mut behind = after_break(source, at + 1, end);
            let mut empty = String::new();
            loop {
                let blanks = source[behind..end].bytes();
                behind += blanks.take_while(|b| matches!(b, b' ' | b'\t')).count();
                if !source[behind..end].starts_with(['\n', '\r']) {
                    break;
                }
                behind = after_break(source, behind, end);
                empty.push('\n');
            }
            writer.stand_in(&empty, at, behind - at);
            return behind;
        }
        _ => None,
    };
    match found {
        Some((decoded, raw_len)) => {
            writer.stand_in(decoded.encode_utf8(&mut [0; 4]), at, raw_len);
            at + raw_len
        }
        None => {
            // The parser accepted the document, so this is inside a mask.
            writer.verbatim(at, 1);
            at + 1
        }
    }
}

/// After the line break at `at`.
fn after_break(source: &str, at: usize, end: usize) -> usize {
    at + 1 + usize::from(source[at..end].starts_with("\r\n"))
}

/// `\uD83D\uDE00`, as JSON writes characters outside the first plane.
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

/// Decodes a block scalar that is all of `source`, header included.
pub(crate) fn decode_block_whole(source: &str, indent: usize, folded: bool) -> Option<Decoded<'_>> {
    let header = BlockHeader::find(source, 0, source.len(), indent)?;
    Some(decode_block(source, header, folded))
}

/// A block scalar without a line that says anything: where its content would be,
/// the tree does not decide.
fn decode_blank_block(source: &str, header: BlockHeader) -> Decoded<'_> {
    let mut writer = Writer::new(source);
    let mut at = header.content;
    while at < source.len() {
        let line = Line::at(source, at);
        if !source[line.text.clone()].bytes().all(|b| b == b' ') {
            break;
        }
        let breaks = line.break_text();
        writer.stand_in(breaks, line.text.start, line.next - line.text.start);
        at = line.next;
    }
    writer.finish(header.start..header.content, at, Some(header))
}

fn decode_block(source: &str, header: BlockHeader, folded: bool) -> Decoded<'_> {
    let mut writer = Writer::new(source);
    let mut at = header.content;
    let mut end = header.content;
    // Of folded text: the break that waits for what the next line is, as raw
    // bytes, the blank lines after it, and whether the line before was indented.
    let mut pending: Option<(Range<usize>, usize, bool)> = None;
    let mut begun = false;
    while at < source.len() {
        let line = Line::at(source, at);
        let spaces = source[line.text.clone()]
            .bytes()
            .take_while(|b| *b == b' ')
            .count();
        let blank = source[line.text.clone()]
            .bytes()
            .all(|b| matches!(b, b' ' | b'\t'));
        let empty = blank && line.text.len() <= header.indent;
        if !empty && spaces < header.indent {
            // A line of tabs is as blank as an empty one; anything else ends it.
            if !blank {
                break;
            }
        } else if !empty && header.indent == 0 && marker(&source[line.text.clone()]).is_some() {
            break;
        }
        if empty || spaces < header.indent {
            match &mut pending {
                Some((raw, blanks, _)) => {
                    raw.end = line.next;
                    // Blanks that end the text without a break are no line.
                    *blanks += line.break_text().len();
                }
                None => writer.stand_in(
                    line.break_text(),
                    line.text.start,
                    line.next - line.text.start,
                ),
            }
            at = line.next;
            continue;
        }
        let content = line.text.start + header.indent..line.text.end;
        let indented = matches!(source.as_bytes().get(content.start), Some(b' ' | b'\t'))
            && !content.is_empty();
        if let Some((raw, blanks, was_indented)) = pending.take() {
            let text = match (was_indented || indented, blanks) {
                (true, _) => "\n".repeat(blanks + 1),
                (false, 0) => " ".to_owned(),
                (false, _) => "\n".repeat(blanks),
            };
            writer.stand_in(&text, raw.start, raw.len());
        }
        writer.verbatim(content.start, content.len());
        if folded {
            pending = Some((line.text.end..line.next, 0, indented));
        } else {
            writer.stand_in(line.break_text(), line.text.end, line.next - line.text.end);
        }
        begun = true;
        end = line.next;
        at = line.next;
    }
    if let Some((raw, blanks, _)) = pending {
        let breaks = blanks + usize::from(!raw.is_empty() && raw.end > raw.start);
        writer.stand_in(&"\n".repeat(breaks), raw.start, raw.len());
    }
    let raw = header.start..if begun { end } else { header.content };
    writer.finish(raw, at, Some(header))
}

impl Decoded<'_> {
    /// The raw bytes that the decoded bytes `range` came from.
    pub fn raw_range(&self, range: &Range<usize>) -> Range<usize> {
        let piece_at = |at: usize| {
            let next = self.pieces.partition_point(|piece| piece.decoded <= at);
            next.checked_sub(1)
                .and_then(|index| self.pieces.get(index))
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

    /// The decoded byte that came from the raw byte `at`, if that byte represents
    /// itself.
    pub fn decoded_at(&self, at: usize) -> Option<usize> {
        let next = self.pieces.partition_point(|piece| piece.raw <= at);
        // Pieces of no raw length may share a place with the one that holds it.
        self.pieces[..next]
            .iter()
            .rev()
            .take(3)
            .find(|piece| piece.verbatim && at < piece.raw + piece.raw_len)
            .map(|piece| piece.decoded + (at - piece.raw))
    }

    /// The text as YAML reads it: block scalars chomped.
    pub fn chomped<'a>(&self, text: &'a str) -> &'a str {
        self.header
            .map_or(text, |header| header.chomping.chomp(text))
    }
}

/// Collects decoded text and the pieces that lead back.
struct Writer<'t> {
    source: &'t str,
    text: String,
    pieces: Vec<Piece>,
}

impl<'t> Writer<'t> {
    fn new(source: &'t str) -> Self {
        Self {
            source,
            text: String::new(),
            pieces: Vec::new(),
        }
    }

    fn verbatim(&mut self, raw: usize, raw_len: usize) {
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

    fn stand_in(&mut self, text: &str, raw: usize, raw_len: usize) {
        self.pieces.push(Piece {
            decoded: self.text.len(),
            raw,
            raw_len,
            verbatim: false,
        });
        self.text.push_str(text);
    }

    /// Takes back the verbatim blanks that end the text before raw byte `at`.
    /// Returns where they begin.
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
            pieces: self.pieces,
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

    /// Every scalar decodes to what the parser says, and every decoded byte
    /// leads back to raw bytes in order.
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
            // granit ends a block scalar at the end of the text with a line break
            // that is not there.
            let at_end = style.is_block() && !source.ends_with('\n');
            if at_end {
                assert_eq!(chomped.trim_end(), text.trim_end(), "{source:?}");
            } else {
                assert_eq!(chomped, text, "{source:?} {style:?}");
            }
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
