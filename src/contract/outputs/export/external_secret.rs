//! An ExternalSecret, by which the External Secrets Operator copies secrets from a store into
//! a Secret. Outputs name the secrets; their values stay in the store.

use crate::contract::outputs::export::manifest::{fields, is_data_key, metadata, stream, text};
use crate::contract::outputs::export::selection::Selected;
use crate::contract::outputs::export::{Export, Target};
use crate::outputs::Value;
use crate::report::{Diagnostic, Rule};

pub(super) const TARGET: Target = Target {
    id: "external-secret",
    options: &[
        "name",
        "namespace",
        "store",
        "store-kind",
        "remote-key",
        "secret",
        "refresh-interval",
    ],
    write,
};

const DEFAULT_NAME: &str = "infra-secrets";

const STORE_KINDS: [&str; 2] = ["SecretStore", "ClusterSecretStore"];

/// The part of a remote key that stands for the name of an output.
const NAME: &str = "{name}";

fn write(export: &mut Export<'_>) -> String {
    let outputs = export.outputs();
    let name = export
        .options
        .text("name")
        .unwrap_or(DEFAULT_NAME)
        .to_owned();
    export.check_resource_name(&name);
    let namespace = export.namespace();
    let store = export.options.text("store").unwrap_or_default().to_owned();
    export.check_resource_name(&store);
    let kind = export.options.text("store-kind").unwrap_or(STORE_KINDS[0]);
    if !STORE_KINDS.contains(&kind) {
        export.refuse(
            format!("unknown kind of store `{kind}`"),
            "expected `SecretStore` or `ClusterSecretStore`",
        );
    }
    let mut data = named(export, &outputs);
    data.extend(sensitive(export, outputs));
    if data.is_empty() && !export.diagnostics.has_errors() {
        export.refuse(
            "no secrets to copy".to_owned(),
            "name outputs with the keys of secrets in the option `secret`, or set `remote-key` for the sensitive outputs",
        );
    }
    data.sort();
    for pair in data.windows(2) {
        if let [(key, _), (other, _)] = pair
            && key == other
        {
            let help = "remove it from the option `secret`, or give it another key there";
            export.refuse(format!("two secrets would have the key `{key}`"), help);
        }
    }
    let item = |(key, remote): (String, String)| {
        let remote = fields([("key", text(remote))]);
        fields([("secretKey", text(key)), ("remoteRef", remote)])
    };
    let interval = export.options.text("refresh-interval");
    let mut spec = Vec::new();
    spec.extend(interval.map(|interval| ("refreshInterval", text(interval))));
    spec.push((
        "secretStoreRef",
        fields([("kind", text(kind)), ("name", text(store))]),
    ));
    spec.push(("target", fields([("name", text(name.as_str()))])));
    spec.push(("data", Value::List(data.into_iter().map(item).collect())));
    stream(&[fields([
        ("apiVersion", text("external-secrets.io/v1")),
        ("kind", text("ExternalSecret")),
        ("metadata", fields(metadata(&name, namespace.as_deref()))),
        ("spec", fields(spec)),
    ])])
}

/// Returns the secrets of the option `secret`, each with the key of its value in the Secret:
/// the output that it names has the key in the store.
fn named<'b>(export: &mut Export<'b>, outputs: &[Selected<'b>]) -> Vec<(String, String)> {
    let mut data = Vec::new();
    for (key, name) in export.options.entries("secret") {
        export.check_data_key(key);
        let Some(output) = outputs.iter().find(|output| output.name == *name) else {
            let help = "name an output without the name of its binding";
            export.refuse(format!("no output `{name}`, which `secret` names"), help);
            continue;
        };
        match &output.bound.value {
            _ if output.bound.sensitive => {
                let error = "a sensitive output cannot be the key of a secret in the store, which everyone can read";
                let error = Diagnostic::error(Rule::InvalidExport, error);
                let help =
                    "publish the name or the ARN of the secret as an output that is not sensitive";
                export.report(error.help(help), std::slice::from_ref(output));
            }
            Value::String(remote) if !remote.is_empty() => data.push((key.clone(), remote.clone())),
            _ => {
                let error = Diagnostic::error(Rule::InvalidExport, "not a string, or empty");
                let help = "name an output with the name or the ARN of a secret";
                export.report(error.help(help), std::slice::from_ref(output));
            }
        }
    }
    data
}

