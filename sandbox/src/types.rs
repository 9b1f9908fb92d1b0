//! The types of the world. `wit/config-management.wit` documents all types and fields.

pub use crate::bindings::exports::landfall::config_management::krm_function::Processed;
pub use crate::bindings::exports::landfall::config_management::types::{
    Announcement, Answer, BuiltInCeiling, Ceiling, Config, Content, Counts, Detail, Diagnostic,
    Edit, EditList, File, Findings, Fix, Folder, KnownName, Label, Location, Need, Origin,
    OutputsDocument, Parameter, ParameterValue, Plan, Request, ResourceRef, Severity, Span,
    ValueKind,
};

pub use crate::adoption::{AdoptionOutcome, HardCodedValue, Proposal};
pub use crate::application_sets::{Application, Expanded};
pub use crate::bound_values::BoundDocument;
pub use crate::folders::{ChartOptions, SchemaFile, Tool, ValueFile};
pub use crate::migration::{Migrated, MigrationEdit};
pub use crate::outputs::{Exported, Inputs as OutputsInputs};
pub use crate::parts::{FilePart, RenderedPart};
pub use crate::stand_ins::{StandIn, StandInBuild};

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
