//! Sensitive values appear only where they are allowed, and never in diagnostics.

use crate::run::{TestFolder, config_map};

const SECRET: &str = "apiVersion: v1
kind: Secret
metadata:
  name: db
stringData:
  other: correct horse battery staple
  password: prefix-s3cret ${infra.password}
";

#[test]
fn a_sensitive_output_into_a_secret_only() {
    let folder = TestFolder::with_infra();
    let run = folder.run_with_stdin(&["render", "-", "-b", "infra.json"], SECRET);
    assert_eq!(
        run.expect_stdout(),
        SECRET.replace("${infra.password}", "hunter2")
    );
    let run = folder.run_with_stdin(
        &["render", "-", "-b", "infra.json"],
        config_map("password: ${infra.password}"),
    );
    run.assert_input_error(&["sensitive-output", "<stdin>:6:"]);
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
}

#[test]
fn nothing_around_a_mistake_in_a_secret_shows() {
    let folder = TestFolder::with_infra();
    let source = SECRET.replace("infra.password", "infra.passwort");
    let run = folder.run_with_stdin(&["render", "-", "-b", "infra.json"], source);
    run.assert_input_error(&["unknown-output", "<stdin>:7:"]);
    for secret in ["s3cret", "horse", "hunter2"] {
        assert!(!run.stderr.contains(secret), "{secret}:\n{}", run.stderr);
    }
}

const DECLARED: &str = "apiVersion: landfall.dev/v1alpha1
kind: Binding
spec:
  outputs:
    - {name: infra, from: {file: infra.json}, sensitive: [key]}
";

const UNMARKED: &str = r#"{"key": {"value": "hunter2"}}"#;

/// Also if a flag replaces the document.
#[test]
fn an_output_that_the_binding_declares_sensitive() {
    let folder = TestFolder::new();
    folder.write("app/landfall.yaml", DECLARED);
    folder.write("app/infra.json", UNMARKED);
    folder.write("other.json", UNMARKED);
    for flags in [&[][..], &["-b", "infra=other.json"]] {
        folder.write("app/web.yaml", config_map("key: ${infra.key}"));
        let run = folder.run(&[&["render", "app"], flags].concat());
        run.assert_input_error(&["sensitive-output", "app/web.yaml:6:"]);
        assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);

        folder.write(
            "app/web.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {key: \"${infra.key}\"}\n",
        );
        let shown = folder.run(&[&["explain", "app"], flags].concat());
        let shown = shown.expect_stdout();
        assert!(shown.contains("(sensitive)"), "{shown}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}

/// A setter comment on the right value changes nothing in the file.
#[test]
fn verbose_does_not_say_whether_a_guess_is_right() {
    let folder = TestFolder::with_infra();
    let guess = |value: &str| {
        SECRET.replace(
            "prefix-s3cret ${infra.password}",
            &format!("{value} # landfall: ${{infra.password}}"),
        )
    };
    for command in ["check", "render"] {
        let stderr = |manifest: String| {
            let arguments = [command, "-v", "-", "-b", "infra.json"];
            folder.run_with_stdin(&arguments, manifest).stderr
        };
        let right = stderr(guess("hunter2"));
        assert!(right.contains("1 manifest file"), "{right}");
        assert_eq!(stderr(guess("hunter3")), right);
    }
}
