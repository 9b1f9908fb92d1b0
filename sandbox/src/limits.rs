//! Resource limits of a plugin.

use std::cell::Cell;
use std::time::Duration;

use wasmtime::ResourceLimiter;

use crate::epochs;

/// The resource limits of a plugin.
///
/// ```
/// use landfall_sandbox::Limits;
///
/// let limits = Limits { memory: 256 << 20, ..Limits::default() };
/// assert_eq!(limits.wall_time.as_secs(), 60);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The total size of all linear memories and tables of the module, in bytes.
    pub memory: u64,
    /// The maximum run time of each call, and of starting the module. Who enforces it depends
    /// on [`OnTimeout`].
    pub wall_time: Duration,
}

/// What happens to a call that takes longer than [`Limits::wall_time`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnTimeout {
    /// The host passes the limit to [`crate::watch_wall_time`], which ends the process. For
    /// commands: the code has no checks, and is a third faster.
    EndProcess,
    /// The call returns [`crate::Stopped::WallTime`], and the process goes on. For servers and
    /// libraries: the code checks a counter in every loop and function, which a thread of the
    /// module increments.
    ReturnError,
}

impl Default for Limits {
    /// Returns 1 GiB and 60 seconds.
    fn default() -> Self {
        Self {
            memory: 1 << 30,
            wall_time: Duration::from_secs(60),
        }
    }
}

/// The error for exceeding the memory limit.
#[derive(Debug, thiserror::Error)]
#[error("more than {limit} bytes of memory")]
pub(crate) struct MemoryRefused {
    pub(crate) limit: u64,
}

/// The error if the system is out of memory.
#[derive(Debug, thiserror::Error)]
#[error("{}", Self::MESSAGE)]
pub(crate) struct NoMemory;

impl NoMemory {
    pub(crate) const MESSAGE: &'static str = "the system has no memory left for the module";
}

/// The error if the system is out of address space.
#[derive(Debug, thiserror::Error)]
#[error("{}", Self::MESSAGE)]
pub(crate) struct NoAddressSpace;

impl NoAddressSpace {
    /// The module always reserves all 32-bit addresses: the code has no bounds checks and
    /// relies on guard pages instead.
    pub(crate) const MESSAGE: &'static str = "the system has no address space left for the module, which reserves 4 GiB but uses little of it";
}

/// The size of the 32-bit address space.
const ADDRESSABLE: u64 = 1 << 32;

/// Limits the memory of a store.
///
/// Unlike wasmtime's `StoreLimits`, it limits the total of all memories, of which a
/// component may have thousands, and its error can be recognized by type.
#[derive(Debug)]
pub(crate) struct Meter {
    limit: u64,
    used: u64,
    /// The module's own memory maximum, if the last growth would have exceeded it.
    maximum_reached: Option<u64>,
    /// The number of calls into the module.
    calls: Cell<u64>,
    /// The maximum run time of each call, if exceeding it is an error.
    wall_time: Option<Duration>,
}

impl Meter {
    pub(crate) fn new(limits: &Limits, on_timeout: OnTimeout) -> Self {
        let returns_error = on_timeout == OnTimeout::ReturnError;
        Self {
            limit: limits.memory,
            used: 0,
            maximum_reached: None,
            calls: Cell::new(0),
            wall_time: returns_error.then_some(limits.wall_time),
        }
    }

    /// Returns the maximum run time of each call, if exceeding it is an error.
    pub(crate) const fn wall_time(&self) -> Option<Duration> {
        self.wall_time
    }

    /// The same in ticks of the engine.
    pub(crate) fn ticks(&self) -> Option<u64> {
        self.wall_time.map(epochs::ticks)
    }

    pub(crate) fn count_call(&self) {
        self.calls.set(self.calls.get() + 1);
    }

    pub(crate) const fn calls(&self) -> u64 {
        self.calls.get()
    }

    /// Returns the module's own memory maximum if the last growth would have exceeded it. The
    /// module may continue without the memory; if it traps, this is the reason.
    pub(crate) const fn maximum_reached(&self) -> Option<u64> {
        self.maximum_reached
    }

    /// Counts a growth. Exceeding the limit is an error instead of WebAssembly's -1, which
    /// the guest would turn into a trap without a reason.
    fn grow(&mut self, bytes: u64, is_possible: bool) -> wasmtime::Result<bool> {
        let used = self.used.saturating_add(bytes);
        if used > self.limit {
            return Err(MemoryRefused { limit: self.limit }.into());
        }
        if is_possible {
            self.used = used;
        }
        Ok(is_possible)
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        self.maximum_reached = maximum
            .filter(|maximum| desired > *maximum)
            .map(|maximum| maximum as u64);
        let is_possible = self.maximum_reached.is_none();
        self.grow(desired.saturating_sub(current) as u64, is_possible)
    }

    /// Called without [`Self::memory_growing`] for a size beyond the address space.
    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        if error.is::<NoMemory>() || error.is::<std::io::Error>() {
            return Err(NoMemory.into());
        }
        self.maximum_reached = Some(ADDRESSABLE);
        self.grow(
            ADDRESSABLE.saturating_sub(self.used).saturating_add(1),
            false,
        )?;
        Ok(())
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let elements = desired.saturating_sub(current) as u64;
        let bytes = elements.saturating_mul(size_of::<usize>() as u64);
        self.grow(bytes, maximum.is_none_or(|maximum| desired <= maximum))
    }
}
