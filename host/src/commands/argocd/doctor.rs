//! `landfall argocd doctor`: checks the sidecar in which it runs, and an application.

use std::collections::BTreeMap;
use std::path::Path;

use landfall_sandbox::types::{Config, Diagnostic, Parameter, Severity};

use crate::application::{ANNOTATION, refresh_paths};
use crate::argocd::doctor::Sidecar;
use crate::engine::{Engine, Halted, OutputsInputs, Plugin, configuration};
use crate::exit::Exit;
use crate::files::{Budget, FileError, read_user_path};
use crate::paths::display as display_path;
use crate::problem::{Problem, diagnostics as problem_diagnostics};
use crate::report::{Check, Checkup, setting};
use crate::settings::{ArgocdDoctor, DoctorFormat, OperatorPath};

use super::super::digest_key;
use super::super::session::Session;

/// The name of the check whether there is a sidecar.
const SIDECAR: &str = "sidecar";

/// What fails, and what is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strictness {
    /// `--strict`
    pub(crate) fails_on_warnings: bool,
    /// `-q`
    pub(crate) only_errors: bool,
}

pub(crate) fn run(session: Session, doctor: &ArgocdDoctor, strictness: Strictness) -> Exit {
    let sidecar = Sidecar {
        root: Path::new("/").to_path_buf(),
        user: user(),
        variable: &|name| std::env::var_os(name),
    };
    let mut checks = match (sidecar.is_present(), &doctor.application) {
        (true, _) => sidecar.checks(),
        (false, Some(_)) => vec![Check::ok(SIDECAR, "not checked: this is not a sidecar")],
        (false, None) => {
            let fix = "run it in the sidecar, `kubectl exec -n argocd deploy/argocd-repo-server -c landfall -- landfall argocd doctor`, or pass the folder of an application";
            let message = "this is not a sidecar of repo-server: it has none of its volumes";
            vec![Check::error(SIDECAR, message, fix.to_owned())]
        }
    };
    let mut annotations = BTreeMap::new();
    match Engine::embedded(session.limits) {
        Ok(engine) => {
            let _watch = engine.watch();
            match start(&engine) {
                Ok(mut plugin) => {
                    checks.push(Check::ok("module", "runs"));
                    checks.extend(operator_files(&session, doctor, &sidecar, &mut plugin));
                    if let Some(folder) = &doctor.application {
                        let (found, needed) =
                            application(&session, folder, &doctor.parameters, &mut plugin);
                        checks.extend(found);
                        annotations.extend(needed);
                    }
                }
                Err(halted) => checks.push(Check::error("module", halted.to_string(), None)),
            }
        }
        Err(halted) => checks.push(Check::error("module", halted.to_string(), None)),
    }
    let report = Checkup::new(checks, annotations);
    let exit = if report.has_failed(strictness.fails_on_warnings) {
        Exit::InputErrors
    } else {
        Exit::Done
    };
    let text = match doctor.format {
        DoctorFormat::Text => report.to_text(strictness.only_errors),
        DoctorFormat::Json => report.to_json(),
    };
    session.write_text(exit, &text)
}

/// Starts the module, which a node's security settings may prevent.
fn start(engine: &Engine) -> Result<Plugin, Halted> {
    let mut plugin = engine.start()?;
    plugin.sources(&[])?;
    Ok(plugin)
}

