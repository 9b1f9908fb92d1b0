//! `landfall-forge CORE.wasm COMPONENT.wasm COMPONENT.cwasm`: makes the component
//! out of the guest's core module, and compiles that ahead of time.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a build tool: it reads and writes files"
)]

use std::env;
use std::ffi::OsString;
use std::fs;

use anyhow::{Context, Result, bail};
use landfall_sandbox::Module;
use wit_component::ComponentEncoder;

fn main() -> Result<()> {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let [core, component, precompiled] = arguments.as_slice() else {
        bail!("usage: landfall-forge CORE.wasm COMPONENT.wasm COMPONENT.cwasm");
    };
    let module = fs::read(core).with_context(|| format!("reading {}", core.display()))?;
    let encoded = componentize(&module)
        .with_context(|| format!("making a component of {}", core.display()))?;
    let compiled = Module::precompile(&encoded)
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
