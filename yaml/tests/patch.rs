//! Patches of every node of many documents: the node changes, and nothing else does.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests fail where they cannot go on"
)]

use landfall_test_support::readers::seeds::SEEDS;
use landfall_yaml::{
    Kind, NodeId, NotPatched, Operation, Patch, Role, Tree, Value, line_end, line_start, locate,
    patch,
};

/// A document with what people write, and with what needs care.
const DOCUMENT: &str = "\
# about the document
name: web   # the name
quoted: 'it''s'
double: \"a\\tb\"
text: |
  one
  two
last: >-
  folded

labels: # no labels yet
ports: [80, 443] # open
env: {A: 1, B: \"2\"}
list:
- a   # first
- b: c
  d:
    - e
- - f

base: &base
  x: 1
copy: *base
empty: {}
";

#[track_caller]
fn check(text: &str, path: &[&str], operation: Operation, expected: &str) {
    let patched = patch(text, &[Patch { path, operation }]);
    let patched = patched.unwrap_or_else(|error| error.to_string());
    assert_eq!(patched, expected, "{text:?}");
}

fn set(value: impl Into<Value>) -> Operation {
    Operation::Set(value.into())
}

#[test]
fn a_value_of_another_type_replaces_quotes_and_blocks() {
    check("a: '1' # c\n", &["a"], set(2), "a: 2 # c\n");
    check("a: \"1\"\n", &["a"], set(true), "a: true\n");
    check("a: 'x'\n", &["a"], set(vec![1, 2]), "a: [1, 2]\n");
    check(
        "a: | # c\n  x\n  y\nb: 1\n",
        &["a"],
        set(2),
        "a: 2 # c\nb: 1\n",
    );
    check("a: 'x'\n", &["a"], Operation::Set(Value::Null), "a: null\n");
}

#[test]
fn a_string_keeps_quotes_and_blocks() {
    check("a: 'x' # c\n", &["a"], set("it's"), "a: 'it''s' # c\n");
    check(
        "a: |\n  x\nb: 1\n",
        &["a"],
        set("y\nz\n"),
        "a: |\n  y\n  z\nb: 1\n",
    );
    check("a: |\n  x\nb: 1\n", &["a"], set("z"), "a: z\nb: 1\n");
    check("a: x\n", &["a"], set("no"), "a: \"no\"\n");
}

#[test]
fn collections_are_written_as_their_surroundings_are() {
    let map = || Operation::Set(Value::Map(vec![("k".to_owned(), vec![1, 2].into())]));
    // In place of a scalar.
    check(
        "a: x # c\nb: 1\n",
        &["a"],
        map(),
        "a: # c\n  k:\n    - 1\n    - 2\nb: 1\n",
    );
    check("- x\n- b\n", &["0"], map(), "- k:\n    - 1\n    - 2\n- b\n");
    check(
        "- - x # c\n",
        &["0", "0"],
        map(),
        "- - # c\n    k:\n      - 1\n      - 2\n",
    );
    check("a:\n  x # c\n", &["a"], map(), "a:\n  {k: [1, 2]} # c\n");
    check(
        "a:\n  &x y\n",
        &["a"],
        map(),
        "a:\n  &x\n  k:\n    - 1\n    - 2\n",
    );
    check(
        "a:\n  &x y # c\n",
        &["a"],
        map(),
        "a:\n  &x {k: [1, 2]} # c\n",
    );
    check("x # c\n", &[], map(), "{k: [1, 2]} # c\n");
    check("x\n", &[], map(), "k:\n  - 1\n  - 2\n");
    check("[x]\n", &["0"], map(), "[{k: [1, 2]}]\n");
    check("a: *b\n", &["a"], map(), "a:\n  k:\n    - 1\n    - 2\n");
    // In place of nothing.
    check(
        "a: # c\nb: 1\n",
        &["a"],
        map(),
        "a: # c\n  k:\n    - 1\n    - 2\nb: 1\n",
    );
    check("{a: , b: 1}\n", &["a"], map(), "{a: {k: [1, 2]} , b: 1}\n");
    check("a: &x\n# c\n", &["a"], set(1), "a: &x 1\n# c\n");
    // In place of a collection.
    check("a: [1] # c\n", &["a"], map(), "a: {k: [1, 2]} # c\n");
    check(
        "a:\n- 1\nb: 2\n",
        &["a"],
        map(),
        "a:\n  k:\n    - 1\n    - 2\nb: 2\n",
    );
    check(
        "a:\n    b: 1\n",
        &["a"],
        map(),
        "a:\n    k:\n      - 1\n      - 2\n",
    );
    check(
        "- a: 1\n  b: 2\n- c\n",
        &["0"],
        set(vec![1, 2]),
        "- - 1\n  - 2\n- c\n",
    );
    check(
        "a: # c\n  b: 1\n  # d\nc: 2\n",
        &["a"],
        set("x"),
        "a: x # c\n  # d\nc: 2\n",
    );
    check(
        "a:\r\n- 1\r\nb: 2\r\n",
        &["a"],
        set(true),
        "a: true\r\nb: 2\r\n",
    );
    check("- a: 1\n  b: 2\n- c\n", &["0"], set("x"), "- x\n- c\n");
    check("a:\n  # c\n  b: 1\n", &["a"], set("x"), "a: x\n  # c\n");
    check("a: 1\nb: 2\n", &[], set("x"), "x\n");
}

#[test]
fn what_is_there_already_is_not_written_again() {
    let map = || Operation::Set(Value::Map(vec![("k".to_owned(), vec![1, 2].into())]));
    for text in ["a: {'k': [1, 2]}\n", "a:\n  \"k\":\n  - 1 # c\n  - 2\n"] {
        check(text, &["a"], map(), text);
    }
    check("a: {k: [1, '2']}\n", &["a"], map(), "a: {k: [1, 2]}\n");
    check("a: {k: [1, 2, 3]}\n", &["a"], map(), "a: {k: [1, 2]}\n");
    check("a: {j: [1, 2]}\n", &["a"], map(), "a: {k: [1, 2]}\n");
    check("a: {k: [1, 2], l: 3}\n", &["a"], map(), "a: {k: [1, 2]}\n");
    check("a: {!x k: [1, 2]}\n", &["a"], map(), "a: {k: [1, 2]}\n");
    check("a: {k: [!x 1, 2]}\n", &["a"], map(), "a: {k: [1, 2]}\n");
    check("a: 'x'\n", &["a"], set("x"), "a: 'x'\n");
    check("a: >-\n  x\n  y\n", &["a"], set("x y"), "a: >-\n  x\n  y\n");
    check("a: yes\n", &["a"], set("yes"), "a: \"yes\"\n");
}

#[test]
fn a_missing_last_key_is_added_to_its_mapping() {
    check("a: {}\n", &["a", "b"], set(1), "a: {b: 1}\n");
    check(
        "a:\n  b: 1\nc: 2\n",
        &["a", "d"],
        set(3),
        "a:\n  b: 1\n  d: 3\nc: 2\n",
    );
    check("a: # c\n", &["a", "b"], set(1), "a: # c\n  b: 1\n");
    check(
        "a: 1\n",
        &["b", "c"],
        set(1),
        "patch 0 at byte 0: there is no `b`",
    );
    check(
        "a: 1\n",
        &["a", "c"],
        set(1),
        "patch 0 at byte 3: there is no `c`",
    );
    check(
        "a: 1\n",
        &["b"],
        Operation::Remove,
        "patch 0 at byte 0: there is no `b`",
    );
    check(
        "# c\n",
        &["b"],
        set(1),
        "patch 0 at byte 0: there is no `b`",
    );
}

#[test]
fn items_are_appended() {
    let append =
        |items: &[i32]| Operation::Append(items.iter().map(|item| (*item).into()).collect());
    check("a: [1]\n", &["a"], append(&[2, 3]), "a: [1, 2, 3]\n");
    check(
        "a:\n- 1 # c\nb: 2\n",
        &["a"],
        append(&[2]),
        "a:\n- 1 # c\n- 2\nb: 2\n",
    );
    check("a:\n", &["a"], append(&[2]), "a:\n  - 2\n");
    check("a: [1]\n", &["a"], append(&[]), "a: [1]\n");
    check(
        "a: 1\n",
        &["a"],
        append(&[2]),
        "patch 0 at byte 3: this is no sequence",
    );
}

#[test]
fn members_of_any_kind_are_removed() {
    check("a: 1 # c\nb: 2\n", &["a"], Operation::Remove, "b: 2\n");
    check(
        "a:\n  b: 1\n  c:\n  - 2\nd: 3\n",
        &["a"],
        Operation::Remove,
        "d: 3\n",
    );
    check(
        "- a: |\n    x\n\n- b\n",
        &["0"],
        Operation::Remove,
        "\n- b\n",
    );
    check(
        "a: |\n  x\n  y\nb: 1\n",
        &["a"],
        Operation::Remove,
        "b: 1\n",
    );
    check(
        "b: 1\na: |\n  x\n  y\n",
        &["a"],
        Operation::Remove,
        "b: 1\n",
    );
    check("a:\n  b:\nc: 1\n", &["a"], Operation::Remove, "c: 1\n");
    check(
        "a: [1, {b: 2}]\n",
        &["a", "1"],
        Operation::Remove,
        "a: [1]\n",
    );
    check(
        "a: 1\n",
        &[],
        Operation::Remove,
        "patch 0 at byte 0: edits do not remove this form",
    );
}

#[test]
fn json_stays_json() {
    check(
        "{\"a\": 1}\n",
        &["b"],
        set("x"),
        "{\"a\": 1, \"b\": \"x\"}\n",
    );
    check("{}", &["b"], set("x"), "{\"b\": \"x\"}");
    check("{a: 1}\n", &["b"], set("x"), "{a: 1, b: x}\n");
    check("{\"a\": b}\n", &["b"], set("x"), "{\"a\": b, b: x}\n");
    check("{\"a\": 'b'}\n", &["b"], set("x"), "{\"a\": 'b', b: x}\n");
    check(
        "{\"a\": &x 1, \"b\": *x}\n",
        &["c"],
        set("x"),
        "{\"a\": &x 1, \"b\": *x, c: x}\n",
    );
    check(
        "{\"a\": 1} # c\n",
        &["b"],
        set("x"),
        "{\"a\": 1, b: x} # c\n",
    );
    check("\"a\": true\n", &["b"], set("x"), "\"a\": true\nb: x\n");
}

#[test]
fn a_node_that_aliases_need_stays() {
    let text = "a: {b: &x 1}\nc: *x\n";
    check(
        text,
        &["a"],
        Operation::Remove,
        "patch 0 at byte 3: an alias repeats an anchor inside",
    );
    check(
        text,
        &["a"],
        set(1),
        "patch 0 at byte 3: an alias repeats an anchor inside",
    );
    check(text, &["a", "b"], set(2), "a: {b: &x 2}\nc: *x\n");
    check(text, &["c"], set(2), "a: {b: &x 1}\nc: 2\n");
    check(
        text,
        &["c", "d"],
        set(2),
        "patch 0 at byte 16: an alias repeats another node",
    );
    check(
        "a: {b: &x 1, c: *x}\nd: 1\n",
        &["a"],
        Operation::Remove,
        "d: 1\n",
    );
}

#[test]
fn what_cannot_be_applied_has_its_byte_in_the_original() {
    let long = "k".repeat(2000);
    check(
        "a: 1\n",
        &[&long],
        set(1),
        "patch 0 at byte 0: the value cannot be written here",
    );
    check(
        "a: 1\na: 2\n",
        &["a"],
        set(1),
        "patch 0 at byte 0: the key `a` is there more than once",
    );
    check(
        "a: [\n",
        &["a"],
        set(1),
        &format!("patch 0 at byte 3: {}", locate("a: [\n").unwrap_err()),
    );
    let patches = |last| {
        ["a", "b", last].map(|key| match key {
            "a" => (vec!["a"], set("longer than it was")),
            "b" => (vec!["b", "n"], set("new")),
            key => (key.split('.').collect(), Operation::Remove),
        })
    };
    for (last, at) in [("b.m.x", 16), ("c.x", 22), ("b.n.x", 17), ("a.x", 3)] {
        let patches = patches(last);
        let patches = patches.each_ref().map(|(path, operation)| Patch {
            path,
            operation: operation.clone(),
        });
        let error = patch("a: 1\n# c\nb: {m: x}\nc: 2\n", &patches).unwrap_err();
        assert_eq!((error.patch, error.at), (2, at), "{error}");
        assert_eq!(error.why, NotPatched::Missing("x".to_owned()));
    }
}

/// Returns what a node is, without types and styles.
fn content(tree: &Tree, id: NodeId) -> Value {
    let text = |id| tree.text(id).unwrap_or_default();
    match tree[id].kind() {
        Kind::Scalar { .. } => text(id).into(),
        Kind::Alias(_) => tree.source()[tree[id].range()].into(),
        Kind::Sequence { .. } => {
            let items = tree.members(id).map(|item| content(tree, item));
            Value::List(items.collect())
        }
        Kind::Mapping { .. } => {
            let entries = tree.entries(id);
            Value::Map(
                entries
                    .map(|(key, value)| (text(key).to_owned(), content(tree, value)))
                    .collect(),
            )
        }
    }
}

/// Returns the path to a node; `None` for keys, and if an alias is a key on the way.
fn path(tree: &Tree, id: NodeId) -> Option<Vec<String>> {
    let mut path = Vec::new();
    for id in tree.up_from(id) {
        match tree[id].role() {
            Role::Value(key) => path.push(tree.text(key)?.to_owned()),
            Role::Item(nth) => path.push(nth.to_string()),
            Role::Key => return None,
            Role::Root => {}
        }
    }
    path.reverse();
    Some(path)
}

/// Returns the value at a path.
fn at<'v>(value: &'v mut Value, path: &[&str]) -> &'v mut Value {
    path.iter().fold(value, |value, step| match value {
        Value::List(items) => &mut items[step.parse::<usize>().unwrap()],
        Value::Map(entries) => &mut entries.iter_mut().find(|(key, _)| key == step).unwrap().1,
        _ => panic!("{path:?}"),
    })
}

