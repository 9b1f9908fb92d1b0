//! `landfall cmp`: the commands that Argo CD runs for a config management plugin.
//!
//! For every call, argocd-cmp-server extracts the repository into a folder with a new
//! name and runs the plugin in the application's folder there. It passes standard error
//! on to the user, so diagnostics must not contain absolute paths.
//! (cmpserver/plugin/plugin.go, argo-cd v3.2.12)

pub(super) mod announce;
mod policy;
mod variable;

use std::ffi::OsString;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use landfall_sandbox::types::{Config, Detail, Parameter, ParameterValue, Topic};

use crate::application::render_all;
use crate::discovery::{
    ApplicationFolder, BINDINGS, Group, NearTo, Part, RootChoice, Search, has_binding,
    near_binding, several_applications,
};
use crate::engine::Engine;
use crate::exit::Exit;
use crate::files::{Budget, FileError};
use crate::loading::{
    DIGEST_PARAMETER, DigestError, ExpectedDigest, Job, MountedFolders, NotMounted, Repository,
    invalid_digest,
};
use crate::paths::display as display_path;
use crate::problem::Problem;
use crate::reporter::Failed;
use crate::settings::{Cmp, Destination, Release};

use super::digest_key;
use super::render::write_stream;
use super::session::Session;
use super::write::NOTHING_RENDERED;

use policy::operator_policy;
pub(super) use policy::read_policy;
use variable::parameters;

/// How long before its deadline a render begins at the latest.
const RENDER_TIME: Duration = Duration::from_secs(10);

/// The variable with the Application's project. Argo CD 3.0 and later set it for `generate`,
/// and not for `parameters`.
const PROJECT: &str = "ARGOCD_APP_PROJECT_NAME";

/// How to have Argo CD render a folder itself. An empty `kustomize: {}` is not enough:
/// the application controller removes it before it requests manifests
/// (NormalizeApplicationSpec in util/argo/argo.go, argo-cd v3.2.12).
const HINTS: &[(Topic, &str)] = &[(
    Topic::OtherTool,
    "; or let Argo CD render the folder without landfall: set `kustomize: {…}`, `helm: {…}` or `directory: {…}` in the Application's spec.source, with at least one field, because Argo CD drops an empty `kustomize: {}`",
)];

pub(super) fn generate(mut session: Session, cmp: &Cmp) -> Exit {
    let (folder, mut problems) = (AppFolder::current(), Vec::new());
    session.reporter.group(&folder.display_path);
    let Configured {
        operator_policy,
        digest_key,
    } = configuration(cmp, session.limits.input, &mut problems);
    let parameters = parameters(&mut problems);
    let digest = expected_digest(cmp, &parameters, digest_key, &mut problems);
    let groups = match group(cmp, &folder) {
        Ok(group) => vec![group],
        Err(problem) => {
            problems.push(problem);
            Vec::new()
        }
    };
    let job = Job {
        groups,
        outside: Vec::new(),
        bound_files: &cmp.bound,
        declared: &[],
        config: cmp.config.as_ref(),
        ignores_bindings: false,
        repository: (!cmp.allows_secret_files).then_some(Repository::Extracted),
        root: folder.root,
        ceiling: session.ceiling(operator_policy),
        operator_policy_file: cmp.operator_policy.as_ref().map(|file| file.path.as_path()),
        policies: &cmp.policies,
        parameters,
        mounted: mounted(cmp),
        digest,
        stdin_name: "",
        detail: Detail::Diagnostics,
        limits: session.limits,
        programs: Some(&cmp.programs),
        is_about_sources: false,
        release: release(),
        hints: HINTS,
        destination: Destination::Stdout,
        // The repo-server renders several applications at once.
        jobs: Some(NonZeroUsize::MIN),
        fleet: None,
    };
    let rendered = Engine::embedded(session.limits)
        .map_err(Failed::from)
        .and_then(|engine| render_all(&job, problems, &engine, &mut session.reporter));
    match rendered {
        Err(failed) => session.end(&failed, NOTHING_RENDERED),
        Ok(rendered) => write_stream(session, &rendered),
    }
}

