//! One document, or one that a scalar holds, before any value is known: its tree, the
//! references in it, the nodes that setter comments and field bindings change, and the
//! documents inside its scalars.

mod decided;
mod embedded;
mod findings;
mod scalars;
mod setters;
mod source_text;
mod targets;
mod text;
mod text_at;
mod unparsed;

pub(crate) use embedded::Embedded;
pub(crate) use findings::Findings;
pub(crate) use scalars::{FoundReference, ScalarWithReferences};
pub(crate) use source_text::SourceText;
pub(crate) use targets::{FollowedPath, InnerTarget, TextEnd};
pub(crate) use text::Text;
pub(crate) use text_at::TextAt;

use std::ops::Range;
use std::sync::Arc;

use crate::analysis::annotation::Disabled;
use crate::analysis::targets::{FieldBindings, Listed, PathId, Steps};
use crate::collections::{OrderedMap, OrderedSet};
use crate::kubernetes::resources::{Field, ResourceIndex, Resources};
use crate::reference::{Heads, Mask, Site, Template, locate, mask_references, mask_unfinished};
use crate::report::{Diagnostic, Origin, Rule};
use yaml::{Document, NodeId, Span, Style, Tree, masked};

/// How often a document may be parsed again because a reference ends elsewhere than its
/// raw text says.
const MAX_REREADINGS: usize = 4;

/// What an analysis depends on beside the document's bytes.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'c> {
    pub(crate) heads: &'c Heads,
    pub(crate) field_bindings: &'c FieldBindings,
    /// What following the paths of field bindings may still cost.
    pub(crate) steps: &'c Steps,
    /// The embedded documents that the Binding lists.
    pub(crate) listed: &'c Listed,
    /// What finding those may still cost.
    pub(crate) listed_steps: &'c Steps,
    /// References stay as they are; setter comments are rendered.
    pub(crate) keep_references: bool,
    /// Only what is under this key of the root is rendered: a ResourceList's `items`.
    pub(crate) only_under: Option<&'c str>,
    /// Where in the document a reference is being written: it is masked before it has a
    /// bound name, so that the rest of the document is YAML.
    pub(crate) unfinished: Option<usize>,
}

/// What one document holds. Its spans point into the file.
#[derive(Debug)]
pub(crate) struct DocumentAnalysis<'s> {
    pub(crate) text: Text<'s>,
    /// Where the text begins: in the file, or in the scalar's decoded text.
    pub(crate) offset: usize,
    /// It is JSON because its name says so.
    pub(crate) json: bool,
    /// `None` if the document is not YAML, or the ends of its references are unknown.
    pub(crate) located: Option<Located>,
    /// What is wrong with it, in the order in which it was found.
    pub(crate) findings: Findings,
    /// The targets, by their binding and position, that select a resource of it.
    pub(crate) met: Vec<(usize, usize)>,
    /// Field paths that lead into this document.
    pub(crate) followed: Vec<FollowedPath>,
    /// Field paths that continue in the text of a scalar, and cannot.
    pub(crate) text_ends: Vec<TextEnd>,
}

/// The nodes of a document that become values.
#[derive(Debug)]
pub(crate) struct Located {
    pub(crate) tree: Arc<Tree>,
    /// Its resources and aliases as they are written.
    pub(crate) index: ResourceIndex,
    pub(crate) masks: Vec<Mask>,
    pub(crate) scalars: Vec<ScalarWithReferences>,
    pub(crate) assignments: Vec<AssignedNode>,
    /// The field paths that continue in the text of a scalar.
    pub(crate) inside: OrderedMap<NodeId, Vec<InnerTarget>>,
    /// Scalars with references that stay: nothing may replace them either.
    pub(crate) kept: OrderedSet<NodeId>,
    /// SOPS encrypted it: not one byte of it may change.
    pub(crate) encrypted: bool,
    /// Scalars whose references decide what the document means, ascending: keys, kinds,
    /// and what selectors compare. See [`DocumentAnalysis::decided`].
    pub(crate) deciding: Vec<NodeId>,
}

/// A node that gets a value without holding a reference.
#[derive(Debug)]
pub(crate) enum AssignedNode {
    /// A setter comment sets it.
    Comment {
        node: NodeId,
        template: Template,
        references: Vec<FoundReference>,
        /// Where the template begins in the document's text.
        start: usize,
        /// The comment.
        span: Span,
    },
    /// A field binding sets it.
    Binding { path: PathId, target: NodeTarget },
}

/// What of a document a field binding changes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NodeTarget {
    /// A key, a scalar, a list or a map becomes the value.
    Node(NodeId),
    /// One part of a scalar's text.
    Part(NodeId),
    /// What is not there yet: the steps of the path from `rest` on.
    New {
        parent: NodeId,
        rest: usize,
        in_map: bool,
    },
}

impl NodeTarget {
    pub(crate) const fn node(self) -> NodeId {
        match self {
            Self::Node(node) | Self::Part(node) | Self::New { parent: node, .. } => node,
        }
    }
}

