//! What an application's folder holds and its listing cannot: what is behind links out
//! of the root, and files whose names are not UTF-8. Argo CD would prune what is left
//! out without an error, so it is one unless the Binding leaves it out.

use std::path::Path;

use landfall_sandbox::types::{Folder, Plan};

use crate::engine::Halted;
use crate::files::Root;

use super::load::{End, Loader};
use super::refusal::Refusal;
use super::shown;
use super::unrendered::is_manifest;

/// One such file or folder.
#[derive(Debug)]
pub(super) struct Unlisted {
    /// Relative to the application's folder. What is not UTF-8 in it is U+FFFD.
    path: String,
    is_link: bool,
}

impl Unlisted {
    /// A link out of the root: to a file or to a folder, which cannot be known without
    /// leaving it.
    pub(super) fn link(path: &str) -> Self {
        let path = path.to_owned();
        Self {
            path,
            is_link: true,
        }
    }

    /// A file whose name, or a folder of it, is not UTF-8.
    pub(super) fn unnamed(path: &Path) -> Self {
        let path = path.to_string_lossy().into_owned();
        Self {
            path,
            is_link: false,
        }
    }

    /// The path by which the module is asked whether the Binding selects what there is:
    /// any manifest in the folder that a link may lead to.
    pub(super) fn candidate(&self) -> String {
        match self.is_link {
            true => format!("{}/*.yaml", self.path),
            false => self.path.clone(),
        }
    }

    /// The pattern that excludes it.
    fn exclude(&self) -> String {
        let pattern = self.path.replace(char::REPLACEMENT_CHARACTER, "?");
        let pattern = match self.is_link {
            true => format!("{pattern}/"),
            false => pattern,
        };
        let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_./".contains(char);
        match pattern.chars().all(is_plain) {
            true => pattern,
            false => format!("{pattern:?}"),
        }
    }

    fn into_refusal(self, shown: &str, root: &Root, is_left_out: bool) -> Refusal {
        let exclude = Some(self.exclude());
        let path = shown::joined(shown, &self.path);
        match self.is_link {
            true => Refusal::Outside {
                path,
                exclude,
                root: root.kind(),
                is_left_out,
            },
            false => Refusal::Unnamed {
                path,
                exclude,
                is_left_out,
            },
        }
    }
}

impl Loader<'_> {
    /// Refuses what the Binding selects and nobody can list. The candidates of
    /// `unlisted` are in the folder of the `plan`, after the `listed` files.
    pub(super) fn refuse_unlisted(
        &mut self,
        unlisted: Vec<Unlisted>,
        plan: &Plan,
        listed: usize,
        root: &Root,
        shown: &str,
    ) -> Result<(), End> {
        let is_bound = |path: &str| {
            let mut bound = plan.outputs.iter();
            bound.any(|need| shown::joined("", &need.path) == path)
        };
        for (position, unlisted) in unlisted.into_iter().enumerate() {
            // A file is opened when it is selected.
            if unlisted.is_link && (is_manifest(&unlisted.path) || is_bound(&unlisted.path)) {
                continue;
            }
            let mut selected = plan.manifests.iter();
            let is_selected = selected.any(|&at| at as usize == listed + position);
            // Patterns of `include` may select something else there.
            if is_selected || self.may_be_included(unlisted.candidate())? {
                self.refuse(unlisted.into_refusal(shown, root, !is_selected));
            }
        }
        Ok(())
    }

    /// Whether the Binding has an `include` that does not select `candidate`: such a
    /// list is an error in a folder that holds nothing else.
    fn may_be_included(&mut self, candidate: String) -> Result<bool, End> {
        let alone = Folder {
            shown: String::new(),
            paths: vec![candidate],
        };
        let request = &self.loaded.application.request;
        let plan = self
            .plugin
            .needs(request.binding.as_ref(), &request.parameters, Some(&alone))
            .map_err(Halted::from)?;
        Ok(plan.is_err())
    }
}
