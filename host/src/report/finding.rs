//! Findings with owned locations, independent of the documents.

use std::collections::BTreeSet;

use landfall_sandbox::types as module;
use serde::Serialize;

use super::location::{Location, Locator};
use crate::draw::Documents;

/// All findings of a run.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// In the order of the command line.
    pub(super) findings: Vec<Finding>,
    /// The number of findings that the module did not return.
    pub(crate) omitted: module::Counts,
    /// All manifests that were read, without duplicates.
    pub(super) manifests: Vec<String>,
    /// All outputs documents that were checked without manifests.
    pub(super) outputs: Vec<String>,
    known: BTreeSet<String>,
}

/// One finding.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Finding {
    /// The stable id of the rule; docs/rules.md describes all rules.
    pub(super) rule: String,
    pub(super) severity: Severity,
    /// One sentence, without values of sensitive outputs.
    pub(super) message: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<String>,
    /// The resource that the first location belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) resource: Option<Resource>,
    /// The path of the field in that resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) field: Option<String>,
    /// All locations involved. The first is the primary one.
    pub(super) labels: Vec<Label>,
    /// Changes that fix it, best first.
    pub(super) fixes: Vec<Fix>,
}

/// The severity of a finding. If there is an error, nothing is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) enum Severity {
    Error,
    Warning,
    Note,
}

impl Severity {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A Kubernetes resource. Strings are empty if the manifest does not have the field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Resource {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) namespace: String,
}

/// The document that a location is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) enum Origin {
    Manifest,
    Outputs,
    Binding,
    OperatorPolicy,
    /// The policies that flags set.
    Policy,
    /// The parameters of the request, which are not in a file.
    Parameters,
    /// The contract of outputs documents, in a file of its own.
    Contract,
}

/// A location with a message.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Label {
    pub(super) origin: Origin,
    /// None if the origin is not a file.
    #[serde(flatten)]
    pub(super) location: Option<Location>,
    /// May be empty.
    pub(super) message: String,
}

/// A change that fixes a finding.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Fix {
    /// Describes the change, in the imperative.
    pub(super) title: String,
    /// In ascending order and disjoint. Empty if the text around the location must not
    /// be shown.
    pub(super) edits: Vec<Edit>,
}

/// A replacement of the text at a location.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Edit {
    #[serde(flatten)]
    pub(super) location: Location,
    pub(super) text: String,
}

impl Findings {
    /// Adds findings about `documents`, and the manifests among the documents.
    pub(crate) fn add<'d>(
        &mut self,
        documents: &Documents<'_>,
        diagnostics: impl Iterator<Item = &'d module::Diagnostic>,
    ) {
        for manifest in &documents.manifests {
            if self.known.insert(manifest.path.to_owned()) {
                self.manifests.push(manifest.path.to_owned());
            }
        }
        let locator = Locator::new(documents);
        self.findings
            .extend(diagnostics.map(|diagnostic| Finding::new(diagnostic, &locator)));
    }

    /// Adds the outputs documents that are checked without manifests.
    pub(crate) fn add_outputs(&mut self, documents: &Documents<'_>) {
        for document in &documents.outputs {
            if self.known.insert(document.path.to_owned()) {
                self.outputs.push(document.path.to_owned());
            }
        }
    }

    /// Returns the errors among the findings.
    pub(super) fn into_errors(self) -> Vec<Finding> {
        let findings = self.findings.into_iter();
        findings
            .filter(|found| found.severity == Severity::Error)
            .collect()
    }

    /// Returns the number of findings of a severity, including omitted ones.
    pub(super) fn count(&self, severity: Severity) -> u64 {
        let found = self.findings.iter();
        let kept = found.filter(|found| found.severity == severity).count();
        let omitted = match severity {
            Severity::Error => self.omitted.errors,
            Severity::Warning => self.omitted.warnings,
            Severity::Note => self.omitted.notes,
        };
        omitted.saturating_add(kept as u64)
    }

    /// Formats the number of omitted findings, if any: `63000 more errors not listed here`.
    pub(super) fn more(&self) -> Option<String> {
        let module::Counts {
            errors,
            warnings,
            notes,
        } = self.omitted;
        let counted: Vec<String> = [(errors, "error"), (warnings, "warning"), (notes, "note")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| {
                format!("{count} more {what}{}", if count == 1 { "" } else { "s" })
            })
            .collect();
        match &counted[..] {
            [] => None,
            _ => Some(format!("{} not listed here", counted.join(", "))),
        }
    }
}

