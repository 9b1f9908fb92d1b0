//! Collects the files of a kustomization: those that it names, and those of the
//! kustomizations that it includes.

mod problems;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use landfall_sandbox::types::{Diagnostic, File, Severity};

use crate::discovery::BINDINGS;
use crate::files::{FileError, Root};
use crate::loading::{Loader, OwnInputs};
use crate::paths;
use crate::problem::{HostRule, Problem};
use crate::rendered::Source;

use super::entry::Target;
use super::fields::{self, Fields, Mention, Names};
use super::local_path::{from_folder, is_in};
use super::reader::Stage;

pub(super) use problems::{conceal, label, located, may_have_secret};

/// The names of a kustomization (api/konfig, kustomize 5.8.1).
pub(super) const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The maximum depth of kustomizations that include others.
const MAX_DEPTH: usize = 64;

/// The maximum size of a kustomization, and of a file that configures plugins, in bytes. Their
/// nodes take several times as much memory, outside of the sandbox.
pub(super) const MAX_CONFIGURATION: usize = 4 << 20;

/// The files of a kustomization.
#[derive(Debug, Default)]
pub(super) struct Collected {
    /// In the order in which they are first named; those of the application's files.
    pub(super) files: Vec<SourceFile>,
    /// Whether a file is outside the folder of the kustomization that names it.
    pub(super) is_unrestricted: bool,
}

/// A file that kustomize reads.
#[derive(Debug)]
pub(super) struct SourceFile {
    /// Relative to the root, with `/`.
    pub(super) path: String,
    pub(super) uses: BTreeSet<Use>,
    /// What it names, if it is a kustomization or configures plugins.
    pub(super) fields: Option<Fields>,
}

/// How kustomize reads a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Use {
    Kustomization,
    /// A configuration of generators, transformers or validators.
    Plugins,
    /// Any other YAML or JSON.
    Yaml,
    /// The text of an entry.
    Entry(Target),
}

/// Where a file is named.
#[derive(Clone, Debug)]
struct Site {
    /// The index of the file that names it.
    file: usize,
    span: Range<usize>,
}

/// Collects the files of the kustomization in `folder`, a path relative to the root, and adds
/// them to the loader, as well as all problems.
pub(super) fn collect(
    loader: &mut Loader<'_>,
    root: &Root,
    display_path: &str,
    folder: &str,
    own_inputs: &OwnInputs,
) -> Collected {
    let mut walk = Walk {
        loader,
        root,
        display_path,
        folder,
        own_inputs,
        files: Vec::new(),
        positions: BTreeMap::new(),
        done: BTreeSet::new(),
        above: Vec::new(),
        outside: None,
        has_plugins: false,
    };
    walk.kustomization(folder, false, None);
    if let (Some((site, path)), true) = (walk.outside.clone(), walk.has_plugins) {
        // kustomize has to run without its load restrictor, so that it would open any path in
        // the configuration of a plugin.
        let message = format!(
            "`{path}` is outside the folder of its kustomization, and the application configures plugins of kustomize"
        );
        let help =
            "move the file into the folder, or into a folder with a kustomization.yaml of its own";
        walk.report(HostRule::InvalidKustomization, &site, message, help);
    }
    let (files, is_unrestricted) = (walk.files, walk.outside.is_some());
    let found = &mut loader.loaded.findings.diagnostics;
    conceal(found, &files, loader.loaded.application.files());
    Collected {
        files,
        is_unrestricted,
    }
}

struct Walk<'w, 'l> {
    loader: &'w mut Loader<'l>,
    root: &'w Root,
    /// The folder of the application in diagnostics.
    display_path: &'w str,
    /// The same relative to the root.
    folder: &'w str,
    own_inputs: &'w OwnInputs,
    files: Vec<SourceFile>,
    /// The index of each file that was read, by its path. None: it cannot be read.
    positions: BTreeMap<String, Option<usize>>,
    /// The kustomizations that were read, and whether they configure plugins.
    done: BTreeSet<(String, bool)>,
    /// The folders of the kustomizations around the current one.
    above: Vec<String>,
    /// The first file outside the folder of its kustomization.
    outside: Option<(Site, String)>,
    has_plugins: bool,
}

