//! Loads the files of a group into a request. The Binding is never parsed here: the
//! module returns the files that it requires, and these are opened.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use landfall_sandbox::types::{
    Configuration, File, Findings, Folder, Inputs, Location, Parameter, Plan,
};

use crate::discovery::{ApplicationFolder, BINDINGS, Group, Part, RootChoice, own_binding};
use crate::engine::{Halted, Plugin, Request, has_errors};
use crate::files::{self, Budget, FileError, FileId, Listing, ListingError, Root};
use crate::paths;
use crate::problem::Problem;
use crate::rendered::{Application, Source};
use crate::settings::{Destination, InputPath, Tool};

use super::flag_inputs::{FlagInputs, display_name, read_input};
use super::folder_problems::{
    ToolNotRun, binding_as_manifest, empty_stdin, not_in_application, tool_not_run,
};
use super::job::Job;
use super::links::Links;
use super::manifest_files::is_blank;
use super::unlistable::Unlistable;

/// The loaded files of a group, and all problems with the others.
pub(crate) struct Loaded {
    pub(crate) application: Application,
    pub(crate) problems: Vec<Problem>,
    /// The module's diagnostics about the Binding.
    pub(crate) findings: Findings,
    /// Whether some files of this group are already written by an earlier group.
    pub(crate) has_duplicates: bool,
}

/// The folder of an application that a tool builds. Its outputs documents are loaded; which
/// files are read depends on the tool.
pub(crate) struct ToolFolder {
    pub(crate) tool: Tool,
    pub(crate) root: Root,
    /// Its path relative to the root.
    pub(crate) folder: PathBuf,
    /// Its path in diagnostics.
    pub(crate) display_path: String,
    /// The prefix of its files below an output folder.
    pub(crate) prefix: String,
    pub(crate) plan: Plan,
    /// All files in it.
    pub(crate) listed: Vec<String>,
}

/// The files in the folder of an application.
struct ListedFolder {
    root: Root,
    /// Its path relative to the root.
    folder: PathBuf,
    paths: Vec<String>,
    /// Those of `paths` that are behind links.
    linked: Vec<String>,
    unlistable: Vec<Unlistable>,
}

impl ListedFolder {
    /// Leaves out these files.
    fn leave_out<'p>(&mut self, files: impl Iterator<Item = &'p Path>) {
        let below = files.filter_map(|path| self.root.below(&self.folder, path));
        let below: BTreeSet<_> = below.collect();
        self.paths.retain(|path| !below.contains(Path::new(path)));
    }

    /// Returns the files for the module. Those that cannot be listed come last.
    fn candidates(&self, display_path: &str) -> Folder {
        let unlistable = self.unlistable.iter().map(Unlistable::candidate);
        Folder {
            shown: display_path.to_owned(),
            paths: self.paths.iter().cloned().chain(unlistable).collect(),
        }
    }
}

/// Returns whether a file makes its folder another tool's, as `src/contract/folder/tool.rs`
/// says.
fn is_other_tools(path: &str) -> bool {
    let name = paths::file_name(path);
    let names = [
        "kustomization.yaml",
        "kustomization.yml",
        "Kustomization",
        "Chart.yaml",
        "helmfile.yaml",
        "helmfile.yaml.gotmpl",
    ];
    names.contains(&name) || name.ends_with(".jsonnet")
}

