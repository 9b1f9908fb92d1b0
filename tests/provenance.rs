//! Every substitution has the byte range of its value in the rendered file.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]

use landfall::{
    Config, Configuration, Content, Detail, File, OutputsDocument, Request, Sources, splice,
};

const INFRA: &str = r#"{
  "vpc": {"sensitive": false, "type": "string", "value": "vpc-0ab1"},
  "empty": {"sensitive": false, "type": "string", "value": ""},
  "no": {"sensitive": false, "type": "string", "value": "no"},
  "quote": {"sensitive": false, "type": "string", "value": "it's \"x\": ü"},
  "dollar": {"sensitive": false, "type": "string", "value": "5$ $"},
  "port": {"sensitive": false, "type": "number", "value": 5432},
  "digits": {"sensitive": false, "type": "string", "value": "3"},
  "list": {"sensitive": false, "type": "dynamic", "value": ["a", "b"]},
  "tags": {"sensitive": false, "type": "dynamic", "value": {"k": "v"}},
  "text": {"sensitive": false, "type": "string", "value": "one\ntwo"},
  "secret": {"sensitive": true, "type": "string", "value": "hunter2"}
}"#;

/// Returns the text in the rendered files for each substitution.
#[track_caller]
fn results(files: &[&str], substitutions: Option<&str>) -> Vec<String> {
    let sources = files.iter().map(|content| File {
        path: "a.yaml".into(),
        content: (*content).into(),
    });
    let sources = Sources::new(sources.collect());
    let binding = substitutions.map(|substitutions| Config {
        path: "landfall.yaml".into(),
        content: format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  substitutions: {substitutions}\n"
        )
        .into(),
    });
    let request = Request {
        outputs: vec![OutputsDocument {
            name: "infra".into(),
            content: INFRA.into(),
            ..OutputsDocument::default()
        }],
        application: Configuration {
            binding,
            ..Configuration::default()
        }
        .into(),
        detail: Detail::Substitutions,
        ..Request::default()
    };
    let answer = match sources.generate(&request) {
        Ok(answer) => answer,
        Err(errors) => panic!("{files:?}: {errors:?}"),
    };
    assert_eq!(
        sources.generate(&request).unwrap(),
        answer,
        "rendered again"
    );
    let rendered = files.iter().zip(&answer.sources).map(|(file, content)| {
        let edits = match content {
            Content::Edited(edits) => &edits[..],
            _ => &[],
        };
        String::from_utf8(splice(file.as_bytes(), edits).unwrap()).unwrap()
    });
    let rendered: Vec<String> = rendered.collect();
    let found = answer.substitutions.unwrap().substitutions;
    let shown = found.iter().map(|one| {
        let text = rendered[one.file].get(one.result().range());
        text.unwrap_or_else(|| panic!("{:?} of {:?}", one.result(), rendered[one.file]))
            .to_owned()
    });
    shown.collect()
}

#[track_caller]
fn check(manifest: &str, expected: &[&str]) {
    assert_eq!(results(&[manifest], None), expected, "{manifest:?}");
}

#[test]
fn a_whole_scalar_includes_its_quotes() {
    check("a: ${infra.vpc}\n", &["vpc-0ab1"]);
    check("a: ${infra.no}\n", &["\"no\""]);
    check("a: ${infra.port} # c\n", &["5432"]);
    check("a: !!str ${infra.port}\n", &["\"5432\""]);
    check("a: &x ${infra.no}\nb: *x\n", &["\"no\""]);
}

#[test]
fn a_value_in_existing_quotes_excludes_them() {
    check("a: '${infra.vpc}'\n", &["vpc-0ab1"]);
    check("a: \"${infra.port}\" # c\n", &["5432"]);
    check("a: '${infra.quote}'\n", &["it''s \"x\": ü"]);
    check("a: \"ü ${infra.quote}\"\n", &["it's \\\"x\\\": ü"]);
    // Single quotes cannot represent a line break.
    check("a: 'x ${infra.text} y'\n", &["one\\ntwo"]);
}

