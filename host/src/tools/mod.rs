//! The tools that build manifests from rendered files: `spec.tool`.

mod helm;
mod kustomize;
mod program;
mod runner;

use std::path::PathBuf;

use landfall_sandbox::types::File;

use crate::engine::Halted;
use crate::loading::{Loader, ToolFolder};
use crate::settings::Tool;

use helm::Chart;
pub(crate) use helm::{Templated, check_built, template_all};
use kustomize::Kustomization;
pub(crate) use kustomize::{build_all, files_of};

/// A tool with what it builds from.
#[derive(Debug)]
pub(crate) enum BuiltBy {
    Kustomize(Box<Kustomization>),
    Helm(Box<Chart>),
}

impl BuiltBy {
    /// Returns the sources that the module renders first, where `files` are those of the
    /// application.
    pub(super) fn sources<'f>(&'f self, files: &'f [File]) -> &'f [File] {
        match self {
            Self::Kustomize(kustomization) => kustomization.sources(),
            Self::Helm(chart) => chart.sources(files),
        }
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
        Tool::Kustomize => kustomize::load(loader, &folder)
            .map(|kustomization| Some(BuiltBy::Kustomize(Box::new(kustomization)))),
        Tool::Helm => helm::load(loader, folder)
            .map(|chart| chart.map(|chart| BuiltBy::Helm(Box::new(chart)))),
    };
    Ok(loader.settle(loaded)?.flatten())
}
