//! How much a plugin may use.

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
#[derive(Debug, thiserror::Error)]
#[error("more than {limit} bytes of memory")]
pub(crate) struct MemoryRefused {
    pub(crate) limit: u64,
}

/// The error of a growth for which the system has no memory.
#[derive(Debug, thiserror::Error)]
#[error("{}", Self::MESSAGE)]
pub(crate) struct NoMemory;

impl NoMemory {
    pub(crate) const MESSAGE: &'static str = "the system has no memory left for the module";
}

/// The error of a memory for which the system gives no addresses.
#[derive(Debug, thiserror::Error)]
#[error("{}", Self::MESSAGE)]
pub(crate) struct NoAddressSpace;

impl NoAddressSpace {
    /// The code is compiled without bounds checks, which a guarded range of all the
    /// addresses of 32 bits makes needless: no smaller one will do.
    pub(crate) const MESSAGE: &'static str = "the system gives no address space to the module, which reserves 4 GiB and uses little of it";
}

/// All that addresses of 32 bits can reach.
const ADDRESSABLE: u64 = 1 << 32;

/// Counts the memory of one store.
///
/// Not wasmtime's `StoreLimits`: that one judges each memory alone, and a
/// component may have thousands; and its refusal is an error of no type that one
/// could recognise.
#[derive(Debug)]
pub(crate) struct Meter {
    limit: u64,
    used: u64,
    /// The maximum of the module's own memory, when the latest growth was beyond it.
    maximum_reached: Option<u64>,
}

impl Meter {
    pub(crate) const fn new(limit: u64) -> Self {
        Self {
            limit,
            used: 0,
            maximum_reached: None,
        }
    }

    /// The maximum of the module's own memory, when the latest growth was beyond it. The
    /// module may go on without the growth; when it gives up, this is why.
    pub(crate) const fn maximum_reached(&self) -> Option<u64> {
        self.maximum_reached
    }

    /// A refused growth is an error, not the -1 that WebAssembly allows for: the
    /// guest would only turn that into a trap that tells nothing.
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

    /// Called without [`Self::memory_growing`] for a size that has no address.
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
