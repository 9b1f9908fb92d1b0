//! Formats of outputs documents, held against other readers and against real documents.

use std::collections::BTreeSet;

use landfall::Request;
use serde_json::Value as Json;

use crate::corpora::files;
use crate::readers::{Record, differences, reported};
use crate::render::{render, request};
use crate::skip;
use crate::strings::strings;
use crate::tree::{self, Tree};

/// A request with one document that is bound to `infra` in a format.
fn bound(format: Option<&str>, content: &[u8]) -> Request {
    let mut request = request(content.to_vec());
    request.outputs[0].format = format.map(str::to_owned);
    request
}

/// The value of the output `k` in a YAML document. `None`: the format refuses it.
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
    // Not all readers have integers of any size, and serde_json makes `-0` a float.
    let is_exact = !json.contains("-0") && json.trim_matches(|c| !char::is_numeric(c)).len() < 19;
    is_exact.then(|| serde_json::from_str(json).unwrap())
}

/// Documents in which a string is at `@`, and of how many strings each is made.
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
fn what_the_format_yaml_reads_every_reader_reads() {
    let strings = strings();
    let mut records = Vec::new();
    for (template, every) in TEMPLATES {
        let before = records.len();
        // In a block, lines would be outputs of their own. PyYAML refuses tabs between
        // tokens, and Node's yaml lines of a flow collection that are indented as little as
        // the block around it, but nobody reads either as something else.
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

/// The documents of the corpora that a format reads without an error.
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
fn by_their_content_only_terraforms_outputs_are_read() {
    for format in [None, Some("terraform")] {
        let Some(read) = read_as(format) else { return };
        assert_eq!(read, set(TERRAFORM), "{format:?}");
    }
}

#[test]
fn dotenv_reads_dotenv_alone() {
    let Some(read) = read_as(Some("dotenv")) else {
        return;
    };
    assert_eq!(read, set(&["dotenv/outputs.env"]));
}

/// What marks secrets, or holds them without a mark, is not plain YAML: states, plans,
/// revisions of Infrastructure Manager, Secrets.
#[test]
fn yaml_reads_what_marks_no_secret() {
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
