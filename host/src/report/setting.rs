//! Adds flags and commands to the help of the module's diagnostics, which name limits and
//! policies without flags because not every host has them.

use std::borrow::Cow;

use landfall_sandbox::types::Diagnostic;

/// The text before the key of a policy in a help text: "the policy `unused: ignore`".
const POLICY: &str = "the policy `";

/// How a help text asks to render the output of another program.
const PASS_ON: &str = "pass the result to landfall";

/// Returns the help of a diagnostic with the flag that sets the limit or policy that it
/// names, or the command that it asks for.
pub(crate) fn help(diagnostic: &Diagnostic) -> Option<Cow<'_, str>> {
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

#[cfg(test)]
mod tests {
    use super::flag;

    #[test]
    fn names_the_flag_of_a_policy() {
        assert_eq!(flag("unused: ignore`"), "--unused");
        assert_eq!(flag("noResources: allow`"), "--no-resources");
    }
}
