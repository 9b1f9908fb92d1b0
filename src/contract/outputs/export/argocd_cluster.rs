//! The Secret by which a cluster is registered in Argo CD. Outputs become its annotations and
//! labels, which ApplicationSets read: the GitOps Bridge pattern.

use crate::contract::outputs::export::manifest::{
    fields, metadata, object, secret_data, stream, text,
};
use crate::contract::outputs::export::selection::{JSON, Selected, Text};
use crate::contract::outputs::export::{Export, Target};
use crate::outputs::{Value, is_json_object};
use crate::report::{Diagnostic, Rule};

pub(super) const TARGET: Target = Target {
    id: "argocd-cluster",
    options: &[
        "name",
        "namespace",
        "server",
        "server-output",
        "config",
        "config-output",
        "label",
        JSON,
    ],
    write,
};

/// The namespace that Argo CD is usually installed in.
const DEFAULT_NAMESPACE: &str = "argocd";

/// The label by which Argo CD finds the Secret, and the one that a cluster generator selects so
/// that no Application is created before the outputs of its cluster exist.
const OWN_LABELS: [(&str, &str); 2] = [
    ("argocd.argoproj.io/secret-type", "cluster"),
    ("landfall.dev/outputs", "ready"),
];

/// The maximum length of a label's value, and of the name of a label or an annotation.
const MAX_LABEL: usize = 63;

/// The maximum size of all annotations of a resource.
const MAX_ANNOTATIONS: usize = 256 << 10;

const ADDRESS_HELP: &str = "an address is a URL, such as `https://10.0.0.1:6443`";

fn write(export: &mut Export<'_>) -> String {
    let mut outputs = export.outputs();
    let name = export.options.text("name").unwrap_or_default().to_owned();
    export.check_resource_name(&name);
    let namespace = export.namespace();
    let labels = labels(export, &mut outputs);
    let server = server(export, &mut outputs);
    let config = config(export, &mut outputs);
    let annotations = annotations(export, outputs);

    let mut fields_of_metadata = metadata(
        &name,
        Some(namespace.as_deref().unwrap_or(DEFAULT_NAMESPACE)),
    );
    let own = OWN_LABELS.map(|(key, value)| (key.to_owned(), text(value)));
    let labels = labels
        .into_iter()
        .map(|label| (label.output.name, text(label.text)));
    fields_of_metadata.push(("labels", object(own.into_iter().chain(labels))));
    if !annotations.is_empty() {
        let annotations = annotations
            .into_iter()
            .map(|entry| (entry.output.name, text(entry.text)));
        fields_of_metadata.push(("annotations", object(annotations)));
    }
    let data = [
        ("name", Some(name)),
        ("server", Some(server)),
        ("config", config),
    ]
    .into_iter()
    .filter_map(|(key, text)| Some((key.to_owned(), text?)));
    let secret = fields([
        ("apiVersion", text("v1")),
        ("kind", text("Secret")),
        ("metadata", fields(fields_of_metadata)),
        ("type", text("Opaque")),
        ("data", secret_data(data)),
    ]);
    stream(&[secret])
}

/// Takes the output that an option names.
fn taken<'b>(
    export: &mut Export<'b>,
    outputs: &mut Vec<Selected<'b>>,
    option: &str,
    name: &str,
) -> Option<Selected<'b>> {
    let position = outputs.iter().position(|output| output.name == name);
    let bindings = export.bindings;
    let has_output = |bound| {
        bindings
            .outputs(bound)
            .is_some_and(|all| all.get(name).is_some())
    };
    if position.is_none() && bindings.names().any(has_output) {
        export.refuse(
            format!("the output `{name}` is named twice"),
            "name it in one of the options `label`, `server-output` and `config-output`, and only once",
        );
    } else if position.is_none() {
        let help = "name an output without the name of its binding";
        export.refuse(
            format!("no output `{name}`, which the option `{option}` names"),
            help,
        );
    }
    position.map(|position| outputs.remove(position))
}

