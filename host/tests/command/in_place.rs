//! `--in-place --replace-references`: overwrites all changed files, or none.
//! [`crate::setters`] tests `--in-place` alone.

use std::fs;
use std::time::SystemTime;

use crate::run::{Run, TestFolder, config_map};

const REPLACE: [&str; 4] = ["-b", "infra.json", "--in-place", "--replace-references"];

fn setup() -> TestFolder {
    let folder = TestFolder::with_infra();
    folder.write("app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder.write("app/deep/b.yaml", config_map("unchanged: yes"));
    folder.write("app/deep/c.yaml", config_map("subnet: ${infra.subnets[1]}"));
    folder
}

fn render(folder: &TestFolder, paths: &[&str]) -> Run {
    folder.run(&[&["render"], paths, &REPLACE].concat())
}

/// Checks that a render fails with all of `parts` and changes no file.
#[track_caller]
fn assert_changes_nothing(folder: &TestFolder, paths: &[&str], parts: &[&str]) {
    let before = folder.snapshot();
    render(folder, paths).assert_input_error(parts);
    assert_eq!(folder.snapshot(), before);
}

fn modified(folder: &TestFolder, path: &str) -> SystemTime {
    fs::metadata(folder.at(path)).unwrap().modified().unwrap()
}

#[test]
fn a_folder() {
    let folder = setup();
    let files = folder.snapshot().len();
    assert_eq!(render(&folder, &["app"]).expect_stdout(), "");
    assert_eq!(folder.read("app/a.yaml"), config_map("vpc: vpc-0ab1"));
    assert_eq!(folder.read("app/deep/b.yaml"), config_map("unchanged: yes"));
    assert_eq!(
        folder.read("app/deep/c.yaml"),
        config_map("subnet: subnet-2")
    );
    assert_eq!(folder.snapshot().len(), files);
}

#[test]
fn named_files() {
    let folder = setup();
    assert_eq!(
        render(&folder, &["app/a.yaml", "app/deep"]).expect_stdout(),
        ""
    );
    assert_eq!(folder.read("app/a.yaml"), config_map("vpc: vpc-0ab1"));
    assert_eq!(
        folder.read("app/deep/c.yaml"),
        config_map("subnet: subnet-2")
    );
}

#[test]
fn does_not_touch_unchanged_files() {
    let folder = setup();
    let long_ago = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    for path in ["app/a.yaml", "app/deep/b.yaml"] {
        let file = fs::File::options()
            .write(true)
            .open(folder.at(path))
            .unwrap();
        file.set_modified(long_ago).unwrap();
    }
    render(&folder, &["app"]).expect_stdout();
    assert_eq!(modified(&folder, "app/deep/b.yaml"), long_ago);
    let written = modified(&folder, "app/a.yaml");
    assert_ne!(written, long_ago);
    // No reference is left, so the second run changes nothing.
    render(&folder, &["app"]).expect_stdout();
    assert_eq!(modified(&folder, "app/a.yaml"), written);
}

#[test]
fn verbose_reports_what_changed() {
    let folder = setup();
    let run = render(&folder, &["-v", "app"]);
    assert_eq!((run.code, run.stdout.len()), (Some(0), 0));
    for part in ["3 manifest files", "2 files changed"] {
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
    let again = render(&folder, &["-v", "app"]);
    assert!(again.stderr.contains("0 files changed"), "{}", again.stderr);
}

#[test]
fn an_error_in_one_file_changes_no_file() {
    let folder = setup();
    folder.write("app/deep/b.yaml", config_map("wrong: ${infra.nothing}"));
    assert_changes_nothing(
        &folder,
        &["app"],
        &[
            "unknown-output",
            "app/deep/b.yaml:6:",
            "nothing was rendered",
        ],
    );
    assert_changes_nothing(
        &folder,
        &["app/a.yaml", "app/deep"],
        &["unknown-output", "app/deep/b.yaml:6:"],
    );
    assert_changes_nothing(&folder, &["app/a.yaml", "missing.yaml"], &["missing.yaml"]);
}

#[test]
fn a_folder_without_manifests() {
    let folder = setup();
    folder.write("empty/README.md", "${infra.vpc_id}\n");
    assert_changes_nothing(&folder, &["empty"], &["no-manifests"]);
    assert_changes_nothing(&folder, &["app", "empty"], &["no-manifests"]);
}

#[test]
fn wrong_command_lines() {
    let folder = setup();
    let before = folder.snapshot();
    for (arguments, part) in [
        (
            &["app", "--in-place", "--output-dir", "out"][..],
            "--output-dir",
        ),
        (&["-", "--in-place"], "standard input"),
        (&["app", "--replace-references"], "--in-place"),
    ] {
        let arguments = [&["render", "-b", "infra.json"], arguments].concat();
        folder.run(&arguments).assert_fails(2, &[part]);
    }
    assert_eq!(folder.snapshot(), before);
}

#[cfg(unix)]
#[test]
fn a_read_only_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = setup();
    let read_only = |path| {
        fs::set_permissions(folder.at(path), fs::Permissions::from_mode(0o444)).unwrap();
    };
    // A read-only file that does not change is not an error.
    read_only("app/deep/b.yaml");
    read_only("app/deep/c.yaml");
    assert_changes_nothing(
        &folder,
        &["app"],
        &[
            "unwritable-file",
            "`app/deep/c.yaml` cannot be written: it is read-only",
            "nothing was written",
        ],
    );
}

#[cfg(unix)]
#[test]
fn keeps_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = setup();
    let mode = |path| fs::metadata(folder.at(path)).unwrap().permissions().mode() & 0o7777;
    for (path, bits) in [("app/a.yaml", 0o600), ("app/deep/c.yaml", 0o775)] {
        fs::set_permissions(folder.at(path), fs::Permissions::from_mode(bits)).unwrap();
        render(&folder, &[path]).expect_stdout();
        assert_eq!(mode(path), bits);
    }
}

