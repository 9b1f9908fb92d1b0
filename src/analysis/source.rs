//! The analysis of all files of a source, before any value is known.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::analysis::document::{DocumentAnalysis, Scope, Text};
use crate::analysis::near_miss::candidates;
use crate::analysis::targets::{FieldBindings, Listed, Steps};
use crate::analysis::unbound::{UnboundContext, UnboundReferences};
use crate::analysis::{View, decoded_kinds, emitted, encoded_references, resource_check, stray};
use crate::config::names::Names;
use crate::config::policy::Unbound;
use crate::kubernetes::types::PatchFiles;
use crate::reference::{Heads, ParsedReferences, UnboundHead};
use crate::report::{Diagnostic, Origin, Rule};
use crate::steps::{self, Step};
use yaml::{Document, Edit, Span, split};

/// What the analysis of a source depends on besides its bytes.
#[derive(Debug)]
pub(crate) struct SourceScope {
    pub(crate) heads: Heads,
    pub(crate) field_bindings: FieldBindings,
    /// The embedded documents that the Binding lists.
    pub(crate) listed: Listed,
    pub(crate) names: Names,
    pub(crate) unbound: Unbound,
    /// Whether every document must be a Kubernetes resource.
    pub(crate) resources_only: bool,
    /// Whether to render only setter comments and leave references unchanged.
    pub(crate) keep_references: bool,
    /// The positions of the files that kustomize reads as kustomizations.
    pub(crate) kustomizations: Vec<usize>,
    /// The patches that these name.
    pub(crate) patch_files: PatchFiles,
}

impl SourceScope {
    /// Returns the scope of the documents of this source. `steps` and `listed_steps` limit
    /// the cost of following field paths.
    pub(crate) const fn of_documents<'c>(
        &'c self,
        steps: &'c Steps,
        listed_steps: &'c Steps,
    ) -> Scope<'c> {
        Scope {
            heads: &self.heads,
            field_bindings: &self.field_bindings,
            steps,
            listed: &self.listed,
            listed_steps,
            keep_references: self.keep_references,
            kustomizations: self.kustomizations.as_slice(),
            patch_files: Some(&self.patch_files),
            only_under: None,
            unbound: self.unbound,
            unfinished: None,
            parsed: None,
        }
    }

    /// Returns what determines how text is reported that is left unchanged.
    pub(crate) fn unbound_context<'c>(&'c self, listed_steps: &'c Steps) -> UnboundContext<'c> {
        UnboundContext {
            heads: &self.heads,
            view: view(self, listed_steps),
            policy: self.unbound,
            setters_only: self.keep_references || self.heads.dialect().only_in_setters(),
        }
    }
}

/// One result of analysing a file.
#[derive(Debug)]
pub(crate) enum Finding<'s> {
    /// A problem that does not depend on values.
    Diagnostic(Diagnostic),
    /// An edit that does not depend on values.
    Edit(Edit),
    /// A document with references, or with nodes that field bindings change.
    Document(Box<DocumentAnalysis<'s>>),
}

impl Finding<'_> {
    /// Returns the approximate size of the finding in bytes.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Diagnostic(_) | Self::Edit(_) => size_of::<Self>(),
            Self::Document(analysis) => size_of::<Self>() + analysis.weight(),
        }
    }

    /// Returns the finding without borrowing its text.
    pub(crate) fn into_owned(self) -> Finding<'static> {
        match self {
            Self::Diagnostic(diagnostic) => Finding::Diagnostic(diagnostic),
            Self::Edit(edit) => Finding::Edit(edit),
            Self::Document(analysis) => Finding::Document(Box::new(analysis.into_owned())),
        }
    }
}

/// What is known about a source once all of its files have been analysed.
#[derive(Debug)]
pub(crate) struct Summary {
    /// The unbound references of the source.
    pub(crate) unbound: Vec<Diagnostic>,
    /// Whether there are any, reported or not.
    pub(crate) has_unbound: bool,
    /// Whether a document emits a resource whatever the values are, if every document must
    /// be one.
    pub(crate) has_resources: bool,
    /// Whether following the paths of field bindings took too many steps.
    pub(crate) too_many_steps: bool,
    /// The positions in each file of texts that may name an output without being a reference.
    pub(crate) near_misses: Vec<(usize, Vec<usize>)>,
    /// How many letters of unbound names were compared with bound ones.
    pub(crate) compared: u64,
}

