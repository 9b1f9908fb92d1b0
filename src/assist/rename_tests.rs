//! Tables of renames. `‸` marks each reference to `infra.a`.

use crate::assist::Subject;
use crate::config::Config;
use crate::contract::{Configuration, File, Request, Sources};
use crate::outputs::OutputsDocument;
use crate::report::Origin;
use yaml::splice;

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n";

fn config(content: &str) -> Config {
    Config {
        path: "landfall.yaml".into(),
        content: content.into(),
    }
}

fn request(spec: &str) -> Request {
    let outputs = br#"{"a": {"value": "x"}, "b": {"value": "y"}, "a-b": {"value": "z"}}"#;
    let configuration = Configuration {
        binding: Some(config(&format!("{BINDING}{spec}"))),
        ..Configuration::default()
    };
    Request {
        application: configuration.into(),
        outputs: vec![OutputsDocument {
            name: "infra".into(),
            content: outputs.to_vec(),
            ..OutputsDocument::default()
        }],
        ..Request::default()
    }
}

fn subject(name: &str) -> Subject {
    let mut steps = name.split('/').map(str::to_owned);
    Subject {
        name: steps.next().unwrap_or_default(),
        path: steps.collect(),
    }
}

fn sources(manifest: &str) -> Sources {
    Sources::new(vec![File {
        path: "a.yaml".into(),
        content: manifest.into(),
    }])
}

/// Checks the references to `infra.a`, and its renamed text.
#[track_caller]
fn check(spec: &str, marked: &str, to: &str, expected: &str) {
    check_of(&subject("infra/a"), spec, marked, to, expected);
}

#[track_caller]
fn check_of(subject: &Subject, spec: &str, marked: &str, to: &str, expected: &str) {
    let manifest = marked.replace('‸', "");
    let (sources, request) = (sources(&manifest), request(spec));
    let found = sources.references(&request, &[], subject);
    let mut shown = manifest.clone();
    let in_manifest = found.iter().filter(|at| at.origin == Origin::Manifest(0));
    for at in in_manifest.rev() {
        shown.insert(at.span.start, '‸');
    }
    assert_eq!(shown, marked);
    let renamed = match sources.rename(&request, &[], subject, to) {
        Ok(rename) => splice(manifest.as_bytes(), &rename.sources[0]).unwrap(),
        Err(errors) => errors[0].message.clone().into_bytes(),
    };
    assert_eq!(String::from_utf8(renamed).unwrap(), expected);
}

/// Checks the Binding's `spec` after `infra.a` is renamed.
#[track_caller]
fn check_binding(spec: &str, to: &str, expected: &str) {
    let request = request(spec);
    let binding = request.configuration().binding.clone().unwrap().content;
    let rename = sources("").rename(&request, &[], &subject("infra/a"), to);
    let renamed = splice(&binding, &rename.unwrap().binding).unwrap();
    let renamed = String::from_utf8(renamed).unwrap();
    assert_eq!(renamed.strip_prefix(BINDING), Some(expected));
}

#[test]
fn renames_references_in_every_kind_of_text() {
    for (marked, expected) in [
        ("x: ${infra.‸a}\n", "x: ${infra.new}\n"),
        (
            "x: [\"${ infra . ‸a.k }\"]\n",
            "x: [\"${ infra .new.k }\"]\n",
        ),
        ("x: '${infra[\"‸a\"][0]}'\n", "x: '${infra.new[0]}'\n"),
        (
            "${infra.‸a}: |\n  ${infra.b | default(infra.‸a)}\n",
            "${infra.new}: |\n  ${infra.b | default(infra.new)}\n",
        ),
        (
            "x: >-\n  $${infra.a} ${infra.‸a}\n",
            "x: >-\n  $${infra.a} ${infra.new}\n",
        ),
        (
            "x: y # landfall: ${infra.‸a}-${infra.b}\n",
            "x: y # landfall: ${infra.new}-${infra.b}\n",
        ),
        ("x: y # ${infra.a}\n", "x: y # ${infra.a}\n"),
        (
            "x: \"\\x41${infra.‸\\x61}\"\n",
            "x: \"\\x41${infra.new}\"\n",
        ),
    ] {
        check("  {}\n", marked, "new", expected);
    }
}

