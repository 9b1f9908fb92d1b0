//! A text that is parsed as YAML, with the mapping of its bytes to those of the file: a
//! document of the file itself, or one embedded in a scalar.

use std::ops::Range;

use super::text_at::escaped;
use crate::report::Origin;
use yaml::{Decoded, Document, Span, Style};

/// The maximum nesting depth of embedded documents.
const MAX_DEPTH: usize = 8;

/// One text with the position of its bytes in the file.
#[derive(Debug)]
pub(crate) struct SourceText<'a> {
    pub(crate) text: &'a str,
    pub(crate) origin: Origin,
    /// Where the text begins: in the file, or in the scalar's decoded text.
    pub(crate) offset: usize,
    scalar: Option<Scalar<'a>>,
}

/// The scalar that holds an embedded document.
#[derive(Debug)]
struct Scalar<'a> {
    source: &'a SourceText<'a>,
    decoded: &'a Decoded<'a>,
    depth: usize,
}

impl<'a> SourceText<'a> {
    pub(crate) const fn of_file(document: Document<'a>, origin: Origin) -> Self {
        Self {
            text: document.text,
            origin,
            offset: document.offset,
            scalar: None,
        }
    }

    /// Returns the source of a document in the text of a scalar of this one; `None` if
    /// documents are nested too deeply.
    pub(crate) fn embedded<'b>(
        &'b self,
        decoded: &'b Decoded<'b>,
        document: Document<'b>,
    ) -> Option<SourceText<'b>> {
        let depth = 1 + self.scalar.as_ref().map_or(0, |scalar| scalar.depth);
        (depth <= MAX_DEPTH).then_some(SourceText {
            text: document.text,
            origin: self.origin,
            offset: document.offset,
            scalar: Some(Scalar {
                source: self,
                decoded,
                depth,
            }),
        })
    }

    /// Returns whether the text is embedded in a scalar.
    pub(crate) const fn is_embedded(&self) -> bool {
        self.scalar.is_some()
    }

    /// Converts a byte range of this text to a span of the file.
    pub(crate) fn span(&self, range: &Range<usize>) -> Span {
        let range = range.start + self.offset..range.end + self.offset;
        match &self.scalar {
            None => Span::from(range),
            Some(scalar) => scalar.source.span(&scalar.decoded.raw_range(&range)),
        }
    }

    /// Extends a span of the file to whole lines, as far as these belong to the document.
    pub(crate) fn lines(&self, span: Span) -> Span {
        if let Some(scalar) = &self.scalar {
            return scalar.source.lines(span);
        }
        let bytes = self.text.as_bytes();
        let within = |at: usize| at.saturating_sub(self.offset).min(bytes.len());
        let (start, end) = (within(span.start), within(span.end));
        let line_start = memchr::memrchr(b'\n', &bytes[..start]).map_or(0, |at| at + 1);
        let line_end = memchr::memchr(b'\n', &bytes[end..]).map_or(bytes.len(), |at| end + at);
        Span::new(line_start, line_end.max(line_start)).shifted(self.offset)
    }

    /// Returns what is written at a span of the file, as far as it belongs to the document.
    pub(crate) fn raw(&self, span: Span) -> &str {
        if let Some(scalar) = &self.scalar {
            return scalar.source.raw(span);
        }
        let within = |at: usize| at.saturating_sub(self.offset).min(self.text.len());
        let range = within(span.start)..within(span.end);
        self.text.get(range).unwrap_or_default()
    }

    /// Returns whether the text is inside a scalar with these quotes, at any depth.
    pub(crate) fn is_quoted(&self, quote: u8) -> bool {
        self.scalar.as_ref().is_some_and(|scalar| {
            let first = scalar.source.text.as_bytes().get(scalar.decoded.raw.start);
            first == Some(&quote) || scalar.source.is_quoted(quote)
        })
    }

    /// Escapes a piece of this text as it has to be written in the file.
    pub(crate) fn written(&self, piece: String) -> String {
        let Some(Scalar {
            source, decoded, ..
        }) = &self.scalar
        else {
            return piece;
        };
        let style = match source.text.as_bytes().get(decoded.raw.start) {
            Some(b'"') => Style::DoubleQuoted,
            Some(b'\'') => Style::SingleQuoted,
            _ => Style::Plain,
        };
        source.written(escaped(&piece, style))
    }
}
