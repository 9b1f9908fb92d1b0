//! References in keys, kinds and names decide what a document means once their values are
//! known: what it embeds, and which targets select it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]

use landfall::{Config, Configuration, Content, File, OutputsDocument, Request, Sources, splice};

const OUTPUTS: &str = r#"{
    "kind": {"sensitive": false, "type": "string", "value": "ConfigMap"},
    "other": {"sensitive": false, "type": "string", "value": "Widget"},
    "name": {"sensitive": false, "type": "string", "value": "web"},
    "op": {"sensitive": false, "type": "string", "value": "replace"},
    "file": {"sensitive": false, "type": "string", "value": "app.yaml"},
    "breaks": {"sensitive": false, "type": "string", "value": "\n\n"},
    "yes": {"sensitive": false, "type": "string", "value": "yes"},
    "lines": {"sensitive": false, "type": "string", "value": "a\nb"},
    "off": {"sensitive": false, "type": "string", "value": "disabled"},
    "annotation": {"sensitive": false, "type": "string", "value": "landfall.dev/substitute"},
    "secret": {"sensitive": true, "type": "string", "value": "ConfigMap"}
}"#;

/// Renders a manifest twice, the second time from the cached analysis. The error is the
/// rules of the errors.
fn render(manifest: &str, substitutions: &str) -> Result<String, String> {
    let binding = format!(
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs: [{{name: infra, from: {{file: infra.json}}}}]\n{substitutions}"
    );
    let request = Request {
        outputs: vec![OutputsDocument {
            name: "infra".into(),
            content: OUTPUTS.into(),
            ..OutputsDocument::default()
        }],
        application: Configuration {
            binding: Some(Config {
                path: "landfall.yaml".into(),
                content: binding.into(),
            }),
            ..Configuration::default()
        }
        .into(),
        ..Request::default()
    };
    let sources = Sources::new(vec![File {
        path: "app.yaml".into(),
        content: manifest.into(),
    }]);
    let first = sources.generate(&request);
    assert_eq!(first, sources.generate(&request), "{manifest}");
    let errors = |diagnostics: landfall::Diagnostics| {
        let rules = diagnostics.iter().map(|found| found.rule.id());
        rules.collect::<Vec<_>>().join("\n")
    };
    let answer = first.map_err(errors)?;
    Ok(match &answer.sources[0] {
        Content::Edited(edits) => {
            String::from_utf8(splice(manifest.as_bytes(), edits).unwrap()).unwrap()
        }
        Content::Unchanged => manifest.to_owned(),
    })
}

#[track_caller]
fn check(manifest: &str, substitutions: &str, expected: &str) {
    let rendered = render(manifest, substitutions).unwrap_or_else(|errors| errors);
    assert_eq!(rendered, expected);
}

#[test]
fn a_kind_decides_what_an_entry_embeds() {
    check(
        "apiVersion: v1\nkind: ${infra.kind}\ndata:\n  app.yaml: |\n    a: ${infra.yes}\n    b: ${infra.lines}\n",
        "",
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  app.yaml: |\n    a: \"yes\"\n    b: \"a\\nb\"\n",
    );
    check(
        "apiVersion: v1\nkind: ${infra.other}\ndata:\n  app.yaml: |\n    a: ${infra.yes}\n",
        "",
        "apiVersion: v1\nkind: Widget\ndata:\n  app.yaml: |\n    a: yes\n",
    );
}

#[test]
fn a_setter_of_the_kind_decides_too() {
    check(
        "apiVersion: v1\nkind: Widget # landfall: ${infra.kind}\ndata:\n  app.yaml: |\n    a: ${infra.yes}\n",
        "",
        "apiVersion: v1\nkind: ConfigMap # landfall: ${infra.kind}\ndata:\n  app.yaml: |\n    a: \"yes\"\n",
    );
}

