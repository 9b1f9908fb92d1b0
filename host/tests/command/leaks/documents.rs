//! Outputs documents with sensitive outputs: those of the corpora, and generated ones in
//! every format that has marks, or whose outputs a Binding declares sensitive.

use std::collections::BTreeSet;
use std::fs;

use base64ct::{Base64, Encoding};
use landfall_test_support::skip;
use serde_json::{Map, Value as Json, json};

use super::values::Canaries;

/// What people read in each document of the corpora: which outputs it has, and which of
/// them are sensitive.
const MODELS: &str = include_str!("../../../../tests/law/models.txt");

/// The page whose first table lists all formats, with whether each is detected. A test of the
/// module compares it with its table.
const PAGE: &str = include_str!("../../../../docs/language/outputs-documents.md");

/// Returns the id of each format, and whether it is detected from the content.
fn formats() -> impl Iterator<Item = (&'static str, bool)> {
    let rows = PAGE.lines().skip_while(|line| !line.starts_with("| ---"));
    let rows = rows.skip(1).map_while(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| Some((row.split_once('`')?.0, row.ends_with(" yes |"))))
}

fn is_detected(format: &str) -> bool {
    formats().any(|(id, is_detected)| id == format && is_detected)
}

#[test]
fn every_format_is_searched() {
    let rows = [MARKED, SECRETS, DECLARED, DECLARED_STRINGS].concat();
    let searched = rows.iter().filter_map(|(row, _)| row.split(',').next());
    let searched: BTreeSet<_> = searched.collect();
    assert_eq!(searched, formats().map(|(id, _)| id).collect());
}

/// An outputs document.
pub(crate) struct Document {
    pub(crate) name: String,
    pub(crate) content: Vec<u8>,
    /// The format that the Binding names; `None` if it is detected.
    pub(crate) format: Option<String>,
    /// Whether the Binding declares all outputs sensitive.
    pub(crate) is_declared: bool,
    /// The names of the sensitive outputs.
    pub(crate) sensitive: Vec<String>,
    /// Their values; `None` if they are known only from what landfall reads.
    pub(crate) values: Option<Vec<Json>>,
    /// Whether references to the sensitive outputs can be rendered.
    pub(crate) is_readable: bool,
    /// The names of the other outputs.
    pub(crate) public: Vec<String>,
    /// All secrets in the document, also those that are not in an output, and the keys of
    /// sensitive objects; `None` if there are only those in `values`.
    pub(crate) canaries: Option<Canaries>,
}

/// Returns the readable documents of the corpora: as they are if some of their outputs are
/// sensitive, otherwise with all outputs declared sensitive. `None` without the corpora.
pub(crate) fn of_the_corpora() -> Option<Vec<Document>> {
    let folder = skip::corpora()?.join("outputs");
    let models = MODELS.split("\n\n").filter(|block| !block.starts_with('#'));
    let mut documents = Vec::new();
    for (title, model) in models.filter_map(|block| block.split_once('\n')) {
        let (path, format) = title.split_once(" (").unwrap();
        let format = format.trim_end_matches(')');
        let lines: Vec<_> = model
            .lines()
            .filter_map(|line| line.split_once(": "))
            .collect();
        if model.trim_start().starts_with("refused") {
            continue;
        }
        let is_marked =
            |value: &str| value.starts_with("sensitive, ") && !value.ends_with("unreadable");
        let is_declared = !lines.iter().any(|(_, value)| is_marked(value));
        let names = |is_sensitive: bool| {
            let of = lines.iter().filter(|(_, value)| {
                !value.ends_with(", unreadable")
                    && is_sensitive == (is_declared || is_marked(value))
            });
            of.map(|(name, _)| name.trim().to_owned())
                .collect::<Vec<_>>()
        };
        documents.push(Document {
            name: format!(
                "{path}{}",
                if is_declared {
                    ", declared sensitive"
                } else {
                    ""
                }
            ),
            content: fs::read(folder.join(path)).unwrap(),
            format: (!is_detected(format)).then(|| format.to_owned()),
            is_declared,
            sensitive: names(true),
            values: None,
            is_readable: true,
            public: names(false),
            canaries: None,
        });
    }
    documents.retain(|document| !document.sensitive.is_empty());
    Some(documents)
}

/// The value of the output `plain`, the one that is not sensitive where a format has marks.
const PLAIN: &str = "vpc-0ab1";

type Write = fn(&[(&str, Json)], &mut Canaries) -> String;

