//! The records of the interface `outputs`.

use wasmtime::component::{ComponentType, Lift, Lower};

use crate::types::{Ceiling, Config, Findings, OutputsDocument};

/// Outputs documents, and what applies to them: `outputs.inputs` in `wit/`.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lift, Lower)]
#[component(record)]
pub struct Inputs {
    /// The outputs documents.
    pub documents: Vec<OutputsDocument>,
    /// The Binding.
    pub binding: Option<Config>,
    /// An OutputsContract, which replaces the contract of the Binding.
    pub contract: Option<Config>,
    /// The loosest policies that are allowed.
    pub ceiling: Ceiling,
    /// Policies set by flags.
    pub policy: Option<Config>,
}

/// What an export writes: `outputs.exported` in `wit/`.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lift, Lower)]
#[component(record)]
pub struct Exported {
    /// The text.
    pub content: Vec<u8>,
    /// Warnings and notes.
    pub findings: Findings,
}
