//! Folders with a Helm chart (`spec.tool: helm`): the values files are rendered, the real
//! `helm template` runs on a copy of the chart with them, and the manifests that it writes
//! are rendered.
//!
//! The authors of charts are not trusted. A template can read the files of its chart, but no
//! outputs document and no Binding is in the copy; no argument from the Binding can be another
//! flag; and sensitive values are never in the files that Helm reads: they come into the
//! manifests afterwards.

mod template;

use std::path::{Path, PathBuf};

use landfall_sandbox::types::{ChartOptions, Diagnostic, File, NamedFile, Severity};

use crate::discovery::BINDINGS;
use crate::files::{FileError, Root};
use crate::loading::{Loader, Stop, ToolFolder};
use crate::paths;
use crate::problem::{HostRule, Problem, named_here};
use crate::rendered::{Application, Source};
use crate::settings::{Release, Tool};

use super::runner::private_root;

pub(crate) use template::{Templated, check_built, template_all};

/// The file that makes a folder a chart.
const CHART: &str = "Chart.yaml";
/// The chart's own values.
const VALUES: &str = "values.yaml";

/// An application that Helm templates. Its first files are the values files, and its last
/// ones define types.
#[derive(Debug)]
pub(crate) struct Chart {
    /// Its folder in diagnostics.
    display_path: String,
    /// The path of the manifests below an output folder.
    target: String,
    /// Where each values file is below the copy of the chart, if it is there.
    values: Vec<ValuesFile>,
    /// The other files of the chart, relative to it.
    others: Vec<File>,
    options: ChartOptions,
    release: ReleaseName,
    /// The root, if it is a private copy that Argo CD removes after the call.
    private_root: Option<PathBuf>,
}

/// A values file: one file of the application.
#[derive(Debug)]
struct ValuesFile {
    /// Its path in the chart, if it is there.
    in_chart: Option<String>,
    /// Whether a flag of Helm names it. It reads the chart's own without one.
    is_named: bool,
}

#[derive(Debug, Default)]
struct ReleaseName {
    name: String,
    namespace: String,
}

impl Chart {
    /// Adds the manifests of the chart to the files of its application. Its values files stay
    /// sources, because outputs may be used only there.
    pub(crate) fn add_manifests(&self, application: &mut Application, content: Vec<u8>) {
        let path = self.target.clone();
        let shown = format!("{} {}", Tool::Helm.command(), self.display_path);
        let source = Source::written(shown, self.target.clone());
        application.add(File { path, content }, source);
    }

    /// Returns whether a file that Helm reads beside the values may name an output.
    pub(super) fn mentions(&self, output: &str) -> bool {
        let finder = memchr::memmem::Finder::new(output);
        let mut others = self.others.iter();
        others.any(|file| finder.find(&file.content).is_some())
    }

    /// Returns a warning if other files than the values may have references: what templates
    /// write is rendered in the same dialect.
    pub(super) fn not_migrated(&self) -> Option<Diagnostic> {
        // What is in the archive of a subchart is unknown.
        let may_have = |file: &&File| match std::str::from_utf8(&file.content) {
            Ok(text) => ["${", "$$", "kpt-set:"].iter().any(|it| text.contains(it)),
            Err(_) => file.path.starts_with("charts/"),
        };
        let file = self.others.iter().find(may_have)?;
        let path = paths::join(&self.display_path, &file.path);
        let message = format!(
            "`{path}` is not migrated: only the values of a chart are, and it may have references"
        );
        let found = Problem::of_module("not-migrated", message).severity(Severity::Warning);
        Some(
            found
                .help("migrate its references by hand, together with the values")
                .diagnostic(),
        )
    }

    /// Returns the files with values: the sources of the first render.
    pub(super) fn sources<'f>(&self, files: &'f [File]) -> &'f [File] {
        files.get(..self.values.len()).unwrap_or(files)
    }
}

/// Loads a chart. None: the name or the namespace of its release is unknown.
pub(crate) fn load(loader: &mut Loader<'_>, folder: ToolFolder) -> Result<Option<Chart>, Stop> {
    let ToolFolder {
        root,
        folder,
        display_path,
        prefix,
        plan,
        listed,
        ..
    } = folder;
    let (root, folder, display_path) = (&root, folder.as_path(), display_path.as_str());
    if !listed.iter().any(|path| path == CHART) {
        loader.refuse(
            format!("`{display_path}` has no {CHART}, so it is not a chart"),
            "set `spec.tool: helm` in the folder of a chart",
        );
    }
    let options = &plan.chart;
    let release = release(options, &loader.job.release);
    let is_run = !loader.job.is_about_sources;
    if release.is_none() && is_run {
        loader.refuse(
            format!("the name or the namespace of the release of `{display_path}` is unknown"),
            "set `releaseName` and `namespace` in `spec.helm`; under Argo CD, the default is the name of the Application and `destination.namespace`",
        );
    }
    let own_inputs = loader.own_inputs(root, folder, &plan)?;
    let role = |real: &PathBuf| own_inputs.role(real);
    let values = loader.values(root, folder, display_path, &listed, options, &role);
    let mut others = Vec::new();
    for path in listed {
        if loader.is_full() {
            break;
        }
        let in_root = folder.join(&path);
        let is_values = values
            .iter()
            .any(|file| file.in_chart.as_ref() == Some(&path));
        let is_ours = BINDINGS.contains(&path.as_str());
        let real = root.inside(&in_root);
        if is_values || is_ours || real.is_ok_and(|real| role(&real).is_some()) {
            continue;
        }
        match root.read(&in_root, loader.budget) {
            Ok(content) => others.push(File { path, content }),
            Err(error) => {
                let path = paths::join(display_path, &path);
                loader.report(match error {
                    FileError::OutsideRoot => {
                        Problem::link_outside_root(&path, None, root.kind(), false)
                    }
                    error => Problem::manifest(&path, &error),
                });
            }
        }
    }
    // They come last, and Helm does not read them.
    loader.schemas(&plan, root, folder, display_path)?;
    // Values do not depend on it.
    let release = release.or_else(|| (!is_run).then(ReleaseName::default));
    Ok(release.map(|release| Chart {
        display_path: display_path.to_owned(),
        target: format!("{prefix}{}", Tool::Helm.built_path()),
        values,
        others,
        options: plan.chart,
        release,
        private_root: private_root(root),
    }))
}

