//! Everything in sources and configuration documents that names an output or a bound name.

use std::ops::Range;

use crate::analysis::document::TextAt;
use crate::analysis::source::{Finding, SourceAnalyser};
use crate::assist::subject::Subject;
use crate::assist::written;
use crate::config::Config;
use crate::contract::{Application, Request, Sources, not_utf8};
use crate::outputs::{Bindings, OutputsDocument};
use crate::reference::{Dialect, Heads, Path, Step, Template};
use crate::report::{Diagnostic, Diagnostics, Origin, Severity};
use yaml::{Edit, Span};

/// One place that names an output or a bound name.
#[derive(Debug)]
pub(super) struct Mention {
    pub(super) origin: Origin,
    /// The bytes of the reference; in a configuration document those of a whole scalar.
    pub(super) whole: Span,
    pub(super) names: PathSteps,
    /// `None` if it doesn't name the subject.
    pub(super) found: Option<Found>,
}

/// A path as it is looked up, however it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathSteps {
    pub(super) binding: Option<String>,
    pub(super) steps: Vec<Step>,
}

/// A place that names the subject.
#[derive(Debug)]
pub(super) struct Found {
    /// The bytes of the subject's name.
    pub(super) span: Span,
    /// `None` if the new name cannot be written here, or there is none.
    pub(super) renamed: Option<Renamed>,
}

/// A place after its rename.
#[derive(Debug)]
pub(super) struct Renamed {
    pub(super) edits: Vec<Edit>,
    pub(super) names: PathSteps,
}

/// Where a subject is searched.
#[derive(Clone, Copy)]
pub(super) struct Searched<'s> {
    pub(super) sources: &'s Sources,
    pub(super) request: &'s Request,
    /// Documents of the kind OutputsContract.
    pub(super) contracts: &'s [Config],
}

/// The search for everything that names a subject.
pub(super) struct Search<'s> {
    pub(super) subject: &'s Subject,
    /// The new name, for a rename.
    pub(super) to: Option<&'s str>,
    pub(super) dialect: &'static dyn Dialect,
    pub(super) bindings: &'s Bindings,
    /// Whether the text of a scalar may be a document, depending on values: quotes that suit
    /// the one may not suit the other.
    needs_no_quotes: bool,
    pub(super) mentions: Vec<Mention>,
    /// Why some places may be missing.
    pub(super) problems: Diagnostics,
}

impl PathSteps {
    pub(super) fn of(path: &Path) -> Self {
        let steps = path.segments.iter().map(|segment| segment.step.clone());
        Self {
            binding: path.binding.clone(),
            steps: steps.collect(),
        }
    }
}

impl Searched<'_> {
    /// Returns everything that names an output or a bound name, in the order of the sources, the
    /// Binding and the contracts. Those of `subject` have what they are after a rename to `to`.
    pub(super) fn mentions(
        self,
        subject: &Subject,
        to: Option<&str>,
    ) -> (Vec<Mention>, Diagnostics) {
        let request = with_all_names(self.request);
        let (config, _) = request.application.effective();
        let (bindings, _) = Bindings::read(&self.request.outputs, &config.declarations);
        let scope = self.sources.scope_for(&request);
        let mut search = Search {
            subject,
            to,
            dialect: config.dialect,
            bindings: &bindings,
            needs_no_quotes: false,
            mentions: Vec::new(),
            problems: Diagnostics::default(),
        };
        let mut analyser = SourceAnalyser::new(&scope);
        for (file, text) in self.sources.texts().enumerate() {
            match text {
                Ok(text) => drop(analyser.analyse_file(file, text, |finding| {
                    search.add_finding(Origin::Manifest(file), &finding);
                })),
                Err(error) => search.problems.push(not_utf8(file, error)),
            }
        }
        search.add_binding(&request.application, &scope.heads);
        for (nth, contract) in self.contracts.iter().enumerate() {
            search.add_contract(contract, Origin::Outputs(self.request.outputs.len() + nth));
        }
        (search.mentions, search.problems)
    }
}

/// Returns a request that binds all names of an application, also those without a document, and
/// renders references.
fn with_all_names(request: &Request) -> Request {
    let mut request = request.clone();
    request.keep_references = false;
    let unpublished = request
        .known_names
        .iter()
        .filter(|known| known.bound_by.is_none());
    let mut names: Vec<String> = unpublished.map(|known| known.name.clone()).collect();
    names.extend(bound_names(&request.application));
    for name in names {
        if request.outputs.iter().all(|document| document.name != name) {
            request.outputs.push(OutputsDocument {
                name,
                ..OutputsDocument::default()
            });
        }
    }
    request
}

