//! Diagnostics about application folders and their contents.

use landfall_sandbox::types::Diagnostic;

use crate::discovery::{NearBinding, NearTo, WhyNot};
use crate::files::RootKind;
use crate::paths;
use crate::settings::Tool;

use super::rule::HostRule;
use super::{finding, warning, with_help};

pub(super) fn not_utf8_name(path: &str, exclude: Option<&str>, is_skipped: bool) -> Diagnostic {
    let rule = HostRule::UnlistedFile;
    if is_skipped {
        let message = format!("skipped `{path}`: its name is not UTF-8");
        return warning(finding(rule, message));
    }
    let message = format!("`{path}` cannot be rendered: its name is not UTF-8");
    let exclude = exclude.map(excluding).unwrap_or_default();
    with_help(finding(rule, message), format!("rename it{exclude}"))
}

/// Returns the end of a help text: how to exclude the file.
fn excluding(pattern: &str) -> String {
    format!(", or exclude it in the Binding: `spec: {{manifests: {{exclude: [{pattern}]}}}}`")
}

pub(super) fn too_many_files(path: &str, limit: usize) -> Diagnostic {
    let message = format!("more than {limit} files: listing stopped in `{path}`");
    with_help(
        finding(HostRule::InputTooLarge, message),
        "render a smaller folder, and check for links that form a cycle",
    )
}

pub(super) fn link_outside_root(
    path: &str,
    exclude: Option<&str>,
    root: RootKind,
    is_skipped: bool,
) -> Diagnostic {
    let rule = HostRule::OutsideRoot;
    let larger = match root {
        RootKind::Named | RootKind::WorkTree | RootKind::NoWorkTree => {
            ", or pass a larger root with --root"
        }
        RootKind::ArgoCd => {
            ", or add its target's folder to the annotation `argocd.argoproj.io/manifest-generate-paths`"
        }
        RootKind::ManualPlugin { .. } => "",
    };
    if is_skipped {
        let message = format!("skipped `{path}`: the link points outside the root");
        let help = format!("replace the link with a copy of its target{larger}");
        return warning(with_help(finding(rule, message), help));
    }
    let message =
        format!("the link `{path}` points outside the root, so its target would not be rendered");
    let exclude = exclude.map(excluding).unwrap_or_default();
    with_help(
        finding(rule, message),
        format!("replace the link with a copy of its target{exclude}{larger}"),
    )
}

pub(super) fn two_bindings(folder: &str, [first, second]: [&str; 2]) -> Diagnostic {
    let message = format!("`{folder}` has two Bindings, `{first}` and `{second}`");
    with_help(
        finding(HostRule::TwoBindings, message),
        "keep one of them, or choose one with --config",
    )
}

pub(super) fn near_binding(near: &NearBinding, to: &NearTo) -> Diagnostic {
    let NearBinding { path, why } = near;
    let subject = match to {
        NearTo::Path(path) | NearTo::ArgoCd(path) => &format!("`{path}`"),
        NearTo::Stdin => "standard input",
        NearTo::Outputs | NearTo::OutputsOfOther(_) => "the outputs",
    };
    let (why, action) = match why {
        WhyNot::Name => (
            ": its name is not `landfall.yaml`",
            Some(format!("rename `{path}`")),
        ),
        WhyNot::AboveRoot => (
            ": it is above the root",
            Some("pass a larger root with --root".to_owned()),
        ),
        WhyNot::LinkTarget => (
            ": a link leads to its folder",
            Some("pass the path of the link's target".to_owned()),
        ),
        WhyNot::NotSearched => ("", None),
    };
    let help = match (to, action) {
        (NearTo::ArgoCd(_), Some(action)) if near.why != WhyNot::LinkTarget => action,
        (NearTo::ArgoCd(_), _) => {
            "set the Application's `spec.source.path` to the folder of the Binding".to_owned()
        }
        (NearTo::OutputsOfOther(applied), _) => {
            format!("declare them sensitive in `{applied}`, too, and name it with `-c {applied}`")
        }
        (_, action) => {
            let action = action.map(|action| format!("{action}, or "));
            let action = action.unwrap_or_default();
            format!("{action}apply it with `-c {path}`, or use --no-binding")
        }
    };
    let message = format!(
        "the Binding `{path}`, which may declare outputs sensitive, is not applied to {subject}{why}"
    );
    with_help(finding(HostRule::BindingNotApplied, message), help)
}

pub(super) fn binding_as_manifest(path: &str, application: &str) -> Diagnostic {
    let message = format!("`{path}` is a Binding, not a manifest");
    with_help(
        finding(HostRule::NotInApplication, message),
        format!("pass its folder instead: `{application}`"),
    )
}