#[test]
fn quotes_names_as_their_text_requires() {
    let in_config_map =
        |text: &str| format!("apiVersion: v1\nkind: ConfigMap\ndata:\n  a.yaml: |\n    {text}\n");
    for (marked, to, expected) in [
        ("x: ${infra.‸a}\n", "a b", "x: ${infra[\"a b\"]}\n"),
        ("x: \"${infra.‸a}\"\n", "a b", "x: \"${infra['a b']}\"\n"),
        ("x: '${infra.‸a}'\n", "a b", "x: '${infra[\"a b\"]}'\n"),
        (
            "x: '${infra.‸a}'\n",
            "it's \"a\"",
            "x: '${infra[\"it''s \\\"a\\\"\"]}'\n",
        ),
        (
            "x: \"${infra.‸a}\"\n",
            "it's \"a\"",
            "x: \"${infra[\\\"it's \\\\\\\"a\\\\\\\"\\\"]}\"\n",
        ),
        (
            "x: ${infra.‸a} # c\n",
            "}#: x",
            "x: ${infra[\"}#: x\"]} # c\n",
        ),
        (
            "x: y # landfall: ${infra.‸a}\n",
            "a #b",
            "x: y # landfall: ${infra[\"a #b\"]}\n",
        ),
    ] {
        check("  {}\n", marked, to, expected);
    }
    for (marked, to, expected) in [
        ("x: \"${infra.‸a}\"", "a b", "x: \"${infra['a b']}\""),
        ("x: '${infra.‸a}'", "a'b", "x: '${infra[\"a''b\"]}'"),
        (
            "x: y # landfall: ${infra.‸a}",
            "a b",
            "x: y # landfall: ${infra[\"a b\"]}",
        ),
        (
            "{\"x\": \"${infra.‸a}\"}",
            "a b",
            "{\"x\": \"${infra['a b']}\"}",
        ),
    ] {
        check(
            "  {}\n",
            &in_config_map(marked),
            to,
            &in_config_map(expected),
        );
    }
}

#[test]
fn quotes_nothing_in_text_that_may_be_a_document() {
    let marked = "apiVersion: v1\nkind: ${infra.b}\ndata:\n  a.yaml: |\n    x: \"${infra.‸a}\"\n";
    let failed = "`infra.a` cannot be renamed to `a b`";
    check("  {}\n", marked, "a b", failed);
    check("  {}\n", marked, "new", &marked.replace("‸a", "new"));
}

#[test]
fn finds_keys_and_bound_names() {
    let marked = "x: ${infra.a.‸k[0]}\ny: ${infra.a}\nz: ${infra.b.k}\n";
    let message = "`infra.a.k` is part of the value of an output, and cannot be renamed";
    check_of(&subject("infra/a/k"), "  {}\n", marked, "new", message);
    let marked = "x: ${‸infra.a}\ny: '${ ‸infra[\"b\"] | default(‸infra.a)}'\n";
    let renamed = marked.replace("‸infra", "net");
    check_of(&subject("infra"), "  {}\n", marked, "net", &renamed);
    check_of(
        &subject("infra"),
        "  {}\n",
        marked,
        "a b",
        "invalid binding name `a b`",
    );
    // It would become a reference.
    let marked = "x: ${‸infra.a} ${net.a}\n";
    let message = "`infra` cannot be renamed to `net`";
    check_of(&subject("infra"), "  {}\n", marked, "net", message);
}

