//! The analysis of all files of a source, before any value is known.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use memchr::memmem::Finder;

use crate::analysis::document::{DocumentAnalysis, Scope, Text};
use crate::analysis::near_miss::candidates;
use crate::analysis::targets::{FieldBindings, Listed, Steps};
use crate::analysis::unbound::{MAX_COMPARED, MeantNames, UnboundContext, UnboundReferences};
use crate::analysis::{View, decoded_kinds, emitted, encoded_references, resource_check, stray};
use crate::config::names::Names;
use crate::config::policy::Unbound;
use crate::kubernetes::types::PatchFiles;
use crate::reference::{Heads, ParsedReferences};
use crate::report::{Diagnostic, Origin, Rule};
use crate::steps::{self, RenderStep};
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
            names: &self.names,
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
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    /// The unbound references of the source.
    pub(crate) unbound: Vec<Diagnostic>,
    /// Whether there are any, reported or not.
    pub(crate) has_unbound: bool,
    /// Whether a document emits a resource whatever the values are, if every document must
    /// be one.
    pub(crate) has_resources: bool,
    /// How many steps it took to follow the paths of field bindings.
    pub(crate) steps: u64,
    /// The same for the paths of embedded documents.
    pub(crate) listed_steps: u64,
    /// The positions in each file of texts that may name an output without being a reference.
    pub(crate) near_misses: Vec<(usize, Vec<usize>)>,
    /// How many letters of unbound names were compared with bound ones.
    pub(crate) compared: u64,
    /// How many numbers its references have.
    pub(crate) references: u32,
}

/// How many numbers the references of a source have before all of it is analysed again: each
/// file that is replaced takes more.
const MAX_NUMBERS: u32 = 1 << 20;

impl Summary {
    /// Whether following the paths of field bindings took too many steps.
    pub(crate) const fn too_many_steps(&self) -> bool {
        self.steps > Steps::limit()
    }
}

/// What is known about one file, apart from its findings.
#[derive(Debug, Default)]
pub(crate) struct FileSummary {
    unbound: UnboundReferences,
    near_misses: Vec<usize>,
    has_resources: bool,
}

/// The analysis of one file.
#[derive(Debug)]
pub(crate) struct FileAnalysis {
    pub(crate) findings: Vec<Finding<'static>>,
    pub(crate) summary: FileSummary,
}

/// The analysis of a source, kept for many renders.
#[derive(Clone, Debug)]
pub(crate) struct Analysis {
    /// `None`: the file has been replaced since.
    pub(crate) files: Vec<Option<Arc<FileAnalysis>>>,
    pub(crate) summary: Summary,
    /// The approximate size of all findings in bytes. `None` if they were too large to be kept.
    pub(crate) weight: Option<usize>,
}

impl Analysis {
    /// Drops what is known about a file. No other file may depend on it.
    pub(crate) fn replaced(&mut self, position: usize) {
        if let Some(file) = self.files.get_mut(position).and_then(Option::take) {
            let weight: usize = file.findings.iter().map(Finding::weight).sum();
            self.weight = self.weight.map(|all| all.saturating_sub(weight));
        }
    }

    /// Analyses the files that have been replaced. Returns `None` if a limit on the work for the
    /// source may have been reached, for only an analysis of all files shows where, or if all
    /// findings are larger than `limit` bytes.
    pub(crate) fn refreshed(
        self,
        texts: &[&str],
        scope: &SourceScope,
        limit: usize,
    ) -> Option<Self> {
        // The values of a render are known by the numbers of references.
        let mut analyser = SourceAnalyser {
            parsed: ParsedReferences::numbered_from(self.summary.references),
            ..SourceAnalyser::new(scope)
        };
        let mut weight = self.weight?;
        let files = self.files.into_iter().zip(texts).enumerate();
        let files: Vec<_> = files
            .map(|(position, (file, text))| {
                file.unwrap_or_else(|| {
                    let mut findings = Vec::new();
                    let summary = analyser.analyse_file(position, text, |finding| {
                        weight += finding.weight();
                        findings.push(finding.into_owned());
                    });
                    Arc::new(FileAnalysis { findings, summary })
                })
            })
            .collect();
        let mut summary = analyser.finish(files.iter().map(|file| &file.summary));
        summary.steps += self.summary.steps;
        summary.listed_steps += self.summary.listed_steps;
        summary.compared += self.summary.compared;
        let is_certain = weight <= limit
            && !summary.too_many_steps()
            && summary.listed_steps <= Steps::limit()
            && summary.compared <= MAX_COMPARED
            && summary.references <= MAX_NUMBERS;
        is_certain.then(|| Self {
            files: files.into_iter().map(Some).collect(),
            summary,
            weight: Some(weight),
        })
    }
}

