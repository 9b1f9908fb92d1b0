//! One case rendered with two sensitive values: any difference between the two reveals
//! something about them.

use std::collections::{BTreeMap, BTreeSet};

use landfall::{
    Config, Content, Diagnostic, File, Label, Origin, Request, Rule, Severity, Sources, splice,
};

use super::case::Case;

/// A ceiling that allows sensitive values in Secrets, as far as a Binding does.
const OPERATOR: &str = "apiVersion: landfall.dev/v1alpha1
kind: OperatorPolicy
spec: {sensitiveContract: allow}
";

/// The visible result of one render.
struct VisibleResult {
    /// The rendered manifest and the report of substitutions; `None` if it failed.
    rendered: Option<(String, String)>,
    diagnostics: Vec<Diagnostic>,
    outputs: Vec<u8>,
}

/// The outcome of a case, to check that all of them occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Both values are rendered.
    Rendered,
    /// Neither is.
    Failed,
    /// One of the two values failed where sensitive values are allowed.
    Differs,
}

/// Compares two renders.
///
/// # Errors
/// The difference that depends on the sensitive value and must not.
pub fn compare(case: &Case) -> Result<Outcome, String> {
    let [one, other] = case
        .requests
        .each_ref()
        .map(|request| render(case, request));
    let difference = if case.is_strict {
        any_difference(&one, &other)
    } else {
        difference_outside_secrets(&one, &other).or_else(|| difference_under_ceiling(case))
    };
    if let Some(what) = difference {
        let content = |nth: usize| String::from_utf8_lossy(&case.requests[nth].outputs[0].content);
        let binding = case.requests[0].configuration().binding.as_ref();
        let binding = binding.map(|binding| String::from_utf8_lossy(&binding.content));
        return Err(format!(
            "{what}\nof\n{}\n{}\n{}\n{}",
            case.manifest,
            binding.unwrap_or_default(),
            content(0),
            content(1),
        ));
    }
    Ok(match (&one.rendered, &other.rendered) {
        (Some(_), Some(_)) => Outcome::Rendered,
        (None, None) => Outcome::Failed,
        _ => Outcome::Differs,
    })
}

fn render(case: &Case, request: &Request) -> VisibleResult {
    let source = case.manifest.as_bytes();
    let sources = Sources::new(vec![File {
        path: "manifest.yaml".into(),
        content: source.to_vec(),
    }]);
    let outputs = request.outputs[0].content.clone();
    match sources.generate(request) {
        Err(diagnostics) => VisibleResult {
            rendered: None,
            diagnostics: diagnostics.to_vec(),
            outputs,
        },
        Ok(answer) => {
            let output = match answer.sources.first() {
                Some(Content::Edited(edits)) => splice(source, edits).unwrap_or_default(),
                _ => source.to_vec(),
            };
            let mut report = String::new();
            for one in answer
                .substitutions
                .iter()
                .flat_map(|report| &report.substitutions)
            {
                let mut one = one.clone();
                // It counts the bytes of the rendered file, which contain the value.
                one.result_span = (0, 0);
                let span = one.output_span.take();
                let definition = span.map(|(start, _)| position(&outputs, start));
                report.push_str(&format!("{one:?} {definition:?}\n"));
            }
            VisibleResult {
                rendered: Some((String::from_utf8_lossy(&output).into_owned(), report)),
                diagnostics: answer.diagnostics.to_vec(),
                outputs,
            }
        }
    }
}

