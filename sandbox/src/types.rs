//! The types of the world. `wit/config-management.wit` documents all types and fields.

use crate::bindings::exports::landfall::config_management as interfaces;

pub use interfaces::adoption::{HardCodedValue, Outcome as AdoptionOutcome, Proposal};
pub use interfaces::application_sets::{Application as ExpandedApplication, Expanded};
pub use interfaces::assist::{
    BoundName, BoundOutput, CalledFunction, Completion, CompletionKind, Explanation, Meaning,
    NameDefinition, Position, Renamed, Subject,
};
pub use interfaces::exports::Exported;
pub use interfaces::krm_function::Processed;
pub use interfaces::migration::{Change, Migrated};
pub use interfaces::outputs::{DocumentFormat, ReadOutput, ReadOutputs, Sensitivity};
pub use interfaces::parts::RenderedPart;
pub use interfaces::rendering::{
    Announcement, Answer, ChartOptions, Configuration, Content, Detail, Folder, Inputs, KnownName,
    Location, NamedFile, Need, Plan, SchemaFile, Tool, ValueKind,
};
pub use interfaces::resource_outputs::ResourceDocument;
pub use interfaces::stand_ins::{StandIn, StandInBuild};
pub use interfaces::types::{
    BuiltInCeiling, Ceiling, Config, Counts, Diagnostic, Edit, EditList, File, Findings, Fix,
    Label, Origin, OutputsDocument, Parameter, ParameterValue, ResourceRef, Severity, Span, Topic,
};

impl Default for Counts {
    /// Returns zero for every severity.
    fn default() -> Self {
        Self {
            errors: 0,
            warnings: 0,
            notes: 0,
        }
    }
}

impl Default for Findings {
    /// Returns no findings.
    fn default() -> Self {
        Self {
            diagnostics: Vec::new(),
            omitted: Counts::default(),
            has_unbound_names: false,
            readable_secrets: Vec::new(),
        }
    }
}
