//! Embedded documents: the rendered text reads as the document would by itself, in every
//! style of scalar, and nothing else in the manifest changes. Values expanded downstream
//! arrive as the output's value.

use landfall::{Diagnostic, Diagnostics, Rule};
use serde_json::{Value as Json, json};

use crate::choices::{Choices, Sequence};
use crate::generated::cases;
use crate::oracle::output_name;
use crate::render::{Rendered, outputs, render, request};
use crate::tree::{self, Tree};
use crate::{document, hostile};

/// Documents that the properties check.
const DOCUMENTS: u32 = 500;

/// Multiplied by `LANDFALL_CASES`, as for every property.
fn document_count() -> usize {
    usize::try_from(cases(DOCUMENTS).cases).unwrap()
}

const HEAD: &str = "apiVersion: v1\nkind: ConfigMap\ndata:\n";

fn rendered(manifest: &str, values: &[Json]) -> Result<Rendered, Diagnostics> {
    let named = (0..values.len()).map(output_name).zip(values);
    render(manifest.as_bytes(), &request(outputs(named)))
}

/// Returns a scalar with this text in a style by number, or `None` if that style cannot
/// represent it.
fn scalar(text: &str, style: usize) -> Option<String> {
    let block = |header: &str, indentation: usize, folded: bool| {
        let lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
        let lines = lines.map(|line| match line {
            "" => "\n".to_owned(),
            _ => format!("{}{line}\n", " ".repeat(indentation)),
        });
        let between = if folded { "\n" } else { "" };
        format!("{header}\n{}", lines.collect::<Vec<_>>().join(between))
    };
    Some(match style {
        0 => block("|", 4, false),
        1 => block("|-", 3, false),
        2 => block("|+", 4, false),
        3 => block("|2", 4, false),
        4 => block("|1- # c", 3, false),
        5 => block("|+4", 6, false),
        6 => block(">", 4, true),
        7 => block(">2-", 4, true),
        8 => format!("{}\n", json!(text)),
        9 => format!(
            "{}\n",
            json!(text).to_string().replace("\\n", "\\n\\\n    ")
        ),
        10 if !text.contains('\n') => format!("'{}'\n", text.replace('\'', "''")),
        10 => format!("'{}'\n", text.replace('\'', "''").replace('\n', "\n\n    ")),
        11 if !text.contains([':', '#', '\n']) => format!("{text}\n"),
        _ => return None,
    })
}

fn entry<'t>(tree: &'t Tree, key: &str) -> &'t Tree {
    let Tree::Map(entries) = tree else {
        panic!("{tree:?} is not a map");
    };
    let found = entries
        .iter()
        .find(|entry| entry.0 == Tree::Text(key.to_owned()));
    &found.unwrap().1
}

fn text_of<'t>(trees: &'t [Tree], name: &str) -> Option<&'t str> {
    match entry(entry(trees.first()?, "data"), name) {
        Tree::Text(text) => Some(text),
        _ => None,
    }
}

#[test]
fn embedded_documents_render_like_separate_ones() {
    let mut sequence = Sequence::new(9);
    let (mut held, mut refused) = ([0; 12], 0);
    for _ in 0..document_count() {
        let numbers: Vec<u16> = (0..8 + sequence.below(100))
            .map(|_| u16::try_from(sequence.below(1 << 16)).unwrap())
            .collect();
        let choices = &mut Choices::new(&numbers);
        let values: Vec<Json> = (0..2).map(|_| hostile::any(choices)).collect();
        let inner = document::manifest(choices, 2).spelled().text;
        // Inside a document it would not be a byte order mark.
        let inner = inner.trim_start_matches('\u{feff}').to_owned();
        if inner.trim().starts_with("${") && inner.trim().ends_with('}') {
            // Its value is the whole document.
            continue;
        }
        let by_itself = rendered(&inner, &values);
        for (style, held) in held.iter_mut().enumerate() {
            let Some(scalar) = scalar(&inner, style) else {
                continue;
            };
            let manifest = format!("{HEAD}  a.yaml: {scalar}  b: x # y\n");
            // Skipped if the scalar has another text, or none.
            match tree::read(&manifest) {
                Ok(trees)
                    if text_of(&trees, "a.yaml").map(|text| text.trim_end_matches('\n'))
                        == Some(inner.trim_end_matches('\n')) => {}
                _ => continue,
            }
            let reported = format!("{manifest:?}\n{inner:?}\n{values:?}");
            match (&by_itself, rendered(&manifest, &values)) {
                (Ok(alone), Ok(outer)) => {
                    let alone = String::from_utf8(alone.output.clone()).unwrap();
                    let output = String::from_utf8(outer.output).unwrap();
                    let reported = format!("{reported}\n{output:?}\n{alone:?}");
                    let trees =
                        tree::read(&output).unwrap_or_else(|error| panic!("{error}: {reported}"));
                    let text = text_of(&trees, "a.yaml").expect("a text");
                    let (found, wanted) = (tree::read(text), tree::read(&alone));
                    // Skipped if libyaml cannot read it by itself.
                    if wanted.is_ok() {
                        assert!(same(&found, &wanted), "{reported}");
                    }
                    assert_eq!(text_of(&trees, "b"), Some("x"), "{reported}");
                    assert!(output.ends_with("  b: x # y\n"), "{reported}");
                    *held += 1;
                }
                (Err(alone), Err(outer)) => {
                    let rules = |found: &[Diagnostic]| -> Vec<Rule> {
                        found.iter().map(|diagnostic| diagnostic.rule).collect()
                    };
                    assert_eq!(rules(alone), rules(&outer), "{reported}");
                    refused += 1;
                }
                (alone, outer) => panic!("{reported}\n{alone:?}\n{outer:?}"),
            }
        }
    }
    let least = document_count() / 400;
    assert!(held[..10].iter().all(|held| *held > least), "{held:?}");
    assert!(refused > 0);
}

