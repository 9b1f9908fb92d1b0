//! A repository whose application a tool builds.

use std::ops::Deref;
use std::path::PathBuf;
use std::process::Stdio;

use crate::run::{Run, TestFolder, finish};

const POLICY: &str = "apiVersion: landfall.dev/v1alpha1
kind: OperatorPolicy
spec: {sensitive: {kinds: [Secret]}}
";

/// A Binding that names this tool and the outputs of a [`ToolRepository`].
macro_rules! tool_binding {
    ($tool:literal) => {
        concat!(
            "apiVersion: landfall.dev/v1alpha1
kind: Binding
spec:
  tool: ",
            $tool,
            "
  outputs:
    - name: infra
      from: {file: ../../outputs/infra.json}
"
        )
    };
}
pub(crate) use tool_binding;

/// Returns a program that `cargo xtask tools` builds, for a test that needs the tools.
pub(crate) fn program(name: &str) -> PathBuf {
    let store = landfall_tools::Store::of_this_machine();
    let found = store.find(landfall_tools::named(name).unwrap());
    assert!(found.is_some(), "{name} not found: run cargo xtask tools");
    found.unwrap()
}

/// A repository as argocd-cmp-server extracts it, with the application `apps/web`,
/// the outputs document `outputs/infra.json` and an operator's policy `policy.yaml`.
pub(crate) struct ToolRepository {
    folder: TestFolder,
    tool: &'static str,
    pub(crate) program: PathBuf,
    variables: &'static [(&'static str, &'static str)],
}

impl ToolRepository {
    /// A repository whose application is built by the program of this tool. The command gets
    /// these variables.
    pub(crate) fn new(
        tool: &'static str,
        binding: &str,
        outputs: &str,
        variables: &'static [(&'static str, &'static str)],
    ) -> Self {
        let folder = TestFolder::new();
        folder.write("outputs/infra.json", outputs);
        folder.write("apps/web/landfall.yaml", binding);
        folder.write("policy.yaml", POLICY);
        Self {
            folder,
            tool,
            program: program(tool),
            variables,
        }
    }

    pub(crate) fn cmp(&self, arguments: &[&str]) -> Run {
        self.with_variable("ARGOCD_APP_SOURCE_PATH", "apps/web", arguments)
    }

    pub(crate) fn with_variable(&self, name: &str, value: &str, arguments: &[&str]) -> Run {
        let option = format!("--{}", self.tool);
        let mut command = self.folder.command(&["cmp", "generate", &option]);
        command
            .arg(&self.program)
            // The secrets of these tests are in the repository.
            .arg("--allow-secret-files")
            .args(arguments)
            .current_dir(self.at("apps/web"))
            .env("ARGOCD_APP_SOURCE_PATH", "apps/web")
            .envs(self.variables.iter().copied())
            .env(name, value)
            .stdin(Stdio::null());
        let run = finish(&mut command, b"");
        // Argo CD extracts every call into a folder of another name.
        let path = self.path().to_str().unwrap();
        assert!(!run.stderr.contains(path), "{}", run.stderr);
        assert!(!run.stderr.contains(".landfall-"), "{}", run.stderr);
        for secret in ["horse", "hunter2"] {
            assert!(!run.stderr.contains(secret), "{}", run.stderr);
        }
        run
    }

    #[track_caller]
    pub(crate) fn assert_refused(&self, parts: &[&str]) {
        self.cmp(&[]).assert_input_error(parts);
    }
}

impl Deref for ToolRepository {
    type Target = TestFolder;

    fn deref(&self) -> &TestFolder {
        &self.folder
    }
}
