//! From the names of files to a request. The Binding is never parsed here: the
//! module says which files it asks for, then those are opened.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use landfall_sandbox::Plugin;
use landfall_sandbox::types::{Config, File, Findings, Folder, Need, Origin, Plan, Request};

use crate::engine::{Halted, errors};
use crate::files::{self, Budget, FileError, FileId, Listing, Root};
use crate::settings::{Destination, Place};

use super::bound::{Bound, read_place, shown_place};
use super::need::open_need;
use super::refusal::Refusal;
use super::unlisted::Unlisted;
use super::which::BINDINGS;
use super::{Application, ApplicationFolder, Group, Job, Part, RootChoice, shown};

/// What could be loaded, and everything that is wrong with the rest.
pub(super) struct Loaded {
    pub(super) application: Application,
    pub(super) refusals: Vec<Refusal>,
    /// What the module says of the Binding.
    pub(super) findings: Findings,
    /// Other paths of the command line led to files of this group before.
    pub(super) has_known_files: bool,
}

/// Loads one group. `written` are the files that are written without a Binding of
/// their own so far: each of them is written once, whatever paths lead to it.
pub(super) fn load(
    job: &Job<'_>,
    group: &Group,
    bound: &Bound,
    budget: &mut Budget,
    written: &mut BTreeSet<FileId>,
    plugin: &mut Plugin,
) -> Result<Loaded, Halted> {
    let mut loader = Loader {
        job,
        bound,
        budget,
        written,
        plugin,
        loaded: empty(job, bound),
    };
    let ended = match group {
        Group::Files(places) => loader.files(places),
        Group::Folder(folder) => loader.folder(folder),
    };
    match ended {
        Ok(()) | Err(End::Told) => {}
        Err(End::Refused(refusal)) => loader.loaded.refusals.push(refusal),
        Err(End::Halted(halted)) => return Err(halted),
    }
    Ok(loader.loaded)
}

/// Why loading went no further.
pub(super) enum End {
    /// The module's findings have been taken.
    Told,
    Refused(Refusal),
    Halted(Halted),
}

impl From<Refusal> for End {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Halted> for End {
    fn from(halted: Halted) -> Self {
        Self::Halted(halted)
    }
}

pub(super) fn empty(job: &Job<'_>, bound: &Bound) -> Loaded {
    let request = Request {
        outputs: Vec::new(),
        binding: bound.config.clone(),
        ceiling: job.ceiling.clone(),
        policy: job.policies.to_config(),
        known_names: bound.known_names(),
        parameters: job.parameters.clone(),
        resources_only: false,
        keep_references: job.destination
            == Destination::InPlace {
                replace_references: false,
            },
        detail: job.detail,
        answer_limit: Some(job.limits.answer),
    };
    let application = Application {
        files: Vec::new(),
        shown: Vec::new(),
        targets: Vec::new(),
        places: Vec::new(),
        ids: Vec::new(),
        request,
    };
    Loaded {
        application,
        refusals: Vec::new(),
        findings: Findings::default(),
        has_known_files: false,
    }
}

pub(super) struct Loader<'a> {
    pub(super) job: &'a Job<'a>,
    bound: &'a Bound,
    budget: &'a mut Budget,
    written: &'a mut BTreeSet<FileId>,
    pub(super) plugin: &'a mut Plugin,
    pub(super) loaded: Loaded,
}

