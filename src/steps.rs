//! Marks where the steps of a render begin and end, for benchmarks. Without the feature
//! `steps`, marks compile to nothing.

/// A step of a render. ARCHITECTURE.md describes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenderStep {
    /// Everything outside the other steps: configuration, outputs documents, and the answer.
    Answer,
    /// Splits streams, and finds where references begin and which documents have any.
    Find,
    /// Overwrites references with inert bytes.
    Mask,
    /// Builds the tree.
    Locate,
    /// Decodes the scalars with references, and parses these.
    Read,
    /// Finds resources, setter comments, targets and embedded documents.
    Analyse,
    /// Resolves references.
    Resolve,
    /// Finds the fields in which values occur.
    Place,
    /// Looks up the types of fields.
    Type,
    /// Makes edits of values.
    Write,
    /// Everything else about the values of a document.
    Bind,
}

impl RenderStep {
    /// All steps, in their order in a render.
    pub const ALL: [Self; 11] = [
        Self::Find,
        Self::Mask,
        Self::Locate,
        Self::Read,
        Self::Analyse,
        Self::Resolve,
        Self::Place,
        Self::Type,
        Self::Write,
        Self::Bind,
        Self::Answer,
    ];
}

/// Marks a step as the current one until the result is dropped.
#[cfg(not(feature = "steps"))]
pub(crate) const fn enter(_: RenderStep) -> Entered {
    Entered
}

/// A step that is the current one.
#[cfg(not(feature = "steps"))]
#[must_use]
pub(crate) struct Entered;

#[cfg(not(feature = "steps"))]
impl Drop for Entered {
    /// Does nothing: so that a mark that ends early is dropped in both cases.
    fn drop(&mut self) {}
}

#[cfg(feature = "steps")]
pub(crate) use observed::enter;
#[cfg(feature = "steps")]
pub use observed::observe;

#[cfg(feature = "steps")]
mod observed {
    use std::cell::Cell;

    use super::RenderStep;

    thread_local! {
        static CURRENT: Cell<RenderStep> = const { Cell::new(RenderStep::Answer) };
        static OBSERVER: Cell<Option<fn(RenderStep)>> = const { Cell::new(None) };
    }

    /// Has `observer` called on this thread with each step that becomes the current one:
    /// when it begins, and when one inside it ends. `None` ends that.
    pub fn observe(observer: Option<fn(RenderStep)>) {
        OBSERVER.with(|cell| cell.set(observer));
    }

    /// Marks a step as the current one until the result is dropped.
    pub(crate) fn enter(step: RenderStep) -> Entered {
        Entered {
            outer: change_to(step),
        }
    }

    /// A step that is the current one.
    #[must_use]
    pub(crate) struct Entered {
        outer: RenderStep,
    }

    impl Drop for Entered {
        fn drop(&mut self) {
            change_to(self.outer);
        }
    }

    fn change_to(step: RenderStep) -> RenderStep {
        if let Some(observer) = OBSERVER.with(Cell::get) {
            observer(step);
        }
        CURRENT.with(|current| current.replace(step))
    }
}
