//! The paths on which the manifests of an application depend: Argo CD renders it again when
//! a commit changes one of them.

use std::collections::BTreeSet;
use std::path::Path;

use landfall_sandbox::types::{
    BuiltInCeiling, Ceiling, Detail, Diagnostic, Folder, Location, NamedFile, Origin, Parameter,
    Severity,
};

use crate::discovery::{RootChoice, own_binding};
use crate::engine::{Halted, Plugin, configuration, has_errors};
use crate::files::{Budget, Listing, Root};
use crate::loading::{
    FlagInputs, Job, Loader, NotMounted, Repository, open_required, secrets_in_git,
};
use crate::paths::{self, relative_to};
use crate::problem::{self, HostRule, Problem};
use crate::settings::{Destination, Limits, Policies, Release, Tool};
use crate::tools::files_of;

/// The annotation of an Application with its paths.
pub(crate) const ANNOTATION: &str = "argocd.argoproj.io/manifest-generate-paths";

/// What an application consists of, and whether it is complete.
#[derive(Debug, Default)]
pub(crate) struct RefreshPaths {
    /// Its Binding, as it is shown in diagnostics.
    pub(crate) binding: Option<String>,
    /// The names of the outputs documents that exist, with their paths.
    pub(crate) outputs: Vec<(String, String)>,
    /// The names of the documents in the operator's mounted folder, with their paths there.
    /// No commit changes them.
    pub(crate) mounted: Vec<(String, String)>,
    /// The names of the documents whose paths have parameters that are not set.
    pub(crate) unset: Vec<(String, String)>,
    /// Everything that is wrong, in the Binding, the folder and the outputs documents.
    pub(crate) problems: Vec<Diagnostic>,
    /// Paths that cannot be written in the annotation.
    pub(crate) unwritable: Vec<String>,
    /// Paths relative to the application's folder: `.`, and files outside it.
    paths: BTreeSet<String>,
}

impl RefreshPaths {
    /// Returns the value of [`ANNOTATION`], unless there are errors.
    ///
    /// Argo CD takes paths without a leading `/` relative to the Application's
    /// `spec.source.path`, and a path of a file as well as of a folder
    /// (GetSourceRefreshPaths and AppFilesHaveChanged in util/app/path/path.go, argo-cd
    /// v3.2.12). With repo-server's `--plugin-use-manifest-generate-paths`, the plugin is
    /// given the folder that contains all of them.
    pub(crate) fn annotation(&self) -> Option<String> {
        let is_error = |found: &Diagnostic| found.severity == Severity::Error;
        let is_inside = |path: &str| {
            let mut above = path.match_indices('/').map(|(at, _)| &path[..at]);
            above.any(|above| above != ".." && self.paths.contains(above))
        };
        let paths: Vec<_> = self
            .paths
            .iter()
            .map(String::as_str)
            .filter(|path| !is_inside(path))
            .collect();
        let is_complete = self.unwritable.is_empty() && !self.problems.iter().any(is_error);
        is_complete.then(|| paths.join(";"))
    }

    fn report(&mut self, problem: Problem) {
        self.problems.extend(problem::diagnostics(vec![problem]));
    }

    /// Adds a path relative to the application's folder.
    fn add(&mut self, path: &str) {
        if path != ".." && !path.starts_with("../") {
            return;
        }
        // Argo CD splits the annotation at semicolons, which cannot be escaped.
        if path.contains(|char: char| char == ';' || char.is_control()) {
            self.unwritable.push(path.to_owned());
        } else {
            self.paths.insert(path.to_owned());
        }
    }
}