impl Finding {
    fn new(diagnostic: &module::Diagnostic, locator: &Locator<'_>) -> Self {
        let labels = diagnostic.labels.iter().map(|label| {
            let span = label.span;
            Label {
                origin: locator.origin(span.origin),
                location: locator.find(span.origin, span.start as usize, span.end as usize),
                message: label.message.clone(),
            }
        });
        let labels = labels.collect();
        let fixes = diagnostic
            .fixes
            .iter()
            .map(|fix| Fix {
                title: fix.title.clone(),
                edits: edits(diagnostic, fix, locator).unwrap_or_default(),
            })
            .collect();
        Self {
            rule: diagnostic.rule.clone(),
            severity: match diagnostic.severity {
                module::Severity::Error => Severity::Error,
                module::Severity::Warning => Severity::Warning,
                module::Severity::Note => Severity::Note,
            },
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            resource: diagnostic.resource.as_ref().map(|resource| Resource {
                api_version: resource.api_version.clone(),
                kind: resource.kind.clone(),
                name: resource.name.clone(),
                namespace: resource.namespace.clone(),
            }),
            field: diagnostic.field.clone().filter(|field| !field.is_empty()),
            labels,
            fixes,
        }
    }

    /// Returns the primary location if it is in a file.
    pub(super) fn primary(&self) -> Option<&Location> {
        self.labels.first()?.location.as_ref()
    }

    /// Returns the messages that are about no location in a file.
    pub(super) fn notes(&self) -> impl Iterator<Item = &str> {
        let labels = self.labels.iter();
        let notes = labels.filter(|label| label.location.is_none() && !label.message.is_empty());
        notes.map(|label| label.message.as_str())
    }

    /// Formats `Deployment/web spec.replicas`.
    pub(super) fn subject(&self) -> Option<String> {
        let resource = self.resource.as_ref().filter(|of| !of.kind.is_empty());
        match (resource, &self.field) {
            (Some(Resource { kind, name, .. }), Some(field)) => {
                Some(format!("{kind}/{name} {field}"))
            }
            (Some(Resource { kind, name, .. }), None) => Some(format!("{kind}/{name}")),
            (None, field) => field.clone(),
        }
    }
}

/// Returns the edits of a fix. None if the new text may contain text around a concealed
/// location, or is not UTF-8.
fn edits(
    diagnostic: &module::Diagnostic,
    fix: &module::Fix,
    locator: &Locator<'_>,
) -> Option<Vec<Edit>> {
    let is_concealed = diagnostic
        .labels
        .iter()
        .any(|label| label.span.origin == fix.target && label.conceal);
    if is_concealed || matches!(fix.target, module::Origin::Outputs(_)) {
        return None;
    }
    fix.edits
        .iter()
        .map(|edit| {
            Some(Edit {
                location: locator.find(fix.target, edit.start as usize, edit.end as usize)?,
                text: String::from_utf8(edit.text.clone()).ok()?,
            })
        })
        .collect()
}

impl From<module::Origin> for Origin {
    fn from(origin: module::Origin) -> Self {
        match origin {
            module::Origin::Manifest(_) => Self::Manifest,
            module::Origin::Outputs(_) => Self::Outputs,
            module::Origin::Binding => Self::Binding,
            module::Origin::OperatorPolicy => Self::OperatorPolicy,
            module::Origin::Policy => Self::Policy,
            module::Origin::Parameters => Self::Parameters,
        }
    }
}
