//! Values for Helm and helmfile: the outputs of each binding as a map.

use crate::contract::outputs::export::manifest::object;
use crate::contract::outputs::export::selection::{DASHES_TO_UNDERSCORES, Selected};
use crate::contract::outputs::export::{Export, Target};
use crate::outputs::Value;

pub(super) const TARGET: Target = Target {
    id: "helm-values",
    options: &["key", DASHES_TO_UNDERSCORES],
    write,
};

/// The key that represents the top of the values.
const TOP: &str = ".";

fn write(export: &mut Export<'_>) -> String {
    let values = match export.options.text("key") {
        Some(key) => {
            let outputs = export.outputs();
            let outputs = export.public(outputs);
            export.warn_about_inexact_numbers(&outputs);
            nested(export, key, outputs)
        }
        None => {
            let bindings = export.bindings;
            let mut entries = Vec::new();
            for name in bindings.names() {
                let outputs = export.outputs_of(name);
                let outputs = export.renamed(outputs);
                let outputs = export.public(outputs);
                export.warn_about_inexact_numbers(&outputs);
                entries.push((name.to_owned(), map(outputs)));
            }
            object(entries)
        }
    };
    export.values_file(&values)
}

/// Returns the values at a path of keys with dots between them.
fn nested(export: &mut Export<'_>, key: &str, outputs: Vec<Selected<'_>>) -> Value {
    let values = map(outputs);
    if key == TOP {
        return values;
    }
    if key.split('.').any(str::is_empty) {
        export.refuse(
            format!("the key `{key}` has an empty part"),
            "write the names of keys with `.` between them, or only `.` for the top of the values",
        );
    }
    key.rsplit('.')
        .fold(values, |values, key| object([(key.to_owned(), values)]))
}

fn map(outputs: Vec<Selected<'_>>) -> Value {
    let entry = |output: Selected<'_>| (output.name, output.bound.value.clone());
    object(outputs.into_iter().map(entry))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{exported, option};
    use crate::Parameter;

    const OUTPUTS: &str = r#"{
  "tags": {"value": {"env": "yes", "n": 1.50, "e": 1e-07}},
  "subnet-ids": {"value": ["a", "b"]},
  "none": {"value": null},
  "password": {"sensitive": true, "value": "hunter2"}
}"#;

    /// The number `e` of the outputs.
    const EXPONENT: &str = "warning: Helm writes these numbers with an exponent where a template inserts them as text: `infra.tags`\n";

    #[track_caller]
    fn check(options: &[Parameter], expected: &str) {
        let documents = [("infra", OUTPUTS), ("network", "{}")];
        let documents = if options.is_empty() {
            &documents[..]
        } else {
            &documents[..1]
        };
        let expected = format!("{expected}{EXPONENT}");
        assert_eq!(exported("helm-values", documents, options), expected);
    }

    #[test]
    fn writes_a_map_for_each_binding() {
        check(
            &[],
            "infra:
  none: null
  subnet-ids:
    - a
    - b
  tags:
    env: \"yes\"
    \"n\": 1.50
    e: 1.0e-07
network: {}
note: left out sensitive outputs: `infra.password`
",
        );
    }

    #[test]
    fn writes_the_values_at_a_path() {
        let values = "none: null\nsubnet_ids:\n  - a\n  - b\ntags:\n  env: \"yes\"\n  \"n\": 1.50\n  e: 1.0e-07\n";
        let note = "note: left out sensitive outputs: `infra.password`\n";
        let renames = option("dashes-to-underscores", "true");
        check(
            &[option("key", "."), renames.clone()],
            &format!("{values}{note}"),
        );
        let indented: String = values.lines().map(|line| format!("    {line}\n")).collect();
        check(
            &[option("key", "global.infra"), renames],
            &format!("global:\n  infra:\n{indented}{note}"),
        );
    }

    #[test]
    fn warns_about_numbers_that_helm_changes() {
        let warning = "warning: Helm reads numbers as 64-bit floats, which may change the digits of these: `infra.a`\n";
        let exponent = "warning: Helm writes these numbers with an exponent where a template inserts them as text: `infra.a`\n";
        for (value, expected) in [
            ("1e400", warning),
            ("[{\"b\": 1e400}]", warning),
            ("9007199254740993", warning),
            ("-9007199254740993", warning),
            ("12345678901234567890", warning),
            ("0.12345678901234567", warning),
            ("9007199254740992", exponent),
            ("{\"b\": 8388608}", exponent),
            ("1e-07", exponent),
            ("1e21", exponent),
            ("999999", ""),
            ("1.50", ""),
            ("\"8388608\"", ""),
        ] {
            let outputs = format!("{{\"a\": {{\"value\": {value}}}}}");
            for (target, options) in [
                ("helm-values", vec![]),
                ("helm-values", vec![option("key", ".")]),
                ("flux", vec![option("values-key", "values.yaml")]),
            ] {
                let found = exported(target, &[("infra", &outputs)], &options);
                let (_, found) = found.rsplit_once("\n").map_or(("", ""), |(text, _)| {
                    let start = text.find("warning").unwrap_or(text.len());
                    ("", &found[start..])
                });
                assert_eq!(found.trim_start(), expected, "{value}");
            }
        }
    }

    #[test]
    fn rejects_a_path_with_an_empty_part() {
        for key in ["", "a.", ".a", "a..b"] {
            let found = exported("helm-values", &[("infra", "{}")], &[option("key", key)]);
            assert_eq!(found, format!("error: the key `{key}` has an empty part\n"));
        }
    }
}
