//! Field paths that lead nowhere. A path is reported once, with the first resource
//! that lacks the field, however many others lack it too.

use std::cell::RefCell;

use crate::collections::{OrderedMap, OrderedSet};
use crate::report::Diagnostic;

/// Paths that are reported one by one.
const MAX_REPORTED: usize = 100;

/// A path by the positions of its binding, its target and itself.
pub(crate) type PathId = (usize, usize, usize);

/// The paths that matched nothing, with the error of each and how many more
/// resources lack the field.
#[derive(Debug, Default)]
pub(crate) struct Missing {
    paths: RefCell<OrderedMap<PathId, (Option<Diagnostic>, usize)>>,
    /// The targets, by their binding and position, that a resource has met.
    met: RefCell<OrderedSet<(usize, usize)>>,
}

impl Missing {
    /// Whether a path that leads nowhere would be shown, and has not been yet.
    pub(crate) fn wants(&self, path: PathId) -> bool {
        let paths = self.paths.borrow();
        paths.len() < MAX_REPORTED && !paths.contains_key(&path)
    }

    /// Adds a path that led nowhere in one resource, with its diagnostic where
    /// [`Missing::wants`] asked for it.
    pub(crate) fn add(&self, path: PathId, diagnostic: Option<Diagnostic>) {
        let mut paths = self.paths.borrow_mut();
        match paths.get_mut(&path) {
            Some((_, more)) => *more += 1,
            None => drop(paths.insert(path, (diagnostic, 0))),
        }
    }

    /// Remembers targets that a resource has met.
    pub(crate) fn meet(&self, targets: &[(usize, usize)]) {
        self.met.borrow_mut().extend(targets.iter().copied());
    }

    /// Whether a resource has met this target.
    pub(crate) fn is_met(&self, target: (usize, usize)) -> bool {
        self.met.borrow().contains(&target)
    }

    /// The diagnostics, in the order of the Binding.
    pub(crate) fn take(&self) -> Vec<Diagnostic> {
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
        if let Some(last) = diagnostics.last_mut().filter(|_| unshown > 0) {
            let more = format!("; {unshown} more field paths match nothing");
            last.message.push_str(&more);
        }
        diagnostics
    }
}
