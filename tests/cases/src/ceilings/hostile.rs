//! Operator's policies that two YAML readers may read differently.

use serde_yaml::Value as Yaml;

use super::case::{HEADER, POLICIES, Policy, PolicySettings};
use crate::choices::Choices;

/// Generates an operator's policy that means one thing to its author and possibly another
/// to a reader.
pub(super) fn hostile(choices: &mut Choices<'_>) -> String {
    let mut lines = PolicySettings::generate(choices).lines();
    let Policy {
        key,
        values: [strict, loose],
        ..
    } = POLICIES[choices.below(POLICIES.len())];
    let mut prefix = String::new();
    let mut suffix = String::new();
    for _ in 0..choices.below(3) {
        let (new_key, value) = match choices.below(20) {
            0 => (key.to_owned(), loose.to_owned()),
            1 => (format!("\"{key}\""), loose.to_owned()),
            2 => (format!("'{key}'"), strict.to_owned()),
            3 => ("<<".to_owned(), format!("{{{key}: {loose}}}")),
            4 => ("<<".to_owned(), format!("[{{{key}: {loose}}}]")),
            5 => (key.to_owned(), format!("!!str {loose}")),
            6 => (key.to_owned(), format!("&a {loose} # *a")),
            7 => (key.to_owned(), "!!binary YWxsb3c=".to_owned()),
            8 => (format!("!!str {key}"), loose.to_owned()),
            9 => (key.to_uppercase(), loose.to_owned()),
            10 => (
                key.to_owned(),
                ["no", "off", "~", "", "[allow]", "keep "][choices.below(6)].to_owned(),
            ),
            11 => ("sensitive".to_owned(), "{kinds: [yes, Secret]}".to_owned()),
            12 => (
                "sensitive".to_owned(),
                "{kinds: [ConfigMap], kinds: []}".to_owned(),
            ),
            13 => ("# comment".to_owned(), format!("\u{85}  {key}: {loose}")),
            14 => ("# comment".to_owned(), format!("\u{2028}  {key}: {loose}")),
            15 => ("# comment".to_owned(), format!("\r  {key}: {loose}")),
            16 => {
                suffix = format!("---\n{HEADER}spec: {{{key}: {loose}}}\n");
                continue;
            }
            17 => {
                prefix = ["%YAML 1.1\n---\n", "\u{feff}", "---\n", "--- !x\n"][choices.below(4)]
                    .to_owned();
                continue;
            }
            18 => (format!("? {key}\n "), format!("{loose}\n")),
            _ => (
                "sensitive".to_owned(),
                "{inside: [], kinds: [\"Secret\"]}".to_owned(),
            ),
        };
        lines.insert(choices.below(lines.len() + 1), (new_key, value));
    }
    let spec = if lines.is_empty() {
        " {}\n".to_owned()
    } else {
        let lines: String = lines
            .into_iter()
            .map(|(key, value)| format!("  {key}: {value}\n"))
            .collect();
        format!("\n{lines}")
    };
    format!("{prefix}{HEADER}spec:{spec}{suffix}")
}

/// Returns what libyaml reads in an operator's policy.
pub(super) fn as_libyaml_reads(text: &str) -> PolicySettings {
    // A byte order mark makes libyaml see two documents.
    let content = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document: Yaml = serde_yaml::from_str(content)
        .unwrap_or_else(|error| panic!("accepted, and libyaml does not read it: {error}\n{text}"));
    let mut settings = PolicySettings::default();
    let empty = serde_yaml::Mapping::new();
    let spec = document
        .get("spec")
        .and_then(Yaml::as_mapping)
        .unwrap_or(&empty);
    for (key, value) in spec {
        let key = key
            .as_str()
            .unwrap_or_else(|| panic!("a key that is not a string:\n{text}"));
        if key == "sensitive" {
            let kinds = value.get("kinds").and_then(Yaml::as_sequence);
            settings.kinds = kinds.map(|kinds| {
                let kinds = kinds.iter().map(|kind| kind.as_str().map(str::to_owned));
                kinds
                    .collect::<Option<Vec<_>>>()
                    .unwrap_or_else(|| panic!("a kind that is not a string:\n{text}"))
            });
        } else if let Some(at) = POLICIES.iter().position(|policy| policy.key == key) {
            let value = value
                .as_str()
                .unwrap_or_else(|| panic!("a value that is not a string:\n{text}"));
            let value = POLICIES[at].values.iter().position(|it| *it == value);
            settings.values.insert(
                at,
                value.unwrap_or_else(|| panic!("an unknown value:\n{text}")),
            );
        } else {
            panic!("accepted with the unknown key `{key}`:\n{text}");
        }
    }
    settings
}
