//! Tools that write documents: Applications, contracts and samples of outputs.

use serde::Serialize;

use landfall::{Config, Diagnostics, File, OutputsDocument, OutputsInputs};

use crate::answer::{Counts, Diagnostic, Findings, RangeConverter, text};
use crate::input::Documents;

/// The Applications of ApplicationSets.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Applications {
    /// In the order of the ApplicationSets and of their generators. Absent if there are errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    applications: Option<Vec<GeneratedApplication>>,
    /// Errors or warnings. The origin of a cluster's Secret is `outputs`: its position among the
    /// files with clusters.
    diagnostics: Vec<Diagnostic>,
    /// The number of other diagnostics.
    omitted: Counts,
}

/// An Application of an ApplicationSet.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct GeneratedApplication {
    /// `metadata.name`
    name: String,
    /// `metadata.namespace`, or an empty string.
    namespace: String,
    /// The name of its ApplicationSet.
    set: String,
    /// The manifest, a YAML document.
    content: String,
}

/// The contract that the outputs satisfy.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Contract"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Text {
    /// Absent if there are errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    content: Option<String>,
    /// The errors.
    diagnostics: Vec<Diagnostic>,
    /// The number of other errors.
    omitted: Counts,
}

/// Outputs documents with placeholder values.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Samples {
    /// One for each bound name of the contract. Absent if there are errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    documents: Option<Vec<Sample>>,
    /// The errors.
    diagnostics: Vec<Diagnostic>,
    /// The number of other errors.
    omitted: Counts,
}

/// An outputs document with placeholder values.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "SampleDocument"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Sample {
    /// The bound name.
    name: String,
    /// The document.
    content: String,
}

/// Returns the Applications of the ApplicationSets among the manifests. Without outputs documents,
/// the clusters are those among the manifests.
pub(super) fn expand(mut documents: Documents) -> Applications {
    let clusters: Vec<File> = if documents.request.outputs.is_empty() {
        let files = documents.manifests().iter();
        files
            .filter(|file| landfall::has_clusters(file))
            .cloned()
            .collect()
    } else {
        let outputs = documents.request.outputs.iter();
        let file = |document: &OutputsDocument| File {
            path: document.path.clone(),
            content: document.content.clone(),
        };
        outputs.map(file).collect()
    };
    let (applications, found) = match landfall::expand(documents.manifests(), &clusters) {
        Ok(expanded) => (Some(expanded.applications), expanded.diagnostics),
        Err(found) => (None, found),
    };
    let clusters = clusters.into_iter().map(|file| OutputsDocument {
        path: file.path,
        content: file.content,
        ..OutputsDocument::default()
    });
    documents.request.outputs = clusters.collect();
    let Findings {
        diagnostics,
        omitted,
    } = Findings::new(found, &mut RangeConverter::new(&documents));
    let generated = |application: landfall::ExpandedApplication| GeneratedApplication {
        name: application.name,
        namespace: application.namespace,
        set: application.set,
        content: text(application.content),
    };
    Applications {
        applications: applications.map(|all| all.into_iter().map(generated).collect()),
        diagnostics,
        omitted,
    }
}

/// Returns the contract that the outputs satisfy.
pub(super) fn contract(documents: &Documents) -> Text {
    let contract = landfall::outputs_contract(&OutputsInputs {
        documents: documents.request.outputs.clone(),
        application: documents.request.application.clone(),
        contract: None,
    });
    let (content, found) = match contract {
        Ok(content) => (Some(text(content)), Diagnostics::default()),
        Err(found) => (None, found),
    };
    let Findings {
        diagnostics,
        omitted,
    } = Findings::new(found, &mut RangeConverter::new(documents));
    Text {
        content,
        diagnostics,
        omitted,
    }
}

/// Returns outputs documents that satisfy the contract in the first manifest.
pub(super) fn sample(documents: &Documents) -> Samples {
    let contract = documents.manifests().first();
    let contract = contract.map_or_else(Config::default, |file| Config {
        path: file.path.clone(),
        content: file.content.clone(),
    });
    let (samples, found) = match landfall::sample_outputs(&contract) {
        Ok(samples) => (Some(samples), Diagnostics::default()),
        Err(found) => (None, found),
    };
    let Findings {
        diagnostics,
        omitted,
    } = Findings::new(found, &mut RangeConverter::new(documents));
    let sample = |document: OutputsDocument| Sample {
        name: document.name,
        content: text(document.content),
    };
    Samples {
        documents: samples.map(|samples| samples.into_iter().map(sample).collect()),
        diagnostics,
        omitted,
    }
}
