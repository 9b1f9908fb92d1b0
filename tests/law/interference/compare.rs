//! One case rendered with two sensitive values: what differs between the two reveals
//! something of them.

use std::collections::{BTreeMap, BTreeSet};

use landfall::{
    Config, Content, Diagnostic, File, Label, Origin, Request, Rule, Severity, Sources, splice,
};

use super::case::Case;

/// A ceiling that lets sensitive values into Secrets, as far as a Binding does.
const OPERATOR: &str = "apiVersion: landfall.dev/v1alpha1
kind: OperatorPolicy
spec: {sensitiveContract: allow}
";

/// What one render shows.
struct Shown {
    /// The rendered manifest and the report of substitutions; none when it failed.
    rendered: Option<(String, String)>,
    diagnostics: Vec<Diagnostic>,
    outputs: Vec<u8>,
}

/// How a case went, to see that all ways are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Way {
    Rendered,
    Failed,
    /// One of the two values failed where sensitive values may land.
    Differs,
}

/// Holds two renders against each other.
///
/// # Errors
/// What in them depends on the sensitive value and may not.
pub(crate) fn compare(case: &Case) -> Result<Way, String> {
    let [one, other] = case.requests.each_ref().map(|request| shown(case, request));
    let difference = match case.is_strict {
        true => strict(&one, &other),
        false => loose(&one, &other).or_else(|| sealed(case)),
    };
    if let Some(what) = difference {
        let content = |nth: usize| String::from_utf8_lossy(&case.requests[nth].outputs[0].content);
        let binding = case.requests[0].binding.as_ref();
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
        (Some(_), Some(_)) => Way::Rendered,
        (None, None) => Way::Failed,
        _ => Way::Differs,
    })
}

fn shown(case: &Case, request: &Request) -> Shown {
    let source = case.manifest.as_bytes();
    let sources = Sources::new(vec![File {
        path: "manifest.yaml".into(),
        content: source.to_vec(),
    }]);
    let outputs = request.outputs[0].content.clone();
    match sources.generate(request) {
        Err(diagnostics) => Shown {
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
                // It counts the bytes of the rendered file, which hold the value.
                one.result_span = (0, 0);
                let definition = one.output_span.take();
                let definition = definition.map(|(start, _)| position(&outputs, start));
                report.push_str(&format!("{one:?} {definition:?}\n"));
            }
            Shown {
                rendered: Some((String::from_utf8_lossy(&output).into_owned(), report)),
                diagnostics: answer.diagnostics.to_vec(),
                outputs,
            }
        }
    }
}

/// Line and column, as hosts show them.
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

/// A diagnostic as hosts show it.
fn reported(diagnostic: &Diagnostic, outputs: &[u8]) -> String {
    let mut diagnostic = diagnostic.clone();
    let labels = std::mem::take(&mut diagnostic.labels);
    let place = |label: &Label| match label.origin {
        Origin::Outputs(_) => {
            let start = position(outputs, label.span.start);
            let end = position(outputs, label.span.end);
            format!("{start:?}-{end:?} {} {}", label.message, label.conceal)
        }
        _ => format!("{label:?}"),
    };
    let labels: Vec<String> = labels.iter().map(place).collect();
    format!("{diagnostic:?} {labels:?}")
}

impl Shown {
    fn reported(&self) -> Vec<String> {
        let diagnostics = self.diagnostics.iter();
        diagnostics
            .map(|diagnostic| reported(diagnostic, &self.outputs))
            .collect()
    }
}

/// Nothing may differ: no sensitive value lands anywhere.
fn strict(one: &Shown, other: &Shown) -> Option<String> {
    if one.rendered != other.rendered {
        return Some(format!(
            "what is rendered depends on a sensitive value:\n{:?}\n{:?}\n{}",
            one.rendered,
            other.rendered,
            difference(&one.reported(), &other.reported())
        ));
    }
    (one.reported() != other.reported()).then(|| {
        format!(
            "diagnostics depend on a sensitive value:\n{}",
            difference(&one.reported(), &other.reported())
        )
    })
}

