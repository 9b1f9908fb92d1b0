//! Builds the rendered files of kustomizations, and checks the result.

use landfall_sandbox::types::{Diagnostic, File, Topic};

use crate::draw::{Document, Documents};
use crate::engine::{Engine, Halted, Request, has_errors};
use crate::loading::{Job, may_be_unknown};
use crate::paths;
use crate::problem::{HostRule, Problem};
use crate::rendered::Rendered;
use crate::reporter::Reporter;
use crate::settings::Tool;

use super::super::program::Finished;
use super::super::runner::{self, Runner};
use super::Kustomization;
use super::local_path::from_folder;
use super::stand_ins::SensitiveFiles;

/// A kustomization with its rendered files.
#[derive(Debug)]
pub(crate) struct Build {
    pub(super) kustomization: Kustomization,
    /// The content of each file, with the first stand-ins for sensitive values.
    pub(super) contents: Vec<Vec<u8>>,
    /// The rendered sources, with the same: the inputs of generators are entries in them.
    pub(super) sources: Vec<File>,
    /// What is needed to put sensitive values into the result, if there are some.
    pub(super) sensitive: Option<SensitiveFiles>,
}

/// Builds kustomizations, and adds the manifests to the rendered applications at these
/// positions.
///
/// # Errors
/// The module was stopped.
pub(crate) fn build_all(
    job: &Job<'_>,
    builds: Vec<(usize, Build)>,
    rendered: &mut [Rendered],
    engine: &Engine,
    reporter: &mut Reporter,
) -> Result<(), Halted> {
    let mut report = |found: Problem| reporter.add(&Documents::default(), &[found.diagnostic()]);
    let Some((_, first)) = builds.first() else {
        return Ok(());
    };
    let private = first.kustomization.private_root.as_deref();
    let runner = match Runner::new(Tool::Kustomize, job.programs, private, job.limits) {
        Ok(runner) => runner,
        Err(found) => {
            report(found);
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
            Ok(results) => built.push((position, build, results)),
            Err(found) => reporter.add(&Documents::default(), &[found.diagnostic()]),
        }
    }
    // The module's time limit ends the process, which would leave the files.
    drop(runner);
    for (position, build, Built { first, second }) in built {
        let Rendered {
            application,
            answer,
        } = &mut rendered[position];
        let file = File {
            path: build.kustomization.target.clone(),
            content: first,
        };
        let watch = engine.watch();
        let mut plugin = engine.start()?;
        let request = &application.request;
        // Without sensitive values, on which no diagnostic may depend.
        let built = std::slice::from_ref(&file);
        let mut found = plugin.check_built(built, &build.sources, request)?;
        let mut restored = None;
        if let (Some(sensitive), Some(second)) = (build.sensitive, second) {
            let first = file.content.clone();
            match sensitive.restored(first, second, &mut plugin, request)? {
                Ok(content) => restored = Some(content),
                Err(problems) => found.diagnostics.extend(problems.diagnostics),
            }
        }
        drop(watch);
        found.diagnostics.retain(|found| {
            let is_left = found.topic == Some(Topic::LeftReference);
            !(is_left && is_text(found, &file.content, &build.sources, request))
        });
        let folder = &build.kustomization.display_path;
        runner::name_empty(Tool::Kustomize, folder, &mut found.diagnostics);
        for found in &mut found.diagnostics {
            if found.topic == Some(Topic::LeftReference) {
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
            let content = restored.unwrap_or(file.content);
            answer.built.push(File { content, ..file });
        }
    }
    Ok(())
}

/// Returns whether a reference that is left is text of the rendered files, such as an escape, in
/// a dialect whose references begin with the name of an output. Rendering what kustomize builds
/// would leave it, too. In landfall's own dialect, the name of a document comes first. Or it is
/// a reference to a value that is unknown before an apply.
fn is_text(found: &Diagnostic, built: &[u8], sources: &[File], request: &Request) -> bool {
    let Some(label) = found.labels.first() else {
        return false;
    };
    let (start, end) = (label.span.start as usize, label.span.end as usize);
    let (Some(before), Some(after)) = (built.get(..start), built.get(end..)) else {
        return false;
    };
    let begin = memchr::memmem::rfind(before, b"${");
    let Some((begin, length)) = begin.zip(memchr::memchr(b'}', after)) else {
        return false;
    };
    let reference = &built[begin..=end + length];
    let is_end = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"_-".contains(byte);
    let head = reference[2..].split(is_end).next().unwrap_or_default();
    let documents = request.inputs.documents.iter().map(|it| &it.name);
    let known = request.inputs.known_names.iter().map(|it| &it.name);
    let finder = memchr::memmem::Finder::new(reference);
    let is_unknown = request.inputs.documents.iter().any(may_be_unknown);
    (is_unknown || !documents.chain(known).any(|name| name.as_bytes() == head))
        && sources
            .iter()
            .any(|file| finder.find(&file.content).is_some())
}

/// What kustomize has built.
struct Built {
    first: Vec<u8>,
    /// The same with the second stand-ins, if there are sensitive values.
    second: Option<Vec<u8>>,
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
    fn build(&self, build: &Build) -> Result<Built, Problem> {
        let kustomization = &build.kustomization;
        let first = self.run("rendered", kustomization, &build.contents)?;
        if !first.status.success() {
            return Err(self.failed(kustomization, &first));
        }
        let folder = &kustomization.display_path;
        self.runner
            .check(&first.stdout, folder, self.allows_nothing)?;
        let mut second = None;
        if let Some(sensitive) = &build.sensitive {
            let built = self.run("second", kustomization, &sensitive.contents)?;
            if !built.status.success() {
                let message =
                    format!("what `kustomize build {folder}` does depends on a sensitive value");
                return Err(Problem::new(HostRule::ToolFailed, message)
                    .help("remove what compares the value or takes it apart, such as `delimiter` in `replacements`"));
            }
            second = Some(built.stdout);
        }
        Ok(Built {
            first: first.stdout,
            second,
        })
    }

    /// Runs kustomize on these contents of the files. Functions, plugins and Helm stay
    /// disabled, which is the default.
    fn run(
        &self,
        name: &str,
        kustomization: &Kustomization,
        contents: &[Vec<u8>],
    ) -> Result<Finished, Problem> {
        let base = format!("{}/{name}", self.nth);
        for (file, content) in std::iter::zip(&kustomization.files, contents) {
            self.runner
                .write(&format!("{base}/{}", file.path), content)?;
        }
        let current = paths::join(&base, &kustomization.folder);
        let arguments: &[&str] = if kustomization.is_unrestricted {
            &["build", ".", "--load-restrictor", "LoadRestrictionsNone"]
        } else {
            &["build", "."]
        };
        self.runner
            .run(&current, &kustomization.display_path, arguments)
    }

    /// Returns the error of a run that failed. kustomize quotes the files that it cannot build:
    /// there is no sensitive value in them.
    fn failed(&self, kustomization: &Kustomization, finished: &Finished) -> Problem {
        let message = self.message("rendered", kustomization, &finished.stderr);
        runner::failed(Tool::Kustomize, &kustomization.display_path, &message)
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
