//! The sandbox: the one crate that owns wasmtime. It compiles modules ahead of
//! time, loads them, runs them under limits and calls the world
//! `landfall:config-management/plugin`.
//!
//! A [`Module`] is loaded once and is shared by threads; every [`Plugin`] that it
//! starts has a memory of its own. A module that has imports is refused, so what
//! a plugin answers depends on nothing but what it is given.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use landfall_sandbox::{Limits, Module, types};
//!
//! # let bytes: &[u8] = &[];
//! // SAFETY: these bytes were made by this crate, in the same build.
//! let module = unsafe { Module::precompiled(bytes)? };
//! let mut plugin = module.start(&Limits::default())?;
//! let file = types::File { path: "app.yaml".into(), content: b"kind: List".into() };
//! let sources = plugin.sources(&[file])?;
//! # Ok(()) }
//! ```

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the sandbox belongs to the host's side: its watchdog is a thread with a clock"
)]

mod bindings;
mod config;
mod in_place;
mod limits;
#[cfg(target_os = "linux")]
mod memory;
mod module;
mod plugin;
mod stopped;
pub mod types;
mod watchdog;

pub use limits::Limits;
pub use module::{LoadError, Module};
pub use plugin::{Plugin, Sources};
pub use stopped::Stopped;
pub use watchdog::watch_wall_time;
