//! What field bindings may cost: targets that select by patterns, and paths with
//! `*`, can make a small Binding look at everything in every manifest.

use std::cell::Cell;

/// How many steps the field bindings of one render may take: a few seconds.
const MAX_STEPS: u64 = 1_000_000_000;

/// What it takes to compare a resource with a selector that may select it, beside
/// the patterns in that.
pub(crate) const SELECTOR: u64 = 16;

/// What a step of a field path takes.
pub(crate) const PATH_STEP: u64 = 16;

/// The steps that are left: the same on every machine, unlike the time.
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
    /// Takes this many steps. False: there are not so many left.
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

    /// Whether more were needed than there were.
    pub(crate) const fn exceeded(&self) -> bool {
        self.exceeded.get()
    }

    /// How many there may be.
    pub(crate) const fn limit() -> u64 {
        MAX_STEPS
    }
}
