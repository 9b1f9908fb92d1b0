//! How much a plugin may use.

use std::fmt;
use std::time::Duration;

use wasmtime::ResourceLimiter;

/// How much a plugin may use.
///
/// ```
/// use landfall_sandbox::Limits;
///
/// let limits = Limits { memory: 256 << 20, ..Limits::default() };
/// assert_eq!(limits.wall_time.as_secs(), 60);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all linear memories and tables of the module together.
    pub memory: u64,
    /// How long a run may take. [`crate::Module::start`] does not look at it:
    /// a guest that asked for the time at every loop would be a third slower, so
    /// the host hands it to [`crate::watch_wall_time`] once and ends the process.
    pub wall_time: Duration,
}

impl Default for Limits {
    /// 1 GiB, 60 seconds.
    fn default() -> Self {
        Self {
            memory: 1 << 30,
            wall_time: Duration::from_secs(60),
        }
    }
}

/// The error that a refused growth leaves behind.
#[derive(Debug)]
pub(crate) struct MemoryRefused {
    pub(crate) limit: u64,
}

impl fmt::Display for MemoryRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {} bytes of memory", self.limit)
    }
}

impl std::error::Error for MemoryRefused {}

/// Counts the memory of one store.
///
/// Not wasmtime's `StoreLimits`: that one judges each memory alone, and a
/// component may have thousands; and its refusal is an error of no type that one
/// could recognise.
#[derive(Debug)]
pub(crate) struct Meter {
    limit: u64,
    used: u64,
}

impl Meter {
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, used: 0 }
    }

    /// A refused growth is an error, not the -1 that WebAssembly allows for: the
    /// guest would only turn that into a trap that tells nothing.
    fn grow(&mut self, bytes: u64) -> wasmtime::Result<bool> {
        let used = self.used.saturating_add(bytes);
        if used > self.limit {
            return Err(MemoryRefused { limit: self.limit }.into());
        }
        self.used = used;
        Ok(true)
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        self.grow(desired.saturating_sub(current) as u64)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        let elements = desired.saturating_sub(current) as u64;
        self.grow(elements.saturating_mul(size_of::<usize>() as u64))
    }
}
