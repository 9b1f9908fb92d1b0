//! What is said about paths that are no manifests of their application, and about output folders
//! inside of it.

use crate::problem::{HostRule, Problem};
use crate::settings::Tool;

/// Standard input without manifests, which would be rendered to nothing.
pub(super) fn empty_stdin() -> Problem {
    Problem::no_resources("standard input contains no manifests")
        .help("if the command before the pipe has failed, use `set -o pipefail`; if there may be no resources, set `--no-resources allow`")
}

pub(super) fn binding_as_manifest(path: &str, application: &str) -> Problem {
    let message = format!("`{path}` is a Binding, not a manifest");
    Problem::new(HostRule::NotInApplication, message)
        .help(format!("pass its folder instead: `{application}`"))
}

pub(super) fn not_in_application(path: &str, application: &str, is_folder: bool) -> Problem {
    let message = if is_folder {
        format!("`{path}` contains no manifest of the application `{application}`")
    } else {
        format!("`{path}` is not a manifest of the application `{application}`")
    };
    Problem::new(HostRule::NotInApplication, message)
        .help("the application's Binding selects its manifests (`spec.manifests`); to render the file on its own, pass it on standard input (`-`)")
}

/// `below` is the path of the output folder relative to the application's folder.
pub(super) fn output_among_manifests(path: &str, below: &str) -> Problem {
    let message = format!(
        "`{path}` is inside the application's folder: the next render would read the written files as manifests"
    );
    let exclude = match below {
        "" => String::new(),
        below => format!(
            ", or exclude this one in the Binding: `spec: {{manifests: {{exclude: [{below}/]}}}}`"
        ),
    };
    Problem::new(HostRule::OutputAmongManifests, message)
        .help(format!("choose a folder outside the application{exclude}"))
}

/// Why a folder is not built by its tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolNotRun {
    /// The folder is rendered in place.
    InPlace,
    /// A part of the folder was asked for.
    Part,
}

pub(super) fn tool_not_run(tool: Tool, folder: &str, why: ToolNotRun) -> Problem {
    let tool = tool.name();
    let (message, help) = match why {
        ToolNotRun::InPlace => (
            format!(
                "`{folder}` is built by {tool} (`spec.tool`), so it has no files to render in place"
            ),
            "remove --in-place".to_owned(),
        ),
        ToolNotRun::Part => (
            format!("`{folder}` is built by {tool} as a whole (`spec.tool`)"),
            format!("pass the folder: `{folder}`"),
        ),
    };
    Problem::new(HostRule::ToolNotRun, message).help(help)
}
