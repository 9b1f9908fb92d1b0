//! Formats of outputs documents, compared with other readers and with real documents.

use std::collections::BTreeSet;

use landfall::Request;
use serde_json::Value as Json;

use crate::corpora::files;
use crate::readers::{Record, differences, reported};
use crate::render::{render, request};
use crate::skip;
use crate::strings::strings;
use crate::tree::{self, Tree};

/// Returns a request with one document that is bound to `infra` in a format.
fn bound(format: Option<&str>, content: &[u8]) -> Request {
    let mut request = request(content.to_vec());
    request.outputs[0].format = format.map(str::to_owned);
    request
}

/// Returns the value of the output `k` in a YAML document, or `None` if the format
/// refuses it.
fn value_of_k(yaml: &str) -> Option<Json> {
    let rendered = render(
        b"\"${infra.k | json}\"",
        &bound(Some("yaml"), yaml.as_bytes()),
    )
    .ok()?;
    let read = tree::read(std::str::from_utf8(&rendered.output).unwrap()).unwrap();
    let [Tree::Text(json)] = &read[..] else {
        panic!("{read:?}");
    };
    // Not all readers have integers of any size, and serde_json reads `-0` as a float.
    let is_exact = !json.contains("-0") && json.trim_matches(|c| !char::is_numeric(c)).len() < 19;
    is_exact.then(|| serde_json::from_str(json).unwrap())
}

/// Documents with `@` in place of a string, each tested with every n-th string.
const TEMPLATES: &[(&str, usize)] = &[
    ("k: @\n", 3),
    ("k: [@, a]\n", 7),
    ("k: {a: @}\n", 7),
    ("k:\n- @\n- b: @ # c\n", 7),
    ("k:\n  @: v\n", 7),
    ("k: {@: v}\n", 11),
    ("k: \"@\"\n", 11),
    ("k: '@'\n", 11),
    ("k: |\n  @\n", 11),
    ("k: >-\n  @\n  b\n", 11),
    ("{\"k\": @}\n", 11),
    ("\u{feff}---\r\nk: @\r\n", 11),
];

#[test]
fn values_of_the_yaml_format_agree_with_every_reader() {
    let strings = strings();
    let mut records = Vec::new();
    for (template, every) in TEMPLATES {
        let before = records.len();
        // In a block, lines would be separate outputs. PyYAML refuses tabs between
        // tokens, and Node's yaml refuses lines of a flow collection that are indented no
        // more than the surrounding block, but no reader reads either as something else.
        let is_quoted = ["\"@", "'@", "|\n", ">-\n"]
            .iter()
            .any(|quoted| template.contains(quoted));
        let fits = |string: &&String| {
            is_quoted
                || !string.contains('\t') && (template.starts_with('{') || !string.contains('\n'))
        };
        for string in strings.iter().step_by(*every).filter(fits) {
            let yaml = template.replace('@', string);
            if let Some(value) = value_of_k(&yaml) {
                records.push(Record {
                    parts: vec![yaml],
                    expected: vec![Tree::Map(vec![(Tree::Text("k".into()), (&value).into())])],
                    whole: true,
                });
            }
        }
        let read = records.len() - before;
        let of = strings.len().div_ceil(*every);
        eprintln!("{template:?}: {read} of {of} are read");
        assert!(read > of / 20 && read < of, "{template:?}: {read} of {of}");
    }
    let found = differences(&records);
    assert!(found.is_empty(), "{}", reported(&records, &found));
}

/// Returns the documents of the corpora that a format reads without an error.
fn read_as(format: Option<&str>) -> Option<BTreeSet<String>> {
    let folder = skip::corpora()?.join("outputs");
    let mut read = BTreeSet::new();
    for path in files(&folder) {
        let name = path.strip_prefix(&folder).unwrap().to_str().unwrap();
        if !name.contains('/') || name.starts_with("LICENSES") {
            continue;
        }
        let content = std::fs::read(&path).unwrap();
        match render(b"a: 1\n", &bound(format, &content)) {
            Ok(_) => _ = read.insert(name.to_owned()),
            Err(found) => {
                for label in found.iter().flat_map(|error| &error.labels) {
                    assert!(label.conceal && label.span.end <= content.len(), "{name}");
                }
            }
        }
    }
    Some(read)
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

const TERRAFORM: &[&str] = &[
    "terraform-output/deprecated.json",
    "terraform-output/flux-toboshii.json",
    "terraform-output/flux-xunholy.json",
    "terraform-output/kops-complex.json",
    "terraform-output/kops-minimal-ipv6.json",
    "terraform-output/kops-privatecalico.json",
    "terraform-output/swisscom-kubeone.json",
    "terraform-output/terraform-json-has-changes.json",
];

#[test]
fn only_terraform_outputs_are_detected_by_content() {
    for format in [None, Some("terraform")] {
        let Some(read) = read_as(format) else { return };
        assert_eq!(read, set(TERRAFORM), "{format:?}");
    }
}

#[test]
fn dotenv_reads_only_dotenv() {
    let Some(read) = read_as(Some("dotenv")) else {
        return;
    };
    assert_eq!(read, set(&["dotenv/outputs.env"]));
}

/// Documents that mark secrets, or contain them unmarked, are not plain YAML: states,
/// plans, revisions of Infrastructure Manager, Secrets.
#[test]
fn yaml_reads_only_documents_without_marked_secrets() {
    let Some(read) = read_as(Some("yaml")) else {
        return;
    };
    let expected = [
        "azure/deployment-group-show.json",
        "azure/outputs-query.json",
        "cdk/carbon-data-lake.json",
        "cdk/cdk-readme-1.json",
        "cdk/cdk-readme-2.json",
        "cdk/hyperswitch.json",
        "cloudformation/describe-stacks-aws-cli.json",
        "cloudformation/describe-stacks-carbon.json",
        "cloudformation/describe-stacks-no-outputs.json",
        "gcp-infra-manager/apply-results-empty.json",
        "gitops-bridge/cluster-secret-annotations.json",
        "pulumi/stack-export.json",
        "pulumi/stack-output-nested.json",
        "pulumi/stack-output-show-secrets.json",
        "pulumi/stack-output.json",
    ];
    assert_eq!(read, set(&expected));
}