#[test]
fn a_key_decides_what_its_value_embeds() {
    check(
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  ${infra.file}: |\n    a: ${infra.yes}\n",
        "",
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  app.yaml: |\n    a: \"yes\"\n",
    );
}

#[test]
fn a_key_in_a_block_scalar_may_become_empty() {
    check(
        "data:\n  ? >\n    ${infra.breaks}\n  : 1\n",
        "",
        "data:\n  ? \"\"\n  : 1\n",
    );
}

#[test]
fn a_key_in_json_keeps_what_its_values_are() {
    check(
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  a.json: '{\"${infra.name}\": ${infra.yes | json}}'\n",
        "",
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  a.json: '{\"web\": \"yes\"}'\n",
    );
}

#[test]
fn the_path_of_an_operation_decides_what_its_value_embeds() {
    let patch = |path: &str, value: &str| {
        format!(
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches:\n- target: {{kind: ConfigMap}}\n  patch: |\n    - op: add\n      path: /data/{path}\n      value: |\n        b: {value}\n"
        )
    };
    let rendered = patch("app.yaml", "\"a\\nb\"");
    check(&patch("${infra.file}", "${infra.lines}"), "", &rendered);
    check(
        &patch("x # landfall: /data/${infra.file}", "${infra.yes}"),
        "",
        &patch("app.yaml # landfall: /data/${infra.file}", "\"yes\""),
    );
}

#[test]
fn the_operation_and_its_target_decide_what_the_value_embeds() {
    let patch = |op: &str, kind: &str, value: &str| {
        format!(
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches:\n- target: {{kind: \"{kind}\"}}\n  patch: |\n    - op: {op}\n      path: /data/app.yaml\n      value: |\n        b: {value}\n"
        )
    };
    let (any, kind) = ("${infra.yes}", "${infra.kind}");
    check(
        &patch("${infra.op}", "ConfigMap", any),
        "",
        &patch("replace", "ConfigMap", "\"yes\""),
    );
    check(
        &patch("remove # landfall: ${infra.op}", "ConfigMap", any),
        "",
        &patch("replace # landfall: ${infra.op}", "ConfigMap", "\"yes\""),
    );
    check(
        &patch("add", kind, any),
        "",
        &patch("add", "ConfigMap", "\"yes\""),
    );
    check(
        &patch("add", "${infra.other}", any),
        "",
        &patch("add", "Widget", "yes"),
    );
}

#[test]
fn keys_of_embedded_documents_decide_inside_them() {
    check(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec:\n  source:\n    helm:\n      values: |\n        apiVersion: v1\n        kind: ${infra.kind}\n        data:\n          app.yaml: |\n            a: ${infra.yes}\n",
        "",
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec:\n  source:\n    helm:\n      values: |\n        apiVersion: v1\n        kind: ConfigMap\n        data:\n          app.yaml: |\n            a: \"yes\"\n",
    );
}

const TO_WEB: &str = "  substitutions:\n  - value: ${infra.yes}\n    targets:\n    - select: {kind: ConfigMap, name: web}\n      fieldPaths: [data.a]\n";

#[test]
fn a_name_decides_which_target_selects_the_resource() {
    check(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '${infra.name}'}\ndata: {a: b}\n",
        TO_WEB,
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 'web'}\ndata: {a: \"yes\"}\n",
    );
    check(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '${infra.name}-2'}\ndata: {a: b}\n",
        TO_WEB,
        "target-not-found",
    );
}

#[test]
fn a_field_path_goes_through_keys_and_items_that_are_references() {
    check(
        "kind: Pod\napiVersion: v1\nspec:\n  ${infra.name}: [{name: '${infra.kind}', image: a}, {name: b, image: c}]\n",
        "  substitutions:\n  - value: ${infra.yes}\n    targets:\n    - select: {kind: Pod}\n      fieldPaths: ['spec.web.[name=ConfigMap].image']\n",
        "kind: Pod\napiVersion: v1\nspec:\n  web: [{name: 'ConfigMap', image: \"yes\"}, {name: b, image: c}]\n",
    );
}

