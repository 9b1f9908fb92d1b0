//! The embedded module in its sandbox.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use landfall_sandbox::types::{Findings, Severity};
use landfall_sandbox::{Module, Plugin, Stopped, watch_wall_time};

use crate::exit::Exit;
use crate::settings::Limits;

/// The module as the build compiled it.
#[cfg(embedded_module)]
const EMBEDDED: Option<&[u8]> = Some(landfall_sandbox::embed!(env!("LANDFALL_EMBEDDED_MODULE")));
#[cfg(not(embedded_module))]
const EMBEDDED: Option<&[u8]> = None;

/// Starts the embedded module under the limits of this run.
#[derive(Debug)]
pub(crate) struct Engine {
    module: Module,
    limits: Limits,
}

impl Engine {
    /// Loads the embedded module.
    ///
    /// # Errors
    /// The build has none, or one of another build.
    pub(crate) fn embedded(limits: Limits) -> Result<Self, Halted> {
        let bytes = EMBEDDED.ok_or(Halted::NoModule)?;
        // SAFETY: machine code that this workspace's build made and that was
        // compiled into this program: nobody else could change it.
        #[allow(unsafe_code, reason = "the one call that cannot check its bytes")]
        let module = unsafe { Module::embedded(bytes) };
        let module = module.map_err(|error| Halted::Unusable(error.to_string()))?;
        Ok(Self { module, limits })
    }

    /// A fresh instance: what one request does is never seen by the next.
    pub(crate) fn start(&self) -> Result<Plugin, Halted> {
        let limits = landfall_sandbox::Limits {
            memory: self.limits.memory,
            wall_time: self.limits.time,
        };
        Ok(self.module.start(&limits)?)
    }

    /// Ends the process when the wall time is over before the guard is dropped.
    pub(crate) fn watch(&self) -> Watch {
        let limit = self.limits.time;
        let is_decided = Arc::new(AtomicBool::new(false));
        let for_watchdog = Arc::clone(&is_decided);
        watch_wall_time(limit, move || {
            if !for_watchdog.swap(true, Ordering::SeqCst) {
                let stopped = Halted::Stopped(Stopped::WallTime { limit });
                let _ = writeln!(std::io::stderr(), "error: {stopped}; nothing was rendered");
                std::process::exit(Exit::Halted.code().into());
            }
        });
        Watch { is_decided }
    }
}

/// The time between the first call of the module and its last answer. Writing the
/// answer into a slow pipe is no part of it.
#[derive(Debug)]
pub(crate) struct Watch {
    is_decided: Arc<AtomicBool>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.is_decided.swap(true, Ordering::SeqCst) {
            // The watchdog was first and ends the process: nothing may be written.
            loop {
                std::thread::park();
            }
        }
    }
}

/// Why there is no answer, though the input may be right.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Halted {
    /// This build has no module.
    #[error("this build of landfall holds no module: run `cargo xtask dist` and use dist/landfall")]
    NoModule,
    /// The module cannot be loaded.
    #[error("{0}; run `cargo xtask dist` to build host and module together")]
    Unusable(String),
    /// The sandbox stopped the module.
    #[error("{}", with_advice(.0))]
    Stopped(#[from] Stopped),
    /// The module's answer breaks its contract.
    #[error("the answer of the module breaks its contract and cannot be used")]
    BrokenAnswer,
}

/// What the module says when it refuses. It has to hold an error: a refusal that
/// tells nothing would end a run in silence.
pub(crate) fn errors(found: Findings) -> Result<Findings, Halted> {
    if found
        .diagnostics
        .iter()
        .any(|found| found.severity == Severity::Error)
    {
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
        Stopped::NoMemory => "; free some, or raise its limit (`ulimit -v`)",
        Stopped::NoAddressSpace => ": lift the limit, `ulimit -v unlimited`",
        Stopped::WallTime { .. } => " (--max-time)",
        Stopped::CallStack | Stopped::Trap { .. } => "",
    };
    format!("{stopped}{advice}")
}
