//! The ways in which a document is broken: in the value that is a secret, in its line, or
//! anywhere else.

use super::places::Document;

/// A change of a document.
#[derive(Clone, Copy)]
pub(super) enum Fault {
    /// What is written in place of the secret, which is `@`.
    Value(&'static str),
    /// The lines in place of that with the secret, which is `@`. `^` is its indentation.
    Line(&'static str),
    /// Text that is replaced wherever it is in the document.
    Text(&'static str, &'static str),
    /// A change of the whole document.
    Whole(fn(&Document) -> String),
}

use Fault::{Line, Text, Value, Whole};

/// Stands for a byte that is not UTF-8.
const NOT_UTF_8: char = '\u{e000}';

#[rustfmt::skip]
pub(super) const FAULTS: &[(&str, Fault)] = &[
    ("no fault", Value("@")),

    // Secrets are often pasted without quotes, and may begin with any character.
    ("a list that is not closed", Value("[@")),
    ("a mapping that is not closed", Value("{@: x")),
    ("a list after its end", Value("[@]]")),
    ("a quote that is not closed", Value("\"@")),
    ("a single quote that is not closed", Value("'@")),
    ("text after a quoted scalar", Value("'@'x'")),
    ("text before a quoted scalar", Value("x\"@\"")),
    ("a bad escape", Value("\"@\\q\"")),
    ("a bad escape of a code", Value("\"\\u12@\"")),
    ("a bad tag", Value("!<@ x")),
    ("an unknown tag", Value("!@ x")),
    ("a type that the value has not", Value("!!int @")),
    ("an anchor", Value("&@ x")),
    ("an unknown anchor", Value("*@")),
    ("a directive", Value("%@")),
    ("a reserved character", Value("`@")),
    ("the header of a block scalar", Value("|@")),
    ("a block scalar without indentation", Value("|\n@")),
    ("a mapping in a line of one", Value("a: @: x")),
    ("a comment without a space", Value("x #@ # @")),
    ("a control character", Value("@\u{1}")),
    ("a byte that is not UTF-8", Value("@\u{e000}")),
    ("a byte order mark", Value("\u{feff}@")),
    ("a line separator", Value("@\u{2028}x")),
    ("a reference without an end", Value("@ ${infra.vpc_id")),
    ("a reference to an unknown output", Value("@ ${infra.nosuch}")),
    ("a function that is unknown", Value("@ ${infra.vpc_id | nosuch}")),

    // Of the wrong type.
    ("a list instead of a value", Value("[@, x]")),
    ("a mapping instead of a value", Value("{@: x}")),
    ("a mapping with the value of a key", Value("{nosuch: @}")),
    ("no value", Value("")),

    ("indentation by a tab", Line("\t@")),
    ("one space too many", Line(" @")),
    ("no indentation", Line("- @")),
    ("a duplicate line", Line("@\n@")),
    ("duplicate keys around it", Line("^nosuch: 1\n@\n^nosuch: 2")),
    ("an unknown key before it", Line("^nosuch: x\n@")),
    ("an unknown key after it", Line("@\n^nosuch: x")),
    ("an unknown anchor before it", Line("^nosuch: *nosuch\n@")),
    ("an unknown anchor after it", Line("@\n^nosuch: *nosuch")),
    ("a list that is not closed before it", Line("^nosuch: [\n@")),
    ("a list that is not closed after it", Line("@\n^nosuch: [")),
    ("a quote that is not closed before it", Line("^nosuch: \"\n@")),
    ("a merged mapping that is none", Line("^<<: [x]\n@")),
    ("a key that is not a string", Line("^[1]: x\n@")),
    ("no colon", Line("^nosuch\n@")),
    ("a marker of conflicts", Line("<<<<<<< HEAD\n@\n=======\n@\n>>>>>>> main")),
    ("a template of Helm", Line("^{{- if .Values.nosuch }}\n@\n^{{- end }}")),
    ("an unknown output before it", Line("^nosuch: ${infra.nosuch}\n@")),
    ("an unknown output after it", Line("@\n^nosuch: ${infra.nosuch}")),

    ("another apiVersion", Text("apiVersion: ", "apiVersion: x")),
    ("an unknown field in place of apiVersion", Text("apiVersion: ", "apiVersions: ")),
    ("an unknown field in place of kind", Text("kind: ", "kinds: ")),
    ("another kind", Text("kind: ", "kind: x")),
    ("a kind that is a reference", Text("kind: ", "kind: ${infra.nosuch}")),
    ("an unknown field in place of metadata", Text("metadata", "metadatas")),
    ("commas instead of colons", Text(": ", ", ")),
    ("other quotes", Text("\"", "'")),
    ("no closing braces", Text("}", "")),
    ("line breaks that are not all the same", Text("\n  ", "\r  ")),

    ("two documents", Whole(|it| format!("{}\n---\n{}", it.text, it.text))),
    ("the end of a document before it", Whole(|it| format!("a: b\n...\n{}", it.text))),
    ("a document that ends in the secret", Whole(|it| it.until_secret(10).to_owned())),
    ("a document that ends before the secret", Whole(|it| it.until_secret(0).to_owned())),
    ("a bracket before all", Whole(|it| format!("[\n{}", it.text))),
    ("a bracket after all", Whole(|it| format!("{}\n]", it.text))),
    ("text in place of a document", Whole(|it| it.secret.clone())),
    ("a list in place of a document", Whole(|it| format!("- {}\n", it.secret))),
];

impl Fault {
    /// Returns the bytes of a broken document.
    pub(super) fn of(self, document: &Document) -> Vec<u8> {
        let Document { text, secret } = document;
        let broken = match self {
            Value(value) => text.replacen(secret, &value.replace('@', secret), 1),
            Line(lines) => {
                let (before, line, after) = document.line();
                let indentation = &line[..line.len() - line.trim_start().len()];
                let lines = lines.replace('^', indentation).replace('@', line);
                format!("{before}{lines}{after}")
            }
            Text(from, to) => text.replace(from, to),
            Whole(change) => change(document),
        };
        let broken = broken.split(NOT_UTF_8).map(str::as_bytes);
        broken.collect::<Vec<_>>().join(&[0xff][..])
    }
}
