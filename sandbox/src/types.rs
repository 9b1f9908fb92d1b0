//! The types of the world. `wit/config-management.wit` documents all types and fields.

use crate::bindings::exports::landfall::config_management as interfaces;

pub use interfaces::adoption::{HardCodedValue, Outcome as AdoptionOutcome, Proposal};
pub use interfaces::application_sets::{Application, Expanded};
pub use interfaces::bound_values::BoundDocument;
pub use interfaces::folders::{ChartOptions, SchemaFile, Tool, ValueFile};
pub use interfaces::krm_function::Processed;
pub use interfaces::migration::{Change, Migrated};
pub use interfaces::outputs::{Exported, Inputs as OutputsInputs};
pub use interfaces::parts::RenderedPart;
pub use interfaces::stand_ins::{StandIn, StandInBuild};
pub use interfaces::types::{
    Announcement, Answer, BuiltInCeiling, Ceiling, Config, Content, Counts, Detail, Diagnostic,
    Edit, EditList, File, Findings, Fix, Folder, KnownName, Label, Location, Need, Origin,
    OutputsDocument, Parameter, ParameterValue, Plan, Request, ResourceRef, Severity, Span,
    ValueKind,
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
        }
    }
}
