//! What came from where.

use serde::Serialize;

use landfall::{Origin, Span};

use super::diagnostic::Resource;
use super::places::Places;
use crate::positions::Range;

/// One reference replaced by one value at one place.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Substitution {
    /// Position in `manifests`.
    file: usize,
    /// The reference in the source; for setter comments and field bindings the value
    /// that is set.
    source: Range,
    /// What stands for it in the rendered file.
    result: Range,
    /// The reference as it was written, on one line.
    reference: String,
    /// The output that it names: `infra.vpc_id`.
    output: String,
    /// Position in `outputs`; absent when a default answered for a missing output.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    document: Option<usize>,
    /// The output's name in that document.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    definition: Option<Range>,
    /// The value's type in Terraform's words: `string`, `number`, `bool`, `list`,
    /// `object`, `null`.
    #[serde(rename = "type")]
    value_type: &'static str,
    /// The value as text or as JSON; `(sensitive)` for a sensitive output.
    value: String,
    /// Whether the output is sensitive.
    sensitive: bool,
    /// Each `$` of the value is written twice, because somebody downstream expands
    /// them in this field: what arrives is the value.
    dollars_doubled: bool,
    /// The resource that the place belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    resource: Option<Resource>,
    /// The path of the field in that resource.
    field: String,
}

/// A bound output that no reference names.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnusedOutput {
    /// `infra.zone_id`
    output: String,
    /// Position in `outputs`.
    document: usize,
    /// Its name in that document.
    definition: Range,
}

impl Substitution {
    pub(super) fn new(
        found: landfall::Substitution,
        result: Range,
        places: &mut Places<'_>,
    ) -> Self {
        let definition = found.document.zip(found.output_span);
        Self {
            file: found.file,
            source: places.range(Origin::Manifest(found.file), found.span()),
            result,
            reference: found.reference,
            output: found.output,
            document: found.document,
            definition: definition.map(|(document, (start, end))| {
                places.range(Origin::Outputs(document), Span::new(start, end))
            }),
            value_type: found.value_type,
            value: found.value,
            sensitive: found.sensitive,
            dollars_doubled: found.dollars_doubled,
            resource: found.resource.map(Resource::from),
            field: found.field,
        }
    }
}

impl UnusedOutput {
    pub(super) fn new(found: landfall::UnusedOutput, places: &mut Places<'_>) -> Self {
        let (start, end) = found.output_span;
        Self {
            document: found.document,
            definition: places.range(Origin::Outputs(found.document), Span::new(start, end)),
            output: found.output,
        }
    }
}
