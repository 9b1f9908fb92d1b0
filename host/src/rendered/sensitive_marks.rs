//! Asks the module which outputs are sensitive.

use landfall_comparison::SensitiveMarks;
use landfall_sandbox::types::{Configuration, OutputsDocument, ReadOutputs};

use crate::engine::{Halted, Plugin, has_errors};

/// Returns which outputs in `documents` are sensitive, according to the documents and the Binding.
///
/// # Errors
/// The module was stopped.
pub(super) fn sensitive_marks(
    documents: &[OutputsDocument],
    is_incomplete: bool,
    configuration: &Configuration,
    plugin: &mut Plugin,
) -> Result<SensitiveMarks, Halted> {
    let read = plugin.read_outputs(documents, configuration)?;
    if has_errors(&read.findings.diagnostics) {
        return Ok(SensitiveMarks::UNKNOWN);
    }
    let outputs = read.outputs.into_iter();
    let marks = outputs.map(|read| (read.name, read.output, read.sensitive.is_some()));
    Ok(SensitiveMarks::new(marks, is_incomplete))
}

/// Returns whether any output of `documents` may be sensitive. `trusts_unmarked`: whether
/// those of a format without marks are not.
///
/// # Errors
/// The module was stopped.
pub(crate) fn may_have_sensitive_outputs(
    documents: &[OutputsDocument],
    trusts_unmarked: bool,
    configuration: &Configuration,
    plugin: &mut Plugin,
) -> Result<bool, Halted> {
    let read = plugin.read_outputs(documents, configuration)?;
    let is_unmarked = !trusts_unmarked && !read.formats.iter().all(|it| it.marks_sensitive);
    Ok(is_unmarked || may_be_marked(&read))
}

/// Returns whether an output is known to be sensitive, or may be one that cannot be read.
pub(crate) fn may_be_marked(read: &ReadOutputs) -> bool {
    let mut outputs = read.outputs.iter();
    outputs.any(|it| it.sensitive.is_some()) || has_errors(&read.findings.diagnostics)
}