/// Why loading a group stopped early.
pub(crate) enum Stop {
    /// The module reported errors, which are in [`Loaded::findings`].
    Reported,
    Problem(Problem),
    Halted(Halted),
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<Halted> for Stop {
    fn from(halted: Halted) -> Self {
        Self::Halted(halted)
    }
}

/// Returns a group without files.
pub(crate) fn empty(job: &Job<'_>, flag_inputs: &FlagInputs) -> Loaded {
    let request = Request {
        configuration: Configuration {
            binding: flag_inputs.config.clone(),
            ceiling: job.ceiling.clone(),
            policy: job.policies.to_config(),
            bound_otherwise: flag_inputs.names(),
        },
        parameters: job.parameters.clone(),
        inputs: Inputs {
            documents: Vec::new(),
            known_names: flag_inputs.known_names(),
            resources_only: false,
            keep_references: job.destination
                == Destination::InPlace {
                    replace_references: false,
                },
            detail: job.detail,
            answer_limit: Some(job.limits.answer),
        },
    };
    Loaded {
        application: Application::new(request),
        problems: Vec::new(),
        findings: Findings::default(),
        has_duplicates: false,
    }
}

pub(crate) struct Loader<'a> {
    pub(crate) job: &'a Job<'a>,
    pub(super) flag_inputs: &'a FlagInputs,
    pub(crate) budget: &'a mut Budget,
    /// The files of earlier groups that are written without a Binding of their own: each is
    /// written once, even if several paths lead to it.
    written: &'a mut BTreeSet<FileId>,
    pub(super) plugin: &'a mut Plugin,
    pub(crate) loaded: Loaded,
    /// As [`Loader::set_again`].
    is_again: bool,
    /// Whether the result is written to a file, which may be a source.
    is_stdout_a_file: bool,
}

impl<'a> Loader<'a> {
    pub(crate) fn new(
        job: &'a Job<'a>,
        flag_inputs: &'a FlagInputs,
        budget: &'a mut Budget,
        written: &'a mut BTreeSet<FileId>,
        plugin: &'a mut Plugin,
    ) -> Self {
        Self {
            job,
            flag_inputs,
            budget,
            written,
            plugin,
            loaded: empty(job, flag_inputs),
            is_again: false,
            is_stdout_a_file: job.destination == Destination::Stdout
                && FileId::of_stdout().is_some(),
        }
    }
}

