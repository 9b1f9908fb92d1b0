//! Checks that written values read back unchanged in every YAML reader: every string in
//! every position, in collections and in quotes, and with quotes only where some reader
//! needs them.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "tests start the readers, and fail where they cannot go on"
)]

use std::collections::BTreeMap;

use landfall_test_support::readers::strings::strings;
use landfall_test_support::readers::tree::{Tree, number_tree};
use landfall_test_support::readers::{Record, differences, read_by_all, reported};
use landfall_yaml::{Kind, NodeEditor, NodeId, Part, Value, decode, locate, splice};
use serde_json::{Value as Json, json};

/// The number of documents that are read together.
const BATCH: usize = 200;

/// A position of a string in a document.
struct Position {
    name: &'static str,
    /// The document's text, with `@` in place of the string.
    template: &'static str,
    /// The expected tree of the document.
    tree: fn(String) -> Tree,
    /// Every n-th string is tried.
    every: usize,
}

fn text(text: impl Into<String>) -> Tree {
    Tree::Text(text.into())
}

fn pair(key: Tree, value: Tree) -> Tree {
    Tree::Map(vec![(key, value)])
}

const PLAIN: &[Position] = &[
    Position {
        name: "block value",
        template: "- k: @\n",
        tree: |s| pair(text("k"), text(s)),
        every: 1,
    },
    Position {
        name: "flow item",
        template: "- [@]\n",
        tree: |s| Tree::List(vec![text(s)]),
        every: 4,
    },
    Position {
        name: "key",
        template: "- @: v\n",
        tree: |s| pair(text(s), text("v")),
        every: 4,
    },
    Position {
        name: "flow value",
        template: "- {k: @}\n",
        tree: |s| pair(text("k"), text(s)),
        every: 11,
    },
    Position {
        name: "flow key",
        template: "- {@: v}\n",
        tree: |s| pair(text(s), text("v")),
        every: 11,
    },
    Position {
        name: "item",
        template: "- @ # comment\n",
        tree: text,
        every: 11,
    },
    Position {
        name: "part",
        template: "- k: a@b\n",
        tree: |s| pair(text("k"), text(format!("a{s}b"))),
        every: 11,
    },
    Position {
        name: "beginning",
        template: "- k: @b\n",
        tree: |s| pair(text("k"), text(format!("{s}b"))),
        every: 11,
    },
    Position {
        name: "end",
        template: "- k: 1@\n",
        tree: |s| pair(text("k"), text(format!("1{s}"))),
        every: 11,
    },
    Position {
        name: "value after a quoted key",
        template: "- {\"k\":@}\n",
        tree: |s| pair(text("k"), text(s)),
        every: 11,
    },
];

const QUOTED: &[Position] = &[
    Position {
        name: "double quotes",
        template: "- \"@\"\n",
        tree: text,
        every: 11,
    },
    Position {
        name: "single quotes",
        template: "- '@'\n",
        tree: text,
        every: 11,
    },
    Position {
        name: "folded lines",
        template: "- \"a\n  @\n  b\"\n",
        tree: |s| text(format!("a {s} b")),
        every: 11,
    },
    Position {
        name: "literal block",
        template: "- |\n  @\n",
        tree: |s| text(clipped(&s)),
        every: 11,
    },
    Position {
        name: "folded block",
        template: "- >-\n  @\n",
        tree: |s| text(s.trim_end_matches('\n')),
        every: 11,
    },
    Position {
        name: "literal, kept",
        template: "- |+\n  a@\n\n",
        tree: |s| text(format!("a{s}\n\n")),
        every: 11,
    },
];

fn clipped(text: &str) -> String {
    match text.trim_end_matches('\n') {
        "" => String::new(),
        content => format!("{content}\n"),
    }
}

/// Writes one value at each `@` of a document.
fn written(source: &str, values: &[Value]) -> String {
    // Inert in every context, and never at the beginning of a name in these templates.
    let source = source.replace('@', "qq");
    let tree = locate(&source).unwrap();
    let mut values = values.iter();
    let mut edits = Vec::new();
    for id in tree.ids() {
        let Some(decoded) = decode(&source, &tree, id) else {
            continue;
        };
        let Some(at) = decoded.text.find("qq") else {
            continue;
        };
        let range = at..at + 2;
        let part = Part {
            raw: decoded.raw_range(&range),
            decoded: range,
            value: values.next(),
        };
        let editor = NodeEditor {
            source: &source,
            tree: &tree,
            id,
            decoded: &decoded,
            json: source.starts_with("{\""),
        };
        let written = editor.replace_parts(&[part]);
        edits.extend(written.unwrap_or_else(|misfit| panic!("{source:?}: {misfit:?}")));
    }
    assert!(values.next().is_none(), "more values than `@`");
    edits.sort_by_key(|edit| edit.span);
    String::from_utf8(splice(source.as_bytes(), &edits).unwrap()).unwrap()
}

