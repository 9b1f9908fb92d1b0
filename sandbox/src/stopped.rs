//! Why a plugin did not come to its end.

use std::fmt;
use std::time::Duration;

use wasmtime::Trap;

use crate::limits::{MemoryRefused, Meter, NoAddressSpace, NoMemory};

/// The sandbox stopped the plugin. The plugin cannot be called again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// It asked for more memory than it may have.
    #[error("the module asked for more memory than {}", Bytes(*.limit))]
    Memory {
        /// The limit in bytes.
        limit: u64,
    },
    /// It needed more memory than the module itself can have, and gave up.
    #[error(
        "the module needs more memory than {}, the most that it can have",
        Bytes(*.limit)
    )]
    ModuleMaximum {
        /// The maximum in bytes: 4 GiB where the module says nothing else.
        limit: u64,
    },
    /// The system had no memory left for it.
    #[error("{}", NoMemory::MESSAGE)]
    NoMemory,
    /// The system gave no addresses to it, of which it reserves more than it uses.
    #[error("{}", NoAddressSpace::MESSAGE)]
    NoAddressSpace,
    /// It ran for longer than it may. [`crate::Plugin`] never says this by itself:
    /// it is for whoever stops a run from [`crate::watch_wall_time`].
    #[error("the module ran for longer than {limit:?}")]
    WallTime {
        /// The limit.
        limit: Duration,
    },
    /// Its calls nested more deeply than its call stack allows.
    #[error("the module ran out of call stack: the input is nested too deeply for it")]
    CallStack,
    /// It broke a rule of WebAssembly or of the component model, or gave up.
    #[error("the module trapped: {message}")]
    Trap {
        /// What wasmtime says of it, on one line.
        message: String,
    },
}

impl Stopped {
    pub(crate) fn from_error(error: &wasmtime::Error, meter: &Meter) -> Self {
        if let Some(&MemoryRefused { limit }) = error.downcast_ref::<MemoryRefused>() {
            return Self::Memory { limit };
        }
        match (error.downcast_ref(), meter.maximum_reached()) {
            (Some(Trap::StackOverflow), _) => return Self::CallStack,
            (Some(Trap::UnreachableCodeReached), Some(limit)) => {
                return Self::ModuleMaximum { limit };
            }
            _ => {}
        }
        // The alternate form has every cause and no backtrace; a cause may hold
        // line breaks of its own.
        let message = format!("{error:#}")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        // The error of a memory's creation is a text.
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
    fn limits_are_told_in_the_units_people_give() {
        check(
            &Stopped::Memory { limit: 1 << 30 },
            "the module asked for more memory than 1 GiB",
        );
        check(
            &Stopped::Memory { limit: 100 << 20 },
            "the module asked for more memory than 100 MiB",
        );
        check(
            &Stopped::Memory { limit: 1500 },
            "the module asked for more memory than 1500 bytes",
        );
        check(
            &Stopped::Memory { limit: 0 },
            "the module asked for more memory than 0 bytes",
        );
        check(
            &Stopped::WallTime {
                limit: Duration::from_secs(60),
            },
            "the module ran for longer than 60s",
        );
    }
}