impl Loader<'_> {
    /// Adds the chart's own values and those that the Binding names to the files.
    fn values(
        &mut self,
        root: &Root,
        folder: &Path,
        display_path: &str,
        listed: &[String],
        options: &ChartOptions,
        role: &dyn Fn(&PathBuf) -> Option<&'static str>,
    ) -> Vec<ValuesFile> {
        let mut values = Vec::new();
        let own = listed.iter().any(|path| path == VALUES);
        let own = own.then_some((VALUES, None));
        let named = options
            .value_files
            .iter()
            .map(|file| (file.path.as_str(), Some(file)));
        for (path, named) in own.into_iter().chain(named) {
            if self.is_full() {
                break;
            }
            let path_in_root = folder.join(path);
            let shown = paths::join(display_path, path);
            let inside = root.inside(&path_in_root);
            if let Some(role) = inside.as_ref().ok().and_then(role) {
                self.input_as_values(&shown, role, named);
                continue;
            }
            let for_module = paths::for_module(inside.as_deref().unwrap_or(&path_in_root));
            match root.read(&path_in_root, self.budget) {
                Ok(content) => {
                    let in_chart = paths::join("", path);
                    let in_chart = Some(in_chart).filter(|path| listed.contains(path));
                    let file = File {
                        path: for_module,
                        content,
                    };
                    let source = Source::written(shown.clone(), shown);
                    self.loaded.application.add(file, source);
                    values.push(ValuesFile {
                        in_chart,
                        is_named: named.is_some(),
                    });
                }
                Err(error) => match named {
                    Some(file) => self.unreadable_values(&shown, &error, file),
                    None => self.report(Problem::manifest(&shown, &error)),
                },
            }
        }
        values
    }

    fn unreadable_values(&mut self, shown: &str, error: &FileError, file: &NamedFile) {
        let rule = match error {
            FileError::Missing | FileError::BrokenLink => HostRule::MissingFile,
            FileError::OutsideRoot => HostRule::OutsideRoot,
            _ => return self.report(Problem::manifest(shown, error)),
        };
        let (message, help) = match rule {
            HostRule::MissingFile => (
                format!("the values file `{shown}` does not exist"),
                "correct the path: it is relative to the folder of the Binding",
            ),
            _ => (
                format!("the values file `{shown}` is outside the root"),
                "move it into the repository, or pass a larger root",
            ),
        };
        let found = Problem::new(rule, message).help(help);
        self.report_in_binding(found, Some(file));
    }

    /// Reports values that are a bound outputs document or a Binding: templates would read all
    /// of it.
    fn input_as_values(&mut self, shown: &str, role: &str, file: Option<&NamedFile>) {
        let message = format!("the values file `{shown}` is {role}");
        let help = "reference its outputs in another values file";
        let found = Problem::new(HostRule::InvalidChart, message).help(help);
        self.report_in_binding(found, file);
    }

    fn report_in_binding(&mut self, problem: Problem, file: Option<&NamedFile>) {
        let problem = match file {
            Some(file) => problem.at(named_here(file.start, file.end)),
            None => problem,
        };
        let found = &mut self.loaded.findings.diagnostics;
        found.push(problem.diagnostic());
    }

    fn refuse(&mut self, message: String, help: &str) {
        let found = Problem::new(HostRule::InvalidChart, message).help(help);
        self.report_in_binding(found, None);
    }
}

/// Returns the name and the namespace of the release, if they are known. The module has
/// checked those of the Binding.
fn release(options: &ChartOptions, application: &Release) -> Option<ReleaseName> {
    let of = |chosen: &Option<String>, default: &Option<String>| {
        let default = default.as_ref().filter(|name| is_name(name));
        chosen.as_ref().or(default).cloned()
    };
    Some(ReleaseName {
        name: of(&options.release_name, &application.name)?,
        namespace: of(&options.namespace, &application.namespace)?,
    })
}

/// Returns whether a name of Argo CD's cannot be taken for a flag or for several values.
fn is_name(name: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    !name.starts_with('-') && name.bytes().all(is_inner)
}
