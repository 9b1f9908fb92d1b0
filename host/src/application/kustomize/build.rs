//! Builds the rendered files of kustomizations, and checks the result.

use std::io;
use std::path::{Path, PathBuf};

use landfall_sandbox::types::{Answer, Diagnostic, File};
use serde::Deserialize;

use super::super::problem::{finding, reason, with_help};
use super::super::render::{Rendered, has_errors};
use super::super::rule::HostRule;
use super::super::{Job, display_path, paths};
use super::Kustomization;
use super::local_path::from_folder;
use super::program::{self, Failure, Finished};
use crate::draw::{Document, Documents};
use crate::engine::{Engine, Halted};
use crate::files::Workspace;
use crate::reporter::Reporter;
use crate::settings::Limits;

/// How much of kustomize's message is shown, in characters.
const MAX_SHOWN: usize = 4_000;

/// The rules about references that are left.
const LEFT: [&str; 2] = ["unrendered-reference", "encoded-reference"];

/// A kustomization with its rendered files.
#[derive(Debug)]
pub(in crate::application) struct Build {
    pub(super) kustomization: Kustomization,
    /// The content of each file.
    pub(super) contents: Vec<Vec<u8>>,
    /// The rendered sources: the inputs of generators are entries in them.
    pub(super) sources: Vec<File>,
    /// Their contents in the repository, if a sensitive value is in one of them.
    pub(super) without_values: Option<Vec<Vec<u8>>>,
}

/// Builds kustomizations, and adds the manifests to the rendered applications at these
/// positions. The result must not be used when the reporter has errors.
///
/// # Errors
/// The module was stopped.
pub(in crate::application) fn build_all(
    job: &Job<'_>,
    builds: Vec<(usize, Build)>,
    rendered: &mut [Rendered],
    engine: &Engine,
    reporter: &mut Reporter,
) -> Result<(), Halted> {
    let mut report = |found: Diagnostic| reporter.add(&Documents::default(), &[found]);
    let Some((_, first)) = builds.first() else {
        return Ok(());
    };
    let named = job
        .kustomize
        .and_then(|kustomize| kustomize.program.as_deref());
    let path = std::env::var_os("PATH");
    let Some(program) = program::find(named, path.as_deref()) else {
        report(not_found());
        return Ok(());
    };
    let shown = display_path(named.unwrap_or(&program));
    let private = first.kustomization.private_root.clone();
    let parents: Vec<PathBuf> = private.into_iter().chain([std::env::temp_dir()]).collect();
    let workspace = match Workspace::create(&parents) {
        Ok(workspace) => workspace,
        Err(error) => {
            report(no_workspace(&error));
            return Ok(());
        }
    };
    for (nth, (position, build)) in builds.into_iter().enumerate() {
        let run = Run {
            program: &program,
            shown: &shown,
            workspace: &workspace,
            nth,
            limits: job.limits,
            allows_nothing: job.policies.allows_no_resources,
        };
        let content = match run.build(&build) {
            Ok(content) => content,
            Err(found) => {
                reporter.add(&Documents::default(), &[*found]);
                continue;
            }
        };
        let Rendered {
            application,
            answer,
        } = &mut rendered[position];
        let file = File {
            path: build.kustomization.target.clone(),
            content,
        };
        let watch = engine.watch();
        let mut plugin = engine.start()?;
        let mut found = {
            let built = std::slice::from_ref(&file);
            plugin.check_built(built, &build.sources, &application.request)?
        };
        drop(watch);
        for found in &mut found.diagnostics {
            if LEFT.contains(&found.rule.as_str()) {
                found.help = Some("kustomize assembled it, or it was escaped (`$${…}`): annotate the resource with `landfall.dev/substitute: disabled` if it is meant as it is".to_owned());
            }
        }
        let path = format!("kustomize build {}", build.kustomization.display_path);
        let documents = Documents {
            manifests: vec![Document {
                path: &path,
                content: &file.content,
            }],
            ..application.documents()
        };
        reporter.add(&documents, &found.diagnostics);
        reporter.omit(found.omitted);
        if !has_errors(&found.diagnostics) {
            answer.generated.push(file);
        }
    }
    Ok(())
}