#[test]
fn parts_of_a_scalar_follow_each_other() {
    check(
        "a: ${infra.vpc}/${infra.port}/x\nb: ü ${infra.vpc}\n",
        &["vpc-0ab1", "5432", "vpc-0ab1"],
    );
    check(
        "a: x\n  ${infra.vpc}\n  y ${infra.port}\n",
        &["vpc-0ab1", "5432"],
    );
}

#[test]
fn distinguishes_equal_values_in_one_scalar() {
    for scalar in [
        "${infra.vpc} vpc-0ab1 ${infra.vpc}",
        "'${infra.vpc} vpc-0ab1 ${infra.vpc}'",
        "\"${infra.vpc} vpc-0ab1 ${infra.vpc}\"",
        "|\n  ${infra.vpc} vpc-0ab1 ${infra.vpc}",
        // The first value turns it into a quoted scalar.
        "x ${infra.quote}${infra.vpc} vpc-0ab1 ${infra.vpc}",
    ] {
        let manifest = format!("a: {scalar}\n");
        let sources = Sources::new(vec![File {
            path: "a.yaml".into(),
            content: manifest.clone().into(),
        }]);
        let request = Request {
            outputs: vec![OutputsDocument {
                name: "infra".into(),
                content: INFRA.into(),
                ..OutputsDocument::default()
            }],
            detail: Detail::Substitutions,
            ..Request::default()
        };
        let answer = sources.generate(&request).unwrap();
        let Content::Edited(edits) = &answer.sources[0] else {
            panic!("nothing was edited");
        };
        let text = String::from_utf8(splice(manifest.as_bytes(), edits).unwrap()).unwrap();
        let written: Vec<usize> = text.match_indices("vpc-0ab1").map(|(at, _)| at).collect();
        let found = answer.substitutions.unwrap().substitutions;
        let found = found.iter().filter(|one| one.output == "infra.vpc");
        let found: Vec<usize> = found.map(|one| one.result_span.0).collect();
        assert_eq!(found, [written[0], written[2]], "{text}");
    }
}

#[test]
fn an_empty_value_has_an_empty_span() {
    let empty = "${infra.empty | default(\"\")}";
    let at = |manifest: &str, expected: &[&str]| {
        check(&manifest.replace("EMPTY", empty), expected);
    };
    at("a: EMPTY\n", &["\"\""]);
    at("a: 'EMPTY'\n", &[""]);
    at("a: xEMPTYy${infra.vpc}\n", &["", "vpc-0ab1"]);
    at(
        "a: |\n  xEMPTY\n  EMPTY${infra.vpc}\n",
        &["", "", "vpc-0ab1"],
    );
    at("a: EMPTYEMPTY\n", &["", ""]);
}

#[test]
fn distinguishes_values_in_a_requoted_scalar() {
    check(
        "a: x ${infra.quote} - ${infra.vpc}, ${infra.port}.\n",
        &["it's \\\"x\\\": ü", "vpc-0ab1", "5432"],
    );
    check(
        "a: ${infra.quote}${infra.vpc}\n",
        &["it's \\\"x\\\": ü", "vpc-0ab1"],
    );
    // A block cannot represent a carriage return.
    check(
        "a: | # c\n  x ${infra.text | replace(\"\\n\", \"\\u000D\")} y\n  ${infra.port}\n",
        &["one\\rtwo", "5432"],
    );
}

#[test]
fn block_values_include_indentation() {
    check(
        "a: |\n  x ${infra.text} y\n  ${infra.port}\n",
        &["one\n  two", "5432"],
    );
    check("a: |\r\n  ${infra.text}\r\n", &["one\r\n  two"]);
    check(
        "a: >\n  ${infra.text}\n  ${infra.vpc}\n",
        &["one\n\n  two", "vpc-0ab1"],
    );
    // The leading space of the first line needs an indentation indicator.
    check(
        "a: |\n  ${infra.text | replace('one', ' one')}\n  ${infra.vpc}\n",
        &[" one\n  two", "vpc-0ab1"],
    );
}

