//! ConfigMaps and Secrets for Flux: the variables of `postBuild.substituteFrom`, or a file of
//! values for the `valuesFrom` of a HelmRelease.

use crate::contract::outputs::export::manifest::{
    fields, is_data_key, metadata, object, secret_data, stream, text,
};
use crate::contract::outputs::export::selection::{DASHES_TO_UNDERSCORES, JSON, Selected, Text};
use crate::contract::outputs::export::{Export, Target};
use crate::outputs::{Value, is_variable};
use crate::report::{Diagnostic, Rule};
use yaml::{Context, plain_reads_back};

pub(super) const TARGET: Target = Target {
    id: "flux",
    options: &[
        "name",
        "namespace",
        "service",
        "values-key",
        JSON,
        DASHES_TO_UNDERSCORES,
    ],
    write,
};

const DEFAULT_NAME: &str = "infra";

/// The maximum size of the data of a ConfigMap or a Secret.
const MAX_DATA: usize = 1 << 20;

/// What follows the name of a ConfigMap in that of its Secret.
const SECRETS: &str = "-secrets";

fn write(export: &mut Export<'_>) -> String {
    let outputs = export.outputs();
    let namespace = export.namespace();
    let groups = by_service(export, outputs);
    let values_key = export.options.text("values-key");
    if let Some(key) = values_key {
        export.check_data_key(key);
    } else {
        let all: Vec<_> = groups
            .iter()
            .flat_map(|(_, group)| group)
            .cloned()
            .collect();
        let error = Diagnostic::error(
            Rule::InvalidExport,
            "Flux does not accept these names of variables",
        );
        export.check_names(
            &all,
            |name| is_variable(name) && is_data_key(name),
            error.help("a name has letters, digits and `_`, and starts with a letter or `_`: rename these outputs, or write `_` for `-` with the option `dashes-to-underscores`"),
        );
    }
    let mut documents = Vec::new();
    for (name, outputs) in groups {
        export.check_resource_name(&name);
        let secret_name = format!("{name}{SECRETS}");
        export.check_resource_name(&secret_name);
        let (sensitive, public): (Vec<_>, Vec<_>) = outputs
            .into_iter()
            .partition(|output| output.bound.sensitive);
        let has_secret = !sensitive.is_empty();
        let (public, sensitive) = match values_key {
            Some(key) => (
                vec![values(export, key, public)],
                vec![values(export, key, sensitive)],
            ),
            None => {
                let public = export.texts(public);
                warn(export, &public);
                let sensitive = export.texts(sensitive);
                (entries(public), entries(sensitive))
            }
        };
        check_size(export, "ConfigMap", &name, &public);
        check_size(export, "Secret", &secret_name, &sensitive);
        let namespace = namespace.as_deref();
        let data = object(public.into_iter().map(|(key, value)| (key, text(value))));
        documents.push(resource("ConfigMap", &name, namespace, data));
        if has_secret {
            let data = secret_data(sensitive);
            documents.push(resource("Secret", &secret_name, namespace, data));
        }
    }
    stream(&documents)
}

/// Returns the outputs of each ConfigMap, with its name: the general one first. An output
/// belongs to the service with the longest prefix of its name.
fn by_service<'b>(
    export: &mut Export<'b>,
    outputs: Vec<Selected<'b>>,
) -> Vec<(String, Vec<Selected<'b>>)> {
    let general = export.options.text("name").unwrap_or(DEFAULT_NAME);
    let services = export.options.entries("service");
    let mut groups = vec![(general.to_owned(), Vec::new())];
    for (_, name) in services {
        if !groups.iter().any(|(known, _)| known == name) {
            groups.push((name.clone(), Vec::new()));
        }
    }
    let mut is_used = vec![false; services.len()];
    for output in outputs {
        let mut matching: Option<usize> = None;
        for (nth, (prefix, _)) in services.iter().enumerate() {
            let is_longer = matching.is_none_or(|best| services[best].0.len() < prefix.len());
            if is_longer && output.name.starts_with(prefix.as_str()) {
                matching = Some(nth);
            }
        }
        let name = matching.map_or(general, |nth| &services[nth].1);
        if let Some(nth) = matching {
            is_used[nth] = true;
        }
        if let Some((_, group)) = groups.iter_mut().find(|(known, _)| known == name) {
            group.push(output);
        }
    }
    for ((prefix, name), is_used) in services.iter().zip(is_used) {
        if !is_used {
            export.refuse(
                format!("no output belongs to `{name}`: none starts with `{prefix}`, or all have a longer prefix"),
                "correct the prefix, or remove it",
            );
        }
    }
    groups
}

/// Returns the entry of a file of values.
fn values<'b>(export: &mut Export<'b>, key: &str, outputs: Vec<Selected<'b>>) -> (String, String) {
    export.warn_about_inexact_numbers(&outputs);
    let entry = |output: Selected<'_>| (output.name, output.bound.value.clone());
    let file = export.values_file(&object(outputs.into_iter().map(entry)));
    (key.to_owned(), file)
}