impl Loader<'_> {
    /// Loads a group again with these parameters and all outputs documents: for one cluster of a
    /// fleet, or for one side of a comparison.
    pub(crate) fn set_again(&mut self, parameters: &[Parameter]) {
        self.is_again = true;
        self.loaded.application.request.parameters = parameters.to_vec();
    }

    /// Loads a group. Returns the folder that is left to a tool, if there is one.
    ///
    /// # Errors
    /// The module was stopped, or its answer is invalid.
    pub(crate) fn group(&mut self, group: &Group) -> Result<Option<ToolFolder>, Halted> {
        let result = match group {
            Group::Files(inputs) => self.files(inputs).map(|()| None),
            Group::Folder(folder) => self.folder(folder),
        };
        Ok(self.settle(result)?.flatten())
    }

    /// Reports why loading stopped early. Returns None then.
    ///
    /// # Errors
    /// The module was stopped, or its answer is invalid.
    pub(crate) fn settle<T>(&mut self, result: Result<T, Stop>) -> Result<Option<T>, Halted> {
        match result {
            Ok(loaded) => return Ok(Some(loaded)),
            Err(Stop::Reported) => {}
            Err(Stop::Problem(problem)) => self.report(problem),
            Err(Stop::Halted(halted)) => return Err(halted),
        }
        Ok(None)
    }

    /// Returns the configuration of the application.
    pub(super) const fn configuration(&self) -> &Configuration {
        &self.loaded.application.request.configuration
    }

    /// Records a problem with one file; loading continues with the next.
    pub(crate) fn report(&mut self, problem: Problem) {
        self.loaded.problems.push(problem);
    }

    /// Returns whether the input limit is exceeded, so that no more files can be read.
    pub(crate) fn is_full(&self) -> bool {
        self.loaded.problems.iter().any(Problem::stops_reading)
    }

    /// Loads files that belong to no application. Their Binding, if any, is the one
    /// that a flag names.
    fn files(&mut self, inputs: &[InputPath]) -> Result<(), Stop> {
        let mut is_stdin_blank = false;
        for input in inputs {
            if self.is_full() {
                break;
            }
            let id = match input {
                InputPath::Path(path) => FileId::of(path),
                InputPath::Stdin => None,
            };
            if id.as_ref().is_some_and(|id| self.written.contains(id)) {
                self.loaded.has_duplicates = true;
                continue;
            }
            let display_path = display_name(input, self.job.stdin_name);
            let read = read_input(input, self.budget).and_then(|content| {
                let path = paths::for_module(Path::new(&display_path));
                let real_path = self.real_path(|| match input {
                    InputPath::Path(path) => files::real_file(path),
                    InputPath::Stdin => Err(FileError::IsSpecial),
                })?;
                Ok((File { path, content }, real_path))
            });
            match read {
                Ok((file, real_path)) => {
                    is_stdin_blank |= *input == InputPath::Stdin && is_blank(&file.content);
                    let target = paths::file_name(&display_path).to_owned();
                    self.written.extend(id.clone());
                    let source = Source {
                        real_path,
                        id,
                        ..Source::written(display_path, target)
                    };
                    self.loaded.application.add(file, source);
                }
                Err(error) => self.report(Problem::manifest(&display_path, &error)),
            }
        }
        let plan = self.plan(None)?;
        if is_stdin_blank && plan.needs_resources {
            self.report(empty_stdin());
        }
        if self.configuration().binding.is_none() {
            return Ok(());
        }
        let root = self.root_of_files(inputs)?;
        if let Some(config) = self.job.config
            && !plan.schemas.is_empty()
        {
            let (folder, display_path) = self.binding_folder(config, &root)?;
            self.schemas(&plan, &root, &folder, &display_path)?;
        }
        if self.job.fleet.is_none() {
            self.outputs(&plan, &root, None)?;
        }
        if inputs.is_empty() {
            self.report_resource_outputs(&plan, None);
            return Ok(());
        }
        self.resource_outputs(&plan)
    }

    /// Loads the outputs documents of the Binding, without the manifests of a group that was
    /// loaded before.
    pub(crate) fn only_outputs(&mut self, group: &Group) -> Result<(), Stop> {
        if self.configuration().binding.is_none() {
            return Ok(());
        }
        let plan = self.plan(None)?;
        // Warnings about the Binding were reported with the manifests.
        self.loaded.findings = Findings::default();
        match group {
            Group::Files(inputs) => {
                let root = self.root_of_files(inputs)?;
                self.outputs(&plan, &root, None)
            }
            Group::Folder(ApplicationFolder {
                path, display_path, ..
            }) => {
                let root = self.root(path, display_path)?;
                let folder = root
                    .relative(path)
                    .map_err(|error| Problem::manifest(display_path, &error))?;
                self.outputs(&plan, &root, Some((&folder, display_path)))
            }
        }
    }

    /// Opens the root of files that belong to no application.
    fn root_of_files(&self, inputs: &[InputPath]) -> Result<Root, Problem> {
        let folder = match inputs.first().or(self.job.config) {
            Some(InputPath::Path(path)) => paths::folder_of(path),
            Some(InputPath::Stdin) | None => PathBuf::from("."),
        };
        self.root(&folder, &paths::display(&folder))
    }

    /// Loads the manifests of an application. Its Binding is the folder's own unless a
    /// flag names one. Returns the folder if a tool builds it.
    fn folder(&mut self, application: &ApplicationFolder) -> Result<Option<ToolFolder>, Stop> {
        let display_path = &application.display_path;
        let mut listed = self.list(application)?;
        self.loaded.application.request.inputs.resources_only = true;
        if self.flag_inputs.config.is_none() && !self.job.ignores_bindings {
            self.loaded.application.request.configuration.binding =
                own_binding(&listed.root, &listed.folder, display_path, self.budget)?;
        }
        listed.leave_out(self.paths_of_flags());
        let plan = self.plan_folder(&mut listed, display_path)?;
        let in_folder = Some((listed.folder.as_path(), display_path.as_str()));
        if let Some(tool) = self.tool(application, &plan)? {
            // A kustomization names its files, and a chart consists of all of them.
            if tool == Tool::Helm {
                self.report_not_utf8(&listed.unlistable, display_path);
            }
            // Not all of its files are resources, and the tool checks those that it builds.
            self.loaded.application.request.inputs.resources_only = false;
            if self.job.fleet.is_none() || self.is_again {
                self.outputs(&plan, &listed.root, in_folder)?;
                self.report_resource_outputs(&plan, Some(tool));
            }
            return Ok(Some(ToolFolder {
                tool,
                root: listed.root,
                folder: listed.folder,
                display_path: display_path.clone(),
                prefix: application.prefix.clone(),
                plan,
                listed: listed.paths,
            }));
        }
        let unlistable = std::mem::take(&mut listed.unlistable);
        let ListedFolder { root, folder, .. } = &listed;
        self.drop_output_folder_warnings(root, folder);
        let first_unlistable = listed.paths.len();
        self.report_unlistable(unlistable, &plan, first_unlistable, root, display_path)?;
        if self.job.fleet.is_none() {
            self.outputs(&plan, root, in_folder)?;
        }
        self.manifests(application, &listed, &plan);
        self.resource_outputs(&plan)?;
        self.schemas(&plan, root, folder, display_path)?;
        self.check_output_folder(root, folder, display_path, &listed.paths)?;
        Ok(None)
    }

    /// Lists the folder of an application.
    fn list(&mut self, application: &ApplicationFolder) -> Result<ListedFolder, Problem> {
        let ApplicationFolder {
            path, display_path, ..
        } = application;
        let problem = |error| Problem::manifest(display_path, &error);
        let root = self.root(path, display_path)?;
        let folder = root.relative(path).map_err(problem)?;
        // What is in the output folders is not the application's.
        let output_folders = self.job.output_folders().iter();
        let output_folders = output_folders.filter_map(|output| root.below(&folder, output));
        let listing = Listing::of(&root, &folder, &output_folders.collect()).map_err(problem)?;
        let outside = listing.outside.iter();
        let mut unlistable: Vec<_> = outside.map(|path| Unlistable::link(path)).collect();
        for (path, error) in listing.errors {
            match error {
                ListingError::NotUtf8 => unlistable.push(Unlistable::not_utf8(&path)),
                error => self.report(Problem::listing(
                    &paths::join(display_path, &path.to_string_lossy()),
                    &error,
                )),
            }
        }
        Ok(ListedFolder {
            root,
            folder,
            paths: listing.paths,
            linked: listing.linked,
            unlistable,
        })
    }

    /// Returns the paths of files that flags name: they are no manifests.
    fn paths_of_flags(&self) -> impl Iterator<Item = &Path> {
        let paths = self.flag_inputs.paths.iter().map(PathBuf::as_path);
        paths.chain(self.job.operator_policy_file)
    }

    /// Asks the module what to do with a folder.
    fn plan_folder(&mut self, listed: &mut ListedFolder, display_path: &str) -> Result<Plan, Stop> {
        match self.plan(Some(&listed.candidates(display_path))) {
            // What the other tool would add to the manifests does not matter.
            Err(Stop::Reported) if self.job.edits_sources() => {
                self.loaded.findings = Findings::default();
                listed.paths.retain(|path| !is_other_tools(path));
                self.plan(Some(&listed.candidates(display_path)))
            }
            plan => plan,
        }
    }

    /// Reads the manifests of a folder that no tool builds.
    fn manifests(&mut self, application: &ApplicationFolder, listed: &ListedFolder, plan: &Plan) {
        let part = &application.part;
        let has_own_binding =
            self.flag_inputs.config.is_none() && self.configuration().binding.is_some();
        let manifests = plan.manifests.iter();
        let manifests: Vec<&String> = manifests
            .filter_map(|&at| listed.paths.get(at as usize))
            .collect();
        self.report_non_manifests(application, &listed.paths, &manifests);
        let links = Links {
            root: &listed.root,
            folder: &listed.folder,
            linked: &listed.linked,
        };
        let documents = plan.documents.iter();
        let others = documents
            .filter(|need| need.location == Location::Root)
            .map(|need| Path::new(&need.path))
            .chain(BINDINGS.map(Path::new));
        for path in links.once(manifests, part, others, &self.flag_inputs.paths) {
            if self.is_full() {
                break;
            }
            self.manifest(application, listed, path, has_own_binding);
        }
        if !has_own_binding {
            // Not earlier, because two paths in one folder may be the same file.
            let sources = self.loaded.application.sources().iter();
            let written = sources.filter(|source| source.target.is_some());
            self.written
                .extend(written.filter_map(|source| source.id.clone()));
        }
    }

    /// Reads one manifest of a folder.
    fn manifest(
        &mut self,
        application: &ApplicationFolder,
        listed: &ListedFolder,
        path: &str,
        has_own_binding: bool,
    ) {
        let ApplicationFolder { part, prefix, .. } = application;
        let root = &listed.root;
        let path_in_root = listed.folder.join(path);
        let entry = part.entry_of(path);
        let display_path = match entry {
            // The path as the user wrote it.
            Some((entry, named)) => paths::join(named, &path[entry.len()..]),
            None => paths::join(&application.display_path, path),
        };
        let id = self.file_id(root, &path_in_root);
        let is_duplicate =
            !has_own_binding && id.as_ref().is_some_and(|id| self.written.contains(id));
        self.loaded.has_duplicates |= is_duplicate;
        let is_written = !is_duplicate && (matches!(part, Part::Whole) || entry.is_some());
        let target = is_written.then(|| format!("{prefix}{path}"));
        let read = root.read(&path_in_root, self.budget).and_then(|content| {
            let real_path = self.real_path(|| root.real(&path_in_root))?;
            let path = paths::for_module(&path_in_root);
            Ok((File { path, content }, real_path))
        });
        match read {
            Ok((file, real_path)) => {
                let source = Source {
                    display_path,
                    target,
                    real_path,
                    id,
                };
                self.loaded.application.add(file, source);
            }
            Err(FileError::OutsideRoot) => self.report(Problem::link_outside_root(
                &display_path,
                Some(path),
                root.kind(),
                false,
            )),
            Err(error) => self.report(Problem::manifest(&display_path, &error)),
        }
    }

    /// Returns the tool that builds the manifests of a folder.
    ///
    /// # Errors
    /// This command does not run it, or not for what was asked.
    fn tool(&self, application: &ApplicationFolder, plan: &Plan) -> Result<Option<Tool>, Problem> {
        let Some(tool) = Tool::of(plan) else {
            return Ok(None);
        };
        if self.job.is_about_sources {
            return Ok(Some(tool));
        }
        let is_in_place = matches!(self.job.destination, Destination::InPlace { .. });
        let is_part = !matches!(application.part, Part::Whole);
        let why = if is_in_place {
            ToolNotRun::InPlace
        } else if is_part {
            ToolNotRun::Part
        } else {
            return Ok(Some(tool));
        };
        Err(tool_not_run(tool, &application.display_path, why))
    }

    /// Finds out where the files are from which a tool builds the folder of `group`, and leaves
    /// only those to write that the command line names.
    ///
    /// # Errors
    /// The root cannot be opened.
    pub(crate) fn select_sources(&mut self, group: &Group) -> Result<(), Problem> {
        let Group::Folder(application) = group else {
            return Ok(());
        };
        let ApplicationFolder {
            path,
            display_path,
            part,
            ..
        } = application;
        let root = self.root(path, display_path)?;
        let folder = root
            .relative(path)
            .map_err(|error| Problem::manifest(display_path, &error))?;
        let files = self.loaded.application.files().iter();
        let paths: Vec<PathBuf> = files.map(|file| PathBuf::from(&file.path)).collect();
        let inside = |path: &Path| path.strip_prefix(&folder).map(paths::for_module).ok();
        let in_folder: Vec<String> = paths.iter().filter_map(|path| inside(path)).collect();
        let is_in_place = matches!(self.job.destination, Destination::InPlace { .. });
        for (source, path) in std::iter::zip(self.loaded.application.sources_mut(), &paths) {
            let is_named = match part {
                Part::Whole => true,
                Part::Paths(_) => inside(path).is_some_and(|path| part.entry_of(&path).is_some()),
            };
            if !is_named {
                source.target = None;
            } else if is_in_place && source.target.is_some() {
                match root.real(path) {
                    Ok(real) => source.real_path = Some(real),
                    Err(error) => {
                        let shown = path.to_string_lossy();
                        // The module has another path than the file.
                        let problem = if shown.contains(char::REPLACEMENT_CHARACTER) {
                            Problem::listing(&shown, &ListingError::NotUtf8)
                        } else {
                            Problem::manifest(&source.display_path, &error)
                        };
                        self.loaded.problems.push(problem);
                    }
                }
            }
        }
        self.report_non_manifests(
            application,
            &in_folder,
            &in_folder.iter().collect::<Vec<_>>(),
        );
        Ok(())
    }

    /// Reports the files of a chart whose names cannot be passed to the module.
    fn report_not_utf8(&mut self, unlistable: &[Unlistable], display_path: &str) {
        for name in unlistable.iter().filter_map(Unlistable::unnamed) {
            self.report(Problem::listing(
                &paths::join(display_path, name),
                &ListingError::NotUtf8,
            ));
        }
    }

    /// Returns the identity of a file, if other paths of this run may lead to it.
    fn file_id(&self, root: &Root, path: &Path) -> Option<FileId> {
        let matters = self.job.groups.len() > 1
            || !self.job.output_folders().is_empty()
            || self.is_stdout_a_file;
        let real = matters.then(|| root.real(path).ok())?;
        FileId::of(&real?)
    }

    /// Reports paths of the command line that contain no manifest of the application.
    fn report_non_manifests(
        &mut self,
        application: &ApplicationFolder,
        all: &[String],
        manifests: &[&String],
    ) {
        let ApplicationFolder {
            display_path, part, ..
        } = application;
        let Part::Paths(entries) = part else { return };
        let found: BTreeSet<&str> = manifests
            .iter()
            .filter_map(|path| part.entry_of(path))
            .map(|(entry, _)| entry)
            .collect();
        for (path, named) in entries
            .iter()
            .filter(|(path, _)| !found.contains(path.as_str()))
        {
            let name = path.rsplit('/').next().unwrap_or(path);
            self.report(if BINDINGS.contains(&name) {
                binding_as_manifest(named, display_path)
            } else {
                not_in_application(named, display_path, !all.contains(path))
            });
        }
    }

    /// Returns the canonical path of a file if it is rendered in place.
    fn real_path(
        &self,
        real: impl FnOnce() -> Result<PathBuf, FileError>,
    ) -> Result<Option<PathBuf>, FileError> {
        let is_in_place = matches!(self.job.destination, Destination::InPlace { .. });
        is_in_place.then(real).transpose()
    }

    fn root(&self, folder: &Path, display_path: &str) -> Result<Root, Problem> {
        let root = &self.job.root;
        root.open(folder).map_err(|error| match root {
            RootChoice::Folder(root) | RootChoice::ArgoCd(root) => {
                Problem::flag("--root", &paths::display(root), &error)
            }
            RootChoice::WorkTree | RootChoice::ManualPlugin => {
                Problem::manifest(display_path, &error)
            }
        })
    }

    /// Asks the module what to do.
    pub(super) fn plan(&mut self, folder: Option<&Folder>) -> Result<Plan, Stop> {
        let Request {
            configuration,
            parameters,
            ..
        } = &self.loaded.application.request;
        let planned = self.plugin.plan(configuration, parameters, folder);
        let mut plan = planned.map_err(Halted::from)?;
        let mut findings = std::mem::take(&mut plan.findings);
        if !has_errors(&findings.diagnostics) {
            let found = &mut self.loaded.findings.diagnostics;
            found.append(&mut findings.diagnostics);
            return Ok(plan);
        }
        for found in &mut findings.diagnostics {
            let hints = self.job.hints.iter();
            for (_, hint) in hints.filter(|(topic, _)| Some(*topic) == found.topic) {
                found.help.get_or_insert_default().push_str(hint);
            }
        }
        self.loaded.findings = findings;
        Err(Stop::Reported)
    }
}
