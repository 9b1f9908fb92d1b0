//! Field paths that match nothing. A path is reported once, with the first resource that
//! does not have the field and the number of others.

use std::cell::RefCell;

use crate::collections::{OrderedMap, OrderedSet};
use crate::report::Diagnostic;

/// The maximum number of paths that are reported individually.
const MAX_REPORTED: usize = 100;

/// A target of a field binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TargetId {
    /// The position of the binding.
    pub(crate) binding: usize,
    /// The position of the target in the binding.
    pub(crate) target: usize,
}

/// A field path of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PathId {
    pub(crate) target: TargetId,
    /// The position of the path in the target.
    pub(crate) path: usize,
}

/// The paths that matched nothing, with the error of each and how many more resources do
/// not have the field.
#[derive(Debug, Default)]
pub(crate) struct UnmatchedPaths {
    paths: RefCell<OrderedMap<PathId, (Option<Diagnostic>, usize)>>,
    /// The targets that have selected a resource.
    selected: RefCell<OrderedSet<TargetId>>,
}

impl UnmatchedPaths {
    /// Whether a diagnostic for this path would be shown and has not been added yet.
    pub(crate) fn needs_diagnostic(&self, path: PathId) -> bool {
        let paths = self.paths.borrow();
        paths.len() < MAX_REPORTED && !paths.contains_key(&path)
    }

    /// Adds a path that matches nothing in one resource, with its diagnostic if
    /// [`UnmatchedPaths::needs_diagnostic`] returned true.
    pub(crate) fn add(&self, path: PathId, diagnostic: Option<Diagnostic>) {
        let mut paths = self.paths.borrow_mut();
        match paths.get_mut(&path) {
            Some((_, more)) => *more += 1,
            None => drop(paths.insert(path, (diagnostic, 0))),
        }
    }

    /// Records targets that have selected a resource.
    pub(crate) fn add_selected(&self, targets: &[TargetId]) {
        self.selected.borrow_mut().extend(targets.iter().copied());
    }

    /// Whether this target has selected a resource.
    pub(crate) fn is_selected(&self, target: TargetId) -> bool {
        self.selected.borrow().contains(&target)
    }

    /// Returns the diagnostics, in the order of the Binding.
    pub(crate) fn take_diagnostics(&self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let mut unshown = 0_usize;
        for (diagnostic, more) in std::mem::take(&mut *self.paths.borrow_mut()).into_values() {
            let Some(mut diagnostic) = diagnostic else {
                unshown += 1;
                continue;
            };
            match more {
                0 => {}
                1 => diagnostic
                    .message
                    .push_str("; 1 more resource does not have it"),
                more => {
                    let also = format!("; {more} more resources do not have it");
                    diagnostic.message.push_str(&also);
                }
            }
            diagnostics.push(diagnostic);
        }
        if let Some(last) = diagnostics.last_mut()
            && unshown > 0
        {
            let more = format!("; {unshown} more field paths match nothing");
            last.message.push_str(&more);
        }
        diagnostics
    }
}
