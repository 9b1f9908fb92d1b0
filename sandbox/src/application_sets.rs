//! The records of the interface `application-sets`.

use wasmtime::component::{ComponentType, Lift};

use crate::types::Findings;

/// An Application of an ApplicationSet: `application-sets.application` in `wit/`.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lift)]
#[component(record)]
pub struct Application {
    /// `metadata.name`
    pub name: String,
    /// `metadata.namespace`, or an empty string.
    pub namespace: String,
    /// The name of its ApplicationSet.
    pub set: String,
    /// The manifest, a YAML document.
    pub content: Vec<u8>,
}

/// The Applications of ApplicationSets: `application-sets.expanded` in `wit/`.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lift)]
#[component(record)]
pub struct Expanded {
    /// In the order of the ApplicationSets and of their generators.
    pub applications: Vec<Application>,
    /// Warnings.
    pub findings: Findings,
}