impl<'s> DocumentAnalysis<'s> {
    const fn new(text: Text<'s>, offset: usize, json: bool) -> Self {
        Self {
            text,
            offset,
            json,
            located: None,
            findings: Findings::empty(),
            met: Vec::new(),
            followed: Vec::new(),
            text_ends: Vec::new(),
        }
    }

    /// Analyses one document of a file.
    pub(crate) fn of_file(text: Text<'s>, offset: usize, origin: Origin, scope: Scope<'_>) -> Self {
        let document = text.clone();
        let document = Document {
            text: &document,
            offset,
        };
        let source = SourceText::of_file(document, origin);
        let analysis = Self::new(text, offset, false);
        Analyser::new(&source, scope, None, &[]).analyse(analysis, None)
    }

    /// Analyses a file that is one document. `tree` is its tree with the references to
    /// bound names masked, if it has been located.
    pub(crate) fn of_located(
        text: &'s str,
        tree: Option<Arc<Tree>>,
        origin: Origin,
        scope: Scope<'_>,
    ) -> Self {
        let source = SourceText::of_file(Document { text, offset: 0 }, origin);
        let analysis = Self::new(Text::Borrowed(text), 0, false);
        Analyser::new(&source, scope, None, &[]).analyse(analysis, tree)
    }

    /// Returns the same analysis with a text of its own.
    pub(crate) fn into_owned(self) -> DocumentAnalysis<'static> {
        DocumentAnalysis {
            text: self.text.into_owned(),
            offset: self.offset,
            json: self.json,
            located: self.located,
            findings: self.findings,
            met: self.met,
            followed: self.followed,
            text_ends: self.text_ends,
        }
    }

    /// Returns about how many bytes the analysis takes.
    pub(crate) fn weight(&self) -> usize {
        let Some(located) = &self.located else {
            return self.text.len();
        };
        let of_scalar = |scalar: &ScalarWithReferences| {
            let embedded = scalar
                .embedded
                .iter()
                .flat_map(|embedded| &embedded.documents);
            let references = scalar.references.len() * FoundReference::WEIGHT;
            size_of::<ScalarWithReferences>()
                + references
                + embedded.map(Self::weight).sum::<usize>()
        };
        self.text.len()
            + located.tree.weight()
            + located.index.weight()
            + located.masks.len() * size_of::<Mask>()
            + located.scalars.iter().map(of_scalar).sum::<usize>()
            + located.assignments.len() * FoundReference::WEIGHT
    }

    /// Returns the document with the position of its text.
    pub(crate) fn document(&self) -> Document<'_> {
        Document {
            text: &self.text,
            offset: self.offset,
        }
    }
}

/// An analysis under way.
struct Analyser<'a> {
    source: &'a SourceText<'a>,
    scope: Scope<'a>,
    /// The field that holds an embedded document.
    outer: Option<&'a Field>,
    /// The field paths that continue in this document.
    targets: &'a [InnerTarget],
    findings: Findings,
    /// That aliases repeat its values without end has been reported.
    unbounded: bool,
    met: Vec<(usize, usize)>,
    followed: Vec<FollowedPath>,
    text_ends: Vec<TextEnd>,
}

impl<'a> Analyser<'a> {
    const fn new(
        source: &'a SourceText<'a>,
        scope: Scope<'a>,
        outer: Option<&'a Field>,
        targets: &'a [InnerTarget],
    ) -> Self {
        Self {
            source,
            scope,
            outer,
            targets,
            findings: Findings::empty(),
            unbounded: false,
            met: Vec::new(),
            followed: Vec::new(),
            text_ends: Vec::new(),
        }
    }

    fn span(&self, range: &Range<usize>) -> Span {
        self.source.span(range)
    }

