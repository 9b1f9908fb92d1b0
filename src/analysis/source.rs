//! One source, all of its files: everything that is known before any value is.

use std::cell::OnceCell;
use std::ops::Range;

use crate::analysis::document::{DocumentAnalysis, Scope, Text};
use crate::analysis::targets::{FieldBindings, Listed, Steps};
use crate::analysis::unbound::{self, UnboundReferences};
use crate::analysis::{View, decoded_kinds, encoded_references, resource, stray};
use crate::config::names::Names;
use crate::config::policy::Unbound;
use crate::reference::Heads;
use crate::report::{Diagnostic, Origin, Rule};
use yaml::{Document, Edit, Span, split};

/// What the analysis of a source depends on beside its bytes.
#[derive(Debug)]
pub(crate) struct SourceScope {
    pub(crate) heads: Heads,
    pub(crate) field_bindings: FieldBindings,
    /// The embedded documents that the Binding lists.
    pub(crate) listed: Listed,
    pub(crate) names: Names,
    pub(crate) unbound: Unbound,
    /// Every document must be a Kubernetes resource.
    pub(crate) resources_only: bool,
    /// References stay as they are; setter comments are rendered.
    pub(crate) keep_references: bool,
}

impl SourceScope {
    /// Returns the scope of the documents of this source. `steps` and `listed_steps`:
    /// what following field paths may still cost.
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
            only_under: None,
            unfinished: None,
        }
    }
}

/// One thing that is found in a file, in the file's order.
#[derive(Debug)]
pub(crate) enum Finding<'s> {
    /// Something is wrong, whatever the values are.
    Diagnostic(Diagnostic),
    /// The file is edited, whatever the values are.
    Edit(Edit),
    /// A document has references, or nodes that field bindings change.
    Document(Box<DocumentAnalysis<'s>>),
}

impl Finding<'_> {
    /// Returns about how many bytes the finding takes.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Diagnostic(_) | Self::Edit(_) => size_of::<Self>(),
            Self::Document(analysis) => size_of::<Self>() + analysis.weight(),
        }
    }

    /// Returns the same finding with a text of its own.
    pub(crate) fn into_owned(self) -> Finding<'static> {
        match self {
            Self::Diagnostic(diagnostic) => Finding::Diagnostic(diagnostic),
            Self::Edit(edit) => Finding::Edit(edit),
            Self::Document(analysis) => Finding::Document(Box::new(analysis.into_owned())),
        }
    }
}

/// What is known of a source once all of its files have been analysed.
#[derive(Debug)]
pub(crate) struct Summary {
    /// The unbound references of the source.
    pub(crate) unbound: Vec<Diagnostic>,
    /// How many documents are resources, if every document must be one.
    pub(crate) resources: usize,
    /// Following the paths of field bindings takes more steps than it may.
    pub(crate) too_many_steps: bool,
}

/// The analysis of a source, kept for many renders.
#[derive(Debug)]
pub(crate) struct Analysis {
    /// The findings of each file.
    pub(crate) files: Vec<Vec<Finding<'static>>>,
    pub(crate) summary: Summary,
    /// False: it was too large to be kept, and `files` lacks findings.
    pub(crate) is_whole: bool,
}

/// The analysis of a source under way, file after file.
pub(crate) struct SourceAnalyser<'c> {
    scope: &'c SourceScope,
    steps: Steps,
    listed_steps: Steps,
    unbound: UnboundReferences,
    resources: usize,
}

impl<'c> SourceAnalyser<'c> {
    pub(crate) fn new(scope: &'c SourceScope) -> Self {
        Self {
            scope,
            steps: Steps::default(),
            listed_steps: Steps::default(),
            unbound: UnboundReferences::new(scope.names.clone()),
            resources: 0,
        }
    }

