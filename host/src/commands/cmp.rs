//! `landfall cmp`: Argo CD's calls to a config management plugin.
//!
//! argocd-cmp-server unpacks the repository into a folder with a new name for
//! every call and runs the plugin in the application's folder there. Standard
//! error of a failure goes to the user as it is, so no absolute path of ours may
//! stand in it. (cmpserver/plugin/plugin.go, argo-cd v3.5.1)

use std::ffi::OsString;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use landfall_sandbox::types::{Config, Detail};

use crate::application::{
    ApplicationFolder, BINDINGS, Group, Job, Part, Refusal, RootChoice, Search, has_binding,
    render_all, shown_path,
};
use crate::engine::Engine;
use crate::exit::Exit;
use crate::files::{Budget, read_named};
use crate::settings::{Cmp, Destination};

use super::render::{NOTHING, write_stream};
use super::session::Session;

/// How an Application leaves a folder to Argo CD. An empty `kustomize: {}` is not
/// enough: the application controller removes it before it asks for manifests
/// (NormalizeApplicationSpec in util/argo/argo.go, argo-cd v3.5.1).
const ADVICE: &[(&str, &str)] = &[(
    "other-tool",
    "; or let Argo CD render the folder without landfall: name its tool in the Application's spec.source, `kustomize: {…}`, `helm: {…}` or `directory: {…}`, with a field in it, since Argo CD drops an empty `kustomize: {}`",
)];

pub(super) fn generate(mut session: Session, cmp: &Cmp) -> Exit {
    let (folder, mut refusals) = (AppFolder::here(), Vec::new());
    let operator_policy = cmp
        .operator_policy
        .as_deref()
        .and_then(|file| operator_policy(file, session.limits.input, &mut refusals));
    let groups = match group(cmp, &folder) {
        Ok(group) => vec![group],
        Err(refusal) => {
            refusals.push(refusal);
            Vec::new()
        }
    };
    let job = Job {
        groups,
        bound: &cmp.bound,
        config: cmp.config.as_ref(),
        root: folder.root,
        ceiling: session.ceiling(operator_policy),
        operator_policy_file: cmp.operator_policy.as_deref(),
        policies: &cmp.policies,
        parameters: Vec::new(),
        stdin_name: "",
        detail: Detail::Diagnostics,
        limits: session.limits,
        advice: ADVICE,
        destination: Destination::Stdout,
    };
    let rendered = Engine::embedded(session.limits)
        .and_then(|engine| render_all(&job, refusals, &engine, &mut session.drawing));
    match rendered {
        Err(halted) => session.halt(&halted, NOTHING),
        Ok(_) if session.drawing.has_errors() => session.fail(NOTHING),
        Ok(rendered) => write_stream(session, &rendered),
    }
}

/// Prints a line when the folder has a Binding: that is what
/// `spec.discover.find.command` looks at.
///
/// Argo CD renders by itself, as a folder of plain files or with kustomize, what no
/// plugin claims, also when asking a plugin failed. References would reach the
/// cluster as they are, with success. So whatever may be wrong is for `generate` to
/// say; a folder that cannot be looked at is claimed.
pub(super) fn discover(session: Session, _: &Cmp) -> Exit {
    if may_have_binding(Path::new(".")) {
        session.write(64, |out| out.write_all(b"landfall\n"))
    } else {
        session.done()
    }
}

/// Whether a folder has a Binding, whatever it is; in any case of its letters, since
/// a `Landfall.yaml` is one that somebody meant.
fn may_have_binding(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return true;
    };
    entries.into_iter().any(|entry| match entry {
        Ok(entry) => BINDINGS
            .iter()
            .any(|name| entry.file_name().eq_ignore_ascii_case(name)),
        Err(_) => true,
    })
}

/// The application in the current folder.
///
/// # Errors
/// There are several below it.
fn group(cmp: &Cmp, folder: &AppFolder) -> Result<Group, Refusal> {
    let path = PathBuf::from(".");
    if cmp.config.is_none() && !has_binding(&path) {
        let search = Search {
            is_named: false,
            root: &folder.root,
            output: None,
        };
        let below = search.below(&path).unwrap_or_default();
        if let Some(first) = below.folders.first() {
            return Err(Refusal::SeveralApplications {
                folder: folder.shown.clone(),
                first: first.clone(),
                more: below.folders.len() - 1,
            });
        }
    }
    Ok(Group::Folder(ApplicationFolder {
        path,
        shown: folder.shown.clone(),
        part: Part::Whole,
        prefix: String::new(),
    }))
}

