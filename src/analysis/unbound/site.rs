//! Where text is that landfall leaves as it is: the structure around `${name.…`, for
//! documents that are not rendered too.

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
    /// What finding those may still cost.
    pub(crate) steps: &'v Steps,
    /// Only what is under this key of the root: a ResourceList's `items`.
    pub(crate) only_under: Option<&'v str>,
    /// The document's tree, if it has been located, with everything masked that would be
    /// a reference if its name were bound.
    pub(crate) located: Option<&'v Tree>,
}

impl<'v> View<'v> {
    /// Returns the tree of a document with everything masked that would be a reference if
    /// its name were bound.
    ///
    /// # Errors
    /// The document is not YAML.
    pub(crate) fn tree(
        self,
        text: &str,
        dialect: &'static dyn Dialect,
    ) -> Result<Cow<'v, Tree>, LocateError> {
        match self.located {
            Some(tree) => Ok(Cow::Borrowed(tree)),
            None => locate(masked(text, mask_shapes(text, dialect).iter())).map(Cow::Owned),
        }
    }
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

/// What the beginning of a reference reads as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reads {
    Reference {
        calls: bool,
    },
    /// It begins like a reference and is not one.
    Beginning,
}

/// One beginning of a reference, where it is, and what it reads as.
#[derive(Debug)]
pub(crate) enum Found {
    Text {
        site: Site,
        reads: Reads,
        field: Option<Rc<Field>>,
    },
    /// A comment, with its bytes in the document.
    Comment(Range<usize>),
}

/// Reads every beginning of a reference in `document`, at the bytes `heads`, ascending,
/// and hands it to `each` with its position. What isn't rendered by the author's word, and what no
/// value can be put into (anchors, tags), is passed over.
pub(crate) fn read(
    document: Document<'_>,
    dialect: &'static dyn Dialect,
    heads: &[usize],
    view: View<'_>,
    mut each: impl FnMut(usize, Found),
) {
    let text = document.text;
    let Ok(tree) = view.tree(text, dialect) else {
        return unparsed(dialect, text, heads, each);
    };
    let tree = &*tree;
    let resources = Resources::new(tree);
    let disabled = Disabled::of(text, tree, &resources);
    let listed = view.embedded.find(tree, &resources, view.steps);
    let is_seen = |id: NodeId| {
        let is_under = match view.only_under {
            Some(key) => resources.root_key(id) == Some(key),
            None => true,
        };
        is_under && !disabled.covers(tree, id)
    };
    let mut scalars = (0..tree.len())
        .filter(|id| matches!(tree[*id].kind(), Kind::Scalar { .. }))
        .peekable();
    let mut current: Option<ScalarReader<'_>> = None;
    for &at in heads {
        while scalars.next_if(|id| tree[*id].range().end <= at).is_some() {}
        let holds = |id: &NodeId| tree[*id].range().start <= at;
        let Some(&id) = scalars.peek().filter(|id| holds(id)) else {
            if let Some(comment) = tree.comment_at(at)
                && opening_at(dialect, &text.as_bytes()[..comment.end], at).is_some()
                && !disabled.covers_comment(tree, at)
            {
                each(at, Found::Comment(comment));
            } else if tree.is_cut_off(at) {
                let found = Found::Text {
                    site: Site::Unparsed,
                    reads: read_raw(dialect, text, at).0,
                    field: None,
                };
                each(at, found);
            }
            continue;
        };
        if current.as_ref().is_none_or(|reader| reader.id != id) {
            current = None;
            if !is_seen(id) {
                continue;
            }
            let Some(decoded) = decode(text, tree, id) else {
                continue;
            };
            let around = (tree, &resources, &listed);
            current = Some(ScalarReader::new(dialect, around, id, decoded));
        }
        if let Some(found) = current.as_mut().and_then(|reader| reader.read(at)) {
            each(at, found);
        }
    }
}

