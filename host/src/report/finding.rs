//! Findings that outlive the documents they are about.

use std::collections::BTreeSet;

use landfall_sandbox::types as module;
use serde::Serialize;

use super::place::{Place, Places};
use crate::draw::Documents;

/// Everything that was found in a run.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// In the order of the command line.
    pub(super) findings: Vec<Finding>,
    /// How many more the module found.
    pub(crate) omitted: module::Counts,
    /// Every manifest that was read, once.
    pub(super) manifests: Vec<String>,
    known: BTreeSet<String>,
}

/// One finding.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Finding {
    /// The stable id of the rule that was broken; docs/rules.md has them all.
    pub(super) rule: String,
    pub(super) severity: Severity,
    /// One sentence, without any value of a sensitive output.
    pub(super) message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<String>,
    /// The resource that the first place belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) resource: Option<Resource>,
    /// The path of the field in that resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) field: Option<String>,
    /// Every place that has a part in it; the first is the primary one.
    pub(super) labels: Vec<Label>,
    /// Changes that fix it, best first.
    pub(super) fixes: Vec<Fix>,
}

/// How much a finding weighs. With an error nothing is rendered.
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

/// A Kubernetes resource. Empty where the manifest does not say.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Resource {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) namespace: String,
}

/// Which kind of document a place is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) enum Origin {
    Manifest,
    Outputs,
    Binding,
    OperatorPolicy,
    /// The policies by flags.
    Policy,
    /// The parameters of the request, which are no file.
    Parameters,
}

/// A place with what is to be said of it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Label {
    pub(super) origin: Origin,
    /// None where the origin is no file.
    #[serde(flatten)]
    pub(super) place: Option<Place>,
    /// May be empty.
    pub(super) message: String,
}

/// A change that fixes a finding.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Fix {
    /// What the change does, in the imperative.
    pub(super) title: String,
    /// Ascending and disjoint. Empty where the text around the place is not to
    /// be shown.
    pub(super) edits: Vec<Edit>,
}

/// Replace the bytes of a place by a text.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Edit {
    #[serde(flatten)]
    pub(super) place: Place,
    pub(super) text: String,
}

impl Findings {
    /// Adds findings about `documents`, and the manifests among these.
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
        let places = Places::new(documents);
        self.findings
            .extend(diagnostics.map(|diagnostic| Finding::new(diagnostic, &places)));
    }

    /// How many findings weigh so much, with those that were left out.
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

    /// `63000 more errors were found`, where any were left out: errors first.
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
    fn new(diagnostic: &module::Diagnostic, places: &Places<'_>) -> Self {
        let labels = diagnostic.labels.iter().map(|label| {
            let span = label.span;
            Label {
                origin: span.origin.into(),
                place: places.find(span.origin, span.start as usize, span.end as usize),
                message: label.message.clone(),
            }
        });
        let labels = labels.collect();
        let fixes = diagnostic
            .fixes
            .iter()
            .map(|fix| Fix {
                title: fix.title.clone(),
                edits: edits(diagnostic, fix, places).unwrap_or_default(),
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

    /// The first place, when it is one in a file.
    pub(super) fn primary(&self) -> Option<&Place> {
        self.labels.first()?.place.as_ref()
    }

    /// `Deployment/web spec.replicas`
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

/// None where the new text may hold what stands around a concealed place, or is
/// no text.
fn edits(
    diagnostic: &module::Diagnostic,
    fix: &module::Fix,
    places: &Places<'_>,
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
                place: places.find(fix.target, edit.start as usize, edit.end as usize)?,
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
