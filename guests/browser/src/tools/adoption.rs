//! Hard-coded values that equal outputs.

use serde::Serialize;

use landfall::{AdoptionOutcome, Origin};

use crate::answer::{Counts, Diagnostic, Edit, Findings, RangeConverter};
use crate::input::Documents;
use crate::positions::Range;

/// The hard-coded values of manifests that equal outputs.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Adopted {
    /// The edits of each manifest that write references in their place. The edited manifests
    /// render to the same bytes. Absent if there are errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    edits: Option<Vec<Vec<Edit>>>,
    /// In the order of the manifests.
    values: Vec<HardCoded>,
    /// The errors with the manifests as they are.
    diagnostics: Vec<Diagnostic>,
    /// The number of other errors.
    omitted: Counts,
}

/// A hard-coded value that equals an output.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct HardCoded {
    /// Index into `manifests`.
    file: usize,
    /// The value; only the start of its line if it equals a sensitive output and is not replaced.
    range: Range,
    /// The first 16 outputs that it equals or, if they are sensitive, contains: `infra.vpc_id`.
    outputs: Vec<String>,
    /// What is done about it.
    outcome: Outcome,
    /// Whether its line must not be shown.
    conceal: bool,
}

/// What is done about a hard-coded value: `adopted`, a reference replaces it; `ambiguous`, several
/// outputs have it; `sensitive`, it contains a sensitive value outside of `stringData`;
/// `notAdoptable`, the bytes would differ; `unquoted`, in a flow collection; `otherTool`, another
/// tool reads the file.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "AdoptionOutcome"))]
#[serde(rename_all = "camelCase")]
pub(crate) enum Outcome {
    Adopted,
    Ambiguous,
    Sensitive,
    NotAdoptable,
    Unquoted,
    OtherTool,
}

/// Finds hard-coded values that equal outputs.
pub(super) fn adopt(documents: &Documents) -> Adopted {
    let mut ranges = RangeConverter::new(documents);
    let adoption = match documents.sources.adopt(&documents.request) {
        Ok(adoption) => adoption,
        Err(found) => {
            let Findings {
                diagnostics,
                omitted,
            } = Findings::new(found, &mut ranges);
            return Adopted {
                diagnostics,
                omitted,
                ..Adopted::default()
            };
        }
    };
    let edits = adoption.edits.into_iter().enumerate();
    let edits = edits.map(|(file, edits)| ranges.edits(Origin::Manifest(file), edits));
    let edits = edits.collect();
    let values = adoption.values.into_iter().map(|value| HardCoded {
        file: value.file,
        range: ranges.range(Origin::Manifest(value.file), value.span),
        outputs: value.outputs,
        outcome: value.outcome.into(),
        conceal: value.conceal,
    });
    Adopted {
        edits: Some(edits),
        values: values.collect(),
        ..Adopted::default()
    }
}

impl From<AdoptionOutcome> for Outcome {
    fn from(outcome: AdoptionOutcome) -> Self {
        match outcome {
            AdoptionOutcome::Adopted => Self::Adopted,
            AdoptionOutcome::Ambiguous => Self::Ambiguous,
            AdoptionOutcome::Sensitive => Self::Sensitive,
            AdoptionOutcome::NotAdoptable => Self::NotAdoptable,
            AdoptionOutcome::Unquoted => Self::Unquoted,
            AdoptionOutcome::OtherTool => Self::OtherTool,
        }
    }
}