    const fn view(&self) -> View<'_> {
        View {
            embedded: &self.scope.listed,
            steps: &self.listed_steps,
            only_under: None,
            located: None,
        }
    }

    /// Analyses one file and hands each finding on.
    pub(crate) fn file<'s>(
        &mut self,
        position: usize,
        text: &'s str,
        mut found: impl FnMut(Finding<'s>),
    ) {
        let SourceScope {
            heads: bound,
            resources_only,
            keep_references,
            ..
        } = self.scope;
        let documents = OnceCell::new();
        let documents = || documents.get_or_init(|| split(text)).as_slice();
        let mut heads = bound.all(text);
        let view = View {
            embedded: &self.scope.listed,
            steps: &self.listed_steps,
            only_under: None,
            located: None,
        };
        let scope = unbound::Scope {
            heads: bound,
            view,
            policy: self.scope.unbound,
            setters_only: *keep_references,
        };
        let unbound = std::mem::take(&mut heads.unbound);
        self.unbound.read(unbound, documents, position, scope);
        let stretches = match heads.bound.is_empty() && !is_definition(text) {
            true => std::iter::once(0..text.len()).collect(),
            false => without_definitions(documents()),
        };
        let mut texts = stretches.iter().map(|stretch| &text[stretch.clone()]);
        if texts.any(stray::may_hold) {
            let may_hold = |document: &&Document<'_>| stray::may_hold(document.text);
            for document in documents().iter().filter(may_hold) {
                let strays = stray::find(*document, bound, position);
                strays
                    .into_iter()
                    .map(Finding::Diagnostic)
                    .for_each(&mut found);
            }
        }
        let selects = self.selects(text);
        let mut encoded = Vec::new();
        if !keep_references && bound.names().next().is_some() {
            for stretch in stretches {
                decoded_kinds(text, stretch, &mut encoded);
            }
        }
        if !resources_only && !selects && encoded.is_empty() && heads.bound.is_empty() {
            return;
        }
        let mut encoded = encoded.into_iter().peekable();
        for document in documents().iter().copied() {
            if *resources_only {
                if let Some(error) = self.check_resource(position, document) {
                    found(Finding::Diagnostic(error));
                }
                if lacks_marker(document) {
                    // argocd-cmp-server (3.2.12) drops, in silence, a document that only
                    // `...` parts from the one before.
                    found(Finding::Edit(Edit {
                        span: Span::point(document.offset),
                        text: b"---\n".to_vec(),
                    }));
                }
            }
            let end = document.offset + document.text.len();
            let mut may_hold_encoded = false;
            while encoded.next_if(|at| *at < end).is_some() {
                may_hold_encoded = true;
            }
            if may_hold_encoded {
                let is_bound = |name: Option<&[u8]>| bound.is_bound(name);
                let dialect = bound.dialect();
                let errors =
                    encoded_references(document, dialect, position, self.view(), &is_bound);
                errors
                    .into_iter()
                    .map(Finding::Diagnostic)
                    .for_each(&mut found);
            }
            let selects = selects && self.selects(document.text);
            if !selects && !heads.any_in(document.offset..end) {
                continue;
            }
            let scope = self.scope.of_documents(&self.steps, &self.listed_steps);
            let text = Text::Borrowed(document.text);
            let origin = Origin::Manifest(position);
            let analysis = DocumentAnalysis::of_file(text, document.offset, origin, scope);
            found(Finding::Document(Box::new(analysis)));
        }
    }

    /// Ends the analysis.
    pub(crate) fn finish(self) -> Summary {
        Summary {
            unbound: self.unbound.finish(),
            resources: self.resources,
            too_many_steps: self.steps.exceeded(),
        }
    }

    /// Whether a text may hold a field binding's target.
    fn selects(&self, text: &str) -> bool {
        !self.scope.keep_references && self.scope.field_bindings.may_select(text)
    }

    /// Every document of a folder is a resource, or holds nothing at all.
    fn check_resource(&mut self, position: usize, document: Document<'_>) -> Option<Diagnostic> {
        match resource::check(document.text, &self.scope.heads) {
            resource::Check::Resource => {
                self.resources += 1;
                None
            }
            resource::Check::Blank => None,
            resource::Check::No { at, message } => Some(
                Diagnostic::error(Rule::NotAResource, message)
                    .at_concealed(Origin::Manifest(position), Span::point(at).shifted(document.offset), "this document")
                    .help("every document in an application's folder must be a Kubernetes resource with `apiVersion` and `kind`; exclude other files with `spec.manifests.exclude` in the Binding"),
            ),
        }
    }
}

/// The stretches of a text between its CustomResourceDefinitions: those are long, and
/// neither Secrets nor Bindings.
fn without_definitions(documents: &[Document<'_>]) -> Vec<Range<usize>> {
    let mut stretches: Vec<Range<usize>> = Vec::new();
    for document in documents.iter().filter(|one| !is_definition(one.text)) {
        let bytes = document.offset..document.offset + document.text.len();
        match stretches.last_mut() {
            Some(last) if last.end == bytes.start => last.end = bytes.end,
            _ => stretches.push(bytes),
        }
    }
    stretches
}

/// Whether the first document of a text says so in its first lines.
fn is_definition(text: &str) -> bool {
    let head = &text.as_bytes()[..text.len().min(1024)];
    let mut lines = head.split(|byte| *byte == b'\n').take(16);
    lines.any(|line| line == b"kind: CustomResourceDefinition")
}

/// Whether a document follows another one and has no `---` of its own.
fn lacks_marker(document: Document<'_>) -> bool {
    let has_one = |line: &str| {
        line.strip_prefix("---")
            .is_some_and(|rest| rest.trim_end().is_empty() || rest.starts_with([' ', '\t']))
    };
    document.offset > 0
        && !document.text.lines().any(has_one)
        && resource::first_content(document.text).is_some()
}