    /// `known` is the document's tree with its references masked, if there is one.
    fn analyse<'s>(
        mut self,
        mut analysis: DocumentAnalysis<'s>,
        mut known: Option<Arc<Tree>>,
    ) -> DocumentAnalysis<'s> {
        // The ends of references whose scalars have been read, by their first bytes.
        let mut ends = OrderedMap::new();
        for _ in 0..MAX_REREADINGS {
            self.findings = Findings::empty();
            self.met.clear();
            self.followed.clear();
            self.text_ends.clear();
            self.unbounded = false;
            let mut masks = mask_references(self.source.text, self.scope.heads, &ends);
            if let Some(at) = self.scope.unfinished {
                let dialect = self.scope.heads.dialect();
                mask_unfinished(self.source.text, at, dialect, &mut masks);
            }
            let located = known.take().map_or_else(
                || {
                    let ranges = masks.iter().map(|mask| &mask.range);
                    locate(masked(self.source.text, ranges)).map(Arc::new)
                },
                Ok,
            );
            let located = match located {
                Ok(tree) => {
                    let Some(located) = self.located(&tree, &tree, masks, &mut ends) else {
                        continue;
                    };
                    Some(located)
                }
                Err(error) => {
                    self.unread_targets(&error);
                    self.unparsed(&error, &masks);
                    None
                }
            };
            return self.finish(analysis, located);
        }
        let error = Diagnostic::error(
            Rule::InvalidReference,
            "cannot determine where the references in this document end",
        )
        .at(self.source.origin, self.span(&(0..0)), "this document")
        .help("quote the scalars that contain references");
        analysis.findings.push(None, error);
        analysis
    }

    /// Completes an analysis with all that was found.
    fn finish<'s>(
        self,
        analysis: DocumentAnalysis<'s>,
        located: Option<Located>,
    ) -> DocumentAnalysis<'s> {
        DocumentAnalysis {
            located,
            findings: self.findings,
            met: self.met,
            followed: self.followed,
            text_ends: self.text_ends,
            ..analysis
        }
    }

    /// Finds what of a document becomes values. `None`: some references do not end where
    /// raw text says; `ends` holds their ends now. `tree` has the texts of the scalars
    /// that decide, as far as they are known; `written` has those of the source.
    fn located(
        &mut self,
        tree: &Tree,
        written: &Arc<Tree>,
        masks: Vec<Mask>,
        ends: &mut OrderedMap<usize, usize>,
    ) -> Option<Located> {
        let resources = Resources::new(tree).within(self.outer);
        let source = self.source;
        let site = Site {
            dialect: self.scope.heads.dialect(),
            manifest: source.origin,
            span_of: &|range| source.span(range),
            style: Style::Plain,
        };
        // The annotation is literal: a value must not leave references in a resource.
        let undecided;
        let as_written = match std::ptr::eq(tree, &**written) {
            true => &resources,
            false => {
                undecided = Resources::new(written);
                &undecided
            }
        };
        let (disabled, unclear) = Disabled::find(source.text, written, as_written, &masks, &site);
        for (id, error) in unclear {
            self.findings.push(Some(id), error);
        }
        let (mut scalars, strays) = self.scalars(tree, &masks);
        scalars.retain(|scalar| {
            self.is_rendered(&resources, scalar.id) && !disabled.covers(tree, scalar.id)
        });
        let listed = (self.scope.listed).find(tree, &resources, self.scope.listed_steps);
        let targets = self.targets(tree, &resources, &disabled);
        self.add_target_scalars(tree, &targets, &mut scalars);
        let mut reread = false;
        for scalar in &mut scalars {
            scalar.format = match targets.inside.get(&scalar.id) {
                Some(inside) => self.format_of_targets(&listed, &resources, scalar, inside),
                None => self.format(tree, &listed, &resources, scalar),
            };
            reread |= self.read(tree, scalar, &masks, ends);
        }
        if reread {
            return None;
        }
        let mut kept = OrderedSet::new();
        if self.scope.keep_references {
            let stays = |scalar: &&scalars::ScalarReader<'_>| scalar.format.is_none();
            kept.extend(scalars.iter().filter(stays).map(|scalar| scalar.id));
            scalars.retain(|scalar| scalar.format.is_some());
        } else {
            self.report_strays(tree, &strays);
        }
        let mut assignments = self.setters(tree, &resources, &disabled);
        assignments.extend(targets.assignments);
        let is_empty = scalars.is_empty() && assignments.is_empty() && targets.inside.is_empty();
        let encrypted = !is_empty && resources.root_has("sops");
        let deciding = self.deciding(tree, &resources, &scalars, &assignments);
        let scalars = scalars
            .into_iter()
            .map(|scalar| {
                let inside = targets.inside.get(&scalar.id);
                let inside = inside.map_or(&[][..], Vec::as_slice);
                self.embed(scalar, &resources, inside, encrypted)
            })
            .collect();
        Some(Located {
            index: resources.into_index(),
            masks,
            scalars,
            assignments,
            inside: targets.inside,
            kept,
            encrypted,
            deciding,
            tree: Arc::clone(written),
        })
    }

    /// Whether a node of this document is rendered at all.
    fn is_rendered(&self, resources: &Resources<'_>, id: NodeId) -> bool {
        match self.scope.only_under {
            Some(key) if !self.source.is_embedded() => resources.root_key(id) == Some(key),
            _ => true,
        }
    }

    fn report_strays(&mut self, tree: &Tree, strays: &[Range<usize>]) {
        for stray in strays {
            let (message, help) = match tree.is_cut_off(stray.start) {
                false => (
                    "a reference is not allowed in an anchor, alias, tag or directive",
                    "use references only in keys and values",
                ),
                true => (
                    "YAML 1.1 readers end this comment before the reference",
                    "remove the YAML 1.1 line break (U+0085, U+2028 or U+2029) from the comment",
                ),
            };
            let error = Diagnostic::error(Rule::MisplacedReference, message)
                .at(self.source.origin, self.span(stray), "")
                .help(help);
            self.findings.push(None, error);
        }
    }
}
