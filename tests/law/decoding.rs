//! Texts in YAML that is not a manifest: outputs documents, the Binding and ApplicationSets.
//! Each of their readers reads what independent readers read, in every style of scalar, also
//! at the end of a file without a final line break.

use landfall::{Application, Config, Configuration, File, Location, expand};
use serde_json::Value as Json;

use crate::readers::{Record, differences, reported};
use crate::render::{render, request};
use crate::tree::{self, Tree};

/// A document that ends with a text, and what reads it.
struct Place {
    name: &'static str,
    /// The document; `@` is the text.
    template: &'static str,
    /// The column of its key.
    column: usize,
    read: fn(&str) -> Result<String, String>,
}

const PLACES: &[Place] = &[
    Place {
        name: "yaml",
        template: "k: @",
        column: 0,
        read: |document| output(Some("yaml"), document),
    },
    Place {
        name: "configmap",
        template: "apiVersion: v1\nkind: ConfigMap\ndata:\n  k: @",
        column: 2,
        read: |document| output(None, document),
    },
    Place {
        name: "secret",
        template: "apiVersion: v1\nkind: Secret\nstringData:\n  k: @",
        column: 2,
        read: |document| output(None, document),
    },
    Place {
        name: "argocd-cluster",
        template: "apiVersion: v1\nkind: Secret\nstringData: {name: a, server: b}\nmetadata:\n  labels: {argocd.argoproj.io/secret-type: cluster}\n  annotations:\n    k: @",
        column: 4,
        read: |document| output_at("infra.annotations.k", None, document),
    },
    Place {
        name: "Binding",
        template: "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n  - name: infra\n    from:\n      inline:\n        k: @",
        column: 8,
        read: inline,
    },
    Place {
        name: "ApplicationSet",
        template: "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: a}\nspec:\n  template:\n    metadata: {name: a, annotations: {k: '{{k}}'}}\n    spec: {project: default}\n  generators:\n  - list:\n      elements:\n      - k: @",
        column: 8,
        read: application,
    },
    Place {
        name: "clusters",
        template: "apiVersion: v1\nkind: Secret\nstringData: {name: a, server: b}\nmetadata:\n  labels: {argocd.argoproj.io/secret-type: cluster}\n  annotations:\n    k: @",
        column: 4,
        read: cluster,
    },
];

/// Returns the output `k` of a document.
fn output(format: Option<&str>, document: &str) -> Result<String, String> {
    output_at("infra.k", format, document)
}

fn output_at(path: &str, format: Option<&str>, document: &str) -> Result<String, String> {
    let mut request = request(document.into());
    request.outputs[0].format = format.map(str::to_owned);
    let manifest = format!("apiVersion: v1\nkind: Secret\nstringData:\n  k: ${{{path} | json}}\n");
    let rendered =
        render(manifest.as_bytes(), &request).map_err(|found| found[0].message.clone())?;
    let json = last_text(std::str::from_utf8(&rendered.output).unwrap());
    Ok(serde_json::from_str(&json).unwrap())
}

fn inline(document: &str) -> Result<String, String> {
    let binding = Config {
        path: "landfall.yaml".into(),
        content: document.into(),
    };
    let application = Application::new(Configuration {
        binding: Some(binding),
        ..Configuration::default()
    });
    let plan = application.plan(&[], None);
    if let Some(found) = plan.diagnostics.first() {
        return Err(found.message.clone());
    }
    let Location::Held(content) = &plan.documents[0].location else {
        panic!("{plan:?}");
    };
    let read: Json = serde_json::from_slice(content).unwrap();
    Ok(read["k"].as_str().unwrap().to_owned())
}

fn file(content: &str) -> File {
    File {
        path: "a.yaml".into(),
        content: content.into(),
    }
}

fn application(document: &str) -> Result<String, String> {
    annotation(document, &[])
}

