use std::fs;
use std::path::{Path, PathBuf};

use super::OutputFolder;
use crate::splice::Spliced;

fn write(folder: &mut OutputFolder, path: &str, content: &str) -> bool {
    folder
        .write(path, Spliced::unedited(content.as_bytes()), false)
        .is_ok()
}

/// Writes all files into `out`, and returns the files that pruning keeps.
fn publish(out: &Path, files: &[(&str, &str)], prune: bool) -> Vec<PathBuf> {
    let mut output = OutputFolder::open(out).unwrap();
    for (path, content) in files {
        assert!(write(&mut output, path, content), "{path}");
    }
    let kept = output.publish(prune).unwrap();
    kept.into_iter().map(|kept| kept.path).collect()
}

/// Returns every path below `folder` except the record, sorted.
fn below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.symlink_metadata().unwrap().is_dir() {
                folders.push(path.clone());
            }
            let path = path.strip_prefix(folder).unwrap();
            found.push(path.to_str().unwrap().to_owned());
        }
    }
    found.retain(|path| path != ".landfall" && path != ".landfall/written");
    found.sort();
    found
}

#[test]
fn writes_all_files_on_publish() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new/out");
    let mut output = OutputFolder::open(&out).unwrap();
    assert!(write(&mut output, "a.yaml", "a: 1\n"));
    assert!(write(&mut output, "deep/er/b.yaml", "b: 1\n"));
    assert!(!out.join("a.yaml").exists() && !out.join("deep").exists());
    output.publish(false).unwrap();
    assert_eq!(fs::read_to_string(out.join("a.yaml")).unwrap(), "a: 1\n");
    assert_eq!(
        fs::read_to_string(out.join("deep/er/b.yaml")).unwrap(),
        "b: 1\n"
    );
    assert_eq!(below(&out), ["a.yaml", "deep", "deep/er", "deep/er/b.yaml"]);
}

#[test]
fn writes_no_file_if_one_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("b.yaml")).unwrap();
    fs::write(folder.path().join("a.yaml"), "before").unwrap();
    let mut output = OutputFolder::open(folder.path()).unwrap();
    assert!(write(&mut output, "a.yaml", "after"));
    assert!(write(&mut output, "deep/er/c.yaml", "c"));
    assert!(write(&mut output, "b.yaml", "a folder is in the way"));
    assert!(!write(&mut output, "a.yaml", "twice"));
    assert!(!write(&mut output, ".landfall/written", "landfall's own"));
    let (refused, _) = output.publish(true).unwrap_err();
    assert_eq!(refused, folder.path().join("b.yaml"));
    assert_eq!(
        fs::read_to_string(folder.path().join("a.yaml")).unwrap(),
        "before"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);

    let new = folder.path().join("new/out");
    drop(OutputFolder::open(&new).unwrap());
    assert!(!folder.path().join("new").exists());
}

#[test]
fn prunes_files_of_earlier_runs_unless_modified() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    fs::write(out.join("theirs.yaml"), "theirs").unwrap();
    publish(
        out,
        &[("a", "1"), ("b", "1"), ("deep/er/c", "1"), ("deep/d", "1")],
        false,
    );
    // A run without pruning keeps the record of earlier runs.
    publish(out, &[("a", "2"), ("e", "2")], false);
    fs::write(out.join("b"), "by hand").unwrap();
    fs::remove_file(out.join("deep/d")).unwrap();
    let kept = publish(out, &[("a", "3")], true);
    assert_eq!(kept, [out.join("b")]);
    assert_eq!(below(out), ["a", "b", "theirs.yaml"]);
    // The file is reported until it is restored or deleted.
    fs::write(out.join("b"), "1").unwrap();
    assert!(publish(out, &[("a", "3")], true).is_empty());
    assert_eq!(below(out), ["a", "theirs.yaml"]);
}

#[test]
fn refuses_to_prune_with_an_invalid_record() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    publish(out, &[("a", "1"), ("b", "1")], false);
    fs::write(out.join(".landfall/written"), "<<<<<<< HEAD\n").unwrap();
    let mut output = OutputFolder::open(out).unwrap();
    assert!(write(&mut output, "a", "2"));
    let (refused, _) = output.publish(true).unwrap_err();
    assert_eq!(refused, out.join(".landfall/written"));
    assert_eq!(fs::read_to_string(out.join("a")).unwrap(), "1");
    assert!(publish(out, &[("a", "2")], false).is_empty());
}

#[test]
fn removes_leftovers_of_a_killed_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    fs::create_dir_all(out.join(".landfall")).unwrap();
    fs::write(out.join(".landfall/lock"), "").unwrap();
    fs::write(out.join(".landfall/staged-0"), "left").unwrap();
    fs::write(out.join(".landfall/notes"), "theirs").unwrap();
    publish(&out, &[("a", "1")], false);
    assert_eq!(below(&out), [".landfall/notes", "a"]);
}

#[test]
fn waits_for_a_run_that_writes_to_the_same_folder() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut first = OutputFolder::open(&out).unwrap();
    assert!(write(&mut first, "a", "1"));
    assert!(write(&mut first, "b", "1"));
    std::thread::scope(|scope| {
        let second = scope.spawn(|| publish(&out, &[("a", "2"), ("c", "2")], true));
        let staged = out.join(".landfall/staged-1");
        assert!(staged.exists() && !second.is_finished());
        first.publish(true).unwrap();
        assert!(second.join().unwrap().is_empty());
    });
    assert_eq!(below(&out), ["a", "c"]);
    assert_eq!(fs::read_to_string(out.join("a")).unwrap(), "2");
}

#[cfg(unix)]
#[test]
fn does_not_write_through_links() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let (out, outside) = (folder.path().join("out"), folder.path().join("outside"));
    fs::create_dir_all(out.join("inside")).unwrap();
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a"), "theirs").unwrap();
    symlink(&outside, out.join("away")).unwrap();
    symlink("inside", out.join("here")).unwrap();
    symlink(outside.join("a"), out.join("a")).unwrap();
    let mut output = OutputFolder::open(&out).unwrap();
    assert!(!write(&mut output, "away/a", "1"));
    assert!(!write(&mut output, "here/a", "1"));
    // The link itself is replaced.
    assert!(write(&mut output, "a", "1"));
    output.publish(false).unwrap();
    assert_eq!(fs::read_to_string(outside.join("a")).unwrap(), "theirs");
    assert!(!out.join("a").is_symlink());
    assert_eq!(below(&out), ["a", "away", "here", "inside"]);

    // A link is not used as the staging folder either.
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    symlink(&outside, other.join(".landfall")).unwrap();
    assert!(OutputFolder::open(&other).is_err());
    assert_eq!(below(&outside), ["a"]);
}

#[cfg(unix)]
#[test]
fn new_files_have_default_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("usual"), "").unwrap();
    publish(folder.path(), &[("a.yaml", "")], false);
    let mode = |name| {
        fs::metadata(folder.path().join(name))
            .unwrap()
            .permissions()
            .mode()
    };
    assert_eq!(mode("a.yaml"), mode("usual"));
}
