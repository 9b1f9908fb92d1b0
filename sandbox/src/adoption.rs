//! The records of the interface `adoption`.

use wasmtime::component::{ComponentType, Lift};

use crate::types::EditList;

/// What is done about a hard-coded value: `adoption.outcome` in `wit/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ComponentType, Lift)]
#[component(enum)]
#[repr(u8)]
pub enum AdoptionOutcome {
    /// An edit replaces it by a reference.
    #[component(name = "adopted")]
    Adopted,
    /// Several outputs have this value.
    #[component(name = "ambiguous")]
    Ambiguous,
    /// It contains the value of a sensitive output, and is not a scalar in the `stringData`
    /// of a Secret.
    #[component(name = "sensitive")]
    Sensitive,
    /// Rendering a reference there would not give the same bytes.
    #[component(name = "not-adoptable")]
    NotAdoptable,
    /// It is not quoted, in a flow collection, where a reference would not be valid.
    #[component(name = "unquoted")]
    Unquoted,
    /// Its file is read by another tool, such as `kustomization.yaml`.
    #[component(name = "other-tool")]
    OtherTool,
}

/// A hard-coded value that equals an output: `adoption.hard-coded-value` in `wit/`.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lift)]
#[component(record)]
pub struct HardCodedValue {
    /// The index of its file.
    pub file: u32,
    /// Its first byte, or the start of its line.
    pub start: u32,
    /// One past its last byte, or the start of its line.
    pub end: u32,
    /// The outputs that it equals.
    pub outputs: Vec<String>,
    /// What is done about it.
    pub outcome: AdoptionOutcome,
    /// Whether its line must not be shown.
    pub conceal: bool,
}

/// Hard-coded values, and the edits that replace them: `adoption.proposal` in `wit/`.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lift)]
#[component(record)]
pub struct Proposal {
    /// The edits of each file, in their order.
    pub edits: Vec<EditList>,
    /// In the order of the files.
    pub values: Vec<HardCodedValue>,
}
