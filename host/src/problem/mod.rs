//! Problems that the host finds itself, before and after it calls the module, such as
//! files that cannot be read or written. They become diagnostics and are reported like
//! those of the module. Each room words its own; here are those of files and folders, which
//! many rooms read.

mod file;
mod folder;
mod remote;
mod repeated;
mod rule;

use landfall_sandbox::types::{Diagnostic, Label, Origin, Severity, Span, Topic};

use repeated::Common;

pub(crate) use file::{is_pattern, reason};
pub(crate) use remote::is_remote;
pub(crate) use repeated::diagnostics;
pub(crate) use rule::HostRule;

/// Builds the diagnostic of a problem.
#[derive(Debug)]
pub(crate) struct Problem {
    found: Box<Diagnostic>,
    /// What other files may have in common with it: it is reported once.
    common: Option<Common>,
    /// Whether it is that an outputs document does not exist, which may be allowed.
    is_absence: bool,
}

impl Problem {
    /// Creates an error about a file, a folder or a flag as a whole.
    pub(crate) fn new(rule: HostRule, message: impl Into<String>) -> Self {
        Self::of_module(rule.id(), message)
    }

    /// Creates an error under a rule of the module.
    pub(crate) fn of_module(rule: &str, message: impl Into<String>) -> Self {
        Self {
            found: Box::new(Diagnostic {
                rule: rule.to_owned(),
                topic: None,
                severity: Severity::Error,
                message: message.into(),
                labels: Vec::new(),
                help: None,
                fixes: Vec::new(),
                resource: None,
                field: None,
            }),
            common: None,
            is_absence: false,
        }
    }

    /// Creates an error about a lack of resources, under the module's rule.
    pub(crate) fn no_resources(message: impl Into<String>) -> Self {
        let mut problem = Self::of_module("no-manifests", message);
        problem.found.topic = Some(Topic::NoResources);
        problem
    }

    /// Adds a place in a document. The first is what it is about.
    pub(crate) fn at(mut self, place: Label) -> Self {
        self.found.labels.push(place);
        self
    }

    /// Sets the help.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.found.help = Some(help.into());
        self
    }

    /// Makes it a warning or a note.
    pub(crate) fn severity(mut self, severity: Severity) -> Self {
        self.found.severity = severity;
        self
    }

    /// Says that it is that an outputs document does not exist.
    pub(crate) const fn absence(mut self) -> Self {
        self.is_absence = true;
        self
    }

    /// Turns the absence of an outputs document into a warning, or into a note if it
    /// `may_be_absent`. Returns other problems unchanged.
    pub(crate) fn into_optional(mut self, may_be_absent: bool) -> Self {
        if !self.is_absence {
            return self;
        }
        let (severity, consequence) = if may_be_absent {
            (Severity::Note, "it is optional")
        } else {
            (Severity::Warning, "references to it are left as they are")
        };
        self.found.severity = severity;
        self.found.message = format!("{}; {consequence}", self.found.message);
        self
    }

    /// Returns its diagnostic.
    pub(crate) fn diagnostic(self) -> Diagnostic {
        *self.found
    }
}

/// Creates a label of the bytes in the Binding that name a file.
pub(crate) fn named_here(start: u32, end: u32) -> Label {
    let origin = Origin::Binding;
    Label {
        span: Span { origin, start, end },
        message: "named here".to_owned(),
        conceal: false,
    }
}
