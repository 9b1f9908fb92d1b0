//! What is said about folders with several Bindings, or with none that applies.

use landfall_sandbox::types::Severity;

use crate::problem::{HostRule, Problem};

use super::near_binding::{NearBinding, NearTo, WhyNot};

pub(super) fn two_bindings(folder: &str, [first, second]: [&str; 2]) -> Problem {
    let message = format!("`{folder}` has two Bindings, `{first}` and `{second}`");
    Problem::new(HostRule::TwoBindings, message)
        .help("keep one of them, or choose one with --config")
}

pub(crate) fn near_binding(near: &NearBinding, to: &NearTo) -> Problem {
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
    Problem::new(HostRule::BindingNotApplied, message).help(help)
}

pub(super) fn outside_applications(folder: &str, first: &str, more: usize) -> Problem {
    let message = format!(
        "skipped {} in `{folder}`: not part of any application",
        first_of(first, more, "manifest", "manifests")
    );
    Problem::new(HostRule::OutsideApplications, message)
        .help("move them into an application, or pass only the folders of the applications")
        .severity(Severity::Warning)
}

pub(crate) fn several_applications(folder: &str, first: &str, more: usize) -> Problem {
    let message = format!(
        "`{folder}` has no Binding, but there are applications below it: {}",
        first_of(first, more, "folder", "folders")
    );
    Problem::new(HostRule::SeveralApplications, message)
        .help("create one Argo CD Application per folder, for example with an ApplicationSet, and set its `spec.source.path` to that folder")
}

/// Formats the first item and the number of others.
pub(crate) fn first_of(first: &str, more: usize, one: &str, many: &str) -> String {
    match more {
        0 => format!("`{first}`"),
        1 => format!("`{first}` and 1 more {one}"),
        more => format!("`{first}` and {more} more {many}"),
    }
}
