//! The structure around text that landfall leaves unchanged: around `${name.…`, also in
//! documents that are not rendered.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use crate::analysis::Disabled;
use crate::analysis::targets::{Listed, Steps};
use crate::collections::OrderedMap;
use crate::kubernetes::resources::{Field, Resources};
use crate::kubernetes::{Format, embedded_by_name};
use crate::reference::{Dialect, Reference, locate, mask_shapes, opening_at};
use yaml::{
    BLANKS, CommentScan, Decoded, Document, Kind, LocateError, NodeId, Style, Tree, decode, masked,
};

/// How documents are read.
#[derive(Clone, Copy)]
pub(crate) struct View<'v> {
    /// The embedded documents that the Binding lists.
    pub(crate) embedded: &'v Listed,
    /// The steps left for finding those.
    pub(crate) steps: &'v Steps,
    /// If set, only the value of this key of the root is read: a ResourceList's `items`.
    pub(crate) only_under: Option<&'v str>,
    /// The trees of the document, if it was already located.
    pub(crate) located: Option<LocatedTrees<'v>>,
}

/// The tree of a document that was already located, in the two forms of [`Trees`].
#[derive(Clone, Copy)]
pub(crate) struct LocatedTrees<'v> {
    pub(crate) masked: &'v Tree,
    pub(crate) written: &'v Tree,
}

impl<'v> View<'v> {
    /// Returns the tree of a document in two forms.
    ///
    /// # Errors
    /// The document is not YAML.
    pub(crate) fn trees(
        self,
        text: &str,
        dialect: &'static dyn Dialect,
    ) -> Result<Trees<'v>, LocateError> {
        if let Some(LocatedTrees { masked, written }) = self.located {
            return Ok(Trees {
                masked: Cow::Borrowed(masked),
                written: Some(Cow::Borrowed(written)),
            });
        }
        let shapes = mask_shapes(text, dialect);
        let masked = locate(masked(text, shapes.iter()))?;
        let written = (!shapes.is_empty()).then(|| Cow::Owned(masked.unmasked(text, &shapes)));
        Ok(Trees {
            masked: Cow::Owned(masked),
            written,
        })
    }
}

/// The tree of a document in two forms, with the same nodes.
pub(crate) struct Trees<'v> {
    /// Everything is masked that would be a reference if its name were bound.
    pub(crate) masked: Cow<'v, Tree>,
    /// `None` if nothing is masked.
    written: Option<Cow<'v, Tree>>,
}

impl Trees<'_> {
    /// Returns the tree with its references as they are written: names of resources are
    /// reported.
    pub(crate) fn written(&self) -> &Tree {
        self.written.as_deref().unwrap_or(&self.masked)
    }
}

/// What kind of text contains a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// A key or a value, plain or in quotes, or a block scalar that is a single reference.
    Scalar,
    /// A block scalar that is text.
    Block,
    /// A document inside a scalar.
    Embedded,
    /// Unknown: the document is not YAML.
    Unparsed,
}

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
    Text {
        text_kind: TextKind,
        parsed_as: ParsedAs,
        field: Option<Rc<Field>>,
    },
    /// A comment, with its bytes in the document.
    Comment(Range<usize>),
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
    let Ok(trees) = view.trees(text, dialect) else {
        return visit_unparsed(dialect, text, heads, each);
    };
    let tree = trees.written();
    let resources = Resources::new(tree);
    let disabled = Disabled::of(text, tree, &resources, dialect);
    let listed = view.embedded.find(tree, &resources, view.steps);
    let is_rendered = |id: NodeId| {
        let is_under = match view.only_under {
            Some(key) => resources.root_key(id) == Some(key),
            None => true,
        };
        is_under && !disabled.covers(tree, id)
    };
    let mut scalars = (0..tree.len())
        .filter(|id| matches!(tree[*id].kind(), Kind::Scalar { .. }))
        .peekable();
    let mut current: Option<HeadParser<'_>> = None;
    for &at in heads {
        while scalars.next_if(|id| tree[*id].range().end <= at).is_some() {}
        let contains = |id: &NodeId| tree[*id].range().start <= at;
        let Some(&id) = scalars.peek().filter(|id| contains(id)) else {
            if let Some(comment) = tree.comment_at(at)
                && opening_at(dialect, &text.as_bytes()[..comment.end], at).is_some()
                && !disabled.covers_comment(tree, at)
            {
                each(at, HeadContext::Comment(comment));
            } else if tree.is_cut_off(at) {
                let context = HeadContext::Text {
                    text_kind: TextKind::Unparsed,
                    parsed_as: parse_raw(dialect, text, at).0,
                    field: None,
                };
                each(at, context);
            }
            continue;
        };
        if current.as_ref().is_none_or(|reader| reader.id != id) {
            current = None;
            if !is_rendered(id) {
                continue;
            }
            let Some(decoded) = decode(text, tree, id) else {
                continue;
            };
            let around = (tree, &resources, &listed);
            current = Some(HeadParser::new(dialect, around, id, decoded));
        }
        if let Some(context) = current.as_mut().and_then(|reader| reader.parse(at)) {
            each(at, context);
        }
    }
}

