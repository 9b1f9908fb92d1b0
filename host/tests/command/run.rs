//! A folder of files and runs of the program in it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use landfall_test_support::skip::{Requirement, skipped};
use tempfile::TempDir;

/// An outputs document that most tests bind.
pub(crate) const INFRA: &str = r#"{
  "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"},
  "replicas": {"sensitive": false, "type": "number", "value": 3},
  "subnets": {"sensitive": false, "type": ["list", "string"], "value": ["subnet-1", "subnet-2"]},
  "password": {"sensitive": true, "type": "string", "value": "hunter2"}
}
"#;

/// A ConfigMap with one line of data.
pub(crate) fn config_map(line: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  {line}\n")
}

/// What a run of the program did.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    /// The standard output of a run that went well and told nothing, but which
    /// outputs are unused: most tests bind more than they need.
    #[track_caller]
    pub(crate) fn text(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""));
        String::from_utf8(self.stdout).unwrap()
    }

    /// Exit 1, nothing on standard output, and all of `parts` on standard error.
    #[track_caller]
    pub(crate) fn input_error(&self, parts: &[&str]) {
        self.refused(1, parts);
        assert!(
            self.stderr
                .lines()
                .last()
                .is_some_and(|line| line.starts_with("error: ")),
            "{}",
            self.stderr
        );
    }

    #[track_caller]
    pub(crate) fn refused(&self, code: i32, parts: &[&str]) {
        let shown: String = self.stderr.chars().take(4000).collect();
        assert_eq!(self.code, Some(code), "{shown}");
        assert!(
            self.stdout.is_empty(),
            "{} bytes on standard output",
            self.stdout.len()
        );
        assert!(!self.stderr.contains("panicked"), "{shown}");
        for part in parts {
            assert!(self.stderr.contains(part), "`{part}` is not in:\n{shown}");
        }
    }
}

/// A folder that vanishes with the test.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    /// None, said aloud, when the program under test has no module inside.
    pub(crate) fn new() -> Option<Self> {
        static HAS_MODULE: OnceLock<bool> = OnceLock::new();
        let folder = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let has_module = *HAS_MODULE.get_or_init(|| {
            let run = folder.run(&["check", "-"]);
            !(run.code == Some(3) && run.stderr.contains("no embedded module"))
        });
        if !has_module {
            skipped(
                Requirement::Dist,
                "the command holds no module: run cargo xtask dist",
            );
            return None;
        }
        Some(folder)
    }

    /// With `infra.json`, the document that most tests bind.
    pub(crate) fn with_infra() -> Option<Self> {
        let place = Self::new()?;
        place.write("infra.json", INFRA);
        Some(place)
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
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

    /// Every file below, with its content.
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

    /// The program, here, with an environment that no machine's owner decides.
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
        // A program that refuses its input early closes it: no error of ours.
        scope.spawn(move || pipe.map(|mut pipe| pipe.write_all(stdin)));
        child.wait_with_output().unwrap()
    });
    Run {
        code: output.status.code(),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
