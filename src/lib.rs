//! landfall binds infrastructure outputs into Kubernetes manifests: it takes source
//! manifests and outputs documents, and returns edits and a report. It is pure: it accesses
//! no files, clock, environment variables or network.

#![forbid(unsafe_code)]

mod analysis;
mod assist;
mod bind;
mod collections;
mod config;
mod contract;
mod functions;
mod kubernetes;
mod outputs;
mod reference;
mod report;
mod steps;

pub use assist::{
    Completion, CompletionKind, Definition, Hover, HoverKind, complete, definition, hover,
};
pub use config::{BuiltInCeiling, Ceiling, ChartOptions, Config, KnownName, Location, Need};
pub use contract::{
    Adoption, AdoptionOutcome, Announcement, Answer, BoundDocument, Classification, Content,
    Detail, Expanded, ExpandedApplication, Exported, File, Folder, HardCodedValue, Migration,
    MigrationEdit, OutputsInputs, Parameter, ParameterValue, Plan, Processed, RenderedPart,
    Request, SchemaFile, Sources, StandInBuild, Tool, ValueKind, bound_names, bound_values,
    chart_options, check_outputs, classify, discover, expand, export_outputs, krm_needs,
    marks_sensitive, needs, outputs_contract, process, redact, report_unused, restore_sensitive,
    sample_outputs, schemas, tool,
};
pub use functions::StandIn;
pub use outputs::{OutputsDocument, Redaction};
pub use report::{
    Counts, Diagnostic, Diagnostics, Fix, Label, Origin, ResourceRef, Rule, Severity, Substitution,
    SubstitutionsReport, UnusedOutput,
};
pub use steps::Step;
#[cfg(feature = "steps")]
pub use steps::observe;
pub use yaml::{Edit, Span, SpliceError, splice};