/// Returns whether a sensitive value is in the files of an answer.
pub(super) fn has_sensitive(answer: &Answer) -> Result<bool, Halted> {
    #[derive(Deserialize)]
    struct Report {
        substitutions: Vec<Substitution>,
    }
    #[derive(Deserialize)]
    struct Substitution {
        sensitive: bool,
    }
    let Some(report) = &answer.substitutions else {
        return Ok(true);
    };
    let report: Report = serde_json::from_slice(report).map_err(|_| Halted::BrokenAnswer)?;
    let mut substitutions = report.substitutions.iter();
    Ok(substitutions.any(|substitution| substitution.sensitive))
}

/// A run of kustomize.
struct Run<'r> {
    program: &'r Path,
    /// The program in diagnostics.
    shown: &'r str,
    workspace: &'r Workspace,
    /// The number of the application, for which there are folders in the workspace.
    nth: usize,
    limits: Limits,
    /// Whether it may build nothing.
    allows_nothing: bool,
}

impl Run<'_> {
    fn build(&self, build: &Build) -> Result<Vec<u8>, Box<Diagnostic>> {
        let folder = &build.kustomization.display_path;
        let finished = self.run("rendered", &build.kustomization, &build.contents)?;
        if !finished.status.success() {
            return Err(Box::new(self.failed(build, &finished)));
        }
        let content = finished.stdout;
        let random = self.workspace.path().file_name().unwrap_or_default();
        if memchr::memmem::find(&content, random.as_encoded_bytes()).is_some() {
            let message = format!(
                "`kustomize build {folder}` wrote the path of its temporary folder, which differs in every run"
            );
            return Err(Box::new(with_help(
                finding(HostRule::KustomizeFailed, message),
                "remove what makes kustomize write paths, such as `buildMetadata`",
            )));
        }
        if content.trim_ascii().is_empty() && !self.allows_nothing {
            let message = format!("`kustomize build {folder}` built no resources");
            return Err(Box::new(with_help(
                finding(HostRule::KustomizeFailed, message),
                "an empty result would make Argo CD prune the application: add resources to the kustomization",
            )));
        }
        Ok(content)
    }

    /// Runs kustomize on these contents of the files.
    fn run(
        &self,
        name: &str,
        kustomization: &Kustomization,
        contents: &[Vec<u8>],
    ) -> Result<Finished, Box<Diagnostic>> {
        let unwritable = |error: io::Error| Box::new(no_workspace(&error));
        let base = format!("{}/{name}", self.nth);
        for (file, content) in std::iter::zip(&kustomization.files, contents) {
            let path = format!("{base}/{}", file.path);
            self.workspace.write(&path, content).map_err(unwritable)?;
        }
        let home = self.workspace.create_folder(&format!("{}/home", self.nth));
        let home = home.map_err(unwritable)?;
        let current = self.workspace.path().join(base).join(&kustomization.folder);
        let is_restricted = !kustomization.is_unrestricted;
        let mut command = program::command(self.program, &current, &home, is_restricted);
        let finished = program::run(&mut command, self.limits.time, self.limits.input);
        finished.map_err(|failure| Box::new(self.not_run(kustomization, &failure)))
    }

    fn not_run(&self, kustomization: &Kustomization, failure: &Failure) -> Diagnostic {
        let folder = &kustomization.display_path;
        let (message, help) = match failure {
            Failure::NotStarted(error) => {
                let (program, reason) = (self.shown, reason(error));
                let message = format!("`{program}` cannot be started: {reason}");
                return with_help(finding(HostRule::KustomizeFailed, message), GET);
            }
            Failure::TimedOut => (
                format!(
                    "`kustomize build {folder}` took longer than {:?} and was stopped",
                    self.limits.time
                ),
                "raise the limit with --max-time, or build less at once",
            ),
            Failure::TooMuch => (
                format!(
                    "`kustomize build {folder}` wrote more than {} bytes and was stopped",
                    self.limits.input
                ),
                "raise the limit with --max-input, or build less at once",
            ),
        };
        with_help(finding(HostRule::KustomizeFailed, message), help)
    }

    /// Returns the error of a run that failed. kustomize quotes the files that it cannot
    /// build. If they contain sensitive values, its message about the files as they are in
    /// the repository is shown instead.
    fn failed(&self, build: &Build, finished: &Finished) -> Diagnostic {
        let kustomization = &build.kustomization;
        let folder = &kustomization.display_path;
        let Some(without_values) = &build.without_values else {
            let message = self.message("rendered", kustomization, &finished.stderr);
            return failure(folder, &message);
        };
        match self.run("original", kustomization, without_values) {
            Ok(finished) if !finished.status.success() => failure(
                folder,
                &self.message("original", kustomization, &finished.stderr),
            ),
            _ => {
                let message = format!(
                    "`kustomize build {folder}` fails with the values of the outputs; its message is not shown, because it may contain sensitive values"
                );
                with_help(
                    finding(HostRule::KustomizeFailed, message),
                    "run `landfall check` with sample outputs (`landfall sample`) to see it",
                )
            }
        }
    }

    /// Returns kustomize's message with the paths of the repository.
    fn message(&self, name: &str, kustomization: &Kustomization, stderr: &[u8]) -> String {
        let text = String::from_utf8_lossy(stderr);
        let workspace = self.workspace.path();
        let copy = workspace.join(format!("{}/{name}", self.nth));
        let shown = |path: &str| {
            let way = from_folder(&kustomization.folder, path.trim_matches('/'));
            paths::join(&kustomization.display_path, &way)
        };
        let text = with_shown_paths(&text, &copy.to_string_lossy(), shown);
        let text = text.replace(&*workspace.to_string_lossy(), "…");
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        lines.join(" ").trim().chars().take(MAX_SHOWN).collect()
    }
}