/// Returns line and column, as hosts show them.
fn position(content: &[u8], at: usize) -> (usize, usize) {
    let before = &content[..at.min(content.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count();
    let column = before
        .iter()
        .rev()
        .take_while(|byte| **byte != b'\n')
        .count();
    (line + 1, column + 1)
}

/// Formats a diagnostic as hosts show it.
fn reported(diagnostic: &Diagnostic, outputs: &[u8]) -> String {
    let mut diagnostic = diagnostic.clone();
    let labels = std::mem::take(&mut diagnostic.labels);
    let formatted = |label: &Label| match label.origin {
        Origin::Outputs(_) => {
            let start = position(outputs, label.span.start);
            let end = position(outputs, label.span.end);
            format!("{start:?}-{end:?} {} {}", label.message, label.conceal)
        }
        _ => format!("{label:?}"),
    };
    let labels: Vec<String> = labels.iter().map(formatted).collect();
    format!("{diagnostic:?} {labels:?}")
}

impl VisibleResult {
    fn reported(&self) -> Vec<String> {
        let diagnostics = self.diagnostics.iter();
        diagnostics
            .map(|diagnostic| reported(diagnostic, &self.outputs))
            .collect()
    }
}

/// Nothing may differ: sensitive values are allowed nowhere.
fn any_difference(one: &VisibleResult, other: &VisibleResult) -> Option<String> {
    if one.rendered != other.rendered {
        return Some(format!(
            "what is rendered depends on a sensitive value:\n{:?}\n{:?}\n{}",
            one.rendered,
            other.rendered,
            changed_lines(&one.reported(), &other.reported())
        ));
    }
    (one.reported() != other.reported()).then(|| {
        format!(
            "diagnostics depend on a sensitive value:\n{}",
            changed_lines(&one.reported(), &other.reported())
        )
    })
}

/// Under a ceiling that allows sensitive values in Secrets, a failing render shows the
/// same for every value that fails: not even which of its references did.
fn difference_under_ceiling(case: &Case) -> Option<String> {
    let [one, other] = case.requests.each_ref().map(|request| {
        let mut request = request.clone();
        request.configure(|configuration| {
            configuration.ceiling.operator_policy = Some(Config {
                path: "operator.yaml".into(),
                content: OPERATOR.into(),
            });
        });
        render(case, &request)
    });
    let has_failed = |result: &VisibleResult| result.rendered.is_none();
    let is_contract = |found: &Diagnostic| found.rule == Rule::ContractViolation;
    if !has_failed(&one)
        || !has_failed(&other)
        || one
            .diagnostics
            .iter()
            .chain(&other.diagnostics)
            .any(is_contract)
    {
        return None;
    }
    (one.reported() != other.reported()).then(|| {
        format!(
            "under a ceiling diagnostics depend on a sensitive value:\n{}",
            changed_lines(&one.reported(), &other.reported())
        )
    })
}

/// Returns the lines that only one of the two has.
fn changed_lines(one: &[String], other: &[String]) -> String {
    let only = |these: &[String], those: &[String], mark: &str| -> String {
        let only = these.iter().filter(|line| !those.contains(line));
        only.map(|line| format!("{mark} {line}\n")).collect()
    };
    only(one, other, "-") + &only(other, one, "+")
}

/// Whether a diagnostic reports a failure on a sensitive value.
fn is_failure(diagnostic: &Diagnostic) -> bool {
    matches!(
        diagnostic.rule,
        Rule::SensitiveFailure
            | Rule::RequiredOutput
            | Rule::SecretDataNotBase64
            | Rule::ContractViolation
            | Rule::ConflictingSubstitutions
    )
}

/// Sensitive values are allowed in Secrets, where the bytes may differ, and whether a
/// function failed. Everything else is equal, and so is the text of the failures.
fn difference_outside_secrets(one: &VisibleResult, other: &VisibleResult) -> Option<String> {
    rendered_difference(one, other)
        .or_else(|| failure_difference(one, other))
        .or_else(|| diagnostics_difference(one, other))
}

/// Compares the reports, and the documents that may not contain sensitive values.
fn rendered_difference(one: &VisibleResult, other: &VisibleResult) -> Option<String> {
    let ((one, report), (other, other_report)) =
        one.rendered.as_ref().zip(other.rendered.as_ref())?;
    if report != other_report {
        return Some(format!("the reports differ:\n{report}\n{other_report}"));
    }
    (public_documents(one) != public_documents(other))
        .then(|| format!("public documents differ:\n{one}\n{other}"))
}

fn public_documents(text: &str) -> Vec<&str> {
    let documents = text.split("---\n");
    let may_hold_secret = |text: &&str| text.contains("Secret") || text.contains("kind: Pod");
    documents.filter(|text| !may_hold_secret(text)).collect()
}

/// Compares the failures that both have. A failed field has no further diagnostics, and a
/// contract violation is reported alone.
fn failure_difference(one: &VisibleResult, other: &VisibleResult) -> Option<String> {
    let others = failures(other);
    failures(one).into_iter().find_map(|(key, reported)| {
        let other_reported = others.get(&key)?;
        (reported != *other_reported)
            .then(|| format!("a failure depends on the value:\n{reported:#?}\n{other_reported:#?}"))
    })
}

/// Returns the formatted failures, grouped by first label and message.
fn failures(result: &VisibleResult) -> BTreeMap<String, BTreeSet<String>> {
    let mut failures: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for diagnostic in result.diagnostics.iter().filter(|found| is_failure(found)) {
        // The message names the stage that failed, and with `required` the label does:
        // the failed stage may differ.
        let label = diagnostic.labels.first();
        let label = label.map(|label| (label.origin, label.span, &label.message));
        failures
            .entry(format!("{label:?} {}", diagnostic.message))
            .or_default()
            .insert(reported(diagnostic, &result.outputs));
    }
    failures
}

/// Compares the diagnostics that do not follow from a failure in either result.
fn diagnostics_difference(one: &VisibleResult, other: &VisibleResult) -> Option<String> {
    let both = || one.diagnostics.iter().chain(&other.diagnostics);
    if both().any(|found| found.rule == Rule::ContractViolation) {
        return None;
    }
    let field = |found: &Diagnostic| format!("{:?} {:?}", found.resource, found.field);
    let failed_fields: BTreeSet<String> = both()
        .filter(|found| is_failure(found))
        .map(field)
        .collect();
    let has_errors = both().any(|found| found.severity == Severity::Error);
    let is_compared = |found: &&Diagnostic| {
        let follows_from_error = has_errors && found.rule == Rule::UnusedOutput;
        !is_failure(found) && !failed_fields.contains(&field(found)) && !follows_from_error
    };
    let public = |result: &VisibleResult| -> Vec<String> {
        let compared = result.diagnostics.iter().filter(is_compared);
        compared
            .map(|found| reported(found, &result.outputs))
            .collect()
    };
    (public(one) != public(other)).then(|| {
        format!(
            "diagnostics depend on a sensitive value:\n{}",
            changed_lines(&public(one), &public(other))
        )
    })
}
