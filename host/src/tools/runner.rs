//! The programs of other tools, which build manifests from rendered files: `spec.tool`.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use landfall_sandbox::types::{Diagnostic, Severity, Topic};

use crate::files::{Root, RootKind, Workspace};
use crate::loading::is_blank;
use crate::paths::display as display_path;
use crate::problem::{HostRule, Problem, reason};
use crate::settings::{Limits, Programs, Tool};

use super::program::{self, Failure, Finished, command, run};

/// How much of a tool's message is shown, in characters.
const MAX_SHOWN: usize = 4_000;

impl Tool {
    /// Returns the path of the built manifests below an output folder.
    pub(super) const fn built_path(self) -> &'static str {
        match self {
            Self::Kustomize => "kustomize.yaml",
            Self::Helm => "helm.yaml",
        }
    }

    /// Returns how to get its program.
    const fn how_to_get(self) -> &'static str {
        match self {
            Self::Kustomize => {
                "install kustomize 5 (https://kubectl.docs.kubernetes.io/installation/kustomize/) where landfall runs, in Argo CD in the sidecar's image, or name it with --kustomize"
            }
            Self::Helm => {
                "install Helm 4 (https://helm.sh/docs/intro/install/) where landfall runs, in Argo CD in the sidecar's image, or name it with --helm"
            }
        }
    }

    /// Returns what authors can change if it fails.
    const fn how_to_correct(self) -> &'static str {
        match self {
            Self::Kustomize => {
                "correct the kustomization; `kustomize build` in the folder reports the same without landfall"
            }
            Self::Helm => "correct the chart or its values",
        }
    }
}

/// A tool with its program and the folder for its files.
#[derive(Debug)]
pub(super) struct Runner {
    pub(crate) tool: Tool,
    pub(super) program: PathBuf,
    /// The program in diagnostics.
    shown: String,
    pub(super) workspace: Workspace,
    pub(super) limits: Limits,
}

impl Runner {
    /// Finds the program and creates the folder, in `private_root` if there is one.
    ///
    /// # Errors
    /// There is no program, or no folder can be written.
    pub(crate) fn new(
        tool: Tool,
        programs: Option<&Programs>,
        private_root: Option<&Path>,
        limits: Limits,
    ) -> Result<Self, Problem> {
        let named = programs.and_then(|programs| programs.of(tool));
        let name = named.unwrap_or(Path::new(tool.name()));
        let path = std::env::var_os("PATH");
        let program = program::find(name, path.as_deref()).ok_or_else(|| not_found(tool))?;
        let temporary = std::env::temp_dir();
        let parents: Vec<PathBuf> = private_root
            .map(Path::to_owned)
            .into_iter()
            .chain([temporary])
            .collect();
        let workspace = Workspace::create(&parents);
        Ok(Self {
            tool,
            shown: display_path(named.unwrap_or(&program)),
            workspace: workspace.map_err(|error| unwritable(tool, &error))?,
            program,
            limits,
        })
    }

    /// Writes a file for the tool.
    pub(super) fn write(&self, path: &str, content: &[u8]) -> Result<(), Problem> {
        let written = self.workspace.write(path, content);
        written.map_err(|error| unwritable(self.tool, &error))
    }

    /// Runs a command in the folder `current` of the workspace.
    ///
    /// # Errors
    /// It cannot be started, takes too long, or writes too much. `folder` is the folder of
    /// the application in diagnostics.
    pub(super) fn run(
        &self,
        current: &str,
        folder: &str,
        arguments: &[impl AsRef<OsStr>],
    ) -> Result<Finished, Problem> {
        let home = self.workspace.create_folder("home");
        let home = home.map_err(|error| unwritable(self.tool, &error))?;
        let current = self.workspace.path().join(current);
        let mut command = command(&self.program, &current, &home);
        let limits = program::Limits {
            time: self.limits.time,
            output: self.limits.input,
            memory: self.limits.memory,
        };
        let finished = run(command.args(arguments), &limits, &|child| {
            self.workspace.kill_on_signals(child);
        });
        finished.map_err(|failure| self.not_run(folder, &failure))
    }

    /// Returns what the program says of its version: `v4.3.1+g1a2b3c`. None: nothing, or it fails.
    pub(super) fn version(&self) -> Option<String> {
        let finished = self.run("", "", &["version", "--short"]).ok()?;
        let text = String::from_utf8(finished.stdout).ok()?;
        let version = text.split_whitespace().next()?;
        finished.status.success().then(|| version.to_owned())
    }