#[cfg(unix)]
fn user() -> Option<u32> {
    Some(rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn user() -> Option<u32> {
    None
}

/// Checks what the operator provides: by a flag in plugin.yaml, or by a variable.
fn operator_files(
    session: &Session,
    doctor: &ArgocdDoctor,
    sidecar: &Sidecar<'_>,
    plugin: &mut Plugin,
) -> Vec<Check> {
    let flags = sidecar.operator_flags();
    let by_flag = |path, named_by| OperatorPath { path, named_by };
    let policy = flags
        .operator_policy
        .map(|path| by_flag(path, "--operator-policy"))
        .or_else(|| doctor.operator_policy.clone());
    let outputs = flags
        .mounted_outputs
        .map(|path| by_flag(path, "--mounted-outputs"))
        .or_else(|| doctor.mounted_outputs.clone());
    let digest_key = flags
        .digest_key
        .map(|path| by_flag(path, "--digest-key"))
        .or_else(|| doctor.digest_key.clone());
    let mut checks = Vec::new();
    if let Some(policy) = policy {
        checks.extend(operator_policy(session, &policy, plugin));
    }
    if let Some(outputs) = outputs {
        checks.push(mounted_outputs(&outputs));
    }
    if let Some(key) = digest_key {
        checks.extend(self::digest_key(session, &key));
    }
    checks
}

fn operator_policy(session: &Session, file: &OperatorPath, plugin: &mut Plugin) -> Vec<Check> {
    let name = "operator's policy";
    let OperatorPath { path, named_by } = file;
    let shown = display_path(path);
    let content = match read_user_path(path, &mut Budget::new(session.limits.input)) {
        Ok(content) => content,
        Err(error) => {
            let why = match error {
                FileError::Missing | FileError::BrokenLink => "does not exist",
                _ => "cannot be read",
            };
            let message = format!("{shown}, named by {named_by}, {why}, so nothing is rendered");
            let fix =
                "create the ConfigMap with the key `operator-policy.yaml`, or remove the setting";
            return vec![Check::error(name, message, fix.to_owned())];
        }
    };
    let policy = Config {
        path: shown.clone(),
        content,
    };
    let inputs = OutputsInputs {
        configuration: configuration(None, session.ceiling(Some(policy))),
        documents: Vec::new(),
        contract: None,
    };
    match plugin.check_outputs(&inputs) {
        Ok(found) if found.diagnostics.is_empty() => vec![Check::ok(name, shown)],
        Ok(found) => found
            .diagnostics
            .iter()
            .map(|found| problem(name, found))
            .collect(),
        Err(stopped) => vec![Check::error(name, stopped.to_string(), None)],
    }
}

fn mounted_outputs(folder: &OperatorPath) -> Check {
    let name = "mounted outputs";
    let shown = display_path(&folder.path);
    if std::fs::read_dir(&folder.path).is_ok() {
        Check::ok(name, shown)
    } else {
        let message = format!(
            "{shown}, named by {}, is not a readable folder",
            folder.named_by
        );
        let fix = "mount a Secret or ConfigMap below it, or remove the setting";
        Check::error(name, message, fix.to_owned())
    }
}

fn digest_key(session: &Session, file: &OperatorPath) -> Vec<Check> {
    let name = "digest key";
    let path = display_path(&file.path);
    let Err(error) = digest_key::read_mounted(file, &mut Budget::new(session.limits.input)) else {
        return vec![Check::ok(name, path)];
    };
    let flag = file.named_by;
    let found = problem_diagnostics(vec![Problem::flag(flag, &path, &error)]);
    let fix = "create the Secret with the key `digest-key`, 16 random bytes or more, or remove the setting";
    let found = found.iter();
    let checks = found.map(|found| Check::error(name, found.message.clone(), fix.to_owned()));
    checks.collect()
}

/// Checks an application. Returns the annotation that it needs, too.
fn application(
    session: &Session,
    folder: &Path,
    parameters: &[Parameter],
    plugin: &mut Plugin,
) -> (Vec<Check>, Option<(String, String)>) {
    let name = "application";
    let found = match refresh_paths(folder, parameters, session.limits, plugin) {
        Ok(found) => found,
        Err(halted) => return (vec![Check::error(name, halted.to_string(), None)], None),
    };
    let mut checks = Vec::new();
    checks.extend(found.binding.iter().map(|path| Check::ok(name, path)));
    let outputs = |name: &str| format!("outputs `{name}`");
    for (name, path) in &found.outputs {
        checks.push(Check::ok(&outputs(name), path));
    }
    for (name, path) in &found.mounted {
        let message = format!(
            "{path} in the operator's mounted folder; Argo CD does not notice its changes, and renders again only after a commit, a hard refresh or a day (`landfall stamp`)"
        );
        checks.push(Check::ok(&outputs(name), message));
    }
    for (name, path) in &found.unset {
        let message =
            format!("{path}, not opened; `--param` sets the parameters of one Application");
        checks.push(Check::ok(&outputs(name), message));
    }
    checks.extend(found.problems.iter().map(|found| problem(name, found)));
    checks.extend(found.unwritable.iter().map(|path| {
        let message = format!("the annotation cannot contain the path `{path}`");
        let fix = "rename it, without `;` and control characters";
        Check::error(name, message, fix.to_owned())
    }));
    let paths = found.annotation();
    (checks, paths.map(|paths| (ANNOTATION.to_owned(), paths)))
}

/// Returns the check that failed with this diagnostic.
fn problem(name: &str, found: &Diagnostic) -> Check {
    let found = setting::reported(found);
    let message = format!("{} [{}]", found.message, found.rule);
    match found.severity {
        Severity::Error => Check::error(name, message, found.help),
        Severity::Warning => Check::warning(name, message, found.help),
        Severity::Note => Check::ok(name, message),
    }
}