/// Returns the sensitive outputs with their keys in the store, made by the option
/// `remote-key`.
fn sensitive<'b>(export: &mut Export<'b>, outputs: Vec<Selected<'b>>) -> Vec<(String, String)> {
    let Some(template) = export.options.text("remote-key") else {
        return Vec::new();
    };
    if !template.contains(NAME) {
        export.refuse(
            format!("the remote key `{template}` is the same for all outputs"),
            "write `{name}` where the name of the output belongs: `prod/{name}`",
        );
    }
    let sensitive = outputs.into_iter().filter(|output| output.bound.sensitive);
    let sensitive: Vec<_> = sensitive.collect();
    let error = Diagnostic::error(Rule::InvalidExport, "these cannot be keys of a Secret");
    let help = "a key has at most 253 characters: letters, digits, `-`, `_` and `.`";
    export.check_names(&sensitive, is_data_key, error.help(help));
    let entry = |output: Selected<'_>| {
        let remote = template.replace(NAME, &output.name);
        (output.name, remote)
    };
    sensitive.into_iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{exported, option};
    use crate::{Parameter, ParameterValue};

    const OUTPUTS: &str = r#"{
  "db_secret_arn": {"value": "arn:aws:secretsmanager:eu-west-1:0123:secret:db"},
  "replicas": {"value": 3},
  "token": {"sensitive": true, "value": "hunter2"}
}"#;

    fn secrets(entries: &[(&str, &str)]) -> Parameter {
        let entry = |(key, output): &(&str, &str)| ((*key).to_owned(), (*output).to_owned());
        Parameter {
            name: "secret".to_owned(),
            value: ParameterValue::Entries(entries.iter().map(entry).collect()),
        }
    }

    #[track_caller]
    fn check(options: &[Parameter], expected: &str) {
        let mut all = vec![option("store", "aws")];
        all.extend_from_slice(options);
        let found = exported("external-secret", &[("infra", OUTPUTS)], &all);
        assert_eq!(found, expected);
    }

    #[test]
    fn binds_the_keys_of_secrets_in_a_store() {
        check(
            &[
                option("namespace", "app"),
                option("store-kind", "ClusterSecretStore"),
                option("refresh-interval", "1h"),
                option("remote-key", "prod/{name}"),
                secrets(&[("db-password", "db_secret_arn")]),
            ],
            "apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata:
  name: infra-secrets
  namespace: app
spec:
  refreshInterval: 1h
  secretStoreRef:
    kind: ClusterSecretStore
    name: aws
  target:
    name: infra-secrets
  data:
    - secretKey: db-password
      remoteRef:
        key: arn:aws:secretsmanager:eu-west-1:0123:secret:db
    - secretKey: token
      remoteRef:
        key: prod/token
",
        );
    }

    #[test]
    fn rejects_what_cannot_be_a_key() {
        for (options, expected) in [
            (vec![], "no secrets to copy"),
            (
                vec![secrets(&[("a", "token")])],
                "a sensitive output cannot be the key of a secret in the store, which everyone can read: `infra.token`",
            ),
            (
                vec![secrets(&[("a", "replicas")])],
                "not a string, or empty: `infra.replicas`",
            ),
            (
                vec![secrets(&[("a", "tokens")])],
                "no output `tokens`, which `secret` names",
            ),
            (
                vec![secrets(&[("a/b", "db_secret_arn")])],
                "`a/b` cannot be a key of a ConfigMap or a Secret",
            ),
            (
                vec![option("remote-key", "prod")],
                "the remote key `prod` is the same for all outputs",
            ),
            (
                vec![
                    secrets(&[("token", "db_secret_arn")]),
                    option("remote-key", "{name}"),
                ],
                "two secrets would have the key `token`",
            ),
            (
                vec![
                    secrets(&[("a", "db_secret_arn")]),
                    option("store-kind", "Vault"),
                ],
                "unknown kind of store `Vault`",
            ),
        ] {
            check(&options, &format!("error: {expected}\n"));
        }
    }
}
