//! The analysis of one document of a file or of a scalar before any value is known: its
//! tree, the references in it, the nodes that setter comments and field bindings change,
//! and the documents inside its scalars.

mod decided;
mod duplicates;
mod embedded;
mod findings;
mod ordinary;
mod patch_files;
mod reference_texts;
mod scalars;
mod setters;
mod source_text;
mod targets;
mod templates;
mod text;
mod text_at;
mod unparsed;

pub(crate) use embedded::Embedded;
pub(crate) use findings::Findings;
pub(crate) use scalars::{FoundReference, ScalarWithReferences};
pub(crate) use setters::template_of;
pub(crate) use source_text::SourceText;
pub(crate) use targets::{FollowedPath, InnerTarget, TextEnd};
pub(crate) use text::Text;
pub(crate) use text_at::TextAt;

use std::ops::Range;
use std::sync::Arc;

use crate::analysis::annotation::Disabled;
use crate::analysis::targets::{FieldBindings, Listed, PathId, Steps, TargetId};
use crate::collections::{OrderedMap, OrderedSet};
use crate::config::policy::Unbound;
use crate::kubernetes::Format;
use crate::kubernetes::resources::{Field, PatchTarget, ResourceIndex, Resources};
use crate::kubernetes::types::{OwnFields, PatchFiles};
use crate::reference::{
    Heads, Mask, ParsedReferences, Site, Template, locate, mask_found, mask_references,
    mask_unfinished,
};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};
use crate::steps::{self, RenderStep};
use yaml::{Document, NodeId, Span, Style, Tree, masked};

/// How often a document may be parsed, because a reference may end elsewhere than its raw
/// text suggests.
const MAX_PASSES: usize = 4;

/// Some references of a document do not end where its raw text suggests: it must be parsed
/// again with their ends known.
struct EndsChanged;

/// What an analysis depends on besides the document's bytes.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'c> {
    pub(crate) heads: &'c Heads,
    pub(crate) field_bindings: &'c FieldBindings,
    /// The steps left for following the paths of field bindings.
    pub(crate) steps: &'c Steps,
    /// The embedded documents that the Binding lists.
    pub(crate) listed: &'c Listed,
    /// The steps left for finding those.
    pub(crate) listed_steps: &'c Steps,
    /// Whether to render only setter comments and leave references unchanged.
    pub(crate) keep_references: bool,
    /// The positions of the files that kustomize reads as kustomizations, ascending.
    pub(crate) kustomizations: &'c [usize],
    /// The patches that kustomizations name by their paths.
    pub(crate) patch_files: Option<&'c PatchFiles>,
    /// If set, only the value of this key of the root is rendered: a ResourceList's
    /// `items`.
    pub(crate) only_under: Option<&'c str>,
    /// Also determines the severity of comments that look like setter comments.
    pub(crate) unbound: Unbound,
    /// The byte of the document at which a reference is being typed: it is masked even
    /// without a bound name, so that the rest of the document is valid YAML.
    pub(crate) unfinished: Option<usize>,
    /// The references of the source that were parsed before, if its analysis is bound as it
    /// is.
    pub(crate) parsed: Option<&'c ParsedReferences>,
}

/// What a [`Scope`] refers to if there are no field bindings.
pub(crate) struct NoFieldBindings {
    field_bindings: FieldBindings,
    listed: Listed,
    steps: Steps,
    listed_steps: Steps,
}

impl NoFieldBindings {
    pub(crate) fn new(heads: &Heads) -> Self {
        let (bindings, mut errors) = (Vec::new(), Diagnostics::default());
        Self {
            field_bindings: FieldBindings::new(bindings, heads, Origin::Binding, &mut errors),
            listed: Listed::default(),
            steps: Steps::default(),
            listed_steps: Steps::default(),
        }
    }

    pub(crate) const fn scope<'c>(&'c self, heads: &'c Heads) -> Scope<'c> {
        Scope {
            heads,
            field_bindings: &self.field_bindings,
            steps: &self.steps,
            listed: &self.listed,
            listed_steps: &self.listed_steps,
            keep_references: false,
            kustomizations: &[],
            patch_files: None,
            only_under: None,
            unbound: Unbound::Warn,
            unfinished: None,
            parsed: None,
        }
    }
}

