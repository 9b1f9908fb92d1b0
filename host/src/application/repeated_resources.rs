//! Resources that an application emits twice. Argo CD applies only the last of them
//! (`DeduplicateTargetObjects` in controller/state.go, argo-cd v3.2.12), and kubectl one after
//! the other.
//!
//! The lines of the rendered documents are searched for what identifies a resource, because
//! most documents are not parsed anywhere else. A document in which these lines are not written
//! plainly is skipped.

mod identity;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use landfall_sandbox::types::{BuiltInCeiling, Counts, Diagnostic, Label, Origin, Severity, Span};
use memchr::memmem::Finder;

use crate::engine::Answer;
use crate::loading::Job;
use crate::problem::{HostRule, Problem};
use crate::rendered::Application;
use crate::settings::Destination;
use crate::splice::Spliced;

use identity::{Identity, Keys};

/// How many repeated resources are reported for one application.
const MAX_REPORTED: usize = 100;

/// Returns what is repeated in the rendered files of an application, and how many other
/// repeated resources there are.
pub(crate) fn find_repeated(
    job: &Job<'_>,
    application: &Application,
    answer: &Answer,
) -> (Vec<Diagnostic>, Counts) {
    let mut repeated = Repeated {
        severity: match job.ceiling.built_in {
            BuiltInCeiling::ArgoCd => Severity::Error,
            BuiltInCeiling::None => Severity::Warning,
        },
        separator: Finder::new(b"\n---"),
        keys: Keys::new(),
        first: HashMap::new(),
        found: Vec::new(),
        omitted: Counts::default(),
    };
    if matches!(job.destination, Destination::InPlace { .. }) {
        return (repeated.found, repeated.omitted);
    }
    // Files outside of an application need not be applied together.
    let is_one_application = application.request.inputs.resources_only;
    for (nth, file) in application.edited(&answer.sources).enumerate() {
        if !is_one_application {
            repeated.first.clear();
            // Files from which a tool builds the manifests.
            if file.source.target.is_none() {
                continue;
            }
        }
        if let Ok(spliced) = file.edited() {
            repeated.file(nth, spliced);
        }
    }
    (repeated.found, repeated.omitted)
}

/// The search in the files of one application.
struct Repeated<'a> {
    severity: Severity,
    separator: Finder<'static>,
    keys: Keys,
    /// The first resource with each identity, which is hashed.
    first: HashMap<u64, Resource<'a>>,
    found: Vec<Diagnostic>,
    omitted: Counts,
}

/// A resource in a rendered file.
#[derive(Clone, Copy)]
struct Resource<'a> {
    /// The position of its file.
    file: usize,
    source: Spliced<'a>,
    start: usize,
    end: usize,
    /// The first byte of the line with its name, before it is rendered.
    name: usize,
}

impl<'a> Repeated<'a> {
    fn file(&mut self, file: usize, source: Spliced<'a>) {
        let text = source.original();
        let mut start = 0;
        loop {
            let end = self.separator.find(&text[start..]);
            let end = end.map_or(text.len(), |at| start + at + 1);
            let range = start..end;
            if let Some(identity) = self.keys.identity(source, range) {
                let resource = Resource {
                    file,
                    source,
                    start,
                    end,
                    name: identity.at,
                };
                self.add(&identity, resource);
            }
            if end == text.len() {
                return;
            }
            start = end;
        }
    }

    fn add(&mut self, identity: &Identity<'_>, resource: Resource<'a>) {
        let mut hasher = DefaultHasher::new();
        identity.parts().hash(&mut hasher);
        let first = *self.first.entry(hasher.finish()).or_insert(resource);
        if (first.file, first.start) == (resource.file, resource.start) {
            return;
        }
        let is_equal = first.written() == resource.written();
        if self.found.len() >= MAX_REPORTED {
            match (is_equal, self.severity) {
                (true, _) => self.omitted.notes += 1,
                (false, Severity::Error) => self.omitted.errors += 1,
                (false, _) => self.omitted.warnings += 1,
            }
            return;
        }
        let [_, kind, namespace, name] = identity.parts().map(String::from_utf8_lossy);
        let message = if namespace.is_empty() {
            format!("the {kind} `{name}` is in the manifests twice")
        } else {
            format!("the {kind} `{name}` in the namespace `{namespace}` is in the manifests twice")
        };
        let (severity, help) = if is_equal {
            (Severity::Note, "both are the same: remove one of them")
        } else {
            (
                self.severity,
                "remove one of them: Argo CD applies only the last, and kubectl one after the other",
            )
        };
        let problem = Problem::new(HostRule::RepeatedResource, message)
            .severity(severity)
            .at(resource.label("this one is applied last"))
            .at(first.label("the first"))
            .help(help);
        self.found.push(problem.diagnostic());
    }
}

impl Resource<'_> {
    fn label(&self, message: &str) -> Label {
        let at = u32::try_from(self.name).unwrap_or(u32::MAX);
        Label {
            span: Span {
                origin: Origin::Manifest(u32::try_from(self.file).unwrap_or(u32::MAX)),
                start: at,
                end: at,
            },
            message: message.to_owned(),
            conceal: false,
        }
    }

    /// Returns the document before it is rendered, without the marker before it and the blanks
    /// around it: whether two are equal must not depend on sensitive values.
    fn written(&self) -> &[u8] {
        let text = self.source.original();
        let document = text.get(self.start..self.end).unwrap_or_default();
        document
            .strip_prefix(b"---")
            .unwrap_or(document)
            .trim_ascii()
    }
}
