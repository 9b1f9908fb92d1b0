//! The records of the world. `wit/config-management.wit` documents every one of
//! them and every field.

pub use crate::bindings::exports::landfall::config_management::krm_function::Processed;
pub use crate::bindings::exports::landfall::config_management::types::{
    Announcement, Answer, Config, Content, Detail, Diagnostic, Edit, File, Label, Location, Mend,
    Need, Origin, OutputsDocument, Parameter, ParameterValue, Plan, Request, ResourceRef, Severity,
    Span, ValueKind,
};