pub(super) fn not_in_application(path: &str, application: &str, is_folder: bool) -> Diagnostic {
    let message = match is_folder {
        true => format!("`{path}` contains no manifest of the application `{application}`"),
        false => format!("`{path}` is not a manifest of the application `{application}`"),
    };
    with_help(
        finding(HostRule::NotInApplication, message),
        "the application's Binding selects its manifests (`spec.manifests`); to render the file on its own, pass it on standard input (`-`)",
    )
}

pub(super) fn outside_applications(folder: &str, first: &str, more: usize) -> Diagnostic {
    let message = format!(
        "skipped {} in `{folder}`: not part of any application",
        first_of(first, more, "manifest", "manifests")
    );
    warning(with_help(
        finding(HostRule::OutsideApplications, message),
        "move them into an application, or pass only the folders of the applications",
    ))
}

pub(super) fn several_applications(folder: &str, first: &str, more: usize) -> Diagnostic {
    let message = format!(
        "`{folder}` has no Binding, but there are applications below it: {}",
        first_of(first, more, "folder", "folders")
    );
    with_help(
        finding(HostRule::SeveralApplications, message),
        "create one Argo CD Application per folder, for example with an ApplicationSet, and set its `spec.source.path` to that folder",
    )
}

/// `below` is the path of the output folder relative to the application's folder.
pub(super) fn output_among_manifests(path: &str, below: &str) -> Diagnostic {
    let message = format!(
        "`{path}` is inside the application's folder: the next render would read the written files as manifests"
    );
    let exclude = match below {
        "" => String::new(),
        below => format!(
            ", or exclude this one in the Binding: `spec: {{manifests: {{exclude: [{below}/]}}}}`"
        ),
    };
    with_help(
        finding(HostRule::OutputAmongManifests, message),
        format!("choose a folder outside the application{exclude}"),
    )
}

pub(super) fn output_over_sources(first: &str, more: usize) -> Diagnostic {
    let message = format!(
        "the output would overwrite its own sources: {}",
        first_of(first, more, "file", "files")
    );
    with_help(
        finding(HostRule::OutputAmongManifests, message),
        "choose another --output-dir; to replace the references in the manifests themselves, use `--in-place --replace-references`",
    )
}

pub(super) fn stdout_is_source(path: &str) -> Diagnostic {
    let message = format!("standard output is written to `{path}`, which is one of the sources");
    with_help(
        finding(HostRule::OutputAmongManifests, message),
        "choose a file outside the application's folder; if the shell has emptied a manifest, restore it; to replace the references in the manifests themselves, use `--in-place --replace-references`",
    )
}

pub(super) fn stdout_is_outputs(path: &str) -> Diagnostic {
    let message =
        format!("standard output is written to `{path}`, from which the outputs are read");
    with_help(
        finding(HostRule::OutputAmongManifests, message),
        "choose another file",
    )
}

/// Formats the first item and the number of others.
fn first_of(first: &str, more: usize, one: &str, many: &str) -> String {
    match more {
        0 => format!("`{first}`"),
        1 => format!("`{first}` and 1 more {one}"),
        more => format!("`{first}` and {more} more {many}"),
    }
}

/// Why a folder is not built by its tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolNotRun {
    /// The command does not run tools.
    Command,
    /// The folder is rendered in place.
    InPlace,
    /// The command changes files, and renders them to check that.
    Sources,
    /// A part of the folder was asked for.
    Part,
    /// The folder is rendered for each cluster of a fleet.
    Fleet,
}

pub(super) fn tool_not_run(tool: Tool, folder: &str, why: ToolNotRun) -> Diagnostic {
    let example = match tool {
        Tool::Helm => "values.yaml",
        Tool::Kustomize => "FILE.yaml",
    };
    let (command, tool) = (tool.command(), tool.name());
    let not_run =
        format!("`{folder}` is built by {tool} (`spec.tool`), which this command does not run");
    let (message, help) = match why {
        ToolNotRun::InPlace => (
            format!(
                "`{folder}` is built by {tool} (`spec.tool`), so it has no files to render in place"
            ),
            "remove --in-place".to_owned(),
        ),
        ToolNotRun::Sources => (
            not_run,
            format!(
                "name the files to change, and bind outputs documents with flags: `landfall … {} --no-binding -b NAME=FILE`",
                paths::join(folder, example)
            ),
        ),
        ToolNotRun::Part => (
            format!("`{folder}` is built by {tool} as a whole (`spec.tool`)"),
            format!("pass the folder: `{folder}`"),
        ),
        ToolNotRun::Fleet => (
            format!("`{folder}` is built by {tool} (`spec.tool`), which --each does not support"),
            format!("render it for one cluster at a time: `landfall render {folder} -b NAME=FILE`"),
        ),
        ToolNotRun::Command => (
            not_run,
            format!(
                "use `landfall render` or `landfall check`, or pass what {tool} builds: `{command} {folder} | landfall … -`"
            ),
        ),
    };
    with_help(finding(HostRule::ToolNotRun, message), help)
}
