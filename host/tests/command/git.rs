//! Outputs documents with secrets that are in Git.

use crate::run::{INFRA, TestFolder, config_map};

/// Returns an index of Git with one file.
fn index(path: &str) -> Vec<u8> {
    let mut index = b"DIRC\0\0\0\x02\0\0\0\x01".to_vec();
    index.extend([0; 60]);
    index.extend(u16::try_from(path.len()).unwrap().to_be_bytes());
    index.extend(path.bytes());
    let length = index.len() - 12;
    index.resize(12 + (length / 8 + 1) * 8, 0);
    index.extend([0; 20]);
    index
}

fn setup(tracked: &str) -> TestFolder {
    let folder = TestFolder::new();
    folder.write(".git/index", index(tracked));
    folder.write("outputs/infra.json", INFRA);
    folder.write("app/landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: ../outputs/infra.json}}], policy: {unused: ignore}}\n");
    folder.write("app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder
}

const CHECKS: [&[&str]; 4] = [
    &["check", "app"],
    &[
        "check",
        "app/a.yaml",
        "--no-binding",
        "-b",
        "outputs/infra.json",
        "--unused",
        "ignore",
    ],
    &["outputs", "check", "-b", "outputs/infra.json"],
    &["outputs", "check", "-c", "app/landfall.yaml"],
];

#[test]
fn a_tracked_document_with_secrets_is_a_warning() {
    let folder = setup("outputs/infra.json");
    for arguments in CHECKS {
        let run = folder.run(arguments);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        for part in [
            "warning[secret-in-git]: `outputs/infra.json` has sensitive values in plain text, and is tracked by Git",
            "landfall export public ",
            "-b infra=outputs/infra.json` writes",
        ] {
            assert!(run.stderr.contains(part), "{arguments:?}: {}", run.stderr);
        }
        assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
        let strict = folder.run(&[arguments, &["--strict"]].concat());
        assert_eq!(strict.code, Some(1), "{}", strict.stderr);
    }
    // A render says nothing about it.
    let run = folder.run(&["render", "app"]);
    assert_eq!(run.expect_stdout(), config_map("vpc: vpc-0ab1"));
    // What is advised helps.
    let public = folder.run(&["export", "public", "-b", "infra=outputs/infra.json"]);
    folder.write("outputs/infra.json", public.stdout);
    for arguments in CHECKS {
        let run = folder.run(&[arguments, &["--strict"]].concat());
        assert_eq!(
            (run.code, run.stderr.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}

#[test]
fn what_is_not_ignored_is_a_note() {
    let folder = setup("README.md");
    for arguments in CHECKS {
        let run = folder.run(&[arguments, &["--strict"]].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let note = "note[secret-in-git]: `outputs/infra.json` has sensitive values in plain text, and is not ignored by Git";
        assert!(run.stderr.contains(note), "{arguments:?}: {}", run.stderr);
    }
    folder.write(".gitignore", "/outputs/\n");
    for arguments in CHECKS {
        let run = folder.run(arguments);
        assert_eq!(
            (run.code, run.stderr.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}

#[test]
fn the_doctor_reports_an_error() {
    for (tracked, is_reported) in [("outputs/infra.json", true), ("README.md", false)] {
        let folder = setup(tracked);
        let doctor = folder.run(&["argocd", "doctor", "app"]);
        let text = String::from_utf8(doctor.stdout).unwrap();
        let mut lines = text.lines();
        let line = lines.find(|line| line.contains("[secret-in-git]"));
        let is_error = line.is_some_and(|line| line.starts_with("error"));
        assert_eq!(
            (line.is_some(), is_error),
            (is_reported, is_reported),
            "{text}"
        );
        assert!(!text.contains("hunter2"), "{text}");
    }
}
