//! What is in a file.

use serde::Serialize;

use crate::answer::diagnostic::Resource;
use crate::input::Documents;

/// What is in a file.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Classified {
    /// Whether it is an outputs document, a state or a plan, and not a manifest.
    pub(crate) is_outputs: bool,
    /// The resources with secrets in plain text: Secrets whose data is not only references,
    /// and Bindings that declare outputs sensitive and have values `inline`. Their fields are
    /// empty for a document that may be one of them and is not YAML.
    pub(crate) secrets: Vec<Resource>,
    /// What would be a reference in another dialect than landfall's own, the first of each.
    pub(crate) other_dialects: Vec<OtherDialect>,
}

/// A text that would be a reference in another dialect, and may be meant as one.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct OtherDialect {
    /// The dialect's id, as in `spec.dialect`.
    pub(crate) dialect: String,
    /// At most 80 characters: `${vpc_id}`.
    pub(crate) reference: String,
}

/// Classifies the manifests.
pub(crate) fn classify(documents: &Documents) -> Vec<Classified> {
    let mut classified = Vec::new();
    for file in documents.manifests() {
        let found = landfall::classify(file);
        classified.push(Classified {
            is_outputs: found.is_outputs,
            secrets: found.secrets.into_iter().map(Resource::from).collect(),
            other_dialects: (found.other_dialects.into_iter())
                .map(|found| OtherDialect {
                    dialect: found.dialect,
                    reference: found.reference,
                })
                .collect(),
        });
    }
    classified
}