/// Returns the strings written in one position, each with the document that contains it.
fn rendered<'s>(position: &Position, strings: &'s [String]) -> Vec<(&'s str, String)> {
    let chosen: Vec<&String> = strings.iter().step_by(position.every).collect();
    let values: Vec<Value> = chosen
        .iter()
        .map(|text| Value::String((*text).clone()))
        .collect();
    let output = written(&position.template.repeat(chosen.len()), &values);
    let mut starts: Vec<usize> = output.match_indices("\n- ").map(|(at, _)| at + 1).collect();
    starts.insert(0, 0);
    assert_eq!(
        starts.len(),
        chosen.len(),
        "{}: a value broke out of its item",
        position.name
    );
    starts.push(output.len());
    let parts = starts
        .windows(2)
        .map(|ends| output[ends[0]..ends[1]].to_owned());
    chosen.into_iter().map(String::as_str).zip(parts).collect()
}

/// Checks that every document reads back as expected in every reader.
fn check(positions: &[Position]) {
    let strings = strings();
    let mut broken = Vec::new();
    for position in positions {
        let parts = rendered(position, &strings);
        let records: Vec<Record> = parts
            .chunks(BATCH)
            .map(|chunk| Record {
                parts: chunk.iter().map(|(_, part)| part.clone()).collect(),
                expected: chunk
                    .iter()
                    .map(|(text, _)| (position.tree)((*text).to_owned()))
                    .collect(),
                whole: false,
            })
            .collect();
        let found = differences(&records);
        if !found.is_empty() {
            broken.push(format!("{}: {}", position.name, reported(&records, &found)));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Returns the tree of a document as this library reads it.
fn read(tree: &landfall_yaml::Tree, id: NodeId) -> Tree {
    match tree[id].kind() {
        Kind::Sequence { .. } => Tree::List(tree.members(id).map(|id| read(tree, id)).collect()),
        Kind::Mapping { .. } => {
            let entries = tree.entries(id);
            Tree::Map(
                entries
                    .map(|(key, value)| (read(tree, key), read(tree, value)))
                    .collect(),
            )
        }
        _ => text(tree.text(id).unwrap_or_default()),
    }
}

#[test]
fn every_string_reads_back_in_this_library() {
    let strings = strings();
    for position in PLAIN.iter().chain(QUOTED) {
        for (string, part) in rendered(position, &strings) {
            let expected = Tree::List(vec![(position.tree)(string.to_owned())]);
            let tree = locate(part.as_str()).unwrap();
            assert_eq!(read(&tree, 0), expected, "{}: {part:?}", position.name);
        }
    }
}

#[test]
fn every_plain_string_reads_back() {
    check(PLAIN);
}

#[test]
fn every_string_reads_back_inside_quotes_and_blocks() {
    check(QUOTED);
}

/// Returns a document for each list or object, with the tree that is expected.
fn with_collections(template: &str, values: &[Json], tree: fn(Tree) -> Tree) -> Vec<Record> {
    values
        .iter()
        .map(|json| Record {
            parts: vec![written(template, &[Value::from(json)])],
            expected: vec![tree(Tree::from(json))],
            whole: true,
        })
        .collect()
}

/// Strings in lists and objects, as items, values and keys, in block and flow.
#[test]
fn every_string_reads_back_inside_collections() {
    let strings = strings();
    let items: Vec<Json> = strings.chunks(BATCH).map(|chunk| json!(chunk)).collect();
    let entries: Vec<Json> = strings
        .chunks(BATCH)
        .step_by(3)
        .map(|chunk| {
            chunk
                .iter()
                .map(|text| (text.clone(), json!([text])))
                .collect()
        })
        .collect();
    let mut records = with_collections("@\n", &items, |tree| tree);
    records.extend(with_collections("k: @ # comment\n", &items[..40], |tree| {
        pair(text("k"), tree)
    }));
    records.extend(with_collections("[@]\n", &items, |tree| {
        Tree::List(vec![tree])
    }));
    records.extend(with_collections("- @\n", &entries, |tree| {
        Tree::List(vec![tree])
    }));
    records.extend(with_collections("{k: @}\n", &entries, |tree| {
        pair(text("k"), tree)
    }));
    let found = differences(&records);
    assert!(found.is_empty(), "{}", reported(&records, &found));
}

/// Numbers as `terraform output -json` may write them: numbers to all readers.
#[test]
fn numbers_stay_numbers() {
    const DIGITS: &[&str] = &[
        "0",
        "-0",
        "1",
        "-1",
        "8080",
        "1.5",
        "1.50",
        "-0.25",
        "0.1",
        "1e5",
        "1E5",
        "1e+5",
        "1e-07",
        "1.5e300",
        "-1.25E+3",
        "2e-308",
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "1.0",
        "100.0",
    ];
    let mut records = Vec::new();
    for (template, tree) in [
        ("- @\n", (|tree| Tree::List(vec![tree])) as fn(Tree) -> Tree),
        ("k: [@, a]\n", |tree| {
            pair(text("k"), Tree::List(vec![tree, text("a")]))
        }),
        ("{\"k\": @}\n", |tree| pair(text("k"), tree)),
    ] {
        for digits in DIGITS {
            records.push(Record {
                parts: vec![written(template, &[Value::Number((*digits).to_owned())])],
                expected: vec![tree(number_tree(digits))],
                whole: true,
            });
        }
    }
    let found = differences(&records);
    assert!(found.is_empty(), "{}", reported(&records, &found));
}

/// Returns why a string has quotes that none of the readers needs; `None` if it should
/// have none. All of these err on the safe side.
fn reason(text: &str) -> Option<&'static str> {
    const WORDS: &[&str] = &[
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "+.nan", "-.nan",
    ];
    let digits = text
        .strip_prefix(['+', '-'])
        .unwrap_or(text)
        .replace('_', "");
    let all = |text: &str, is: fn(&u8) -> bool| !text.is_empty() && text.as_bytes().iter().all(is);
    let parts = |separator: char| digits.split(separator).collect::<Vec<_>>();
    let base_60 = parts(':').len() > 1
        && digits
            .split([':', '.'])
            .all(|part| part.is_empty() || all(part, u8::is_ascii_digit));
    let radix = digits.starts_with('0')
        && digits[1..].starts_with(['x', 'X', 'o', 'O', 'b', 'B'])
        && digits[2..]
            .strip_prefix(['+', '-'])
            .unwrap_or(&digits[2..])
            .bytes()
            .all(|b| b.is_ascii_hexdigit());
    let exponent = digits
        .split_once(['e', 'E'])
        .is_some_and(|(mantissa, exponent)| {
            let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            all(exponent, u8::is_ascii_digit)
                && mantissa.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        });
    let date = match parts('-').as_slice() {
        [year, month, day] => {
            let end = day.bytes().take_while(u8::is_ascii_digit).count();
            all(year, u8::is_ascii_digit)
                && all(month, u8::is_ascii_digit)
                && end > 0
                && (end == day.len() || day[end..].starts_with(['T', 't', ' ']))
        }
        _ => false,
    };
    match () {
        () if text.contains(['\u{feff}', '\u{2028}', '\u{2029}']) => {
            Some("invisible, and escaped everywhere")
        }
        () if WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)) => {
            Some("a word of YAML in an odd casing")
        }
        () if text.starts_with("---") || text.starts_with("...") => {
            Some("begins like a document marker")
        }
        () if text.ends_with(':') => Some("ends like a key"),
        () if matches!(text, "?" | "=" | "-") => Some("an indicator alone"),
        () if base_60 => Some("nearly a number of base 60"),
        () if radix => Some("nearly a number of base 2, 8 or 16"),
        () if exponent => Some("a number that overflows"),
        () if date => Some("nearly a date or time"),
        () if digits.starts_with('.') && digits[1..].bytes().all(|b| b.is_ascii_digit()) => {
            Some("a fraction but for an underscore")
        }
        () => None,
    }
}