/// The analysis of a source, kept for many renders.
#[derive(Debug)]
pub(crate) struct Analysis {
    /// The findings of each file.
    pub(crate) files: Vec<Vec<Finding<'static>>>,
    pub(crate) summary: Summary,
    /// Whether `files` is complete: false if the analysis was too large to be kept.
    pub(crate) is_complete: bool,
}

/// The analysis of a source in progress, file by file.
pub(crate) struct SourceAnalyser<'c> {
    scope: &'c SourceScope,
    steps: Steps,
    listed_steps: Steps,
    parsed: ParsedReferences,
    unbound: UnboundReferences,
    near_misses: Vec<(usize, Vec<usize>)>,
    has_resources: bool,
}

impl<'c> SourceAnalyser<'c> {
    pub(crate) fn new(scope: &'c SourceScope) -> Self {
        Self {
            scope,
            steps: Steps::default(),
            listed_steps: Steps::default(),
            parsed: ParsedReferences::default(),
            unbound: UnboundReferences::new(scope.names.clone()),
            near_misses: Vec::new(),
            has_resources: false,
        }
    }

    /// Analyses one file and calls `found` with each finding, in the order of the file.
    pub(crate) fn analyse_file<'s>(
        &mut self,
        position: usize,
        text: &'s str,
        mut found: impl FnMut(Finding<'s>),
    ) {
        let _step = steps::enter(Step::Find);
        let documents = OnceCell::new();
        let documents = || documents.get_or_init(|| split(text)).as_slice();
        let bound = &self.scope.heads;
        let mut heads = bound.all(text);
        self.read_unbound(position, std::mem::take(&mut heads.unbound), documents);
        let near_misses = candidates(text, bound);
        if !near_misses.is_empty() {
            self.near_misses.push((position, near_misses));
        }
        let ranges = match heads.bound.is_empty() && !is_definition(text) {
            true => std::iter::once(0..text.len()).collect(),
            false => without_definitions(documents()),
        };
        let mut texts = ranges.iter().map(|range| &text[range.clone()]);
        if texts.any(stray::may_hold) {
            self.find_strays(position, documents(), &mut found);
        }
        let selects = self.selects(text);
        let mut encoded = Vec::new();
        let may_encode = !self.scope.keep_references && !bound.dialect().only_in_setters();
        if may_encode && bound.names().next().is_some() {
            for range in ranges {
                decoded_kinds(text, range, &mut encoded);
            }
        }
        let has_values = selects || !encoded.is_empty() || !heads.bound.is_empty();
        if !self.scope.resources_only && !has_values {
            return;
        }
        let mut encoded = encoded.into_iter().peekable();
        let mut bound_heads = heads.by_piece();
        for document in documents().iter().copied() {
            if self.scope.resources_only {
                self.check_document(position, document, &mut found);
            }
            let end = document.offset + document.text.len();
            let mut may_hold_encoded = false;
            while encoded.next_if(|at| *at < end).is_some() {
                may_hold_encoded = true;
            }
            if may_hold_encoded {
                self.find_encoded(position, document, &mut found);
            }
            let selects = selects && self.selects(document.text);
            let bound = bound_heads.take(&(document.offset..end));
            if !selects && bound.is_empty() {
                continue;
            }
            let scope = Scope {
                parsed: Some(&self.parsed),
                ..self.scope.of_documents(&self.steps, &self.listed_steps)
            };
            let text = Text::Borrowed(document.text);
            let origin = Origin::Manifest(position);
            let heads = Some(bound);
            let analysis = DocumentAnalysis::of_file(text, document.offset, origin, scope, heads);
            found(Finding::Document(Box::new(analysis)));
        }
    }

