//! Folders that kustomize builds (`spec.tool: kustomize`): the files that the kustomization
//! names are rendered, and the real `kustomize build` runs on a copy in which there is
//! nothing else. What it builds is checked once more.
//!
//! The authors of kustomizations are not trusted. Which files kustomize can read does not
//! depend on kustomize: only files that were found below the root and rendered exist in its
//! folder, and it has no program and no network to get others.

mod build;
mod collect;
mod entry;
mod fields;
mod local_path;
mod program;
mod reader;
mod sources;

use std::path::{Path, PathBuf};

use landfall_sandbox::types::{Answer, Config, Detail, Diagnostic, File, Tool};
use landfall_sandbox::{Plugin, Stopped};

use super::load::{Loader, Stop};
use super::problem::{Problem, diagnostics};
use super::{Application, ApplicationFolder, Part, paths};
use crate::engine::Halted;
use crate::files::{Root, RootKind};
use crate::settings::Destination;

pub(super) use build::{Build, build_all};
use collect::{Collected, SourceFile, collect};
use sources::Sources;

/// The path of the built manifests below an output folder.
const BUILT: &str = "kustomize.yaml";

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
    /// The root, if it is a private copy that Argo CD removes after the call.
    private_root: Option<PathBuf>,
}

impl Kustomization {
    /// Returns the sources that the module renders.
    pub(super) fn sources(&self) -> &[File] {
        &self.sources.files
    }

    /// Moves the locations of diagnostics from the sources to the application's files.
    pub(super) fn relocate(&self, found: &mut [Diagnostic]) {
        self.sources.relocate(found);
    }

    /// Returns what kustomize builds, or the reasons why it cannot build the rendered files.
    ///
    /// # Errors
    /// The answer is invalid.
    pub(super) fn rendered(
        self,
        originals: &[File],
        answer: &Answer,
    ) -> Result<Result<Build, Vec<Diagnostic>>, Halted> {
        super::render::check(self.sources(), answer)?;
        let rendered = self.sources.rendered(&self.files, originals, answer)?;
        if !rendered.problems.is_empty() {
            return Ok(Err(rendered.problems));
        }
        let without_values = build::has_sensitive(answer)?.then(|| {
            let originals = originals.iter();
            originals.map(|file| file.content.clone()).collect()
        });
        Ok(Ok(Build {
            kustomization: self,
            contents: rendered.contents,
            sources: rendered.sources,
            without_values,
        }))
    }
}

impl Application {
    /// Returns the sources that the module renders.
    pub(super) fn sources(&self) -> &[File] {
        match &self.kustomization {
            Some(kustomization) => kustomization.sources(),
            None => &self.files,
        }
    }
}

impl Loader<'_> {
    /// Returns whether kustomize builds the manifests of a folder with the request's Binding.
    pub(super) fn is_kustomized(&mut self) -> Result<bool, Halted> {
        match &self.loaded.application.request.binding {
            Some(binding) => is_kustomized(binding, self.plugin),
            None => Ok(false),
        }
    }

    /// Loads the files of the kustomization in `folder`, a path relative to the root.
    pub(super) fn kustomization(
        &mut self,
        application: &ApplicationFolder,
        root: &Root,
        folder: &Path,
    ) -> Result<(), Stop> {
        let ApplicationFolder {
            display_path,
            part,
            prefix,
            ..
        } = application;
        let is_in_place = matches!(self.job.destination, Destination::InPlace { .. });
        let is_part = !matches!(part, Part::Whole);
        if self.job.kustomize.is_none() || is_in_place || is_part {
            return Err(Stop::Problem(Problem::KustomizeNotRun {
                folder: display_path.clone(),
                is_in_place,
                is_part,
            }));
        }
        let request = &mut self.loaded.application.request;
        // kustomize checks its resources, and not all of its files are resources.
        request.resources_only = false;
        // Whether a sensitive value is in the files that kustomize reads.
        request.detail = Detail::Substitutions;
        let plan = self.plan(None)?;
        self.outputs(&plan.outputs, root, Some((folder, display_path)))?;
        let path = folder;
        let folder = paths::for_module(path);
        let Collected {
            files,
            is_unrestricted,
        } = collect(self, root, application, &folder);
        // They come last, and kustomize does not read them.
        self.schemas(root, path, display_path)?;
        let application = &mut self.loaded.application;
        let sources = Sources::new(&files, &application.files);
        application.kustomization = Some(Box::new(Kustomization {
            folder,
            display_path: display_path.clone(),
            target: format!("{prefix}{BUILT}"),
            files,
            sources,
            is_unrestricted,
            private_root: private_root(root),
        }));
        Ok(())
    }
}

/// Returns whether kustomize builds the manifests of a folder with this Binding.
pub(super) fn is_kustomized(binding: &Config, plugin: &mut Plugin) -> Result<bool, Halted> {
    match plugin.tool(Some(binding)) {
        Ok(Ok(tool)) => Ok(tool == Some(Tool::Kustomize)),
        // The plan reports what is wrong with the Binding.
        Ok(Err(_)) | Err(Stopped::NoInterface { .. }) => Ok(false),
        Err(stopped) => Err(stopped.into()),
    }
}

/// Returns the paths of the files that a kustomization reads, relative to the root, and
/// everything that is wrong with them.
pub(super) fn files_of(
    loader: &mut Loader<'_>,
    root: &Root,
    application: &ApplicationFolder,
    folder: &Path,
) -> (Vec<String>, Vec<Diagnostic>) {
    let collected = collect(loader, root, application, &paths::for_module(folder));
    let mut found = std::mem::take(&mut loader.loaded.findings.diagnostics);
    let problems = std::mem::take(&mut loader.loaded.problems);
    found.extend(diagnostics(problems));
    let files = collected.files.into_iter();
    (files.map(|file| file.path).collect(), found)
}

/// Returns the root if argocd-cmp-server has extracted the repository into it for this call:
/// `<workdir>/_cmp_server/<uuid>` (cmpserver/plugin/plugin.go, argo-cd v3.5.1). What is left
/// there when a call is killed is removed with it.
fn private_root(root: &Root) -> Option<PathBuf> {
    let path = root.real(Path::new(".")).ok()?;
    let parent = path.parent()?.file_name()?;
    (root.kind() == RootKind::ArgoCd && parent == "_cmp_server").then_some(path)
}
