//! landfall binds infrastructure outputs into Kubernetes manifests: source
//! manifests and outputs documents in, edits and a report out. Pure: no file,
//! clock, variable or network is ever touched.

#![forbid(unsafe_code)]

mod binding;
mod complete;
mod contract;
mod manifest;
mod outputs;
mod reference;
mod report;

pub use binding::Sources;
pub use complete::{Completion, CompletionKind, complete};
pub use contract::{
    Announcement, Answer, BuiltInCeiling, Ceiling, Config, Content, Detail, File, Folder,
    KnownName, Location, Need, OutputsDocument, Parameter, ParameterValue, Plan, Processed,
    Request, ValueKind, discover, krm_needs, needs, process,
};
pub use report::{
    Counts, Diagnostic, Diagnostics, Fix, Label, Origin, ResourceRef, Rule, Severity, Substitution,
    SubstitutionsReport, UnusedOutput,
};
pub use yaml::{Edit, Span, SpliceError, splice};
