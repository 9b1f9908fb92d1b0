//! Builds the rendered files of kustomizations, and checks the result.

use landfall_sandbox::types::{Answer, Diagnostic, File};
use serde::Deserialize;

use super::super::problem::{finding, with_help};
use super::super::render::{Rendered, has_errors};
use super::super::rule::HostRule;
use super::super::tool::{self, Finished, Runner, Tool};
use super::super::{Job, paths};
use super::Kustomization;
use super::local_path::from_folder;
use crate::draw::{Document, Documents};
use crate::engine::{Engine, Halted};
use crate::reporter::Reporter;

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
    let private = first.kustomization.private_root.as_deref();
    let runner = match Runner::new(Tool::Kustomize, job.programs, private, job.limits) {
        Ok(runner) => runner,
        Err(found) => {
            report(*found);
            return Ok(());
        }
    };
    let mut built = Vec::new();
    for (nth, (position, build)) in builds.into_iter().enumerate() {
        let run = Run {
            runner: &runner,
            nth,
            allows_nothing: job.policies.allows_no_resources,
        };
        match run.build(&build) {
            Ok(content) => built.push((position, build, content)),
            Err(found) => reporter.add(&Documents::default(), &[*found]),
        }
    }
    // The module's time limit ends the process, which would leave the files.
    drop(runner);
    for (position, build, content) in built {
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
                found.help = Some("a value contains it, it was escaped (`$${…}`), or kustomize assembled it: annotate the resource with `landfall.dev/substitute: disabled` to keep it as it is".to_owned());
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
    runner: &'r Runner,
    /// The number of the application, for which there are folders in the workspace.
    nth: usize,
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
        self.runner.check(&content, folder, self.allows_nothing)?;
        Ok(content)
    }

    /// Runs kustomize on these contents of the files. Functions, plugins and Helm stay
    /// disabled, which is the default.
    fn run(
        &self,
        name: &str,
        kustomization: &Kustomization,
        contents: &[Vec<u8>],
    ) -> Result<Finished, Box<Diagnostic>> {
        let base = format!("{}/{name}", self.nth);
        for (file, content) in std::iter::zip(&kustomization.files, contents) {
            self.runner
                .write(&format!("{base}/{}", file.path), content)?;
        }
        let current = paths::join(&base, &kustomization.folder);
        let arguments: &[&str] = match kustomization.is_unrestricted {
            true => &["build", ".", "--load-restrictor", "LoadRestrictionsNone"],
            false => &["build", "."],
        };
        self.runner
            .run(&current, &kustomization.display_path, arguments)
    }

    /// Returns the error of a run that failed. kustomize quotes the files that it cannot
    /// build. If they contain sensitive values, its message about the files as they are in
    /// the repository is shown instead.
    fn failed(&self, build: &Build, finished: &Finished) -> Diagnostic {
        let kustomization = &build.kustomization;
        let folder = &kustomization.display_path;
        let failure = |name, finished: &Finished| {
            let message = self.message(name, kustomization, &finished.stderr);
            tool::failed(Tool::Kustomize, folder, &message)
        };
        let Some(without_values) = &build.without_values else {
            return failure("rendered", finished);
        };
        match self.run("original", kustomization, without_values) {
            Ok(finished) if !finished.status.success() => failure("original", &finished),
            _ => {
                let message = format!(
                    "`kustomize build {folder}` fails with the values of the outputs; its message is not shown, because it may contain sensitive values"
                );
                with_help(
                    finding(HostRule::ToolFailed, message),
                    "run `landfall check` with sample outputs (`landfall sample`) to see it",
                )
            }
        }
    }

    /// Returns kustomize's message with the paths of the repository.
    fn message(&self, name: &str, kustomization: &Kustomization, stderr: &[u8]) -> String {
        let text = String::from_utf8_lossy(stderr);
        let workspace = self.runner.workspace.path();
        let copy = workspace.join(format!("{}/{name}", self.nth));
        let shown = |path: &str| {
            let relative = from_folder(&kustomization.folder, path.trim_matches('/'));
            paths::join(&kustomization.display_path, &relative)
        };
        let text = with_shown_paths(&text, &copy.to_string_lossy(), shown);
        self.runner.message(&text)
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