/// Returns the outputs that become labels.
fn labels<'b>(export: &mut Export<'b>, outputs: &mut Vec<Selected<'b>>) -> Vec<Text<'b>> {
    let mut labels = Vec::new();
    for name in export.options.items("label") {
        labels.extend(taken(export, outputs, "label", name));
    }
    labels.sort_by(|a, b| a.name.cmp(&b.name));
    let (sensitive, public): (Vec<_>, Vec<_>) =
        labels.into_iter().partition(|label| label.bound.sensitive);
    let error = "sensitive outputs cannot be labels, which everyone can read";
    let error = Diagnostic::error(Rule::InvalidExport, error);
    export.report(
        error.help("remove them from the option `label`"),
        &sensitive,
    );
    let is_own = |label: &Selected<'_>| OWN_LABELS.iter().any(|(key, _)| *key == label.name);
    let (own, public): (Vec<_>, Vec<_>) = public.into_iter().partition(is_own);
    let error = Diagnostic::error(Rule::InvalidExport, "the export sets these labels itself");
    export.report(error.help("remove them from the option `label`"), &own);
    check_metadata_names(export, &public);
    let texts = export.texts(public);
    let is_wrong = |label: &&Text<'b>| !label.text.is_empty() && !is_qualified(&label.text);
    let wrong: Vec<_> = texts
        .iter()
        .filter(is_wrong)
        .map(|label| label.output.clone())
        .collect();
    let error = "these values cannot be labels";
    let error = Diagnostic::error(Rule::InvalidExport, error);
    export.report(
        error.help("the value of a label has at most 63 characters: letters, digits, `-`, `_` and `.`, with a letter or digit at both ends; to write annotations, remove the outputs from the option `label`"),
        &wrong,
    );
    texts
}

/// Returns the address of the cluster.
fn server<'b>(export: &mut Export<'b>, outputs: &mut Vec<Selected<'b>>) -> String {
    match (
        export.options.text("server"),
        export.options.text("server-output"),
    ) {
        (Some(server), None) => {
            if !is_address(server) {
                let error =
                    "the address of the cluster is empty, or has white space or control characters";
                export.refuse(error.to_owned(), ADDRESS_HELP);
            }
            server.to_owned()
        }
        (None, Some(name)) => {
            let output = taken(export, outputs, "server-output", name);
            if let Some(output) = output.clone().filter(|output| output.bound.sensitive) {
                let error =
                    "a sensitive output cannot be the address of the cluster, which Argo CD shows";
                let error = Diagnostic::error(Rule::InvalidExport, error);
                let help = "write the address in the option `server`, or publish it in an output that is not sensitive";
                export.report(error.help(help), &[output]);
                return String::new();
            }
            let text = text_of(export, output.clone()).unwrap_or_default();
            if let Some(output) = output
                && !text.is_empty()
                && !is_address(&text)
            {
                let error = "the address of the cluster has white space or control characters";
                let error = Diagnostic::error(Rule::InvalidExport, error);
                export.report(error.help(ADDRESS_HELP), &[output]);
            }
            text
        }
        _ => {
            export.refuse(
                "the address of the cluster must be given once".to_owned(),
                "set one of the options `server` and `server-output`",
            );
            String::new()
        }
    }
}

/// Returns whether a text can be an address.
fn is_address(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

/// Returns the credentials, which are JSON.
fn config<'b>(export: &mut Export<'b>, outputs: &mut Vec<Selected<'b>>) -> Option<String> {
    let config = match (
        export.options.text("config"),
        export.options.text("config-output"),
    ) {
        (None, None) => return None,
        (Some(config), None) => config.trim_ascii().to_owned(),
        (None, Some(name)) => {
            let output = taken(export, outputs, "config-output", name)?;
            match &output.bound.value {
                value @ Value::Object(_) => value.to_json(),
                _ => text_of(export, Some(output))?,
            }
        }
        (Some(_), Some(_)) => {
            export.refuse(
                "the credentials of the cluster are given twice".to_owned(),
                "set one of the options `config` and `config-output`",
            );
            return None;
        }
    };
    if !is_json_object(&config) {
        // It may be an invalid document with credentials in it: nothing of it is shown.
        export.refuse(
            "the credentials of the cluster are not a JSON object".to_owned(),
            "they have the form of `config` in Argo CD's documentation of clusters: {\"bearerToken\": …, \"tlsClientConfig\": {…}}",
        );
    }
    Some(config)
}

