//! What an application renders to with old and with new outputs.

use landfall_comparison::{OnlyHere, SensitiveMarks};
use landfall_sandbox::types::{
    Configuration, Counts, Diagnostic, File, Findings, Label, Origin, OutputsDocument, Severity,
    Topic,
};

use crate::engine::{Answer, Halted, Plugin};

use super::application::Application;
use super::sensitive_marks::sensitive_marks;

/// An application with the module's results for the old and the new outputs.
#[derive(Debug)]
pub(crate) struct RenderedTwice {
    /// Its request has the outputs documents of neither side.
    pub(crate) application: Application,
    /// The path of the folder in diagnostics. None for files that belong to no application.
    pub(crate) folder: Option<String>,
    pub(crate) old: Side,
    pub(crate) new: Side,
    /// What a tool has built for both, if one builds the folder.
    pub(crate) built: Option<BuiltTwice>,
}

/// What a tool has built with old and with new outputs.
#[derive(Debug)]
pub(crate) struct BuiltTwice {
    /// What the manifests are called in diagnostics: `kustomize build apps/web`.
    pub(crate) path: String,
    pub(crate) old: Vec<File>,
    pub(crate) new: Vec<File>,
}

/// The module's result for the outputs of one side. An answer was checked against the
/// contract; findings have an error among them.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) outputs: Vec<OutputsDocument>,
    pub(crate) result: Result<Answer, Findings>,
    pub(crate) sensitive: SensitiveMarks,
}

impl Side {
    /// Returns the errors because of which an outputs document cannot be used.
    pub(crate) fn unusable(&self) -> Vec<Diagnostic> {
        match &self.result {
            Ok(_) => Vec::new(),
            Err(found) => found
                .diagnostics
                .iter()
                .filter(is_unusable)
                .cloned()
                .collect(),
        }
    }

    /// Returns the path and the span of the outputs document that a diagnostic is about.
    pub(crate) fn place(&self, found: &Diagnostic) -> Option<(&str, u32, u32)> {
        let span = found.labels.first()?.span;
        let Origin::Outputs(position) = span.origin else {
            return None;
        };
        let document = self.outputs.get(position as usize)?;
        Some((&document.path, span.start, span.end))
    }

    /// Returns whether an output may be sensitive on one of the sides only.
    pub(crate) fn differs_in_sensitivity(&self, other: &Self) -> bool {
        let is_none = |one: &Self, other: &Self| {
            matches!(one.sensitive.only_here(&other.sensitive), OnlyHere::None)
        };
        !(is_none(self, other) && is_none(other, self))
    }

    /// Finds out which outputs are sensitive.
    ///
    /// # Errors
    /// The module was stopped.
    pub(crate) fn find_sensitive(
        &mut self,
        configuration: &Configuration,
        plugin: &mut Plugin,
    ) -> Result<(), Halted> {
        let (found, omitted) = self.diagnostics();
        // The module doesn't list outputs without a value, and not every error.
        let is_unreadable = |found: &Diagnostic| found.topic == Some(Topic::UnreadableOutput);
        let is_incomplete = omitted.errors > 0 || found.iter().any(is_unreadable);
        self.sensitive = sensitive_marks(&self.outputs, is_incomplete, configuration, plugin)?;
        Ok(())
    }

    /// Conceals the text of diagnostics that may contain the value of an output that is
    /// sensitive only on the other side: all but those that are `known` from there.
    pub(crate) fn conceal(
        &mut self,
        known: &[Diagnostic],
        other: &SensitiveMarks,
        other_name: &str,
    ) {
        let may_contain = match other.only_here(&self.sensitive) {
            OnlyHere::None => return,
            OnlyHere::Output(output) => {
                format!("the value of `{output}`, which is sensitive in the {other_name} outputs")
            }
            OnlyHere::Unknown => {
                format!("a value that is sensitive in the {other_name} outputs")
            }
        };
        let diagnostics = match &mut self.result {
            Ok(answer) => &mut answer.findings.diagnostics,
            Err(found) => &mut found.diagnostics,
        };
        for found in diagnostics {
            if !known.iter().any(|known| has_same_text(known, found)) {
                *found = concealed(found, &may_contain);
            }
        }
    }

    pub(crate) fn diagnostics(&self) -> (&[Diagnostic], Counts) {
        match &self.result {
            Ok(answer) => (&answer.findings.diagnostics, answer.findings.omitted),
            Err(found) => (&found.diagnostics, found.omitted),
        }
    }
}

/// Returns whether both sides have the same diagnostic. Spans in outputs documents differ
/// between the sides.
pub(crate) fn is_same(one: &Diagnostic, other: &Diagnostic) -> bool {
    let span = |found: &Diagnostic| {
        let span = found.labels.first().map(|label| label.span);
        span.filter(|span| !matches!(span.origin, Origin::Outputs(_)))
    };
    (&one.rule, one.severity, &one.message) == (&other.rule, other.severity, &other.message)
        && span(one) == span(other)
}

/// Returns whether both diagnostics have the same text.
fn has_same_text(one: &Diagnostic, other: &Diagnostic) -> bool {
    let labels = |found: &Diagnostic| -> Vec<_> {
        let labels = found.labels.iter();
        labels.map(|label| label.message.clone()).collect()
    };
    is_same(one, other)
        && labels(one) == labels(other)
        && (&one.help, &one.fixes, &one.resource, &one.field)
            == (&other.help, &other.fixes, &other.resource, &other.field)
}

/// Returns a diagnostic with the rule and the locations of another one.
fn concealed(found: &Diagnostic, may_contain: &str) -> Diagnostic {
    let label = |label: &Label| Label {
        message: String::new(),
        conceal: label.conceal || !matches!(label.span.origin, Origin::Manifest(_)),
        ..label.clone()
    };
    Diagnostic {
        message: format!("the message is not shown, because it may contain {may_contain}"),
        labels: found.labels.iter().map(label).collect(),
        help: Some("to see it, use `landfall check` with only these outputs".to_owned()),
        fixes: Vec::new(),
        resource: None,
        field: None,
        ..found.clone()
    }
}

/// Returns whether an error says that an outputs document cannot be used, whatever the
/// manifests contain.
fn is_unusable(found: &&Diagnostic) -> bool {
    let origin = found.labels.first().map(|label| label.span.origin);
    found.severity == Severity::Error
        && found.topic != Some(Topic::ContractViolation)
        && matches!(origin, Some(Origin::Outputs(_)))
}
