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
    Completion, CompletionKind, Definition, Hover, HoverKind, NamedAt, Rename, Subject, complete,
    definition, hover,
};
pub use config::{BuiltInCeiling, Ceiling, ChartOptions, Config, KnownName, Location, Need, Tool};
pub use contract::{
    Adoption, AdoptionOutcome, Announcement, Answer, Application, Classification, Configuration,
    Content, Detail, Expanded, ExpandedApplication, Exported, File, Folder, HardCodedValue,
    Migration, MigrationEdit, OtherDialect, OutputSummary, OutputsInputs, OutputsSummary,
    Parameter, ParameterValue, Plan, Processed, RenderedPart, Request, ResourceDocument,
    SchemaFile, Sensitivity, Sources, StandInBuild, ValueKind, check_outputs, check_schemas,
    classify, expand, export_outputs, has_clusters, krm_needs, outputs_contract, process,
    read_outputs, redact, report_unused, restore_sensitive, sample_outputs,
};
pub use functions::StandIn;
pub use outputs::{DocumentFormat, OutputsDocument, Redaction};
#[cfg(feature = "toys")]
pub use outputs::{FormatSample, format_samples};
#[cfg(feature = "toys")]
pub use reference::{DialectTokens, dialect_tokens};
pub use report::{
    Counts, Diagnostic, Diagnostics, Fix, Label, Origin, ResourceRef, Rule, Severity, Substitution,
    SubstitutionsReport, Topic, UnusedOutput,
};
pub use steps::RenderStep;
#[cfg(feature = "steps")]
pub use steps::observe;
pub use yaml::{Edit, Span, SpliceError, splice};
