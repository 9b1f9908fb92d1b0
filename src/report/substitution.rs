//! The substitutions report: which value replaced which reference.

use crate::report::ResourceRef;
use yaml::Span;

/// The version of [`SubstitutionsReport`]'s JSON form.
pub(crate) const API_VERSION: &str = "landfall.dev/report/v1alpha1";

/// One reference replaced by one value at one location.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Substitution {
    /// Position of the source file in the request.
    pub file: usize,
    /// The reference's bytes in that source file.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// The value's bytes in the rendered file, with the quotes that were added for it. If
    /// the value cannot be distinguished, such as in base64, the bytes of all that was
    /// written.
    pub result_span: (usize, usize),
    /// The reference as it was written, on one line.
    pub reference: String,
    /// The output that it names: `infra.vpc_id`.
    pub output: String,
    /// Position of the outputs document in the request; `None` if a default replaced a
    /// missing output.
    pub document: Option<usize>,
    /// The bytes of the output's name in that document.
    pub output_span: Option<(usize, usize)>,
    /// The value's type in Terraform's terms: `string`, `number`, `bool`,
    /// `list`, `object`, `null`; `unknown` if it isn't known before an apply.
    #[serde(rename = "type")]
    pub value_type: &'static str,
    /// The value as text or as JSON; `(sensitive)` for a sensitive output.
    pub value: String,
    /// Whether the output is sensitive.
    pub sensitive: bool,
    /// Whether the reference is not replaced, because its value or that of another one in
    /// the same scalar is unknown. `result_span` means nothing then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unwritten: bool,
    /// The resource that the reference belongs to.
    pub resource: Option<ResourceRef>,
    /// The path of the field in that resource.
    pub field: String,
    /// Whether each `$` of the value was doubled, because a consumer expands them in this
    /// field and so gets the value itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dollars_doubled: bool,
}

impl Substitution {
    /// Returns the reference's bytes in its source file.
    #[must_use]
    pub const fn span(&self) -> Span {
        Span::new(self.start, self.end)
    }

    /// Shifts the result: `written` bytes are added before it, and `gone` bytes removed.
    pub(crate) fn shift_result(&mut self, inserted: usize, removed: usize) {
        for at in [&mut self.result_span.0, &mut self.result_span.1] {
            *at = (*at + inserted).saturating_sub(removed);
        }
    }

    /// Returns the value's bytes in the rendered file.
    #[must_use]
    pub const fn result(&self) -> Span {
        Span::new(self.result_span.0, self.result_span.1)
    }
}

/// Every substitution of one render, in the order of the sources.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubstitutionsReport {
    /// The version of this format: `landfall.dev/report/v1alpha1`.
    pub api_version: &'static str,
    /// In the order of files, then of locations.
    pub substitutions: Vec<Substitution>,
    /// Bound outputs that no reference named, sorted by name.
    pub unused: Vec<UnusedOutput>,
}

/// A bound output that no reference named.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnusedOutput {
    /// `infra.zone_id`
    pub output: String,
    /// Position of the outputs document in the request.
    pub document: usize,
    /// The bytes of the output's name in that document.
    pub output_span: (usize, usize),
}