impl Loader<'_> {
    /// Keeps what is wrong with one file and goes on with the next.
    pub(super) fn refuse(&mut self, refusal: Refusal) {
        self.loaded.refusals.push(refusal);
    }

    /// Whether there is no use in opening more files.
    fn is_full(&self) -> bool {
        self.loaded.refusals.iter().any(Refusal::is_final)
    }

    /// Files as they are; the Binding is one that a flag names.
    fn files(&mut self, places: &[Place]) -> Result<(), End> {
        for place in places {
            if self.is_full() {
                break;
            }
            let id = match place {
                Place::Path(path) => FileId::of(path),
                Place::Stdin => None,
            };
            if id.as_ref().is_some_and(|id| self.written.contains(id)) {
                self.loaded.has_known_files = true;
                continue;
            }
            let shown = shown_place(place, self.job.stdin_name);
            let read = read_place(place, self.budget).and_then(|content| {
                let path = shown::for_module(Path::new(&shown));
                self.place(|| match place {
                    Place::Path(path) => files::real_file(path),
                    Place::Stdin => Err(FileError::IsSpecial),
                })?;
                Ok(File { path, content })
            });
            match read {
                Ok(file) => {
                    let target = shown.rsplit('/').next().unwrap_or(&shown).to_owned();
                    self.written.extend(id.clone());
                    self.add(file, id, shown, Some(target));
                }
                Err(error) => self.refuse(Refusal::Manifest { path: shown, error }),
            }
        }
        let plan = self.plan(None)?;
        if plan.outputs.is_empty() {
            return Ok(());
        }
        let folder = match places.first() {
            Some(Place::Path(path)) => shown::folder_of(path),
            Some(Place::Stdin) | None => PathBuf::from("."),
        };
        let root = self.root(&folder, &shown::named(&folder))?;
        Ok(self.outputs(&plan.outputs, &root, None)?)
    }

    /// All manifests of a folder, by its own Binding unless a flag names one.
    fn folder(&mut self, application: &ApplicationFolder) -> Result<(), End> {
        let ApplicationFolder {
            path,
            shown,
            part,
            prefix,
        } = application;
        let refusal = |error| Refusal::Manifest {
            path: shown.clone(),
            error,
        };
        let root = self.root(path, shown)?;
        let folder = root.relative(path).map_err(refusal)?;
        let Listing {
            mut paths,
            outside,
            unlisted,
        } = self.list(&root, &folder, shown)?;
        let mut unlistable: Vec<_> = outside.iter().map(|path| Unlisted::link(path)).collect();
        for (path, reason) in unlisted {
            match reason {
                files::Unlisted::Name => unlistable.push(Unlisted::unnamed(&path)),
                reason => self.refuse(Refusal::Unlisted {
                    path: shown::joined(shown, &path.to_string_lossy()),
                    reason,
                }),
            }
        }
        self.loaded.application.request.resources_only = true;
        if self.bound.config.is_none() {
            self.own_binding(&root, &folder, shown, &paths)?;
        }
        let has_own_binding =
            self.bound.config.is_none() && self.loaded.application.request.binding.is_some();
        let flagged: Vec<_> = self
            .bound
            .places
            .iter()
            .map(PathBuf::as_path)
            .chain(self.job.operator_policy_file)
            .filter_map(|place| below(&root, &folder, place))
            .collect();
        paths.retain(|path| !flagged.iter().any(|flagged| flagged == Path::new(path)));

        let listed = paths.len();
        paths.extend(unlistable.iter().map(Unlisted::candidate));
        let all = Folder {
            shown: shown.clone(),
            paths,
        };
        let plan = self.plan(Some(&all))?;
        self.forgive_output_folder(&root, &folder);
        self.refuse_unlisted(unlistable, &plan, listed, &root, shown)?;
        let mut paths = all.paths;
        paths.truncate(listed);
        self.outputs(&plan.outputs, &root, Some((&folder, shown)))?;
        let manifests: Vec<&String> = plan
            .manifests
            .iter()
            .filter_map(|&at| paths.get(at as usize))
            .collect();
        self.expect_all(application, &paths, &manifests);
        for path in manifests {
            if self.is_full() {
                break;
            }
            let place = folder.join(path);
            let asked = part.entry_of(path);
            let shown = match asked {
                // As the user reaches it.
                Some((asked, as_named)) => shown::joined(as_named, &path[asked.len()..]),
                None => shown::joined(shown, path),
            };
            let id = self.id(&root, &place);
            let is_known =
                !has_own_binding && id.as_ref().is_some_and(|id| self.written.contains(id));
            self.loaded.has_known_files |= is_known;
            let is_written = !is_known && (matches!(part, Part::Whole) || asked.is_some());
            let target = is_written.then(|| format!("{prefix}{path}"));
            let read = root.read(&place, self.budget).and_then(|content| {
                self.place(|| root.real(&place))?;
                let path = shown::for_module(&place);
                Ok(File { path, content })
            });
            match read {
                Ok(file) => self.add(file, id, shown, target),
                Err(FileError::OutsideRoot) => self.refuse(Refusal::Outside {
                    path: shown,
                    exclude: Some(path.clone()),
                    root: root.kind(),
                    is_left_out: false,
                }),
                Err(error) => self.refuse(Refusal::Manifest { path: shown, error }),
            }
        }
        let Application { ids, targets, .. } = &self.loaded.application;
        if !has_own_binding {
            // Only now: a folder may have two names for one file.
            let written = std::iter::zip(ids, targets).filter(|(_, target)| target.is_some());
            self.written
                .extend(written.filter_map(|(id, _)| id.clone()));
        }
        self.expect_output_apart(&root, &folder, shown, &paths)
    }

    /// Which file of a folder this is, where other paths may lead to it.
    fn id(&self, root: &Root, place: &Path) -> Option<FileId> {
        let matters =
            self.job.groups.len() > 1 || matches!(self.job.destination, Destination::Folder(_));
        let real = matters.then(|| root.real(place).ok())?;
        FileId::of(&real?)
    }

    /// Refuses what was asked for and is no manifest of the application.
    fn expect_all(
        &mut self,
        application: &ApplicationFolder,
        all: &[String],
        manifests: &[&String],
    ) {
        let ApplicationFolder { shown, part, .. } = application;
        let Part::Paths(asked) = part else { return };
        let found: BTreeSet<&str> = manifests
            .iter()
            .filter_map(|path| part.entry_of(path))
            .map(|(asked, _)| asked)
            .collect();
        for (path, as_named) in asked
            .iter()
            .filter(|(path, _)| !found.contains(path.as_str()))
        {
            self.refuse(Refusal::NotInApplication {
                path: as_named.clone(),
                application: shown.clone(),
                is_folder: !all.contains(path),
                is_binding: BINDINGS.contains(&path.rsplit('/').next().unwrap_or(path)),
            });
        }
    }

    /// Keeps where the next file lies, when it will be written there.
    fn place(
        &mut self,
        real: impl FnOnce() -> Result<PathBuf, FileError>,
    ) -> Result<(), FileError> {
        if let Destination::InPlace { .. } = self.job.destination {
            self.loaded.application.places.push(real()?);
        }
        Ok(())
    }

    /// Reads the Binding that stands in the folder, when one does.
    fn own_binding(
        &mut self,
        root: &Root,
        folder: &Path,
        shown: &str,
        paths: &[String],
    ) -> Result<(), Refusal> {
        let mut found = BINDINGS
            .iter()
            .filter(|name| paths.iter().any(|path| path == *name));
        let Some(name) = found.next() else {
            return Ok(());
        };
        if found.next().is_some() {
            return Err(Refusal::TwoBindings {
                folder: shown.to_owned(),
                names: BINDINGS,
            });
        }
        let path = shown::joined(shown, name);
        match root.read(&folder.join(name), self.budget) {
            Ok(content) => self.loaded.application.request.binding = Some(Config { path, content }),
            Err(error) => return Err(Refusal::Manifest { path, error }),
        }
        Ok(())
    }

    /// All files in a folder, without those of the output folder.
    fn list(&self, root: &Root, folder: &Path, shown: &str) -> Result<Listing, Refusal> {
        let output_dir = match &self.job.destination {
            Destination::Folder(output) => below(root, folder, output),
            Destination::Stdout | Destination::InPlace { .. } => None,
        };
        Listing::of(root, folder, output_dir.as_deref()).map_err(|error| Refusal::Manifest {
            path: shown.to_owned(),
            error,
        })
    }

    fn add(&mut self, file: File, id: Option<FileId>, shown: String, target: Option<String>) {
        let Application {
            files,
            ids,
            shown: names,
            targets,
            ..
        } = &mut self.loaded.application;
        files.push(file);
        ids.push(id);
        names.push(shown);
        targets.push(target);
    }

    fn root(&self, folder: &Path, shown: &str) -> Result<Root, Refusal> {
        let root = &self.job.root;
        root.open(folder).map_err(|error| match root {
            RootChoice::Folder(root) | RootChoice::Received(root) => Refusal::Flag {
                flag: "--root",
                path: shown::named(root),
                error,
            },
            RootChoice::WorkTree | RootChoice::ByHand => Refusal::Manifest {
                path: shown.to_owned(),
                error,
            },
        })
    }

    /// What the module asks for.
    fn plan(&mut self, folder: Option<&Folder>) -> Result<Plan, End> {
        let Request {
            binding,
            parameters,
            ..
        } = &self.loaded.application.request;
        match self
            .plugin
            .needs(binding.as_ref(), parameters, folder)
            .map_err(Halted::from)?
        {
            Ok(mut plan) => {
                self.loaded
                    .findings
                    .diagnostics
                    .append(&mut plan.diagnostics);
                Ok(plan)
            }
            Err(found) => {
                let mut found = errors(found)?;
                for found in &mut found.diagnostics {
                    for (_, advice) in self
                        .job
                        .advice
                        .iter()
                        .filter(|(rule, _)| *rule == found.rule)
                    {
                        found.help.get_or_insert_default().push_str(advice);
                    }
                }
                self.loaded.findings = found;
                Err(End::Told)
            }
        }
    }

    /// Opens the outputs documents: the Binding's, then those of flags, which
    /// stand in for the Binding's of the same name. `folder` is where the Binding
    /// is, unless a flag names it.
    fn outputs(
        &mut self,
        needs: &[Need],
        root: &Root,
        folder: Option<(&Path, &str)>,
    ) -> Result<(), Refusal> {
        let by_flag = match self.job.config {
            Some(place) if !needs.is_empty() => Some(self.binding_folder(place, root)?),
            _ => None,
        };
        let (folder, shown) = match &by_flag {
            Some((folder, shown)) => (folder.as_path(), shown.as_str()),
            None => folder.unwrap_or((Path::new(""), ".")),
        };
        for need in needs.iter().filter(|need| !self.bound.binds(&need.name)) {
            if self.is_full() {
                break;
            }
            match open_need(need, Origin::Binding, root, folder, shown, self.budget) {
                Ok(document) => self.loaded.application.request.outputs.push(document),
                Err(refusal) if self.job.policies.keep(need) => self.refuse(refusal.of_optional()),
                Err(refusal) => self.refuse(refusal),
            }
        }
        Ok(())
    }

    /// The folder of the Binding that a flag names, inside the root, and how it is
    /// shown.
    fn binding_folder(&self, config: &Place, root: &Root) -> Result<(PathBuf, String), Refusal> {
        let folder = match config {
            Place::Path(path) => shown::folder_of(path),
            Place::Stdin => PathBuf::from("."),
        };
        let shown = shown_place(config, self.job.stdin_name);
        match root.relative(&folder) {
            Ok(folder) => Ok((folder, shown::parent(&shown).to_owned())),
            Err(error) => Err(Refusal::Flag {
                flag: "--config",
                path: shown,
                error,
            }),
        }
    }
}

/// `place` relative to `folder`, when it exists and lies below it.
pub(super) fn below(root: &Root, folder: &Path, place: &Path) -> Option<PathBuf> {
    root.relative(place)
        .ok()?
        .strip_prefix(folder)
        .ok()
        .map(Path::to_path_buf)
}
