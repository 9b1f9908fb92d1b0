//! `landfall stamp`: the digest of outputs documents, and documents that have none.

use std::process::Stdio;

use crate::run::{TestFolder, finish};

const KEY: [&str; 2] = ["--digest-key", "stamp.key"];
const PUBLIC: [&str; 1] = ["--mounted-outputs-public"];

fn folder() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("stamp.key", "0123456789abcdef\n");
    folder
}

#[test]
fn reports_documents_that_cannot_be_read_with_their_location_and_a_fix() {
    let folder = folder();
    std::fs::create_dir(folder.at("folder.json")).unwrap();
    folder.write("text.json", "hunter2\n");
    folder.write(
        "broken.json",
        "{\n  \"password\": {\"sensitive\": true,, \"value\": \"hunter2\"}\n}\n",
    );
    folder.write("empty.json", "");
    folder.write("manifest.json", "apiVersion: apps/v1\nkind: Deployment\n");
    for (file, parts) in [
        (
            "text.json",
            &["error[outputs-not-recognized]", "--> text.json:1:1"][..],
        ),
        (
            "broken.json",
            &["error[invalid-outputs]", "--> broken.json:2:"],
        ),
        (
            "empty.json",
            &["error[outputs-empty]", "--> empty.json:1:1"],
        ),
        (
            "manifest.json",
            &["error[outputs-not-recognized]", "--> manifest.json:1:1"],
        ),
        (
            "missing.json",
            &[
                "error[outputs-not-published]",
                "`missing.json` does not exist",
            ],
        ),
        (
            "folder.json",
            &[
                "error[unreadable-file]",
                "`folder.json`, the outputs document of `infra`, is a folder",
            ],
        ),
    ] {
        for flags in [&[][..], &KEY, &PUBLIC] {
            let run = folder.run(&[&["stamp", "-b", &format!("infra={file}")], flags].concat());
            run.assert_fails(1, parts);
            run.assert_fails(1, &["help: ", "no digest was printed"]);
            assert!(!run.stderr.contains("outputs-digest"), "{}", run.stderr);
            assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
        }
    }
}

/// A Binding names the formats that are not detected, and this command reads none.
#[test]
fn outputs_without_marks_may_be_sensitive_unless_the_operator_says_otherwise() {
    let folder = folder();
    for content in [
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {vpc_id: vpc-0ab1}\n",
        "{\"vpc_id\": \"vpc-0ab1\"}",
        "vpc_id: vpc-0ab1\n",
        "VPC_ID=vpc-0ab1\n",
    ] {
        folder.write("infra.doc", content);
        let stamp =
            |flags: &[&str]| folder.run(&[&["stamp", "-b", "infra=infra.doc"], flags].concat());
        stamp(&[]).assert_fails(
            1,
            &[
                "error[outputs-digest]: the outputs in `infra.doc` may be sensitive",
                "`--digest-key FILE`",
                "`--mounted-outputs-public`",
            ],
        );
        assert!(
            stamp(&KEY).expect_stdout().starts_with("hmac-sha256:"),
            "{content}"
        );
        assert!(
            stamp(&PUBLIC).expect_stdout().starts_with("sha256:"),
            "{content}"
        );
    }
}

#[test]
fn marked_outputs_need_a_key_even_if_the_others_are_public() {
    let folder = folder();
    folder.write("infra.json", crate::run::INFRA);
    for flags in [&[][..], &PUBLIC] {
        folder
            .run(&[&["stamp", "-b", "infra.json"], flags].concat())
            .assert_fails(
                1,
                &["error[outputs-digest]: some of these outputs are sensitive"],
            );
    }
    let both = [&PUBLIC[..], &KEY].concat();
    let run = folder.run(&[&["stamp", "-b", "infra.json"], &both[..]].concat());
    assert!(run.expect_stdout().starts_with("hmac-sha256:"));
}

#[test]
fn line_breaks_at_the_end_of_the_key_are_not_part_of_it() {
    let folder = folder();
    folder.write("infra.json", crate::run::INFRA);
    let digest = |key: &str| {
        folder.write("stamp.key", key);
        folder
            .run(&[&["stamp", "-b", "infra.json"][..], &KEY].concat())
            .expect_stdout()
    };
    let expected = digest("0123456789abcdef");
    for same in ["0123456789abcdef\n", "0123456789abcdef\r\n"] {
        assert_eq!(digest(same), expected);
    }
    for other in ["0123456789abcdef ", "0123456789abcdef\t\n"] {
        assert_ne!(digest(other), expected, "{other:?}");
    }
}

#[test]
fn outputs_that_a_binding_declares_sensitive_need_a_key() {
    let folder = folder();
    folder.write(
        "app/o.json",
        r#"{"pw": {"sensitive": false, "type": "string", "value": "x"}}"#,
    );
    folder.write("app/stamp.key", folder.read("stamp.key"));
    folder.write(
        "app/landfall.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs: [{name: infra, from: {file: o.json}, sensitive: [pw]}]\n",
    );
    let stamp = |current: &str, arguments: &str| {
        let mut command = folder.command(&["stamp", "-b"]);
        command
            .args(arguments.split(' '))
            .current_dir(folder.at(current));
        finish(command.stdin(Stdio::null()), b"")
    };
    let sensitive = "error[outputs-digest]: some of these outputs are sensitive";
    let not_applied = "error[binding-not-applied]: the Binding `app/landfall.yaml`";
    let renamed = "error[binding-not-applied]: the Binding `landfall.yaml` declares outputs of `o.json` sensitive under the name `infra`";
    for (current, arguments, error) in [
        ("app", "infra=o.json", sensitive),
        ("app", "infra=o.json --mounted-outputs-public", sensitive),
        (".", "infra=app/o.json -c app/landfall.yaml", sensitive),
        (".", "infra=app/o.json", not_applied),
        ("app", "net=o.json", renamed),
    ] {
        stamp(current, arguments).assert_fails(1, &[error, "no digest was printed"]);
    }
    for (current, arguments, prefix) in [
        ("app", "infra=o.json --digest-key stamp.key", "hmac-sha256:"),
        (
            ".",
            "infra=app/o.json --digest-key stamp.key",
            "hmac-sha256:",
        ),
        (".", "infra=app/o.json --no-binding", "sha256:"),
    ] {
        let digest = stamp(current, arguments).expect_stdout();
        assert!(digest.starts_with(prefix), "{digest}");
    }
}