/// The analysis of one document. Its spans point into the file.
#[derive(Debug)]
pub(crate) struct DocumentAnalysis<'s> {
    pub(crate) text: Text<'s>,
    /// Where the text begins: in the file, or in the scalar's decoded text.
    pub(crate) offset: usize,
    /// How it is embedded; YAML if it is a document of a file.
    pub(crate) format: Format,
    /// `None` if the document is not YAML, or the ends of its references are unknown.
    pub(crate) located: Option<Located>,
    /// Its problems, in the order in which they were found.
    pub(crate) findings: Findings,
    /// The targets that select one of its resources.
    pub(crate) selected_targets: Vec<TargetId>,
    /// The field paths that were followed in this document.
    pub(crate) followed_paths: Vec<FollowedPath>,
    /// The field paths that would have to continue in the text of a scalar, but cannot.
    pub(crate) text_ends: Vec<TextEnd>,
}

/// A parsed document with the nodes that get values.
#[derive(Debug)]
pub(crate) struct Located {
    pub(crate) tree: Arc<Tree>,
    /// Its resources and aliases as written.
    pub(crate) index: ResourceIndex,
    pub(crate) masks: Vec<Mask>,
    pub(crate) scalars: Vec<ScalarWithReferences>,
    pub(crate) assignments: Vec<AssignedNode>,
    /// The field paths that continue in the text of a scalar.
    pub(crate) inner_targets: OrderedMap<NodeId, Vec<InnerTarget>>,
    /// Scalars whose references are left unchanged: nothing else may replace them either.
    pub(crate) kept_scalars: OrderedSet<NodeId>,
    /// Whether SOPS encrypted it, so that none of its bytes may change.
    pub(crate) encrypted: bool,
    /// Scalars whose references decide what the document means, ascending: keys, kinds, and
    /// values that selectors compare. See [`DocumentAnalysis::decided`].
    pub(crate) deciding: Vec<NodeId>,
}

/// A node that gets a value without holding a reference, and what the Binding lists it as.
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
        listed: Option<Format>,
        /// What is wrong with it, which matters only if one of its names is an output.
        errors: Vec<Diagnostic>,
    },
    /// A field binding sets it.
    Binding {
        path: PathId,
        target: NodeTarget,
        listed: Option<Format>,
    },
}

impl AssignedNode {
    /// Returns the node that gets the value, or gets a new field.
    pub(crate) const fn node(&self) -> NodeId {
        match self {
            Self::Comment { node, .. } => *node,
            Self::Binding { target, .. } => target.node(),
        }
    }
}

/// The part of a document that a field binding changes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NodeTarget {
    /// A key, scalar, list or map that is replaced by the value.
    Node(NodeId),
    /// One part of a scalar's text.
    Part(NodeId),
    /// A field that does not exist yet: the steps of the path from `rest` on.
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
    const fn new(text: Text<'s>, offset: usize, format: Format) -> Self {
        Self {
            text,
            offset,
            format,
            located: None,
            findings: Findings::empty(),
            selected_targets: Vec::new(),
            followed_paths: Vec::new(),
            text_ends: Vec::new(),
        }
    }

    /// Analyses one document of a file. `heads` are the first bytes of the bound heads in it,
    /// if the file has been searched for them.
    pub(crate) fn of_file(
        text: Text<'s>,
        offset: usize,
        origin: Origin,
        scope: Scope<'_>,
        heads: Option<&[usize]>,
    ) -> Self {
        let document = text.clone();
        let document = Document {
            text: &document,
            offset,
        };
        let source = SourceText::of_file(document, origin);
        let analysis = Self::new(text, offset, Format::Yaml);
        let analyser = Analyser {
            heads,
            ..Analyser::new(&source, scope, None, &[])
        };
        analyser.analyse(analysis, None)
    }

    /// Analyses a file that is one document. `tree` is its tree with the references to
    /// bound names masked, if it was already located.
    pub(crate) fn of_located(
        text: &'s str,
        tree: Option<Arc<Tree>>,
        origin: Origin,
        scope: Scope<'_>,
    ) -> Self {
        let source = SourceText::of_file(Document { text, offset: 0 }, origin);
        let analysis = Self::new(Text::Borrowed(text), 0, Format::Yaml);
        Analyser::new(&source, scope, None, &[]).analyse(analysis, tree)
    }

    /// Returns the analysis without borrowing its text.
    pub(crate) fn into_owned(self) -> DocumentAnalysis<'static> {
        DocumentAnalysis {
            text: self.text.into_owned(),
            offset: self.offset,
            format: self.format,
            located: self.located,
            findings: self.findings,
            selected_targets: self.selected_targets,
            followed_paths: self.followed_paths,
            text_ends: self.text_ends,
        }
    }

    /// Returns the approximate size of the analysis in bytes.
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

