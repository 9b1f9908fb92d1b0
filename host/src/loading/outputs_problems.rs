//! Diagnostics about outputs documents that do not exist or cannot be read.

use landfall_sandbox::types::{Label, Need, Origin, Span};

use crate::files::{FileError, RootKind};
use crate::problem::{HostRule, Problem, is_pattern, is_remote};
use crate::sanitize;
use crate::settings::{BindingFlag, BoundFile, Tool};

/// A document that a flag binds to a name cannot be read. `path` is its path in diagnostics.
pub(crate) fn unread(bound: &BoundFile, path: &str, error: &FileError) -> Problem {
    let problem = worded(bound, path, error);
    let is_absence = matches!(error, FileError::Missing | FileError::BrokenLink);
    if is_absence && bound.suggestion.is_none() {
        return problem.absence();
    }
    problem
}

fn worded(bound: &BoundFile, path: &str, error: &FileError) -> Problem {
    let BoundFile {
        flag,
        name,
        suggestion,
        ..
    } = bound;
    let is_broken = match (error, suggestion) {
        (FileError::Missing | FileError::IsFolder, Some(suggestion)) => {
            let why = match error {
                FileError::IsFolder => "is a folder",
                _ => "does not exist",
            };
            let message = format!("`-b {path}` does not name an outputs document: `{path}` {why}");
            let help = format!("pass the name and the file as one argument: `-b {suggestion}`");
            return Problem::new(HostRule::MissingFile, message).help(help);
        }
        (FileError::Missing, None) => false,
        (FileError::BrokenLink, _) => true,
        (FileError::IsFolder, None) => {
            let subject = format!("`{path}`, the outputs document of `{name}`,");
            let help = format!("pass a file: `{} {name}=FILE`", flag.as_str());
            return Problem::unreadable(&subject, error).help(help);
        }
        _ => {
            let subject = format!("`{path}`, the outputs document of `{name}`,");
            return Problem::unreadable(&subject, error);
        }
    };
    let flag_name = flag.as_str();
    if is_remote(path) {
        return Problem::remote_address(path, &format!(" | landfall … {flag_name} {name}=-"));
    }
    let missing = match flag {
        BindingFlag::Plan => format!("the plan of `{name}` is missing"),
        _ => format!("`{name}` has no outputs document"),
    };
    let why = if is_broken {
        "is a broken link"
    } else {
        "does not exist"
    };
    let found = Problem::new(
        HostRule::OutputsNotPublished,
        format!("{missing}: `{path}` {why}"),
    );
    found.help(match flag {
            _ if is_pattern(path) => format!(
                "`{flag_name}` takes one file, without wildcards: pass `{flag_name} NAME=FILE` for each file"
            ),
            BindingFlag::Plan => format!(
                "write it with `terraform plan -out plan.tfplan`, then `terraform show -json plan.tfplan > {path}`"
            ),
            _ => format!("create it first, for example: terraform output -json > {path}"),
        })
}

/// A command that needs outputs documents, and has none.
pub(crate) fn no_outputs(lacks_binding: bool) -> Problem {
    let message = if lacks_binding {
        "no outputs document is bound: this folder has no `landfall.yaml`"
    } else {
        "no outputs document is bound"
    };
    Problem::new(HostRule::NoOutputs, message)
        .help("bind one with `-b FILE`, or choose a Binding with `--config FILE`")
}

/// A document that the Binding requires is a resource, and no manifests are read, or `tool` builds
/// them from what is rendered.
pub(super) fn not_among_manifests(need: &Need, tool: Option<Tool>) -> Problem {
    let Need { name, path, .. } = need;
    let (why, help) = match tool {
        Some(tool) => (
            format!("{} builds the manifests with the outputs", tool.name()),
            format!("bind a file: `{name}` can be that of a ConfigMap or a Secret"),
        ),
        None => (
            "this command reads no manifests".to_owned(),
            format!("bind its file: `-b {name}=FILE`"),
        ),
    };
    let message = format!("`{path}`, the outputs document of `{name}`, is not known: {why}");
    Problem::new(HostRule::NoOutputs, message)
        .at(label(need, Origin::Binding, "required here"))
        .help(help)
}