/// Under a ceiling that lets sensitive values into Secrets, a failing render shows the
/// same for every value that fails: not even which of its references did.
fn sealed(case: &Case) -> Option<String> {
    let [one, other] = case.requests.each_ref().map(|request| {
        let mut request = request.clone();
        request.ceiling.operator_policy = Some(Config {
            path: "operator.yaml".into(),
            content: OPERATOR.into(),
        });
        shown(case, &request)
    });
    let has_failed = |shown: &Shown| shown.rendered.is_none();
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
            difference(&one.reported(), &other.reported())
        )
    })
}

/// The lines that only one of two has.
fn difference(one: &[String], other: &[String]) -> String {
    let only = |these: &[String], those: &[String], mark: &str| -> String {
        let only = these.iter().filter(|line| !those.contains(line));
        only.map(|line| format!("{mark} {line}\n")).collect()
    };
    only(one, other, "-") + &only(other, one, "+")
}

/// Whether a diagnostic says that something failed on a sensitive value.
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

/// Sensitive values may land in Secrets: there the bytes differ, and whether a function
/// failed. All else is equal, and so are the words of the failures.
fn loose(one: &Shown, other: &Shown) -> Option<String> {
    if let (Some((one, report)), Some((other, other_report))) = (&one.rendered, &other.rendered) {
        if report != other_report {
            return Some(format!("the reports differ:\n{report}\n{other_report}"));
        }
        let public = |text: &str| -> Vec<String> {
            let documents = text.split("---\n");
            let may_hold = |text: &&str| text.contains("Secret") || text.contains("kind: Pod");
            let public = documents.filter(|text| !may_hold(text));
            public.map(str::to_owned).collect()
        };
        if public(one) != public(other) {
            return Some(format!("public documents differ:\n{one}\n{other}"));
        }
    }
    // A failed field has no further diagnostics, and a broken contract is all there is.
    let failures = |shown: &Shown| -> BTreeMap<String, BTreeSet<String>> {
        let mut failures: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for diagnostic in shown.diagnostics.iter().filter(|found| is_failure(found)) {
            // The message names the stage that failed, and with `required` the label does:
            // which one did may differ.
            let first = diagnostic.labels.first();
            let place = first.map(|label| (label.origin, label.span, &label.message));
            let key = format!("{place:?} {}", diagnostic.message);
            failures
                .entry(key)
                .or_default()
                .insert(reported(diagnostic, &shown.outputs));
        }
        failures
    };
    let (failed, other_failed) = (failures(one), failures(other));
    for (key, words) in &failed {
        if let Some(other_words) = other_failed.get(key)
            && words != other_words
        {
            return Some(format!(
                "a failure depends on the value:\n{words:#?}\n{other_words:#?}"
            ));
        }
    }
    let both = || one.diagnostics.iter().chain(&other.diagnostics);
    if both().any(|found| found.rule == Rule::ContractViolation) {
        return None;
    }
    let fields: BTreeSet<String> = both()
        .filter(|found| is_failure(found))
        .map(|found| format!("{:?} {:?}", found.resource, found.field))
        .collect();
    let has_errors = both().any(|found| found.severity == Severity::Error);
    let public = |shown: &Shown| -> Vec<String> {
        let diagnostics = shown.diagnostics.iter();
        let compared = diagnostics.filter(|found| {
            let field = format!("{:?} {:?}", found.resource, found.field);
            let follows = has_errors && found.rule == Rule::UnusedOutput;
            !(is_failure(found) || fields.contains(&field) || follows)
        });
        compared
            .map(|found| reported(found, &shown.outputs))
            .collect()
    };
    (public(one) != public(other)).then(|| {
        format!(
            "diagnostics depend on a sensitive value:\n{}",
            difference(&public(one), &public(other))
        )
    })
}