/// One scalar with its decoded text, read from its beginning to its end.
struct HeadParser<'t> {
    dialect: &'static dyn Dialect,
    id: NodeId,
    decoded: Decoded<'t>,
    text_kind: TextKind,
    /// The comments of an embedded YAML document.
    comments: Option<CommentScan>,
    field: Rc<Field>,
    /// The end of the last reference: beginnings inside it belong to it.
    end: usize,
}

impl<'t> HeadParser<'t> {
    fn new(
        dialect: &'static dyn Dialect,
        (tree, resources, listed): (&Tree, &Resources<'_>, &OrderedMap<NodeId, Format>),
        id: NodeId,
        decoded: Decoded<'t>,
    ) -> Self {
        let is_block = matches!(
            tree[id].kind(),
            Kind::Scalar {
                style: Style::Literal | Style::Folded,
                ..
            }
        );
        let text = decoded.text.trim_matches(BLANKS);
        // A single reference is a plain value, even in a block: its value would be the
        // document, or the whole text.
        let is_reference = opening_at(dialect, text.as_bytes(), 0).is_some()
            && (dialect.parse(text, 0)).is_ok_and(|reference| reference.range.len() == text.len());
        let format = listed
            .get(&id)
            .copied()
            .or_else(|| embedded_by_name(resources, id))
            .filter(|format| *format != Format::Text && !is_reference);
        let text_kind = match format {
            Some(_) => TextKind::Embedded,
            None if is_block && !is_reference => TextKind::Block,
            None => TextKind::Scalar,
        };
        Self {
            dialect,
            id,
            decoded,
            text_kind,
            comments: matches!(format, Some(Format::Yaml | Format::Template))
                .then(CommentScan::default),
            field: Rc::new(resources.field(id)),
            end: 0,
        }
    }

    /// Returns what the beginning at the raw byte `at` parses as; `None` in a comment or
    /// inside the last reference.
    fn parse(&mut self, at: usize) -> Option<HeadContext> {
        let text = &self.decoded.text;
        let at = self.decoded.decoded_at(at).filter(|at| *at >= self.end)?;
        let comments = self.comments.as_mut();
        if comments.is_some_and(|comments| comments.covers(text, at)) {
            return None;
        }
        // The name may be that of the next key, if the opener ends this scalar.
        opening_at(self.dialect, text.as_bytes(), at)?;
        let (parsed_as, end) = match self.text_kind {
            TextKind::Embedded | TextKind::Unparsed => parse_raw(self.dialect, text, at),
            TextKind::Scalar | TextKind::Block => parse_decoded(self.dialect, text, at),
        };
        self.end = end;
        Some(HeadContext::Text {
            text_kind: self.text_kind,
            parsed_as,
            field: Some(Rc::clone(&self.field)),
        })
    }
}

/// Finds the beginnings of references in a document that is not valid YAML.
fn visit_unparsed(
    dialect: &dyn Dialect,
    text: &str,
    heads: &[usize],
    each: &mut dyn FnMut(usize, HeadContext),
) {
    let mut comments = CommentScan::default();
    let mut end = 0;
    for &at in heads {
        if comments.covers(text, at) || at < end {
            continue;
        }
        let parsed_as;
        (parsed_as, end) = parse_raw(dialect, text, at);
        each(
            at,
            HeadContext::Text {
                text_kind: TextKind::Unparsed,
                parsed_as,
                field: None,
            },
        );
    }
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
    let is_reference = parsed_as != ParsedAs::Other;
    let raw = text.get(at..end).filter(|_| !is_reference);
    let unescaped = raw.and_then(|raw| {
        ["\\\"", "''"]
            .into_iter()
            .filter(|escaped| raw.contains(escaped))
            .map(|escaped| raw.replace(escaped, &escaped[1..]))
            .find_map(|text| dialect.parse(&text, 0).ok())
    });
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
