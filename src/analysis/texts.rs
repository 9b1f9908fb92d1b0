//! Where positions of a document are: in which scalar, of which resource, or in which
//! comment. Also of documents that are not rendered.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use crate::analysis::Disabled;
use crate::analysis::targets::{Listed, ListedFields, Steps};
use crate::kubernetes::placeholders::Placeholders;
use crate::kubernetes::resources::{Field, Resources};
use crate::kubernetes::{Format, embedded_by_name, is_in_patch};
use crate::reference::{Dialect, locate, mask_shapes, opening_at};
use crate::report::Severity;
use yaml::{
    BLANKS, CommentScan, Decoded, Document, Kind, LocateError, NodeId, Role, Style, Tree, decode,
    line_end, masked, split,
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

/// What kind of text a position is in.
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

/// Where a position is.
pub(crate) enum Place<'p, 't> {
    /// In a scalar, at this byte of its decoded text.
    Scalar(&'p mut ScalarText<'t>, usize),
    Comment(Comment),
    /// In text that is not parsed: the document is not YAML, or the comment continues after
    /// a line break of YAML 1.1.
    Unparsed,
}

/// A comment of a document, or of one that a scalar embeds.
#[derive(Debug)]
pub(crate) struct Comment {
    /// Its bytes in the document.
    pub(crate) range: Range<usize>,
    pub(crate) is_embedded: bool,
}

impl Comment {
    /// Returns how severe it is that the comment sets nothing, if that is a guess: no more than a
    /// warning in a document of another program.
    pub(crate) const fn severity(&self, clear: Severity) -> Severity {
        if self.is_embedded {
            Severity::Warning
        } else {
            clear
        }
    }

    /// Returns whether a text can be inserted into it as it is.
    pub(crate) fn takes(&self, text: &str) -> bool {
        !self.is_embedded || fits_embedded(text)
    }
}

/// Returns whether a text can be inserted into an embedded document as it is, whatever embeds it.
pub(crate) fn fits_embedded(text: &str) -> bool {
    !text.contains(['"', '\'', '\\'])
}

/// Calls `each` with the place of every byte of `positions`, which ascend, in `document`.
/// Skips what the author has disabled, and what cannot hold a value (anchors, tags).
pub(crate) fn visit_places(
    document: Document<'_>,
    dialect: &'static dyn Dialect,
    positions: &[usize],
    view: View<'_>,
    each: &mut dyn FnMut(usize, Place<'_, '_>),
) {
    let text = document.text;
    let Ok(trees) = view.trees(text, dialect) else {
        let mut comments = CommentScan::default();
        for &at in positions {
            if !comments.covers(text, at) {
                each(at, Place::Unparsed);
            }
        }
        return;
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
    let mut current: Option<ScalarText<'_>> = None;
    for &at in positions {
        while scalars.next_if(|id| tree[*id].range().end <= at).is_some() {}
        let contains = |id: &NodeId| tree[*id].range().start <= at;
        let Some(&id) = scalars.peek().filter(|id| contains(id)) else {
            match tree.comment_at(at) {
                Some(range) if !disabled.covers_comment(tree, at) => {
                    let is_embedded = false;
                    each(at, Place::Comment(Comment { range, is_embedded }));
                }
                None if tree.is_cut_off(at) => each(at, Place::Unparsed),
                _ => {}
            }
            continue;
        };
        if current.as_ref().is_none_or(|scalar| scalar.id != id) {
            current = None;
            if !is_rendered(id) {
                continue;
            }
            let Some(decoded) = decode(text, tree, id) else {
                continue;
            };
            current = Some(ScalarText::new(
                dialect, tree, &resources, &listed, id, decoded,
            ));
        }
        if let Some(scalar) = &mut current
            && let Some(decoded) = scalar.position(at).filter(|at| *at >= scalar.end)
        {
            each(
                at,
                match scalar.comment_at(decoded) {
                    Some(comment) => Place::Comment(comment),
                    None => Place::Scalar(scalar, decoded),
                },
            );
        }
    }
}

/// One scalar with its decoded text, read from its beginning to its end.
pub(crate) struct ScalarText<'t> {
    pub(crate) tree: &'t Tree,
    pub(crate) id: NodeId,
    decoded: Decoded<'t>,
    pub(crate) kind: TextKind,
    pub(crate) field: Rc<Field>,
    /// The dialect of a patch, which is part of a manifest.
    patch: Option<&'static dyn Dialect>,
    /// The bytes of the block scalars of a patch, ascending; `None` if it is not YAML.
    blocks: OnceCell<Option<Vec<Range<usize>>>>,
    /// What the controller of its resource reads in it.
    pub(crate) placeholders: Placeholders,
    /// The comments of an embedded YAML document.
    comments: Option<CommentScan>,
    last_comment: Option<Range<usize>>,
    /// The end of what was read last: positions before it belong to that.
    pub(crate) end: usize,
    is_script: OnceCell<bool>,
    is_dashboard: OnceCell<bool>,
}

impl<'t> ScalarText<'t> {
    fn new(
        dialect: &'static dyn Dialect,
        tree: &'t Tree,
        resources: &Resources<'_>,
        listed: &ListedFields<'_>,
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
            .get(id)
            .or_else(|| embedded_by_name(resources, id))
            .filter(|format| *format != Format::Text && !is_reference);
        let field = resources.field(id);
        // Its fields are those of manifests.
        let is_patch = format == Some(Format::Yaml) && is_in_patch(&field);
        let kind = match format {
            Some(_) => TextKind::Embedded,
            None if is_block && !is_reference => TextKind::Block,
            None => TextKind::Scalar,
        };
        Self {
            tree,
            id,
            decoded,
            kind,
            comments: match format {
                Some(Format::Yaml | Format::Template) => Some(CommentScan::default()),
                _ => None,
            },
            last_comment: None,
            field: Rc::new(field),
            patch: is_patch.then_some(dialect),
            blocks: OnceCell::new(),
            placeholders: resources.placeholders(id),
            end: 0,
            is_script: OnceCell::new(),
            is_dashboard: OnceCell::new(),
        }
    }

    /// Returns what kind of text byte `at` of the decoded text is in: values of a patch are those
    /// of a manifest.
    pub(crate) fn kind_at(&self, at: usize) -> TextKind {
        let Some(dialect) = self.patch else {
            return self.kind;
        };
        let blocks = (self.blocks).get_or_init(|| block_scalars(self.text(), dialect));
        let Some(blocks) = blocks else {
            return self.kind;
        };
        let next = blocks.partition_point(|block| block.end <= at);
        match blocks.get(next) {
            Some(block) if block.start <= at => TextKind::Block,
            _ => TextKind::Scalar,
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.decoded.text
    }

    /// Returns the position of the raw byte `at` in the decoded text, if that byte represents
    /// itself.
    pub(crate) fn position(&self, at: usize) -> Option<usize> {
        self.decoded.decoded_at(at)
    }

    /// Returns the comment of an embedded document around byte `at` of the decoded text.
    fn comment_at(&mut self, at: usize) -> Option<Comment> {
        let start = self.comments.as_mut()?.start_of(&self.decoded.text, at)?;
        let comment = match self.last_comment.take().filter(|last| last.start == start) {
            Some(last) => last,
            None => start..line_end(&self.decoded.text, at),
        };
        let range = self.decoded.raw_range(&comment);
        self.last_comment = Some(comment);
        let is_embedded = true;
        Some(Comment { range, is_embedded })
    }

    /// Whether it is a dashboard of Grafana, whose variables are written as `$name` and
    /// `{{label}}`.
    pub(crate) fn is_dashboard(&self) -> bool {
        let has_panels = || self.text().contains("\"panels\"");
        self.kind == TextKind::Embedded && *self.is_dashboard.get_or_init(has_panels)
    }

    /// Whether it is a script: text of several lines, or the argument of a shell's `-c`.
    pub(crate) fn is_script(&self) -> bool {
        *self.is_script.get_or_init(|| {
            let before = || self.tree.text(self.item_before(self.id)?);
            self.text().trim_end().contains('\n') || before().is_some_and(takes_script)
        })
    }

    /// Returns the item before the scalar `id` in its list; before the first of a
    /// container's `args` is the last of its `command`.
    fn item_before(&self, id: NodeId) -> Option<NodeId> {
        let (Role::Item(_), Some(list)) = (self.tree[id].role(), self.tree[id].parent()) else {
            return None;
        };
        if self.tree.children(list).next() != Some(id) {
            // A scalar before it in the same list is the node before it.
            let before = id.checked_sub(1)?;
            return (self.tree[before].parent() == Some(list)).then_some(before);
        }
        let Role::Value(key) = self.tree[list].role() else {
            return None;
        };
        if self.tree.text(key) != Some("args") {
            return None;
        }
        let mut entries = self.tree.entries(self.tree[list].parent()?);
        let (_, command) = entries.find(|(key, _)| self.tree.text(*key) == Some("command"))?;
        match self.tree[command].kind() {
            Kind::Sequence { .. } => self.tree.children(command).last(),
            _ => None,
        }
    }
}

/// Returns the bytes of the block scalars of documents, ascending. `None` if one is not YAML.
fn block_scalars(text: &str, dialect: &'static dyn Dialect) -> Option<Vec<Range<usize>>> {
    let mut blocks = Vec::new();
    for document in split(text) {
        let shapes = mask_shapes(document.text, dialect);
        let tree = locate(masked(document.text, shapes.iter())).ok()?;
        let scalars = tree.nodes().map(|(_, node)| node);
        let found = scalars.filter(|node| node.style().is_some_and(Style::is_block));
        blocks.extend(found.map(|node| {
            let range = node.range();
            document.offset + range.start..document.offset + range.end
        }));
    }
    Some(blocks)
}

/// Whether the argument after this one is a script: `-c`, `-ec`, PowerShell's `-Command`.
fn takes_script(flag: &str) -> bool {
    let short = |flag: &str| flag.ends_with('c') && flag.bytes().all(|b| b.is_ascii_lowercase());
    flag.strip_prefix('-')
        .is_some_and(|flag| short(flag) || flag.eq_ignore_ascii_case("command"))
}