/// Returns a text in which each path at or below `folder` is replaced.
fn with_shown_paths(text: &str, folder: &str, shown: impl Fn(&str) -> String) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(folder) {
        result.push_str(before);
        let is_end = |char: char| char.is_whitespace() || "'\"`:;,()[]{}<>".contains(char);
        let end = after.find(is_end).unwrap_or(after.len());
        let (path, after) = after.split_at(end);
        result.push_str(&shown(path));
        rest = after;
    }
    result.push_str(rest);
    result
}

/// How to get kustomize.
const GET: &str = "install kustomize 5 (https://kubectl.docs.kubernetes.io/installation/kustomize/) where landfall runs, in Argo CD in the sidecar's image, or name it with --kustomize";

fn not_found() -> Diagnostic {
    let message = "`spec.tool: kustomize` requires the program `kustomize`, which is not on PATH";
    with_help(finding(HostRule::KustomizeFailed, message.to_owned()), GET)
}

fn no_workspace(error: &io::Error) -> Diagnostic {
    let reason = reason(error);
    let message = format!("the temporary folder for kustomize cannot be written: {reason}");
    with_help(
        finding(HostRule::UnwritableFile, message),
        "free some space in the folder for temporary files, or set TMPDIR to a writable folder",
    )
}

fn failure(folder: &str, message: &str) -> Diagnostic {
    let message = match message.strip_prefix("Error: ").unwrap_or(message) {
        "" => "it wrote no message",
        message => message,
    };
    with_help(
        finding(
            HostRule::KustomizeFailed,
            format!("`kustomize build {folder}` failed: {message}"),
        ),
        "correct the kustomization; `kustomize build` in the folder reports the same without landfall",
    )
}

#[cfg(test)]
mod tests {
    use super::with_shown_paths;

    #[test]
    fn messages_have_the_paths_of_the_repository() {
        let text =
            "Error: accumulating '/tmp/x/0/rendered/apps/web/a.yaml': \"/tmp/x/0/rendered\"/y";
        let shown = |path: &str| format!("<{path}>");
        assert_eq!(
            with_shown_paths(text, "/tmp/x/0/rendered", shown),
            "Error: accumulating '</apps/web/a.yaml>': \"<>\"/y"
        );
    }
}
