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

/// A values file of a chart: `folders.value-file` in `wit/`.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lift)]
#[component(record)]
pub struct ValueFile {
    /// Its path relative to the folder of the Binding.
    pub path: String,
    /// The first byte of its entry in the Binding.
    pub start: u32,
    /// One past the last byte of its entry in the Binding.
    pub end: u32,
}

/// How a chart is templated: `folders.chart-options` in `wit/`.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lift)]
#[component(record)]
pub struct ChartOptions {
    /// None: the name of the Argo CD Application.
    #[component(name = "release-name")]
    pub release_name: Option<String>,
    /// None: the namespace of the Argo CD Application.
    pub namespace: Option<String>,
    /// Later ones override earlier ones.
    #[component(name = "value-files")]
    pub value_files: Vec<ValueFile>,
    /// None: the version of the cluster.
    #[component(name = "kube-version")]
    pub kube_version: Option<String>,
    /// In addition to those of the cluster.
    #[component(name = "api-versions")]
    pub api_versions: Vec<String>,
    /// Whether the files in `crds/` are left out.
    #[component(name = "skip-crds")]
    pub skip_crds: bool,
    /// Whether the chart's tests are left out.
    #[component(name = "skip-tests")]
    pub skip_tests: bool,
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
