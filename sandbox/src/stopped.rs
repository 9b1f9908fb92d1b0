//! Why a plugin was stopped.

use std::fmt;
use std::time::Duration;

use wasmtime::Trap;

use crate::limits::{MemoryRefused, Meter, NoAddressSpace, NoMemory};

/// The sandbox stopped the plugin. The plugin cannot be called again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// It exceeded the memory limit.
    #[error("the module exceeded its memory limit of {}", Bytes(*.limit))]
    Memory {
        /// The limit in bytes.
        limit: u64,
    },
    /// It trapped because it needed more memory than the module's own maximum.
    #[error(
        "the module needs more than {} of memory, the maximum that it supports",
        Bytes(*.limit)
    )]
    ModuleMaximum {
        /// The maximum in bytes: 4 GiB unless the module declares another one.
        limit: u64,
    },
    /// The system is out of memory.
    #[error("{}", NoMemory::MESSAGE)]
    NoMemory,
    /// The system is out of address space, of which the module reserves more than it uses.
    #[error("{}", NoAddressSpace::MESSAGE)]
    NoAddressSpace,
    /// It exceeded the time limit. [`crate::Plugin`] returns it with
    /// [`crate::OnTimeout::ReturnError`] only; otherwise it is the message of
    /// [`crate::watch_wall_time`].
    #[error("the module exceeded its time limit of {limit:?}")]
    WallTime {
        /// The limit.
        limit: Duration,
    },
    /// It exceeded its call stack.
    #[error("the module exceeded its call stack: the input is nested too deeply")]
    CallStack,
    /// It does not have an interface, and was not called.
    #[error("the module does not have the interface `{name}`: it is older than this program")]
    NoInterface {
        /// The name of the interface.
        name: &'static str,
    },
    /// It violated a rule of WebAssembly or of the component model, or aborted.
    #[error("the module trapped: {message}")]
    Trap {
        /// The message of wasmtime, on one line.
        message: String,
    },
}

impl Stopped {
    pub(crate) fn from_error(error: &wasmtime::Error, meter: &Meter) -> Self {
        if let Some(&MemoryRefused { limit }) = error.downcast_ref::<MemoryRefused>() {
            return Self::Memory { limit };
        }
        match (
            error.downcast_ref(),
            meter.maximum_reached(),
            meter.wall_time(),
        ) {
            (Some(Trap::StackOverflow), ..) => return Self::CallStack,
            (Some(Trap::UnreachableCodeReached), Some(limit), _) => {
                return Self::ModuleMaximum { limit };
            }
            (Some(Trap::Interrupt), _, Some(limit)) => return Self::WallTime { limit },
            _ => {}
        }
        // The alternate format has all causes and no backtrace. A cause may contain line
        // breaks.
        let message = format!("{error:#}")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        // The error for creating a memory is passed as a string.
        if message.contains(NoAddressSpace::MESSAGE) {
            return Self::NoAddressSpace;
        }
        if error.is::<NoMemory>() || message.contains(NoMemory::MESSAGE) {
            return Self::NoMemory;
        }
        Self::Trap { message }
    }
}

/// A number of bytes in the largest binary unit that leaves no remainder.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut number = self.0;
        let mut unit = "bytes";
        for larger in ["KiB", "MiB", "GiB"] {
            if number == 0 || !number.is_multiple_of(1024) {
                break;
            }
            number /= 1024;
            unit = larger;
        }
        write!(f, "{number} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stopped: &Stopped, expect: &str) {
        assert_eq!(stopped.to_string(), expect);
    }

    #[test]
    fn limits_are_formatted_with_binary_units() {
        check(
            &Stopped::Memory { limit: 1 << 30 },
            "the module exceeded its memory limit of 1 GiB",
        );
        check(
            &Stopped::Memory { limit: 100 << 20 },
            "the module exceeded its memory limit of 100 MiB",
        );
        check(
            &Stopped::Memory { limit: 1500 },
            "the module exceeded its memory limit of 1500 bytes",
        );
        check(
            &Stopped::Memory { limit: 0 },
            "the module exceeded its memory limit of 0 bytes",
        );
        check(
            &Stopped::WallTime {
                limit: Duration::from_secs(60),
            },
            "the module exceeded its time limit of 60s",
        );
    }
}
