//! The records of the interface `migration`.

use wasmtime::component::{ComponentType, Lift};

use crate::types::{Edit, EditList, Findings};

/// A change of a file: `migration.change` in `wit/`.
#[derive(Clone, Debug, PartialEq, Eq, ComponentType, Lift)]
#[component(record)]
pub struct MigrationEdit {
    /// What is written.
    pub edit: Edit,
    /// Whether its line must not be shown.
    pub conceal: bool,
}

/// Manifests rewritten in landfall's own dialect: `migration.migrated` in `wit/`.
#[derive(Clone, Debug, ComponentType, Lift)]
#[component(record)]
pub struct Migrated {
    /// The changes of each file, in their order.
    pub changes: Vec<Vec<MigrationEdit>>,
    /// The edits of the Binding.
    pub binding: EditList,
    /// A warning about everything that is not migrated.
    pub left: Findings,
}
