//! What the command asks the module, and the answer to a render.

use std::path::{Component, Path};

use landfall_sandbox::types::{
    Ceiling, Config, Configuration, Content, File, Findings, Inputs, OutputsDocument, Parameter,
};

use crate::splice::Spliced;

use super::Halted;

/// Returns the configuration of an application without flags.
pub(crate) const fn configuration(binding: Option<Config>, ceiling: Ceiling) -> Configuration {
    Configuration {
        binding,
        ceiling,
        policy: None,
        bound_otherwise: Vec::new(),
    }
}

/// Everything that a render of an application depends on besides its files.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) configuration: Configuration,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) inputs: Inputs,
}

#[cfg(test)]
impl Request {
    /// Returns a request without a Binding, documents and parameters.
    pub(crate) const fn new(ceiling: Ceiling) -> Self {
        Self {
            configuration: configuration(None, ceiling),
            parameters: Vec::new(),
            inputs: Inputs {
                documents: Vec::new(),
                known_names: Vec::new(),
                resources_only: false,
                keep_references: false,
                detail: landfall_sandbox::types::Detail::Diagnostics,
                answer_limit: None,
            },
        }
    }
}

/// Outputs documents of an application, and a contract that replaces that of its Binding.
#[derive(Clone, Debug)]
pub(crate) struct OutputsInputs {
    pub(crate) configuration: Configuration,
    pub(crate) documents: Vec<OutputsDocument>,
    pub(crate) contract: Option<Config>,
}

/// The answer to a render, with what other tools have built from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// One for each source, in their order.
    pub(crate) sources: Vec<Content>,
    /// Manifests that a tool has built: their paths below an output folder, and their content.
    pub(crate) built: Vec<File>,
    /// Warnings and notes.
    pub(crate) findings: Findings,
    /// The substitutions report if it was requested: JSON.
    pub(crate) substitutions: Option<Vec<u8>>,
}

impl Answer {
    /// Checks the answer to a render of these files against the contract.
    ///
    /// # Errors
    /// It has invalid edits, the wrong number of files, or built files with paths that are not
    /// relative or contain `..`.
    pub(crate) fn check(&self, files: &[File]) -> Result<(), Halted> {
        let has_all = files.len() == self.sources.len();
        let is_safe = |path: &str| {
            let mut parts = Path::new(path).components();
            !path.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
        };
        let mut contents = std::iter::zip(files, &self.sources);
        let is_valid = has_all
            && self.built.iter().all(|file| is_safe(&file.path))
            && contents.all(|(file, content)| Spliced::new(&file.content, content).is_ok());
        if is_valid {
            Ok(())
        } else {
            Err(Halted::BrokenAnswer)
        }
    }
}
