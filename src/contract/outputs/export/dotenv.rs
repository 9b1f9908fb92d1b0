//! `NAME=value` lines, quoted so that shells, Compose, dotenv libraries and landfall's own
//! reader read the same.

use crate::contract::outputs::export::selection::{DASHES_TO_UNDERSCORES, JSON, Selected, Text};
use crate::contract::outputs::export::{Export, Target};
use crate::outputs::{Quotes, is_variable};
use crate::report::{Diagnostic, Rule};

pub(super) const TARGET: Target = Target {
    id: "dotenv",
    options: &[JSON, DASHES_TO_UNDERSCORES],
    write,
};

/// The variables that bash 5.2 does not assign: they are read-only, or it ignores the value or
/// replaces it.
const VARIABLES_OF_BASH: &[&str] = &[
    "BASHOPTS",
    "BASHPID",
    "BASH_ARGC",
    "BASH_ARGV",
    "BASH_COMMAND",
    "BASH_LINENO",
    "BASH_SOURCE",
    "BASH_SUBSHELL",
    "BASH_VERSINFO",
    "DIRSTACK",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "LINENO",
    "PPID",
    "RANDOM",
    "SECONDS",
    "SHELLOPTS",
    "SRANDOM",
    "UID",
    "_",
];

fn write(export: &mut Export<'_>) -> String {
    let outputs = export.outputs();
    let outputs = export.public(outputs);
    let error = "these cannot be the names of variables";
    let error = Diagnostic::error(Rule::InvalidExport, error);
    let help = "a name has letters, digits and `_`, and starts with a letter or `_`: rename these outputs, or write `_` for `-` with the option `dashes-to-underscores`";
    export.check_names(&outputs, is_variable, error.help(help));
    let is_of_bash = |output: &&Selected<'_>| VARIABLES_OF_BASH.contains(&&*output.name);
    let of_bash: Vec<_> = outputs.iter().filter(is_of_bash).cloned().collect();
    let warning = "bash does not assign these variables, which it sets itself";
    let warning = Diagnostic::warning(Rule::MisreadExport, warning);
    export.report(
        warning.help("rename these outputs; Compose and dotenv libraries accept the names"),
        &of_bash,
    );
    let texts = export.texts(outputs);
    let mut lines = String::new();
    let (mut refused, mut quoted) = (Vec::new(), Vec::new());
    for Text { output, text } in texts {
        let Some(value) = value(&text) else {
            refused.push(output);
            continue;
        };
        lines.push_str(&format!("{}={value}\n", output.name));
        if value != text {
            quoted.push(output);
        }
    }
    let error = "dotenv readers would not agree about these texts";
    let error = Diagnostic::error(Rule::InvalidExport, error);
    export.report(
        error.help("they disagree about `${`, `\\\\`, a `\\` at the end, control characters, and in a text with single quotes also about `$`, `!`, `\"`, `\\` and backticks: publish the text as base64"),
        &refused,
    );
    let note = Diagnostic::note(
        Rule::MisreadExport,
        "written with quotes, which `docker run --env-file` treats as part of the value",
    );
    export.report(
        note.help("Compose and shells read the value without its quotes"),
        &quoted,
    );
    lines
}

/// Returns a text as a value; `None` if its readers would not agree.
fn value(text: &str) -> Option<String> {
    if Quotes::None.keep(text) && text.is_ascii() {
        Some(text.to_owned())
    } else if Quotes::Single.keep(text) {
        Some(format!("'{text}'"))
    } else if Quotes::Double.keep(text) {
        Some(format!("\"{text}\""))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{exported, option};
    use super::value;
    use crate::outputs::{Bindings, Declarations, Value};
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
  "motd": {"value": "it's here\nnow"},
  "pattern": {"value": "^$a `b`"},
  "port": {"value": 5432},
  "password": {"sensitive": true, "value": "hunter2"}
}"#,
            &[option("json", "true")],
            "arn=arn:aws:iam::0123:role/a
empty=
list='[\"a\"]'
motd=\"it's here
now\"
pattern='^$a `b`'
port=5432
note: left out sensitive outputs: `infra.password`
note: written with quotes, which `docker run --env-file` treats as part of the value: `infra.list`, `infra.motd`, `infra.pattern`
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
        for text in ["it's $5", "'`a`'", "'!'", "\r", "\0", "\u{85}"]
            .into_iter()
            .chain([
                "\\",
                "C:\\dir\\",
                "a\\\\b",
                "a\\'b",
                "'\\n",
                "it's \"x\"",
                "${HOME}",
            ])
        {
            let text = Value::String(text.to_owned()).to_json();
            check(
                &format!("{{\"a\": {{\"value\": {text}}}}}"),
                &[],
                "error: dotenv readers would not agree about these texts: `infra.a`\n",
            );
        }
    }

    #[test]
    fn a_backslash_cannot_escape_the_closing_quote() {
        // Compose reads `\'` as a quote, and the next line as a part of this text.
        for text in ["\\", "\\\nPATH=/tmp #\\", "a \\"] {
            assert_eq!(value(text), None, "{text:?}");
        }
        assert_eq!(value("C:\\dir"), Some("'C:\\dir'".to_owned()));
    }

    #[test]
    fn warns_about_variables_that_bash_sets() {
        check(
            r#"{"UID": {"value": 7}, "vpc": {"value": "a"}}"#,
            &[],
            "UID=7
vpc=a
warning: bash does not assign these variables, which it sets itself: `infra.UID`
",
        );
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
            "\\n",
            "C:\\dir",
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
