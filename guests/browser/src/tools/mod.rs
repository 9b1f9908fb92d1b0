//! Operations that are run on demand: `landfall/tools`. They are in a module of their own, so that
//! the one that a page loads first stays small.

mod adoption;
mod comparison;
mod documents;
mod migration;

#[cfg(test)]
pub(crate) use adoption::{Adopted, HardCoded, Outcome};
#[cfg(test)]
pub(crate) use comparison::{Change, Compared, OtherChange, Renders, Value};
#[cfg(test)]
pub(crate) use documents::{Applications, GeneratedApplication, Sample, Samples, Text};
#[cfg(test)]
pub(crate) use migration::{Migrated, Rewritten};

use wasm_bindgen::prelude::wasm_bindgen;

use landfall::Detail;

use crate::input::{Call, Documents};
use crate::written;

/// What a tool does with the documents of a call.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug)]
pub enum Tool {
    /// Finds hard-coded values that equal outputs.
    Adopt,
    /// Rewrites the references of another dialect.
    Migrate,
    /// Makes the Applications of the ApplicationSets among the manifests, for the cluster Secrets
    /// that are passed as outputs documents, or else for those among the manifests.
    Expand,
    /// Writes the contract that the outputs satisfy.
    Contract,
    /// Makes outputs documents that satisfy the contract in the first manifest.
    Sample,
    /// Compares the result with that of other outputs.
    Compare,
}

#[wasm_bindgen]
impl Call {
    /// Returns the answer of a tool as JSON, like `answer`. `dialect` is what `Migrate` reads,
    /// `before` has the outputs documents with which `Compare` compares.
    #[must_use]
    pub fn run(self, tool: Tool, dialect: &str, before: Option<Self>) -> String {
        let detail = match tool {
            Tool::Compare => Detail::Substitutions,
            _ => Detail::Diagnostics,
        };
        let documents = Documents::new(self, detail);
        match tool {
            Tool::Adopt => written(&Ok(adoption::adopt(&documents))),
            Tool::Migrate => written(&Ok(migration::migrate(&documents, dialect))),
            Tool::Expand => written(&Ok(documents::expand(documents))),
            Tool::Contract => written(&Ok(documents::contract(&documents))),
            Tool::Sample => written(&Ok(documents::sample(&documents))),
            Tool::Compare => {
                let before = Documents::new(before.unwrap_or_default(), detail);
                written(&comparison::compare(&before, &documents))
            }
        }
    }
}
