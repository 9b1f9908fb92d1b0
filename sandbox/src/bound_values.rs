//! The records of the interface `bound-values`.

use wasmtime::component::{ComponentType, Lift};

use crate::types::OutputsDocument;

/// An outputs document that is not a file: `bound-values.bound-document` in `wit/`.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lift)]
#[component(record)]
pub struct BoundDocument {
    /// The document.
    pub document: OutputsDocument,
    /// Its first byte in the Binding.
    pub start: u32,
    /// One past its last byte in the Binding.
    pub end: u32,
}
