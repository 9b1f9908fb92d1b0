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
