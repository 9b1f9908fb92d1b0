//! Diagnostics, and how many there were.

use serde::Serialize;

use super::places::Places;
use super::text;
use crate::positions::Range;

/// What a check reports.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Findings {
    /// Everything that is to be reported, in the order of the documents; up to a
    /// thousand.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// How many more there were. An error is never left out because of a warning or a
    /// note.
    pub(crate) omitted: Counts,
}

/// A number for each severity.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Counts {
    /// Errors.
    #[cfg_attr(test, ts(type = "number"))]
    errors: u64,
    /// Warnings.
    #[cfg_attr(test, ts(type = "number"))]
    warnings: u64,
    /// Notes.
    #[cfg_attr(test, ts(type = "number"))]
    notes: u64,
}

/// One finding: what is wrong, where, and how to fix it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diagnostic {
    /// The rule that was broken: `unknown-output`.
    rule: String,
    /// Errors leave nothing rendered.
    severity: Severity,
    /// One sentence without a full stop, without any value of a sensitive output.
    message: String,
    /// The places; the first is the primary one.
    labels: Vec<Label>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    help: Option<String>,
    /// Changes that fix it, best first.
    fixes: Vec<Fix>,
    /// The resource that the primary place belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    resource: Option<Resource>,
    /// The path of the field in that resource: `spec.template.spec`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    field: Option<String>,
}

/// How much a finding weighs.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) enum Severity {
    Error,
    Warning,
    Note,
}

/// The document that a place is in: manifests and outputs by their positions in the
/// input.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) enum Origin {
    Manifest(usize),
    Outputs(usize),
    Binding,
    OperatorPolicy,
    Parameters,
    Policy,
}

/// A place with what is to be said of it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Label {
    /// The document.
    origin: Origin,
    /// The place in it.
    range: Range,
    /// Said beside the place; may be empty.
    message: String,
    /// Show nothing of these lines but the range itself: a secret, or an output's
    /// value, may stand around it.
    conceal: bool,
}

/// Replace a range by a text.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Edit {
    /// Of the document as it is, before any edit.
    range: Range,
    /// What stands there afterwards.
    text: String,
}

/// An exact change that fixes a finding.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fix {
    /// What the change does, in the imperative.
    title: String,
    /// The document that is changed.
    origin: Origin,
    /// Ascending and disjoint.
    edits: Vec<Edit>,
}

/// A Kubernetes resource. Empty strings where the manifest does not say.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Resource {
    /// `apps/v1`
    api_version: String,
    /// `Deployment`
    kind: String,
    /// `metadata.name`
    name: String,
    /// `metadata.namespace`
    namespace: String,
}

impl Findings {
    pub(super) fn new(found: landfall::Diagnostics, places: &mut Places<'_>) -> Self {
        let landfall::Counts {
            errors,
            warnings,
            notes,
        } = found.omitted();
        Self {
            diagnostics: found
                .into_iter()
                .map(|found| Diagnostic::new(found, places))
                .collect(),
            omitted: Counts {
                errors,
                warnings,
                notes,
            },
        }
    }
}

impl Diagnostic {
    fn new(found: landfall::Diagnostic, places: &mut Places<'_>) -> Self {
        let label = |label: landfall::Label, places: &mut Places<'_>| Label {
            origin: label.origin.into(),
            range: places.range(label.origin, label.span),
            message: label.message,
            conceal: label.conceal,
        };
        let fix = |fix: landfall::Fix, places: &mut Places<'_>| Fix {
            title: fix.title,
            origin: fix.target.into(),
            edits: fix
                .edits
                .into_iter()
                .map(|edit| Edit {
                    range: places.range(fix.target, edit.span),
                    text: text(edit.text),
                })
                .collect(),
        };
        let labels = found.labels.into_iter();
        let fixes = found.fixes.into_iter();
        Self {
            rule: found.rule.id().to_owned(),
            severity: match found.severity {
                landfall::Severity::Error => Severity::Error,
                landfall::Severity::Warning => Severity::Warning,
                landfall::Severity::Note => Severity::Note,
            },
            message: found.message,
            labels: labels.map(|found| label(found, places)).collect(),
            help: found.help,
            fixes: fixes.map(|found| fix(found, places)).collect(),
            resource: found.resource.map(Resource::from),
            field: found.field,
        }
    }
}

impl From<landfall::Origin> for Origin {
    fn from(origin: landfall::Origin) -> Self {
        match origin {
            landfall::Origin::Manifest(at) => Self::Manifest(at),
            landfall::Origin::Outputs(at) => Self::Outputs(at),
            landfall::Origin::Binding => Self::Binding,
            landfall::Origin::OperatorPolicy => Self::OperatorPolicy,
            landfall::Origin::Policy => Self::Policy,
            landfall::Origin::Parameters => Self::Parameters,
        }
    }
}

impl From<landfall::ResourceRef> for Resource {
    fn from(resource: landfall::ResourceRef) -> Self {
        Self {
            api_version: resource.api_version,
            kind: resource.kind,
            name: resource.name,
            namespace: resource.namespace,
        }
    }
}
