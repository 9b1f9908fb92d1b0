//! The Secret by which a cluster is registered in Argo CD. Its name, its server, and the
//! labels and annotations of its metadata, in which GitOps Bridge publishes outputs, are
//! not sensitive. `config`, which contains the credentials, cannot be read.

use crate::outputs::formats::kubernetes::{
    Entry, ObjectFormat, ObjectKind, Reader, USE_THE_OBJECT,
};
use crate::outputs::formats::reject_repeated;
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::FormatSample;
use crate::outputs::{Key, Output, Unreadable, Value};

pub(super) const ARGOCD_CLUSTER: ObjectFormat = ObjectFormat {
    id: "argocd-cluster",
    kind: ObjectKind::Cluster,
    read,
    keeps_annotation: |name| !repeats_the_object(name),
    #[cfg(feature = "toys")]
    sample: FormatSample {
        path: "annotations.",
        ..FormatSample::in_lines(
            "apiVersion: v1\nkind: Secret\nstringData: {config: hunter2}\nmetadata:\n  labels: {argocd.argoproj.io/secret-type: cluster}\n  annotations:\n",
            |name, value| format!("    {name}: {value}"),
        )
    },
};

/// The entries that Argo CD shows to its users (docs/operator-manual/declarative-setup.md).
const PLAIN: [&str; 6] = [
    "name",
    "server",
    "namespaces",
    "clusterResources",
    "project",
    "shard",
];

fn read<'o>(reader: &mut Reader<'o, '_>, fields: &[Entry<'o>]) {
    let document = reader.document;
    let is_sensitive = |name: &str| !PLAIN.contains(&name) || document.declares_sensitive(name);
    let mut outputs = Vec::new();
    for field in fields {
        outputs.append(&mut match &*field.name {
            "metadata" => outputs_of_metadata(reader, field),
            _ => reader.secret_data(field, &is_sensitive),
        });
        reader.hide(field);
    }
    reader.apply_string_data(fields, &mut outputs);
    for output in outputs {
        match &*output.name {
            "config" => reader.read.unreadable.push(Unreadable {
                name: output.name,
                span: output.span,
                sensitive: true,
                why: "it contains the credentials of the cluster",
                help: USE_THE_OBJECT,
                is_written: true,
            }),
            _ => reader.read.outputs.push(output),
        }
    }
    reject_repeated(document, &mut reader.read);
}

/// Reads the labels and the annotations.
fn outputs_of_metadata<'o>(reader: &mut Reader<'o, '_>, metadata: &Entry<'o>) -> Vec<Output> {
    let mut outputs = Vec::new();
    for field in reader.unique_entries(metadata) {
        if !matches!(&*field.name, "labels" | "annotations") {
            continue;
        }
        let span = reader.reported(field.span);
        let mut entries = Vec::new();
        for entry in reader.unique_entries(&field) {
            if !entry.is_clear || repeats_the_object(&entry.name) {
                continue;
            }
            let named = format!("`{}` of `{}`", entry.name, field.name);
            if let Some(text) = reader.string(&entry, &named) {
                let key = Key {
                    name: entry.name.into_owned(),
                    span: entry.span,
                };
                entries.push((key, Value::String(text.into_owned())));
            }
        }
        // An annotation may repeat `config`.
        reader.hide(&field);
        outputs.push(Output {
            sensitive: reader.document.declares_sensitive(&field.name),
            name: field.name.into_owned(),
            span,
            value: Value::Object(entries),
            written: field.written,
        });
    }
    outputs
}