/// Checks what the operator has configured. [`generate`] does the same, so this is for a
/// plugin.yaml whose `generate` runs other programs too.
pub(super) fn init(mut session: Session, cmp: &Cmp) -> Exit {
    let mut problems = Vec::new();
    session.reporter.group(&AppFolder::current().display_path);
    configuration(cmp, session.limits.input, &mut problems);
    session.add_problems(problems);
    match session.reporter.check() {
        Err(reported) => session.end(&reported.into(), NOTHING_RENDERED),
        Ok(()) => session.done(),
    }
}

/// The files that the operator has configured.
struct Configured {
    operator_policy: Option<Config>,
    /// `Err`: it cannot be read.
    digest_key: Result<Option<Vec<u8>>, ()>,
}

/// Returns what the operator has configured, and adds every problem with it, whether or not
/// the application needs it.
fn configuration(cmp: &Cmp, max_bytes: u64, problems: &mut Vec<Problem>) -> Configured {
    let operator_policy = operator_policy(cmp, max_bytes, problems);
    if let Some(mounted) = cmp
        .mounted
        .as_ref()
        .filter(|mounted| !mounted.folder.is_dir())
    {
        problems.push(Problem::flag(
            mounted.named_by,
            &display_path(&mounted.folder),
            &FileError::Missing,
        ));
    }
    Configured {
        operator_policy,
        digest_key: digest_key(cmp, max_bytes, problems),
    }
}

/// Returns the release of a chart, from the variables of Argo CD. Empty variables are not set: Argo
/// CD sets all of them.
fn release() -> Release {
    let text = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
    let api_versions = text("KUBE_API_VERSIONS").unwrap_or_default();
    Release {
        // In another namespace than Argo CD's, an Application is called NAMESPACE_NAME
        // (ParseInstanceName in util/argo/argo.go, argo-cd v3.2.12).
        name: text("ARGOCD_APP_NAME").map(|name| match name.split_once('_') {
            Some((_, name)) => name.to_owned(),
            None => name.clone(),
        }),
        namespace: text("ARGOCD_APP_NAMESPACE"),
        kube_version: text("KUBE_VERSION"),
        api_versions: api_versions
            .split(',')
            .map(str::to_owned)
            .filter(|version| !version.is_empty())
            .collect(),
    }
}

/// Returns the digest that the Application asks for, and until when to wait for it.
fn expected_digest(
    cmp: &Cmp,
    parameters: &[Parameter],
    key: Result<Option<Vec<u8>>, ()>,
    problems: &mut Vec<Problem>,
) -> Option<(ExpectedDigest, Instant)> {
    let parameter = parameters
        .iter()
        .find(|parameter| parameter.name == DIGEST_PARAMETER)?;
    let ParameterValue::Text(text) = &parameter.value else {
        problems.push(invalid_digest(DigestError::Malformed));
        return None;
    };
    // A key that cannot be read was reported.
    let key = key.ok()?;
    match ExpectedDigest::parse(text, key.as_deref()) {
        Ok(expected) => {
            let wait = cmp.deadline.saturating_sub(RENDER_TIME);
            Some((expected, Instant::now() + wait))
        }
        Err(error) => {
            problems.push(invalid_digest(error));
            None
        }
    }
}

/// Returns the key of digests that the operator has mounted, if any.
///
/// # Errors
/// A problem was added: it cannot be read.
fn digest_key(cmp: &Cmp, limit: u64, problems: &mut Vec<Problem>) -> Result<Option<Vec<u8>>, ()> {
    let Some(file) = &cmp.digest_key else {
        return Ok(None);
    };
    let key = digest_key::read_mounted(file, &mut Budget::new(limit));
    key.map(Some).map_err(|error| {
        problems.push(Problem::flag(
            file.named_by,
            &display_path(&file.path),
            &error,
        ));
    })
}

/// Returns the folders that the operator has mounted for the Application's project.
fn mounted(cmp: &Cmp) -> Result<MountedFolders, NotMounted> {
    let mounted = cmp.mounted.as_ref().ok_or(NotMounted::NoFolder)?;
    let project = std::env::var_os(PROJECT);
    let project = project.as_deref().map(|project| {
        // Not a valid name.
        project.to_str().unwrap_or("/")
    });
    MountedFolders::of_project(mounted, project)
}

