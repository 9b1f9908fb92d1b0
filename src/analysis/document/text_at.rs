//! The text around an offset of a document, from which a reference is read even while it is
//! being typed and the document is not valid YAML.

use std::ops::Range;

use super::setters::template_of;
use super::{DocumentAnalysis, SourceText};
use crate::reference::{LANDFALL, is_setter};
use crate::report::Origin;
use yaml::{CommentScan, Decoded, Span, Style, decode, decode_flow, line_end, line_start};

/// A decoded text with an offset in it.
pub(crate) struct TextAt<'a> {
    /// The text of a scalar, or the template of a setter comment.
    pub(crate) text: &'a str,
    /// The offset in it.
    pub(crate) at: usize,
    style: Style,
    decoded: &'a Decoded<'a>,
    source: &'a SourceText<'a>,
}

impl<'a> TextAt<'a> {
    /// Creates the text of a scalar of this style.
    pub(crate) fn new(
        source: &'a SourceText<'a>,
        decoded: &'a Decoded<'a>,
        style: Style,
        at: usize,
    ) -> Self {
        Self {
            text: &decoded.text,
            at,
            style,
            decoded,
            source,
        }
    }

    /// Converts a byte range of the text to a span of the file.
    pub(crate) fn span(&self, range: &Range<usize>) -> Span {
        self.source.span(&self.decoded.raw_range(range))
    }

    /// Returns whether the text is inside double quotes of the file.
    pub(crate) fn is_double_quoted(&self) -> bool {
        self.style == Style::DoubleQuoted || self.source.is_quoted(b'"')
    }

    /// Escapes a piece of the text as it has to be written in the file.
    pub(crate) fn written(&self, piece: &str) -> String {
        self.source.written(escaped(piece, self.style))
    }
}

/// Escapes a piece of text for a scalar of this style.
pub(super) fn escaped(piece: &str, style: Style) -> String {
    match style {
        Style::DoubleQuoted => piece.replace('\\', "\\\\").replace('"', "\\\""),
        Style::SingleQuoted => piece.replace('\'', "''"),
        Style::Plain | Style::Literal | Style::Folded => piece.to_owned(),
    }
}

impl DocumentAnalysis<'_> {
    /// Calls `ask` with the text around byte `offset` of the file, unless that is outside
    /// scalars and setter comments.
    pub(crate) fn text_at(&self, offset: usize, origin: Origin, ask: &mut dyn FnMut(&TextAt<'_>)) {
        let source = SourceText::of_file(self.document(), origin);
        if let Some(at) = offset.checked_sub(self.offset) {
            self.find_text(&source, at, ask);
        }
    }

    fn find_text(&self, source: &SourceText<'_>, at: usize, ask: &mut dyn FnMut(&TextAt<'_>)) {
        let call_ask = |decoded: Option<Decoded<'_>>, style, ask: &mut dyn FnMut(&TextAt<'_>)| {
            let Some(mut decoded) = decoded else { return };
            if style == Style::Plain
                && let Some(blanks) = source.text.get(decoded.raw.end..at)
                && blanks.trim_matches(['\t', ' ']).is_empty()
            {
                // They become part of the scalar once more is typed.
                decoded.text.to_mut().push_str(blanks);
            }
            if let Some(at) = decoded_from(&decoded, source.text, at) {
                ask(&TextAt::new(source, &decoded, style, at));
            }
        };
        let Some(located) = &self.located else {
            let (raw, style) = match text_in_unparsed(source.text, at) {
                Some(found) => found,
                None => return,
            };
            return call_ask(decode_flow(source.text, raw, style), style, ask);
        };
        let tree = &located.tree;
        let mut comments = tree.comments().iter();
        if let Some(comment) = comments.find(|one| one.start < at && at <= one.end) {
            if let Some(template) = template_of(LANDFALL, source.text, comment) {
                let decoded = decode_flow(source.text, template, Style::Plain);
                call_ask(decoded, Style::Plain, ask);
            }
            return;
        }
        let mut before = (0..tree.first_from(at + 1)).rev();
        let scalar = before.find_map(|id| {
            let node = tree.get(id).filter(|node| !node.range().is_empty())?;
            Some((id, node.style()?))
        });
        let Some((id, style)) = scalar else { return };
        let Some(decoded) = decode(source.text, tree, id) else {
            return;
        };
        let scalar = located.scalars.iter().find(|scalar| scalar.id == id);
        if let Some(embedded) = scalar.and_then(|scalar| scalar.embedded.as_ref())
            && let Some(at) = decoded_from(&decoded, source.text, at)
        {
            let mut documents = embedded.documents.iter().rev();
            let document = documents.find(|document| document.offset <= at);
            if let Some(document) = document
                && let Some(source) = source.embedded(&decoded, document.document())
            {
                return document.find_text(&source, at - document.offset, ask);
            }
        }
        call_ask(Some(decoded), style, ask);
    }
}

