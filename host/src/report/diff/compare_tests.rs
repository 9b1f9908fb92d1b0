//! Tests of comparisons with made-up answers of the module.

use landfall_sandbox::types::{BuiltInCeiling, Ceiling, Content, EditList, File, Findings};
use serde_json::{Value as Json, json};

use crate::engine::{Answer, Request};
use crate::rendered::{Application, Source};
use crate::report::substitutions::Report;

use super::super::{Change, OtherChange};
use super::compare;

const SOURCE: &str = "a: ${x}\nb: ${y}\n";

fn application() -> Application {
    let mut application = Application::new(Request::new(Ceiling {
        built_in: BuiltInCeiling::None,
        operator_policy: None,
    }));
    let path = "a.yaml".to_owned();
    let source = Source::written(path.clone(), path.clone());
    let content = SOURCE.into();
    application.add(File { path, content }, source);
    application
}

/// Returns an answer that replaces `${x}` by `text`. `substitutions` are the result span,
/// value, kind of resource and sensitivity of each substitution.
fn answer(text: &str, substitutions: &[((usize, usize), &str, &str, bool)]) -> Answer {
    let substitutions: Vec<Json> = substitutions
        .iter()
        .map(|(result, value, kind, sensitive)| {
            json!({
                "file": 0, "start": 3, "end": 7, "resultSpan": [result.0, result.1],
                "reference": "${x}", "output": "x", "type": "string", "value": value,
                "sensitive": sensitive, "resource": {"kind": kind}, "field": "a"
            })
        })
        .collect();
    let report =
        json!({"apiVersion": "landfall.dev/report/v1alpha1", "substitutions": substitutions});
    Answer {
        sources: vec![Content::Edited(EditList {
            text: text.into(),
            offsets: vec![3, 7, text.len().try_into().unwrap()],
        })],
        built: Vec::new(),
        findings: Findings::default(),
        substitutions: Some(report.to_string().into_bytes()),
    }
}

/// Formats the changes between two answers.
#[track_caller]
fn check(old: &Answer, new: &Answer, expect: &[&str]) {
    let application = application();
    let reports = [old, new].map(|answer| Report::of(answer).unwrap());
    let (changes, other_changes) = compare(
        &application,
        Some((old, &reports[0])),
        (new, &reports[1]),
        &|_| false,
    )
    .unwrap();
    let changes = changes.iter().map(|change: &Change| {
        let (old, new) = change.values();
        format!("{}:{} {old} -> {new}", change.path, change.line)
    });
    let others = other_changes.iter().map(|other: &OtherChange| {
        let OtherChange {
            path,
            line,
            from,
            to,
        } = other;
        format!("{path}:{line} {from:?} {to:?}")
    });
    assert_eq!(changes.chain(others).collect::<Vec<_>>(), expect);
}

#[test]
fn values_are_compared_by_their_rendered_bytes() {
    let one = answer("one", &[((3, 6), "one", "A", false)]);
    let two = answer("two", &[((3, 6), "two", "A", false)]);
    check(&one, &two, &["a.yaml:1 \"one\" -> \"two\""]);
    check(&one, &one, &[]);
    // The same bytes, although the report says otherwise.
    check(&one, &answer("one", &[((3, 6), "x", "A", false)]), &[]);
    // The same value, written differently.
    let quoted = answer("\"one\"", &[((3, 8), "one", "A", false)]);
    check(&one, &quoted, &["a.yaml:1 one -> \"one\""]);
}

#[test]
fn sensitive_values_are_compared_but_not_shown() {
    let one = answer("one", &[((3, 6), "(sensitive)", "Secret", true)]);
    let two = answer("two", &[((3, 6), "(sensitive)", "Secret", true)]);
    check(&one, &two, &["a.yaml:1 (sensitive) -> (sensitive)"]);
    check(&one, &one, &[]);
    let public = answer("two", &[((3, 6), "two", "Secret", false)]);
    check(&one, &public, &["a.yaml:1 (sensitive) -> (sensitive)"]);
    check(&public, &one, &["a.yaml:1 (sensitive) -> (sensitive)"]);
}

/// The same value next to another that changed is no change of its own.
#[test]
fn a_value_that_is_written_differently_with_another() {
    let old = [((3, 7), "x", "A", false), ((3, 7), "y", "A", false)];
    let new = [((3, 7), "x", "A", false), ((3, 7), "z", "A", false)];
    check(
        &answer("eHk=", &old),
        &answer("eHo=", &new),
        &["a.yaml:1 \"y\" -> \"z\""],
    );
}

#[test]
fn a_reference_that_one_side_does_not_replace() {
    let none = answer("one", &[]);
    let one = answer("two", &[((3, 6), "two", "A", false)]);
    check(&none, &one, &["a.yaml:1 (none) -> \"two\""]);
    check(&one, &none, &["a.yaml:1 \"two\" -> (none)"]);
}

#[test]
fn text_that_belongs_to_no_value() {
    // The value is not in the part that differs.
    let value = ((6, 6), "", "A", false);
    let old = answer("1, x", &[value]);
    let new = answer("2, x", &[value]);
    check(&old, &new, &["a.yaml:1 Some(\"1, x\") Some(\"2, x\")"]);
    let secret = ((6, 6), "", "Secret", false);
    let old = answer("1, x", &[secret]);
    let new = answer("2, x", &[secret]);
    check(&old, &new, &["a.yaml:1 None None"]);
    // Without any reference, the text may be of a Secret.
    check(
        &answer("1, x", &[]),
        &answer("2, x", &[]),
        &["a.yaml:1 None None"],
    );
}
