//! `spread` and `default(omit)` change the members of a collection alike in every document: a
//! manifest, one that is embedded in a text, or an item of a KRM function's ResourceList.

use crate::render::{outputs, render, render_items, request};
use serde_json::{Value as Json, json};

/// Entries of a mapping, and what becomes of them.
const ENTRIES: &[(&str, &str)] = &[
    ("a: ${infra.gone | default(omit)} # why\nb: c\n", "b: c\n"),
    ("b: c\na: ${infra.gone | default(omit)}\n", "b: c\n"),
    (
        "a:\n  b: '${infra.gone | default(omit)}'\nc: d\n",
        "a: {}\nc: d\n",
    ),
    (
        "a: {b: c, d: \"${infra.gone | default(omit)}\"}\n",
        "a: {b: c}\n",
    ),
    ("a: ${infra.text | default(omit)}\n", "a: \"yes\"\n"),
    (
        "l:\n- a\n- ${infra.gone | default(omit)} # why\n- b # kept\n",
        "l:\n- a\n- b # kept\n",
    ),
    (
        "l:\n- ${infra.list | spread} # all\n- z\n",
        "l:\n- x # all\n- \"no\"\n- z\n",
    ),
    (
        "l:\n  - a\n  - ${infra.list | each(prefix(\"--x=\")) | spread}\n",
        "l:\n  - a\n  - --x=x\n  - --x=no\n",
    ),
    (
        "l:\n- ${infra.list | each(object(\"id\")) | spread}\n",
        "l:\n- id: x\n- id: \"no\"\n",
    ),
    ("l: [a, ${infra.list | spread}]\n", "l: [a, x, \"no\"]\n"),
    ("l:\n- ${infra.none | spread}\nb: c\n", "l: []\nb: c\n"),
    ("l:\n- a\n- ${infra.none | spread}\n", "l:\n- a\n"),
    (
        "l:\n- ${infra.gone | default(omit) | spread}\nb: c\n",
        "l: []\nb: c\n",
    ),
];

/// The documents that such entries are in, with how far they are indented there.
const DOCUMENTS: &[(&str, usize)] = &[
    (
        "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a\nspec:\n",
        2,
    ),
    (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  app.yaml: |\n",
        4,
    ),
    (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  app.yml: |-\n    ---\n    z: 1\n    ---\n",
        4,
    ),
    (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: a\nspec:\n  source:\n    helm:\n      values: |\n",
        8,
    ),
    (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  app.yaml: |\n    apiVersion: v1\n    kind: ConfigMap\n    data:\n      inner.yaml: |\n",
        8,
    ),
];

fn indented(text: &str, by: usize) -> String {
    let mut lines = String::new();
    for line in text.lines() {
        lines.push_str(&format!("{:by$}{line}\n", ""));
    }
    lines
}

fn values() -> Vec<u8> {
    let [list, none, text, gone] = [json!(["x", "no"]), json!([]), json!("yes"), Json::Null];
    let named = [
        ("list", &list),
        ("none", &none),
        ("text", &text),
        ("gone", &gone),
    ];
    outputs(named.map(|(name, value)| (name.to_owned(), value)))
}

#[test]
fn members_change_alike_in_every_document() {
    for (head, by) in DOCUMENTS {
        for (entries, expected) in ENTRIES {
            let [manifest, expected] =
                [entries, expected].map(|entries| format!("{head}{}", indented(entries, *by)));
            let rendered = render(manifest.as_bytes(), &request(values())).unwrap();
            assert_eq!(
                String::from_utf8(rendered.output).unwrap(),
                expected,
                "{manifest}"
            );
            // Each reference is reported, with its place in what is written.
            let substitutions = rendered.substitutions.unwrap();
            assert_eq!(
                substitutions.len(),
                manifest.matches("${").count(),
                "{manifest}"
            );
            for substitution in substitutions {
                let (start, end) = substitution.result_span;
                let written = expected
                    .get(start..end)
                    .unwrap_or_else(|| panic!("{substitution:?}"));
                let is_gone = substitution.value == "(omitted)" || substitution.value == "[]";
                assert_eq!(
                    written.is_empty(),
                    is_gone,
                    "{substitution:?} in {expected}"
                );
            }
            let list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n-\n";
            let [list, expected] =
                [manifest, expected].map(|text| format!("{list}{}", indented(&text, 2)));
            let rendered = render_items(list.as_bytes(), values()).unwrap();
            assert_eq!(String::from_utf8(rendered.output).unwrap(), expected);
        }
    }
}
