//! Substitutions and unused outputs.

use serde::Serialize;

use landfall::{Origin, Span};

use super::diagnostic::Resource;
use super::ranges::RangeConverter;
use crate::positions::Range;

/// One reference that was replaced by a value.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Substitution {
    /// Index into `manifests`.
    file: usize,
    /// The reference in the source; for setter comments and field bindings, the value that
    /// is set.
    source: Range,
    /// The value in the rendered file.
    result: Range,
    /// The reference as written, on one line.
    reference: String,
    /// The name of the output: `infra.vpc_id`.
    output: String,
    /// Index into `outputs`. Absent if the output is missing and a default was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    document: Option<usize>,
    /// The location of the output's name in that document.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    definition: Option<Range>,
    /// The type of the value in Terraform's terms: `string`, `number`, `bool`, `list`,
    /// `object`, `null`.
    #[serde(rename = "type")]
    value_type: &'static str,
    /// The value as text or as JSON; `(sensitive)` for a sensitive output.
    value: String,
    /// Whether the output is sensitive.
    sensitive: bool,
    /// Whether each `$` of the value was doubled, because `$` is expanded downstream in this
    /// field.
    dollars_doubled: bool,
    /// The resource that contains the reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    resource: Option<Resource>,
    /// The path of the field in that resource.
    field: String,
}

/// A bound output that nothing uses.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnusedOutput {
    /// The name of the output: `infra.zone_id`.
    output: String,
    /// Index into `outputs`.
    document: usize,
    /// The location of the output's name in that document.
    definition: Range,
}

impl Substitution {
    pub(super) fn new(
        found: landfall::Substitution,
        result: Range,
        ranges: &mut RangeConverter<'_>,
    ) -> Self {
        let definition = found.document.zip(found.output_span);
        Self {
            file: found.file,
            source: ranges.range(Origin::Manifest(found.file), found.span()),
            result,
            reference: found.reference,
            output: found.output,
            document: found.document,
            definition: definition.map(|(document, (start, end))| {
                ranges.range(Origin::Outputs(document), Span::new(start, end))
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
    pub(super) fn new(found: landfall::UnusedOutput, ranges: &mut RangeConverter<'_>) -> Self {
        let (start, end) = found.output_span;
        Self {
            document: found.document,
            definition: ranges.range(Origin::Outputs(found.document), Span::new(start, end)),
            output: found.output,
        }
    }
}