/// The analysis of a source in progress, file by file.
pub(crate) struct SourceAnalyser<'c> {
    scope: &'c SourceScope,
    steps: Steps,
    listed_steps: Steps,
    parsed: ParsedReferences,
    meant: MeantNames,
}

impl<'c> SourceAnalyser<'c> {
    pub(crate) fn new(scope: &'c SourceScope) -> Self {
        Self {
            scope,
            steps: Steps::default(),
            listed_steps: Steps::default(),
            parsed: ParsedReferences::default(),
            meant: MeantNames::default(),
        }
    }

    /// Analyses one file and calls `found` with each finding, in the order of the file.
    pub(crate) fn analyse_file<'s>(
        &mut self,
        position: usize,
        text: &'s str,
        mut found: impl FnMut(Finding<'s>),
    ) -> FileSummary {
        let _step = steps::enter(RenderStep::Find);
        let documents = OnceCell::new();
        let documents = || documents.get_or_init(|| split(text)).as_slice();
        let bound = &self.scope.heads;
        let mut heads = bound.all(text);
        let context = self.scope.unbound_context(&self.listed_steps);
        let unbound = std::mem::take(&mut heads.unbound);
        let mut summary = FileSummary {
            unbound: UnboundReferences::read(
                unbound,
                documents,
                position,
                context,
                &mut self.meant,
            ),
            near_misses: candidates(text, bound),
            has_resources: false,
        };
        let ranges = if heads.bound.is_empty() && !is_definition(text) {
            std::iter::once(0..text.len()).collect()
        } else {
            without_definitions(documents())
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
            return summary;
        }
        let mut encoded = encoded.into_iter().peekable();
        let mut bound_heads = heads.by_piece();
        for document in documents().iter().copied() {
            if self.scope.resources_only {
                self.check_document(position, document, &mut summary, &mut found);
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
        summary
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
        &self,
        position: usize,
        document: Document<'_>,
        summary: &mut FileSummary,
        found: &mut impl FnMut(Finding<'s>),
    ) {
        if let Some(error) = self.check_resource(position, document, summary) {
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

    /// Returns what is known about the source with these files.
    pub(crate) fn finish<'f>(self, files: impl Iterator<Item = &'f FileSummary>) -> Summary {
        let mut unbound = UnboundReferences::default();
        let mut summary = Summary {
            steps: self.steps.taken(),
            listed_steps: self.listed_steps.taken(),
            compared: self.meant.compared(),
            references: self.parsed.count(),
            ..Summary::default()
        };
        for (position, file) in files.enumerate() {
            unbound.append(&file.unbound);
            summary.has_resources = summary.has_resources || file.has_resources;
            if !file.near_misses.is_empty() {
                summary
                    .near_misses
                    .push((position, file.near_misses.clone()));
            }
        }
        summary.has_unbound = unbound.has_any();
        summary.unbound = unbound.finish(&self.meant);
        summary
    }

    /// Whether a text may contain a field binding's target.
    fn selects(&self, text: &str) -> bool {
        !self.scope.keep_references && self.scope.field_bindings.may_select(text)
    }

    /// Returns an error if a document of a folder is neither a resource nor blank.
    fn check_resource(
        &self,
        position: usize,
        document: Document<'_>,
        summary: &mut FileSummary,
    ) -> Option<Diagnostic> {
        match resource_check::check(document.text, &self.scope.heads) {
            resource_check::Check::Resource => {
                summary.has_resources =
                    summary.has_resources || emitted::is_certain(document.text);
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
