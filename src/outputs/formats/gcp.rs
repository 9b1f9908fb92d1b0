//! A revision of Google Cloud's Infrastructure Manager, as written by `gcloud infra-manager
//! revisions describe --format=json`: `{"name": …, "applyResults": {"content": …,
//! "artifacts": …, "outputs": {name: {"sensitive"?: true, "value": …}}}}`, or its
//! `applyResults` alone. `sensitive` is left out if it is false (`TerraformOutput` in
//! google.cloud.config.v1).

use crate::outputs::document::Document;
use crate::outputs::formats::marked_outputs::{MarkedFormat, MarkedOutputs, Root, TerraformTypes};
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::{FormatSample, marked};
use crate::outputs::formats::{AsManifest, Publication};
use crate::outputs::json::Node;
use crate::outputs::value::Type;

pub(super) const GCP: MarkedFormat = MarkedFormat {
    id: "gcp",
    as_manifest: AsManifest::Outputs,
    publication: Publication::Converted,
    outputs,
    #[cfg(feature = "toys")]
    sample: FormatSample::in_flow(
        "{\"name\": \"hunter2\", \"applyResults\": {\"outputs\": {",
        marked,
        "}, \"content\": \"hunter2\"}}",
    ),
};

fn outputs(document: &Document<'_>) -> Option<MarkedOutputs> {
    let root = Root::of(document)?;
    let is_string = |node: Node<'_>| node.value_type() == Type::String;
    let has_files = ["content", "artifacts"]
        .iter()
        .any(|key| root.member(key).is_some_and(is_string));
    let path: &[&str] = if root.member("applyResults").is_some_and(Node::is_object) {
        &["applyResults", "outputs"]
    } else if has_files && root.member("outputs").is_some_and(Node::is_object) {
        &["outputs"]
    } else {
        return None;
    };
    Some(MarkedOutputs {
        path,
        types: &TerraformTypes,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_read, check_redacted, document};

    const OUTPUTS: &str = r#"{"network": {"sensitive": false, "value": "n"}, "count": {"value": 3}, "key": {"sensitive": true, "value": "hunter2"}}"#;

    #[test]
    fn reads_a_revision_and_its_results() {
        for revision in [
            format!("{{\"name\": \"r-0\", \"applyResults\": {{\"outputs\": {OUTPUTS}}}}}"),
            format!("{{\"applyResults\": {{\"artifacts\": \"gs://b\", \"outputs\": {OUTPUTS}}}}}"),
            format!("{{\"content\": \"gs://b\", \"outputs\": {OUTPUTS}}}"),
        ] {
            for format in ["", "gcp"] {
                check_read(
                    format,
                    &revision,
                    &[
                        "\"network\" = \"n\"",
                        "\"count\" = 3",
                        "\"key\" = \"hunter2\" (sensitive)",
                    ],
                );
            }
        }
        check_read(
            "",
            r#"{"name": "r-1", "state": "FAILED", "applyResults": {}}"#,
            &[],
        );
    }

    #[test]
    fn redaction_keeps_only_outputs_that_are_not_sensitive() {
        check_redacted(
            &document(
                "",
                r#"{"name": "hunter2", "applyResults": {"content": "hunter2", "outputs": {"a": {"value": 1}, "b": {"sensitive": true, "value": "hunter2"}}}, "stateDetail": {"a": "hunter2"}}"#,
            ),
            Some((
                r#"{"name": "", "applyResults": {"content": "", "outputs": {"a": {"value": 1}, "b": {"sensitive": true, "value": "(sensitive)"}}}, "stateDetail": {}}"#,
                &["b"],
            )),
        );
        check_redacted(
            &document(
                "",
                r#"{"artifacts": "hunter2", "outputs": {"a": {"value": 1}}}"#,
            ),
            Some((r#"{"artifacts": "", "outputs": {"a": {"value": 1}}}"#, &[])),
        );
    }
}