impl Walk<'_, '_> {
    /// Reads a file once, and notes how it is used. None: it cannot be read, which was
    /// reported.
    fn file(&mut self, path: &str, site: Option<&Site>, usage: Use) -> Option<usize> {
        let position = match self.positions.get(path) {
            Some(position) => *position,
            None if self.loader.is_full() => None,
            None => {
                let read = self.root.read(Path::new(path), self.loader.budget);
                let position = match read {
                    Ok(content) => {
                        let file = File {
                            path: path.to_owned(),
                            content,
                        };
                        let source = Source::written(self.shown(path), path.to_owned());
                        self.loader.loaded.application.add(file, source);
                        self.files.push(SourceFile {
                            path: path.to_owned(),
                            uses: BTreeSet::new(),
                            fields: None,
                        });
                        Some(self.files.len() - 1)
                    }
                    Err(error) => {
                        self.unreadable(path, site, error);
                        None
                    }
                };
                self.positions.insert(path.to_owned(), position);
                position
            }
        }?;
        self.files[position].uses.insert(usage);
        Some(position)
    }

    /// Collects the files of the kustomization in a folder. `site`: where the folder is
    /// named. `of_plugins`: its resources configure plugins.
    fn kustomization(&mut self, folder: &str, of_plugins: bool, site: Option<&Site>) {
        if let Some(site) = site {
            // As kustomize detects cycles (errIfArgEqualOrHigher).
            if self.above.iter().any(|above| is_in(above, folder)) {
                let message = format!(
                    "`{}` includes itself: the kustomization is in it or below it",
                    self.shown(folder)
                );
                let help = "remove this entry, or move what both need to a folder of its own";
                return self.report(HostRule::InvalidKustomization, site, message, help);
            }
            if self.above.len() >= MAX_DEPTH {
                let message =
                    format!("kustomizations are nested more than {MAX_DEPTH} levels deep");
                let help = "include this one from a kustomization further up";
                return self.report(HostRule::InvalidKustomization, site, message, help);
            }
        }
        if !self.done.insert((folder.to_owned(), of_plugins)) || self.loader.is_full() {
            return;
        }
        match self
            .root
            .inside(Path::new(if folder.is_empty() { "." } else { folder }))
        {
            Ok(real) if paths::for_module(&real) == folder => {}
            Ok(real) if site.is_some() => {
                let real = self.shown(&paths::for_module(&real));
                let message = format!("`{}` is reached through a link", self.shown(folder));
                let help = format!("name the folder itself: `{real}`");
                if let Some(site) = site {
                    self.report(HostRule::InvalidKustomization, site, message, &help);
                }
                return;
            }
            Ok(_) => {}
            Err(error) => return self.unreadable(folder, site, error),
        }
        let Some(path) = self.name(folder, site) else {
            return;
        };
        let Some(file) = self.file(&path, site, Use::Kustomization) else {
            return;
        };
        self.note_binding(folder);
        let Some(mentions) = self.fields(file, fields::of_kustomization) else {
            return;
        };
        let fields = self.files[file].fields.as_ref();
        let change = fields.and_then(|fields| fields.change.clone());
        if let (Some((span, name)), true) = (change, of_plugins) {
            // The configurations would be changed after landfall has checked them.
            let message = format!("a kustomization that configures plugins cannot have `{name}`");
            let help = "list the final configurations in `resources`";
            let site = Site { file, span };
            return self.report(HostRule::InvalidKustomization, &site, message, help);
        }
        self.above.push(folder.to_owned());
        for mention in mentions {
            self.mention(file, folder, &mention, of_plugins);
        }
        self.above.pop();
    }

    /// Returns the path of the kustomization in a folder.
    fn name(&mut self, folder: &str, site: Option<&Site>) -> Option<String> {
        let join = |name: &str| match folder {
            "" => name.to_owned(),
            folder => format!("{folder}/{name}"),
        };
        let exists = |path: &String| {
            let found = self.root.inside(Path::new(path));
            !matches!(found, Err(FileError::Missing))
        };
        let mut found: Vec<String> = NAMES.map(join).into_iter().filter(exists).collect();
        let shown = self.shown(folder);
        let (message, help) = match found.as_slice() {
            [_] => return found.pop(),
            [] => (
                format!("`{shown}` has no kustomization.yaml"),
                "name a folder with a kustomization.yaml, or the files in it",
            ),
            [first, second, ..] => (
                format!(
                    "`{shown}` has two kustomizations, `{}` and `{}`",
                    from_folder(folder, first),
                    from_folder(folder, second)
                ),
                "keep one of them",
            ),
        };
        let problem = Problem::new(HostRule::InvalidKustomization, message).help(help);
        let problem = match site {
            Some(site) => problem.at(label(site.file, &site.span)),
            None => problem,
        };
        self.add(problem.diagnostic());
        None
    }

