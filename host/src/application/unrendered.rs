//! The gate at the end of a pipeline: manifests that were rendered, whoever did it, and
//! the references that are left in them.

use std::path::Path;

use landfall_sandbox::types::{File, KnownName};

use crate::draw::{Documents, Drawing};
use crate::engine::{Engine, Halted};
use crate::files::{Budget, Listing, Unlisted};

use super::bound::{Bound, read_place, shown_place};
use super::load::empty;
use super::refusal::{self, Refusal};
use super::{Application, ApplicationFolder, Group, Job, shown};

/// The files of a folder that are looked at.
const EXTENSIONS: [&str; 3] = [".yaml", ".yml", ".json"];

/// Reports every reference that is left in the manifests of `job`. Of its outputs
/// documents only the names count: none is opened. `allowed` begins text that is meant.
///
/// # Errors
/// There is no answer to be had from the module.
pub(crate) fn report_unrendered(
    job: &Job<'_>,
    allowed: &[String],
    mut refusals: Vec<Refusal>,
    engine: &Engine,
    drawing: &mut Drawing,
) -> Result<(), Halted> {
    let mut budget = Budget::new(job.limits.input);
    let (config, stdin) = (job.config, job.stdin_name);
    let bound = Bound::read(&[], config, stdin, job.policies, &mut budget, &mut refusals);
    let names = job.bound.iter().map(|bound| KnownName {
        name: bound.name.clone(),
        bound_by: None,
    });
    let names: Vec<KnownName> = names.collect();
    let _watch = engine.watch();
    for group in &job.groups {
        let mut application = empty(job, &bound).application;
        application.request.known_names.clone_from(&names);
        match group {
            Group::Files(places) => {
                for place in places {
                    let shown = shown_place(place, stdin);
                    match read_place(place, &mut budget) {
                        Ok(content) => add(&mut application, shown, content),
                        Err(error) => refusals.push(Refusal::Manifest { path: shown, error }),
                    }
                }
            }
            Group::Folder(ApplicationFolder { path, shown, .. }) => {
                folder(
                    job,
                    path,
                    shown,
                    &mut application,
                    &mut budget,
                    &mut refusals,
                );
            }
        }
        let mut plugin = engine.start()?;
        let sources = plugin.sources(&application.files)?;
        let found = plugin.unrendered(&sources, &application.request, allowed)?;
        drawing.add(&application.documents(), &found.diagnostics);
        drawing.omit(found.omitted);
    }
    drawing.add(&Documents::default(), &refusal::diagnostics(refusals));
    Ok(())
}

/// Adds all YAML and JSON files below a folder.
fn folder(
    job: &Job<'_>,
    path: &Path,
    shown: &str,
    application: &mut Application,
    budget: &mut Budget,
    refusals: &mut Vec<Refusal>,
) {
    let listed = job.root.open(path).and_then(|root| {
        let folder = root.relative(path)?;
        let listing = Listing::of(&root, &folder, None)?;
        Ok((root, folder, listing))
    });
    let (root, folder, listing) = match listed {
        Ok(listed) => listed,
        Err(error) => {
            let path = shown.to_owned();
            refusals.push(Refusal::Manifest { path, error });
            return;
        }
    };
    let is_link = |path: &&String| !is_manifest(path);
    for path in listing.outside.iter().filter(is_link) {
        refusals.push(Refusal::Outside {
            path: shown::joined(shown, path),
            exclude: None,
            root: root.kind(),
            is_left_out: false,
        });
    }
    for (path, reason) in listing.unlisted {
        if matches!(reason, Unlisted::Name) && !is_manifest(&path.to_string_lossy()) {
            continue;
        }
        let path = shown::joined(shown, &path.to_string_lossy());
        refusals.push(Refusal::Unlisted { path, reason });
    }
    for path in listing.paths.iter().filter(|path| is_manifest(path)) {
        let shown = shown::joined(shown, path);
        match root.read(&folder.join(path), budget) {
            Ok(content) => add(application, shown, content),
            Err(error) => refusals.push(Refusal::Manifest { path: shown, error }),
        }
    }
}

/// Whether a file is a manifest by its name.
pub(super) fn is_manifest(path: &str) -> bool {
    EXTENSIONS.iter().any(|end| path.ends_with(end))
}

fn add(application: &mut Application, shown: String, content: Vec<u8>) {
    let path = shown::for_module(Path::new(&shown));
    application.files.push(File { path, content });
    application.targets.push(Some(shown.clone()));
    application.shown.push(shown);
}
