//! Formats of outputs documents, compared with other readers and with real documents.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use landfall::{File, Request, Rule, Sources, format_samples};
use landfall_test_needs::needs;
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
fn value_of_k(format: &str, yaml: &str) -> Option<Json> {
    let rendered = render(
        b"\"${infra.k | json}\"",
        &bound(Some(format), yaml.as_bytes()),
    )
    .ok()?;
    let read = tree::read(std::str::from_utf8(&rendered.output).unwrap()).unwrap();
    let [Tree::Text(json)] = &read[..] else {
        panic!("{read:?}");
    };
    // Not all readers have integers of any size, and serde_json reads `-0` as a float.
    let is_exact = !json.contains("-0") && json.trim_matches(|c| !char::is_numeric(c)).len() < 19;
    match serde_json::from_str(json) {
        // Some readers have no numbers of this size either: `1e999`.
        Err(error) if error.to_string().starts_with("number out of range") => None,
        read => is_exact.then(|| read.unwrap()),
    }
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

/// The same with the entry `k` of a ConfigMap.
const CONFIG_MAPS: &[(&str, usize)] = &[
    ("kind: ConfigMap\napiVersion: v1\ndata:\n  k: @\n", 7),
    (
        "kind: ConfigMap\napiVersion: v1\ndata:\n  k: |\n    @\n",
        11,
    ),
    ("kind: ConfigMap\napiVersion: v1\ndata:\n  k: '@'\n", 11),
    ("{kind: ConfigMap, apiVersion: v1, data: {k: @}}\n", 11),
];

/// Returns what every reader reads in a document whose entry `k` has this value.
fn with_k(format: &str, value: &Json) -> Tree {
    let entry = |key: &str, value: Tree| (Tree::Text(key.into()), value);
    let k = Tree::Map(vec![entry("k", value.into())]);
    match format {
        "configmap" => Tree::Map(vec![
            entry("kind", Tree::Text("ConfigMap".into())),
            entry("apiVersion", Tree::Text("v1".into())),
            entry("data", k),
        ]),
        _ => k,
    }
}

#[test]
fn values_of_formats_in_yaml_agree_with_every_reader() {
    let strings = strings();
    let mut records = Vec::new();
    let yaml = TEMPLATES.iter().map(|template| ("yaml", template));
    let config_maps = CONFIG_MAPS.iter().map(|template| ("configmap", template));
    for (format, (template, every)) in yaml.chain(config_maps) {
        let before = records.len();
        // In a block and in a block scalar, lines would be separate outputs. PyYAML refuses
        // tabs between tokens. Node's yaml refuses a closing quote that begins its line, and
        // lines of a flow collection, if they are indented no more than the surrounding
        // block. No reader reads these as something else.
        let contains = |parts: &[&str]| parts.iter().any(|part| template.contains(part));
        let is_block_scalar = contains(&["|\n", ">-\n"]);
        let is_quoted = contains(&["\"@", "'@"]);
        let fits = |string: &&String| match () {
            () if is_block_scalar => !string.contains('\n'),
            () if is_quoted => !string.trim_end_matches([' ', '\t']).ends_with('\n'),
            () => !string.contains('\t') && (template.starts_with('{') || !string.contains('\n')),
        };
        for string in strings.iter().step_by(*every).filter(fits) {
            let yaml = template.replace('@', string);
            if let Some(value) = value_of_k(format, &yaml) {
                records.push(Record {
                    parts: vec![yaml],
                    expected: vec![with_k(format, &value)],
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
fn read_as(format: Option<&str>) -> BTreeSet<String> {
    let folder = skip::needed_corpora().join("outputs");
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
    read
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The documents of each format that is detected by content.
const DETECTED: &[(&str, &[&str])] = &[
    (
        "terraform",
        &[
            "terraform-output/deprecated.json",
            "terraform-output/flux-toboshii.json",
            "terraform-output/flux-xunholy.json",
            "terraform-output/kops-complex.json",
            "terraform-output/kops-minimal-ipv6.json",
            "terraform-output/kops-privatecalico.json",
            "terraform-output/swisscom-kubeone.json",
            "terraform-output/terraform-json-has-changes.json",
        ],
    ),
    (
        "tfstate",
        &[
            "tfstate/opentofu-basic.tfstate",
            "tfstate/opentofu-complex_outputs.tfstate",
            "tfstate/opentofu-deprecation_warnings.tfstate",
            "tfstate/opentofu-null_outputs.tfstate",
            "tfstate/terraform-json-110-sensitive.tfstate",
            "tfstate/terraform-json-has-changes.tfstate",
        ],
    ),
    (
        "terraform-show",
        &[
            "terraform-show/110-sensitive.json",
            "terraform-show/moved-block-no-outputs.json",
            "terraform-show/no-changes.json",
        ],
    ),
    (
        "azure",
        &[
            "azure/deployment-group-show.json",
            "azure/outputs-query.json",
        ],
    ),
    (
        "gcp",
        &[
            "gcp-infra-manager/apply-results-empty.json",
            "gcp-infra-manager/revision.json",
        ],
    ),
    // The state in the corpora has an encrypted secret.
    ("pulumi-state", &[]),
    (
        "cloudformation",
        &[
            "cloudformation/describe-stacks-aws-cli.json",
            "cloudformation/describe-stacks-carbon.json",
            "cloudformation/describe-stacks-no-outputs.json",
        ],
    ),
    (
        "configmap",
        &[
            "configmap/cluster-config-xunholy.yaml",
            "configmap/cluster-settings-toboshii.yaml",
        ],
    ),
    (
        "secret",
        &[
            "crossplane/connection-secret.yaml",
            "crossplane/rds-connection-secret.yaml",
            "tofu-controller/tf-output-no-types.yaml",
            "tofu-controller/tf-output-secret.yaml",
        ],
    ),
    ("argocd-cluster", &["gitops-bridge/cluster-secret.yaml"]),
];

/// Each format is in [`DETECTED`], or reads other documents of the corpora if it is named.
#[test]
fn every_format_is_compared_with_real_documents() {
    let plans = ["terraform-plan-before", "terraform-plan-after"];
    let named = ["cdk", "dotenv", "json", "pulumi", "yaml"];
    let detected = DETECTED.iter().map(|(format, _)| *format);
    let compared: BTreeSet<_> = detected.chain(named).chain(plans).chain(["toy"]).collect();
    let formats: BTreeSet<_> = format_samples().map(|(id, _)| id).collect();
    assert_eq!(compared, formats);
}

/// So none of them is certainly in two formats, which would be an error.
#[needs(corpora)]
#[test]
fn documents_are_detected_by_content() {
    let mut all = BTreeSet::new();
    for (format, expected) in DETECTED {
        let read = read_as(Some(format));
        assert_eq!(read, set(expected), "{format}");
        all.extend(read);
    }
    assert_eq!(read_as(None), all);
}

/// Returns the values of outputs of a document in the corpora as JSON.
fn values(document: &str, paths: &[&str]) -> Vec<String> {
    let content = std::fs::read(skip::needed_corpora().join("outputs").join(document)).unwrap();
    let values = paths.iter().map(|path| {
        let manifest =
            format!("apiVersion: v1\nkind: Secret\nstringData:\n  a: '${{infra{path} | json}}'\n");
        let rendered = render(manifest.as_bytes(), &bound(None, &content)).unwrap();
        let text = String::from_utf8(rendered.output).unwrap();
        let value = text.trim_end().rsplit_once("a: ").unwrap().1;
        value.trim_matches('\'').to_owned()
    });
    values.collect()
}

#[needs(corpora)]
#[test]
fn values_of_objects_are_those_that_kubernetes_and_tofu_controller_mean() {
    for (document, expected) in [
        (
            "tofu-controller/tf-output-secret.yaml",
            &[
                (".cluster_id", r#""eu-test-1:stg:winter-squirrel""#),
                (".active", "true"),
                (".node_count", "10"),
                (".azs", r#"["eu-test-1a","eu-test-1b","eu-test-1c"]"#),
            ][..],
        ),
        (
            "tofu-controller/tf-output-no-types.yaml",
            &[(".multi", r#""line one\nline two\n""#)],
        ),
        (
            "crossplane/connection-secret.yaml",
            &[(r#"["password-1"]"#, r##""example: not # a secret""##)],
        ),
        (
            "crossplane/rds-connection-secret.yaml",
            &[(".port", r#""5432""#), (".password", r##""p@ss: #word""##)],
        ),
        (
            "gitops-bridge/cluster-secret.yaml",
            &[
                (".server", r#""https://kubernetes.default.svc""#),
                (".annotations.aws_account_id", r#""0123456789""#),
                (".labels.enable_argocd", r#""true""#),
            ],
        ),
        (
            "configmap/cluster-settings-toboshii.yaml",
            &[
                (".CLUSTER_ID", r#""1""#),
                (".NETWORK_MANAGEMENT_CIDR", r#""10.0.0.0/8""#),
            ],
        ),
    ] {
        let (paths, expected): (Vec<_>, Vec<_>) = expected.iter().copied().unzip();
        assert_eq!(values(document, &paths), expected, "{document}");
    }
}

/// The only file of variables has `\n` in double quotes: a line break for libraries, two
/// characters for shells.
#[needs(corpora)]
#[test]
fn dotenv_reads_no_other_format() {
    assert_eq!(read_as(Some("dotenv")), set(&[]));
}

/// JSON objects of objects of strings.
const CDK: &[&str] = &[
    "cdk/carbon-data-lake.json",
    "cdk/cdk-readme-1.json",
    "cdk/cdk-readme-2.json",
    "cdk/hyperswitch.json",
];

/// Other JSON objects of names to values. References cannot read the masked ones.
const OBJECTS: &[&str] = &[
    "gitops-bridge/cluster-secret-annotations.json",
    "pulumi/stack-output-nested.json",
    "pulumi/stack-output-show-secrets.json",
    "pulumi/stack-output.json",
];

/// Documents that mark secrets, or contain them unmarked, are not plain JSON or YAML: states,
/// plans, deployments, Secrets.
#[needs(corpora)]
#[test]
fn generic_formats_read_only_documents_without_marked_secrets() {
    let objects = &set(CDK) | &set(OBJECTS);
    for (format, expected) in [
        ("cdk", &set(CDK)),
        ("json", &objects),
        ("pulumi", &objects),
        ("yaml", &objects),
    ] {
        assert_eq!(read_as(Some(format)), *expected, "{format}");
    }
}

/// An output: its name, whether it is sensitive, and its value as JSON; `-` if it is
/// unreadable.
type Expected = (&'static str, bool, &'static str);

const SENSITIVE: bool = true;
const PUBLIC: bool = false;

/// Returns the JSON of an output, written into a Secret or into a plain document.
fn json_of(name: &str, in_secret: bool, request: &Request) -> Result<String, Rule> {
    let reference = format!("'${{infra[\"{name}\"] | json}}'");
    let manifest = if in_secret {
        format!("apiVersion: v1\nkind: Secret\nstringData: {{k: {reference}}}\n")
    } else {
        format!("k: {reference}\n")
    };
    let rendered = render(manifest.as_bytes(), request).map_err(|found| found[0].rule)?;
    let output = String::from_utf8(rendered.output).unwrap();
    let (_, json) = output.split_once("k: '").unwrap();
    let (json, _) = json.rsplit_once('\'').unwrap();
    Ok(json.to_owned())
}

/// Checks the outputs of a document.
fn check_model(what: &str, content: &[u8], expected: &[Expected]) {
    let request = bound(None, content);
    let sources = Sources::new(vec![File::default()]);
    let answer = sources.generate(&request).unwrap();
    let unused = answer.substitutions.unwrap().unused;
    let names: Vec<_> = unused.into_iter().map(|one| one.output).collect();
    let expected_names: Vec<_> = expected
        .iter()
        .filter(|(.., json)| *json != "-")
        .map(|(name, ..)| format!("infra.{name}"))
        .collect();
    assert_eq!(names, expected_names, "{what}");
    for (name, sensitive, json) in expected {
        let value = match *json {
            "-" => Err(Rule::UnreadableOutput),
            "null" => Err(Rule::EmptyOutput),
            json => Ok(json.to_owned()),
        };
        assert_eq!(json_of(name, true, &request), value, "{what} {name}");
        let outside = if *sensitive && value.is_ok() {
            Err(Rule::SensitiveOutput)
        } else {
            value
        };
        assert_eq!(json_of(name, false, &request), outside, "{what} {name}");
    }
}

/// Outputs of every type of Terraform.
const MODULE: &str = r#"
resource "terraform_data" "a" { input = { key = "example" } }
output "string" { value = "<é>" }
output "integer" { value = 123456789012345678901234567890 }
output "small" { value = 1e-7 }
output "bool" { value = true }
output "list" { value = tolist(["b", null, "a"]) }
output "empty-list" { value = tolist([]) }
output "set" { value = toset(["b", "a"]) }
output "tuple" { value = ["a", 1, null, { b = [] }] }
output "map" { value = tomap({ a = "1" }) }
output "object" { value = { b = 1, a = { c = null }, "x y" = {} } }
output "resource" { value = terraform_data.a.output }
output "null" { value = null }
output "secret" {
  value     = { key = "example-not-a-secret" }
  sensitive = true
}
"#;

/// Terraform leaves out outputs that are null.
const MODULE_OUTPUTS: &[Expected] = &[
    ("bool", PUBLIC, "true"),
    ("empty-list", PUBLIC, "[]"),
    ("integer", PUBLIC, "123456789012345678901234567890"),
    ("list", PUBLIC, r#"["b",null,"a"]"#),
    ("map", PUBLIC, r#"{"a":"1"}"#),
    ("object", PUBLIC, r#"{"a":{"c":null},"b":1,"x y":{}}"#),
    ("resource", PUBLIC, r#"{"key":"example"}"#),
    ("secret", SENSITIVE, r#"{"key":"example-not-a-secret"}"#),
    ("set", PUBLIC, r#"["a","b"]"#),
    ("small", PUBLIC, "0.0000001"),
    ("string", PUBLIC, r#""<é>""#),
    ("tuple", PUBLIC, r#"["a",1,null,{"b":[]}]"#),
];

#[needs(terraform)]
#[test]
fn every_document_that_terraform_writes_has_the_same_outputs() {
    let program = skip::needed_program("terraform");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("terraform-documents");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("main.tf"), MODULE).unwrap();
    let terraform = |arguments: &[&str]| {
        let output = Command::new(&program)
            .args(arguments)
            .current_dir(&folder)
            // The machine's own settings must not affect the test.
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &folder)
            .env("CHECKPOINT_DISABLE", "1")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {stderr}");
        output.stdout
    };
    terraform(&["init", "-input=false", "-no-color"]);
    let written = terraform(&["show", "-json"]);
    check_model("an empty state", &written, &[]);
    terraform(&["apply", "-auto-approve", "-input=false", "-no-color"]);
    for arguments in [
        &["output", "-json"][..],
        &["show", "-json"],
        &["state", "pull"],
    ] {
        let written = terraform(arguments);
        check_model(&arguments.join(" "), &written, MODULE_OUTPUTS);
    }
    let state = std::fs::read(folder.join("terraform.tfstate")).unwrap();
    check_model("terraform.tfstate", &state, MODULE_OUTPUTS);
}