fn entries(texts: Vec<Text<'_>>) -> Vec<(String, String)> {
    let entry = |text: Text<'_>| (text.output.name, text.text);
    texts.into_iter().map(entry).collect()
}

fn resource(kind: &str, name: &str, namespace: Option<&str>, data: Value) -> Value {
    let mut entries = vec![
        ("apiVersion", text("v1")),
        ("kind", text(kind)),
        ("metadata", fields(metadata(name, namespace))),
    ];
    if kind == "Secret" {
        entries.push(("type", text("Opaque")));
    }
    entries.push(("data", data));
    fields(entries)
}

/// Reports a resource whose data Kubernetes does not accept: the values exceed 1 MiB, before
/// base64 (<https://github.com/kubernetes/kubernetes>, `ValidateConfigMap` of v1.34).
fn check_size(export: &mut Export<'_>, kind: &str, name: &str, data: &[(String, String)]) {
    if data.iter().map(|(_, text)| text.len()).sum::<usize>() > MAX_DATA {
        export.refuse(
            format!("the data of the {kind} `{name}` exceeds 1 MiB, which Kubernetes does not accept"),
            "publish fewer or smaller outputs, or write some of them to a resource of their own with the option `service`",
        );
    }
}

/// Warns about texts that Flux reads differently. It replaces variables in manifests that it
/// has written as YAML, without the quotes of their authors, and parses the result; it
/// removes line breaks from values (fluxcd/pkg e2cfd1a, kustomize/kustomize_varsub.go).
fn warn<'b>(export: &mut Export<'b>, texts: &[Text<'b>]) {
    let of = |is_affected: &dyn Fn(&Text<'b>) -> bool| -> Vec<Selected<'b>> {
        let affected = texts.iter().filter(|text| is_affected(text));
        affected.map(|text| text.output.clone()).collect()
    };
    let has_lines = |text: &Text<'b>| text.text.contains('\n');
    let is_reread = |text: &Text<'b>| {
        let is_typed = matches!(text.output.bound.value, Value::Number(_) | Value::Bool(_));
        !is_typed && !has_lines(text) && !plain_reads_back(&text.text, Context::default())
    };
    let warning = |message: &str| Diagnostic::warning(Rule::MisreadExport, message);
    let lines = of(&has_lines);
    export.report(
        warning("Flux removes line breaks from values").help(
            "pass them to a HelmRelease with the option `values-key`, or mount the ConfigMap",
        ),
        &lines,
    );
    let reread = of(&is_reread);
    export.report(
        warning("Flux inserts values without quotes, so that YAML reads these as something other than strings")
            .help("use them only within longer strings, or pass them to a HelmRelease with the option `values-key`"),
        &reread,
    );
}

#[cfg(test)]
mod tests {
    use super::super::tests::{exported, option};
    use crate::{Parameter, ParameterValue};

