//! State files of Terraform and OpenTofu, and `terraform state pull`:
//! `{"version": 4, "terraform_version": …, "serial": …, "lineage": …, "outputs": {name:
//! {"value": …, "type": …, "sensitive"?: true}}, "resources": […]}`
//! (internal/states/statefile/version4.go). Versions before 4 have the outputs of every
//! module, and OpenTofu can encrypt a state.

use crate::outputs::document::Document;
use crate::outputs::formats::marked_outputs::{MarkedFormat, MarkedOutputs, Root, TerraformTypes};
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::{FormatSample, marked};
use crate::outputs::formats::{AsManifest, Publication};

pub(super) const TFSTATE: MarkedFormat = MarkedFormat {
    id: "tfstate",
    as_manifest: AsManifest::Outputs,
    publication: Publication::OfState,
    outputs,
    #[cfg(feature = "toys")]
    sample: FormatSample::in_flow(
        "{\"version\": 4, \"lineage\": \"hunter2\", \"outputs\": {",
        marked,
        "}, \"resources\": [\"hunter2\"]}",
    ),
};

fn outputs(document: &Document<'_>) -> Option<MarkedOutputs> {
    let root = Root::of(document)?;
    let is_state = root.member("version")?.raw() == "4"
        && (root.member("terraform_version").is_some() || root.member("lineage").is_some());
    is_state.then_some(MarkedOutputs {
        path: &["outputs"],
        types: &TerraformTypes,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_read, check_redacted, document};

    const STATE: &str = r#"{
  "version": 4,
  "terraform_version": "1.11.4",
  "serial": 7,
  "lineage": "69395b77",
  "outputs": {
    "vpc_id": {"value": "vpc-0a1b", "type": "string"},
    "count": {"value": 1.50, "type": "number"},
    "password": {"value": "hunter2", "type": "string", "sensitive": true},
    "after": {"value": null, "type": ["map", "string"], "deprecated": "no"}
  },
  "resources": [{"instances": [{"attributes": {"password": "hunter2"}}]}],
  "check_results": null
}
"#;

    #[test]
    fn reads_the_outputs_of_a_state() {
        for format in ["", "tfstate"] {
            check_read(
                format,
                STATE,
                &[
                    "\"vpc_id\" = \"vpc-0a1b\"",
                    "\"count\" = 1.50",
                    "\"password\" = \"hunter2\" (sensitive)",
                    "\"after\" = null",
                ],
            );
        }
        for empty in ["\"outputs\": {}", "\"outputs\": null", "\"serial\": 1"] {
            check_read(
                "",
                &format!("{{\"version\": 4, \"lineage\": \"\", {empty}}}"),
                &[],
            );
        }
    }

    #[test]
    fn a_state_is_never_read_in_a_format_without_marks() {
        check_read(
            "yaml",
            STATE,
            &["the outputs document has the format `tfstate`, not `yaml`: 1:1"],
        );
    }

    #[test]
    fn rejects_outputs_that_are_not_an_object() {
        check_read(
            "",
            "{\"version\": 4, \"lineage\": \"\",\n \"outputs\": [\"hunter2\"]}",
            &["`outputs` in the outputs document is not an object: 2:1"],
        );
        check_read(
            "",
            "{\"version\": 4, \"lineage\": \"\",\n \"outputs\": {}, \"outputs\": {}}",
            &["duplicate key `outputs` in the outputs document: 2:1, 2:1"],
        );
        check_read(
            "",
            r#"{"version": 4, "lineage": "", "outputs": {"a": "x", "b": {"type": "string"}}}"#,
            &[
                "the output `a` has no `value`: \"a\"",
                "the output `b` has no `value`: 1:1",
            ],
        );
    }

    #[test]
    fn locations_after_resources_are_lines() {
        check_read(
            "",
            r#"{"version": 4, "lineage": "", "resources": ["hunter2"], "outputs": {"a": {"value": 1}}}"#,
            &["1:1 = 1"],
        );
    }

    #[test]
    fn redaction_keeps_only_outputs_that_are_not_sensitive() {
        check_redacted(
            &document("", STATE),
            Some((
                r#"{
  "version": 4,
  "terraform_version": "",
  "serial": 0,
  "lineage": "",
  "outputs": {
    "vpc_id": {"value": "vpc-0a1b", "type": "string"},
    "count": {"value": 1.50, "type": "number"},
    "password": {"value": "(sensitive)", "type": "dynamic", "sensitive": true},
    "after": {"value": null, "type": ["map", "string"], "deprecated": "no"}
  },
  "resources": [],
  "check_results": null
}
"#,
                &["password"],
            )),
        );
        check_redacted(
            &document(
                "",
                r#"{"version": 4, "lineage": "", "outputs": {"a": "hunter2", "b": ["hunter2"]}}"#,
            ),
            Some((
                r#"{"version": 4, "lineage": "", "outputs": {"a": {}, "b": {}}}"#,
                &["a", "b"],
            )),
        );
        let twice = r#"{"version": 4, "lineage": "", "outputs": {}, "outputs": {}}"#;
        check_redacted(&document("", twice), None);
    }
}
