//! The records of the interface `parts`.

use wasmtime::component::{ComponentType, Lift, Lower};

use crate::types::{Content, Diagnostic};

/// Some bytes of a source file: `types.file` in `wit/`, without a copy of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ComponentType, Lower)]
#[component(record)]
pub struct FilePart<'a> {
    /// The path of the file.
    pub path: &'a str,
    /// The bytes.
    pub content: &'a [u8],
}

/// The result of rendering a part: `parts.rendered-part` in `wit/`.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lift)]
#[component(record)]
pub struct RenderedPart {
    /// One for each file of the part.
    pub sources: Vec<Content>,
    /// Warnings and notes about everything except the sources.
    pub diagnostics: Vec<Diagnostic>,
    /// The numbers of the outputs that the part does not use, ascending.
    pub unused: Vec<u32>,
}
