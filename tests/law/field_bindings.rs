//! Field bindings: the rendered manifest reads as a plain model of the operation says.

use landfall::{Config, Rule, Severity};
use serde_json::{Value as Json, json};

use crate::choices::{Choices, Sequence};
use crate::generated::cases;
use crate::render::{outputs, render, request};
use crate::setters::becomes;
use crate::tree::{self, Tree};
use crate::{document, hostile};

/// Manifests that the property checks.
const MANIFESTS: u32 = 6_000;

/// Multiplied by `LANDFALL_CASES`, as for every property.
fn manifest_count() -> usize {
    usize::try_from(cases(MANIFESTS).cases).unwrap()
}

/// The rules that may refuse a target here: an alias or an anchor on its path, and a
/// value that is not allowed there.
const REFUSALS: &[Rule] = &[
    Rule::TargetNotFound,
    Rule::ConflictingSubstitutions,
    Rule::TypeMismatch,
    Rule::EmptyOutput,
];

fn binding(substitutions: &Json) -> Config {
    let binding = json!({
        "apiVersion": "landfall.dev/v1alpha1",
        "kind": "Binding",
        "spec": {"substitutions": substitutions},
    });
    // A Binding must not have line breaks that only some YAML readers recognize.
    let text = binding
        .to_string()
        .replace('\u{85}', "\\u0085")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029");
    Config {
        path: "landfall.yaml".into(),
        content: text.into_bytes(),
    }
}

/// Renders with one target, whose value is the output `x`.
fn rendered(
    manifest: &str,
    select: &Json,
    paths: &[&str],
    options: &Json,
    value: &Json,
) -> Result<String, Vec<Rule>> {
    let mut request = request(outputs([("x".to_owned(), value)]));
    request.configure(|configuration| {
        configuration.binding = Some(binding(&json!([{
            "value": "${infra.x}",
            "targets": [{"select": select, "fieldPaths": paths, "options": options}],
        }])));
    });
    match render(manifest.as_bytes(), &request) {
        Ok(rendered) => Ok(String::from_utf8(rendered.output).unwrap()),
        Err(found) => Err(found
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .map(|diagnostic| diagnostic.rule)
            .collect()),
    }
}

fn check(manifest: &str, paths: &[&str], options: &Json, expected: &str) {
    let head = "apiVersion: example.com/v1\nkind: Widget\n";
    let found = rendered(
        &format!("{head}{manifest}"),
        &json!({"kind": "Widget"}),
        paths,
        options,
        &json!("v"),
    );
    assert_eq!(found, Ok(format!("{head}{expected}")), "{manifest:?}");
}

#[test]
fn appending_after_a_block_scalar_keeps_its_text() {
    let create = |before: &str, after: &str| {
        check(before, &["data.k"], &json!({"create": true}), after);
    };
    // Spaces in its last line are text, and so are kept line breaks.
    create(
        "data:\n  a: |\n    x\n      \n\n",
        "data:\n  a: |\n    x\n      \n\n  k: v\n",
    );
    create(
        "data:\n  a: |+\n    x\n\n",
        "data:\n  a: |+\n    x\n\n  k: v\n",
    );
    create(
        "data:\n  a: |+\n\nb: 1\n",
        "data:\n  a: |+\n\n  k: v\nb: 1\n",
    );
    create(
        "data:\n  a: |-\n\nb: 1\n",
        "data:\n  a: |-\n  k: v\n\nb: 1\n",
    );
    // Its last line had no break.
    create("data:\n  a: |\n    x", "data:\n  a: |-\n    x\n  k: v");
    create("data:\n  a: |2+\n    x", "data:\n  a: |2-\n    x\n  k: v");
    create("data:\n  a: |-\n    x", "data:\n  a: |-\n    x\n  k: v");
}

#[test]
fn replaces_a_map_with_the_lines_of_tabs_that_its_last_block_scalar_ends_in() {
    for header in ["|", "|+", ">-"] {
        check(
            &format!("a:\n  b: {header}\n    x\n    \t\n     \t \n\nc: 1\n"),
            &["a"],
            &json!({}),
            "a: v\n\nc: 1\n",
        );
    }
}

