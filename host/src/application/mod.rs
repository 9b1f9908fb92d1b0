//! One application: a folder, or a run of files, with all that its render
//! depends on. From what the user named to a request, and from the request to an
//! answer.

mod address;
mod advice;
mod bound;
mod elsewhere;
mod job;
mod load;
mod need;
mod output_folder;
mod refusal;
mod render;
mod rule;
mod shown;
mod unlisted;
mod unrendered;
mod which;

use std::path::PathBuf;

use landfall_sandbox::types::{File, Request};

use crate::draw::{Document, Documents};
use crate::files::FileId;

pub(crate) use bound::Bound;
pub(crate) use elsewhere::{has_unanswered, names_under};
pub(crate) use job::{ApplicationFolder, Group, Job, Part, RootChoice};
pub(crate) use need::open_need;
pub(crate) use refusal::{Refusal, diagnostics as refused};
pub(crate) use render::{Rendered, render_all};
#[cfg(test)]
pub(crate) use rule::HostRule;
pub(crate) use shown::named as shown_path;
pub(crate) use unrendered::report_unrendered;
pub(crate) use which::{BINDINGS, Search, has_binding};

/// What one request is made of, and what people call its files.
#[derive(Debug)]
pub(crate) struct Application {
    pub(crate) files: Vec<File>,
    /// For each file: how diagnostics call it.
    pub(crate) shown: Vec<String>,
    /// For each file: its path below an output folder; none: it is rendered because
    /// others of its application are asked for, and not written.
    pub(crate) targets: Vec<Option<String>>,
    /// For each file: where it lies, links followed. Empty unless it is rendered
    /// in place.
    pub(crate) places: Vec<PathBuf>,
    /// For each file: which one it is, where that matters; none of standard input.
    pub(crate) ids: Vec<Option<FileId>>,
    pub(crate) request: Request,
}

impl Application {
    /// What the spans of this request's diagnostics point into.
    pub(crate) fn documents(&self) -> Documents<'_> {
        let Request {
            outputs,
            binding,
            ceiling,
            policy,
            ..
        } = &self.request;
        Documents {
            manifests: std::iter::zip(&self.files, &self.shown)
                .map(|(file, path)| Document {
                    path,
                    content: &file.content,
                })
                .collect(),
            outputs: outputs.iter().map(Document::from).collect(),
            binding: binding.as_ref().map(Document::from),
            operator_policy: ceiling.operator_policy.as_ref().map(Document::from),
            policy: policy.as_ref().map(Document::from),
        }
    }
}
