//! The tools that build manifests from rendered files: `spec.tool`.

mod helm;
mod kustomize;
mod program;
mod runner;
mod shared;

use std::path::PathBuf;

use landfall_sandbox::types::{
    AdoptionOutcome, Content, Diagnostic, EditList, File, Migrated, Proposal, Topic,
};
use serde_json::Value as Json;

use crate::engine::{Answer, Halted};
use crate::loading::{Loader, ToolFolder};
use crate::rendered::Application;
use crate::settings::Tool;

use helm::Chart;
pub(crate) use helm::{Templated, check_built, template_all};
use kustomize::Kustomization;
pub(crate) use kustomize::{Build, build_all, files_of};
pub(crate) use shared::{Changes, SourcesOf, unnamed_readers};

/// A tool with what it builds from.
#[derive(Debug)]
pub(crate) enum BuiltBy {
    Kustomize(Box<Kustomization>),
    Helm(Box<Chart>),
}

impl BuiltBy {
    /// Returns the sources that the module renders first, where `files` are those of the
    /// application.
    pub(crate) fn sources<'f>(&'f self, files: &'f [File]) -> &'f [File] {
        match self {
            Self::Kustomize(kustomization) => kustomization.sources(),
            Self::Helm(chart) => chart.sources(files),
        }
    }

    /// Returns what the manifests of a folder are called in diagnostics.
    pub(crate) fn shown(&self, folder: &str) -> String {
        let tool = match self {
            Self::Kustomize(_) => Tool::Kustomize,
            Self::Helm(_) => Tool::Helm,
        };
        format!("{} {folder}", tool.command())
    }

    /// Moves the locations of diagnostics from the sources to the application's files.
    pub(crate) fn relocate(&self, found: &mut [Diagnostic]) {
        if let Self::Kustomize(kustomization) = self {
            kustomization.relocate(found);
        }
    }

    /// Makes the answer for the sources one for the files of the application, which it does not
    /// change: the tool is not run.
    ///
    /// # Errors
    /// The report of substitutions is not one.
    pub(crate) fn explain(
        &self,
        application: &Application,
        answer: &mut Answer,
    ) -> Result<(), Halted> {
        answer.sources = vec![Content::Unchanged; application.files().len()];
        if let Self::Helm(_) = self {
            // Templates may use them.
            let is_unused = |found: &Diagnostic| found.topic == Some(Topic::UnusedOutput);
            answer
                .findings
                .diagnostics
                .retain(|found| !is_unused(found));
        }
        let Some(report) = &mut answer.substitutions else {
            return Ok(());
        };
        let mut json: Json = serde_json::from_slice(report).map_err(|_| Halted::BrokenAnswer)?;
        if let Some(all) = json.get_mut("substitutions").and_then(Json::as_array_mut) {
            for one in all.iter_mut().filter_map(Json::as_object_mut) {
                // The rendered sources are not written.
                one.remove("resultSpan");
                if let Self::Kustomize(kustomization) = self {
                    kustomization.relocate_substitution(one);
                }
            }
        }
        let unused = json.get_mut("unused").and_then(Json::as_array_mut);
        if let (Self::Helm(chart), Some(all)) = (self, unused) {
            all.retain(|unused| {
                let output = unused["output"].as_str().or(unused.as_str());
                let (_, name) = output.and_then(|it| it.split_once('.')).unwrap_or_default();
                !chart.mentions(name)
            });
        }
        *report = json.to_string().into_bytes();
        Ok(())
    }

    /// Makes a proposal for the sources one for the files of the application.
    ///
    /// # Errors
    /// Its edits are not in the sources.
    pub(crate) fn adopt(
        &self,
        application: &Application,
        proposal: &mut Proposal,
    ) -> Result<(), Halted> {
        let files = application.files();
        match self {
            Self::Kustomize(kustomization) => kustomization.adopt(files, proposal)?,
            Self::Helm(_) => {
                // A template would write them in another way, if a render would accept them.
                withdraw(files, proposal, |text| {
                    let is_long_number = text.len() > 15 && text.iter().all(u8::is_ascii_digit);
                    is_long_number || memchr::memmem::find(text, b"{{").is_some()
                })?;
            }
        }
        proposal.edits.resize_with(files.len(), EditList::default);
        Ok(())
    }

    /// Makes a migration of the sources one of the files of the application, and adds what can
    /// not be migrated in them.
    pub(crate) fn migrate(&self, application: &Application, migrated: &mut Migrated) {
        let files = application.files();
        match self {
            Self::Kustomize(kustomization) => kustomization.migrate(files, migrated),
            Self::Helm(chart) => {
                migrated.left.diagnostics.extend(chart.not_migrated());
            }
        }
        migrated.changes.resize_with(files.len(), Vec::new);
    }

    /// Returns the canonical paths of kustomizations and of the files that they name. The files of
    /// a chart are in its folder.
    pub(crate) fn reads(&self) -> &[PathBuf] {
        match self {
            Self::Kustomize(kustomization) => &kustomization.reads,
            Self::Helm(_) => &[],
        }
    }
}

/// Loads what a tool builds the manifests of a folder from. None after reporting errors.
///
/// # Errors
/// The module was stopped, or its answer is invalid.
pub(crate) fn load(loader: &mut Loader<'_>, folder: ToolFolder) -> Result<Option<BuiltBy>, Halted> {
    let loaded = match folder.tool {
        Tool::Kustomize => kustomize::load(loader, folder)
            .map(|kustomization| Some(BuiltBy::Kustomize(Box::new(kustomization)))),
        Tool::Helm => helm::load(loader, folder)
            .map(|chart| chart.map(|chart| BuiltBy::Helm(Box::new(chart)))),
    };
    Ok(loader.settle(loaded)?.flatten())
}

/// Leaves the values of a proposal as they are whose text `is_left`.
fn withdraw(
    files: &[File],
    proposal: &mut Proposal,
    is_left: impl Fn(&[u8]) -> bool,
) -> Result<(), Halted> {
    let is_left = |nth: usize, start: usize, end: usize| {
        let text = files.get(nth).and_then(|file| file.content.get(start..end));
        text.is_none_or(&is_left)
    };
    for (nth, edits) in proposal.edits.iter_mut().enumerate() {
        let length = files.get(nth).map_or(0, |file| file.content.len());
        let checked = edits.checked(length).map_err(|_| Halted::BrokenAnswer)?;
        let kept = checked
            .iter()
            .filter(|edit| !is_left(nth, edit.start, edit.end))
            .collect();
        *edits = kept;
    }
    for value in &mut proposal.values {
        let (start, end) = (value.start as usize, value.end as usize);
        if value.outcome == AdoptionOutcome::Adopted && is_left(value.file as usize, start, end) {
            value.outcome = AdoptionOutcome::NotAdoptable;
        }
    }
    Ok(())
}
