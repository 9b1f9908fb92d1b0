//! Diagnostics about outputs documents in the operator's mounted folder. What the operator
//! has to do reads differently from what the author of a Binding has to do.

use landfall_sandbox::types::{Need, Origin};

use crate::files::FileError;
use crate::problem::{HostRule, Problem};
use crate::sanitize;

use super::digest::DigestError;
use super::mounted::{NotFound, NotMounted};
use super::outputs_problems::label;

/// No mounted document can be read.
pub(super) fn not_mounted(
    need: &Need,
    origin: Origin,
    why: &NotMounted,
    is_plugin: bool,
) -> Problem {
    let wanted = format!(
        "`{}` requires the mounted document `{}`",
        need.name, need.path
    );
    let (message, help) = match (why, is_plugin) {
        (NotMounted::NoFolder, true) => (
            format!("{wanted}, but the operator of this plugin has mounted no outputs"),
            "for the operator: mount a folder into the sidecar, for example with `landfall argocd install --mounted-outputs configmap/NAME`".to_owned(),
        ),
        (NotMounted::NoFolder, false) => (
            format!("{wanted}, but no folder is mounted here"),
            format!("pass `--mounted-outputs DIR`, or bind the document: `-b {}=FILE`", need.name),
        ),
        (NotMounted::Getter, _) => (
            format!("{wanted}, but values files that Helm reads through landfall have none"),
            "commit a document without its secrets (`landfall export public`), or let landfall run Helm with `spec.tool: helm`".to_owned(),
        ),
        (NotMounted::NoProject, _) => (
            format!("{wanted}, but Argo CD did not pass the Application's project"),
            "for the operator: mounted outputs require Argo CD 3.0 or later, which sets ARGOCD_APP_PROJECT_NAME".to_owned(),
        ),
        (NotMounted::InvalidProject, _) => (
            format!("{wanted}, but ARGOCD_APP_PROJECT_NAME is not the name of a project"),
            "for the operator: do not set this variable in the sidecar or in `plugin.env`".to_owned(),
        ),
        (NotMounted::Folder(folder), true) => (
            format!("{wanted}, but the operator's folder `{folder}` does not exist"),
            "for the operator: mount a volume at the path of `--mounted-outputs` in plugin.yaml".to_owned(),
        ),
        (NotMounted::Folder(folder), false) => (
            format!("{wanted}, but the folder `{folder}` does not exist"),
            "pass an existing folder with `--mounted-outputs DIR`".to_owned(),
        ),
    };
    let problem = Problem::new(HostRule::OutputsNotPublished, message)
        .at(label(need, origin, "required here"))
        .help(help);
    match (why, is_plugin) {
        (NotMounted::NoFolder, false) => problem.absence(),
        _ => problem,
    }
}

/// One document cannot be read.
pub(super) fn not_found(need: &Need, origin: Origin, not_found: &NotFound) -> Problem {
    let NotFound { path, other, error } = not_found;
    let place = label(need, origin, "required here");
    let why = match (error, other) {
        (FileError::Missing | FileError::BrokenLink, Some(other)) => {
            format!("neither `{path}` nor `{other}` exists")
        }
        (FileError::Missing | FileError::BrokenLink, None) => format!("`{path}` does not exist"),
        _ => {
            let subject = format!("`{path}`, the outputs document of `{}`,", need.name);
            return Problem::unreadable(&subject, error).at(place);
        }
    };
    let message = format!("`{}` is not published yet: {why}", need.name);
    let help = match need.published_by.as_deref() {
        Some(publisher) if !publisher.is_empty() => {
            format!("published by: {}", sanitize::line(publisher))
        }
        _ => "write it to the ConfigMap or Secret that the operator has mounted; set `publishedBy` in the Binding to show its publisher here".to_owned(),
    };
    Problem::new(HostRule::OutputsNotPublished, message)
        .at(place)
        .help(help)
        .absence()
}

/// The mounted documents are older or newer than the Application.
pub(super) fn other_digest() -> Problem {
    let message = "the mounted outputs do not have the digest in the parameter `outputs-digest`";
    Problem::new(HostRule::OutputsDigest, message)
        .help("Kubernetes updates mounted volumes within about a minute: refresh the Application then; after three failures Argo CD does not retry for 60 minutes unless it is refreshed")
}

/// Nothing has the digest.
pub(super) fn nothing_digested() -> Problem {
    let message = "the parameter `outputs-digest` is set, but the Binding has no mounted documents";
    Problem::new(HostRule::OutputsDigest, message)
        .help("remove the parameter: Argo CD knows when files and parameters change")
}

/// The digest cannot be compared.
pub(crate) fn invalid_digest(error: DigestError) -> Problem {
    let (message, help) = match error {
        DigestError::Malformed => (
            "the parameter `outputs-digest` is not a digest",
            "set it to what `landfall stamp` prints: `sha256:` or `hmac-sha256:` and 64 digits",
        ),
        DigestError::NoKey => (
            "the parameter `outputs-digest` has a keyed digest, but the operator has named no key",
            "for the operator: mount the key, and add `--digest-key FILE` to `spec.generate.command` in plugin.yaml",
        ),
    };
    Problem::new(HostRule::OutputsDigest, message).help(help)
}

/// A digest would let readers of the Application guess a secret. `unmarked`: the path of a
/// document whose format does not mark sensitive outputs.
pub(crate) fn unkeyed_digest(unmarked: Option<&str>) -> Problem {
    let why = "a digest without a key would let others verify guesses of them";
    let (message, help) = match unmarked {
        None => (
            format!("some of these outputs are sensitive: {why}"),
            "pass a key that only the pipeline and the operator have: `--digest-key FILE`",
        ),
        Some(path) => (
            format!(
                "the outputs in `{path}` may be sensitive, because its format has no marks: {why}"
            ),
            "pass a key that only the pipeline and the operator have: `--digest-key FILE`; if the operator mounts this document with `--mounted-outputs-public`, pass that flag here, too",
        ),
    };
    Problem::new(HostRule::OutputsDigest, message).help(help)
}