#[test]
fn inserts_new_members_after_empty_ones() {
    let create = |path: &str, before: &str, after: &str| {
        check(before, &[path], &json!({"create": true}), after);
    };
    create("data.k", "data: {a: }\n", "data: {a: , k: v }\n");
    create(
        "data.k",
        "data: {\"a\": # b\n  }\n",
        "data: {\"a\": , k: v # b\n  }\n",
    );
    create(
        "data.k",
        "data: {a: b, # c\n  }\n",
        "data: {a: b, k: v # c\n  }\n",
    );
    create("data.k", "data: {}\n", "data: {k: v}\n");
    // YAML does not treat this space as whitespace.
    create(
        "data.k",
        "data: {a: x\u{a0} }\n",
        "data: {a: x\u{a0}, k: v }\n",
    );
    create("data.k", "data: {a: \u{a0}}\n", "data: {a: \u{a0}, k: v}\n");
    create(
        "data.k",
        "data:\n  a: \u{3000}\nb: 1\n",
        "data:\n  a: \u{3000}\n  k: v\nb: 1\n",
    );
    create("data.[-]", "data: [a: ]\n", "data: [a: , v ]\n");
    create(
        "data.[-]",
        "data:\n- a\n-\nb: 1\n",
        "data:\n- a\n-\n- v\nb: 1\n",
    );
    create(
        "data.k",
        "data:\n  ? a\n  :\nb: 1\n",
        "data:\n  ? a\n  :\n  k: v\nb: 1\n",
    );
}

#[test]
fn a_reference_to_a_resource_is_not_a_resource() {
    let manifest = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec:\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: x}]}\n";
    let found = rendered(
        manifest,
        &json!({"kind": "Deployment"}),
        &["spec.replicas"],
        &json!({"create": true}),
        &json!(4),
    );
    assert_eq!(found, Ok(format!("{manifest}spec:\n  replicas: 4\n")));
}

#[test]
fn selects_a_list_only_by_its_kind() {
    let manifest =
        "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, data: {a: x}}\n";
    let set =
        |select: &Json, path: &str| rendered(manifest, select, &[path], &json!({}), &json!("v"));
    assert_eq!(
        set(&json!({"version": "v1"}), "data.a"),
        Ok(manifest.replace("a: x", "a: v"))
    );
    assert_eq!(
        set(&json!({"kind": "List"}), "items.0.data.a"),
        Ok(manifest.replace("a: x", "a: v"))
    );
}

#[test]
fn writes_every_part_that_the_targets_of_one_binding_name() {
    let mut request = request(outputs([("x".to_owned(), &json!("v"))]));
    let target = |index: i64| {
        let options = json!({"delimiter": ":", "index": index});
        json!({"select": {"kind": "Widget"}, "fieldPaths": ["a"], "options": options})
    };
    let targets = [target(0), target(2), target(9)];
    request.configure(|configuration| {
        configuration.binding = Some(binding(
            &json!([{"value": "${infra.x}", "targets": targets}]),
        ));
    });
    let head = "apiVersion: example.com/v1\nkind: Widget\na: ";
    let found = render(format!("{head}one:two:three\n").as_bytes(), &request);
    let output = String::from_utf8(found.unwrap().output).unwrap();
    assert_eq!(output, format!("{head}v:two:v:v\n"));
}

#[test]
fn writes_a_field_once_that_two_targets_of_one_binding_reach() {
    let mut request = request(outputs([("x".to_owned(), &json!("v"))]));
    let target = |path: &str, options: &Json| json!({"select": {"kind": "Widget"}, "fieldPaths": [path, "b.new"], "options": options});
    let create = json!({"create": true});
    let targets = [target("a.*", &create), target("a.k", &create)];
    request.configure(|configuration| {
        configuration.binding = Some(binding(
            &json!([{"value": "${infra.x}", "targets": targets}]),
        ));
    });
    let head = "apiVersion: example.com/v1\nkind: Widget\n";
    let manifest = format!("{head}a: {{k: x}}\nb: {{}}\n");
    let output = render(manifest.as_bytes(), &request).unwrap().output;
    let expected = format!("{head}a: {{k: v}}\nb: {{new: v}}\n");
    assert_eq!(String::from_utf8(output).unwrap(), expected);

    let base64 = json!({"create": true, "encoding": "base64"});
    let targets = [target("a.k", &create), target("a.k", &base64)];
    request.configure(|configuration| {
        configuration.binding = Some(binding(
            &json!([{"value": "${infra.x}", "targets": targets}]),
        ));
    });
    let found = render(manifest.as_bytes(), &request).unwrap_err();
    let rules: Vec<Rule> = found.iter().map(|error| error.rule).collect();
    assert_eq!(rules, [Rule::ConflictingSubstitutions; 2]);
}