/// Returns the content that a document has after a patch.
fn expected(tree: &Tree, patch: &Patch<'_>) -> Value {
    let mut all = content(tree, 0);
    let Some((last, parent)) = patch.path.split_last() else {
        return match (&patch.operation, all) {
            (Operation::Append(items), Value::List(own)) => {
                Value::List(own.into_iter().chain(items.iter().cloned()).collect())
            }
            (Operation::Append(items), _) => Value::List(items.clone()),
            (Operation::Set(value), _) => value.clone(),
            (Operation::Remove, all) => panic!("the root is removed: {all:?}"),
        };
    };
    match (&patch.operation, at(&mut all, parent)) {
        (Operation::Remove, Value::List(items)) => drop(items.remove(last.parse().unwrap())),
        (Operation::Remove, Value::Map(entries)) => entries.retain(|(key, _)| key != last),
        (Operation::Set(value), Value::Map(entries)) if *last == ADDED => {
            entries.push((ADDED.to_owned(), value.clone()));
        }
        (Operation::Set(value), _) => *at(&mut all, patch.path) = value.clone(),
        (Operation::Append(items), _) => match at(&mut all, patch.path) {
            Value::List(own) => own.extend(items.iter().cloned()),
            empty => *empty = Value::List(items.clone()),
        },
        (Operation::Remove, other) => panic!("{other:?} has no members"),
    }
    all
}