/// An analysis in progress.
struct Analyser<'a> {
    source: &'a SourceText<'a>,
    scope: Scope<'a>,
    /// The field that holds an embedded document.
    outer: Option<&'a Field>,
    /// The field paths that continue in this document.
    targets: &'a [InnerTarget],
    /// Whether it is an embedded document of JSON.
    is_json: bool,
    /// What an embedded patch applies to.
    patch_target: Option<Arc<PatchTarget>>,
    /// Where references begin in the file, if that is known.
    heads: Option<&'a [usize]>,
    findings: Findings,
    /// Whether unbounded repetition by aliases has been reported.
    reported_unbounded: bool,
    selected_targets: Vec<TargetId>,
    followed_paths: Vec<FollowedPath>,
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
            is_json: false,
            patch_target: None,
            heads: None,
            findings: Findings::empty(),
            reported_unbounded: false,
            selected_targets: Vec::new(),
            followed_paths: Vec::new(),
            text_ends: Vec::new(),
        }
    }

    fn span(&self, range: &Range<usize>) -> Span {
        self.source.span(range)
    }

    /// Runs the analysis. `known` is the document's tree with its references masked, if it
    /// was already located.
    fn analyse<'s>(
        mut self,
        mut analysis: DocumentAnalysis<'s>,
        mut known: Option<Arc<Tree>>,
    ) -> DocumentAnalysis<'s> {
        let _step = steps::enter(RenderStep::Analyse);
        // The ends of references whose scalars have been read, by their first bytes.
        let mut ends = OrderedMap::new();
        for _ in 0..MAX_PASSES {
            self.findings = Findings::empty();
            self.selected_targets.clear();
            self.followed_paths.clear();
            self.text_ends.clear();
            self.reported_unbounded = false;
            let step = steps::enter(RenderStep::Mask);
            let text = self.source.text;
            let mut masks = match self.heads {
                Some(found) => mask_found(text, self.scope.heads, &ends, found, analysis.offset),
                None => mask_references(text, self.scope.heads, &ends),
            };
            if let Some(at) = self.scope.unfinished {
                let dialect = self.scope.heads.dialect();
                mask_unfinished(self.source.text, at, dialect, &mut masks);
            }
            drop(step);
            let located = known.take().map_or_else(
                || {
                    let masked = {
                        let _step = steps::enter(RenderStep::Mask);
                        masked(self.source.text, masks.iter().map(|mask| &mask.range))
                    };
                    let _step = steps::enter(RenderStep::Locate);
                    locate(masked).map(Arc::new)
                },
                Ok,
            );
            let located = match located {
                Ok(tree) => match self.locate_values(&tree, &tree, masks, &mut ends) {
                    Ok(located) => {
                        self.report_duplicate_keys(&located, analysis.format);
                        Some(located)
                    }
                    Err(EndsChanged) => continue,
                },
                Err(error) => {
                    self.end_in_unparsed_text(&error);
                    self.report_unparsed(&error, &masks);
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

    /// Completes an analysis with everything that was found.
    fn finish<'s>(
        self,
        analysis: DocumentAnalysis<'s>,
        located: Option<Located>,
    ) -> DocumentAnalysis<'s> {
        DocumentAnalysis {
            located,
            findings: self.findings,
            selected_targets: self.selected_targets,
            followed_paths: self.followed_paths,
            text_ends: self.text_ends,
            ..analysis
        }
    }

    /// Finds the nodes of a document that get values. In `tree`, deciding scalars have
    /// their new texts as far as these are known; in `source_tree`, those of the source.
    ///
    /// # Errors
    /// The document must be parsed again; `ends` contains the ends of its references.
    fn locate_values(
        &mut self,
        tree: &Tree,
        source_tree: &Arc<Tree>,
        masks: Vec<Mask>,
        ends: &mut OrderedMap<usize, usize>,
    ) -> Result<Located, EndsChanged> {
        let is_kustomization = self.is_kustomization();
        let resources = Resources::new(tree)
            .within(self.outer)
            .of_kustomization(is_kustomization)
            .patching(self.patch_target());
        let source = self.source;
        let site = Site {
            dialect: self.scope.heads.dialect(),
            manifest: source.origin,
            span_of: &|range| source.span(range),
            style: Style::Plain,
        };
        // The annotation is read as written: a value must not disable substitution.
        let undecided;
        let source_resources = if std::ptr::eq(tree, &**source_tree) {
            &resources
        } else {
            undecided = Resources::new(source_tree).of_kustomization(is_kustomization);
            &undecided
        };
        let (disabled, errors) =
            Disabled::find(source.text, source_tree, source_resources, &masks, &site);
        for (id, error) in errors {
            self.findings.push(Some(id), error);
        }
        let (mut scalars, strays) = self.scalars(tree, &masks);
        scalars.retain(|scalar| {
            self.is_rendered(&resources, scalar.id) && !disabled.covers(tree, scalar.id)
        });
        let listed = (self.scope.listed).find(tree, &resources, self.scope.listed_steps);
        for (node, path) in &listed.without_text {
            if self.is_rendered(&resources, *node) && !disabled.covers(tree, *node) {
                self.report_without_text(tree, *node, path);
            }
        }
        let targets = self.targets(tree, &resources, &disabled, &listed);
        self.add_target_scalars(tree, &targets, &mut scalars);
        let mut ends_changed = false;
        for scalar in &mut scalars {
            match targets.inner_targets.get(&scalar.id) {
                Some(inner) => {
                    scalar.format = self.format_of_targets(&listed, &resources, scalar, inner);
                }
                None => {
                    scalar.format = self.format(tree, &listed, &resources, scalar);
                    self.check_template(scalar);
                }
            }
            self.find_go_actions(&resources, scalar);
            ends_changed |= self.parse_references(tree, scalar, &masks, ends);
        }
        if ends_changed {
            return Err(EndsChanged);
        }
        for scalar in scalars.iter().filter(|scalar| scalar.format.is_none()) {
            self.report_setters_in_text(scalar);
        }
        let mut kept_scalars = OrderedSet::new();
        if self.scope.keep_references {
            let is_kept = |scalar: &&scalars::PendingScalar<'_>| scalar.format.is_none();
            kept_scalars.extend(scalars.iter().filter(is_kept).map(|scalar| scalar.id));
            scalars.retain(|scalar| scalar.format.is_some());
        } else {
            self.report_strays(tree, &strays);
        }
        let mut assignments = self.setters(tree, &resources, &disabled, &listed);
        assignments.extend(targets.assignments);
        self.report_patch_paths(tree, &resources, &scalars, &mut assignments);
        let is_empty =
            scalars.is_empty() && assignments.is_empty() && targets.inner_targets.is_empty();
        let encrypted = !is_empty && resources.root_has("sops");
        let deciding = self.deciding(tree, &resources, &scalars, &assignments);
        let may_hold_ordinary_text = std::ptr::eq(tree, &**source_tree)
            && assignments.is_empty()
            && deciding.is_empty()
            && targets.inner_targets.is_empty()
            && !encrypted
            && self.may_hold_ordinary_text(tree, &resources);
        let mut fields = OwnFields::built_in(&resources);
        let scalars = scalars
            .into_iter()
            .map(|scalar| {
                let holds_ordinary_text = may_hold_ordinary_text
                    && self.holds_ordinary_text(tree, &resources, &mut fields, &scalar);
                let inner = targets
                    .inner_targets
                    .get(&scalar.id)
                    .map_or(&[][..], Vec::as_slice);
                ScalarWithReferences {
                    listed: listed.get(scalar.id),
                    holds_ordinary_text,
                    ..self.embed(scalar, &resources, inner, encrypted)
                }
            })
            .collect();
        Ok(Located {
            index: resources.into_index(),
            masks,
            scalars,
            assignments,
            inner_targets: targets.inner_targets,
            kept_scalars,
            encrypted,
            deciding,
            tree: Arc::clone(source_tree),
        })
    }

    /// Whether kustomize reads the document as a kustomization, whatever its kind.
    fn is_kustomization(&self) -> bool {
        let Origin::Manifest(file) = self.source.origin else {
            return false;
        };
        !self.source.is_embedded() && self.scope.kustomizations.binary_search(&file).is_ok()
    }

    /// Returns what the document applies to, if it is a patch.
    fn patch_target(&self) -> Option<Arc<PatchTarget>> {
        match self.source.origin {
            Origin::Manifest(file) if !self.source.is_embedded() => {
                self.scope.patch_files?.target(file)
            }
            _ => self.patch_target.clone(),
        }
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
            let (message, help) = if tree.is_cut_off(stray.start) {
                (
                    "YAML 1.1 readers end this comment before the reference",
                    "remove the YAML 1.1 line break (U+0085, U+2028 or U+2029) from the comment",
                )
            } else {
                (
                    "a reference is not allowed in an anchor, alias, tag or directive",
                    "use references only in keys and values",
                )
            };
            let error = Diagnostic::error(Rule::MisplacedReference, message)
                .at(self.source.origin, self.span(stray), "")
                .help(help);
            self.findings.push(None, error);
        }
    }
}
