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

use crate::application::{Group, Job, Refusal, RootChoice, render_all, shown_path};
use crate::draw::Documents;
use crate::engine::{Engine, Halted};
use crate::exit::Exit;
use crate::files::{Budget, FileError, Listing, Root, read_named};
use crate::settings::{Cmp, Destination};

use super::render::{NOTHING, write_stream};
use super::session::Session;

/// The ceiling without `--operator-policy`. Argo CD keeps rendered manifests in
/// plain text (in Redis, and in Git under the source hydrator), Secrets too.
const CLOSED_POLICY: &str = "\
apiVersion: landfall.dev/v1alpha1
kind: OperatorPolicy
spec: {sensitive: {kinds: []}}
";

pub(super) fn generate(mut session: Session, cmp: &Cmp) -> Exit {
    let (folder, mut refusals) = (AppFolder::here(), Vec::new());
    let operator_policy = policy(
        cmp.operator_policy.as_deref(),
        session.limits.input,
        &mut refusals,
    );
    let job = Job {
        groups: vec![Group::Folder {
            path: PathBuf::from("."),
            shown: folder.shown,
        }],
        bound: &cmp.bound,
        config: cmp.config.as_ref(),
        root: folder.root,
        operator_policy: Some(operator_policy),
        policies: &cmp.policies,
        parameters: Vec::new(),
        stdin_name: "",
        detail: Detail::Diagnostics,
        limits: session.limits,
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

/// Prints a line when the folder is landfall's: that is what
/// `spec.discover.find.command` looks at.
pub(super) fn discover(mut session: Session, _: &Cmp) -> Exit {
    let folder = AppFolder::here();
    match is_landfalls(&session, &folder) {
        Ok(true) => session.write(64, |out| out.write_all(b"landfall\n")),
        Ok(false) => session.done(),
        Err(Unknown::Halted(halted)) => session.halt(&halted, ""),
        Err(Unknown::Refused(error)) => {
            let refusal = Refusal::Manifest {
                path: folder.shown,
                error,
            };
            session
                .drawing
                .add(&Documents::default(), &[refusal.into_diagnostic()]);
            session.fail("")
        }
    }
}

enum Unknown {
    Halted(Halted),
    Refused(FileError),
}

fn is_landfalls(session: &Session, folder: &AppFolder) -> Result<bool, Unknown> {
    let here = Path::new(".");
    let root = match &folder.root {
        RootChoice::Folder(root) => Root::open(root),
        RootChoice::WorkTree => Root::around(here),
    };
    let listing = root
        .and_then(|root| Listing::of(&root, &root.relative(here)?, None))
        .map_err(Unknown::Refused)?;
    let answer = || {
        let engine = Engine::embedded(session.limits)?;
        let _watch = engine.watch();
        Ok(engine.start()?.discover(&listing.paths)?)
    };
    answer().map_err(Unknown::Halted)
}

fn policy(file: Option<&Path>, most_bytes: u64, refusals: &mut Vec<Refusal>) -> Config {
    let closed = Config {
        path: "(built-in operator policy)".to_owned(),
        content: CLOSED_POLICY.into(),
    };
    let Some(file) = file else { return closed };
    let path = shown_path(file);
    match read_named(file, &mut Budget::new(most_bytes)) {
        Ok(content) => Config { path, content },
        Err(error) => {
            refusals.push(Refusal::Flag {
                flag: "--operator-policy",
                path,
                error,
            });
            closed
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
                root: RootChoice::WorkTree,
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
            root: RootChoice::Folder(root),
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
                root: RootChoice::Folder(Path::new(".").join(root)),
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
                root: RootChoice::WorkTree,
                shown: ".".to_owned()
            }
        );
    }
}
