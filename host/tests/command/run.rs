//! A temporary folder of files, and runs of the program in it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The outputs document that most tests bind.
pub(crate) const INFRA: &str = r#"{
  "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"},
  "replicas": {"sensitive": false, "type": "number", "value": 3},
  "subnets": {"sensitive": false, "type": ["list", "string"], "value": ["subnet-1", "subnet-2"]},
  "password": {"sensitive": true, "type": "string", "value": "hunter2"}
}
"#;

/// Returns a ConfigMap with one line of data.
pub(crate) fn config_map(line: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  {line}\n")
}

/// Returns another ConfigMap with one line of data.
pub(crate) fn other_config_map(line: &str) -> String {
    config_map(line).replace("  name: web\n", "  name: other\n")
}

/// The result of a run of the program.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
    /// Whether Argo CD shows standard error: it begins with the number of errors then.
    is_plugin: bool,
}

impl Run {
    /// Returns the standard output of a run that succeeded and wrote nothing to standard
    /// error.
    #[track_caller]
    pub(crate) fn expect_stdout(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""));
        String::from_utf8(self.stdout).unwrap()
    }

    /// Checks for exit code 1, an empty standard output, all of `parts` on standard error,
    /// and the number of errors in its last line, or its first under Argo CD.
    #[track_caller]
    pub(crate) fn assert_input_error(&self, parts: &[&str]) {
        self.assert_fails(1, parts);
        let mut lines = self.stderr.lines();
        let count = if self.is_plugin {
            lines.next()
        } else {
            lines.last()
        };
        assert!(
            count.is_some_and(|line| line.starts_with("error: ")),
            "{}",
            self.stderr
        );
    }

    /// Checks for this exit code, an empty standard output, and all of `parts` on standard
    /// error.
    #[track_caller]
    /// Whether the result is a ResourceList without items that says why.
    fn has_only_results(&self) -> bool {
        let list: Option<serde_json::Value> = yaml_serde::from_slice(&self.stdout).ok();
        list.is_some_and(|list| {
            let has = |key: &str, is_empty: bool| {
                list[key]
                    .as_array()
                    .is_some_and(|all| all.is_empty() == is_empty)
            };
            list["kind"] == "ResourceList" && has("items", true) && has("results", false)
        })
    }

    pub(crate) fn assert_fails(&self, code: i32, parts: &[&str]) {
        let shown: String = self.stderr.chars().take(4000).collect();
        assert_eq!(self.code, Some(code), "{shown}");
        assert!(
            self.stdout.is_empty() || self.has_only_results(),
            "{} bytes on standard output",
            self.stdout.len()
        );
        assert!(!self.stderr.contains("panicked"), "{shown}");
        for part in parts {
            assert!(self.stderr.contains(part), "`{part}` is not in:\n{shown}");
        }
    }
}

/// A folder that is removed after the test.
pub(crate) struct TestFolder {
    temporary: TempDir,
}

impl TestFolder {
    /// Creates an empty folder.
    pub(crate) fn new() -> Self {
        Self {
            temporary: tempfile::tempdir().unwrap(),
        }
    }

    /// Creates a folder with `infra.json`, the document that most tests bind.
    pub(crate) fn with_infra() -> Self {
        let folder = Self::new();
        folder.write("infra.json", INFRA);
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.temporary.path()
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    /// Returns all folders, and all files with their contents.
    pub(crate) fn snapshot(&self) -> Vec<(PathBuf, Vec<u8>)> {
        fn add(folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    files.push((path.clone(), Vec::new()));
                    add(&path, files);
                } else {
                    files.push((path.clone(), fs::read(path).unwrap()));
                }
            }
        }
        let mut files = Vec::new();
        add(self.path(), &mut files);
        files.sort();
        files
    }

    /// Returns a command that runs the program in this folder with an empty environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
        command.args(arguments).current_dir(self.path()).env_clear();
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        finish(self.command(arguments).stdin(Stdio::null()), b"")
    }

    pub(crate) fn run_with_stdin(&self, arguments: &[&str], stdin: impl AsRef<[u8]>) -> Run {
        finish(
            self.command(arguments).stdin(Stdio::piped()),
            stdin.as_ref(),
        )
    }
}

/// Runs a command to its end.
pub(crate) fn finish(command: &mut Command, stdin: &[u8]) -> Run {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let pipe = child.stdin.take();
    let output = std::thread::scope(|scope| {
        // If the program closes its input early, writing to it fails: not an error here.
        scope.spawn(move || pipe.map(|mut pipe| pipe.write_all(stdin)));
        child.wait_with_output().unwrap()
    });
    Run {
        is_plugin: command.get_args().next().is_some_and(|name| name == "cmp"),
        code: output.status.code(),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