/// A key that no document has.
const ADDED: &str = "added key";

/// Applies an operation to a node, or adds a key to it, and returns whether that was refused.
fn is_refused(tree: &Tree, id: NodeId, path: &[&str], operation: &Operation) -> bool {
    let text = tree.source();
    let change = Patch {
        path,
        operation: operation.clone(),
    };
    let context = |patched: &str| format!("{operation:?} at {path:?} of {text:?}: {patched:?}");
    let patched = match patch(text, std::slice::from_ref(&change)) {
        Ok(patched) => patched,
        Err(error) => {
            return match (operation, error.why) {
                (Operation::Append(_), NotPatched::NotASequence) => {
                    assert!(
                        !matches!(tree[id].kind(), Kind::Sequence { .. }),
                        "{path:?}"
                    );
                    false
                }
                (Operation::Append(_), NotPatched::Alias) => false,
                (Operation::Remove, _) => !path.is_empty(),
                _ => true,
            };
        }
    };
    let after = locate(patched.as_str());
    let after = after.unwrap_or_else(|error| panic!("{error}: {}", context(&patched)));
    assert_eq!(
        content(&after, 0),
        expected(tree, &change),
        "{}",
        context(&patched)
    );
    let first = match tree[id].role() {
        Role::Value(key) => key,
        _ => id,
    };
    // The lines before and after the node.
    let before = text[..line_start(text, tree[first].after())].trim_end();
    assert!(patched.starts_with(before), "{}", context(&patched));
    let after = text[line_end(text, tree[id].end())..].trim_start();
    assert!(patched.ends_with(after), "{}", context(&patched));
    false
}

#[test]
fn every_node_of_a_document_changes_alone() {
    let map = Value::Map(vec![("k".to_owned(), vec!["v", "w"].into())]);
    let operations = [
        set("new"),
        Operation::Set(map),
        Operation::Append(vec!["new".into(), vec!["x"].into()]),
        Operation::Remove,
    ];
    let mut refused = [0; 4];
    for text in SEEDS.iter().copied().chain([DOCUMENT]) {
        let tree = locate(text).unwrap();
        for id in tree.ids() {
            let Some(path) = path(&tree, id) else {
                continue;
            };
            let mut path: Vec<&str> = path.iter().map(String::as_str).collect();
            for (count, operation) in refused.iter_mut().zip(&operations) {
                *count += u32::from(is_refused(&tree, id, &path, operation));
            }
            if matches!(tree[id].kind(), Kind::Mapping { .. }) {
                path.push(ADDED);
                for (count, operation) in refused.iter_mut().zip(&operations[..2]) {
                    *count += u32::from(is_refused(&tree, id, &path, operation));
                }
            }
        }
    }
    // Tags, anchors that are repeated, and comments that a block scalar would get.
    assert!(refused.iter().all(|count| *count < 16), "{refused:?}");
}