/// Prints a line if the folder has a Binding, as `spec.discover.find.command` must.
///
/// Argo CD itself renders a folder that no plugin claims, even if a plugin's discovery
/// fails, and would apply references unrendered without any error. So discovery never
/// fails: a folder that cannot be read is claimed, and `generate` reports the error.
pub(super) fn discover(session: Session, _: &Cmp) -> Exit {
    if may_have_binding(Path::new(".")) {
        session.write(64, |out| out.write_all(b"landfall\n"))
    } else {
        session.done()
    }
}

/// Returns whether a folder contains a Binding or cannot be read. Ignores case, because
/// a `Landfall.yaml` was most likely intended as a Binding.
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

/// Returns the application in the current folder.
///
/// # Errors
/// The folder has no Binding but applications below it.
fn group(cmp: &Cmp, folder: &AppFolder) -> Result<Group, Problem> {
    let path = PathBuf::from(".");
    if cmp.config.is_none() && !has_binding(&path) {
        let search = Search {
            has_named_binding: false,
            root: &folder.root,
            outputs: &[],
            stdin_name: "",
            bound: &[],
        };
        let shown = &folder.display_path;
        if let Some(near) = search.not_searched(&path) {
            return Err(near_binding(
                &near.shown_in(shown),
                &NearTo::ArgoCd(shown.clone()),
            ));
        }
        let below = search.below(&path).unwrap_or_default();
        if let Some(first) = below.folders.first() {
            return Err(several_applications(
                &folder.display_path,
                first,
                below.folders.len() - 1,
            ));
        }
        if let Some((link, near)) = search.near_linked(&path, &below.linked) {
            return Err(near_binding(
                &near.shown_in(shown),
                &NearTo::ArgoCd(format!("{shown}/{link}")),
            ));
        }
    }
    Ok(Group::Folder(ApplicationFolder {
        path,
        display_path: folder.display_path.clone(),
        part: Part::Whole,
        prefix: String::new(),
    }))
}

/// The folder that the plugin is called in.
#[derive(Debug, PartialEq, Eq)]
struct AppFolder {
    /// The folder into which the repository was extracted, relative to this one:
    /// `../..`.
    root: RootChoice,
    /// The application's folder, relative to the repository.
    display_path: String,
}

impl AppFolder {
    fn current() -> Self {
        Self::of(
            std::env::current_dir().ok(),
            std::env::var_os("ARGOCD_APP_SOURCE_PATH"),
        )
    }

    /// Derives the root from the application's path in the repository, which Argo CD
    /// passes in a variable. Argo CD extracts the repository, or the innermost folder
    /// that contains all paths in the annotation `manifest-generate-paths`. So the path
    /// from the root to `folder` is the longest common suffix of the two. Without the
    /// variable the plugin was called manually, and behaves like `render`.
    fn of(folder: Option<PathBuf>, source_path: Option<OsString>) -> Self {
        let Some(source_path) = source_path else {
            return Self {
                root: RootChoice::ManualPlugin,
                display_path: ".".to_owned(),
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
            root: RootChoice::ArgoCd(root),
            display_path: display_path(&Path::new(".").join(segments.iter().collect::<PathBuf>())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{AppFolder, RootChoice};

    #[track_caller]
    fn check(folder: &str, source_path: &str, root: &str, display_path: &str) {
        let actual = AppFolder::of(Some(folder.into()), Some(source_path.into()));
        assert_eq!(
            actual,
            AppFolder {
                root: RootChoice::ArgoCd(Path::new(".").join(root)),
                display_path: display_path.to_owned()
            }
        );
    }

    #[test]
    fn the_root_is_the_extracted_folder() {
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
    fn an_unexpected_source_path_does_not_widen_the_root() {
        check("/cmp/apps/web", "/cmp/apps/web", ".", ".");
        check("/cmp/apps/web", "../web", ".", ".");
        check("/cmp/apps/xweb", "web", ".", "web");
    }

    #[test]
    fn called_manually_the_root_is_the_work_tree() {
        let actual = AppFolder::of(Some("/repo/apps/web".into()), None);
        assert_eq!(
            actual,
            AppFolder {
                root: RootChoice::ManualPlugin,
                display_path: ".".to_owned()
            }
        );
    }
}
