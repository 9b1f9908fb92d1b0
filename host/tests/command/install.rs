//! `landfall install`: the command where other programs look for it.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::run::{Run, TestFolder, finish};

/// Runs the program at `path`, with nothing on standard input.
fn start(path: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(path);
    command.args(arguments).env_clear().stdin(Stdio::null());
    finish(&mut command, b"")
}

#[test]
fn the_command_gets_both_of_its_names() {
    let folder = TestFolder::new();
    let text = folder.run(&["install", "new/bin"]).expect_stdout();
    assert_eq!(
        text,
        "new/bin/landfall\nnew/bin/landfall-krm: runs `landfall krm`\nadd new/bin to PATH: kustomize, kpt and plugins of Helm search there\n"
    );
    let version = folder.run(&["--version"]).expect_stdout();
    let installed = folder.at("new/bin/landfall");
    assert_eq!(start(&installed, &["--version"]).expect_stdout(), version);
    // It expects a ResourceList.
    start(&folder.at("new/bin/landfall-krm"), &[]).assert_input_error(&["ResourceList"]);

    let mut on_path = folder.command(&["install", "new/bin"]);
    on_path.env("PATH", folder.at("new/bin"));
    let text = finish(&mut on_path, b"").expect_stdout();
    assert!(!text.contains("PATH"), "{text}");
}

#[test]
fn what_is_there_is_replaced_and_nothing_is_left_over() {
    let folder = TestFolder::new();
    folder.write("bin/landfall", "older");
    folder.write("bin/landfall-krm", "older");
    folder.write("bin/other", "kept");
    folder.run(&["install", "bin"]).expect_stdout();
    let installed = folder.at("bin/landfall");
    // It can install itself, and is not copied onto itself.
    let again = start(
        &installed,
        &["install", &folder.at("bin").to_string_lossy()],
    );
    again.expect_stdout();
    let version = folder.run(&["--version"]).expect_stdout();
    assert_eq!(start(&installed, &["--version"]).expect_stdout(), version);
    assert_eq!(folder.read("bin/other"), "kept");
    let left = std::fs::read_dir(folder.at("bin")).unwrap().count();
    assert_eq!(left, 3);
}

/// A name that is a link to the other one would be lost with it.
#[cfg(unix)]
#[test]
fn links_to_the_command_become_the_command() {
    let folder = TestFolder::new();
    folder.run(&["install", "bin"]).expect_stdout();
    std::fs::rename(folder.at("bin/landfall"), folder.at("bin/landfall-krm")).unwrap();
    std::os::unix::fs::symlink("landfall-krm", folder.at("bin/landfall")).unwrap();
    let installed = folder.at("bin/landfall");
    start(
        &installed,
        &["install", &folder.at("bin").to_string_lossy()],
    )
    .expect_stdout();
    let version = folder.run(&["--version"]).expect_stdout();
    assert_eq!(start(&installed, &["--version"]).expect_stdout(), version);
    assert!(installed.symlink_metadata().unwrap().is_file());
}

#[test]
fn nothing_is_written_where_something_else_is_in_the_way() {
    let folder = TestFolder::new();
    folder.write("file", "");
    folder.write("bin/landfall/file", "");
    folder.write("krm/landfall", "older");
    folder.write("krm/landfall-krm/file", "");
    for (target, message) in [
        ("file", "error[unwritable-file]: `file` cannot be written"),
        (
            "bin",
            "error[unwritable-file]: `bin/landfall` cannot be written",
        ),
        (
            "krm",
            "error[unwritable-file]: `krm/landfall-krm` cannot be written",
        ),
    ] {
        let before = folder.snapshot();
        let run = folder.run(&["install", target]);
        run.assert_input_error(&[message, "nothing was written"]);
        assert_eq!(folder.snapshot(), before);
    }
    folder.run(&["install"]).assert_fails(
        2,
        &["tip: to install landfall in Argo CD, use `landfall argocd install`"],
    );
}
