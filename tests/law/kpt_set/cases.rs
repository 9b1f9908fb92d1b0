//! What the specs do not show: other doors, the report, and text that is no reference.

use landfall::{Ceiling, File, Request, Rule, Sources, process, splice};
use serde_json::{Value as Json, json};

use super::with_outputs;
use crate::render::{document, outputs, render};

fn values() -> Json {
    json!({"image": "ubuntu", "tag": "24.04", "list": ["a", "b"], "dollar": "${tag}"})
}

fn rendered(manifest: &str, request: &Request) -> Result<String, Vec<Rule>> {
    let rendered = render(manifest.as_bytes(), request);
    let output = rendered.map(|rendered| String::from_utf8(rendered.output).unwrap());
    output.map_err(|found| found.iter().map(|found| found.rule).collect())
}

/// Renders a manifest, and renders the result again.
fn check(manifest: &str, expected: &str) {
    for keep_references in [false, true] {
        let request = Request {
            keep_references,
            ..with_outputs(&values())
        };
        for text in [manifest, expected] {
            let found = rendered(text, &request);
            assert_eq!(found.as_deref(), Ok(expected), "{text}");
        }
    }
}

#[test]
fn text_outside_of_comments_is_left_unchanged() {
    let manifest = "a: ${image}\n${tag}: [${list}, \"${image\"]\nb: $${image} # ${image} kpt-set: ${image}\nc: |\n  x: ${image} # kpt-set: ${image}\nd: ${image} # kpt-set: ${missing}\n";
    check(manifest, manifest);
    // Not even YAML is needed.
    let manifest = "a: {{ ${image} }} ] : ${tag}\n";
    check(manifest, manifest);
}

#[test]
fn a_value_is_never_expanded_again() {
    check(
        "a: x # kpt-set: ${dollar}-${tag}\nb: ${image} # kpt-set: ${dollar}\n",
        "a: ${tag}-24.04 # kpt-set: ${dollar}-${tag}\nb: ${tag} # kpt-set: ${dollar}\n",
    );
}

#[test]
fn a_dollar_before_a_setter_is_text() {
    check(
        "a: x # kpt-set: $${tag}\n",
        "a: $24.04 # kpt-set: $${tag}\n",
    );
}

#[test]
fn a_block_scalar_keeps_its_line_breaks() {
    check(
        "a: | # kpt-set: v${tag}-${rest}\n  v1-x\nb: 1\n",
        "a: | # kpt-set: v${tag}-${rest}\n  v24.04-x\nb: 1\n",
    );
}

#[test]
fn encoded_text_is_no_reference() {
    // base64 of `${image} ${tag}`
    let manifest =
        "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: JHtpbWFnZX0gJHt0YWd9}\n";
    check(manifest, manifest);
}

#[test]
fn the_report_names_outputs_only() {
    let manifest = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  a: user:hunter2@nginx # kpt-set: ${user}:${password}@${image}\n";
    let rendered = render(manifest.as_bytes(), &with_outputs(&values())).unwrap();
    let substitutions = rendered.substitutions.unwrap();
    assert_eq!(substitutions.len(), 1);
    assert_eq!(substitutions[0].output, "infra.image");
    let result = substitutions[0].result_span;
    assert_eq!(&rendered.output[result.0..result.1], b"ubuntu");
    assert!(!format!("{substitutions:?}").contains("hunter2"));
}

#[test]
fn diagnostics_show_no_value() {
    let manifest = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  a: hunter2 # kpt-set: ${user}:${image}\n";
    let found = render(manifest.as_bytes(), &with_outputs(&values())).unwrap_err();
    assert_eq!(
        found.iter().map(|found| found.rule).collect::<Vec<_>>(),
        [Rule::InvalidSetter]
    );
    assert!(!format!("{found:?}").contains("hunter2"));
    assert!(
        found
            .iter()
            .flat_map(|found| &found.labels)
            .all(|label| label.conceal)
    );
}

#[test]
fn disabled_resources_are_left_unchanged() {
    let manifest = "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n  annotations: {landfall.dev/substitute: disabled}\na: x # kpt-set: ${image}\n";
    check(manifest, manifest);
}

#[test]
fn nothing_is_left_to_render() {
    let unrendered = |text: &str| {
        let sources = Sources::new(vec![File {
            path: "a.yaml".into(),
            content: text.into(),
        }]);
        let found = sources.unrendered(&with_outputs(&values()), &[]);
        found.iter().map(|found| found.rule).collect::<Vec<_>>()
    };
    assert_eq!(unrendered("a: ${image} # kpt-set: ${image}\n"), []);
}

#[test]
fn a_setter_without_any_bound_document_is_an_error() {
    let request = Request {
        outputs: Vec::new(),
        ..with_outputs(&values())
    };
    let found = rendered("a: x # kpt-set: ${image}\nb: ${tag}\n", &request);
    assert_eq!(found, Err(vec![Rule::NothingBound]));
    let text = "a: ${tag}\n";
    assert_eq!(rendered(text, &request).as_deref(), Ok(text));
}

#[test]
fn an_unreadable_output_is_an_error_and_not_a_name_without_a_value() {
    let mut request = with_outputs(&values());
    request.outputs[0].content = br#"{"image": {"value": "#.to_vec();
    assert!(rendered("a: x:1 # kpt-set: ${image}:${tag}\n", &request).is_err());
}

#[test]
fn a_resource_list_names_the_dialect_in_its_function_config() {
    let list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {apiVersion: landfall.dev/v1alpha1, kind: Binding, spec: {dialect: kpt-set}}\nitems:\n- apiVersion: v1\n  kind: A\n  a: nginx:1 # kpt-set: ${name}:${tag}\n  b: ${tag}\n";
    let values = values();
    let named = values.as_object().unwrap().iter();
    let outputs = outputs(named.map(|(name, value)| (name.clone(), value)));
    let outputs = [document("infra", outputs)];
    let processed = process(list.as_bytes(), &outputs, &Ceiling::default(), None, &[]).unwrap();
    let output = splice(list.as_bytes(), &processed.edits).unwrap();
    let expected = list.replace("nginx:1 #", "nginx:24.04 #");
    assert_eq!(String::from_utf8(output).unwrap(), expected);
}

#[test]
fn a_kind_that_a_setter_decides_decides_what_is_allowed() {
    let request = with_outputs(&json!({"kind": "Secret", "x": "y"}));
    let manifest =
        "apiVersion: v1\nkind: Config # kpt-set: ${kind}\nmetadata: {name: a}\ndata: {a: b} # c\n";
    let found = rendered(manifest, &request).unwrap_or_default();
    assert!(found.contains("kind: Secret # kpt-set"), "{found}");
}
