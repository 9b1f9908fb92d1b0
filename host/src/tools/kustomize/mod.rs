//! Folders that kustomize builds (`spec.tool: kustomize`): the files that the kustomization
//! names are rendered, and the real `kustomize build` runs on a copy in which there is
//! nothing else. What it builds is checked once more.
//!
//! The authors of kustomizations are not trusted. Which files kustomize can read does not
//! depend on kustomize: only files that were found below the root and rendered exist in its
//! folder, and it has no program and no network to get others.

mod build;
mod collect;
mod edited;
mod entry;
mod envs;
mod fields;
mod local_path;
mod reader;
mod readers;
mod sources;
mod stand_ins;

use std::path::{Path, PathBuf};

use landfall_sandbox::types::{Detail, Diagnostic, File, Findings, Origin, Topic};

use crate::engine::{Answer, Halted, Plugin, Request, errors, has_errors};
use crate::files::Root;
use crate::loading::{Loader, OwnInputs, Stop, ToolFolder};
use crate::paths;
use crate::problem::diagnostics;
use crate::rendered::Application;
use crate::settings::Tool;

use super::runner::private_root;

pub(crate) use build::{Build, build_all};
use collect::{Collected, SourceFile, collect};
pub(super) use readers::{Unknown, other_readers};
use sources::Sources;
use stand_ins::has_sensitive;

/// What is said of names that are not bound.
const UNBOUND: [Option<Topic>; 3] = [
    Some(Topic::NothingBound),
    Some(Topic::UnboundName),
    Some(Topic::NearMiss),
];

/// An application that kustomize builds.
#[derive(Debug)]
pub(crate) struct Kustomization {
    /// The folder of the kustomization, relative to the root.
    folder: String,
    /// Its path in diagnostics.
    display_path: String,
    /// The path of the built manifests below an output folder.
    target: String,
    /// The files of the application.
    files: Vec<SourceFile>,
    sources: Sources,
    is_unrestricted: bool,
    /// As [`super::BuiltBy::reads`].
    pub(super) reads: Vec<PathBuf>,
    /// The root, if it is a private copy that Argo CD removes after the call.
    private_root: Option<PathBuf>,
}

impl Kustomization {
    /// Returns the sources that the module renders.
    pub(super) fn sources(&self) -> &[File] {
        &self.sources.files
    }

    /// Moves the locations of diagnostics from the sources to the application's files.
    pub(crate) fn relocate(&self, found: &mut [Diagnostic]) {
        self.sources.relocate(found);
        // The module does not know that kind.
        for label in found.iter_mut().flat_map(|found| &mut found.labels) {
            if let Origin::Manifest(nth) = label.span.origin
                && let Some(file) = self.files.get(nth as usize)
                && let Some(fields) = &file.fields
            {
                label.conceal |= fields.has_secret_generator;
            }
        }
    }

    /// Adds what is wrong with unbound names in the variables of `envs` to an outcome. In text of
    /// several lines, which such a file is for the module, they are mostly another language's.
    ///
    /// # Errors
    /// The module was stopped, or its answer is invalid.
    pub(crate) fn add_unbound(
        &self,
        plugin: &mut Plugin,
        originals: &[File],
        request: &Request,
        outcome: Result<Answer, Findings>,
    ) -> Result<Result<Answer, Findings>, Halted> {
        let variables = self.sources.of_variables(originals);
        let mut answer = match outcome {
            Ok(answer) if !variables.files.is_empty() => answer,
            outcome => return Ok(outcome),
        };
        let sources = plugin.sources(&variables.files)?;
        let mut found = match plugin.generate(&sources, request)? {
            Ok(answer) => answer.findings.diagnostics,
            Err(found) => errors(found)?.diagnostics,
        };
        found.retain(|found| UNBOUND.contains(&found.topic));
        variables.relocate(&mut found);
        let at = |found: &Diagnostic| found.labels.first().map(|label| label.span);
        // A warning, where this is an error.
        let is_repeated = |old: &Diagnostic| {
            UNBOUND.contains(&old.topic) && found.iter().any(|new| at(new) == at(old))
        };
        answer.findings.diagnostics.retain(|old| !is_repeated(old));
        answer.findings.diagnostics.extend(found);
        if !has_errors(&answer.findings.diagnostics) {
            return Ok(Ok(answer));
        }
        Ok(Err(answer.findings))
    }

    /// Returns what kustomize builds, or the reasons why it cannot build the rendered files.
    ///
    /// # Errors
    /// The answer is invalid.
    pub(crate) fn rendered(
        self,
        plugin: &mut Plugin,
        application: &Application,
        answer: &Answer,
    ) -> Result<Result<Build, Vec<Diagnostic>>, Halted> {
        let (originals, request) = (application.files(), &application.request);
        answer.check(self.sources())?;
        if has_sensitive(answer)? {
            let built = self.with_stand_ins(plugin, originals, request, answer)?;
            return Ok(built.map(|(rendered, sensitive)| Build {
                kustomization: self,
                contents: rendered.contents,
                sources: rendered.sources,
                sensitive: Some(sensitive),
            }));
        }
        let rendered = self.sources.rendered(&self.files, originals, answer)?;
        if !rendered.problems.is_empty() {
            return Ok(Err(rendered.problems));
        }
        Ok(Ok(Build {
            kustomization: self,
            contents: rendered.contents,
            sources: rendered.sources,
            sensitive: None,
        }))
    }
}

/// Loads the files of a kustomization.
pub(crate) fn load(loader: &mut Loader<'_>, folder: ToolFolder) -> Result<Kustomization, Stop> {
    let ToolFolder {
        root,
        folder: path,
        display_path,
        prefix,
        plan,
        ..
    } = folder;
    // Whether a sensitive value is in the files that kustomize reads.
    loader.loaded.application.request.inputs.detail = Detail::Substitutions;
    let own_inputs = loader.own_inputs(&root, &path, &plan)?;
    let folder = paths::for_module(&path);
    let Collected {
        files,
        is_unrestricted,
    } = collect(loader, &root, &display_path, &folder, &own_inputs);
    // They come last, and kustomize does not read them.
    loader.schemas(&plan, &root, &path, &display_path)?;
    let reads = files
        .iter()
        .filter_map(|file| root.real(Path::new(&file.path)).ok())
        .collect();
    let sources = Sources::new(&files, loader.loaded.application.files());
    Ok(Kustomization {
        folder,
        display_path,
        target: format!("{prefix}{}", Tool::Kustomize.built_path()),
        files,
        sources,
        is_unrestricted,
        reads,
        private_root: private_root(&root),
    })
}

/// Returns the paths of the files that a kustomization reads, relative to the root, and
/// everything that is wrong with them. `display_path` is its folder in diagnostics.
pub(crate) fn files_of(
    loader: &mut Loader<'_>,
    root: &Root,
    display_path: &str,
    folder: &Path,
) -> (Vec<String>, Vec<Diagnostic>) {
    let folder = paths::for_module(folder);
    let collected = collect(loader, root, display_path, &folder, &OwnInputs::default());
    let mut found = std::mem::take(&mut loader.loaded.findings.diagnostics);
    let problems = std::mem::take(&mut loader.loaded.problems);
    found.extend(diagnostics(problems));
    let files = collected.files.into_iter();
    (files.map(|file| file.path).collect(), found)
}
