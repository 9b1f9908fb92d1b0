//! The blocks of the README, pasted into a shell one after the other: each `sh` block
//! is run in one folder, which is empty at first, with landfall on the PATH. Its output
//! is the `text` block after it, or empty. Blocks that no test can run, such as an
//! installation, are marked `shell`.
//!
//! `UPDATE=1 cargo test -p landfall-host readme` rewrites the `text` blocks.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::run::{TestFolder, finish};
use crate::tool::program;

#[test(tools)]
fn readme_examples_match_the_command() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let folder = TestFolder::new();
    let mut lines = page.split_inclusive('\n').peekable();
    let mut rewritten = String::new();
    while let Some(line) = lines.next() {
        rewritten.push_str(line);
        let Some(info) = line.trim_end().strip_prefix("```") else {
            continue;
        };
        let mut block = || -> String {
            let lines = lines.by_ref();
            lines.take_while(|line| line.trim_end() != "```").collect()
        };
        let script = block();
        rewritten.push_str(&script);
        rewritten.push_str("```\n");
        if info != "sh" {
            assert!(
                ["shell", "yaml"].contains(&info),
                "a block of the README is marked `{info}`"
            );
            continue;
        }
        let output = run(&folder, &script);
        while lines.peek().is_some_and(|line| line.trim().is_empty()) {
            rewritten.extend(lines.next());
        }
        if lines.next_if_eq(&"```text\n").is_some() {
            lines
                .by_ref()
                .take_while(|line| line.trim_end() != "```")
                .for_each(drop);
            rewritten.push_str(&format!("```text\n{output}```\n"));
        } else {
            assert_eq!(output, "", "after the block:\n{script}");
        }
    }
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(&path, &rewritten).unwrap();
    } else {
        snapbox::assert_data_eq!(rewritten, snapbox::Data::text(page).raw());
    }
}

/// Returns the standard output and standard error of a script, as a terminal shows them.
fn run(folder: &TestFolder, script: &str) -> String {
    let landfall = Path::new(env!("CARGO_BIN_EXE_landfall"));
    let system = std::env::var_os("PATH").unwrap_or_default();
    let kustomize = program("kustomize");
    let folders = [landfall, &kustomize].map(|program| program.parent().unwrap().to_path_buf());
    let path =
        std::env::join_paths(folders.into_iter().chain(std::env::split_paths(&system))).unwrap();
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("exec 2>&1\n{script}")])
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", path)
        .env("HOME", folder.path())
        .stdin(Stdio::null());
    String::from_utf8(finish(&mut shell, b"").stdout).unwrap()
}
