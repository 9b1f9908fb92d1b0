//! Turns the paths on the command line into requests, and requests into answers. An
//! application is a folder with a Binding, or a list of files, together with all other
//! inputs of its render.

mod bound_outputs;
mod charts;
mod digest;
mod discovery;
mod flag_hints;
mod flag_inputs;
mod fleet;
mod group;
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
mod rendered;
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

pub(crate) use digest::{DigestError, ExpectedDigest, PARAMETER as DIGEST_PARAMETER, digest};
pub(crate) use discovery::{BINDINGS, Search, has_binding, own_binding};
pub(crate) use flag_inputs::FlagInputs;
pub(crate) use fleet::{
    Cluster, RenderedFleet, find_clusters, has_wildcards, name_parameter, render_fleet, thousands,
};
pub(crate) use group::{ApplicationFolder, Group, Part, RootChoice};
pub(crate) use job::Job;
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
pub(crate) use render::render_all;
pub(crate) use rendered::{Application, Rendered, SourceFile};
pub(crate) use required_outputs::open_required;
pub(crate) use rule::HostRule;
pub(crate) use secrets_in_git::{Repository, secrets_in_git};
pub(crate) use sensitive_files::may_be_secret;
pub(crate) use sensitive_marks::may_be_marked;
pub(crate) use twice::{RenderedTwice, Side, render_twice};
pub(crate) use unrendered::report_unrendered;
