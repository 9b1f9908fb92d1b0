//! Outputs documents with sensitive values in plain text that Git tracks: everybody who can
//! read the repository can read them, and its history keeps them.

use std::path::Path;

use landfall_sandbox::Plugin;
use landfall_sandbox::types::{
    BuiltInCeiling, Diagnostic, OutputsDocument, OutputsInputs, Severity,
};

use super::problem::{finding, with_help};
use super::rule::HostRule;
use crate::engine::Halted;
use crate::files::{InGit, in_git};

/// The export that leaves out sensitive values.
const PUBLIC: &str = "public";

/// Returns what is wrong with the documents of `inputs`.
///
/// # Errors
/// The module was stopped.
pub(crate) fn secrets_in_git(
    inputs: &OutputsInputs,
    plugin: &mut Plugin,
) -> Result<Vec<Diagnostic>, Halted> {
    let mut found = Vec::new();
    for document in &inputs.documents {
        // What is not a file has no such path.
        let Some(place) = in_git(Path::new(&document.path)) else {
            continue;
        };
        if place != InGit::Ignored && has_plain_secrets(document, inputs, plugin)? {
            found.push(diagnostic(document, place, inputs.ceiling.built_in));
        }
    }
    Ok(found)
}

/// Returns whether a document without its sensitive values differs from it. What cannot be
/// read is reported elsewhere.
fn has_plain_secrets(
    document: &OutputsDocument,
    inputs: &OutputsInputs,
    plugin: &mut Plugin,
) -> Result<bool, Halted> {
    let alone = OutputsInputs {
        documents: vec![document.clone()],
        contract: None,
        ..inputs.clone()
    };
    let exported = plugin.export_outputs(&alone, PUBLIC, &[])?;
    Ok(exported.is_ok_and(|exported| exported.content != document.content))
}

fn diagnostic(document: &OutputsDocument, place: InGit, ceiling: BuiltInCeiling) -> Diagnostic {
    let OutputsDocument { name, path, .. } = document;
    let (severity, what) = match (place, ceiling) {
        (InGit::Tracked, BuiltInCeiling::ArgoCd) => (Severity::Error, "is tracked by Git"),
        (InGit::Tracked, BuiltInCeiling::None) => (Severity::Warning, "is tracked by Git"),
        (InGit::NotIgnored | InGit::Ignored, _) => {
            (Severity::Note, "is not ignored by Git, which would add it")
        }
    };
    let message = format!("`{path}` has sensitive values in plain text, and {what}");
    let found = Diagnostic {
        severity,
        ..finding(HostRule::SecretInGit, message)
    };
    let export = format!("landfall export public -b {name}={path}");
    let help = match place {
        InGit::Tracked => format!(
            "commit what `{export}` writes instead, and change the secrets, which the history keeps"
        ),
        _ => format!("add it to .gitignore, or commit what `{export}` writes"),
    };
    with_help(found, help)
}
