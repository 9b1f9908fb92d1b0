//! Limits the cost of field bindings: targets that select by patterns, and paths with `*`,
//! can make a small Binding visit everything in every manifest.

use std::cell::Cell;

/// How many steps the field bindings of one render may take: a few seconds.
const MAX_STEPS: u64 = 1_000_000_000;

/// The steps for comparing a resource with a selector that may select it, without those for
/// its patterns.
pub(crate) const SELECTOR: u64 = 16;

/// The steps for following one step of a field path.
pub(crate) const PATH_STEP: u64 = 16;

/// The steps that are left. Unlike time, they are the same on every machine.
#[derive(Debug)]
pub(crate) struct Steps {
    left: Cell<u64>,
    exceeded: Cell<bool>,
}

impl Default for Steps {
    fn default() -> Self {
        Self {
            left: Cell::new(MAX_STEPS),
            exceeded: Cell::new(false),
        }
    }
}

impl Steps {
    /// Takes this many steps. Returns false if fewer are left.
    pub(crate) fn take(&self, steps: u64) -> bool {
        match self.left.get().checked_sub(steps) {
            Some(left) => self.left.set(left),
            None => {
                self.left.set(0);
                self.exceeded.set(true);
            }
        }
        !self.exceeded.get()
    }

    /// Whether more steps were needed than allowed.
    pub(crate) const fn exceeded(&self) -> bool {
        self.exceeded.get()
    }

    /// Returns how many steps were taken: more than [`Self::limit`] if that was exceeded.
    pub(crate) const fn taken(&self) -> u64 {
        MAX_STEPS - self.left.get() + self.exceeded.get() as u64
    }

    /// Returns the maximum number of steps.
    pub(crate) const fn limit() -> u64 {
        MAX_STEPS
    }
}
