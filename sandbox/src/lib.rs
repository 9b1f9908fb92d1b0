//! The sandbox, the only crate that depends on wasmtime. It compiles modules ahead of
//! time, loads them, runs them with limits, and calls the world
//! `landfall:config-management/plugin`.
//!
//! A [`Module`] is loaded once and can be shared by threads; every [`Plugin`] that it
//! starts has its own memory. A module with imports is rejected, so the answers of a plugin
//! depend only on its arguments.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use landfall_sandbox::{Limits, Module, OnTimeout, types};
//!
//! # let bytes: &[u8] = &[];
//! // SAFETY: these bytes were compiled by this crate, in the same build.
//! let module = unsafe { Module::precompiled(bytes, OnTimeout::EndProcess)? };
//! let mut plugin = module.start(&Limits::default())?;
//! let file = types::File { path: "app.yaml".into(), content: b"kind: List".into() };
//! let sources = plugin.sources(&[file])?;
//! # Ok(()) }
//! ```

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the sandbox is part of the host: it measures time"
)]

mod bindings;
mod config;
mod edits;
mod epochs;
mod in_place;
mod interfaces;
mod limits;
#[cfg(target_os = "linux")]
mod memory;
mod module;
mod plugin;
mod stopped;
pub mod types;
mod watchdog;

pub use edits::{BrokenEdits, CheckedEdits, EditRef};
pub use limits::{Limits, OnTimeout};
pub use module::{LoadError, Module};
pub use plugin::{Application, Plugin, Sources};
pub use stopped::Stopped;
pub use watchdog::{Watch, watch_wall_time};
