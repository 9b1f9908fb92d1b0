//! Outputs documents that are not there, or cannot be read.

use landfall_sandbox::types::{Diagnostic, Label, Need, Origin, Span};

use super::super::address;
use super::super::rule::HostRule;
use super::file::{is_address, is_pattern, unreadable};
use super::{finding, with_help};
use crate::files::{FileError, RootKind};
use crate::foreign;

/// One that `-b` names; `meant` is the argument that was meant, where that is known.
pub(super) fn bound(
    name: &str,
    path: &str,
    error: &FileError,
    meant: Option<&str>,
    others: usize,
) -> Diagnostic {
    let is_broken = match (error, meant) {
        (FileError::Missing | FileError::IsFolder, Some(meant)) => {
            let why = match error {
                FileError::IsFolder => "that is a folder",
                _ => "there is no such file",
            };
            let message = format!("`-b {path}` names no outputs document: {why}");
            let help = format!("name and file are one argument, with `=`: `-b {meant}`");
            return with_help(finding(HostRule::MissingFile, message), help);
        }
        (FileError::Missing, None) => false,
        (FileError::BrokenLink, _) => true,
        _ => {
            let subject = format!("`{path}`, the outputs document of `{name}`,");
            return unreadable(&subject, error, others);
        }
    };
    if address::is_address(path) {
        return is_address(path, &format!(" | landfall render … -b {name}=-"));
    }
    let found = finding(
        HostRule::OutputsNotPublished,
        match is_broken {
            true => format!("`{name}` has no outputs document: `{path}` is a broken link"),
            false => format!("`{name}` has no outputs document: there is no file `{path}`"),
        },
    );
    with_help(
        found,
        match is_pattern(path) {
            true => "`-b` takes one file, without wildcards; give each its own `-b NAME=FILE`"
                .to_owned(),
            false => format!("publish it first, for example: terraform output -json > {path}"),
        },
    )
}

/// One that the Binding asks for.
pub(super) fn needed(
    need: &Need,
    path: &str,
    origin: Origin,
    error: &FileError,
    root: RootKind,
    others: usize,
) -> Diagnostic {
    let found = match error {
        FileError::Missing | FileError::BrokenLink if address::is_address(&need.path) => {
            let then = format!(" > {}.json; and name that file here", need.name);
            is_address(&need.path, &then)
        }
        FileError::Missing | FileError::BrokenLink => unpublished(need, path, error),
        _ => {
            let subject = format!("`{path}`, the outputs document of `{}`,", need.name);
            unreadable(&subject, error, others)
        }
    };
    let help = match error {
        FileError::OutsideRoot => Some(larger_root(root).to_owned()),
        _ => found.help,
    };
    Diagnostic {
        labels: vec![label(need, origin, "asked for here")],
        help,
        ..found
    }
}

/// One that the Binding asks for by a path that the system does not follow, although
/// there is a file at `path`, which `meant` leads to.
pub(super) fn mistaken(need: &Need, path: &str, origin: Origin, meant: &str) -> Diagnostic {
    let asked = &need.path;
    let why = match asked.ends_with('/') || asked.ends_with("/.") {
        true => format!("`{path}` is a file, and a `/` at the end means a folder"),
        false => "a folder before a `..` does not exist".to_owned(),
    };
    let message = format!(
        "`{asked}` leads to no outputs document of `{}`: {why}",
        need.name
    );
    Diagnostic {
        labels: vec![label(need, origin, "asked for here")],
        ..with_help(
            finding(HostRule::MissingFile, message),
            format!("write `{meant}`"),
        )
    }
}

/// One of the operator's folder, which is not open.
pub(super) fn mounted(need: &Need, origin: Origin) -> Diagnostic {
    let message = format!(
        "`{}` wants `{}` from the operator's mounted folder, and none is open here",
        need.name, need.path
    );
    let help = format!("bind it on the command line: -b {}=FILE", need.name);
    Diagnostic {
        labels: vec![label(need, origin, "asked for here")],
        ..with_help(finding(HostRule::OutputsNotPublished, message), help)
    }
}

fn unpublished(need: &Need, path: &str, error: &FileError) -> Diagnostic {
    let why = match error {
        FileError::BrokenLink => format!("`{path}` is a broken link"),
        _ => format!("there is no file `{path}`"),
    };
    let message = format!("`{}` is not published yet: {why}", need.name);
    let help = match need.published_by.as_deref() {
        Some(publisher) if !publisher.is_empty() => {
            format!("published by: {}", foreign::line(publisher))
        }
        _ => format!(
            "publish it, for example: terraform output -json > {path}; `publishedBy` beside it says who does"
        ),
    };
    with_help(finding(HostRule::OutputsNotPublished, message), help)
}

/// What to do about a document outside of the root.
const fn larger_root(root: RootKind) -> &'static str {
    match root {
        RootKind::Named => "name a larger root with --root",
        RootKind::WorkTree => {
            "the root is the Git work tree: move the document into it, or name a larger root with --root"
        }
        RootKind::NoWorkTree => {
            "there is no Git work tree here, so that the root is the application's own folder: name a larger one with --root"
        }
        RootKind::ByHand { in_work_tree: true } => {
            "the root is the Git work tree: move the document into it"
        }
        RootKind::ByHand {
            in_work_tree: false,
        } => {
            "there is no Git work tree here, so that the root is this folder: set ARGOCD_APP_SOURCE_PATH to the path of this folder in the repository, as Argo CD does"
        }
        RootKind::Received => {
            "Argo CD hands over the folders that the annotation `argocd.argoproj.io/manifest-generate-paths` of the Application names, or the whole repository without it: name the document's folder there too"
        }
    }
}

fn label(need: &Need, origin: Origin, message: &str) -> Label {
    let span = Span {
        origin,
        start: need.start,
        end: need.end,
    };
    // A ResourceList holds Secrets; a Binding holds none.
    let conceal = !matches!(origin, Origin::Binding);
    Label {
        span,
        message: message.to_owned(),
        conceal,
    }
}
