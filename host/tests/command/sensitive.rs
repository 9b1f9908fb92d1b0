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
    let Some(folder) = TestFolder::with_infra() else {
        return;
    };
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
    let Some(folder) = TestFolder::with_infra() else {
        return;
    };
    let source = SECRET.replace("infra.password", "infra.passwort");
    let run = folder.run_with_stdin(&["render", "-", "-b", "infra.json"], source);
    run.assert_input_error(&["unknown-output", "<stdin>:7:"]);
    for secret in ["s3cret", "horse", "hunter2"] {
        assert!(!run.stderr.contains(secret), "{secret}:\n{}", run.stderr);
    }
}
