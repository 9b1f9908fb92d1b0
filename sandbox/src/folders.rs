//! The records of the interface `folders`.

use wasmtime::component::{ComponentType, Lift};

/// The tool that builds the manifests of a folder: `folders.tool` in `wit/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ComponentType, Lift)]
#[component(enum)]
#[repr(u8)]
pub enum Tool {
    /// No tool: the plain manifests are rendered.
    #[component(name = "none")]
    None,
    /// The host renders the files of the folder's kustomization, and builds it.
    #[component(name = "kustomize")]
    Kustomize,
    /// The host renders the values of the folder's chart, and templates it.
    #[component(name = "helm")]
    Helm,
}

/// A file with CustomResourceDefinitions: `folders.schema-file` in `wit/`.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lift)]
#[component(record)]
pub struct SchemaFile {
    /// Its path relative to the folder of the Binding.
    pub path: String,
    /// The first byte of its entry in the Binding.
    pub start: u32,
    /// One past the last byte of its entry in the Binding.
    pub end: u32,
}