#[test]
fn collections_span_all_their_lines() {
    check("a: ${infra.list}\n", &["- a\n  - b"]);
    check(
        "a: ${infra.list} # c\nb: ${infra.no}\n",
        &["- a\n  - b", "\"no\""],
    );
    check("a: [${infra.list}]\n", &["[a, b]"]);
    check("a:\n  - ${infra.tags}\n", &["k: v"]);
    check("a: ${infra.list}\r\n", &["- a\r\n  - b"]);
}

#[test]
fn keys_have_spans() {
    check(
        "${infra.no}: 1\n? x ${infra.vpc}\n: 2\n",
        &["\"no\"", "vpc-0ab1"],
    );
    check("{ ${infra.vpc}: ${infra.port} }\n", &["vpc-0ab1", "5432"]);
}

#[test]
fn other_edits_shift_spans() {
    check(
        "a: $${infra.vpc} ${infra.vpc}\n---\nb: ${infra.list}\n---\nc: ${infra.vpc}\n",
        &["vpc-0ab1", "- a\n  - b", "vpc-0ab1"],
    );
    let files = ["a: ${infra.vpc}\n", "b: 1\n", "c: x${infra.port}\n"];
    assert_eq!(results(&files, None), ["vpc-0ab1", "5432"]);
}

#[test]
fn doubled_dollars_belong_to_the_value() {
    check(
        "apiVersion: v1\nkind: Pod\nspec: {containers: [{args: ['${infra.dollar}-${infra.vpc}']}]}\n",
        &["5$$ $$", "vpc-0ab1"],
    );
}

#[test]
fn base64_values_span_the_encoded_text() {
    check(
        "apiVersion: v1\nkind: Secret\ndata: {a: '${infra.secret | base64}'}\n",
        &["aHVudGVyMg=="],
    );
}

#[test]
fn embedded_documents_have_spans_in_the_file() {
    check(
        "kind: ConfigMap\napiVersion: v1\ndata:\n  a.yaml: |\n    a: ${infra.no}\n    b: x-${infra.vpc}\n    c: ${infra.list}\n    d: ${infra.port}\n  b.json: '{\"a\": ${infra.list}, \"b\": ${infra.quote}}'\n  c: ${infra.vpc}\n",
        &[
            "\"no\"",
            "vpc-0ab1",
            "- a\n      - b",
            "5432",
            "[\"a\", \"b\"]",
            "\"it''s \\\"x\\\": ü\"",
            "vpc-0ab1",
        ],
    );
    // Several documents, and one inside another.
    check(
        "kind: ConfigMap\napiVersion: v1\ndata:\n  a.yaml: |\n    a: ${infra.list}\n    ---\n    kind: ConfigMap\n    apiVersion: v1\n    data:\n      b.yaml: \"x: ${infra.no}\\ny: ${infra.vpc}\"\n    ---\n    b: ${infra.vpc}\n",
        &["- a\n      - b", "\\\"no\\\"", "vpc-0ab1", "vpc-0ab1"],
    );
    // A carriage return in a value turns the block into a quoted scalar.
    check(
        "kind: ConfigMap\napiVersion: v1\ndata:\n  a.yaml: |\n    a: x # landfall: ${infra.vpc}\n    b: vpc-0ab1 # landfall: ${infra.vpc}\n    c: \"${infra.text}\u{85}\"\n    d: ${infra.no}\n",
        &["vpc-0ab1", "vpc-0ab1", "one\\\\ntwo", "\\\"no\\\""],
    );
}

#[test]
fn setter_comments() {
    check(
        "a: old # landfall: ${infra.vpc}\nb: vpc-0ab1 # landfall: ${infra.vpc}\nc: # landfall: ${infra.list}\n  - z\nd: # landfall: ${infra.no}\n",
        &["vpc-0ab1", "vpc-0ab1", "- a\n  - b", "\"no\""],
    );
    check(
        "a:\n  - a\n  - b\nb: # landfall: ${infra.list}\n  - a\n  - b\n",
        &["- a\n  - b"],
    );
}

