//! The interface `outputs`, which modules that were built before it do not have. It is
//! looked up by name and called with the types of the other interfaces: bindings of a world
//! with it would have types of their own.

use wasmtime::Store;
use wasmtime::component::{
    Component, ComponentExportIndex, ComponentNamedList, ComponentType, Instance, Lift, Lower,
};

use crate::limits::Meter;
use crate::types::{Ceiling, Config, File, Findings, OutputsDocument, Parameter, Request};

const NAME: &str = "landfall:config-management/outputs@0.1.0";

/// The functions of the interface in one module.
#[derive(Clone)]
pub(crate) struct OutputsExports {
    check: ComponentExportIndex,
    contract: ComponentExportIndex,
    sample: ComponentExportIndex,
    check_references: ComponentExportIndex,
    export: ComponentExportIndex,
}

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

/// The result of a function: a value, or all problems.
type Outcome<T> = Result<T, Findings>;

impl OutputsExports {
    /// Finds the functions; `None` if the module does not have all of them.
    pub(crate) fn of(component: &Component) -> Option<Self> {
        let interface = component.get_export_index(None, NAME)?;
        let function = |name| component.get_export_index(Some(&interface), name);
        Some(Self {
            check: function("check")?,
            contract: function("contract")?,
            sample: function("sample")?,
            check_references: function("check-references")?,
            export: function("export")?,
        })
    }

    pub(crate) fn check(
        &self,
        store: &mut Store<Meter>,
        instance: &Instance,
        inputs: &Inputs,
    ) -> wasmtime::Result<Findings> {
        let (found,) = call(store, instance, &self.check, (inputs,))?;
        Ok(found)
    }

    pub(crate) fn contract(
        &self,
        store: &mut Store<Meter>,
        instance: &Instance,
        inputs: &Inputs,
    ) -> wasmtime::Result<Outcome<Vec<u8>>> {
        let (contract,) = call(store, instance, &self.contract, (inputs,))?;
        Ok(contract)
    }

    pub(crate) fn sample(
        &self,
        store: &mut Store<Meter>,
        instance: &Instance,
        contract: &Config,
    ) -> wasmtime::Result<Outcome<Vec<OutputsDocument>>> {
        let (documents,) = call(store, instance, &self.sample, (contract,))?;
        Ok(documents)
    }

    pub(crate) fn check_references(
        &self,
        store: &mut Store<Meter>,
        instance: &Instance,
        files: &[File],
        request: &Request,
        declared: &[Config],
    ) -> wasmtime::Result<Findings> {
        let parameters = (files, request, declared);
        let (found,) = call(store, instance, &self.check_references, parameters)?;
        Ok(found)
    }

    pub(crate) fn export(
        &self,
        store: &mut Store<Meter>,
        instance: &Instance,
        inputs: &Inputs,
        target: &str,
        options: &[Parameter],
    ) -> wasmtime::Result<Outcome<Exported>> {
        let (exported,) = call(store, instance, &self.export, (inputs, target, options))?;
        Ok(exported)
    }
}

/// Calls a function, whose type wasmtime compares with these.
pub(crate) fn call<P, R>(
    store: &mut Store<Meter>,
    instance: &Instance,
    function: &ComponentExportIndex,
    parameters: P,
) -> wasmtime::Result<R>
where
    P: ComponentNamedList + Lower,
    R: ComponentNamedList + Lift,
{
    let function = instance.get_typed_func::<P, R>(&mut *store, function)?;
    function.call(store, parameters)
}