    const OUTPUTS: &str = r#"{
  "vpc_id": {"value": "vpc-0ab1"},
  "replicas": {"value": 3},
  "db_host": {"value": "db.internal"},
  "db_password": {"sensitive": true, "value": "hunter2"}
}"#;

    #[track_caller]
    fn check(outputs: &str, options: &[Parameter], expected: &str) {
        assert_eq!(exported("flux", &[("infra", outputs)], options), expected);
    }

    fn services(entries: &[(&str, &str)]) -> Parameter {
        let entry = |(prefix, name): &(&str, &str)| ((*prefix).to_owned(), (*name).to_owned());
        Parameter {
            name: "service".to_owned(),
            value: ParameterValue::Entries(entries.iter().map(entry).collect()),
        }
    }

    #[test]
    fn writes_a_config_map_and_a_secret() {
        check(
            OUTPUTS,
            &[
                option("name", "settings"),
                option("namespace", "flux-system"),
            ],
            "apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: flux-system
data:
  db_host: db.internal
  replicas: \"3\"
  vpc_id: vpc-0ab1
---
apiVersion: v1
kind: Secret
metadata:
  name: settings-secrets
  namespace: flux-system
type: Opaque
data:
  db_password: aHVudGVyMg==
",
        );
    }

    #[test]
    fn writes_one_config_map_per_service() {
        check(
            OUTPUTS,
            &[services(&[
                ("db_", "database"),
                ("db_password", "credentials"),
            ])],
            "apiVersion: v1
kind: ConfigMap
metadata:
  name: infra
data:
  replicas: \"3\"
  vpc_id: vpc-0ab1
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: database
data:
  db_host: db.internal
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: credentials
data: {}
---
apiVersion: v1
kind: Secret
metadata:
  name: credentials-secrets
type: Opaque
data:
  db_password: aHVudGVyMg==
",
        );
        check(
            OUTPUTS,
            &[services(&[("dv_", "database")])],
            "error: no output belongs to `database`: none starts with `dv_`, or all have a longer prefix\n",
        );
    }

    #[test]
    fn writes_a_file_of_values() {
        check(
            r#"{"a-b": {"value": {"c": ["true", 1.50]}}, "d": {"sensitive": true, "value": ["x"]}}"#,
            &[option("values-key", "values.yaml")],
            "apiVersion: v1
kind: ConfigMap
metadata:
  name: infra
data:
  values.yaml: \"a-b:\\n  c:\\n    - \\\"true\\\"\\n    - 1.50\\n\"
---
apiVersion: v1
kind: Secret
metadata:
  name: infra-secrets
type: Opaque
data:
  values.yaml: ZDoKICAtIHgK
",
        );
    }

    #[test]
    fn lists_the_names_that_flux_does_not_accept_in_one_error() {
        let outputs = r#"{"a-b": {"value": 1}, "c.d": {"value": 1}, "e": {"value": 1}}"#;
        check(
            outputs,
            &[],
            "error: Flux does not accept these names of variables: `infra.a-b`, `infra.c.d`\n",
        );
        check(
            outputs,
            &[option("dashes-to-underscores", "true")],
            "error: Flux does not accept these names of variables: `infra.c.d`\n",
        );
        check(
            r#"{"a-b": {"value": 1}, "a_b": {"value": 1}}"#,
            &[option("dashes-to-underscores", "true")],
            "error: `infra.a_b` and another output would both have the name `a_b`\n",
        );
    }

    #[test]
    fn names_of_several_documents_must_differ() {
        let documents = [
            ("infra", r#"{"id": {"value": 1}}"#),
            ("network", r#"{"id": {"value": 1}}"#),
        ];
        assert_eq!(
            exported("flux", &documents, &[]),
            "error: `network.id` and another output would both have the name `id`\n"
        );
    }

    #[test]
    fn lists_and_objects_need_the_option_json() {
        let outputs = r#"{"a": {"value": ["b", 1]}, "c": {"value": null}}"#;
        check(
            outputs,
            &[],
            "note: left out outputs that are null: `infra.c`\nerror: lists and objects are not text, which this target requires: `infra.a`\n",
        );
        check(
            outputs,
            &[option("json", "true")],
            "apiVersion: v1
kind: ConfigMap
metadata:
  name: infra
data:
  a: \"[\\\"b\\\",1]\"
note: left out outputs that are null: `infra.c`
warning: Flux inserts values without quotes, so that YAML reads these as something other than strings: `infra.a`
",
        );
    }

    #[test]
    fn warns_about_what_flux_reads_differently_but_not_about_sensitive_values() {
        for (value, expected) in [
            (
                "\"a\\nb\"",
                "warning: Flux removes line breaks from values: `infra.a`\n",
            ),
            (
                "\"0123\"",
                "warning: Flux inserts values without quotes, so that YAML reads these as something other than strings: `infra.a`\n",
            ),
            (
                "\"a: b\"",
                "warning: Flux inserts values without quotes, so that YAML reads these as something other than strings: `infra.a`\n",
            ),
            ("12", ""),
            ("true", ""),
            ("\"a\"", ""),
        ] {
            let output =
                |mark: &str| format!("{{\"a\": {{\"sensitive\": {mark}, \"value\": {value}}}}}");
            let found = exported("flux", &[("infra", &output("false"))], &[]);
            assert!(found.ends_with(&format!("\n{expected}")), "{found}");
            let found = exported("flux", &[("infra", &output("true"))], &[]);
            assert!(!found.contains("warning"), "{found}");
        }
    }

    #[test]
    fn rejects_data_that_kubernetes_does_not_accept() {
        let half = "x".repeat(1 << 19);
        let outputs = |mark: &str, more: &str| {
            format!(
                r#"{{"a": {{"sensitive": {mark}, "value": "{half}"}}, "b": {{"sensitive": {mark}, "value": "{half}{more}"}}}}"#
            )
        };
        for (mark, name) in [
            ("false", "ConfigMap `infra`"),
            ("true", "Secret `infra-secrets`"),
        ] {
            let found = exported("flux", &[("infra", &outputs(mark, ""))], &[]);
            assert!(found.starts_with("apiVersion"));
            check(
                &outputs(mark, "x"),
                &[],
                &format!(
                    "error: the data of the {name} exceeds 1 MiB, which Kubernetes does not accept\n"
                ),
            );
        }
    }

    #[test]
    fn lists_all_names() {
        let output = |nth: usize| format!(r#""o{nth:02}-": {{"value": 1}}"#);
        let outputs: Vec<_> = (0..14).map(output).collect();
        let names: Vec<_> = (0..14).map(|nth| format!("`infra.o{nth:02}-`")).collect();
        check(
            &format!("{{{}}}", outputs.join(",")),
            &[],
            &format!(
                "error: Flux does not accept these names of variables: {}\n",
                names.join(", ")
            ),
        );
    }

    #[test]
    fn rejects_names_that_resources_cannot_have() {
        for (name, text, expected) in [
            ("name", "Infra", "`Infra` cannot be the name of a resource"),
            (
                "namespace",
                "a.b",
                "`a.b` cannot be the name of a namespace",
            ),
            (
                "values-key",
                "a/b",
                "`a/b` cannot be a key of a ConfigMap or a Secret",
            ),
        ] {
            let found = exported("flux", &[("infra", "{}")], &[option(name, text)]);
            assert!(found.contains(&format!("error: {expected}\n")), "{found}");
        }
    }
}
