//! An ExternalSecret, by which the External Secrets Operator copies secrets from a store into
//! a Secret. Outputs name the secrets; their values stay in the store.

use crate::contract::outputs::export::manifest::{fields, is_data_key, metadata, stream, text};
use crate::contract::outputs::export::selection::Selected;
use crate::contract::outputs::export::{Export, Target};
use crate::outputs::Value;
use crate::report::suggest;
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

/// The placeholder for the name of an output in a remote key.
const NAME: &str = "{name}";

fn write(export: &mut Export<'_>) -> String {
    let (outputs, sensitive) = match export.options.text("remote-key") {
        Some(_) => export.outputs_and_sensitive_names(),
        None => (export.outputs(), Vec::new()),
    };
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
    data.extend(remote(export, sensitive));
    if data.is_empty() && !export.diagnostics.has_errors() {
        export.refuse(
            "no secrets to copy".to_owned(),
            "name an output for each key with the option `secret`, or set the option `remote-key` for the sensitive outputs",
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
    if let Some(interval) = interval.filter(|interval| *interval != "0" && !is_duration(interval)) {
        export.refuse(
            format!("the refresh interval `{interval}` is not a duration"),
            "write numbers with units, such as `1h30m`, or `0` to copy the secrets once; units are `ns`, `us`, `ms`, `s`, `m` and `h`",
        );
    }
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
            export.refuse(
                format!("no output `{name}`, which the option `secret` names"),
                help,
            );
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

/// Returns the names of sensitive outputs with their keys in the store, made by the option
/// `remote-key`.
fn remote(export: &mut Export<'_>, names: Vec<String>) -> Vec<(String, String)> {
    let Some(template) = export.options.text("remote-key") else {
        return Vec::new();
    };
    if !template.contains(NAME) {
        export.refuse(
            format!("the remote key `{template}` is the same for all outputs"),
            "write `{name}` where the name of the output belongs: `prod/{name}`",
        );
    }
    let refused = names.iter().filter(|name| !is_data_key(name));
    let refused = suggest::all_listed(&mut refused.map(String::as_str));
    if !refused.is_empty() {
        export.refuse(
            format!("these cannot be keys of a Secret: {refused}"),
            "a key has at most 253 characters: letters, digits, `-`, `_` and `.`",
        );
    }
    let entry = |name: String| {
        let remote = template.replace(NAME, &name);
        (name, remote)
    };
    names.into_iter().map(entry).collect()
}

/// Returns whether a text is a duration of Go that is not negative, as `1h30m`
/// (<https://pkg.go.dev/time#ParseDuration>).
fn is_duration(text: &str) -> bool {
    const UNITS: [&str; 8] = ["ns", "us", "µs", "μs", "ms", "s", "m", "h"];
    let is_part_of_number = |c: char| c.is_ascii_digit() || c == '.';
    let mut rest = text;
    while !rest.is_empty() {
        let unit = rest.trim_start_matches(is_part_of_number);
        let number = &rest[..rest.len() - unit.len()];
        let end = unit.find(is_part_of_number).unwrap_or(unit.len());
        let (unit, next) = unit.split_at(end);
        let is_number = number.bytes().any(|byte| byte != b'.')
            && number.bytes().filter(|byte| *byte == b'.').count() < 2;
        if !is_number || !UNITS.contains(&unit) {
            return false;
        }
        rest = next;
    }
    !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{exported, option};
    use super::is_duration;
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
                "no output `tokens`, which the option `secret` names",
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
            (
                vec![
                    secrets(&[("a", "db_secret_arn")]),
                    option("refresh-interval", "1 hour"),
                ],
                "the refresh interval `1 hour` is not a duration",
            ),
        ] {
            check(&options, &format!("error: {expected}\n"));
        }
    }

    #[test]
    fn remote_keys_need_only_the_names_of_outputs() {
        let public = r#"{
  "token": {"sensitive": true, "value": null, "left_out": true},
  "key": {"value": null, "left_out": true}
}"#;
        let options = [option("store", "aws"), option("remote-key", "prod/{name}")];
        let found = exported("external-secret", &[("infra", public)], &options);
        let expected = "  data:
    - secretKey: key
      remoteRef:
        key: prod/key
    - secretKey: token
      remoteRef:
        key: prod/token
";
        assert!(found.ends_with(expected), "{found}");
        let public = r#"{"a/b": {"sensitive": true, "value": null, "left_out": true}}"#;
        assert_eq!(
            exported("external-secret", &[("infra", public)], &options),
            "error: these cannot be keys of a Secret: `a/b`\n"
        );
    }

    #[test]
    fn a_refresh_interval_is_a_duration_of_go() {
        for interval in ["1h", "1h30m", "0s", "1.5h", ".5m", "100ms", "1µs"] {
            assert!(is_duration(interval), "{interval}");
        }
        for interval in [
            "", "1", "h", "1d", "1h30", ".s", "1.2.3s", "-1h", "1 h", "1hm",
        ] {
            assert!(!is_duration(interval), "{interval}");
        }
    }
}
