//! Folders of applications, and what in them is not what it is taken for.

use landfall_sandbox::types::Diagnostic;

use super::super::rule::HostRule;
use super::{finding, warning, with_help};
use crate::files::RootKind;

/// A file whose name is not UTF-8.
pub(super) fn unnamed(path: &str, exclude: Option<&str>, is_left_out: bool) -> Diagnostic {
    let rule = HostRule::UnlistedFile;
    if is_left_out {
        let message = format!("`{path}` is left out: its name is not UTF-8");
        return warning(finding(rule, message));
    }
    let message = format!("`{path}` cannot be rendered: its name is not UTF-8");
    let exclude = exclude.map(excluding).unwrap_or_default();
    with_help(finding(rule, message), format!("rename it{exclude}"))
}

/// How to leave something out on purpose.
fn excluding(pattern: &str) -> String {
    format!(", or exclude it in the Binding: `spec: {{manifests: {{exclude: [{pattern}]}}}}`")
}

pub(super) fn too_many(path: &str, limit: usize) -> Diagnostic {
    let message = format!("more than {limit} files: listing stopped in `{path}`");
    with_help(
        finding(HostRule::InputTooLarge, message),
        "render a smaller folder, and see whether links lead in circles",
    )
}

/// A link that leads out of the root.
pub(super) fn outside(
    path: &str,
    exclude: Option<&str>,
    root: RootKind,
    is_left_out: bool,
) -> Diagnostic {
    let rule = HostRule::OutsideRoot;
    let larger = match root {
        RootKind::Named | RootKind::WorkTree | RootKind::NoWorkTree => {
            ", or name a larger root with --root"
        }
        RootKind::Received => {
            ", or name its folder in the annotation `argocd.argoproj.io/manifest-generate-paths` too"
        }
        RootKind::ByHand { .. } => "",
    };
    if is_left_out {
        let message = format!("`{path}` is left out: the link leads out of the root");
        let help = format!("replace the link by what it leads to{larger}");
        return warning(with_help(finding(rule, message), help));
    }
    let message =
        format!("the link `{path}` leads out of the root: what is there would not be rendered");
    let exclude = exclude.map(excluding).unwrap_or_default();
    with_help(
        finding(rule, message),
        format!("replace the link by what it leads to{exclude}{larger}"),
    )
}

pub(super) fn two_bindings(folder: &str, [first, second]: [&str; 2]) -> Diagnostic {
    let message = format!("`{folder}` has two Bindings, `{first}` and `{second}`");
    with_help(
        finding(HostRule::TwoBindings, message),
        "keep one of them, or name one with --config",
    )
}

/// A Binding that is named as a manifest.
pub(super) fn binding(path: &str, application: &str) -> Diagnostic {
    let message = format!("`{path}` is a Binding, not a manifest");
    with_help(
        finding(HostRule::NotInApplication, message),
        format!("name the folder: `{application}`"),
    )
}

pub(super) fn not_in(path: &str, application: &str, is_folder: bool) -> Diagnostic {
    let message = match is_folder {
        true => format!("`{path}` holds no manifest of the application `{application}`"),
        false => format!("`{path}` is not a manifest of the application `{application}`"),
    };
    with_help(
        finding(HostRule::NotInApplication, message),
        "the application's Binding decides which files are (`spec.manifests`); standard input (`-`) belongs to no application",
    )
}

pub(super) fn outside_applications(folder: &str, first: &str, more: usize) -> Diagnostic {
    let message = format!(
        "not rendered: {} in `{folder}`, outside of every application",
        first_of(first, more, "manifest", "manifests")
    );
    warning(with_help(
        finding(HostRule::OutsideApplications, message),
        "move them into an application, or name the applications' folders to leave them out on purpose",
    ))
}

pub(super) fn several(folder: &str, first: &str, more: usize) -> Diagnostic {
    let message = format!(
        "`{folder}` has no Binding, but there are applications below it: {}",
        first_of(first, more, "folder", "folders")
    );
    with_help(
        finding(HostRule::SeveralApplications, message),
        "an Argo CD Application renders one: set its `spec.source.path` to that folder, and make an Application for each (an ApplicationSet can)",
    )
}

/// An output folder inside the application's; `below` is its path there.
pub(super) fn output_among_manifests(path: &str, below: &str) -> Diagnostic {
    let message = format!(
        "`{path}` is in the application's folder: the next render would take the files there for manifests"
    );
    let exclude = match below {
        "" => String::new(),
        below => format!(
            ", or exclude this one in the Binding: `spec: {{manifests: {{exclude: [{below}/]}}}}`"
        ),
    };
    with_help(
        finding(HostRule::OutputAmongManifests, message),
        format!("name a folder outside of it{exclude}"),
    )
}

/// Output files that are sources.
pub(super) fn output_over_sources(first: &str, more: usize) -> Diagnostic {
    let message = format!(
        "{} would overwrite what it is rendered from",
        first_of(first, more, "file", "files")
    );
    with_help(
        finding(HostRule::OutputAmongManifests, message),
        "name another --output-dir; to replace the references in the manifests themselves, use `--in-place --replace-references`",
    )
}

/// One thing by its name, and how many more there are.
fn first_of(first: &str, more: usize, one: &str, many: &str) -> String {
    match more {
        0 => format!("`{first}`"),
        1 => format!("`{first}` and 1 more {one}"),
        more => format!("`{first}` and {more} more {many}"),
    }
}
