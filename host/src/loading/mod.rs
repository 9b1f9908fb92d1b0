//! Loads the files of a job: the manifests of its groups, their Bindings, and all outputs
//! documents. Folders that a tool builds are left to it.

mod bound_outputs;
mod digest;
mod flag_inputs;
mod folder_problems;
mod job;
mod links;
mod load;
mod manifest_files;
mod mounted;
mod mounted_problems;
mod output_folder;
mod outputs_inputs;
mod outputs_problems;
mod own_inputs;
mod renamed_outputs;
mod required_outputs;
mod resource_outputs;
mod schemas;
mod secrets_in_git;
mod unlistable;

pub(crate) use digest::{DigestError, ExpectedDigest, PARAMETER as DIGEST_PARAMETER, digest};
pub(crate) use flag_inputs::{FlagInputs, after_apply, display_name, may_be_unknown, read_input};
pub(crate) use job::Job;
pub(crate) use load::{Loaded, Loader, Stop, ToolFolder, empty};
pub(crate) use manifest_files::{is_blank, is_manifest, read_manifest_files};
pub(crate) use mounted::{MountedFolders, NotMounted};
pub(crate) use mounted_problems::{invalid_digest, unkeyed_digest};
pub(crate) use outputs_inputs::{
    OwnBinding, apply_own_binding, contract_documents, load_outputs, outputs_documents,
    read_config_file, read_contract, stdout_is_outputs,
};
pub(crate) use outputs_problems::{no_outputs, unread};
pub(crate) use own_inputs::OwnInputs;
pub(crate) use renamed_outputs::{NamedFile, RequiredFiles};
pub(crate) use required_outputs::{document, open_required};
pub(crate) use secrets_in_git::{Repository, secrets_in_git};
