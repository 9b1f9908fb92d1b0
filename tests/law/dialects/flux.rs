//! The variables of Flux: any manifest, and documents that share names. What the operators
//! do is compared with Flux itself, and specified in `docs/dialects/flux.md`.

use landfall::{Config, Configuration, Request, Rule};
use proptest::prelude::*;
use serde_json::json;

use crate::choices::Choices;
use crate::generated::cases;
use crate::render::{document, outputs, render, request};

/// The fragments of manifests.
const FRAGMENTS: &[&str] = &[
    "${a}",
    "${b:=c}",
    "${",
    "}",
    "$",
    "$$",
    "$${",
    "${#",
    "${a/",
    "${a//",
    "${a/#",
    "/",
    "\\/",
    "\\",
    "${a:",
    ":",
    ":-",
    "${a%",
    "${a##",
    "*",
    "[",
    "]",
    "^",
    ",",
    "${a:-${b}",
    "${missing}",
    "${*_X}",
    "${é}",
    "é",
    "😀",
    "a",
    "1",
    "-1",
    "\n",
    "\n  ",
    ": ",
    " ",
    "- ",
    "? ",
    "\"",
    "'",
    "|\n  ",
    ">\n  ",
    "# ",
    "&x ",
    "*x",
    "{",
    "---\n",
    "!!str ",
    "kustomize.toolkit.fluxcd.io/substitute: disabled",
    "metadata:\n  labels:\n    ",
];

fn binding(spec: &str) -> Option<Config> {
    let content =
        format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  dialect: flux\n{spec}");
    Some(Config {
        path: "landfall.yaml".into(),
        content: content.into(),
    })
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn any_manifest(numbers in prop::collection::vec(any::<u16>(), 0..30), lenient: bool) {
        let choices = &mut Choices::new(&numbers);
        let mut manifest = String::new();
        while choices.any_left() {
            manifest.push_str(FRAGMENTS[choices.below(FRAGMENTS.len())]);
        }
        let values = [("a", json!("é/x: y #z")), ("b", json!("")), ("l", json!([1, "x"]))];
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), value));
        let policy = "  policy: {missing: empty, empty: allow}\n";
        let request = Request {application: Configuration {
            binding: binding(if lenient { policy } else { "" }), ..Configuration::default()}.into(),
            ..request(outputs(values))
        };
        match render(manifest.as_bytes(), &request) {
            Ok(rendered) => prop_assert!(std::str::from_utf8(&rendered.output).is_ok()),
            Err(found) => {
                prop_assert!(!found.is_empty());
                for label in found.iter().flat_map(|found| &found.labels) {
                    if label.origin == landfall::Origin::Manifest(0) {
                        prop_assert!(manifest.get(label.span.start..label.span.end).is_some());
                    }
                }
            }
        }
    }
}

/// Returns a request with documents of these names, each with values.
fn documents(spec: &str, documents: &[(&str, &[(&str, serde_json::Value)])]) -> Request {
    let documents = documents.iter().map(|(name, values)| {
        let values = values
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value));
        document(name, outputs(values))
    });
    Request {
        outputs: documents.collect(),
        application: Configuration {
            binding: binding(spec),
            ..Configuration::default()
        }
        .into(),
        ..request(Vec::new())
    }
}

#[test]
fn inline_values_come_before_all_documents() {
    let spec = "  outputs:\n  - {name: inline, from: {inline: {zone: x}}}\n  - {name: a, from: {file: a}}\n  - {name: b, from: {file: b}}\n";
    let request = documents(
        spec,
        &[
            ("inline", &[("zone", json!("inline"))]),
            ("a", &[("zone", json!("a")), ("region", json!("a"))]),
            ("b", &[("zone", json!("b")), ("region", json!("b"))]),
        ],
    );
    let rendered = render(b"a: ${zone} ${region}\n", &request).unwrap();
    assert_eq!(rendered.output, b"a: inline b\n");
    let output = |nth: usize| {
        let substitutions = rendered.substitutions.as_ref().unwrap();
        substitutions[nth].output.clone()
    };
    assert_eq!(
        (output(0), output(1)),
        ("inline.zone".into(), "b.region".into())
    );
}

#[test]
fn an_inline_value_of_a_sensitive_variable_is_sensitive() {
    let spec = "  outputs:\n  - {name: inline, from: {inline: {token: x}}}\n  - {name: a, from: {file: a}, sensitive: true}\n";
    let request = documents(
        spec,
        &[
            ("inline", &[("token", json!("inline"))]),
            ("a", &[("token", json!("a"))]),
        ],
    );
    let found = render(b"a: ${token}\n", &request).unwrap_err();
    assert!(
        found
            .iter()
            .any(|found| found.rule == Rule::SensitiveOutput)
    );
}

#[test]
fn a_name_with_dashes_is_found_only_if_it_is_the_only_one() {
    let rendered = |values: &[(&str, serde_json::Value)]| {
        let request = documents("", &[("infra", values)]);
        render(b"a: ${vpc_id}\n", &request).map(|rendered| rendered.output)
    };
    let one = ("vpc-id", json!("dash"));
    let other = ("vpc.id", json!("dot"));
    let exact = ("vpc_id", json!("exact"));
    assert_eq!(rendered(std::slice::from_ref(&one)).unwrap(), b"a: dash\n");
    assert_eq!(
        rendered(&[one.clone(), exact, other.clone()]).unwrap(),
        b"a: exact\n"
    );
    assert!(rendered(&[one, other]).is_err());
}

#[test]
fn a_variable_without_outputs_documents_is_an_error() {
    let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${app}-settings\n";
    let found = render(manifest.as_bytes(), &documents("", &[])).unwrap_err();
    let [found] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(found.rule, Rule::NothingBound);
    assert_eq!(
        found.message,
        "reference to `app`, but no outputs document is bound"
    );
    // The name of the resource is the one in the manifest, not masked.
    let resource = found.resource.as_ref().map(|resource| &*resource.name);
    assert_eq!(resource, Some("${app}-settings"));
}
