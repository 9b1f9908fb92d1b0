//! Diagnostics and their counts.

use serde::Serialize;

use super::ranges::RangeConverter;
use crate::positions::Range;

/// The result of a check.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Findings {
    /// At most 1,000 diagnostics, in the order of the documents.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The number of other diagnostics. Warnings and notes are omitted before errors.
    pub(crate) omitted: Counts,
}

/// Counts by severity.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Counts {
    /// The number of errors.
    #[cfg_attr(test, ts(type = "number"))]
    errors: u64,
    /// The number of warnings.
    #[cfg_attr(test, ts(type = "number"))]
    warnings: u64,
    /// The number of notes.
    #[cfg_attr(test, ts(type = "number"))]
    notes: u64,
}

/// A problem, its location, and how to fix it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diagnostic {
    /// The rule: `unknown-output`.
    rule: String,
    /// If there is an error, nothing is rendered.
    severity: Severity,
    /// One sentence without a full stop and without values of sensitive outputs.
    message: String,
    /// The locations. The first is the primary one.
    labels: Vec<Label>,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    help: Option<String>,
    /// Changes that fix it, best first.
    fixes: Vec<Fix>,
    /// The resource that contains the primary location.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    resource: Option<Resource>,
    /// The path of the field in that resource: `spec.template.spec`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    field: Option<String>,
}

/// The severity of a diagnostic.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) enum Severity {
    Error,
    Warning,
    Note,
}

/// A document of the input: manifests and outputs by their index.
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

/// A location with a message.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Label {
    /// The document.
    origin: Origin,
    /// The range in the document.
    range: Range,
    /// May be empty.
    message: String,
    /// Whether to show only the range itself, because the rest of its lines may contain a
    /// secret or the value of an output.
    conceal: bool,
}

/// A replacement of a range.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Edit {
    /// The range in the document before any edits.
    pub(crate) range: Range,
    /// The new text.
    pub(crate) text: String,
}

/// A change that fixes a problem.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fix {
    /// Describes the change, in the imperative.
    title: String,
    /// The document to change.
    origin: Origin,
    /// In ascending order and disjoint.
    edits: Vec<Edit>,
}

/// A Kubernetes resource. Strings are empty if the manifest does not have the field.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Resource {
    /// `apps/v1`
    pub(crate) api_version: String,
    /// `Deployment`
    pub(crate) kind: String,
    /// `metadata.name`
    pub(crate) name: String,
    /// `metadata.namespace`
    pub(crate) namespace: String,
}

impl Findings {
    pub(crate) fn new(found: landfall::Diagnostics, ranges: &mut RangeConverter<'_>) -> Self {
        let landfall::Counts {
            errors,
            warnings,
            notes,
        } = found.omitted();
        Self {
            diagnostics: found
                .into_iter()
                .map(|found| Diagnostic::new(found, ranges))
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
    fn new(found: landfall::Diagnostic, ranges: &mut RangeConverter<'_>) -> Self {
        let label = |label: landfall::Label, ranges: &mut RangeConverter<'_>| Label {
            origin: label.origin.into(),
            range: ranges.range(label.origin, label.span),
            message: label.message,
            conceal: label.conceal,
        };
        let fix = |fix: landfall::Fix, ranges: &mut RangeConverter<'_>| Fix {
            title: fix.title,
            origin: fix.target.into(),
            edits: ranges.edits(fix.target, fix.edits),
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
            labels: labels.map(|found| label(found, ranges)).collect(),
            help: found.help,
            fixes: fixes.map(|found| fix(found, ranges)).collect(),
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
            // Only a sample is made of one, which is the first manifest.
            landfall::Origin::Contract => Self::Manifest(0),
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
