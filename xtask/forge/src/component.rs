//! The component made from the guest's core module, and its ahead-of-time compiled form.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use landfall_sandbox::{Module, OnTimeout};
use wit_component::ComponentEncoder;

/// Writes both forms.
pub(crate) fn make(core: &Path, component: &Path, precompiled: &Path) -> Result<()> {
    let module = fs::read(core).with_context(|| format!("reading {}", core.display()))?;
    let encoded = componentize(&module)
        .with_context(|| format!("making a component of {}", core.display()))?;
    let compiled = Module::precompile(&encoded, OnTimeout::EndProcess)
        .with_context(|| format!("compiling {}", component.display()))?;
    fs::write(component, encoded).with_context(|| format!("writing {}", component.display()))?;
    fs::write(precompiled, compiled).with_context(|| format!("writing {}", precompiled.display()))
}

/// Wraps the core module in the component that its `component-type` section
/// describes, and checks that the result is valid.
fn componentize(module: &[u8]) -> Result<Vec<u8>> {
    ComponentEncoder::default()
        .validate(true)
        .module(module)?
        .encode()
}
