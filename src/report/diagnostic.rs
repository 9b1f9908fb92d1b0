//! One finding: what is wrong, its location in every document that is involved, and how to
//! fix it.

use yaml::{Edit, LocateError, Span};

use crate::report::Rule;

/// The document that a span points into, by its position in the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A source file. Under [`crate::process`] it is always 0, the ResourceList.
    Manifest(usize),
    /// An outputs document of the request.
    Outputs(usize),
    /// The Binding.
    Binding,
    /// The operator's policy.
    OperatorPolicy,
    /// The policies set by flags.
    Policy,
    /// The parameters of the request.
    Parameters,
    /// The contract of [`crate::OutputsInputs`].
    Contract,
}

/// Returns the byte at which to show that a text is not YAML: if the parser gave up after all of
/// it, where its last line ends.
pub(crate) fn shown_at(error: &LocateError) -> usize {
    match error.text().split_at_checked(error.at) {
        Some((before, after)) if after.trim().is_empty() => before.trim_end().len(),
        _ => error.at,
    }
}

/// The severity of a diagnostic. With an error, nothing is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably a mistake.
    Warning,
    /// Nothing is rendered.
    Error,
}

/// A location with a message about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The document.
    pub origin: Origin,
    /// The bytes in it.
    pub span: Span,
    /// Shown next to the location; may be empty.
    pub message: String,
    /// Whether only the span's own bytes of its lines may be shown: a secret, or an
    /// output's value, may be next to it.
    pub conceal: bool,
}

/// An exact change that fixes a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What the change does, in the imperative.
    pub title: String,
    /// The document that is changed.
    pub target: Origin,
    /// Ascending and disjoint.
    pub edits: Vec<Edit>,
}

/// The Kubernetes resource that a location belongs to. Strings are empty if the manifest
/// has no value.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceRef {
    /// `apps/v1`
    pub api_version: String,
    /// `Deployment`
    pub kind: String,
    /// `metadata.name`
    pub name: String,
    /// `metadata.namespace`
    pub namespace: String,
}

impl ResourceRef {
    /// Returns the group and the version of its apiVersion: `apps` and `v1` of `apps/v1`;
    /// the group of `v1` is empty.
    pub(crate) fn group_version(&self) -> (&str, &str) {
        group_version(&self.api_version)
    }

    /// Returns its apiVersion and kind.
    pub(crate) fn api_version_and_kind(&self) -> (&str, &str) {
        (&self.api_version, &self.kind)
    }
}

/// Returns the group and the version of an apiVersion.
pub(crate) fn group_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule that was broken.
    pub rule: Rule,
    /// Its severity.
    pub severity: Severity,
    /// One sentence without a full stop and without any value of a sensitive output.
    pub message: String,
    /// The locations; the first is the primary one.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
    /// Fixes, best first.
    pub fixes: Vec<Fix>,
    /// The resource that the primary location belongs to.
    pub resource: Option<ResourceRef>,
    /// The path of the field in that resource: `spec.template.spec`.
    pub field: Option<String>,
}

impl Diagnostic {
    /// Creates an error without a location.
    #[must_use]
    pub fn error(rule: Rule, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            help: None,
            fixes: Vec::new(),
            resource: None,
            field: None,
        }
    }

    /// Creates a warning without a location.
    #[must_use]
    pub fn warning(rule: Rule, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(rule, message)
        }
    }

    /// Creates a note without a location.
    #[must_use]
    pub fn note(rule: Rule, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Note,
            ..Self::error(rule, message)
        }
    }

    /// Adds a location whose lines may be shown.
    #[must_use]
    pub fn at(mut self, origin: Origin, span: Span, message: impl Into<String>) -> Self {
        let message = message.into();
        self.labels.push(Label {
            origin,
            span,
            message,
            conceal: false,
        });
        self
    }

    /// Adds a location of whose lines only the span itself may be shown.
    #[must_use]
    pub fn at_concealed(mut self, origin: Origin, span: Span, message: impl Into<String>) -> Self {
        let message = message.into();
        self.labels.push(Label {
            origin,
            span,
            message,
            conceal: true,
        });
        self
    }

    /// Adds a location in a configuration document. A Binding that is the
    /// functionConfig of a ResourceList may be next to Secrets.
    #[must_use]
    pub(crate) fn in_config(self, origin: Origin, span: Span, message: impl Into<String>) -> Self {
        match origin {
            Origin::Manifest(_) => self.at_concealed(origin, span, message),
            _ => self.at(origin, span, message),
        }
    }

    /// Sets the help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a fix.
    #[must_use]
    pub fn fix(mut self, title: impl Into<String>, target: Origin, edits: Vec<Edit>) -> Self {
        self.fixes.push(Fix {
            title: title.into(),
            target,
            edits,
        });
        self
    }
}
