//! Entries of an application's folder that a listing cannot contain: the targets of
//! links out of the root, and files whose names are not UTF-8. If they were skipped
//! silently, Argo CD would prune their resources, so they are errors unless the Binding
//! excludes them.

use std::path::Path;

use landfall_sandbox::types::{Folder, Plan};

use crate::engine::{Halted, has_errors};
use crate::files::Root;
use crate::paths;
use crate::problem::Problem;

use super::load::{Loader, Stop};
use super::manifest_files::is_manifest;

/// An entry that a listing cannot contain.
#[derive(Debug)]
pub(super) struct Unlistable {
    /// Relative to the application's folder. Bytes that are not UTF-8 are U+FFFD.
    path: String,
    is_link: bool,
}

impl Unlistable {
    /// A link out of the root. Whether its target is a file or a folder is unknown.
    pub(super) fn link(path: &str) -> Self {
        let path = path.to_owned();
        Self {
            path,
            is_link: true,
        }
    }

    /// A file whose path is not UTF-8.
    pub(super) fn not_utf8(path: &Path) -> Self {
        let path = path.to_string_lossy().into_owned();
        Self {
            path,
            is_link: false,
        }
    }

    /// Returns the path of a file whose path is not UTF-8.
    pub(super) fn unnamed(&self) -> Option<&str> {
        (!self.is_link).then_some(&self.path)
    }

    /// Returns the path with which to ask the module whether the Binding selects this
    /// entry. For a link, any manifest in the folder that it may point to.
    pub(super) fn candidate(&self) -> String {
        if self.is_link {
            format!("{}/*.yaml", self.path)
        } else {
            self.path.clone()
        }
    }

    /// Returns the pattern that excludes this entry.
    fn exclude(&self) -> String {
        let pattern = self.path.replace(char::REPLACEMENT_CHARACTER, "?");
        let pattern = if self.is_link {
            format!("{pattern}/")
        } else {
            pattern
        };
        let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_./".contains(char);
        if pattern.chars().all(is_plain) {
            pattern
        } else {
            format!("{pattern:?}")
        }
    }

    fn into_problem(self, display_path: &str, root: &Root, is_skipped: bool) -> Problem {
        let exclude = self.exclude();
        let path = paths::join(display_path, &self.path);
        if self.is_link {
            Problem::link_outside_root(&path, Some(&exclude), root.kind(), is_skipped)
        } else {
            Problem::not_utf8_name(&path, Some(&exclude), is_skipped)
        }
    }
}

impl Loader<'_> {
    /// Reports entries that the Binding selects. In the folder of the `plan`, their
    /// candidates come after the `listed` files.
    pub(super) fn report_unlistable(
        &mut self,
        unlistable: Vec<Unlistable>,
        plan: &Plan,
        listed: usize,
        root: &Root,
        display_path: &str,
    ) -> Result<(), Stop> {
        let is_bound = |path: &str| {
            let mut bound = plan.documents.iter();
            bound.any(|need| paths::join("", &need.path) == path)
        };
        for (position, entry) in unlistable.into_iter().enumerate() {
            // Opening the link itself reports the error.
            if entry.is_link && (is_manifest(&entry.path) || is_bound(&entry.path)) {
                continue;
            }
            let mut selected = plan.manifests.iter();
            let is_selected = selected.any(|&at| at as usize == listed + position);
            // An `include` pattern may select another file that the link leads to.
            if is_selected || self.may_be_included(entry.candidate())? {
                self.report(entry.into_problem(display_path, root, !is_selected));
            }
        }
        Ok(())
    }

    /// Returns whether the Binding has an `include` that does not select `candidate`:
    /// in a folder that contains nothing else, such a list is an error.
    fn may_be_included(&mut self, candidate: String) -> Result<bool, Stop> {
        let alone = Folder {
            shown: String::new(),
            paths: vec![candidate],
        };
        let request = &self.loaded.application.request;
        let plan = (self.plugin)
            .plan(&request.configuration, &request.parameters, Some(&alone))
            .map_err(Halted::from)?;
        Ok(has_errors(&plan.findings.diagnostics))
    }
}