#[test]
fn does_not_create_a_map_in_an_annotation() {
    let manifest =
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a, annotations: {}}\n";
    for path in ["metadata.annotations.a.b", "metadata.annotations.a.0"] {
        let create = json!({"create": true});
        let found = rendered(
            manifest,
            &json!({"kind": "Widget"}),
            &[path],
            &create,
            &json!("v"),
        );
        assert_eq!(found, Err(vec![Rule::TypeMismatch]), "{path}");
    }
}

#[test]
fn rejects_a_part_of_null() {
    let select = json!({"kind": "Widget"});
    let manifest = "apiVersion: example.com/v1\nkind: Widget\na:\n";
    let found = rendered(
        manifest,
        &select,
        &["a"],
        &json!({"delimiter": "-"}),
        &json!("v"),
    );
    assert_eq!(found, Err(vec![Rule::TargetNotFound]));
}

/// The operation at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Set,
    /// Replaces a part of a text.
    Part(i64),
    /// Adds a new key or a new item.
    Create,
}

/// One operation on each of many generated manifests.
#[test]
fn field_bindings_agree_with_the_model() {
    let mut sequence = Sequence::new(5);
    let mut held = 0;
    for _ in 0..manifest_count() {
        let numbers: Vec<u16> = (0..8 + sequence.below(120))
            .map(|_| u16::try_from(sequence.below(1 << 16)).unwrap())
            .collect();
        let choices = &mut Choices::new(&numbers);
        let value = hostile::any(choices);
        let manifest = document::widget(choices).with_tokens();
        let before = match tree::read(&manifest) {
            // An alias repeats what changes at its anchor.
            Ok(trees) if trees.len() == 1 && !manifest.contains('*') => trees.into_iter().next(),
            _ => None,
        };
        let Some(before) = before else { continue };
        let mut path = vec![Step::Key("spec".to_owned())];
        let reached = walk(&before, &mut path, &mut sequence);
        let operation = match (sequence.below(3), reached) {
            (0, Tree::Text(_)) => Operation::Part(i64::try_from(sequence.below(4)).unwrap() - 1),
            (0 | 1, Tree::Map(_)) => {
                path.push(Step::Key("new".to_owned()));
                Operation::Create
            }
            (0 | 1, Tree::List(_)) => {
                path.push(Step::Append);
                Operation::Create
            }
            _ => Operation::Set,
        };
        let options = match operation {
            Operation::Set => json!({}),
            Operation::Part(index) => json!({"delimiter": "a", "index": index}),
            Operation::Create => json!({"create": true}),
        };
        let written: Vec<String> = path.iter().map(Step::written).collect();
        let reported = format!("{manifest:?} {operation:?} {written:?} {value}");
        let found = rendered(
            &manifest,
            &json!({"kind": "Widget"}),
            &[&written.join(".")],
            &options,
            &value,
        );
        let output = match found {
            Ok(output) => output,
            Err(rules) => {
                let expected = rules.iter().all(|rule| REFUSALS.contains(rule));
                assert!(expected, "{reported}: {rules:?}");
                continue;
            }
        };
        let after =
            tree::read(&output).unwrap_or_else(|error| panic!("{error}: {reported}\n{output:?}"));
        assert_eq!(after.len(), 1, "{reported}\n{output:?}");
        check_operation(&before, &after[0], &path, operation, &value)
            .unwrap_or_else(|stray| panic!("{stray}: {reported}\n{output:?}"));
        held += 1;
    }
    assert!(
        held > manifest_count() / 4,
        "only {held} of {} rendered",
        manifest_count()
    );
}

#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Index(usize),
    Append,
}

impl Step {
    fn written(&self) -> String {
        match self {
            Self::Key(key) => format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\"")),
            Self::Index(index) => index.to_string(),
            Self::Append => "[-]".to_owned(),
        }
    }
}