/// Returns whether a program writes the whole object to this annotation, and so `config`.
pub(crate) fn repeats_the_object(annotation: &str) -> bool {
    let name = annotation.rsplit('/').next().unwrap_or_default();
    matches!(
        name,
        // kubectl, kapp, Rancher and operators built with banzaicloud/k8s-objectmatcher.
        "last-applied-configuration" | "original" | "applied" | "last-applied"
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_all_redacted, check_read, check_redacted, document};
    use crate::outputs::{Bindings, Declarations};

    const CLUSTER: &str = "apiVersion: v1
kind: Secret
metadata:
  name: in-cluster
  labels:
    argocd.argoproj.io/secret-type: cluster
    environment: dev
  annotations:
    aws_account_id: \"0123456789\"
    kubectl.kubernetes.io/last-applied-configuration: '{\"stringData\": {\"config\": \"hunter2\"}}'
    example.com/a: x
type: Opaque
data:
  server: aHR0cHM6Ly9rdWJlcm5ldGVzLmRlZmF1bHQuc3Zj
  config: aHVudGVyMg==
stringData:
  name: in-cluster
";

    #[test]
    fn reads_the_server_and_the_metadata() {
        for format in ["", "argocd-cluster"] {
            check_read(
                format,
                CLUSTER,
                &[
                    "labels = {\"argocd.argoproj.io/secret-type\":\"cluster\",\"environment\":\"dev\"}",
                    "annotations = {\"aws_account_id\":\"0123456789\",\"example.com/a\":\"x\"}",
                    "server = \"https://kubernetes.default.svc\"",
                    "name = \"in-cluster\"",
                ],
            );
        }
    }

    #[test]
    fn an_entry_that_argo_cd_does_not_know_is_sensitive() {
        let (bindings, diagnostics) = Bindings::read(
            &[crate::OutputsDocument {
                name: "cluster".into(),
                ..document("", &format!("{CLUSTER}  shard: '1'\n  token: hunter2\n"))
            }],
            &Declarations::default(),
        );
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let outputs = bindings.outputs("cluster").unwrap();
        let sensitive: Vec<_> = outputs
            .iter()
            .filter(|(_, bound)| bound.sensitive)
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(sensitive, ["token"]);
    }

    #[test]
    fn config_cannot_be_read() {
        let (bindings, _) = Bindings::read(
            &[crate::OutputsDocument {
                name: "cluster".into(),
                ..document("", CLUSTER)
            }],
            &Declarations::default(),
        );
        let named = bindings.named("cluster").unwrap();
        let (document, entry) = named.unreadable("config").unwrap();
        assert_eq!((document, &CLUSTER[entry.span.range()]), (0, "config"));
        assert_eq!(entry.why, "it contains the credentials of the cluster");
    }

    #[test]
    fn an_output_of_a_later_document_replaces_an_entry_that_cannot_be_read() {
        let cluster = || crate::OutputsDocument {
            name: "cluster".into(),
            ..document("", CLUSTER)
        };
        let other = || crate::OutputsDocument {
            name: "cluster".into(),
            ..document("dotenv", "config=x")
        };
        for (documents, is_readable) in
            [([cluster(), other()], true), ([other(), cluster()], false)]
        {
            let (bindings, _) = Bindings::read(&documents, &Declarations::default());
            let named = bindings.named("cluster").unwrap();
            assert_eq!(named.unreadable("config").is_none(), is_readable);
        }
    }

    #[test]
    fn a_secret_that_may_have_another_label_is_not_a_cluster() {
        let label = "argocd.argoproj.io/secret-type: cluster";
        for labels in [
            "{}",
            "{argocd.argoproj.io/secret-type: repository}",
            &format!("{{{label}, {label}}}"),
            &format!("&x {{{label}}}"),
            "{argocd.argoproj.io/secret-type: !!str cluster}",
        ] {
            let content = format!("apiVersion: v1\nkind: Secret\nmetadata: {{labels: {labels}}}\n");
            check_read(
                "argocd-cluster",
                &content,
                &["the outputs document has the format `secret`, not `argocd-cluster`: 1:1"],
            );
        }
    }

    #[test]
    fn locations_do_not_reveal_the_length_of_an_annotation() {
        check_read(
            "",
            r#"{"apiVersion": "v1", "kind": "Secret", "metadata": {"annotations": {"x": "y"}, "labels": {"argocd.argoproj.io/secret-type": "cluster"}}}"#,
            &[
                "\"annotations\" = {\"x\":\"y\"}",
                "1:1 = {\"argocd.argoproj.io/secret-type\":\"cluster\"}",
            ],
        );
    }

    #[test]
    fn rejects_metadata_that_readers_read_differently() {
        let content = |metadata: &str| {
            format!(
                "apiVersion: v1\nkind: Secret\nmetadata:\n  labels: {{argocd.argoproj.io/secret-type: cluster}}\n{metadata}"
            )
        };
        for (metadata, error) in [
            (
                "  annotations: {a: yes}\n",
                "`a` of `annotations` has an unquoted value that is not a string to every YAML reader: 5:1",
            ),
            (
                "  annotations: {a: x, a: z}\n",
                "`annotations` has a duplicate key: 5:1",
            ),
            (
                "  <<: {annotations: {a: x}}\n",
                "`metadata` has a key that not every YAML reader reads as a string: 5:1",
            ),
        ] {
            let read =
                crate::outputs::read(&document("", &content(metadata)), crate::Origin::Outputs(0));
            let messages: Vec<_> = read.diagnostics.iter().map(|it| &*it.message).collect();
            assert_eq!(messages, [error.trim_end_matches(": 5:1")], "{metadata}");
        }
    }

    #[test]
    fn redacts_the_config_and_what_repeats_it() {
        let redacted = CLUSTER
            .replace(
                "'{\"stringData\": {\"config\": \"hunter2\"}}'",
                "\"(sensitive)\"",
            )
            .replace("aHVudGVyMg==", "\"KHNlbnNpdGl2ZSk=\"");
        check_redacted(&document("", CLUSTER), Some((&redacted, &["config"])));
    }

    #[test]
    fn redacts_everything_if_all_outputs_are_sensitive() {
        check_all_redacted(
            "",
            "apiVersion: v1\nkind: Secret\nmetadata:\n  labels:\n    argocd.argoproj.io/secret-type: cluster\n    hunter2: hunter2\n  annotations: {public: hunter2}\nstringData:\n  name: hunter2\n",
            "apiVersion: v1\nkind: Secret\nmetadata:\n  labels: {\"argocd.argoproj.io/secret-type\": \"cluster\"}\n  annotations: {\"public\": \"(sensitive)\"}\nstringData:\n  name: \"(sensitive)\"\n",
        );
    }
}
