//! Where text is that landfall leaves as it is: the structure around `${name.…`, for
//! documents that are not rendered too.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use crate::binding::document::{Disabled, Format, embedded_by_name};
use crate::binding::field_binding::Listed;
use crate::binding::place::{Field, Places};
use crate::manifest::{
    CommentScan, Decoded, Document, Kind, NodeId, Style, Tree, decode, locate, mask_shapes, masked,
};
use crate::reference::{Reference, extent, parse};

/// How documents are read.
#[derive(Clone, Copy)]
pub(crate) struct View<'v> {
    /// The embedded documents that the Binding lists.
    pub(crate) embedded: &'v Listed,
    /// Only what is under this key of the root: a ResourceList's `items`.
    pub(crate) only_under: Option<&'v str>,
}

/// What is around a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Site {
    /// A key or a value, plain or in quotes, and a block scalar that holds nothing else.
    Scalar,
    /// A block scalar that is text.
    Block,
    /// A document inside a scalar.
    Embedded,
    /// Nobody can say: the document is not YAML.
    Unparsed,
}

/// One `${`, where it is, and what it reads as.
#[derive(Debug)]
pub(crate) enum Found {
    Text {
        site: Site,
        /// None: the text begins like a reference and is not one.
        reference: Option<Reference>,
        field: Option<Rc<Field>>,
    },
    /// A comment, with its bytes in the document.
    Comment(Range<usize>),
}

/// Reads every `${` of `document` at the bytes `heads`, ascending, and hands it to
/// `each` with its position. What isn't rendered by the author's word, and what no
/// value can be put into (anchors, tags), is passed over.
pub(crate) fn read(
    document: Document<'_>,
    heads: &[usize],
    view: View<'_>,
    mut each: impl FnMut(usize, Found),
) {
    let text = document.text;
    let scratch = masked(text, mask_shapes(text).iter());
    let mut relaxed = String::new();
    let Ok(tree) = locate(&scratch, &mut relaxed) else {
        return unparsed(text, heads, each);
    };
    let places = Places::new(&tree, BTreeMap::new());
    let disabled = Disabled::of(text, &tree, &places);
    let listed = view.embedded.find(&tree, &places);
    let is_seen = |id: NodeId| {
        let is_under = match view.only_under {
            Some(key) => places.root_key(id) == Some(key),
            None => true,
        };
        is_under && !disabled.covers(&tree, id)
    };
    let mut scalars = (0..tree.nodes.len())
        .filter(|id| matches!(tree.nodes[*id].kind, Kind::Scalar { .. }))
        .peekable();
    let mut current: Option<ScalarReader<'_>> = None;
    for &at in heads {
        while scalars
            .next_if(|id| tree.nodes[*id].range.end <= at)
            .is_some()
        {}
        let holds = |id: &NodeId| tree.nodes[*id].range.start <= at;
        let Some(&id) = scalars.peek().filter(|id| holds(id)) else {
            if let Some(comment) = comment_at(&tree, at) {
                each(at, Found::Comment(comment));
            }
            continue;
        };
        if current.as_ref().is_none_or(|reader| reader.id != id) {
            current = None;
            if !is_seen(id) {
                continue;
            }
            let Some(decoded) = decode(text, &tree.nodes[id]) else {
                continue;
            };
            current = Some(ScalarReader::new(&tree, &places, &listed, id, decoded));
        }
        if let Some(found) = current.as_mut().and_then(|reader| reader.read(at)) {
            each(at, found);
        }
    }
}

/// The comment that holds byte `at`.
fn comment_at(tree: &Tree<'_>, at: usize) -> Option<Range<usize>> {
    let next = tree.comments.partition_point(|comment| comment.start <= at);
    let comment = tree.comments.get(next.checked_sub(1)?)?;
    (at < comment.end).then(|| comment.clone())
}

/// One scalar with its decoded text, read from its beginning to its end.
struct ScalarReader<'t> {
    id: NodeId,
    decoded: Decoded<'t>,
    site: Site,
    /// Those of an embedded YAML document.
    comments: Option<CommentScan>,
    field: Rc<Field>,
    /// Where the last reference ends: what is inside of it belongs to it.
    end: usize,
}

impl<'t> ScalarReader<'t> {
    fn new(
        tree: &Tree<'_>,
        places: &Places<'_>,
        listed: &BTreeMap<NodeId, Format>,
        id: NodeId,
        decoded: Decoded<'t>,
    ) -> Self {
        let is_block = matches!(
            tree.nodes[id].kind,
            Kind::Scalar {
                style: Style::Literal | Style::Folded,
                ..
            }
        );
        let text = decoded.text.trim();
        // Its value would be the document, or all of the text: nobody writes a block
        // for one placeholder of another tool.
        let is_reference = text.starts_with("${")
            && parse(text, 0).is_ok_and(|reference| reference.range.len() == text.len());
        let format = listed
            .get(&id)
            .copied()
            .or_else(|| embedded_by_name(places, id))
            .filter(|format| *format != Format::Text && !is_reference);
        let site = match format {
            Some(_) => Site::Embedded,
            None if is_block && !is_reference => Site::Block,
            None => Site::Scalar,
        };
        Self {
            id,
            decoded,
            site,
            comments: (format == Some(Format::Yaml)).then(CommentScan::default),
            field: Rc::new(places.field(id)),
            end: 0,
        }
    }

    /// What the `${` at the raw byte `at` reads as; none inside of the last one.
    fn read(&mut self, at: usize) -> Option<Found> {
        let text = &self.decoded.text;
        let at = self.decoded.decoded_at(at).filter(|at| *at >= self.end)?;
        let comments = self.comments.as_mut();
        if comments.is_some_and(|comments| comments.covers(text, at)) {
            return None;
        }
        let parsed = parse(text, at);
        self.end = match &parsed {
            Ok(reference) => reference.range.end,
            Err(_) => extent(text, at).end,
        };
        Some(Found::Text {
            site: self.site,
            reference: parsed.ok(),
            field: Some(Rc::clone(&self.field)),
        })
    }
}

/// The `${` of a document that no YAML parser reads.
fn unparsed(text: &str, heads: &[usize], mut each: impl FnMut(usize, Found)) {
    let mut comments = CommentScan::default();
    let mut end = 0;
    for &at in heads {
        if comments.covers(text, at) || at < end {
            continue;
        }
        let parsed = parse(text, at);
        end = match &parsed {
            Ok(reference) => reference.range.end,
            Err(_) => extent(text, at).end,
        };
        each(
            at,
            Found::Text {
                site: Site::Unparsed,
                reference: parsed.ok(),
                field: None,
            },
        );
    }
}