#[test]
fn distinguishes_references_of_a_template() {
    check(
        "a: old # landfall: ${infra.vpc}:${infra.port}/$${infra.vpc}/${infra.vpc}\n",
        &["vpc-0ab1", "5432", "vpc-0ab1"],
    );
    check(
        "a: old # landfall: ${infra.no} - ${infra.quote}\n",
        &["no", "it's \\\"x\\\": ü"],
    );
    check(
        "a: # landfall: ${infra.vpc}:${infra.port}\n",
        &["vpc-0ab1", "5432"],
    );
}

/// Binds one value to one path of one manifest.
#[track_caller]
fn bound(value: &str, path: &str, options: &str) -> Vec<String> {
    let manifest = "kind: A\napiVersion: v1\nspec:\n  id: x/y/z\n  list: [a]\n  map: {a: b}\n";
    let target = format!("{{select: {{kind: A}}, fieldPaths: ['{path}'], options: {options}}}");
    results(
        &[manifest],
        Some(&format!("[{{value: '{value}', targets: [{target}]}}]")),
    )
}

#[test]
fn field_bindings() {
    let vpc = "${infra.vpc}";
    assert_eq!(bound(vpc, "spec.id", "{}"), ["vpc-0ab1"]);
    for index in [-1, 0, 1, 2, 3] {
        let options = format!("{{delimiter: /, index: {index}}}");
        assert_eq!(bound(vpc, "spec.id", &options), ["vpc-0ab1"], "{index}");
    }
    assert_eq!(
        bound(
            "${infra.vpc}:${infra.port}",
            "spec.id",
            "{delimiter: /, index: 3}"
        ),
        ["vpc-0ab1", "5432"]
    );
    assert_eq!(bound("${infra.list}", "spec.map", "{}"), ["[a, b]"]);
    assert_eq!(
        bound(vpc, "spec.id", "{delimiter: /, index: 3, encoding: base64}"),
        ["dnBjLTBhYjE="]
    );
}

#[test]
fn fields_that_field_bindings_create() {
    let create = "{create: true}";
    assert_eq!(bound("${infra.no}", "spec.new", create), ["\"no\""]);
    assert_eq!(bound("${infra.vpc}", "spec.new.deep", create), ["vpc-0ab1"]);
    assert_eq!(bound("${infra.list}", "spec.new", create), ["- a\n    - b"]);
    assert_eq!(bound("${infra.vpc}", "spec.list.-", create), ["vpc-0ab1"]);
    assert_eq!(bound("${infra.list}", "spec.list.-", create), ["[a, b]"]);
    assert_eq!(
        bound("x ${infra.no}: ${infra.vpc}", "spec.map.new", create),
        ["no", "vpc-0ab1"]
    );
    // Two fields in one new list.
    let target =
        |path: &str| format!("{{select: {{kind: A}}, fieldPaths: ['{path}'], options: {create}}}");
    let substitutions = format!(
        "[{{value: '${{infra.vpc}}', targets: [{}]}}, {{value: '${{infra.no}}', targets: [{}]}}]",
        target("spec.items.[name=a].id"),
        target("spec.items.[name=b].id"),
    );
    let manifest = "kind: A\napiVersion: v1\nspec: {}\n";
    assert_eq!(
        results(&[manifest], Some(&substitutions)),
        ["vpc-0ab1", "\"no\""]
    );
    let manifest = "kind: A\napiVersion: v1\nspec:\n  b: ${infra.port}\n  a: |\n    x ${infra.vpc}";
    assert_eq!(
        results(&[manifest], Some(&substitutions)),
        ["vpc-0ab1", "\"no\"", "5432", "vpc-0ab1"]
    );
}

#[test]
fn the_field_type_changes_the_text() {
    check(
        "apiVersion: apps/v1\nkind: Deployment\nspec: {replicas: ${infra.digits}}\n",
        &["3"],
    );
    check(
        "apiVersion: apps/v1\nkind: Deployment\nspec:\n  replicas: ${infra.digits}${infra.digits}\n",
        &["3", "3"],
    );
    check(
        "apiVersion: v1\nkind: ConfigMap\ndata: {a: ${infra.port}}\n",
        &["\"5432\""],
    );
}
