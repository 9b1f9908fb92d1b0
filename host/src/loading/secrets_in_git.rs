//! Outputs documents with sensitive values in plain text that Git tracks: everybody who can
//! read the repository can read them, and its history keeps them.

use std::path::Path;

use landfall_sandbox::types::{BuiltInCeiling, Diagnostic, OutputsDocument, Severity};

use crate::engine::{Halted, OutputsInputs, Plugin};
use crate::files::{InGit, in_git};
use crate::problem::{HostRule, Problem};

use super::mounted::MOUNTED;

/// The export that leaves out sensitive values.
const PUBLIC: &str = "public";

/// The repository in which outputs documents are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repository {
    /// The Git work tree around each file.
    WorkTree,
    /// What Argo CD has extracted: all that the Binding names there was committed.
    Extracted,
}

impl Repository {
    /// Returns what Git does with a document; `None` if it is no file there.
    fn place_of(self, document: &OutputsDocument, inputs: &OutputsInputs) -> Option<InGit> {
        let path = &document.path;
        // The Binding itself holds its values.
        let is_inline = path.starts_with("<inline ");
        match self {
            Self::WorkTree if is_inline => {
                let binding = inputs.configuration.binding.as_ref();
                binding.and_then(|binding| in_git(Path::new(&binding.path)))
            }
            Self::WorkTree => in_git(Path::new(path)),
            Self::Extracted if is_inline => Some(InGit::Tracked),
            Self::Extracted => {
                let is_elsewhere = path.starts_with('<') || path.starts_with(MOUNTED);
                (!is_elsewhere).then_some(InGit::Tracked)
            }
        }
    }
}

/// Returns what is wrong with the documents of `inputs`.
///
/// # Errors
/// The module was stopped.
pub(crate) fn secrets_in_git(
    inputs: &OutputsInputs,
    repository: Repository,
    plugin: &mut Plugin,
) -> Result<Vec<Diagnostic>, Halted> {
    let mut found = Vec::new();
    for document in &inputs.documents {
        let Some(place) = repository.place_of(document, inputs) else {
            continue;
        };
        if place != InGit::Ignored && has_plain_secrets(document, inputs, plugin)? {
            found.push(diagnostic(document, place, inputs, repository));
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

fn diagnostic(
    document: &OutputsDocument,
    place: InGit,
    inputs: &OutputsInputs,
    repository: Repository,
) -> Diagnostic {
    let OutputsDocument { name, path, .. } = document;
    let (severity, what) = match (place, inputs.configuration.ceiling.built_in) {
        (InGit::Tracked, BuiltInCeiling::ArgoCd) => (Severity::Error, "is tracked by Git"),
        (InGit::Tracked, BuiltInCeiling::None) => (Severity::Warning, "is tracked by Git"),
        (InGit::NotIgnored | InGit::Ignored, _) => {
            (Severity::Note, "is not ignored by Git, which would add it")
        }
    };
    let message = format!("`{path}` has sensitive values in plain text, and {what}");
    let config = inputs.configuration.binding.as_ref();
    let config = config.map_or_else(String::new, |binding| format!(" -c {}", binding.path));
    let export = format!("landfall export public{config} -b {name}={path}");
    let help = match place {
        _ if path.starts_with('<') => {
            "bind a document that Git ignores, or that the operator mounts, instead; and change the secrets, which the history keeps".to_owned()
        }
        InGit::Tracked if repository == Repository::Extracted => format!(
            "commit what `{export}` writes instead, let the operator mount the secrets (`from: {{mounted: …}}`), and change them, because the history keeps them"
        ),
        InGit::Tracked => format!(
            "commit what `{export}` writes instead, and change the secrets, which the history keeps"
        ),
        _ => format!("add it to .gitignore, or commit what `{export}` writes"),
    };
    Problem::new(HostRule::SecretInGit, message)
        .severity(severity)
        .help(help)
        .diagnostic()
}
