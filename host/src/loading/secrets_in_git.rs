//! Outputs documents with sensitive values in plain text that Git tracks: everybody who can
//! read the repository can read them, and its history keeps them.

use std::path::Path;

use landfall_sandbox::types::{
    BuiltInCeiling, Configuration, Diagnostic, OutputsDocument, Severity,
};

use crate::files::{InGit, in_git};
use crate::problem::{HostRule, Problem};

use super::mounted::MOUNTED;

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
    fn place_of(self, document: &OutputsDocument, configuration: &Configuration) -> Option<InGit> {
        let path = &document.path;
        // The Binding itself holds its values.
        let is_inline = path.starts_with("<inline ");
        match self {
            Self::WorkTree if is_inline => {
                let binding = configuration.binding.as_ref();
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

/// Returns what is wrong with documents in which sensitive values can be read: those of
/// these at the positions `readable`, as the module finds them.
pub(crate) fn secrets_in_git(
    documents: &[OutputsDocument],
    readable: &[u32],
    configuration: &Configuration,
    repository: Repository,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for position in readable {
        if let Some(document) = documents.get(*position as usize)
            && let Some(place) = repository.place_of(document, configuration)
            && place != InGit::Ignored
        {
            found.push(diagnostic(document, place, configuration, repository));
        }
    }
    found
}

fn diagnostic(
    document: &OutputsDocument,
    place: InGit,
    configuration: &Configuration,
    repository: Repository,
) -> Diagnostic {
    let OutputsDocument { name, path, .. } = document;
    let (severity, what) = match (place, configuration.ceiling.built_in) {
        (InGit::Tracked, BuiltInCeiling::ArgoCd) => (Severity::Error, "is tracked by Git"),
        (InGit::Tracked, BuiltInCeiling::None) => (Severity::Warning, "is tracked by Git"),
        (InGit::NotIgnored | InGit::Ignored, _) => {
            (Severity::Note, "is not ignored by Git, which would add it")
        }
    };
    let what = match repository {
        Repository::Extracted => "is in the repository",
        Repository::WorkTree => what,
    };
    let message = format!("`{path}` has sensitive values in plain text, and {what}");
    let config = configuration.binding.as_ref();
    let config = config.map_or_else(String::new, |binding| format!(" -c {}", binding.path));
    let export = format!("landfall export public{config} -b {name}={path}");
    let help = match place {
        _ if path.starts_with('<') => {
            "bind a document that Git ignores, or that the operator mounts, instead; and change the secrets, which the history keeps".to_owned()
        }
        InGit::Tracked if repository == Repository::Extracted => format!(
            "commit what `{export}` writes instead, let the operator mount the secrets (`from: {{mounted: …}}`), and change them if they were committed, because the history keeps them"
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
