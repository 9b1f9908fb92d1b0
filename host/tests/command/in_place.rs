//! `--in-place`: what changed is written over itself, all files or none. Here
//! with `--replace-references`; what it renders alone, [`crate::setters`] tells.

use std::fs;
use std::time::SystemTime;

use crate::run::{Place, Run, config_map};

const REPLACE: [&str; 4] = ["-b", "infra.json", "--in-place", "--replace-references"];

fn place() -> Option<Place> {
    let place = Place::with_infra()?;
    place.write("app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    place.write("app/deep/b.yaml", config_map("unchanged: yes"));
    place.write("app/deep/c.yaml", config_map("subnet: ${infra.subnets[1]}"));
    Some(place)
}

fn render(place: &Place, paths: &[&str]) -> Run {
    place.run(&[&["render"], paths, &REPLACE].concat())
}

/// Refused with all of `parts`, and nothing is touched anywhere.
#[track_caller]
fn untouched(place: &Place, paths: &[&str], parts: &[&str]) {
    let before = place.snapshot();
    render(place, paths).input_error(parts);
    assert_eq!(place.snapshot(), before);
}

fn modified(place: &Place, path: &str) -> SystemTime {
    fs::metadata(place.at(path)).unwrap().modified().unwrap()
}

#[test]
fn a_folder() {
    let Some(place) = place() else { return };
    let files = place.snapshot().len();
    assert_eq!(render(&place, &["app"]).text(), "");
    assert_eq!(place.read("app/a.yaml"), config_map("vpc: vpc-0ab1"));
    assert_eq!(place.read("app/deep/b.yaml"), config_map("unchanged: yes"));
    assert_eq!(
        place.read("app/deep/c.yaml"),
        config_map("subnet: subnet-2")
    );
    assert_eq!(place.snapshot().len(), files);
}

#[test]
fn files_that_are_named() {
    let Some(place) = place() else { return };
    assert_eq!(render(&place, &["app/a.yaml", "app/deep"]).text(), "");
    assert_eq!(place.read("app/a.yaml"), config_map("vpc: vpc-0ab1"));
    assert_eq!(
        place.read("app/deep/c.yaml"),
        config_map("subnet: subnet-2")
    );
}

#[test]
fn what_did_not_change_is_not_touched() {
    let Some(place) = place() else { return };
    let long_ago = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    for path in ["app/a.yaml", "app/deep/b.yaml"] {
        let file = fs::File::options()
            .write(true)
            .open(place.at(path))
            .unwrap();
        file.set_modified(long_ago).unwrap();
    }
    render(&place, &["app"]).text();
    assert_eq!(modified(&place, "app/deep/b.yaml"), long_ago);
    let written = modified(&place, "app/a.yaml");
    assert_ne!(written, long_ago);
    // There is no reference left: again, nothing changes.
    render(&place, &["app"]).text();
    assert_eq!(modified(&place, "app/a.yaml"), written);
}

#[test]
fn it_tells_what_it_did() {
    let Some(place) = place() else { return };
    let run = render(&place, &["-v", "app"]);
    assert_eq!((run.code, run.stdout.len()), (Some(0), 0));
    for part in ["3 manifest files", "2 edits", "2 files changed"] {
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
    let again = render(&place, &["-v", "app"]);
    assert!(again.stderr.contains("0 files changed"), "{}", again.stderr);
}

#[test]
fn an_error_in_one_file_leaves_all_of_them() {
    let Some(place) = place() else { return };
    place.write("app/deep/b.yaml", config_map("wrong: ${infra.nothing}"));
    untouched(
        &place,
        &["app"],
        &[
            "unknown-output",
            "app/deep/b.yaml:6:",
            "nothing was rendered",
        ],
    );
    untouched(
        &place,
        &["app/a.yaml", "app/deep"],
        &["unknown-output", "app/deep/b.yaml:6:"],
    );
    untouched(&place, &["app/a.yaml", "missing.yaml"], &["missing.yaml"]);
}

#[test]
fn a_folder_without_manifests() {
    let Some(place) = place() else { return };
    place.write("empty/README.md", "${infra.vpc_id}\n");
    untouched(&place, &["empty"], &["no-manifests"]);
    untouched(&place, &["app", "empty"], &["no-manifests"]);
}

#[test]
fn wrong_command_lines() {
    let Some(place) = place() else { return };
    let before = place.snapshot();
    for (arguments, part) in [
        (
            &["app", "--in-place", "--output-dir", "out"][..],
            "--output-dir",
        ),
        (&["-", "--in-place"], "standard input"),
        (&["app", "--replace-references"], "--in-place"),
    ] {
        let arguments = [&["render", "-b", "infra.json"], arguments].concat();
        place.run(&arguments).refused(2, &[part]);
    }
    assert_eq!(place.snapshot(), before);
}

#[cfg(unix)]
#[test]
fn a_read_only_file() {
    use std::os::unix::fs::PermissionsExt;
    let Some(place) = place() else { return };
    let read_only = |path| {
        fs::set_permissions(place.at(path), fs::Permissions::from_mode(0o444)).unwrap();
    };
    // One that does not change is no hindrance.
    read_only("app/deep/b.yaml");
    read_only("app/deep/c.yaml");
    untouched(
        &place,
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
fn permissions_stay() {
    use std::os::unix::fs::PermissionsExt;
    let Some(place) = place() else { return };
    let mode = |path| fs::metadata(place.at(path)).unwrap().permissions().mode() & 0o7777;
    for (path, bits) in [("app/a.yaml", 0o600), ("app/deep/c.yaml", 0o775)] {
        fs::set_permissions(place.at(path), fs::Permissions::from_mode(bits)).unwrap();
        render(&place, &[path]).text();
        assert_eq!(mode(path), bits);
    }
}

#[cfg(unix)]
#[test]
fn links_stay_links() {
    use std::os::unix::fs::symlink;
    let Some(place) = place() else { return };
    place.write(".git", "gitdir: elsewhere\n");
    place.write("shared/s.yaml", config_map("vpc: ${infra.vpc_id}"));
    place.write("other/o.yaml", config_map("vpc: ${infra.vpc_id}"));
    symlink("../shared", place.at("app/shared")).unwrap();
    // Two ways to one file, and one that the user names.
    symlink("../shared/s.yaml", place.at("app/same.yaml")).unwrap();
    symlink("other/o.yaml", place.at("link.yaml")).unwrap();
    assert_eq!(render(&place, &["app", "link.yaml"]).text(), "");
    for path in ["shared/s.yaml", "other/o.yaml", "app/same.yaml"] {
        assert_eq!(place.read(path), config_map("vpc: vpc-0ab1"), "{path}");
    }
    for link in ["app/shared", "app/same.yaml", "link.yaml"] {
        assert!(place.at(link).is_symlink(), "{link}");
    }
    assert_eq!(fs::read_dir(place.at("shared")).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_of_the_root() {
    use std::os::unix::fs::symlink;
    let Some(place) = place() else { return };
    place.write("outside.yaml", config_map("vpc: ${infra.vpc_id}"));
    symlink("../outside.yaml", place.at("app/link.yaml")).unwrap();
    let before = place.snapshot();
    let arguments = [&["render", "app", "--root", "app"], &REPLACE[..]].concat();
    place
        .run(&arguments)
        .input_error(&["outside-root", "`app/link.yaml`"]);
    assert_eq!(place.snapshot(), before);
}

#[cfg(unix)]
#[test]
fn one_file_with_two_results() {
    use std::os::unix::fs::symlink;
    let Some(place) = place() else { return };
    let binding = |file: &str| {
        format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs: [{{name: infra, from: {{file: {file}}}}}]\n"
        )
    };
    place.write(".git", "gitdir: elsewhere\n");
    place.write("app/landfall.yaml", binding("../infra.json"));
    place.write("second/landfall.yaml", binding("../other.json"));
    symlink("../app/deep/c.yaml", place.at("second/c.yaml")).unwrap();
    place.write(
        "other.json",
        r#"{"subnets": {"value": ["x", "y"], "sensitive": false, "type": ["list", "string"]}}"#,
    );
    let before = place.snapshot();
    let run = place.run(&[
        "render",
        "app",
        "second",
        "--in-place",
        "--replace-references",
    ]);
    run.input_error(&["`second/c.yaml` cannot be written: it is rendered twice"]);
    assert_eq!(place.snapshot(), before);
    // The same twice is once.
    assert_eq!(render(&place, &["app/a.yaml", "./app/a.yaml"]).text(), "");
    assert_eq!(place.read("app/a.yaml"), config_map("vpc: vpc-0ab1"));
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_file() {
    let Some(place) = place() else { return };
    let before = place.snapshot();
    let script = "exec \"$0\" render /dev/fd/3 app/a.yaml -b infra.json --in-place 3<&0";
    let mut command = std::process::Command::new("/bin/sh");
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_landfall")])
        .current_dir(place.path())
        .stdin(std::process::Stdio::piped());
    crate::run::finish(&mut command, b"a: ${infra.vpc_id}\n").input_error(&[
        "unreadable-file",
        "`/dev/fd/3`",
        "not a regular file",
    ]);
    assert_eq!(place.snapshot(), before);
}

/// The system refuses to make a file larger than the limit, as a full disk does. Its
/// signal, which nobody else handles, ends no run in the middle of the work.
#[cfg(target_os = "linux")]
#[test]
fn a_write_that_fails_leaves_all_as_it_was() {
    let Some(place) = place() else { return };
    let long = format!(
        "{}# {}\n",
        config_map("vpc: ${infra.vpc_id}"),
        "x".repeat(200_000)
    );
    place.write("app/b-long.yaml", long);
    let before = place.snapshot();
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
            .current_dir(place.path())
            .stdin(std::process::Stdio::null());
        crate::run::finish(&mut command, b"").input_error(&[
            "unwritable-file",
            "`app/b-long.yaml`",
            "too large",
            "nothing was written",
        ]);
        assert_eq!(place.snapshot(), before);
    }
    render(&place, &["app"]).text();
    assert_eq!(place.read("app/a.yaml"), config_map("vpc: vpc-0ab1"));
}