    fn not_run(&self, folder: &str, failure: &Failure) -> Problem {
        let command = self.tool.command();
        let (message, help) = match failure {
            Failure::NotStarted(error) => {
                let (program, reason) = (&self.shown, reason(error));
                let message = format!("`{program}` cannot be started: {reason}");
                let help = self.tool.how_to_get();
                return Problem::new(HostRule::ToolFailed, message).help(help);
            }
            Failure::TimedOut => (
                format!(
                    "`{command} {folder}` took longer than {:?} and was stopped",
                    self.limits.time
                ),
                "raise the limit with --max-time, or build less at once",
            ),
            Failure::TooMuch => (
                format!(
                    "`{command} {folder}` wrote more than {} bytes and was stopped",
                    self.limits.input
                ),
                "raise the limit with --max-input, or build less at once",
            ),
        };
        Problem::new(HostRule::ToolFailed, message).help(help)
    }

    /// Checks that manifests were built, and that they do not depend on where. Whether lists
    /// are empty is checked by the module.
    ///
    /// # Errors
    /// They are empty and `allows_nothing` is false, or the path of the workspace is in them.
    pub(super) fn check(
        &self,
        content: &[u8],
        folder: &str,
        allows_nothing: bool,
    ) -> Result<(), Problem> {
        let command = self.tool.command();
        let random = self.workspace.path().file_name().unwrap_or_default();
        if memchr::memmem::find(content, random.as_encoded_bytes()).is_some() {
            let message = format!(
                "`{command} {folder}` wrote the path of its temporary folder, which differs in every run"
            );
            let help = match self.tool {
                Tool::Kustomize => "remove what makes it write paths, such as `buildMetadata`",
                Tool::Helm => "remove what makes the chart's templates write paths",
            };
            return Err(Problem::new(HostRule::ToolFailed, message).help(help));
        }
        if is_blank(content) && !allows_nothing {
            return Err(built_nothing(self.tool, folder));
        }
        Ok(())
    }

    /// Returns a message of the tool on one line, without the path of the workspace.
    pub(super) fn message(&self, text: &str) -> String {
        let text = text.replace(&*self.workspace.path().to_string_lossy(), "…");
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        lines.join(" ").trim().chars().take(MAX_SHOWN).collect()
    }
}

/// Says which tool has built nothing, in the module's errors about built manifests.
pub(super) fn name_empty(tool: Tool, folder: &str, found: &mut [Diagnostic]) {
    let is_empty = |found: &&mut Diagnostic| found.topic == Some(Topic::NoResources);
    for found in found.iter_mut().filter(is_empty) {
        *found = built_nothing(tool, folder).diagnostic();
    }
}

fn built_nothing(tool: Tool, folder: &str) -> Problem {
    let message = format!("`{} {folder}` built no resources", tool.command());
    Problem::no_resources(message)
        .help("an empty result would make Argo CD prune the application: add resources, or set the policy `noResources: allow`")
}

/// Creates the error of a tool that has failed with this message.
pub(super) fn failed(tool: Tool, folder: &str, message: &str) -> Problem {
    let message = match message.strip_prefix("Error: ").unwrap_or(message) {
        "" => "it wrote no message",
        message => message,
    };
    let message = format!("`{} {folder}` failed: {message}", tool.command());
    Problem::new(HostRule::ToolFailed, message).help(tool.how_to_correct())
}

/// Creates the warning of a tool that has succeeded with this message.
pub(super) fn warned(tool: Tool, folder: &str, message: &str) -> Problem {
    let message = format!("`{} {folder}` warns: {message}", tool.command());
    Problem::new(HostRule::ToolFailed, message).severity(Severity::Warning)
}

fn not_found(tool: Tool) -> Problem {
    let name = tool.name();
    let message =
        format!("`spec.tool: {name}` requires the program `{name}`, which is not on PATH");
    Problem::new(HostRule::ToolFailed, message).help(tool.how_to_get())
}

fn unwritable(tool: Tool, error: &io::Error) -> Problem {
    let (name, reason) = (tool.name(), reason(error));
    let message = format!("the temporary folder for {name} cannot be written: {reason}");
    Problem::new(HostRule::UnwritableFile, message).help(
        "free some space in the folder for temporary files, or set TMPDIR to a writable folder",
    )
}

/// Returns the root if argocd-cmp-server has extracted the repository into it for this call:
/// `<workdir>/_cmp_server/<uuid>` (cmpserver/plugin/plugin.go, argo-cd v3.2.12). What is left
/// there when a call is killed is removed with it.
pub(super) fn private_root(root: &Root) -> Option<PathBuf> {
    let path = root.real(Path::new(".")).ok()?;
    let parent = path.parent()?.file_name()?;
    (root.kind() == RootKind::ArgoCd && parent == "_cmp_server").then_some(path)
}