/// The document that `--operator-policy` names; none is a refusal.
fn operator_policy(file: &Path, most_bytes: u64, refusals: &mut Vec<Refusal>) -> Option<Config> {
    let path = shown_path(file);
    match read_named(file, &mut Budget::new(most_bytes)) {
        Ok(content) => Some(Config { path, content }),
        Err(error) => {
            refusals.push(Refusal::Flag {
                flag: "--operator-policy",
                path,
                error,
            });
            None
        }
    }
}

/// The folder that the plugin is called in.
#[derive(Debug, PartialEq, Eq)]
struct AppFolder {
    /// The top of what was unpacked, from here: `../..`
    root: RootChoice,
    /// The application's folder, from the top of the repository.
    shown: String,
}

impl AppFolder {
    fn here() -> Self {
        Self::of(
            std::env::current_dir().ok(),
            std::env::var_os("ARGOCD_APP_SOURCE_PATH"),
        )
    }

    /// Argo CD tells the application's path in the repository. What it unpacks is
    /// the repository, or the one folder of it that holds everything the annotation
    /// `manifest-generate-paths` names: the folder's path there is the longest end
    /// that the two have in common. Without the variable nobody but a person has
    /// called, who gets what `render` does.
    fn of(folder: Option<PathBuf>, source_path: Option<OsString>) -> Self {
        let Some(source_path) = source_path else {
            return Self {
                root: RootChoice::ByHand,
                shown: ".".to_owned(),
            };
        };
        let mut segments = Vec::new();
        for component in Path::new(&source_path).components() {
            match component {
                Component::CurDir => {}
                Component::Normal(segment) => segments.push(segment),
                _ => {
                    segments.clear();
                    break;
                }
            }
        }
        let folder = folder.unwrap_or_default();
        let in_common = std::iter::zip(segments.iter().rev(), folder.iter().rev());
        let up = in_common.take_while(|(segment, name)| **segment == *name);
        let root = std::iter::once(".").chain(up.map(|_| "..")).collect();
        Self {
            root: RootChoice::Received(root),
            shown: shown_path(&Path::new(".").join(segments.iter().collect::<PathBuf>())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{AppFolder, RootChoice};

    #[track_caller]
    fn check(folder: &str, source_path: &str, root: &str, shown: &str) {
        let actual = AppFolder::of(Some(folder.into()), Some(source_path.into()));
        assert_eq!(
            actual,
            AppFolder {
                root: RootChoice::Received(Path::new(".").join(root)),
                shown: shown.to_owned()
            }
        );
    }

    #[test]
    fn the_root_is_what_was_unpacked() {
        check(
            "/cmp/_cmp_server/3f/apps/web",
            "apps/web",
            "../..",
            "apps/web",
        );
        check(
            "/cmp/_cmp_server/3f/apps/web",
            "./apps/web/",
            "../..",
            "apps/web",
        );
        check("/cmp/_cmp_server/3f", ".", ".", ".");
        check("/cmp/_cmp_server/3f", "", ".", ".");
        // manifest-generate-paths: `.;../outputs`, then `.`
        check("/cmp/_cmp_server/3f/web", "apps/web", "..", "apps/web");
        check("/cmp/_cmp_server/3f", "apps/web", ".", "apps/web");
    }

    #[test]
    fn what_argo_cd_would_not_say_leads_nowhere() {
        check("/cmp/apps/web", "/cmp/apps/web", ".", ".");
        check("/cmp/apps/web", "../web", ".", ".");
        check("/cmp/apps/xweb", "web", ".", "web");
    }

    #[test]
    fn by_hand_it_is_the_work_tree() {
        let actual = AppFolder::of(Some("/repo/apps/web".into()), None);
        assert_eq!(
            actual,
            AppFolder {
                root: RootChoice::ByHand,
                shown: ".".to_owned()
            }
        );
    }
}
