//! Beginnings of references that landfall leaves unchanged, `${name.…`: where they are, and
//! what they parse as.

use std::rc::Rc;

use crate::analysis::texts::{Comment, Place, ScalarText, TextKind, View, visit_places};
use crate::kubernetes::placeholders::Placeholders;
use crate::kubernetes::resources::Field;
use crate::reference::{Dialect, Reference, opening_at};
use yaml::Document;

/// What the beginning of a reference parses as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParsedAs {
    Reference {
        has_calls: bool,
    },
    /// It begins like a reference but is not one.
    Other,
}

impl ParsedAs {
    fn of(reference: &Reference) -> Self {
        Self::Reference {
            has_calls: !reference.calls.is_empty(),
        }
    }
}

/// What is around the beginning of a reference, and what that parses as.
#[derive(Debug)]
pub(crate) enum HeadContext {
    Text(HeadText),
    Comment(Comment),
}

/// The beginning of a reference outside comments.
#[derive(Debug)]
pub(crate) struct HeadText {
    pub(crate) text_kind: TextKind,
    pub(crate) parsed_as: ParsedAs,
    pub(crate) field: Option<Rc<Field>>,
    /// Whether it is in a resource whose controller reads such text itself.
    pub(crate) is_owned: bool,
}

impl HeadText {
    /// Creates the beginning of a reference in text that is not YAML.
    const fn unparsed(parsed_as: ParsedAs) -> Self {
        Self {
            text_kind: TextKind::Unparsed,
            parsed_as,
            field: None,
            is_owned: false,
        }
    }
}

/// Calls `each` with the position of every beginning of a reference in `document`, which
/// are among the bytes `heads`, ascending. Skips text in which the author has disabled
/// substitution, and what cannot hold a value (anchors, tags).
pub(crate) fn visit_heads(
    document: Document<'_>,
    dialect: &'static dyn Dialect,
    heads: &[usize],
    view: View<'_>,
    each: &mut dyn FnMut(usize, HeadContext),
) {
    let text = document.text;
    // Where the last reference of text that is not parsed ends.
    let mut unparsed_end = 0;
    visit_places(
        document,
        dialect,
        heads,
        view,
        &mut |at, place| match place {
            Place::Scalar(scalar, decoded) => {
                if let Some(found) = head_in_scalar(dialect, scalar, decoded) {
                    each(at, HeadContext::Text(found));
                }
            }
            Place::Comment(comment) => {
                if opening_at(dialect, &text.as_bytes()[..comment.range.end], at).is_some() {
                    each(at, HeadContext::Comment(comment));
                }
            }
            Place::Unparsed if at >= unparsed_end => {
                let (parsed_as, end) = parse_raw(dialect, text, at);
                unparsed_end = end;
                each(at, HeadContext::Text(HeadText::unparsed(parsed_as)));
            }
            Place::Unparsed => {}
        },
    );
}

/// Returns what the beginning at byte `at` of a scalar's decoded text parses as.
fn head_in_scalar(
    dialect: &'static dyn Dialect,
    scalar: &mut ScalarText<'_>,
    at: usize,
) -> Option<HeadText> {
    let text = scalar.text();
    // The name may be that of the next key, if the opener ends this scalar.
    opening_at(dialect, text.as_bytes(), at)?;
    let (parsed_as, end) = match scalar.kind {
        TextKind::Embedded | TextKind::Unparsed => parse_raw(dialect, text, at),
        TextKind::Scalar | TextKind::Block => parse_decoded(dialect, text, at),
    };
    scalar.end = end;
    Some(HeadText {
        text_kind: scalar.kind_at(at),
        parsed_as,
        field: Some(Rc::clone(&scalar.field)),
        is_owned: scalar.placeholders == Placeholders::Paths,
    })
}

/// Returns what the beginning at byte `at` of a decoded text parses as, and where that
/// ends.
fn parse_decoded(dialect: &dyn Dialect, text: &str, at: usize) -> (ParsedAs, usize) {
    match dialect.parse(text, at) {
        Ok(reference) => (ParsedAs::of(&reference), reference.range.end),
        Err(_) => (ParsedAs::Other, dialect.extent(text, at).end),
    }
}

/// Does the same in the raw text of a document: if it is in quotes, quotes inside the
/// reference are escaped.
fn parse_raw(dialect: &dyn Dialect, text: &str, at: usize) -> (ParsedAs, usize) {
    let (parsed_as, end) = parse_decoded(dialect, text, at);
    if parsed_as != ParsedAs::Other {
        return (parsed_as, end);
    }
    let raw = text.get(at..end).unwrap_or_default();
    let unescaped = ["\\\"", "''"]
        .into_iter()
        .filter(|escaped| raw.contains(escaped))
        .map(|escaped| raw.replace(escaped, &escaped[1..]))
        .find_map(|text| dialect.parse(&text, 0).ok());
    let parsed_as = unescaped.map_or(parsed_as, |reference| ParsedAs::of(&reference));
    (parsed_as, end)
}

/// Whether the text at byte `at` of a document parses as a reference that calls functions.
pub(crate) fn calls_function(dialect: &dyn Dialect, text: &str, at: usize) -> bool {
    matches!(
        parse_raw(dialect, text, at).0,
        ParsedAs::Reference { has_calls: true }
    )
}
