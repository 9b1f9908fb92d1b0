//! The interface `adoption`, which modules that were built before it do not have. It is looked
//! up by name, as `outputs` is.

use wasmtime::Store;
use wasmtime::component::{Component, ComponentExportIndex, ComponentType, Instance, Lift};

use crate::limits::Meter;
use crate::types::{Edit, File, Findings, Request};

const NAME: &str = "landfall:config-management/adoption@0.1.0";

/// The function of the interface in one module.
#[derive(Clone)]
pub(crate) struct AdoptionExports {
    adopt: ComponentExportIndex,
}

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
    /// It equals a sensitive output, outside of the `stringData` of a Secret.
    #[component(name = "sensitive")]
    Sensitive,
    /// Rendering a reference there would not give the same bytes.
    #[component(name = "not-adoptable")]
    NotAdoptable,
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
    pub edits: Vec<Vec<Edit>>,
    /// In the order of the files.
    pub values: Vec<HardCodedValue>,
}

impl AdoptionExports {
    /// Finds the function; `None` if the module does not have it.
    pub(crate) fn of(component: &Component) -> Option<Self> {
        let interface = component.get_export_index(None, NAME)?;
        let adopt = component.get_export_index(Some(&interface), "adopt")?;
        Some(Self { adopt })
    }

    pub(crate) fn adopt(
        &self,
        store: &mut Store<Meter>,
        instance: &Instance,
        files: &[File],
        request: &Request,
    ) -> wasmtime::Result<Result<Proposal, Findings>> {
        let (proposal,) = crate::outputs::call(store, instance, &self.adopt, (files, request))?;
        Ok(proposal)
    }
}