#[test]
fn a_label_decides_what_the_binding_lists_as_embedded() {
    check(
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {labels: {app: '${infra.name}'}}\nspec:\n  config: |\n    a: ${infra.yes}\n",
        "  embedded: [{select: {labelSelector: app=web}, fieldPaths: [spec.config]}]\n",
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {labels: {app: 'web'}}\nspec:\n  config: |\n    a: \"yes\"\n",
    );
}

#[test]
fn the_annotation_that_disables_a_resource_is_literal() {
    check(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {annotations: {landfall.dev/substitute: '${infra.off}'}}\ndata: {a: '${infra.yes}'}\n",
        "",
        "invalid-annotation",
    );
    check(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {annotations: {'${infra.annotation}': disabled}}\ndata: {a: '${infra.yes}'}\n",
        "",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {annotations: {'landfall.dev/substitute': disabled}}\ndata: {a: 'yes'}\n",
    );
}

#[test]
fn a_sensitive_value_decides_nothing() {
    check(
        "apiVersion: v1\nkind: ${infra.secret}\ndata:\n  app.yaml: |\n    a: ${infra.yes}\n",
        "",
        "sensitive-output",
    );
}

/// A Secret whose kind or apiVersion a setter or a field binding replaces with null, a list
/// or an object is no Secret, for its readers and for us.
#[test]
fn a_value_without_text_decides_that_a_secret_is_none() {
    let secret = |header: &str| {
        format!("{header}\nmetadata: {{name: a}}\nstringData:\n  p: '${{infra.secret}}'\n")
    };
    for value in ["default(null)", "default(\"\")", "default(\"x\")"] {
        for header in [
            "apiVersion: v1\nkind: Secret # landfall: ${infra.n | VALUE}",
            "apiVersion: v1 # landfall: ${infra.n | VALUE}\nkind: Secret",
        ] {
            let manifest = secret(&header.replace("VALUE", value));
            check(&manifest, "", "sensitive-output");
        }
        for field in ["kind", "apiVersion"] {
            let binding = format!(
                "  substitutions:\n  - value: '${{infra.n | {value}}}'\n    targets:\n    - select: {{kind: Secret}}\n      fieldPaths: [{field}]\n"
            );
            check(
                &secret("apiVersion: v1\nkind: Secret"),
                &binding,
                "sensitive-output",
            );
        }
    }
}

/// Neither the mask over a reference nor the text that it replaces is what a selector sees.
#[test]
fn an_empty_value_decides() {
    let to = |select: &str| {
        format!(
            "  substitutions:\n  - value: ${{infra.yes}}\n    targets:\n    - select: {select}\n      fieldPaths: [data.a]\n"
        )
    };
    let config = |metadata: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n{metadata}\ndata: {{a: b}}\n")
    };
    for (metadata, select) in [
        (
            "  name: '${infra.n | default(\"\")}'",
            "{kind: ConfigMap, name: '[a-z]+'}",
        ),
        (
            "  name: x\n  labels:\n    env: prod # landfall: ${infra.n | default(\"\")}",
            "{labelSelector: env=prod}",
        ),
        (
            "  name: x\n  namespace: prod # landfall: ${infra.n | default(\"\")}",
            "{namespace: prod}",
        ),
    ] {
        check(&config(metadata), &to(select), "target-not-found");
    }
    check(
        "kind: Pod\napiVersion: v1\nspec:\n  l: [{name: '${infra.n | default(\"\")}', v: o}]\n",
        "  substitutions:\n  - value: ${infra.yes}\n    targets:\n    - select: {kind: Pod}\n      fieldPaths: ['spec.l.[name=[a-z]+].v']\n",
        "target-not-found",
    );
}

