//! Makes the distributed artifacts from the guests' core modules:
//!
//! - `landfall-forge component CORE.wasm COMPONENT.wasm COMPONENT.cwasm`: the component,
//!   and its ahead-of-time compiled form
//! - `landfall-forge browser CORE.wasm FOLDER`: the module of the browser's package and
//!   the JavaScript that calls it

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a build tool: it reads and writes files"
)]

mod browser;
mod component;

use std::env;
use std::ffi::OsString;

use anyhow::{Result, bail};

fn main() -> Result<()> {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let (task, paths) = match arguments.split_first() {
        Some((task, paths)) => (task.to_str(), paths),
        None => (None, &[][..]),
    };
    match (task, paths) {
        (Some("component"), [core, component, precompiled]) => {
            component::make(core.as_ref(), component.as_ref(), precompiled.as_ref())
        }
        (Some("browser"), [core, folder]) => browser::make(core.as_ref(), folder.as_ref()),
        _ => bail!(
            "usage: landfall-forge component CORE.wasm COMPONENT.wasm COMPONENT.cwasm\n       \
             landfall-forge browser CORE.wasm FOLDER"
        ),
    }
}