/// A document that the Binding requires cannot be read. `path` is its path in diagnostics, and
/// `origin` the document that requires it.
pub(super) fn required(
    need: &Need,
    path: &str,
    origin: Origin,
    error: &FileError,
    root: RootKind,
) -> Problem {
    let place = label(need, origin, "required here");
    match error {
        FileError::Missing | FileError::BrokenLink if is_remote(&need.path) => {
            let then = format!(" > {}.json, and name that file here", need.name);
            Problem::remote_address(&need.path, &then)
                .at(place)
                .absence()
        }
        FileError::Missing | FileError::BrokenLink => {
            unpublished(need, path, error).at(place).absence()
        }
        _ => {
            let subject = format!("`{path}`, the outputs document of `{}`,", need.name);
            let problem = Problem::unreadable(&subject, error).at(place);
            match error {
                FileError::OutsideRoot => problem.help(larger_root(root)),
                _ => problem,
            }
        }
    }
}

/// A document that the Binding requires by a path that the system cannot resolve,
/// although the normalized path, `suggestion`, is an existing file.
pub(super) fn malformed_path(need: &Need, path: &str, origin: Origin, suggestion: &str) -> Problem {
    let required = &need.path;
    let why = if required.ends_with('/') || required.ends_with("/.") {
        format!("`{path}` is a file, but the path ends with `/`")
    } else {
        "a folder before `..` does not exist".to_owned()
    };
    let message = format!(
        "cannot open `{required}`, the outputs document of `{}`: {why}",
        need.name
    );
    Problem::new(HostRule::MissingFile, message)
        .at(label(need, origin, "required here"))
        .help(format!("use `{suggestion}`"))
}

fn unpublished(need: &Need, path: &str, error: &FileError) -> Problem {
    let why = match error {
        FileError::BrokenLink => format!("`{path}` is a broken link"),
        _ => format!("`{path}` does not exist"),
    };
    let message = format!("`{}` is not published yet: {why}", need.name);
    let help = match need.published_by.as_deref() {
        Some(publisher) if !publisher.is_empty() => {
            format!("published by: {}", sanitize::line(publisher))
        }
        _ => format!(
            "publish it, for example: terraform output -json | landfall export public -b {}=- > {path}; set `publishedBy` in the Binding to show its publisher here",
            need.name
        ),
    };
    Problem::new(HostRule::OutputsNotPublished, message).help(help)
}

/// Returns the help for a document outside the root.
const fn larger_root(root: RootKind) -> &'static str {
    match root {
        RootKind::Named => "pass a larger root with --root",
        RootKind::WorkTree => {
            "the root is the Git work tree: move the document into it, or pass a larger root with --root"
        }
        RootKind::NoWorkTree => {
            "there is no Git work tree here, so the root is the application's own folder: pass a larger root with --root"
        }
        RootKind::ManualPlugin { in_work_tree: true } => {
            "the root is the Git work tree: move the document into it"
        }
        RootKind::ManualPlugin {
            in_work_tree: false,
        } => {
            "there is no Git work tree here, so the root is this folder: set ARGOCD_APP_SOURCE_PATH to the path of this folder in the repository, as Argo CD does"
        }
        RootKind::ArgoCd => {
            "Argo CD provides only the folders in the Application's annotation `argocd.argoproj.io/manifest-generate-paths` (the whole repository if it is not set): add the document's folder to it"
        }
    }
}

pub(super) fn label(need: &Need, origin: Origin, message: &str) -> Label {
    let span = Span {
        origin,
        start: need.start,
        end: need.end,
    };
    // A ResourceList may contain Secrets; a Binding contains none.
    let conceal = !matches!(origin, Origin::Binding);
    Label {
        span,
        message: message.to_owned(),
        conceal,
    }
}
