//! Excerpts show nothing of a Secret, nor of a value that a sensitive output replaces.

use serde_json::json;

use crate::render::{outputs, render, request};
use crate::shown::shown;

/// Renders a manifest that contains `hunter2` where it must not be shown, and expects an
/// error.
#[track_caller]
fn check(manifest: &str, rule: &str) {
    let mut document: serde_json::Value = serde_json::from_slice(&outputs([
        ("a".to_owned(), &json!("x")),
        ("list".to_owned(), &json!(["x"])),
        ("secret".to_owned(), &json!("s")),
    ]))
    .unwrap();
    document["secret"]["sensitive"] = json!(true);
    let request = request(serde_json::to_vec(&document).unwrap());
    let diagnostics = render(manifest.as_bytes(), &request).unwrap_err();
    assert!(
        diagnostics.iter().any(|found| found.rule.id() == rule),
        "{diagnostics:#?}"
    );
    let shown = shown(manifest, &diagnostics);
    assert!(!shown.contains("hunter2"), "{shown}\nof {diagnostics:#?}");
}

#[test]
fn conceals_a_line_that_shares_text_of_a_secret() {
    check(
        "{kind: List, apiVersion: v1, items: [{apiVersion: v1, kind: Secret, stringData: {p: hunter2}}, {apiVersion: v1, kind: ConfigMap, data: {a: \"${infra.nosuch}\"}}]}\n",
        "unknown-output",
    );
}

#[test]
fn conceals_lines_around_a_secret_between_two_labels() {
    check(
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  ${infra.a}: 1\n  inner:\n    {kind: Secret, data: {p: hunter2}}\n  \"${infra.a}\": 2\n",
        "duplicate-key",
    );
}

#[test]
fn conceals_a_secret_without_an_api_version() {
    check(
        "kind: Secret\nstringData: {p: hunter2, q: \"${infra.nosuch}\"}\n",
        "unknown-output",
    );
    check(
        "kind: SecretList\nitems:\n- data: {p: hunter2, q: \"${infra.nosuch}\"}\n",
        "unknown-output",
    );
}

/// kustomize generates Secrets from these texts.
#[test]
fn conceals_the_literals_of_generated_secrets() {
    check(
        "kind: Kustomization\nsecretGenerator:\n- name: db\n  literals: [p=hunter2, \"q=${infra.nosuch}\"]\n",
        "unknown-output",
    );
    check(
        "secretGenerator: [{name: \"${infra.nosuch}\", literals: [p=hunter2]}]\n",
        "unknown-output",
    );
}

#[test]
fn conceals_the_literals_of_generated_secrets_that_are_not_yaml() {
    check(
        "secretGenerator:\n- literals:\n  - p=hunter2: x: y\n  - q=${infra.a}\n",
        "document-is-not-yaml",
    );
}

/// A broken reference is shown from its start, but not with its fallback.
#[test]
fn conceals_the_text_in_a_reference_of_a_secret() {
    for (text, rule) in [
        ("${infra.a | default(\"hunter2\")", "unterminated-reference"),
        ("${infra.a | default(\"x\"hunter2)}", "invalid-reference"),
        (
            "${infra.a | default(\"hunter2\")\n  q: [",
            "unterminated-reference",
        ),
    ] {
        let secret = format!("apiVersion: v1\nkind: Secret\nstringData:\n  p: {text}\n");
        check(&secret, rule);
    }
}

#[test]
fn conceals_possible_secrets() {
    for kind in ["${infra.nosuch}", "${infra.secret}", "*kind"] {
        check(
            &format!(
                "x: &kind Secret\napiVersion: v1\nkind: {kind}\ndata: {{p: hunter2, q: \"${{infra.nosuch}}\"}}\n"
            ),
            "unknown-output",
        );
    }
    check(
        "<<: *base\nstringData: {p: hunter2, q: \"${infra.nosuch}\"}\n",
        "unknown-output",
    );
}

#[test]
fn conceals_the_text_of_a_scalar_in_a_secret() {
    check(
        "apiVersion: v1\nkind: Secret\nstringData:\n  p: hunter2${infra.a} # landfall: ${infra.a}\n",
        "conflicting-substitutions",
    );
    check(
        "apiVersion: v1\nkind: Secret\nstringData:\n  p: \"hunter2 ${infra.list}\"\n",
        "type-mismatch",
    );
}

#[test]
fn conceals_the_value_under_a_sensitive_setter() {
    check(
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  p: hunter2 # landfall: ${infra.secret}\n",
        "sensitive-output",
    );
    check(
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  p: hunter2 # landfall: ${infra.nosuch | default(infra.secret)}\n  q: {r: ${infra.nosuch}}\n",
        "sensitive-output",
    );
    check(
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  p: |  # landfall: ${infra.secret}\n    hunter2\n  q: ${infra.nosuch}\n",
        "sensitive-output",
    );
    check(
        "a: [\nb: hunter2 # landfall: ${infra.secret}\nc: ${infra.a}\n",
        "document-is-not-yaml",
    );
}

#[test]
fn the_column_of_a_setter_reveals_nothing_of_the_value_before_it() {
    let labels = |value: &str| {
        let manifest = format!(
            "apiVersion: v1\nkind: ConfigMap\ndata:\n  p: {value} # landfall: ${{infra.secret}}\n"
        );
        let mut document: serde_json::Value =
            serde_json::from_slice(&outputs([("secret".to_owned(), &json!("s"))])).unwrap();
        document["secret"]["sensitive"] = json!(true);
        let request = request(serde_json::to_vec(&document).unwrap());
        render(manifest.as_bytes(), &request).unwrap_err()
    };
    assert_eq!(labels("hunter2"), labels("h"));
}
