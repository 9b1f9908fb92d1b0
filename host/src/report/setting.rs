//! Adds flags and commands to the texts of the module's diagnostics, which name limits,
//! policies and options without flags because not every host has them.

use std::borrow::Cow;
use std::fmt::Write as _;

use landfall_sandbox::types::Diagnostic;

use crate::sanitize;

/// The text before the key of a policy in a help text: "the policy `unused: ignore`".
const POLICY: &str = "the policy `";

/// How a help text asks to render the output of another program.
const PASS_ON: &str = "pass the result to landfall";

/// How a text begins to name options of an export: "the options `server` and
/// `server-output`".
const OPTION: &str = "the option";

/// Returns a diagnostic as it is reported: without characters that a terminal would obey, and
/// with flags and commands in its message and help.
pub(crate) fn reported(found: &Diagnostic) -> Diagnostic {
    let found = sanitize::diagnostic(found);
    Diagnostic {
        help: help(&found).map(|help| with_options_as_flags(&help)),
        message: with_options_as_flags(&found.message),
        ..found
    }
}

/// Returns the help of a diagnostic with the flag that sets the limit or policy that it
/// names, or the command that it asks for.
fn help(diagnostic: &Diagnostic) -> Option<Cow<'_, str>> {
    let help = diagnostic.help.as_deref()?;
    let flag = match diagnostic.rule.as_str() {
        "answer-too-large" => Some("--max-answer".to_owned()),
        "invalid-resource-list" => {
            return Some(format!("{help}; `landfall render` takes plain manifests").into());
        }
        "parameter-not-set" => {
            let name = help.strip_prefix("set the plugin parameter `");
            let Some(name) = name.and_then(|name| name.strip_suffix('`')) else {
                return Some(help.into());
            };
            let flag = format!(
                "{help} in `plugin.parameters` of the Application (`plugin.env` sets none), or pass `--param {name}=VALUE` on the command line"
            );
            return Some(flag.into());
        }
        "other-tool" | "document-is-not-yaml" => {
            return Some(
                help.replace(
                    PASS_ON,
                    "pipe the result to `landfall render -` with the same bindings",
                )
                .into(),
            );
        }
        _ => help.split_once(POLICY).map(|(_, key)| flag(key)),
    };
    Some(match flag {
        Some(flag) => format!("{help} (`{flag}`)").into(),
        None => help.into(),
    })
}

/// Returns the flag of the policy whose key `text` begins with: flags are the keys in
/// kebab case.
fn flag(text: &str) -> String {
    let mut flag = String::from("--");
    for letter in text.chars().take_while(char::is_ascii_alphabetic) {
        if letter.is_ascii_uppercase() {
            flag.push('-');
        }
        flag.push(letter.to_ascii_lowercase());
    }
    flag
}

/// Returns a text with the flags of the options that it names.
fn with_options_as_flags(text: &str) -> String {
    let mut typed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPTION) {
        typed.push_str(before);
        rest = after.strip_prefix('s').unwrap_or(after);
        let Some(names) = rest.strip_prefix(" `") else {
            typed.push_str(OPTION);
            rest = after;
            continue;
        };
        rest = names;
        // One name, or several with `, ` and ` and ` between them.
        while let Some((name, after)) = rest.split_once('`') {
            let flag = if name == "config" {
                "config-file"
            } else {
                name
            };
            let _ = write!(typed, "`--{flag}`");
            rest = after;
            let separators = [", `", " and `"];
            let Some(separator) = separators.into_iter().find(|text| rest.starts_with(text)) else {
                break;
            };
            typed.push_str(separator.trim_end_matches('`'));
            rest = &rest[separator.len()..];
        }
    }
    typed.push_str(rest);
    typed
}

#[cfg(test)]
mod tests {
    use super::{flag, with_options_as_flags};

    #[test]
    fn names_options_as_they_are_typed() {
        for (text, typed) in [
            (
                "write `_` for `-` with the option `dashes-to-underscores`",
                "write `_` for `-` with `--dashes-to-underscores`",
            ),
            (
                "name it in one of the options `label`, `server-output` and `config-output`, and only once",
                "name it in one of `--label`, `--server-output` and `--config-output`, and only once",
            ),
            (
                "set one of the options `config` and `config-output`",
                "set one of `--config-file` and `--config-output`",
            ),
            (
                "set the option `key`, or the option `json`",
                "set `--key`, or `--json`",
            ),
            (
                "set `goTemplate: true`, or remove the options",
                "set `goTemplate: true`, or remove the options",
            ),
        ] {
            assert_eq!(with_options_as_flags(text), typed);
        }
    }

    #[test]
    fn no_message_of_the_module_names_an_option_otherwise() {
        let messages = include_str!("../../../src/report/messages.md");
        // A flag that does not exist is a usage error.
        for message in messages
            .lines()
            .filter(|text| !text.starts_with("- unknown option"))
        {
            let typed = with_options_as_flags(message);
            assert!(
                !typed.contains("option `") && !typed.contains("options `"),
                "{typed}"
            );
        }
    }

    #[test]
    fn names_the_flag_of_a_policy() {
        assert_eq!(flag("unused: ignore`"), "--unused");
        assert_eq!(flag("noResources: allow`"), "--no-resources");
    }
}
