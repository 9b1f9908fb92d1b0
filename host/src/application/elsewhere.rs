//! Names that other Bindings under the root bind. They are looked for only once a render
//! has found references that nothing answers: a small application in a large repository
//! is rendered without a look at its neighbours.

use std::path::{Path, PathBuf};

use landfall_sandbox::Plugin;
use landfall_sandbox::types::{Answer, Config, Counts, Diagnostic, Findings, KnownName};

use crate::engine::Halted;
use crate::files::{Budget, FileError, Listing, Root, RootKind};
use crate::settings::Place;

use super::which::BINDINGS;
use super::{ApplicationFolder, Group, Job, shown};

/// The rule of references that another Binding may answer.
const UNANSWERED: &str = "unbound-reference";

/// Whether other Bindings may have to do with what was found.
pub(super) fn is_worth_a_look(outcome: &Result<Answer, Findings>) -> bool {
    match outcome {
        Ok(answer) => has_unanswered(&answer.diagnostics, answer.omitted),
        Err(found) => has_unanswered(&found.diagnostics, found.omitted),
    }
}

/// The same of diagnostics alone. Such a warning may be among those that were left out.
pub(crate) fn has_unanswered(found: &[Diagnostic], omitted: Counts) -> bool {
    omitted.warnings > 0 || found.iter().any(|found| found.rule == UNANSWERED)
}

/// The names that Bindings under the root of `group` bind.
///
/// # Errors
/// There is no answer to be had from the module.
pub(super) fn known_names(
    job: &Job<'_>,
    group: &Group,
    plugin: &mut Plugin,
) -> Result<Vec<KnownName>, Halted> {
    let (folder, is_application) = match group {
        Group::Folder(ApplicationFolder { path, .. }) => (path.clone(), true),
        Group::Files(places) => match places.first() {
            Some(Place::Path(path)) => (shown::folder_of(path), false),
            Some(Place::Stdin) | None => (PathBuf::from("."), false),
        },
    };
    let root = job.root.open(&folder);
    // Files may be anywhere, in a home folder too: that is no root.
    let is_nowhere = |root: &Root| !is_application && root.kind() == RootKind::NoWorkTree;
    if root.as_ref().is_ok_and(is_nowhere) {
        return Ok(Vec::new());
    }
    names_under(root, job.limits.input, plugin)
}

/// The names that Bindings under `root` bind. What cannot be read there is passed over:
/// another application's fault is none of this one's.
///
/// # Errors
/// There is no answer to be had from the module.
pub(crate) fn names_under(
    root: Result<Root, FileError>,
    max_input: u64,
    plugin: &mut Plugin,
) -> Result<Vec<KnownName>, Halted> {
    let listed = root.and_then(|root| {
        let listing = Listing::of(&root, Path::new(""), None)?;
        Ok((root, listing))
    });
    let Ok((root, listing)) = listed else {
        return Ok(Vec::new());
    };
    let here = root.relative(Path::new(".")).unwrap_or_default();
    let mut budget = Budget::new(max_input);
    let mut names = Vec::new();
    for path in listing.paths {
        let name = path.rsplit('/').next().unwrap_or(&path);
        if !BINDINGS.contains(&name) {
            continue;
        }
        let Ok(content) = root.read(Path::new(&path), &mut budget) else {
            continue;
        };
        let shown = seen_from(&here, &path);
        let binding = Config {
            path: shown.clone(),
            content,
        };
        if let Ok(plan) = plugin.needs(Some(&binding), &[], None)? {
            names.extend(plan.outputs.into_iter().map(|need| KnownName {
                name: need.name,
                bound_by: Some(shown.clone()),
            }));
        }
    }
    Ok(names)
}

/// `path` as it is written in the folder `here`, both below one root.
fn seen_from(here: &Path, path: &str) -> String {
    let common = std::iter::zip(here, Path::new(path))
        .take_while(|(here, path)| here == path)
        .count();
    let up = here.iter().skip(common).map(|_| Path::new(".."));
    let down = Path::new(path).iter().skip(common).map(Path::new);
    let seen: PathBuf = up.chain(down).collect();
    seen.to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::seen_from;

    #[test]
    fn paths_are_written_as_seen_from_a_folder() {
        let check = |here: &str, path: &str, expected: &str| {
            assert_eq!(seen_from(Path::new(here), path), expected);
        };
        check("", "apps/other/landfall.yaml", "apps/other/landfall.yaml");
        check(
            "apps/web",
            "apps/other/landfall.yaml",
            "../other/landfall.yaml",
        );
        check("apps/web", "landfall.yaml", "../../landfall.yaml");
        check("apps", "apps/web/landfall.yaml", "web/landfall.yaml");
    }
}
