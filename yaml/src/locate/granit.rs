//! The complete parser: builds a tree from granit-parser's events.

use std::borrow::Cow;
use std::ops::Range;

use landfall_yaml_events::{
    ErrorKind, Event, Events, ScalarStyle, ScanError, Span, StructureStyle,
};

use super::LocateError;
use super::builder::Builder;
use crate::line::line_start;
use crate::mask::sort_by_start;
use crate::tree::{Kind, NodeId, Style, Tree, dash_between};

/// The maximum nesting of collections: deeper than any manifest, and far from exhausting
/// any resource.
pub(super) const NESTING_LIMIT: usize = 1000;

/// Builds the tree of `text`.
pub(super) fn locate(text: String) -> Result<Tree, LocateError> {
    match tree(&text) {
        Ok(tree) => Ok(Tree {
            source: text,
            ..tree
        }),
        Err(failure) => Err(LocateError {
            at: failure.at,
            too_deep: failure.too_deep,
            message: failure.message,
            text,
        }),
    }
}

/// Builds the tree of `text`, without its source.
pub(super) fn tree(text: &str) -> Result<Tree, Failure> {
    Reader::new(text).build()
}

/// Where and why the parser gave up.
pub(super) struct Failure {
    at: usize,
    message: String,
    too_deep: bool,
}

fn failed(error: &ScanError, text: &str) -> Failure {
    let mut at = error
        .marker()
        .byte_offset()
        .unwrap_or(text.len())
        .min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    Failure {
        at,
        message: error.info(),
        too_deep: matches!(error.kind(), ErrorKind::RecursionLimitExceeded),
    }
}

/// Translates events to the nodes of a tree.
struct Reader<'t> {
    text: &'t str,
    builder: Builder<'t>,
    documents: usize,
    /// The nodes of anchors, by the parser's number for each anchor.
    anchored: Vec<Option<NodeId>>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            builder: Builder::new(text),
            documents: 0,
            anchored: Vec::new(),
        }
    }

    fn build(mut self) -> Result<Tree, Failure> {
        for next in Events::new(self.text, NESTING_LIMIT) {
            let (event, span) = next.map_err(|error| failed(&error, self.text))?;
            self.handle(event, span)?;
        }
        self.cut_comments();
        Ok(self.builder.tree)
    }

    /// Ends comments where readers of YAML 1.1 do.
    fn cut_comments(&mut self) {
        let Tree {
            comments, cut_off, ..
        } = &mut self.builder.tree;
        sort_by_start(comments);
        for comment in comments {
            let text = self.text.as_bytes().get(comment.clone());
            let breaks = |bytes: &[u8]| {
                bytes.starts_with("\u{85}".as_bytes()) || matches!(bytes, [0xe2, 0x80, 0xa8 | 0xa9])
            };
            let at = text.and_then(|text| text.windows(3).position(breaks));
            if let Some(at) = at {
                cut_off.push(comment.start + at..comment.end);
                comment.end = comment.start + at;
            }
        }
    }

    fn handle(&mut self, event: Event<'t>, span: Span) -> Result<(), Failure> {
        let range = span.byte_range().unwrap_or(0..0);
        let tag = span.tag_span().and_then(|tag| tag.byte_range());
        match event {
            Event::Scalar(text, style, ..) => {
                let style = style_of(style);
                let is_block = matches!(style, Style::Literal | Style::Folded);
                let is_blank = is_block && text.trim_end_matches('\n').is_empty();
                // At the end of a document, the span of a block scalar without text begins at
                // its header, elsewhere after it.
                let range = if is_blank {
                    range.end..range.end
                } else {
                    range
                };
                // The parser gives a missing scalar the text of a null.
                let text = match style {
                    Style::Plain if text == "~" && self.text.get(range.clone()) != Some("~") => {
                        Cow::default()
                    }
                    _ => text,
                };
                // The span of a block scalar starts after its indentation. In an explicit
                // key, the event's own hint is the indentation of the key.
                let indent = if is_block {
                    self.column(range.start)
                } else {
                    0
                };
                self.builder.scalar(style, indent, range, tag);
                self.builder.store_text(&text);
            }
            Event::Alias(anchor) => {
                let target = self.anchored.get(anchor).copied().flatten();
                self.builder.alias(target, range);
            }
            Event::UnresolvedAlias(_) => self.builder.alias(None, range),
            Event::SequenceStart(style, ..) => {
                let flow = style == StructureStyle::Flow;
                let range = if flow {
                    range
                } else {
                    self.first_dash(range.start)
                };
                let column = if flow { 0 } else { self.column(range.start) };
                self.builder
                    .begin(Kind::Sequence { flow, column }, range, tag);
            }
            Event::MappingStart(style, ..) => {
                let flow = style == StructureStyle::Flow;
                let column = if flow { 0 } else { self.column(range.start) };
                self.builder
                    .begin(Kind::Mapping { flow, column }, range, tag);
            }
            Event::SequenceEnd | Event::MappingEnd => {
                // The event of a block collection's end is at the next token.
                let is_bracket = !range.is_empty();
                self.builder.end(is_bracket.then_some(range.end));
            }
            Event::Anchor(anchor, name) => {
                self.builder.anchor(name);
                if self.anchored.len() <= anchor {
                    self.anchored.resize(anchor + 1, None);
                }
                self.anchored[anchor] = self.builder.tree.nodes.len().checked_sub(1);
            }
            Event::Comment(..) => self.builder.comment(range),
            Event::DocumentStart(explicit, _) => {
                self.documents += 1;
                // Without `---` the event is at the content.
                self.builder.after = if explicit { range.end } else { 0 };
                if self.documents > 1 {
                    let lone_cr = memchr::memchr_iter(b'\r', self.text.as_bytes())
                        .any(|at| self.text.as_bytes().get(at + 1) != Some(&b'\n'));
                    let message = if lone_cr {
                        "lines end with a lone carriage return, which landfall does not treat as a line break"
                    } else {
                        "another document starts here without `---`"
                    };
                    let message = message.to_owned();
                    return Err(Failure {
                        at: range.start,
                        message,
                        too_deep: false,
                    });
                }
            }
            Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            // The parser may add new events; a skipped node would shift every path after
            // it.
            _ => {
                return Err(Failure {
                    at: range.start,
                    message: "unsupported syntax".to_owned(),
                    too_deep: false,
                });
            }
        }
        Ok(())
    }

    /// Returns the position of the first dash of a block sequence whose event is at `at`.
    ///
    /// That is the dash itself, except for a sequence in the column of its key: there the
    /// event is at what follows the dash.
    fn first_dash(&self, at: usize) -> Range<usize> {
        if !self.builder.in_mapping() {
            return at..at;
        }
        let dash = dash_between(self.text, self.builder.after, at);
        dash.map_or(at..at, |dash| dash..dash)
    }

    /// Returns the number of characters before `at` on its line.
    fn column(&self, at: usize) -> usize {
        self.text
            .get(line_start(self.text, at)..at)
            .map_or(0, |before| {
                before.trim_start_matches('\u{feff}').chars().count()
            })
    }
}

fn style_of(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::SingleQuoted,
        ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
    }
}
