//! Turns the paths on the command line into requests, and requests into answers. An
//! application is a folder with a Binding, or a list of files, together with all other
//! inputs of its render.

mod bound_outputs;
mod digest;
mod discovery;
mod flag_hints;
mod flag_inputs;
mod fleet;
mod helm;
mod job;
mod kustomize;
mod links;
mod load;
mod manifest_files;
mod migrate;
mod mounted;
mod near_binding;
mod other_bindings;
mod output_folder;
mod outputs_inputs;
mod own_inputs;
mod parts;
mod paths;
mod problem;
mod refresh_paths;
mod remote;
mod renamed_outputs;
mod render;
mod repeated_resources;
mod required_outputs;
mod rule;
mod schemas;
mod secrets_in_git;
mod sensitive_files;
mod sensitive_marks;
mod threads;
mod tool;
mod twice;
mod unlistable;
mod unrendered;

use std::path::PathBuf;

use landfall_sandbox::types::{Configuration, File, OutputsDocument};

use crate::draw::{Document, Documents};
use crate::engine::Request;
use crate::files::FileId;

pub(crate) use digest::{DigestError, ExpectedDigest, PARAMETER as DIGEST_PARAMETER, digest};
pub(crate) use discovery::{BINDINGS, Search, has_binding, own_binding};
pub(crate) use flag_inputs::FlagInputs;
pub(crate) use fleet::{
    Cluster, RenderedFleet, find_clusters, has_wildcards, name_parameter, render_fleet, thousands,
};
pub(crate) use job::{ApplicationFolder, Group, Job, Part, RootChoice};
pub(crate) use manifest_files::read_manifest_files;
pub(crate) use migrate::{Migration, migrate_all};
pub(crate) use mounted::{MountedFolders, NotMounted};
pub(crate) use near_binding::NearTo;
pub(crate) use other_bindings::{names_under, retain_relevant};
pub(crate) use outputs_inputs::{
    OwnBinding, apply_own_binding, contract_documents, load_outputs, outputs_documents,
    read_config_file, read_contract, stdout_is_outputs,
};
pub(crate) use paths::display as display_path;
pub(crate) use problem::{Problem, diagnostics as problem_diagnostics, finding};
pub(crate) use refresh_paths::{ANNOTATION, refresh_paths};
pub(crate) use renamed_outputs::RequiredFiles;
pub(crate) use render::{Rendered, SourceFile, render_all};
pub(crate) use required_outputs::open_required;
pub(crate) use rule::HostRule;
pub(crate) use secrets_in_git::{Repository, secrets_in_git};
pub(crate) use sensitive_files::may_be_secret;
pub(crate) use sensitive_marks::may_be_marked;
pub(crate) use tool::Tool;
pub(crate) use twice::{RenderedTwice, Side, render_twice};
pub(crate) use unrendered::report_unrendered;

/// A request with its source files. The lists have one entry per file.
#[derive(Debug)]
pub(crate) struct Application {
    pub(crate) files: Vec<File>,
    /// Paths in diagnostics.
    pub(crate) display_paths: Vec<String>,
    /// Paths below an output folder. None: the file is rendered as part of its
    /// application, but not written.
    pub(crate) targets: Vec<Option<String>>,
    /// Canonical paths. Empty unless the files are rendered in place.
    pub(crate) real_paths: Vec<PathBuf>,
    /// Identities. None for standard input, and where other paths cannot lead to the
    /// same file.
    pub(crate) file_ids: Vec<Option<FileId>>,
    /// How another tool builds the manifests. None: each file is a manifest.
    pub(crate) built_by: Option<BuiltBy>,
    pub(crate) request: Request,
}

/// A tool with what it builds from.
#[derive(Debug)]
pub(crate) enum BuiltBy {
    Kustomize(Box<kustomize::Kustomization>),
    Helm(Box<helm::Chart>),
}

impl Application {
    /// Returns everything that may name an output: the files, and the Binding.
    fn texts(&self) -> Vec<&[u8]> {
        let files = self.files.iter().map(|file| &*file.content);
        let binding = self.request.configuration.binding.iter();
        files
            .chain(binding.map(|binding| &*binding.content))
            .collect()
    }

    /// Returns the sources that the module renders first.
    fn sources(&self) -> &[File] {
        match &self.built_by {
            Some(BuiltBy::Kustomize(kustomization)) => kustomization.sources(),
            Some(BuiltBy::Helm(chart)) => chart.sources(&self.files),
            None => &self.files,
        }
    }

    /// Returns the documents that spans in diagnostics of this request point into.
    pub(crate) fn documents(&self) -> Documents<'_> {
        self.documents_with(&self.request.inputs.documents)
    }

    /// Returns the documents that spans in diagnostics point into when `outputs` are the
    /// outputs documents of the request.
    pub(crate) fn documents_with<'a>(&'a self, outputs: &'a [OutputsDocument]) -> Documents<'a> {
        let Configuration {
            binding,
            ceiling,
            policy,
            ..
        } = &self.request.configuration;
        Documents {
            manifests: std::iter::zip(&self.files, &self.display_paths)
                .map(|(file, path)| Document {
                    path,
                    content: &file.content,
                })
                .collect(),
            outputs: outputs.iter().map(Document::from).collect(),
            binding: binding.as_ref().map(Document::from),
            operator_policy: ceiling.operator_policy.as_ref().map(Document::from),
            policy: policy.as_ref().map(Document::from),
            contract: None,
        }
    }
}
