//! What a change of outputs does to manifests: two renderings of the same sources, compared by the
//! reference whose value changes.
//!
//! Values are compared by their bytes in the rendered files. What is shown of them is their text in
//! the module's report, which omits the values of sensitive outputs.

#![forbid(unsafe_code)]

mod compare;
mod marks;
mod regions;
mod scalars;

use std::ops::Range;

pub use compare::Comparison;
pub use marks::{OnlyHere, SensitiveMarks};

/// The value of a sensitive output in reports.
pub const SENSITIVE: &str = "(sensitive)";

/// One reference with its result in one rendering, as the module reports it.
#[derive(Clone, Debug)]
pub struct Reference<'r> {
    /// The position of its file in the sources.
    pub file: usize,
    /// Its bytes in that file.
    pub span: Range<usize>,
    /// The bytes of its value in the rendered file. None if the report has none.
    pub result: Option<Range<usize>>,
    /// The reference as written, on one line.
    pub text: &'r str,
    /// The name of the output: `infra.vpc_id`.
    pub output: &'r str,
    /// The type of the value, in Terraform's terms; `unknown` before an apply.
    pub value_type: &'r str,
    /// The value as text or as JSON; [`SENSITIVE`] for a sensitive output.
    pub value: &'r str,
    /// Whether the output is sensitive in this rendering.
    pub is_sensitive: bool,
    /// Whether it is not replaced, because a value is unknown.
    pub is_unwritten: bool,
    /// The resource that contains it.
    pub resource: Option<Resource<'r>>,
    /// The path of the field in that resource.
    pub field: &'r str,
}

/// A Kubernetes resource. Strings are empty if the manifest does not have the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource<'r> {
    /// `apps/v1`
    pub api_version: &'r str,
    /// `Deployment`
    pub kind: &'r str,
    /// `metadata.name`
    pub name: &'r str,
    /// `metadata.namespace`
    pub namespace: &'r str,
}

/// One rendering of a file.
#[derive(Clone, Debug)]
pub struct Rendering {
    /// The rendered file.
    pub text: Vec<u8>,
    /// The edits of its source, in ascending order and disjoint.
    pub edits: Vec<Edit>,
}

/// A replacement in a source.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The replaced bytes of the source.
    pub source: Range<usize>,
    /// The number of bytes that replace them.
    pub length: usize,
}

/// A reference whose value changes.
#[derive(Clone, Debug)]
pub struct Change<'r> {
    /// The position of its file in the sources.
    pub file: usize,
    /// The reference's bytes in that file.
    pub span: Range<usize>,
    /// The resource that contains it.
    pub resource: Option<Resource<'r>>,
    /// The path of the field in that resource.
    pub field: &'r str,
    /// The name of the output: `infra.vpc_id`.
    pub output: &'r str,
    /// The reference as written, on one line.
    pub text: &'r str,
    /// Whether the output is, or may be, sensitive in the old or in the new outputs.
    pub is_sensitive: bool,
    /// The old value. None if the reference was not replaced.
    pub from: Option<Value<'r>>,
    /// The new value. None if the reference is not replaced.
    pub to: Option<Value<'r>>,
}

/// The value of a reference in one rendering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value<'r> {
    /// The type of the value, in Terraform's terms; `unknown` before an apply.
    pub value_type: &'r str,
    /// The value as text or as JSON; [`SENSITIVE`] for a sensitive output.
    pub value: &'r str,
    /// The rendered text, if the same value is rendered differently.
    pub rendered: Option<String>,
}

/// Rendered text that changes without the change of a value in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherChange {
    /// The position of its file in the sources.
    pub file: usize,
    /// The byte of the source at which it starts.
    pub at: usize,
    /// The old text. None if it may be secret.
    pub from: Option<String>,
    /// The new text. None if it may be secret.
    pub to: Option<String>,
}

/// A span of a report is outside of its file, or missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenReport;
