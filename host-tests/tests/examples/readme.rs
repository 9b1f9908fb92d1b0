//! Runs the commands of a page in a copy of an example.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use landfall_host_tests::program;
use landfall_host_tests::scratch::{self, Scratch};
use pretty_assertions::assert_eq;

/// Compares the README of `examples/NAME` with what its commands print. These programs and
/// landfall come first on the PATH.
///
/// # Panics
/// They differ.
pub(crate) fn check(name: &str, programs: &[PathBuf]) {
    check_page(&program::example(name).join("README.md"), name, programs);
}

/// As [`check`], for another page whose commands run in `examples/NAME`.
///
/// # Panics
/// The page differs.
pub(crate) fn check_page(file: &Path, name: &str, programs: &[PathBuf]) {
    let landfall = program::landfall();
    let repository = Scratch::with_example(name);
    let folder = repository.at("examples").join(name);
    // The plugins are named by their path in the repository.
    let plugins = "deploy/helm";
    scratch::copy(
        &program::repository().join(plugins),
        &repository.at(plugins),
    );
    let shell = Shell {
        home: repository.path(),
        path: folders(&landfall, programs),
    };
    let prepared = shell.run(repository.path(), "git init --quiet && git add -A");
    assert_eq!(prepared, "");

    let page = scratch::read(file);
    let mut lines = page.split_inclusive('\n').peekable();
    let mut rewritten = String::new();
    while let Some(line) = lines.next() {
        rewritten.push_str(line);
        if line != "```sh\n" {
            continue;
        }
        let script: String = lines.by_ref().take_while(|line| *line != "```\n").collect();
        let output = shell.run(&folder, &script);
        rewritten.push_str(&script);
        rewritten.push_str("```\n");
        while let Some(blank) = lines.next_if_eq(&"\n") {
            rewritten.push_str(blank);
        }
        if lines.next_if_eq(&"```text\n").is_some() {
            lines
                .by_ref()
                .take_while(|line| *line != "```\n")
                .for_each(drop);
            rewritten.push_str(&format!("```text\n{output}```\n"));
        } else {
            assert_eq!(output, "", "after the block:\n{script}");
        }
    }
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(file, &rewritten).unwrap();
    } else {
        assert_eq!(rewritten, page);
    }
}

/// Returns a PATH that starts with the folders of these programs.
fn folders(landfall: &Path, programs: &[PathBuf]) -> OsString {
    let programs = std::iter::once(landfall).chain(programs.iter().map(PathBuf::as_path));
    let folders = programs.map(|program| program.parent().unwrap().to_path_buf());
    let rest = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(folders.chain(std::env::split_paths(&rest))).unwrap()
}

struct Shell<'a> {
    home: &'a Path,
    path: OsString,
}

impl Shell<'_> {
    /// Returns the standard output and standard error of a script, as a terminal shows them,
    /// but without a blank at the end of a line.
    fn run(&self, folder: &Path, script: &str) -> String {
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1\n{script}")])
            .current_dir(folder)
            // The machine's own settings must not affect the example.
            .env_clear()
            .env("PATH", &self.path)
            .envs([("HOME", self.home), ("TMPDIR", self.home)])
            .envs([
                ("CHECKPOINT_DISABLE", "1"),
                ("TF_IN_AUTOMATION", "1"),
                ("NO_COLOR", "1"),
                ("GIT_AUTHOR_NAME", "pipeline"),
                ("GIT_AUTHOR_EMAIL", "pipeline@example.com"),
                ("GIT_COMMITTER_NAME", "pipeline"),
                ("GIT_COMMITTER_EMAIL", "pipeline@example.com"),
            ])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.replace(" \n", "\n")
    }
}
