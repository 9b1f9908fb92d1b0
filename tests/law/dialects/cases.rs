//! Features of the other dialect that landfall's own doesn't have.

use landfall::{Ceiling, File, Request, Rule, Sources, process, splice};
use serde_json::json;

use super::{in_toy, values};
use crate::render::{document, outputs, render};

/// Renders a manifest, and renders the result again.
fn check(manifest: &str, expected: &str) {
    let rendered = render(manifest.as_bytes(), &in_toy());
    let output = rendered.map(|rendered| String::from_utf8(rendered.output).unwrap());
    assert_eq!(output.as_deref(), Ok(expected), "{manifest:?}");
}

fn assert_rejects_with(manifest: &str, request: &Request, rule: Rule) {
    let found = render(manifest.as_bytes(), request).map(|rendered| rendered.output);
    let found = found.map_err(|found| found.iter().map(|found| found.rule).collect::<Vec<_>>());
    assert_eq!(found, Err(vec![rule]), "{manifest:?}");
}

fn assert_rejects(manifest: &str, rule: Rule) {
    assert_rejects_with(manifest, &in_toy(), rule);
}

#[test]
fn values_keep_their_types_and_other_text_stays() {
    check(
        "a: <<vpc_id>>\nb: <<n>>\nc: \"<<n>>\"\nd: [<<list>>, x<<n>>]\ne: ~<<n>> << ${infra.n} ${{ x }} <<?>>\nf: &f {<<: *f}\n",
        "a: vpc-0ab1\nb: 3\nc: \"3\"\nd: [[a, b], x3]\ne: <<n>> << ${infra.n} ${{ x }} <<?>>\nf: &f {<<: *f}\n",
    );
}

#[test]
fn a_reference_is_an_argument_of_another() {
    check(
        "a: <<join list <<separator>>>>\nb: x <<missing ?? <<upper vpc_id>>>> y\n",
        "a: a+b\nb: x VPC-0AB1 y\n",
    );
}

#[test]
fn a_setter_comment_sets_its_node_again_and_again() {
    let expected = "a: vpc-0ab1 # set: <<vpc_id>>\nb: # set: <<list>>\n  - a\n  - b\nc: x-a+b # set: x-<<join list <<separator>>>>\n";
    check(
        "a: old # set: <<vpc_id>>\nb: # set: <<list>>\n  - old\nc: d # set: x-<<join list <<separator>>>>\n",
        expected,
    );
    check(expected, expected);
    let other = "a: old # landfall: ${infra.vpc_id}\n";
    check(other, other);
}

#[test]
fn documents_in_scalars_hold_references() {
    check(
        "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata:\n  a.yaml: |\n    b: <<join list <<separator>>>>\n  b.json: '{\"c\": \"<<n>>\"}'\n",
        "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata:\n  a.yaml: |\n    b: a+b\n  b.json: '{\"c\": \"3\"}'\n",
    );
}

#[test]
fn a_field_binding_is_written_in_the_dialect() {
    let mut request = in_toy();
    let binding = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  dialect: toy\n  substitutions:\n  - value: <<join list <<separator>>>>\n    targets: [{select: {kind: A}, fieldPaths: [a]}]\n";
    request.configure(|configuration| {
        configuration.binding.as_mut().unwrap().content = binding.into();
    });
    let manifest = b"apiVersion: v1\nkind: A\nmetadata: {name: a}\na: b\n";
    let output = render(manifest, &request).unwrap().output;
    assert!(output.ends_with(b"\na: a+b\n"));
}

#[test]
fn an_omitted_name_is_the_only_one_or_infra() {
    let mut request = in_toy();
    request
        .outputs
        .push(document("network", outputs([("n".into(), &json!(5))])));
    let rendered = render(b"a: <<n>>\n", &request).unwrap();
    assert_eq!(rendered.output, b"a: 3\n");
    let substitutions = rendered.substitutions.unwrap();
    assert_eq!(substitutions[0].output, "infra.n");
    request.outputs[0].name = "cluster".into();
    assert_rejects_with("a: <<n>>\n", &request, Rule::UnknownOutput);
    request.outputs.clear();
    assert_rejects_with("a: <<n>>\n", &request, Rule::NothingBound);
}

#[test]
fn a_function_checks_what_a_nested_reference_gives() {
    assert_rejects("a: <<join list <<list>>>>\n", Rule::InvalidArgument);
    assert_rejects("a: <<join list <<empty>>>>\n", Rule::EmptyOutput);
    assert_rejects("a: <<join list <<missing>>>>\n", Rule::UnknownOutput);
    assert_rejects("a: <<vpc_id ?? <<nope n>>>>\n", Rule::UnknownFunction);
    assert_rejects("a: <<empty ?? <<join n `,`>>>>\n", Rule::TypeMismatch);
    assert_rejects("a: <<vpc_id\n", Rule::UnterminatedReference);
    assert_rejects("a: <<vpc_id & >>\n", Rule::InvalidReference);
}

#[test]
fn a_sensitive_reference_makes_the_one_around_it_sensitive() {
    let mut request = in_toy();
    let mut secret = document("cluster", Vec::new());
    secret.name = "infra".into();
    secret.content = br#"{"password": {"sensitive": true, "type": "string", "value": "p"}}"#.into();
    request.outputs.push(secret);
    for reference in [
        "<<join list <<password>>>>",
        "<<missing ?? <<upper password>>>>",
        "<<empty ?? <<missing ?? <<password>>>>>>",
    ] {
        let manifest = format!("a: {reference}\n");
        assert_rejects_with(&manifest, &request, Rule::SensitiveOutput);
        let secret = format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\nstringData:\n  a: {reference}\n"
        );
        assert!(render(secret.as_bytes(), &request).is_ok(), "{reference}");
    }
}

#[test]
fn base64_of_a_reference_is_found_at_every_alignment() {
    use base64ct::{Base64, Encoding};
    for before in 0..6 {
        let text = format!("{}<<vpc_id>> after", "x".repeat(before));
        let encoded = Base64::encode_string(text.as_bytes());
        let manifest = format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\ndata: {{a: {encoded}}}\n"
        );
        assert_rejects(&manifest, Rule::EncodedReference);
    }
}

#[test]
fn no_references_rejects_a_remaining_reference() {
    let unrendered = |text: &str| {
        let sources = Sources::new(vec![File {
            path: "a.yaml".into(),
            content: text.into(),
        }]);
        let found = sources.unrendered(&in_toy(), &[]);
        found.iter().map(|found| found.rule).collect::<Vec<_>>()
    };
    assert_eq!(unrendered("a: <<n>>\n"), [Rule::UnrenderedReference]);
    // In another dialect, a known name is one, too.
    assert_eq!(unrendered("a: ${infra.n}\n"), [Rule::UnrenderedReference]);
    assert_eq!(unrendered("a: ${other.n}\n"), []);
}

#[test]
fn a_resource_list_names_the_dialect_in_its_function_config() {
    let list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {apiVersion: landfall.dev/v1alpha1, kind: Binding, spec: {dialect: toy}}\nitems:\n- apiVersion: v1\n  kind: A\n  a: <<join list <<separator>>>>\n";
    let values = values();
    let named = values.as_object().unwrap().iter();
    let outputs = outputs(named.map(|(name, value)| (name.clone(), value)));
    let outputs = [document("infra", outputs)];
    let processed = process(list.as_bytes(), &outputs, &Ceiling::default(), None, &[]).unwrap();
    let output = splice(list.as_bytes(), &processed.edits).unwrap();
    assert!(output.ends_with(b"\n  a: a+b\n"));
}