/// How a document with these values is written, in formats with marks.
const MARKED: &[(&str, Write)] = &[
    ("terraform", |values, _| terraform(values).to_string()),
    ("tfstate", |values, canaries| {
        let attributes = json!({canaries.token(): canaries.token()});
        json!({
            "version": 4, "terraform_version": "1.11.0", "serial": 1, "lineage": "0",
            "outputs": terraform(values),
            "resources": [{"mode": "managed", "instances": [{"attributes": attributes}]}],
            "check_results": null,
        })
        .to_string()
    }),
    ("terraform-show", |values, canaries| {
        let resource = json!({"address": "a.b", "values": {canaries.token(): canaries.token()}});
        json!({
            "format_version": "1.0", "terraform_version": "1.11.0",
            "values": {"outputs": terraform(values), "root_module": {"resources": [resource]}},
        })
        .to_string()
    }),
    ("gcp", |values, canaries| {
        let outputs = values.iter().map(|(name, value)| {
            (
                name.to_string(),
                json!({"sensitive": *name != "plain", "value": value}),
            )
        });
        json!({
            "name": "projects/p/locations/l/deployments/d/revisions/r-0", "state": "APPLIED",
            "applyResults": {"content": "gs://b", "outputs": outputs.collect::<Map<_, _>>()},
            "stateDetail": canaries.token(),
        })
        .to_string()
    }),
    // A value in a field that Azure leaves out is not read.
    ("azure", |values, _| {
        let output = |(name, value): &(&str, Json)| {
            let output = match *name {
                "plain" => json!({"type": "String", "value": value}),
                _ => {
                    json!({"type": if value.is_string() { "SecureString" } else { "SecureObject" }, "value": value})
                }
            };
            (name.to_string(), output)
        };
        let outputs = values.iter().map(output).collect::<Map<_, _>>();
        json!({"id": "/deployments/d", "name": "d", "properties": {"outputs": outputs}}).to_string()
    }),
    ("pulumi-state", |values, canaries| {
        let secret = |value: &Json| {
            json!({
                "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
                "plaintext": value.to_string(),
            })
        };
        let output = |(name, value): &(&str, Json)| {
            let output = match *name {
                "plain" => value.clone(),
                // One secret makes the whole output sensitive.
                "object" => json!({"host": value["host"], "deep": secret(&value["deep"])}),
                _ => secret(value),
            };
            (name.to_string(), output)
        };
        let outputs = values.iter().map(output).collect::<Map<_, _>>();
        json!({"version": 3, "deployment": {"resources": [
            {"urn": "urn:pulumi:dev::a::pulumi:pulumi:Stack::a-dev", "type": "pulumi:pulumi:Stack", "outputs": outputs},
            {"urn": "urn:pulumi:dev::a::b:c:D::e", "type": "b:c:D", "outputs": {canaries.token(): secret(&canaries.token().into())}},
        ]}})
        .to_string()
    }),
];

/// The same with strings only: Secrets, whose outputs are all sensitive.
const SECRETS: &[(&str, Write)] = &[
    ("secret, data", |values, _| secret(values, "", "", true)),
    ("secret, stringData", |values, _| {
        secret(values, "", "", false)
    }),
    ("argocd-cluster", |values, canaries| {
        let metadata =
            "  labels: {argocd.argoproj.io/secret-type: cluster}\n  annotations: {vpc: vpc-0ab1}\n";
        let config = json!({"bearerToken": canaries.token()}).to_string();
        let config = format!("stringData:\n  config: '{config}'\n");
        secret(values, metadata, &config, true)
    }),
];

/// Documents in formats without marks, declared sensitive: with all types, or with strings
/// and lists only.
const DECLARED: &[(&str, Write)] = &[
    ("terraform", |values, _| terraform(values).to_string()),
    ("json", |values, _| object(values).to_string()),
    ("yaml", |values, _| object(values).to_string()),
    ("pulumi", |values, _| object(values).to_string()),
];

const DECLARED_STRINGS: &[(&str, Write)] = &[
    ("dotenv", |values, _| {
        let line = |(name, value): &(&str, Json)| format!("{name}='{}'\n", text(value));
        values.iter().map(line).collect()
    }),
    ("configmap", |values, _| {
        let lines = values
            .iter()
            .map(|(name, value)| format!("  {name}: {value}\n"));
        format!(
            "apiVersion: v1\nkind: ConfigMap\ndata:\n{}",
            lines.collect::<String>()
        )
    }),
    ("cdk", |values, _| {
        format!("{{\"stack\": {}}}", object(values))
    }),
    ("cloudformation", |values, canaries| {
        let output =
            |(name, value): &(&str, Json)| json!({"OutputKey": name, "OutputValue": value});
        let outputs: Vec<_> = values.iter().map(output).collect();
        json!({"Stacks": [{"StackName": "a", "Outputs": outputs, "Parameters": [{"ParameterValue": canaries.token()}]}]}).to_string()
    }),
];

