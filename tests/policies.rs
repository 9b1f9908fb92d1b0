//! Policies in cases that the pages of the language cannot show: ResourceLists, flags,
//! unreadable documents, and slow patterns.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use landfall::{
    Ceiling, Config, Configuration, Diagnostic, File, Origin, OutputsDocument, Request, Severity,
    Sources, process,
};

const LIST: &str = "apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: web}
  data: {vpc: \"${infra.vpc_id}\", zone: \"${infra.zone}\"}
functionConfig:
  apiVersion: landfall.dev/v1alpha1
  kind: Binding
  metadata: {name: landfall}
  spec: SPEC
";

fn infra(json: &str) -> OutputsDocument {
    OutputsDocument {
        name: "infra".into(),
        path: "infra.json".into(),
        content: json.into(),
        ..OutputsDocument::default()
    }
}

fn vpc() -> OutputsDocument {
    infra(r#"{"vpc_id": {"value": "vpc-0ab1"}, "region": {"value": "eu"}}"#)
}

fn config(text: &str) -> Config {
    Config {
        path: "config.yaml".into(),
        content: text.into(),
    }
}

fn reported(diagnostics: &[Diagnostic]) -> Vec<String> {
    let severity = |diagnostic: &Diagnostic| match diagnostic.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    diagnostics
        .iter()
        .map(|diagnostic| format!("{}[{}]", severity(diagnostic), diagnostic.rule.id()))
        .collect()
}

#[track_caller]
fn check_list(spec: &str, policy: Option<&str>, operator: Option<&str>, expected: &[&str]) {
    let list = LIST.replace("SPEC", spec);
    let policy = policy.map(config);
    let ceiling = Ceiling {
        operator_policy: operator.map(config),
        ..Ceiling::default()
    };
    let processed = process(list.as_bytes(), &[vpc()], &ceiling, policy.as_ref(), &[]).unwrap();
    assert_eq!(reported(&processed.diagnostics), expected);
    let failed = expected
        .iter()
        .any(|reported| reported.starts_with("error"));
    assert_eq!(processed.failed, failed);
    // A functionConfig may be next to other people's Secrets.
    let labels = processed
        .diagnostics
        .iter()
        .flat_map(|reported| &reported.labels);
    for label in labels.filter(|label| label.origin == Origin::Manifest(0)) {
        let is_config = &list[label.span.range()] != "zone";
        assert!(label.conceal || !is_config, "{label:?}");
    }
}

#[test]
fn a_function_config_has_policies() {
    check_list("{}", None, None, &["error[unknown-output]"]);
    check_list(
        "{policy: {missing: keep}}",
        None,
        None,
        &["warning[unknown-output]", "note[unused-output]"],
    );
    check_list(
        "{policy: {missing: keep, unused: error}}",
        None,
        None,
        &["warning[unknown-output]", "error[unused-output]"],
    );
}

#[test]
fn flags_replace_a_function_config() {
    let flags = Some("missing: keep\nunused: ignore\n");
    check_list("{}", flags, None, &["warning[unknown-output]"]);
    let spec = "{policy: {missing: keep}}";
    check_list(
        spec,
        Some("missing: error\n"),
        None,
        &["error[unknown-output]"],
    );
}

#[test]
fn the_operator_policy_restricts_a_function_config() {
    let operator =
        "apiVersion: landfall.dev/v1alpha1\nkind: OperatorPolicy\nspec: {missing: error}\n";
    let refused = ["error[refused-by-operator]", "error[unknown-output]"];
    check_list("{policy: {missing: keep}}", None, Some(operator), &refused);
    check_list("{}", Some("missing: keep\n"), Some(operator), &refused);
}

#[test]
fn a_function_config_has_a_contract() {
    check_list(
        "{contract: {infra: {vpc_id: {type: number}, account: {}}}}",
        None,
        None,
        &["error[contract-violation]", "error[contract-violation]"],
    );
}

fn generate(binding: &str, outputs: OutputsDocument) -> Vec<String> {
    let content = "vpc: ${infra.vpc_id}\nzone: ${infra.zone | required(\"why\")}\n";
    let file = File {
        path: "a.yaml".into(),
        content: content.into(),
    };
    let header = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\n";
    let request = Request {
        outputs: vec![outputs],
        application: Configuration {
            binding: Some(config(&format!("{header}spec: {binding}\n"))),
            ..Configuration::default()
        }
        .into(),
        ..Request::default()
    };
    match Sources::new(vec![file]).generate(&request) {
        Ok(answer) => reported(&answer.diagnostics),
        Err(diagnostics) => reported(&diagnostics),
    }
}

#[test]
fn an_invalid_document_is_the_only_error() {
    for (json, expected) in [
        ("{\"vpc_id\": ", "error[invalid-outputs]"),
        ("", "error[outputs-empty]"),
        ("[]", "error[outputs-not-recognized]"),
    ] {
        assert_eq!(generate("{}", infra(json)), [expected], "{json}");
        let contract = "{contract: {infra: {vpc_id: {type: string}}}}";
        assert_eq!(generate(contract, infra(json)), [expected], "{json}");
    }
    // The readable part is checked against the contract.
    let twice = r#"{"vpc_id": {"value": 1}, "a": {"value": 1}, "a": {"value": 2}}"#;
    let contract = "{contract: {infra: {vpc_id: {type: string}, zone: {}}}}";
    let expected = ["error[duplicate-output]", "error[contract-violation]"];
    assert_eq!(generate(contract, infra(twice)), expected);
}

#[test]
fn pattern_time_is_linear_in_the_value() {
    // A backtracking engine would practically never finish.
    let text = "a".repeat(20_000);
    let outputs =
        format!("{{\"vpc_id\": {{\"value\": \"{text}\"}}, \"zone\": {{\"value\": \"a\"}}}}");
    let contract = "{contract: {infra: {vpc_id: {pattern: '^(a|a?)+(a*)*$b'}}}}";
    assert_eq!(
        generate(contract, infra(&outputs)),
        ["error[contract-violation]"]
    );
}