/// Returns the text of one output, which must be a string.
fn text_of<'b>(export: &mut Export<'b>, output: Option<Selected<'b>>) -> Option<String> {
    let output = output?;
    match &output.bound.value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        _ => {
            // Also for a sensitive output, whose value is not described.
            let error = Diagnostic::error(Rule::InvalidExport, "not a string, or empty");
            export.report(
                error.help("name an output with the text that is required here"),
                &[output],
            );
            None
        }
    }
}

/// Returns the outputs that become annotations.
fn annotations<'b>(export: &mut Export<'b>, outputs: Vec<Selected<'b>>) -> Vec<Text<'b>> {
    let public = export.public(outputs);
    check_metadata_names(export, &public);
    let texts = export.texts(public);
    let size = |text: &Text<'_>| text.output.name.len() + text.text.len();
    if texts.iter().map(size).sum::<usize>() > MAX_ANNOTATIONS {
        export.refuse(
            "the annotations of a resource may have 256 KiB together".to_owned(),
            "publish fewer or smaller outputs for the cluster",
        );
    }
    texts
}

fn check_metadata_names<'b>(export: &mut Export<'b>, outputs: &[Selected<'b>]) {
    let error = "Kubernetes does not accept these names of labels and annotations";
    let error = Diagnostic::error(Rule::InvalidExport, error);
    let help = "a name has at most 63 characters: letters, digits, `-`, `_` and `.`, with a letter or digit at both ends";
    export.check_names(outputs, is_qualified, error.help(help));
}

