//! The plugin as a WASI command (preview 1): `landfall krm` and `landfall check --no-references -`,
//! on standard input and output. It has no files, no clock and no network.
//!
//! [`run`] is the command, and `system` calls it.

#![cfg_attr(not(target_family = "wasm"), forbid(unsafe_code))]

mod arguments;
mod command;
mod report;
#[cfg(target_family = "wasm")]
mod system;

pub use command::{Ended, run};
