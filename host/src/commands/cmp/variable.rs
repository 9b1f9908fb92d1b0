//! `ARGOCD_APP_PARAMETERS`: the plugin parameters of the Application, as Argo CD passes them
//! (argo-cd v3.2.12, `ApplicationSourcePluginParameters` in pkg/apis/application/v1alpha1).

use std::collections::BTreeMap;

use landfall_sandbox::types::{Parameter, ParameterValue};
use serde::Deserialize;

use crate::problem::Problem;

/// The variable's name.
const NAME: &str = "ARGOCD_APP_PARAMETERS";

/// One parameter. Argo CD's user interface writes one of the values, and a manifest may have
/// several or none.
#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    name: String,
    string: Option<String>,
    array: Option<Vec<String>>,
    map: Option<BTreeMap<String, String>>,
}

/// Returns the parameters of the Application.
pub(super) fn parameters(problems: &mut Vec<Problem>) -> Vec<Parameter> {
    let value = std::env::var_os(NAME);
    let parsed = match value.as_deref().map(std::ffi::OsStr::to_str) {
        Some(None) => Err("is not UTF-8".to_owned()),
        text => parse(text.flatten()),
    };
    parsed.unwrap_or_else(|what| {
        problems.push(invalid_variable(&what));
        Vec::new()
    })
}

/// The variable is malformed. `what` continues its name.
fn invalid_variable(what: &str) -> Problem {
    Problem::of_module("invalid-parameter", format!("`{NAME}` {what}"))
        .help("Argo CD sets this variable from the Application's `plugin.parameters`: correct them there; it must not be set in `plugin.env` or in the sidecar")
}

/// Parses the variable. It is not set if the Application has no block `plugin`, and `null` if
/// it has one without parameters.
///
/// # Errors
/// What is wrong with it, to continue "`ARGOCD_APP_PARAMETERS` ". No value is quoted: it may
/// be a secret.
fn parse(variable: Option<&str>) -> Result<Vec<Parameter>, String> {
    let text = variable.unwrap_or_default().trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let entries: Option<Vec<Entry>> = serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        format!("is not a list of parameters (line {line}, column {column})")
    })?;
    let mut parameters: Vec<Parameter> = Vec::new();
    for entry in entries.unwrap_or_default() {
        let name = entry.name;
        let mut values = [
            entry.string.map(ParameterValue::Text),
            entry.array.map(ParameterValue::Items),
            entry
                .map
                .map(|map| ParameterValue::Entries(map.into_iter().collect())),
        ]
        .into_iter()
        .flatten();
        let Some(value) = values.next() else { continue };
        if values.next().is_some() {
            return Err(format!("has several values for the parameter `{name}`"));
        }
        if parameters.iter().any(|earlier| earlier.name == name) {
            return Err(format!("has two parameters named `{name}`"));
        }
        parameters.push(Parameter { name, value });
    }
    Ok(parameters)
}

#[cfg(test)]
mod tests {
    use landfall_sandbox::types::{Parameter, ParameterValue};

    use super::parse;

    #[track_caller]
    fn check(variable: Option<&str>, expected: &[(&str, ParameterValue)]) {
        let expected = expected.iter().map(|(name, value)| Parameter {
            name: (*name).to_owned(),
            value: value.clone(),
        });
        assert_eq!(parse(variable), Ok(expected.collect()));
    }

    #[test]
    fn an_application_without_parameters() {
        for variable in [None, Some(""), Some("null"), Some(" null\n"), Some("[]")] {
            check(variable, &[]);
        }
    }

    #[test]
    fn each_type_of_parameter() {
        check(
            Some(
                r#"[{"name": "cluster", "string": "prod"}, {"name": "zones", "array": ["a", "b"]},
                    {"name": "infra", "map": {"vpc_id": "vpc-1"}}, {"name": "unset"}]"#,
            ),
            &[
                ("cluster", ParameterValue::Text("prod".to_owned())),
                (
                    "zones",
                    ParameterValue::Items(vec!["a".to_owned(), "b".to_owned()]),
                ),
                (
                    "infra",
                    ParameterValue::Entries(vec![("vpc_id".to_owned(), "vpc-1".to_owned())]),
                ),
            ],
        );
    }

    #[test]
    fn a_name_has_one_parameter() {
        let variable = r#"[{"name": "a", "string": "b"}, {"name": "a", "string": "c"}]"#;
        let error = parse(Some(variable)).unwrap_err();
        assert_eq!(error, "has two parameters named `a`");
    }

    #[test]
    fn a_malformed_variable_is_described_without_its_values() {
        for variable in [
            "hunter2",
            "{\"hunter2\": 1}",
            "[{\"name\": \"a\", \"string\": 1, \"x\": \"hunter2\"}]",
            "[{\"name\": \"a\", \"string\": \"hunter2\", \"array\": []}]",
            "[{\"name\": \"a\", \"string\": \"hunter2\"}, {\"name\": \"a\", \"string\": \"b\"}]",
        ] {
            let error = parse(Some(variable)).unwrap_err();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