/// Compares documents except for line breaks at their end, which depend on the scalar's
/// chomping.
fn same(found: &Result<Vec<Tree>, String>, wanted: &Result<Vec<Tree>, String>) -> bool {
    match (found, wanted) {
        (Ok(found), Ok(wanted)) => found == wanted || trimmed(found) == trimmed(wanted),
        _ => false,
    }
}

fn trimmed(trees: &[Tree]) -> Vec<Tree> {
    let trim = &mut |text: &str| Tree::Text(text.trim_end_matches('\n').to_owned());
    trees.iter().map(|tree| tree.map_texts(trim)).collect()
}

#[test]
fn embedded_json_stays_json() {
    let mut sequence = Sequence::new(10);
    for _ in 0..document_count() {
        let numbers: Vec<u16> = (0..12)
            .map(|_| u16::try_from(sequence.below(1 << 16)).unwrap())
            .collect();
        let choices = &mut Choices::new(&numbers);
        let (text, any) = (hostile::string(choices), hostile::any(choices));
        if any.is_null() || any == json!("") {
            continue;
        }
        let inner = "{\n  \"text\": \"a ${infra.v0}\",\n  \"any\": ${infra.v1},\n  \"list\": [1, ${infra.v0}]\n}\n";
        let expected = json!({"text": format!("a {text}"), "any": any, "list": [1, text]});
        for style in 0..12 {
            let Some(scalar) = scalar(inner, style) else {
                continue;
            };
            let manifest = format!("{HEAD}  a.json: {scalar}  b: x\n");
            let reported = format!("{manifest:?} {text:?} {any}");
            let output = rendered(&manifest, &[json!(text), any.clone()])
                .unwrap_or_else(|found| panic!("{reported} {found:?}"))
                .output;
            let output = String::from_utf8(output).unwrap();
            let trees =
                tree::read(&output).unwrap_or_else(|error| panic!("{reported} {output:?} {error}"));
            let found = text_of(&trees, "a.json").unwrap();
            let found: Json = serde_json::from_str(found)
                .unwrap_or_else(|error| panic!("{reported} {found:?} {error}"));
            assert_eq!(
                Tree::from(&found).as_in_json(),
                Tree::from(&expected).as_in_json(),
                "{reported} {output:?}"
            );
        }
    }
}

/// Expands an argument as Kubernetes does
/// (`k8s.io/kubernetes/third_party/forked/golang/expansion`).
fn expanded(text: &str) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        made.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            made.push('$');
            rest = after;
        } else if let Some((name, after)) =
            rest.strip_prefix('(').and_then(|name| name.split_once(')'))
        {
            match name {
                "HOME" => made.push_str("/root"),
                _ => made.push_str(&format!("$({name})")),
            }
            rest = after;
        } else {
            made.push('$');
        }
    }
    made + rest
}

#[test]
fn escapes_text_that_kubernetes_expands() {
    let fragments = [
        "$",
        "$$",
        "$(",
        ")",
        "HOME",
        "$(HOME)",
        "${infra.v0}",
        "a",
        "\n",
        "\"",
        "'",
        ": ",
        " #",
    ];
    let mut sequence = Sequence::new(11);
    for _ in 0..document_count() {
        let length = 1 + sequence.below(6);
        let value: String = (0..length)
            .map(|_| fragments[sequence.below(fragments.len())])
            .collect();
        let manifest = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - args: [\"${infra.v0}\", '$(HOME) ${infra.v0}|$(HOME)']\n    command:\n    - ${infra.v0}\n    - old # landfall: ${infra.v0}\n    env: &env\n    - name: A\n      value: ${infra.v0}\n  initContainers:\n  - env: *env\n";
        let output = rendered(manifest, &[json!(value)])
            .unwrap_or_else(|found| panic!("{value:?} {found:?}"))
            .output;
        let output = String::from_utf8(output).unwrap();
        let trees = tree::read(&output).unwrap();
        let spec = entry(&trees[0], "spec");
        let mut arrived = Vec::new();
        for containers in ["containers", "initContainers"] {
            let Tree::List(containers) = entry(spec, containers) else {
                panic!("{output}");
            };
            containers[0].texts(&mut |text| {
                if !["args", "command", "env", "name", "value", "A"].contains(&text) {
                    arrived.push(expanded(text));
                }
            });
        }
        let wanted = [
            value.clone(),
            format!("/root {value}|/root"),
            value.clone(),
            value.clone(),
            value.clone(),
            value.clone(),
        ];
        assert_eq!(arrived, wanted, "{value:?}\n{output}");
    }
}
