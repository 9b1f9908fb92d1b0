//! Makes the distributed module from the guest's core module:
//! `landfall-forge CORE.wasm COMPONENT.wasm COMPONENT.cwasm` writes the component, and its
//! ahead-of-time compiled form.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a build tool: it reads and writes files"
)]

mod component;

use std::env;
use std::ffi::OsString;

use anyhow::{Result, bail};

fn main() -> Result<()> {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let [core, component, precompiled] = &arguments[..] else {
        bail!("usage: landfall-forge CORE.wasm COMPONENT.wasm COMPONENT.cwasm");
    };
    component::make(core.as_ref(), component.as_ref(), precompiled.as_ref())
}