#[test]
fn renames_in_dialects_that_name_no_binding() {
    let flux = "  dialect: flux\n";
    check(
        flux,
        "x: ${‸a:-${‸a}} ${a_b}\n",
        "new",
        "x: ${new:-${new}} ${a_b}\n",
    );
    check(flux, "x: ${‸a}\n", "new-name", "x: ${new_name}\n");
    let failed = "`infra.a` cannot be renamed to `a b`";
    check(flux, "x: ${‸a}\n", "a b", failed);
    // Another output is `${a_b}` already.
    let failed = "`infra.a` cannot be renamed to `a.b`";
    check(flux, "x: ${‸a}\n", "a.b", failed);
    let of_dash = subject("infra/a-b");
    check_of(
        &of_dash,
        flux,
        "x: ${‸a_b} ${a}\n",
        "new",
        "x: ${new} ${a}\n",
    );
    let kpt = "  dialect: kpt-set\n";
    let marked = "x: y # kpt-set: ${‸a}:${b}\ny: ${a}\n";
    check(kpt, marked, "a.c", "x: y # kpt-set: ${a.c}:${b}\ny: ${a}\n");
    let toy = "  dialect: toy\n";
    check(
        toy,
        "x: <<‸a/k ?? <<‸a>>>>\n",
        "new",
        "x: <<new/k ?? <<new>>>>\n",
    );
}

#[test]
fn renames_in_the_binding() {
    check_binding(
        "  outputs:\n  - {name: infra, from: {file: a.json}, sensitive: [a, b]}\n  - {name: infra, from: {file: b.json}, notSensitive: ['a']}\n  - {name: net, from: {inline: {a: 1}}, sensitive: [a]}\n",
        "a b",
        "  outputs:\n  - {name: infra, from: {file: a.json}, sensitive: [a b, b]}\n  - {name: infra, from: {file: b.json}, notSensitive: ['a b']}\n  - {name: net, from: {inline: {a: 1}}, sensitive: [a]}\n",
    );
    check_binding(
        "  contract: {infra: {a: {}, b: {}}, net: {a: {}}}\n  outputs: [{name: infra, from: {inline: {a: {a: 1}}}}]\n",
        "true",
        "  contract: {infra: {\"true\": {}, b: {}}, net: {a: {}}}\n  outputs: [{name: infra, from: {inline: {\"true\": {a: 1}}}}]\n",
    );
    check_binding(
        "  substitutions:\n  - value: \"\\x2d${infra.a}\"\n    targets: [{select: {kind: A}, fieldPaths: [a]}]\n",
        "a b",
        "  substitutions:\n  - value: \"\\x2d${infra['a b']}\"\n    targets: [{select: {kind: A}, fieldPaths: [a]}]\n",
    );
}

#[test]
fn renames_in_contracts() {
    let content = "apiVersion: landfall.dev/v1alpha1\nkind: OutputsContract\nspec: {infra: {a: {}}, net: {a: {}}}\n";
    let (request, contracts) = (request("  {}\n"), [config(content)]);
    let sources = sources("");
    let found = sources.references(&request, &contracts, &subject("infra/a"));
    let origins: Vec<Origin> = found.iter().map(|at| at.origin).collect();
    assert_eq!(origins, [Origin::Outputs(1)]);
    let rename = sources.rename(&request, &contracts, &subject("infra/a"), "new");
    let renamed = splice(content.as_bytes(), &rename.unwrap().contracts[0]).unwrap();
    let expected = content.replace("infra: {a", "infra: {new");
    assert_eq!(String::from_utf8(renamed).unwrap(), expected);
}

#[test]
fn renames_nothing_if_places_may_be_missing() {
    let unread = |manifest: &str, spec: &str| {
        let found = sources(manifest).rename(&request(spec), &[], &subject("infra/a"), "new");
        found.unwrap_err()[0].rule.id()
    };
    assert_eq!(unread("x: [${infra.a}\n", "  {}\n"), "document-is-not-yaml");
    assert_eq!(unread("", "  polcy: {}\n"), "invalid-binding");
    // A document that does not name it matters to nobody.
    let other = sources("x: [${infra.b}\n---\nx: ${infra.a-b}\n");
    let rename = other.rename(&request("  {}\n"), &[], &subject("infra/a-b"), "new");
    assert_eq!(rename.unwrap().sources[0].len(), 1);
}

#[test]
fn finds_references_to_outputs_without_a_document() {
    let mut request = request("  outputs: [{name: infra, from: {file: a.json}}]\n");
    request.outputs.clear();
    let found = sources("x: ${infra.a}\n").references(&request, &[], &subject("infra/a"));
    assert_eq!(found.len(), 1);
}