fn bound_names(application: &Application) -> Vec<String> {
    let (binding, _) = application.binding();
    binding.bound_names().cloned().collect()
}

impl Search<'_> {
    fn add_finding(&mut self, origin: Origin, finding: &Finding<'_>) {
        let Finding::Document(analysis) = finding else {
            return;
        };
        if let Some(unparsed) = analysis.unparsed()
            && unparsed.text.contains(self.name())
        {
            for (_, found) in unparsed.findings.iter() {
                if found.severity == Severity::Error {
                    self.problems.push(concealed(found));
                }
            }
        }
        self.needs_no_quotes = analysis.is_decided_by_values();
        analysis.for_each_reference(origin, &mut |reference, text, whole| {
            reference.for_each_path(&mut |path| self.add_path(origin, path, text, whole));
        });
    }

    /// Returns what the places that name the subject contain.
    fn name(&self) -> &str {
        self.subject.path.first().unwrap_or(&self.subject.name)
    }

    /// Adds a path of a reference.
    pub(super) fn add_path(&mut self, origin: Origin, path: &Path, text: &TextAt<'_>, whole: Span) {
        let is_subject = self.subject.is_in(path, self.bindings);
        let found = is_subject.then(|| Found {
            span: text.span(&self.name_in(path)),
            renamed: self.to.and_then(|to| self.renamed_path(path, to, text)),
        });
        self.mentions.push(Mention {
            origin,
            whole,
            names: PathSteps::of(path),
            found,
        });
    }

    /// Returns the bytes of the subject's name in a path.
    fn name_in(&self, path: &Path) -> Range<usize> {
        let last = self.subject.path.len().checked_sub(1);
        match last.and_then(|last| path.segments.get(last)) {
            Some(segment) => segment.range.clone(),
            None => binding_range(path),
        }
    }

    fn renamed_path(&self, path: &Path, to: &str, text: &TextAt<'_>) -> Option<Renamed> {
        let mut names = PathSteps::of(path);
        if self.subject.path.is_empty() {
            names.binding = Some(to.to_owned());
            let edits = vec![written::replaced(text, &binding_range(path), to)];
            return Some(Renamed { edits, names });
        }
        let (name, edit) = self.names_in_dialect(path, to).find_map(|name| {
            let edit = written::renamed(text, path, &name, self.dialect)?;
            Some((name, edit))
        })?;
        let has_quotes = edit.text.iter().any(|byte| b"\"'".contains(byte));
        if has_quotes && self.needs_no_quotes || self.is_variable_of_another(path, &name) {
            return None;
        }
        if let Some(first) = names.steps.first_mut() {
            *first = Step::Key(name);
        }
        let edits = vec![edit];
        Some(Renamed { edits, names })
    }

    /// Returns how a path may name the output with the new name: a variable has `_` for its `-`
    /// and `.`.
    fn names_in_dialect(&self, path: &Path, to: &str) -> impl Iterator<Item = String> {
        let variable = self.is_variable(path).then(|| to.replace(['-', '.'], "_"));
        std::iter::once(to.to_owned()).chain(variable)
    }

    fn is_variable(&self, path: &Path) -> bool {
        path.binding.is_none() && self.dialect.notation().names_variables
    }

    /// Whether a path would name the output of another bound name.
    fn is_variable_of_another(&self, path: &Path, name: &str) -> bool {
        let target = self.bindings.target(None, name.into());
        self.is_variable(path)
            && target
                .is_some_and(|target| target.binding != self.subject.name || target.output != name)
    }
}

/// Returns an error without the lines around it: they may be those of a Secret.
fn concealed(error: &Diagnostic) -> Diagnostic {
    let mut error = error.clone();
    for label in &mut error.labels {
        label.conceal = true;
    }
    error
}

fn binding_range(path: &Path) -> Range<usize> {
    let start = path.range.start;
    start..start + path.binding.as_ref().map_or(0, String::len)
}

impl Search<'_> {
    /// Returns whether the subject is an output of a bound name.
    pub(super) fn is_output_of(&self, name: &str, output: &str) -> bool {
        self.subject.name == name && self.subject.path == [output]
    }

    /// Returns whether the subject is a bound name.
    pub(super) fn is_bound_name(&self, name: &str) -> bool {
        self.subject.name == name && self.subject.path.is_empty()
    }

    /// Adds the references of a field binding's value, which is in the Binding.
    pub(super) fn add_template(&mut self, origin: Origin, text: &TextAt<'_>, heads: &Heads) {
        self.needs_no_quotes = false;
        let (template, _) = Template::parse(text.text, heads);
        for reference in &template.references {
            let whole = text.span(&reference.range);
            reference.for_each_path(&mut |path| self.add_path(origin, path, text, whole));
        }
    }
}