/// Returns the decoded byte for byte `at` of the source; if `at` is inside an escape or a
/// folded line break, the byte that it decodes to. `None` outside the scalar, except that
/// blanks may be between its text and `at`.
pub(super) fn decoded_from(decoded: &Decoded<'_>, source: &str, at: usize) -> Option<usize> {
    let (first, end) = (decoded.raw_range(&(0..0)).start, decoded.raw.end);
    let is_quoted = first > decoded.raw.start && decoded.header.is_none();
    if at < first || is_quoted && at >= end {
        return None;
    }
    if source
        .get(end..at)
        .is_some_and(|rest| !rest.trim_matches([' ', '\t']).is_empty())
    {
        return None;
    }
    let text = &*decoded.text;
    let raw = |decoded_at: usize| decoded.raw_range(&(decoded_at..decoded_at)).start;
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        if raw(middle) < at {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if raw(low) > at {
        // Inside an escape or a folded line break.
        low = low.saturating_sub(1);
    }
    Some(text.floor_char_boundary(low))
}

/// Returns the scalar or setter comment around byte `at` of a text that is not YAML,
/// judging by its line alone.
fn text_in_unparsed(source: &str, at: usize) -> Option<(Range<usize>, Style)> {
    source.get(..at)?;
    let (start, end) = (line_start(source, at), line_end(source, at));
    let (line, at) = (source.get(start..end)?, at - start);
    let in_file = |range: Range<usize>| start + range.start..start + range.end;
    if CommentScan::default().covers(line, at) {
        let mut marks = line.get(..at)?.match_indices('#');
        let (mark, _) =
            marks.find(|(mark, _)| is_setter(line.get(*mark..at).unwrap_or_default()))?;
        let template = LANDFALL.setter(line.get(mark..)?)?;
        return Some((
            in_file(mark + template.start..mark + template.end),
            Style::Plain,
        ));
    }
    let bytes = line.as_bytes();
    let mut next = 0;
    // Where the scalar around `next` begins at the earliest, and the quote that opened it.
    let (mut from, mut open) = (0, None);
    while next < at {
        let byte = *bytes.get(next)?;
        let preceding = next.checked_sub(1).and_then(|before| bytes.get(before));
        let begins = preceding.is_none_or(|before| b" \t:[{,".contains(before));
        next = match (open, byte) {
            (None, b'$') if bytes.get(next + 1) == Some(&b'{') => LANDFALL.extent(line, next).end,
            (None, b'"' | b'\'') if begins => {
                (from, open) = (next, Some(byte));
                next + 1
            }
            (Some(b'"'), b'\\') => next + 2,
            (Some(b'\''), b'\'') if bytes.get(next + 1) == Some(&b'\'') => next + 2,
            (Some(quote), _) if byte == quote => {
                (from, open) = (next + 1, None);
                next + 1
            }
            _ => next + 1,
        };
    }
    Some(match open {
        None => (in_file(from..line.len()), Style::Plain),
        // As if a quote closed it after the line: it has not been typed yet.
        Some(b'"') => (in_file(from..line.len() + 1), Style::DoubleQuoted),
        Some(_) => (in_file(from..line.len() + 1), Style::SingleQuoted),
    })
}