    /// Reports that the Binding of another folder is not applied.
    fn note_binding(&mut self, folder: &str) {
        if folder == self.folder {
            return;
        }
        for name in BINDINGS {
            let path = paths::join(folder, name);
            if self.root.inside(Path::new(&path)).is_ok() {
                let message = format!(
                    "the Binding `{}` is not applied: the kustomization is built with that of `{}`",
                    self.shown(&path),
                    self.display_path
                );
                let problem = Problem::new(HostRule::BindingNotApplied, message)
                    .severity(Severity::Warning)
                    .help("move what the manifests of the folder need to that Binding");
                self.add(problem.diagnostic());
            }
        }
    }

    /// Reads the fields of a file and reports what is not built. None: it is not UTF-8.
    fn fields(&mut self, file: usize, read: fn(&str, Stage) -> Fields) -> Option<Vec<Mention>> {
        let content = &self.loader.loaded.application.files()[file].content;
        if content.len() > MAX_CONFIGURATION {
            let site = Site { file, span: 0..0 };
            let message = format!("the file is larger than {MAX_CONFIGURATION} bytes");
            let help = "move its inline patches to files";
            self.report(HostRule::InvalidKustomization, &site, message, help);
            return None;
        }
        let fields = match std::str::from_utf8(content) {
            Ok(text) => read(text, Stage::Source),
            Err(error) => {
                let at = error.valid_up_to();
                let site = Site { file, span: at..at };
                let message = "the kustomization is not UTF-8".to_owned();
                self.report(HostRule::InvalidKustomization, &site, message, "");
                return None;
            }
        };
        for refusal in &fields.refusals {
            self.add(Diagnostic {
                help: Some(refusal.help.clone()),
                ..located(
                    HostRule::InvalidKustomization,
                    file,
                    &refusal.span,
                    refusal.message.clone(),
                )
            });
        }
        let mentions = fields.mentions.clone();
        self.files[file].fields = Some(fields);
        Some(mentions)
    }

    fn mention(&mut self, file: usize, folder: &str, mention: &Mention, of_plugins: bool) {
        let site = Site {
            file,
            span: mention.span.clone(),
        };
        let Some(path) = self.local(folder, mention, &site) else {
            return;
        };
        let usage = match &mention.names {
            Names::Resources | Names::Component | Names::Plugins => {
                let of_plugins = of_plugins || mention.names == Names::Plugins;
                self.has_plugins |= of_plugins;
                match self.root.is_folder(Path::new(&path)) {
                    Ok(true) => return self.kustomization(&path, of_plugins, Some(&site)),
                    Ok(false) if mention.names == Names::Component => {
                        let message = format!("`{}` is a file, not a component", self.shown(&path));
                        let help = "name a folder with a kustomization.yaml of `kind: Component`";
                        return self.report(HostRule::InvalidKustomization, &site, message, help);
                    }
                    Ok(false) if of_plugins => Use::Plugins,
                    Ok(false) => Use::Yaml,
                    Err(error) => return self.unreadable(&path, Some(&site), error),
                }
            }
            Names::Yaml => Use::Yaml,
            Names::Input {
                of_secret,
                key,
                is_env,
            } => Use::Entry(Target {
                of_secret: *of_secret,
                generator: mention.generator.clone(),
                key: key.clone(),
                is_env: *is_env,
            }),
        };
        let real = self.root.inside(Path::new(&path)).ok();
        if let Some(role) = real.and_then(|real| self.own_inputs.role(&real)) {
            let message = format!("`{}` is {role}", self.shown(&path));
            let help = "reference its outputs in another file, and name that one";
            return self.report(HostRule::InvalidKustomization, &site, message, help);
        }
        if !is_in(&path, folder) && self.outside.is_none() {
            self.outside = Some((site.clone(), mention.path.clone()));
        }
        let is_config = usage == Use::Plugins;
        let Some(position) = self.file(&path, Some(&site), usage) else {
            return;
        };
        if is_config && self.files[position].fields.is_none() {
            for nested in self
                .fields(position, fields::of_plugins)
                .unwrap_or_default()
            {
                self.mention(position, folder, &nested, of_plugins);
            }
        }
    }
}