#[test]
fn quotes_only_where_a_reader_needs_them() {
    let strings = strings();
    for position in &PLAIN[..3] {
        let parts = rendered(position, &strings);
        let quoted: Vec<&str> = parts
            .iter()
            .filter(|(_, part)| part.contains('"'))
            .map(|(text, _)| *text)
            // The string itself may have quotes, or lines.
            .filter(|text| !text.contains(['"', '\n', '\r']))
            .collect();
        let records: Vec<Record> = quoted
            .iter()
            .map(|text| Record {
                parts: vec![position.template.replace('@', text)],
                expected: vec![(position.tree)((*text).to_owned())],
                whole: false,
            })
            .collect();
        let mut needless: BTreeMap<Option<&str>, Vec<&str>> = BTreeMap::new();
        for (record, _) in read_by_all(&records) {
            needless
                .entry(reason(quoted[record]))
                .or_default()
                .push(quoted[record]);
        }
        let reported: Vec<String> = needless
            .iter()
            .filter_map(|(why, texts)| Some(format!("{} × {}", texts.len(), (*why)?)))
            .collect();
        eprintln!(
            "{}: {} of {} strings have quotes, {} needlessly: {}",
            position.name,
            quoted.len(),
            parts.len(),
            needless.values().map(Vec::len).sum::<usize>(),
            reported.join(", ")
        );
        assert_eq!(
            needless.get(&None),
            None,
            "{}: quotes that nobody needs",
            position.name
        );
    }
}