/// Returns whether Kubernetes accepts a text as the name of a label or an annotation without
/// a prefix, or as the value of a label that is not empty.
fn is_qualified(text: &str) -> bool {
    let bytes = text.as_bytes();
    text.len() <= MAX_LABEL
        && bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{exported, option};
    use crate::{Parameter, ParameterValue};

    const OUTPUTS: &str = r#"{
  "aws_account_id": {"value": "0123456789"},
  "enable_karpenter": {"value": true},
  "cluster_endpoint": {"value": "https://eks.example.com"},
  "cluster_config": {"sensitive": true, "value": {"bearerToken": "hunter2"}},
  "password": {"sensitive": true, "value": "hunter2"}
}"#;

    fn labels(names: &[&str]) -> Parameter {
        Parameter {
            name: "label".to_owned(),
            value: ParameterValue::Items(names.iter().map(|name| (*name).to_owned()).collect()),
        }
    }

    #[track_caller]
    fn check(outputs: &str, options: &[Parameter], expected: &str) {
        assert_eq!(
            exported("argocd-cluster", &[("infra", outputs)], options),
            expected
        );
    }

    /// Checks the errors of an export of one output.
    #[track_caller]
    fn refuses(output: &str, options: &[Parameter], expected: &str) {
        let mut all = vec![option("name", "prod"), option("server", "https://a")];
        all.extend_from_slice(options);
        check(
            &format!("{{{output}}}"),
            &all,
            &format!("error: {expected}\n"),
        );
    }

    #[test]
    fn writes_the_secret_of_a_cluster() {
        check(
            OUTPUTS,
            &[
                option("name", "prod"),
                option("server-output", "cluster_endpoint"),
                option("config-output", "cluster_config"),
                labels(&["enable_karpenter"]),
            ],
            "apiVersion: v1
kind: Secret
metadata:
  name: prod
  namespace: argocd
  labels:
    argocd.argoproj.io/secret-type: cluster
    landfall.dev/outputs: ready
    enable_karpenter: \"true\"
  annotations:
    aws_account_id: \"0123456789\"
type: Opaque
data:
  name: cHJvZA==
  server: aHR0cHM6Ly9la3MuZXhhbXBsZS5jb20=
  config: eyJiZWFyZXJUb2tlbiI6Imh1bnRlcjIifQ==
note: left out sensitive outputs: `infra.password`
",
        );
    }

    #[test]
    fn takes_the_server_and_the_credentials_as_texts() {
        check(
            "{}",
            &[
                option("name", "prod"),
                option("namespace", "gitops"),
                option("server", "https://a"),
                option("config", "{\"bearerToken\": \"hunter2\"}\n"),
            ],
            "apiVersion: v1
kind: Secret
metadata:
  name: prod
  namespace: gitops
  labels:
    argocd.argoproj.io/secret-type: cluster
    landfall.dev/outputs: ready
type: Opaque
data:
  name: cHJvZA==
  server: aHR0cHM6Ly9h
  config: eyJiZWFyZXJUb2tlbiI6ICJodW50ZXIyIn0=
",
        );
    }

    #[test]
    fn requires_a_name_and_one_server() {
        check(
            "{}",
            &[],
            "error: `` cannot be the name of a resource
error: the address of the cluster must be given once
",
        );
        refuses(
            "",
            &[option("server-output", "a")],
            "the address of the cluster must be given once",
        );
    }

    #[test]
    fn rejects_an_address_that_is_empty_or_has_white_space() {
        let error = "the address of the cluster is empty, or has white space or control characters";
        for server in ["", " ", "https://a b", "https://a\n", "https://a\u{0}"] {
            let options = [option("name", "prod"), option("server", server)];
            check("{}", &options, &format!("error: {error}\n"));
        }
        for (output, error) in [
            (
                r#"{"value": "https://a\n"}"#,
                "the address of the cluster has white space or control characters",
            ),
            (
                r#"{"sensitive": true, "value": "https://a\n"}"#,
                "a sensitive output cannot be the address of the cluster, which Argo CD shows",
            ),
        ] {
            check(
                &format!("{{\"a\": {output}}}"),
                &[option("name", "prod"), option("server-output", "a")],
                &format!("error: {error}: `infra.a`\n"),
            );
        }
    }

    #[test]
    fn takes_an_output_once() {
        let options = [
            option("name", "prod"),
            option("server-output", "a"),
            labels(&["a"]),
        ];
        let outputs = r#"{"a": {"value": "b"}}"#;
        check(outputs, &options, "error: the output `a` is named twice\n");
        refuses(
            r#""a": {"value": "b"}"#,
            &[labels(&["a", "a"])],
            "the output `a` is named twice",
        );
    }

    #[test]
    fn rejects_credentials_that_are_not_json_without_quoting_them() {
        for config in [
            "hunter2",
            "[]",
            "{\"a\": hunter2}",
            "{\"a\": 1, \"a\": 2}",
            "",
        ] {
            refuses(
                "",
                &[option("config", config)],
                "the credentials of the cluster are not a JSON object",
            );
        }
    }

    #[test]
    fn rejects_what_labels_and_annotations_cannot_have() {
        refuses(
            r#""a": {"sensitive": true, "value": "hunter2"}"#,
            &[labels(&["a"])],
            "sensitive outputs cannot be labels, which everyone can read: `infra.a`",
        );
        refuses(
            r#""a": {"value": "b c"}"#,
            &[labels(&["a"])],
            "these values cannot be labels: `infra.a`",
        );
        refuses(
            "",
            &[labels(&["a"])],
            "no output `a`, which the option `label` names",
        );
        refuses(
            r#""_a": {"value": 1}, "b c": {"value": 1}"#,
            &[],
            "Kubernetes does not accept these names of labels and annotations: `infra._a`, `infra.b c`",
        );
    }
}