/// Returns a document in each format, full of values that occur nowhere else.
pub(crate) fn generated() -> Vec<Document> {
    let rows = [
        (MARKED, false, false),
        (SECRETS, false, true),
        (DECLARED, true, false),
        (DECLARED_STRINGS, true, true),
    ];
    let rows = rows.iter().flat_map(|(rows, is_declared, strings)| {
        rows.iter().map(move |row| (row, *is_declared, *strings))
    });
    let document = |(number, ((format, write), is_declared, strings)): (
        usize,
        (&(&str, Write), bool, bool),
    )| {
        let mut canaries = Canaries::new(7_000 + u64::try_from(number).unwrap());
        let mut values = if strings {
            canaries.strings()
        } else {
            canaries.values()
        };
        match *format {
            // What it has not can be written in it.
            "dotenv" => values.retain(|(name, value)| {
                let text = text(value);
                let differing = ["'", "\\\\", "${", "\t"];
                !name.contains(['-', '.'])
                    && !text.ends_with('\\')
                    && !differing.iter().any(|part| text.contains(part))
            }),
            // In a longer value, a reference is one if the value is written by hand.
            "cdk" => values.retain(|(name, _)| *name != "reference"),
            "azure" => values.retain(|(_, value)| value.is_string() || value.is_object()),
            _ => {}
        }
        let sensitive: Vec<_> = values.iter().map(|(name, _)| (*name).to_owned()).collect();
        let only: Vec<_> = values.iter().map(|(_, value)| value.clone()).collect();
        let (sensitive, only) = match *format {
            "cdk" => (vec!["stack".to_owned()], vec![object(&values)]),
            _ => (sensitive, only),
        };
        let has_public = !is_declared && !strings;
        if has_public {
            values.push(("plain", json!(PLAIN)));
        }
        let content = write(&values, &mut canaries);
        Document {
            name: format!(
                "generated, {format}{}",
                if is_declared {
                    ", declared sensitive"
                } else {
                    ""
                }
            ),
            content: content.into_bytes(),
            format: (is_declared && !is_detected(format)).then(|| (*format).to_owned()),
            is_declared,
            sensitive,
            values: Some(only),
            // Azure leaves the values out, so that one in its place is not read.
            is_readable: *format != "azure",
            public: if has_public {
                vec!["plain".to_owned()]
            } else {
                Vec::new()
            },
            canaries: Some(canaries),
        }
    };
    rows.enumerate().map(document).collect()
}

fn text(value: &Json) -> &str {
    value.as_str().unwrap()
}

fn object(values: &[(&str, Json)]) -> Json {
    let members = values
        .iter()
        .map(|(name, value)| (name.to_string(), value.clone()));
    Json::Object(members.collect())
}

/// Returns outputs as `terraform output -json` writes them.
fn terraform(values: &[(&str, Json)]) -> Json {
    let output = |(name, value): &(&str, Json)| {
        let output = json!({"sensitive": *name != "plain", "type": type_of(value), "value": value});
        (name.to_string(), output)
    };
    Json::Object(values.iter().map(output).collect())
}

/// Returns the type of a value, which has the keys of objects.
fn type_of(value: &Json) -> Json {
    match value {
        Json::Number(_) => json!("number"),
        Json::Array(items) => json!(["tuple", items.iter().map(type_of).collect::<Vec<_>>()]),
        Json::Object(members) => {
            let types = members
                .iter()
                .map(|(name, value)| (name.clone(), type_of(value)));
            json!(["object", types.collect::<Map<_, _>>()])
        }
        _ => json!("string"),
    }
}

fn secret(values: &[(&str, Json)], metadata: &str, after: &str, in_base64: bool) -> String {
    let line = |(name, value): &(&str, Json)| {
        if in_base64 {
            format!(
                "  {name}: {}\n",
                Base64::encode_string(text(value).as_bytes())
            )
        } else {
            format!("  {name}: {value}\n")
        }
    };
    let lines: String = values.iter().map(line).collect();
    let field = if in_base64 { "data" } else { "stringData" };
    format!(
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n{metadata}{field}:\n{lines}{after}"
    )
}

impl Document {
    /// Returns the document without its end, and in a format that is probably another one.
    pub(crate) fn damaged(&self, number: usize) -> [(Vec<u8>, Option<String>); 2] {
        let cut = self.content[..self.content.len() * 2 / 3].to_vec();
        let (other, _) = formats().nth(number % formats().count()).unwrap();
        [
            (cut, self.format.clone()),
            (self.content.clone(), Some(other.to_owned())),
        ]
    }
}
