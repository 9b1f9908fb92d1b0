//! Runs the embedded module in the sandbox.

mod plugin;
mod request;

use std::fmt::Display;
use std::mem::ManuallyDrop;
use std::time::Duration;

use landfall_sandbox::types::{Diagnostic, Findings, Severity};
use landfall_sandbox::{Module, Stopped, Watch, watch_wall_time};

#[cfg(test)]
pub(crate) use self::plugin::CALLS;
pub(crate) use self::plugin::Plugin;
pub(crate) use self::request::{Answer, OutputsInputs, Request, configuration};
use crate::exit::Exit;
use crate::settings::Limits;

/// The module, compiled ahead of time by the build.
#[cfg(embedded_module)]
pub(crate) const EMBEDDED: Option<&[u8]> =
    Some(landfall_sandbox::embed!(env!("LANDFALL_EMBEDDED_MODULE")));
#[cfg(not(embedded_module))]
pub(crate) const EMBEDDED: Option<&[u8]> = None;

/// Starts the embedded module under the limits of this run.
#[derive(Debug)]
pub(crate) struct Engine {
    /// Never dropped. It is loaded once and used until the process ends, and freeing its
    /// tables of types takes 3 % of a small render.
    module: ManuallyDrop<Module>,
    limits: Limits,
}

impl Engine {
    /// Loads the embedded module.
    ///
    /// # Errors
    /// This build has no module, or the module was compiled for another build.
    pub(crate) fn embedded(limits: Limits) -> Result<Self, Halted> {
        let bytes = EMBEDDED.ok_or(Halted::NoModule)?;
        // SAFETY: the machine code was made by the build of this workspace and is part
        // of this program, so nothing else could have modified it.
        #[allow(unsafe_code, reason = "wasmtime cannot validate machine code")]
        let module = unsafe { Module::embedded(bytes) };
        let module = module.map_err(|error| Halted::Unusable(error.to_string()))?;
        Ok(Self {
            module: ManuallyDrop::new(module),
            limits,
        })
    }

    /// Starts a fresh instance, so that requests cannot affect each other.
    pub(crate) fn start(&self) -> Result<Plugin, Halted> {
        let limits = landfall_sandbox::Limits {
            memory: self.limits.memory,
            wall_time: self.limits.time,
        };
        Ok(Plugin::new(self.module.start(&limits)?))
    }

    /// Does the same with one of `shares` equal shares of the memory.
    pub(crate) fn start_one_of(&self, shares: usize) -> Result<Plugin, Halted> {
        let shares = u64::try_from(shares).unwrap_or(u64::MAX).max(1);
        let limits = landfall_sandbox::Limits {
            memory: self.limits.memory / shares,
            wall_time: self.limits.time,
        };
        Ok(Plugin::new(self.module.start(&limits)?))
    }

    /// Ends the process if the wall-time limit passes before the guard is dropped. It covers
    /// the time from the first call of the module to its last answer: writing the answer to
    /// a slow pipe does not count.
    pub(crate) fn watch(&self) -> Watch {
        let limit = self.limits.time;
        watch(limit, Halted::Stopped(Stopped::WallTime { limit }))
    }
}

/// Ends the process with this message if `limit` passes before the guard is dropped.
pub(crate) fn watch(limit: Duration, message: impl Display) -> Watch {
    let message = format!("error: {message}; nothing was rendered\n");
    watch_wall_time(limit, message, Exit::Halted.code())
}

/// Why there is no usable answer from the module, even if the input is valid.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Halted {
    /// This build has no module.
    #[error("this build has no embedded module: run `cargo xtask dist` and use dist/landfall")]
    NoModule,
    /// The module cannot be loaded.
    #[error("{0}; run `cargo xtask dist` to build the command and the module together")]
    Unusable(String),
    /// The sandbox stopped the module.
    #[error("{}", with_advice(.0))]
    Stopped(#[from] Stopped),
    /// The module's answer violates its contract.
    #[error("the module returned an invalid answer")]
    BrokenAnswer,
}

/// Returns whether there is an error among diagnostics.
pub(crate) fn has_errors(found: &[Diagnostic]) -> bool {
    found.iter().any(|found| found.severity == Severity::Error)
}

/// Returns the findings of a failed call. They must contain an error, or the run would
/// fail without a message.
///
/// # Errors
/// [`Halted::BrokenAnswer`] if there is no error among them.
pub(crate) fn errors(found: Findings) -> Result<Findings, Halted> {
    if has_errors(&found.diagnostics) {
        Ok(found)
    } else {
        Err(Halted::BrokenAnswer)
    }
}

/// What stopped the module, and what to do about it.
fn with_advice(stopped: &Stopped) -> String {
    let advice = match stopped {
        Stopped::Memory { .. } => " (--max-memory)",
        Stopped::ModuleMaximum { .. } => "; render fewer manifests at once",
        Stopped::NoMemory => "; free some memory, or raise the limit (`ulimit -v`)",
        Stopped::NoAddressSpace => "; remove the limit with `ulimit -v unlimited`",
        Stopped::WallTime { .. } => " (--max-time)",
        Stopped::NoInterface { .. } => "; build both with `cargo xtask dist`",
        Stopped::CallStack | Stopped::Trap { .. } => "",
    };
    format!("{stopped}{advice}")
}