    /// Reads the unbound references of a file.
    fn read_unbound<'t, 'd: 't>(
        &mut self,
        position: usize,
        heads: Vec<UnboundHead<'_>>,
        documents: impl FnOnce() -> &'t [Document<'d>],
    ) {
        let context = self.scope.unbound_context(&self.listed_steps);
        self.unbound.read_file(heads, documents, position, context);
    }

    /// Finds documents of landfall's own kinds, and annotations without effect.
    fn find_strays<'s>(
        &self,
        position: usize,
        documents: &[Document<'_>],
        found: &mut impl FnMut(Finding<'s>),
    ) {
        let may_hold = |document: &&Document<'_>| stray::may_hold(document.text);
        for document in documents.iter().filter(may_hold) {
            let severity = self.scope.unbound.severity();
            let view = view(self.scope, &self.listed_steps);
            let strays = stray::find(*document, &self.scope.heads, position, severity, view);
            strays
                .into_iter()
                .map(Finding::Diagnostic)
                .for_each(&mut *found);
        }
    }

    /// Finds references that were encoded before the render.
    fn find_encoded<'s>(
        &self,
        position: usize,
        document: Document<'_>,
        found: &mut impl FnMut(Finding<'s>),
    ) {
        let bound = &self.scope.heads;
        let is_bound = |name: Option<&[u8]>| bound.is_bound(name);
        let view = view(self.scope, &self.listed_steps);
        let errors = encoded_references(document, bound.dialect(), position, view, &is_bound);
        errors.into_iter().map(Finding::Diagnostic).for_each(found);
    }

    /// Checks a document that must be a resource, and adds its marker if it lacks one.
    fn check_document<'s>(
        &mut self,
        position: usize,
        document: Document<'_>,
        found: &mut impl FnMut(Finding<'s>),
    ) {
        if let Some(error) = self.check_resource(position, document) {
            found(Finding::Diagnostic(error));
        }
        if lacks_marker(document) {
            // argocd-cmp-server (3.2.12) silently drops a document that only `...`
            // separates from the one before.
            found(Finding::Edit(Edit {
                span: Span::point(document.offset),
                text: b"---\n".to_vec(),
            }));
        }
    }

    /// Completes the analysis.
    pub(crate) fn finish(self) -> Summary {
        Summary {
            near_misses: self.near_misses,
            compared: self.unbound.compared(),
            has_unbound: self.unbound.has_any(),
            unbound: self.unbound.finish(),
            has_resources: self.has_resources,
            too_many_steps: self.steps.exceeded(),
        }
    }

    /// Whether a text may contain a field binding's target.
    fn selects(&self, text: &str) -> bool {
        !self.scope.keep_references && self.scope.field_bindings.may_select(text)
    }

    /// Returns an error if a document of a folder is neither a resource nor blank.
    fn check_resource(&mut self, position: usize, document: Document<'_>) -> Option<Diagnostic> {
        match resource_check::check(document.text, &self.scope.heads) {
            resource_check::Check::Resource => {
                self.has_resources = self.has_resources || emitted::is_certain(document.text);
                None
            }
            resource_check::Check::Blank => None,
            resource_check::Check::No { at, message } => Some(
                Diagnostic::error(Rule::NotAResource, message)
                    .at_concealed(Origin::Manifest(position), Span::point(at).shifted(document.offset), "this document")
                    .help("every document in an application's folder must be a Kubernetes resource with `apiVersion` and `kind`; exclude other files with `spec.manifests.exclude` in the Binding"),
            ),
        }
    }
}

const fn view<'v>(scope: &'v SourceScope, listed_steps: &'v Steps) -> View<'v> {
    View {
        embedded: &scope.listed,
        steps: listed_steps,
        only_under: None,
        located: None,
    }
}

/// Returns the byte ranges between CustomResourceDefinitions, which are long and are
/// neither Secrets nor Bindings.
fn without_definitions(documents: &[Document<'_>]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for document in documents.iter().filter(|one| !is_definition(one.text)) {
        let bytes = document.offset..document.offset + document.text.len();
        match ranges.last_mut() {
            Some(last) if last.end == bytes.start => last.end = bytes.end,
            _ => ranges.push(bytes),
        }
    }
    ranges
}

/// Searches for the line that declares one. Every document is searched, and most are short.
static DEFINITION: LazyLock<Finder<'static>> =
    LazyLock::new(|| Finder::new("kind: CustomResourceDefinition"));

/// Whether the first lines of a text declare a CustomResourceDefinition.
fn is_definition(text: &str) -> bool {
    let mut rest = &text.as_bytes()[..text.len().min(1024)];
    if DEFINITION.find(rest).is_none() {
        return false;
    }
    for _ in 0..16 {
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        if &rest[..end] == DEFINITION.needle() {
            return true;
        }
        match rest.get(end + 1..) {
            Some(next) => rest = next,
            None => return false,
        }
    }
    false
}

/// Whether a document follows another one and has no `---` of its own.
fn lacks_marker(document: Document<'_>) -> bool {
    let has_one = |line: &str| {
        line.strip_prefix("---")
            .is_some_and(|rest| rest.trim_end().is_empty() || rest.starts_with([' ', '\t']))
    };
    document.offset > 0
        && !document.text.lines().any(has_one)
        && resource_check::first_content(document.text).is_some()
}