/// Collects the paths of the application in `folder`, a folder of a Git work tree.
///
/// # Errors
/// The module was stopped, or its answer is invalid.
pub(crate) fn refresh_paths(
    folder: &Path,
    parameters: &[Parameter],
    limits: Limits,
    plugin: &mut Plugin,
) -> Result<RefreshPaths, Halted> {
    let mut found = RefreshPaths::default();
    found.paths.insert(".".to_owned());
    let shown = paths::display(folder);
    let opened = Root::work_tree(folder).and_then(|root| {
        let folder = root.relative(folder)?;
        let listing = Listing::of(&root, &folder, &BTreeSet::new())?;
        Ok((root, folder, listing))
    });
    let (root, folder, listing) = match opened {
        Ok(opened) => opened,
        Err(_) if folder.is_file() => {
            let message = format!("`{shown}` is a file, not the folder of an application");
            let above = paths::display(&paths::folder_of(folder));
            let problem = Problem::new(HostRule::MissingFile, message);
            found.report(problem.help(format!("pass its folder: `{above}`")));
            return Ok(found);
        }
        Err(error) => {
            found.report(Problem::manifest(&shown, &error));
            return Ok(found);
        }
    };
    let mut budget = Budget::new(limits.input);
    let binding = match own_binding(&root, &folder, &shown, &mut budget) {
        Ok(Some(binding)) => binding,
        Err(problem) => {
            found.report(problem);
            return Ok(found);
        }
        Ok(None) => {
            found.report(Problem::new(
                HostRule::MissingFile,
                format!("`{shown}` is not the folder of an application: it has no landfall.yaml"),
            ));
            return Ok(found);
        }
    };
    let files = Folder {
        shown: shown.clone(),
        paths: listing.paths,
    };
    let ceiling = Ceiling {
        built_in: BuiltInCeiling::ArgoCd,
        operator_policy: None,
    };
    let configuration = configuration(Some(binding.clone()), ceiling);
    let plan = plugin.plan(&configuration, parameters, Some(&files))?;
    let tool = Tool::of(&plan);
    let is_refused = has_errors(&plan.findings.diagnostics);
    found.problems.extend(plan.findings.diagnostics);
    if is_refused {
        return Ok(found);
    }
    // A link is changed by a commit that changes the file it points to.
    let add_real = |path: &Path, found: &mut RefreshPaths| {
        if let Ok(real) = root.inside(path) {
            found.add(&relative_to(&folder, &paths::for_module(&real)));
        }
    };
    for manifest in &plan.manifests {
        if let Some(path) = files.paths.get(*manifest as usize) {
            add_real(&folder.join(path), &mut found);
        }
    }
    add_real(&folder.join(paths::file_name(&binding.path)), &mut found);
    let mut named = plan.schemas;
    if tool == Some(Tool::Helm) {
        // Values files may be outside of the chart.
        named.extend(plan.chart.value_files);
        for path in &files.paths {
            add_real(&folder.join(path), &mut found);
        }
    }
    for NamedFile { path: name, .. } in named {
        let path = folder.join(&name);
        if let Err(error) = root.inside(&path) {
            let path = paths::join(&shown, &name);
            found.report(Problem::manifest(&path, &error));
        }
        found.add(&paths::join("", &name));
        add_real(&path, &mut found);
    }
    if tool == Some(Tool::Kustomize) {
        let policies = Policies::default();
        let job = empty_job(&policies, limits);
        let mut problems = Vec::new();
        let flag_inputs = FlagInputs::read(&[], None, "", &policies, &mut budget, &mut problems);
        let mut written = BTreeSet::new();
        let mut loader = Loader::new(&job, &flag_inputs, &mut budget, &mut written, plugin);
        let (files, problems) = files_of(&mut loader, &root, &shown, &folder);
        found.problems.extend(problems);
        for file in files {
            let path = relative_to(&folder, &file);
            let folder_of = paths::parent(&path);
            // A base has many files. Its folder is enough, but not a folder above this one.
            let is_above = folder_of.split('/').all(|part| part == "..");
            found.add(if is_above { &path } else { folder_of });
            add_real(Path::new(&file), &mut found);
        }
    }
    let mut documents = Vec::new();
    for need in &plan.documents {
        if let Location::Held(_) | Location::Resource = need.location {
            continue;
        }
        if need.location == Location::Mounted {
            found.mounted.push((need.name.clone(), need.path.clone()));
            continue;
        }
        // Any document that a parameter may choose.
        if let Some((fixed, _)) = need.path.split_once('{') {
            found.unset.push((need.name.clone(), need.path.clone()));
            found.add(&paths::join("", paths::parent(fixed)));
            continue;
        }
        match open_required(need, Origin::Binding, &root, &folder, &shown, &mut budget) {
            Ok(document) => {
                let (name, path) = (document.name.clone(), document.path.clone());
                found.outputs.push((name, path));
                documents.push(document);
            }
            Err(problem) if need.optional => {
                found.report(problem.into_optional(need.may_be_absent));
            }
            Err(problem) => found.report(problem),
        }
        found.add(&paths::join("", &need.path));
        add_real(&folder.join(&need.path), &mut found);
    }
    found.binding = Some(binding.path);
    let read = plugin.read_outputs(&documents, &configuration)?;
    let readable = &read.findings.readable_secrets;
    let in_git = secrets_in_git(&documents, readable, &configuration, Repository::WorkTree);
    let is_note = |found: &Diagnostic| found.severity == Severity::Note;
    found
        .problems
        .extend(in_git.into_iter().filter(|found| !is_note(found)));
    Ok(found)
}

/// Returns a job that renders nothing.
fn empty_job<'a>(policies: &'a Policies, limits: Limits) -> Job<'a> {
    Job {
        groups: Vec::new(),
        outside: Vec::new(),
        bound_files: &[],
        declared: &[],
        config: None,
        ignores_bindings: false,
        repository: None,
        root: RootChoice::WorkTree,
        ceiling: Ceiling {
            built_in: BuiltInCeiling::ArgoCd,
            operator_policy: None,
        },
        operator_policy_file: None,
        policies,
        parameters: Vec::new(),
        mounted: Err(NotMounted::NoFolder),
        digest: None,
        stdin_name: "",
        detail: Detail::Diagnostics,
        limits,
        programs: None,
        is_about_sources: false,
        release: Release::default(),
        hints: &[],
        destination: Destination::Stdout,
        jobs: None,
        fleet: None,
    }
}