fn cluster(document: &str) -> Result<String, String> {
    let set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: a}\nspec:\n  template:\n    metadata: {name: a, annotations: {k: '{{metadata.annotations.k}}'}}\n    spec: {project: default}\n  generators: [{clusters: {selector: {matchExpressions: [{key: argocd.argoproj.io/secret-type, operator: Exists}]}}}]\n";
    annotation(set, &[file(document)])
}

/// Returns the annotation `k` of the only Application.
fn annotation(set: &str, clusters: &[File]) -> Result<String, String> {
    let expanded = expand(&[file(set)], clusters).map_err(|found| found[0].message.clone())?;
    let application = std::str::from_utf8(&expanded.applications[0].content).unwrap();
    let (Tree::Map(fields), key) = (tree::read(application).unwrap().remove(0), "k") else {
        panic!("{application}")
    };
    Ok(find(&Tree::Map(fields), key).unwrap_or_else(|| panic!("{application}")))
}

fn find(tree: &Tree, key: &str) -> Option<String> {
    let Tree::Map(entries) = tree else {
        return None;
    };
    entries.iter().find_map(|(name, value)| match value {
        Tree::Text(text) if *name == Tree::Text(key.into()) => Some(text.clone()),
        _ => find(value, key),
    })
}

/// Returns the last text of a document, as libyaml reads it.
fn last_text(document: &str) -> String {
    let mut node = tree::read(document).unwrap().remove(0);
    loop {
        node = match node {
            Tree::Map(mut entries) => entries.pop().unwrap().1,
            Tree::List(mut items) => items.pop().unwrap(),
            Tree::Text(text) => return text,
            other => panic!("{other:?}"),
        };
    }
}

/// Returns texts in every style, without a final line break.
fn scalars() -> Vec<String> {
    let mut scalars: Vec<String> = ["abc", "'it''s'", "\"a\\nb\\n\"", "a\n  b", "\"a\\\n  b\""]
        .map(str::to_owned)
        .into();
    for header in ["|", "|-", "|+", "|2", "|2-", ">", ">-", ">+", "| # c"] {
        for body in [
            "  a",
            "  a\n  b",
            "\n  a",
            "  a\n   b\n  c",
            "  a\n\n  b",
            "  a\n  ",
        ] {
            scalars.push(format!("{header}\n{body}"));
        }
    }
    scalars
}

const ENDS: &[&str] = &["", "\n", "\n\n", "\n\n\n", "\n# c", "\n# c\n"];

#[test]
fn texts_outside_manifests_are_what_every_reader_reads() {
    let (mut records, mut wrong, mut read) = (Vec::new(), Vec::new(), 0);
    for Place {
        name,
        template,
        column,
        read: of,
    } in PLACES
    {
        for scalar in scalars() {
            let indentation = format!("\n{}", " ".repeat(*column));
            let scalar = scalar.replace('\n', &indentation);
            for end in ENDS {
                let text = template.replace('@', &scalar) + end;
                for document in [
                    text.clone(),
                    text.replace('\n', "\r\n"),
                    format!("\u{feff}{text}"),
                ] {
                    let expected = last_text(&document);
                    let found = of(&document);
                    if found.as_ref() != Ok(&expected) {
                        wrong.push(format!("{name} {document:?}: {found:?}, not {expected:?}"));
                    }
                    read += 1;
                    if *name == "yaml" {
                        let k = (Tree::Text("k".into()), Tree::Text(expected));
                        records.push(Record {
                            parts: vec![document],
                            expected: vec![Tree::Map(vec![k])],
                            whole: true,
                        });
                    }
                }
            }
        }
    }
    assert!(read > 5_000, "{read}");
    let few: Vec<_> = wrong.iter().take(20).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), few.join("\n"));
    let mut found = differences(&records);
    // Node's yaml reads a line break at the end of a block scalar that has none.
    let has_none = |record: usize| !records[record].parts[0].ends_with('\n');
    found.retain(|one| !(one.reader.contains("Node") && has_none(one.record)));
    assert!(found.is_empty(), "{}", reported(&records, &found));
}
