//! `terraform show -json` of a state: `{"format_version": …, "terraform_version": …,
//! "values": {"outputs": {name: {"sensitive": bool, "value": …, "type"?: …}},
//! "root_module": …}}`. Terraform 1.1 wrote no types. An empty state has nothing but the
//! `format_version` (observed with Terraform 1.11).

use crate::outputs::document::Document;
use crate::outputs::formats::marked_outputs::{MarkedFormat, MarkedOutputs, Root, TerraformTypes};
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::{FormatSample, marked};
use crate::outputs::formats::{AsManifest, Publication};
use crate::outputs::value::Type;

pub(super) const TERRAFORM_SHOW: MarkedFormat = MarkedFormat {
    id: "terraform-show",
    as_manifest: AsManifest::Outputs,
    publication: Publication::OfState,
    outputs,
    #[cfg(feature = "toys")]
    sample: FormatSample::in_flow(
        "{\"format_version\": \"1.0\", \"values\": {\"outputs\": {",
        marked,
        "}, \"root_module\": \"hunter2\"}}",
    ),
};

/// The keys of an empty state. Other commands of Terraform write a `format_version` with
/// other keys.
const WITHOUT_VALUES: &[&str] = &["format_version", "terraform_version", "checks"];

fn outputs(document: &Document<'_>) -> Option<MarkedOutputs> {
    let root = Root::of(document)?;
    let is_plan = ["planned_values", "resource_changes"]
        .iter()
        .any(|key| root.member(key).is_some());
    let has_values = match root.member("values") {
        Some(values) => values.is_object(),
        None => root
            .0
            .iter()
            .all(|member| WITHOUT_VALUES.contains(&&*member.name)),
    };
    let has_version = root.member("format_version")?.value_type() == Type::String;
    (has_version && has_values && !is_plan).then_some(MarkedOutputs {
        path: &["values", "outputs"],
        types: &TerraformTypes,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_read, check_redacted, document};

    const STATE: &str = r#"{"format_version":"1.0","terraform_version":"1.11.4","values":{"outputs":{"id":{"sensitive":false,"value":["a"],"type":["set","string"]},"key":{"sensitive":true,"value":{"public":"hunter2"},"type":["object",{"public":"string"}]},"old":{"sensitive":false,"value":1}},"root_module":{"resources":[{"values":{"password":"hunter2"}}]}}}"#;

    #[test]
    fn reads_the_outputs_of_a_state() {
        for format in ["", "terraform-show"] {
            check_read(
                format,
                STATE,
                &[
                    "\"id\" = [\"a\"]",
                    "\"key\" = {\"public\":\"hunter2\"} (sensitive)",
                    "1:1 = 1",
                ],
            );
        }
    }

    #[test]
    fn a_state_may_be_empty() {
        for state in [
            r#"{"format_version":"1.0"}"#,
            r#"{"format_version":"1.0","terraform_version":"1.5.3","values":{"root_module":{}}}"#,
        ] {
            check_read("", state, &[]);
        }
    }

    #[test]
    fn redaction_keeps_only_outputs_that_are_not_sensitive() {
        check_redacted(
            &document("", STATE),
            Some((
                r#"{"format_version":"","terraform_version":"","values":{"outputs":{"id":{"sensitive":false,"value":["a"],"type":["set","string"]},"key":{"sensitive":true,"value":{"public": "(sensitive)"},"type":"dynamic"},"old":{"sensitive":false,"value":1}},"root_module":{}}}"#,
                &["key"],
            )),
        );
    }
}
