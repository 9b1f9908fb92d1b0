//! `check --no-references`: reports the references that are left in rendered manifests.

use std::collections::BTreeSet;
use std::path::Path;

use landfall_sandbox::types::{File, KnownName};

use crate::discovery::{ApplicationFolder, Group};
use crate::draw::Documents;
use crate::engine::Engine;
use crate::files::{Budget, FileError, Listing, ListingError};
use crate::loading::{FlagInputs, Job, display_name, empty, is_manifest, read_input, unread};
use crate::paths;
use crate::problem::{self, HostRule, Problem};
use crate::rendered::{Application, Source};
use crate::reporter::{Failed, Reporter};
use crate::settings::InputPath;

/// Reports every reference in the manifests of `job`, except those that start with one
/// of `allowed`. Only the names of its outputs documents are used; none is opened. A name in place
/// of a file is reported.
///
/// # Errors
/// An error was reported, or the module was stopped.
pub(crate) fn report_unrendered(
    job: &Job<'_>,
    allowed: &[String],
    mut problems: Vec<Problem>,
    engine: &Engine,
    reporter: &mut Reporter,
) -> Result<(), Failed> {
    let mut budget = Budget::new(job.limits.input);
    let (config, stdin) = (job.config, job.stdin_name);
    let flag_inputs =
        FlagInputs::read(&[], config, stdin, job.policies, &mut budget, &mut problems);
    // A name in place of a file would be bound as `infra`, and nothing found. An argument with a
    // suggestion looks like a name.
    problems.extend(
        job.bound_files
            .iter()
            .filter(|bound| bound.suggestion.is_some())
            .filter(|bound| matches!(&bound.file, InputPath::Path(path) if !path.is_file()))
            .map(|bound| {
                let path = display_name(&bound.file, stdin);
                unread(bound, &path, &FileError::Missing)
            }),
    );
    let names = job.bound_files.iter().map(|bound| KnownName {
        name: bound.name.clone(),
        bound_by: None,
    });
    let names: Vec<KnownName> = names.collect();
    let _watch = engine.watch();
    let mut is_empty = problems.is_empty();
    for group in &job.groups {
        let mut application = empty(job, &flag_inputs).application;
        application.request.inputs.known_names.clone_from(&names);
        match group {
            Group::Files(inputs) => {
                for input in inputs {
                    let display_path = display_name(input, stdin);
                    match read_input(input, &mut budget) {
                        Ok(content) => add(&mut application, display_path, content),
                        Err(error) => problems.push(Problem::manifest(&display_path, &error)),
                    }
                }
            }
            Group::Folder(ApplicationFolder {
                path, display_path, ..
            }) => {
                folder(
                    job,
                    path,
                    display_path,
                    &mut application,
                    &mut budget,
                    &mut problems,
                );
            }
        }
        is_empty &= application.files().iter().all(is_blank);
        let mut plugin = engine.start()?;
        let found = plugin.unrendered(application.files(), &application.request, allowed)?;
        reporter.add_findings(&application.documents(), &found);
    }
    if is_empty && problems.is_empty() && !job.policies.allows_no_resources {
        problems.extend(
            job.groups
                .first()
                .map(|group| nothing_checked(group, stdin)),
        );
    }
    reporter.add(&Documents::default(), &problem::diagnostics(problems));
    Ok(reporter.check()?)
}

fn is_blank(file: &File) -> bool {
    file.content.trim_ascii().is_empty()
}

/// The problem that nothing is checked, although a later step relies on it.
fn nothing_checked(group: &Group, stdin_name: &str) -> Problem {
    let (path, is_folder) = match group {
        Group::Files(inputs) => {
            let first = inputs.first();
            let path = first.map(|input| display_name(input, stdin_name));
            (path.unwrap_or_default(), false)
        }
        Group::Folder(ApplicationFolder { display_path, .. }) => (display_path.clone(), true),
    };
    let (message, help) = if is_folder {
        (
            format!("`{path}` contains no manifests: nothing was checked"),
            "pass the folder of the rendered manifests, or set `--no-resources allow`",
        )
    } else {
        (
            format!("`{path}` is empty: nothing was checked"),
            "if the command that writes it may have failed, use `set -o pipefail`; otherwise set `--no-resources allow`",
        )
    };
    Problem::new(HostRule::NothingChecked, message).help(help)
}

/// Adds all YAML and JSON files below a folder.
fn folder(
    job: &Job<'_>,
    path: &Path,
    display_path: &str,
    application: &mut Application,
    budget: &mut Budget,
    problems: &mut Vec<Problem>,
) {
    let listed = job.root.open(path).and_then(|root| {
        let folder = root.relative(path)?;
        let listing = Listing::of(&root, &folder, &BTreeSet::new())?;
        Ok((root, folder, listing))
    });
    let (root, folder, listing) = match listed {
        Ok(listed) => listed,
        Err(error) => {
            let path = display_path.to_owned();
            problems.push(Problem::manifest(&path, &error));
            return;
        }
    };
    let is_link = |path: &&String| !is_manifest(path);
    for path in listing.outside.iter().filter(is_link) {
        problems.push(Problem::link_outside_root(
            &paths::join(display_path, path),
            None,
            root.kind(),
            false,
        ));
    }
    for (path, error) in listing.errors {
        if matches!(error, ListingError::NotUtf8) && !is_manifest(&path.to_string_lossy()) {
            continue;
        }
        let path = paths::join(display_path, &path.to_string_lossy());
        problems.push(Problem::listing(&path, &error));
    }
    for path in listing.paths.iter().filter(|path| is_manifest(path)) {
        let display_path = paths::join(display_path, path);
        match root.read(&folder.join(path), budget) {
            Ok(content) => add(application, display_path, content),
            Err(error) => problems.push(Problem::manifest(&display_path, &error)),
        }
    }
}

fn add(application: &mut Application, display_path: String, content: Vec<u8>) {
    let path = paths::for_module(Path::new(&display_path));
    let source = Source::written(display_path.clone(), display_path);
    application.add(File { path, content }, source);
}