/// Descends from the value of `spec` for some steps.
fn walk<'t>(tree: &'t Tree, path: &mut Vec<Step>, sequence: &mut Sequence) -> &'t Tree {
    let Tree::Map(entries) = tree else {
        panic!("a widget is a map");
    };
    let mut at = &entries[2].1;
    while sequence.below(5) > 0 {
        let inner = match at {
            Tree::Tagged(_, inner) => inner,
            other => other,
        };
        at = match inner {
            Tree::Map(entries) if !entries.is_empty() => {
                match &entries[sequence.below(entries.len())] {
                    (Tree::Text(key), value) if !key.is_empty() => {
                        path.push(Step::Key(key.clone()));
                        value
                    }
                    _ => break,
                }
            }
            Tree::List(items) if !items.is_empty() => {
                let index = sequence.below(items.len());
                path.push(Step::Index(index));
                &items[index]
            }
            _ => break,
        };
    }
    at
}

fn check_operation(
    before: &Tree,
    after: &Tree,
    path: &[Step],
    operation: Operation,
    value: &Json,
) -> Result<(), String> {
    let stray = || Err(format!("{before:?} to {after:?}"));
    let Some((step, rest)) = path.split_first() else {
        let done = match (operation, before, after) {
            (_, Tree::Tagged(own, before), Tree::Tagged(tag, after)) => {
                own == tag && is_set(before, after, operation, value)
            }
            _ => is_set(before, after, operation, value),
        };
        return if done { Ok(()) } else { stray() };
    };
    match (before, after, step) {
        (Tree::Tagged(own, before), Tree::Tagged(tag, after), _) if own == tag => {
            check_operation(before, after, path, operation, value)
        }
        (Tree::Map(before), Tree::Map(after), Step::Key(key))
            if operation == Operation::Create && rest.is_empty() =>
        {
            let (made, same) = after.split_last().unwrap();
            let is_made = made.0 == Tree::Text(key.clone()) && made.1 == Tree::from(value);
            if is_made && same == before {
                Ok(())
            } else {
                stray()
            }
        }
        (Tree::List(before), Tree::List(after), Step::Append) => {
            let (made, same) = after.split_last().unwrap();
            if *made == Tree::from(value) && same == before {
                Ok(())
            } else {
                stray()
            }
        }
        (Tree::Map(before), Tree::Map(after), Step::Key(key)) if before.len() == after.len() => {
            for (before, after) in before.iter().zip(after) {
                if before.0 == after.0 && before.0 == Tree::Text(key.clone()) {
                    check_operation(&before.1, &after.1, rest, operation, value)?;
                } else if before != after {
                    return Err(format!("{before:?} to {after:?}"));
                }
            }
            Ok(())
        }
        (Tree::List(before), Tree::List(after), Step::Index(index))
            if before.len() == after.len() =>
        {
            for (nth, (before, after)) in before.iter().zip(after).enumerate() {
                if nth == *index {
                    check_operation(before, after, rest, operation, value)?;
                } else if before != after {
                    return Err(format!("{before:?} to {after:?}"));
                }
            }
            Ok(())
        }
        _ => stray(),
    }
}

fn is_set(before: &Tree, after: &Tree, operation: Operation, value: &Json) -> bool {
    let Operation::Part(index) = operation else {
        return match (before, value) {
            // A plain number or boolean keeps its type if the text is its canonical form.
            (Tree::Int(_) | Tree::Float(_) | Tree::Bool(_), Json::String(text)) => {
                let kept = serde_json::from_str::<Json>(text).ok();
                let kept = kept.filter(|kept| {
                    let written = kept.to_string();
                    written == *text
                });
                kept.is_some_and(|kept| *after == Tree::from(&kept))
                    || becomes(before, after, value)
            }
            _ => becomes(before, after, value),
        };
    };
    let (Tree::Text(before), Some(value)) = (before, text(value)) else {
        return false;
    };
    let lines = before.trim_end_matches('\n');
    let mut parts: Vec<&str> = lines.split('a').collect();
    match usize::try_from(index) {
        Err(_) => parts.insert(0, &value),
        Ok(index) if index < parts.len() => parts[index] = &value,
        Ok(_) => parts.push(&value),
    }
    let text = parts.join("a");
    let in_block = format!("{text}{}", &before[lines.len()..]);
    // A part at the end of a block may end in line breaks that the author wrote.
    let clipped = |breaks: &str| Tree::Text(format!("{}{breaks}", text.trim_end_matches('\n')));
    *after == Tree::Text(in_block)
        || [clipped(""), clipped("\n")].contains(after) && text.ends_with('\n')
        || matches!(after, Tree::Text(after) if text.is_empty() && after.trim_matches('\n').is_empty())
}

fn text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(_) | Json::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}