#[cfg(unix)]
#[test]
fn keeps_links() {
    use std::os::unix::fs::symlink;
    let folder = setup();
    folder.write(".git", "gitdir: elsewhere\n");
    folder.write("shared/s.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder.write("other/o.yaml", config_map("vpc: ${infra.vpc_id}"));
    symlink("../shared", folder.at("app/shared")).unwrap();
    // A second path to one file, and a link that the user names.
    symlink("../shared/s.yaml", folder.at("app/same.yaml")).unwrap();
    symlink("other/o.yaml", folder.at("link.yaml")).unwrap();
    assert_eq!(render(&folder, &["app", "link.yaml"]).expect_stdout(), "");
    for path in ["shared/s.yaml", "other/o.yaml", "app/same.yaml"] {
        assert_eq!(folder.read(path), config_map("vpc: vpc-0ab1"), "{path}");
    }
    for link in ["app/shared", "app/same.yaml", "link.yaml"] {
        assert!(folder.at(link).is_symlink(), "{link}");
    }
    assert_eq!(fs::read_dir(folder.at("shared")).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn rejects_links_out_of_the_root() {
    use std::os::unix::fs::symlink;
    let folder = setup();
    folder.write("outside.yaml", config_map("vpc: ${infra.vpc_id}"));
    symlink("../outside.yaml", folder.at("app/link.yaml")).unwrap();
    let before = folder.snapshot();
    let arguments = [&["render", "app", "--root", "app"], &REPLACE[..]].concat();
    folder
        .run(&arguments)
        .assert_input_error(&["outside-root", "`app/link.yaml`"]);
    assert_eq!(folder.snapshot(), before);
}

#[cfg(unix)]
#[test]
fn one_file_with_two_results() {
    use std::os::unix::fs::symlink;
    let folder = setup();
    let binding = |file: &str| {
        format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs: [{{name: infra, from: {{file: {file}}}}}]\n"
        )
    };
    folder.write(".git", "gitdir: elsewhere\n");
    folder.write("app/landfall.yaml", binding("../infra.json"));
    folder.write("second/landfall.yaml", binding("../other.json"));
    symlink("../app/deep/c.yaml", folder.at("second/c.yaml")).unwrap();
    folder.write(
        "other.json",
        r#"{"subnets": {"value": ["x", "y"], "sensitive": false, "type": ["list", "string"]}}"#,
    );
    let before = folder.snapshot();
    let run = folder.run(&[
        "render",
        "app",
        "second",
        "--in-place",
        "--replace-references",
    ]);
    run.assert_input_error(&["`second/c.yaml` cannot be written: it is rendered twice"]);
    assert_eq!(folder.snapshot(), before);
    // Two paths to one file with the same result are not an error.
    assert_eq!(
        render(&folder, &["app/a.yaml", "./app/a.yaml"]).expect_stdout(),
        ""
    );
    assert_eq!(folder.read("app/a.yaml"), config_map("vpc: vpc-0ab1"));
}

#[cfg(unix)]
#[test]
fn rejects_a_pipe() {
    let folder = setup();
    let before = folder.snapshot();
    let script = "exec \"$0\" render /dev/fd/3 app/a.yaml -b infra.json --in-place 3<&0";
    let mut command = std::process::Command::new("/bin/sh");
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_landfall")])
        .current_dir(folder.path())
        .stdin(std::process::Stdio::piped());
    crate::run::finish(&mut command, b"a: ${infra.vpc_id}\n").assert_input_error(&[
        "unreadable-file",
        "`/dev/fd/3`",
        "not a regular file",
    ]);
    assert_eq!(folder.snapshot(), before);
}

/// The system does not let a file grow beyond the limit, as with a full disk. The signal
/// that it sends, whether ignored or not, must not end the run.
#[cfg(target_os = "linux")]
#[test]
fn a_failed_write_changes_no_file() {
    let folder = setup();
    let long = format!(
        "{}# {}\n",
        config_map("vpc: ${infra.vpc_id}"),
        "x".repeat(200_000)
    );
    folder.write("app/b-long.yaml", long);
    let before = folder.snapshot();
    for signal in ["trap '' XFSZ;", ""] {
        // 100 blocks, of 512 or 1,024 bytes.
        let script = format!("{signal} ulimit -f 100; exec \"$0\" \"$@\"");
        let mut command = std::process::Command::new("/bin/sh");
        command
            .args([
                "-c",
                &script,
                env!("CARGO_BIN_EXE_landfall"),
                "render",
                "app",
            ])
            .args(REPLACE)
            .current_dir(folder.path())
            .stdin(std::process::Stdio::null());
        crate::run::finish(&mut command, b"").assert_input_error(&[
            "unwritable-file",
            "`app/b-long.yaml`",
            "too large",
            "nothing was written",
        ]);
        assert_eq!(folder.snapshot(), before);
    }
    render(&folder, &["app"]).expect_stdout();
    assert_eq!(folder.read("app/a.yaml"), config_map("vpc: vpc-0ab1"));
}

#[test]
fn a_dialect_without_setters_changes_nothing_and_says_so() {
    let folder = setup();
    let before = folder.snapshot();
    for dialect in ["flux", "applicationset"] {
        let run = folder.run(&[
            "render",
            "app",
            "-b",
            "infra.json",
            "--in-place",
            "--dialect",
            dialect,
        ]);
        let warning = format!("the dialect `{dialect}` has none: nothing changes");
        assert!(run.stderr.contains(&warning), "{}", run.stderr);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(folder.snapshot(), before);
    }
}
