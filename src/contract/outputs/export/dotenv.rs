//! `NAME=value` lines, quoted so that shells, Compose, dotenv libraries and landfall's own
//! reader read the same.

use crate::contract::outputs::export::selection::{DASHES_TO_UNDERSCORES, JSON, Text, is_variable};
use crate::contract::outputs::export::{Export, Target};
use crate::report::{Diagnostic, Rule};

pub(super) const TARGET: Target = Target {
    id: "dotenv",
    options: &[JSON, DASHES_TO_UNDERSCORES],
    write,
};

fn write(export: &mut Export<'_>) -> String {
    let outputs = export.outputs();
    let outputs = export.public(outputs);
    let error = "these cannot be the names of variables";
    let error = Diagnostic::error(Rule::InvalidExport, error);
    let help = "a name has letters, digits and `_`, and starts with a letter or `_`: rename these outputs, or write `_` for `-` with the option `dashes-to-underscores`";
    export.check_names(&outputs, is_variable, error.help(help));
    let texts = export.texts(outputs);
    let mut lines = String::new();
    let (mut refused, mut quoted) = (Vec::new(), Vec::new());
    for Text { output, text } in texts {
        match value(&text) {
            Some(value) => lines.push_str(&format!("{}={value}\n", output.name)),
            None => {
                refused.push(output);
                continue;
            }
        }
        if !is_unquoted(&text) {
            quoted.push(output);
        }
    }
    let error = "dotenv readers would not agree about these texts";
    let error = Diagnostic::error(Rule::InvalidExport, error);
    export.report(
        error.help("they disagree about `$` and backticks in a text with single quotes, and about control characters: publish the text as base64"),
        &refused,
    );
    let note = Diagnostic::note(
        Rule::MisreadExport,
        "written with quotes, which `docker run --env-file` reads as parts of the value",
    );
    export.report(
        note.help("Compose and shells read the value without its quotes"),
        &quoted,
    );
    lines
}

/// Returns a text as a value; `None` if its readers would not agree.
fn value(text: &str) -> Option<String> {
    let is_control = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if text.contains(is_control) {
        return None;
    }
    if is_unquoted(text) {
        return Some(text.to_owned());
    }
    if !text.contains('\'') {
        return Some(format!("'{text}'"));
    }
    // Shells and Compose expand these in double quotes.
    if text.contains(['$', '`', '!']) {
        return None;
    }
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    Some(format!("\"{escaped}\""))
}

/// Returns whether no reader finds anything special in a text.
fn is_unquoted(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@%+,=".contains(&byte);
    text.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{exported, option};
    use super::value;
    use crate::outputs::{Bindings, Declarations};
    use crate::{OutputsDocument, Parameter};

    #[track_caller]
    fn check(outputs: &str, options: &[Parameter], expected: &str) {
        assert_eq!(exported("dotenv", &[("infra", outputs)], options), expected);
    }

    #[test]
    fn writes_lines() {
        check(
            r#"{
  "arn": {"value": "arn:aws:iam::0123:role/a"},
  "empty": {"value": ""},
  "list": {"value": ["a"]},
  "motd": {"value": "it's \"here\"\nnow"},
  "pattern": {"value": "^$a `b`"},
  "port": {"value": 5432},
  "password": {"sensitive": true, "value": "hunter2"}
}"#,
            &[option("json", "true")],
            "arn=arn:aws:iam::0123:role/a
empty=
list='[\"a\"]'
motd=\"it's \\\"here\\\"
now\"
pattern='^$a `b`'
port=5432
note: left out sensitive outputs: `infra.password`
note: written with quotes, which `docker run --env-file` reads as parts of the value: `infra.list`, `infra.motd`, `infra.pattern`
",
        );
    }

    #[test]
    fn rejects_names_and_texts_that_readers_read_differently() {
        check(
            r#"{"a-b": {"value": 1}, "é": {"value": 1}}"#,
            &[],
            "error: these cannot be the names of variables: `infra.a-b`, `infra.é`\n",
        );
        for text in ["it's $5", "'`a`'", "'!'", "\\r", "\\u0000", "\\u0085"] {
            check(
                &format!("{{\"a\": {{\"value\": \"{text}\"}}}}"),
                &[],
                "error: dotenv readers would not agree about these texts: `infra.a`\n",
            );
        }
    }

    #[test]
    fn our_reader_reads_every_text_back() {
        for text in [
            "",
            "a",
            "a b",
            " a ",
            "#",
            "a#b",
            "'",
            "\"",
            "\\",
            "\\n",
            "'\\n",
            "'\"\\",
            "a\nb",
            "'a\n\nb\n",
            "$HOME",
            "`x`",
            "\t",
            "größe",
            "a=b",
            "!",
            "*",
            "~",
            "a;b&c",
        ] {
            let Some(value) = value(text) else {
                panic!("{text:?}")
            };
            let (bindings, diagnostics) = Bindings::read(
                &[OutputsDocument {
                    name: "infra".into(),
                    content: format!("A={value}\nB=b\n").into_bytes(),
                    format: Some("dotenv".into()),
                    ..OutputsDocument::default()
                }],
                &Declarations::default(),
            );
            assert!(diagnostics.is_empty(), "{value}");
            let outputs = bindings.outputs("infra").unwrap();
            let read = |name: &str| outputs.get(name).unwrap().value.text().unwrap();
            assert_eq!((read("A"), read("B")), (text, "b"));
        }
    }
}