/// One scalar with its decoded text, read from its beginning to its end.
struct ScalarReader<'t> {
    dialect: &'static dyn Dialect,
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
        // Its value would be the document, or all of the text: no block
        // for one placeholder of another tool.
        let is_reference = opening_at(dialect, text.as_bytes(), 0).is_some()
            && (dialect.parse(text, 0)).is_ok_and(|reference| reference.range.len() == text.len());
        let format = listed
            .get(&id)
            .copied()
            .or_else(|| embedded_by_name(resources, id))
            .filter(|format| *format != Format::Text && !is_reference);
        let site = match format {
            Some(_) => Site::Embedded,
            None if is_block && !is_reference => Site::Block,
            None => Site::Scalar,
        };
        Self {
            dialect,
            id,
            decoded,
            site,
            comments: (format == Some(Format::Yaml)).then(CommentScan::default),
            field: Rc::new(resources.field(id)),
            end: 0,
        }
    }

    /// What the beginning at the raw byte `at` reads as; none inside of the last one.
    fn read(&mut self, at: usize) -> Option<Found> {
        let text = &self.decoded.text;
        let at = self.decoded.decoded_at(at).filter(|at| *at >= self.end)?;
        let comments = self.comments.as_mut();
        if comments.is_some_and(|comments| comments.covers(text, at)) {
            return None;
        }
        // Its name may be that of the next key, after an opener that ends this scalar.
        opening_at(self.dialect, text.as_bytes(), at)?;
        let (reads, end) = match self.site {
            Site::Embedded | Site::Unparsed => read_raw(self.dialect, text, at),
            Site::Scalar | Site::Block => read_decoded(self.dialect, text, at),
        };
        self.end = end;
        Some(Found::Text {
            site: self.site,
            reads,
            field: Some(Rc::clone(&self.field)),
        })
    }
}

/// The beginnings of references in a document that no YAML parser reads.
fn unparsed(
    dialect: &dyn Dialect,
    text: &str,
    heads: &[usize],
    mut each: impl FnMut(usize, Found),
) {
    let mut comments = CommentScan::default();
    let mut end = 0;
    for &at in heads {
        if comments.covers(text, at) || at < end {
            continue;
        }
        let reads;
        (reads, end) = read_raw(dialect, text, at);
        each(
            at,
            Found::Text {
                site: Site::Unparsed,
                reads,
                field: None,
            },
        );
    }
}

/// What the beginning at byte `at` of a decoded text reads as, and where that ends.
fn read_decoded(dialect: &dyn Dialect, text: &str, at: usize) -> (Reads, usize) {
    match dialect.parse(text, at) {
        Ok(reference) => (reads(&reference), reference.range.end),
        Err(_) => (Reads::Beginning, dialect.extent(text, at).end),
    }
}

/// The same in the text of a document: where that has it in quotes, those inside of it
/// are escaped.
fn read_raw(dialect: &dyn Dialect, text: &str, at: usize) -> (Reads, usize) {
    let (read, end) = read_decoded(dialect, text, at);
    let raw = text.get(at..end).filter(|_| read == Reads::Beginning);
    let unescaped = raw.and_then(|raw| {
        ["\\\"", "''"]
            .into_iter()
            .filter(|escaped| raw.contains(escaped))
            .map(|escaped| raw.replace(escaped, &escaped[1..]))
            .find_map(|text| dialect.parse(&text, 0).ok())
    });
    (unescaped.map_or(read, |reference| reads(&reference)), end)
}

/// Whether the text at byte `at` of a document reads as a reference that calls functions.
pub(crate) fn calls(dialect: &dyn Dialect, text: &str, at: usize) -> bool {
    matches!(
        read_raw(dialect, text, at).0,
        Reads::Reference { calls: true }
    )
}

fn reads(reference: &Reference) -> Reads {
    Reads::Reference {
        calls: !reference.calls.is_empty(),
    }
}