#[test]
fn a_sensitive_or_unknown_value_is_not_matched_as_its_mask() {
    check(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  l: [{name: '${infra.secret}', v: old}]\n",
        "  substitutions:\n  - value: ${infra.yes}\n    targets:\n    - select: {kind: Secret}\n      fieldPaths: ['stringData.l.[name=q+].v']\n",
        "target-not-found",
    );
    let kept = |select: &str| {
        format!(
            "  policy: {{missing: keep}}\n  substitutions:\n  - value: ${{infra.yes}}\n    targets:\n    - select: {{kind: ConfigMap, name: '{select}'}}\n      fieldPaths: [data.a]\n"
        )
    };
    let manifest = |value: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: 'a-${{infra.bucket}}'}}\ndata: {{a: {value}}}\n"
        )
    };
    // The first is the warning of `missing: keep`.
    check(
        &manifest("b"),
        &kept("a-[a-z]+"),
        "unknown-output\ntarget-not-found",
    );
    check(&manifest("b"), &kept("a-[$].*"), &manifest("\"yes\""));
}

#[test]
fn selectors_and_steps_compare_what_aliases_repeat() {
    let target = |select: &str, path: &str| {
        format!(
            "  substitutions:\n  - value: ${{infra.yes}}\n    targets:\n    - select: {select}\n      fieldPaths: ['{path}']\n"
        )
    };
    check(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, annotations: {a: &e prod}, labels: {env: *e}}\ndata: {a: b}\n",
        &target("{labelSelector: env=prod}", "data.a"),
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, annotations: {a: &e prod}, labels: {env: *e}}\ndata: {a: \"yes\"}\n",
    );
    check(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: &n web}\nspec: {l: [{name: *n, v: o}]}\n",
        &target("{kind: Pod}", "spec.l.[name=web].v"),
        "apiVersion: v1\nkind: Pod\nmetadata: {name: &n web}\nspec: {l: [{name: *n, v: \"yes\"}]}\n",
    );
}

/// The references of a text were read with the names and kinds that field bindings replace.
#[test]
fn a_field_binding_does_not_change_the_format_of_a_text() {
    let set = |value: &str, path: &str, options: &str| {
        format!(
            "  substitutions:\n  - value: '{value}'\n    targets:\n    - select: {{name: web}}\n      fieldPaths: ['{path}']\n      options: {{{options}}}\n"
        )
    };
    let config = |data: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web}}\ndata:\n  {data}\n")
    };
    let (json, text) = ("${infra.name}.json", "${infra.name}");
    for (data, to, path) in [
        ("a: 'b: ${infra.lines}'", "${infra.file}", "data.a"),
        ("a.yaml: 'b: ${infra.lines}'", text, "data.[a.yaml]"),
        ("a.yaml: '{\"b\": ${infra.yes}}'", json, "data.[a.yaml]"),
        ("c: &c 'x: ${infra.yes}'\n  d: *c", json, "data.d"),
    ] {
        check(&config(data), &set(to, path, "key: true"), "misread-value");
    }
    let inner = set(json, "data.a", "key: true") + &set(text, "data.a.b", "");
    let inner = inner.replacen("  substitutions:\n", "", 2);
    check(
        &config("a: 'b: x'"),
        &format!("  substitutions:\n{inner}"),
        "misread-value",
    );
    check(
        &config("app.yaml: 'b: ${infra.lines}'").replace("ConfigMap", "Widget"),
        &set("${infra.kind}", "kind", ""),
        "misread-value",
    );
    for (data, to, result) in [
        ("a: '${infra.lines}'", json, "web.json: \"a\\nb\""),
        (
            "${infra.file}: 'b: ${infra.lines}'\n  a: b",
            json,
            "app.yaml: 'b: \"a\\nb\"'\n  web.json: b",
        ),
        ("a: 'b: ${infra.yes}'", text, "web: 'b: yes'"),
        (
            "a: '{\"b\": \"${infra.name}\"}'",
            json,
            "web.json: '{\"b\": \"web\"}'",
        ),
    ] {
        check(
            &config(data),
            &set(to, "data.a", "key: true"),
            &config(result),
        );
    }
}
