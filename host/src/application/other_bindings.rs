//! Names that other Bindings below the root bind. They are collected only after a
//! render has found unbound references, so that rendering a small application in a
//! large repository does not read the other applications.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use landfall_sandbox::types::{
    BuiltInCeiling, Ceiling, Config, Findings, KnownName, OutputsDocument,
};

use crate::discovery::{ApplicationFolder, BINDINGS, Group};
use crate::engine::{Answer, Halted, Plugin, Request, configuration};
use crate::files::{Budget, FileError, Listing, Root, RootKind};
use crate::loading::Job;
use crate::paths::{self, relative_to};
use crate::rendered::Application;
use crate::settings::InputPath;

/// Names do not depend on a ceiling.
const NO_CEILING: Ceiling = Ceiling {
    built_in: BuiltInCeiling::None,
    operator_policy: None,
};

/// Returns the names with which a call of the module is repeated: those of other Bindings that may
/// change what it found. `all` returns what other Bindings bind.
pub(crate) fn new_names(
    outcome: &Result<Answer, Findings>,
    application: &Application,
    request: &Request,
    all: impl FnOnce() -> Result<Vec<KnownName>, Halted>,
) -> Result<Vec<KnownName>, Halted> {
    let has_unbound_names = match outcome {
        Ok(answer) => answer.findings.has_unbound_names,
        Err(found) => found.has_unbound_names,
    };
    if !has_unbound_names {
        return Ok(Vec::new());
    }
    let mut names = all()?;
    let inputs = &request.inputs;
    retain_relevant(&mut names, &application.texts(), &inputs.documents);
    names.retain(|name| !inputs.known_names.contains(name));
    Ok(names)
}

/// Leaves the names that occur in one of these texts, and are not bound by `documents`: only
/// these change what is reported.
pub(crate) fn retain_relevant(
    names: &mut Vec<KnownName>,
    texts: &[&[u8]],
    documents: &[OutputsDocument],
) {
    names.retain(|known| {
        let finder = memchr::memmem::Finder::new(&known.name);
        documents.iter().all(|bound| bound.name != known.name)
            && texts.iter().any(|text| finder.find(text).is_some())
    });
}

/// Returns the names that Bindings below the root of `group` bind.
///
/// # Errors
/// The module was stopped.
pub(crate) fn known_names(
    job: &Job<'_>,
    group: &Group,
    plugin: &mut Plugin,
) -> Result<Vec<KnownName>, Halted> {
    let (folder, is_application) = match group {
        Group::Folder(ApplicationFolder { path, .. }) => (path.clone(), true),
        Group::Files(inputs) => match inputs.first() {
            Some(InputPath::Path(path)) => (paths::folder_of(path), false),
            Some(InputPath::Stdin) | None => (PathBuf::from("."), false),
        },
    };
    let root = job.root.open(&folder);
    // Outside of a Git work tree, the folder of a file may be a home folder: do not
    // search it.
    let is_arbitrary = |root: &Root| !is_application && root.kind() == RootKind::NoWorkTree;
    if root.as_ref().is_ok_and(is_arbitrary) {
        return Ok(Vec::new());
    }
    names_under(root, job.limits.input, plugin)
}

/// Returns the names that Bindings below `root` bind. Of one with errors, those that could be
/// read: an error in another application must not fail this one.
///
/// # Errors
/// The module was stopped.
pub(crate) fn names_under(
    root: Result<Root, FileError>,
    max_input: u64,
    plugin: &mut Plugin,
) -> Result<Vec<KnownName>, Halted> {
    let listed = root.and_then(|root| {
        let listing = Listing::of(&root, Path::new(""), &BTreeSet::new())?;
        Ok((root, listing))
    });
    let Ok((root, listing)) = listed else {
        return Ok(Vec::new());
    };
    let current_folder = root.relative(Path::new(".")).unwrap_or_default();
    let mut budget = Budget::new(max_input);
    let mut names = Vec::new();
    for path in listing.paths {
        let name = path.rsplit('/').next().unwrap_or(&path);
        let is_hidden = path.split('/').any(|part| part.starts_with('.'));
        if is_hidden || !BINDINGS.contains(&name) {
            continue;
        }
        let Ok(content) = root.read(Path::new(&path), &mut budget) else {
            continue;
        };
        let display_path = relative_to(&current_folder, &path);
        let binding = Config {
            path: display_path.clone(),
            content,
        };
        let plan = plugin.plan(&configuration(Some(binding), NO_CEILING), &[], None)?;
        names.extend(plan.names.into_iter().map(|name| KnownName {
            name,
            bound_by: Some(display_path.clone()),
        }));
    }
    Ok(names)
}
