//! The entry points: what hosts pass and get back. Each contract with hosts that render is
//! only a translation around [`Sources::generate`]; `outputs` answers questions about
//! outputs documents alone.

mod adopt;
mod application;
mod built;
mod built_types;
mod classification;
mod expand;
mod folder;
mod hard_coded;
mod krm;
mod members;
mod migrate;
mod outputs;
mod parameters;
mod redaction;
mod request;
mod resource_outputs;
mod schemas;
mod sources;
mod stand_ins;
mod unrendered;
mod values;

pub use adopt::{Adoption, AdoptionOutcome, HardCodedValue};
pub use application::{Application, Configuration, Plan};
pub use classification::{Classification, OtherDialect, classify};
pub use expand::{Expanded, ExpandedApplication, expand, has_clusters};
pub use folder::Folder;
pub use krm::{Processed, krm_needs, process};
pub use migrate::{Migration, MigrationEdit};
pub use outputs::{
    Exported, OutputSummary, OutputsInputs, OutputsSummary, Sensitivity, check_outputs,
    export_outputs, outputs_contract, read_outputs, sample_outputs,
};
pub use redaction::redact;
pub(crate) use request::DEFAULT_ANSWER_LIMIT;
pub use request::{
    Announcement, Answer, Content, Detail, File, Parameter, ParameterValue, Request, ValueKind,
};
pub use resource_outputs::ResourceDocument;
pub use schemas::{SchemaFile, check_schemas};
pub(crate) use sources::not_utf8;
pub use sources::{RenderedPart, Sources, report_unused};
pub use stand_ins::{StandInBuild, restore_sensitive};
