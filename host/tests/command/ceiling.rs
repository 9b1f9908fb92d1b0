//! `landfall cmp`: what a hostile author requests, and what the operator allows.

use std::process::Stdio;

use crate::run::{INFRA, Run, TestFolder, config_map, finish};

const HEADER: &str = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs: [{name: infra, from: {file: infra.json}}]\n";

/// Runs `landfall cmp generate` on one manifest.
fn generate(policy: &str, manifest: &str, operator: Option<&str>, flags: &[&str]) -> Run {
    let folder = TestFolder::new();
    folder.write("web/landfall.yaml", format!("{HEADER}  policy: {policy}\n"));
    folder.write("web/infra.json", INFRA);
    folder.write("web/a.yaml", manifest);
    let mut arguments = vec!["cmp", "generate", "--allow-secret-files"];
    if let Some(spec) = operator {
        let header = "apiVersion: landfall.dev/v1alpha1\nkind: OperatorPolicy\n";
        folder.write("policy.yaml", format!("{header}spec: {spec}\n"));
        arguments.extend(["--operator-policy", "../policy.yaml"]);
    }
    arguments.extend(flags);
    let mut command = folder.command(&arguments);
    command
        .current_dir(folder.at("web"))
        .env("ARGOCD_APP_SOURCE_PATH", "web")
        .stdin(Stdio::null());
    finish(&mut command, b"")
}

/// Checks that [`generate`] fails with the `expected` text and does not show the
/// sensitive value.
#[track_caller]
fn assert_rejects(
    policy: &str,
    manifest: &str,
    operator: Option<&str>,
    flags: &[&str],
    expected: &[&str],
) {
    let run = generate(policy, manifest, operator, flags);
    run.assert_input_error(expected);
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
}

fn secret() -> String {
    "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: \"${infra.password}\"}\n".to_owned()
}

#[test]
fn allow_sensitive_allows_secrets_and_nothing_else() {
    let flag = ["--allow-sensitive"];
    let run = generate("{}", &secret(), None, &flag);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let leak = config_map("password: ${infra.password}");
    let kinds = "{sensitive: {kinds: [Secret, ConfigMap]}}";
    let message = "the operator's policy does not allow sensitive values in a ConfigMap";
    assert_rejects(kinds, &leak, None, &flag, &[message]);
    assert_rejects("{}", &leak, None, &flag, &["error[sensitive-output]"]);
    let both = generate("{}", &secret(), Some("{}"), &flag);
    both.assert_fails(2, &["--allow-sensitive"]);
}

#[test]
fn setting_one_key_does_not_loosen_the_others() {
    let leak = config_map("password: ${infra.password}");
    let kinds = "{sensitive: {kinds: [ConfigMap]}}";
    for operator in [
        "{nonsensitive: refuse}",
        "{nonsensitive: allow}",
        "{missing: keep, empty: allow, unpublished: keep, unbound: warn, unused: ignore, overridden: ignore, noResources: allow, nonsensitive: allow, sensitiveContract: allow}",
        "{sensitive: {inside: [ConfigMap]}}",
        "{sensitive: {}}",
        "{}",
    ] {
        assert_rejects(kinds, &leak, Some(operator), &[], &["sensitive-output"]);
        let flag = ["--sensitive-kinds", "ConfigMap"];
        assert_rejects("{}", &leak, Some(operator), &flag, &["sensitive-output"]);
        assert_rejects("{}", &secret(), Some(operator), &[], &["sensitive-output"]);
    }
    assert_rejects(kinds, &leak, None, &[], &["sensitive-output"]);
}

#[test]
fn nonsensitive_is_refused_unless_the_operator_allows_it() {
    let leak = config_map("password: ${infra.password | nonsensitive}");
    let expected = [
        "error[refused-by-operator]: landfall as a plugin does not allow `nonsensitive` on the sensitive output `infra.password`",
        "an operator can allow it with `nonsensitive: allow` in the operator's policy",
    ];
    assert_rejects("{}", &leak, None, &[], &expected);
    assert_rejects(
        "{}",
        &leak,
        Some("{sensitive: {kinds: [Secret]}}"),
        &[],
        &expected,
    );
    let run = generate("{}", &leak, Some("{nonsensitive: allow}"), &[]);
    assert_eq!(run.expect_stdout(), config_map("password: hunter2"));
}

#[test]
fn an_author_cannot_loosen_the_built_in_ceiling() {
    let manifest = config_map("vpc: ${infra.vpc_id}");
    for (key, flag, asked, allowed) in [
        ("missing", "--missing", "keep", "error"),
        ("unpublished", "--unpublished", "keep", "error"),
        ("noResources", "--no-resources", "allow", "error"),
        ("nonsensitive", "--nonsensitive", "allow", "refuse"),
        (
            "sensitiveContract",
            "--sensitive-contract",
            "allow",
            "refuse",
        ),
    ] {
        let message = format!(
            "error[refused-by-operator]: landfall as a plugin does not allow `{key}: {asked}`"
        );
        let help = format!(
            "write `{key}: {allowed}`, or remove it; an operator can allow it with `{key}: {asked}` in the operator's policy"
        );
        let expected = [message.as_str(), &help];
        let policy = format!("{{{key}: {asked}}}");
        for operator in [None, Some("{}"), Some("{sensitive: {kinds: [Secret]}}")] {
            assert_rejects(&policy, &manifest, operator, &[], &expected);
            assert_rejects("{}", &manifest, operator, &[flag, asked], &expected);
        }
        // The author may set what the operator's policy allows.
        let run = generate(&policy, &manifest, Some(&policy), &[]);
        assert_eq!(run.expect_stdout(), config_map("vpc: vpc-0ab1"), "{policy}");
    }
}

#[test]
fn an_author_may_be_stricter_than_the_operator() {
    let leak = config_map("password: ${infra.password | nonsensitive}");
    let expected = [
        "error[refused-by-policy]: the policy `nonsensitive: refuse` does not allow `nonsensitive` on the sensitive output `infra.password`",
        "web/landfall.yaml:5:26",
    ];
    let allow = Some("{nonsensitive: allow}");
    assert_rejects("{nonsensitive: refuse}", &leak, allow, &[], &expected);
}

#[test]
fn allowed_kinds_are_the_intersection_of_both_policies() {
    let operator = Some("{sensitive: {kinds: [Secret, Vault]}}");
    let run = generate("{}", &secret(), operator, &[]);
    assert_eq!(
        run.expect_stdout(),
        secret().replace("${infra.password}", "hunter2")
    );
    let vault = "{sensitive: {kinds: [Vault]}}";
    assert_rejects(vault, &secret(), operator, &[], &["sensitive-output"]);
    let leak = config_map("password: ${infra.password}");
    let expected = ["the operator's policy does not allow sensitive values in a ConfigMap"];
    assert_rejects(
        "{sensitive: {kinds: [Secret, ConfigMap]}}",
        &leak,
        operator,
        &[],
        &expected,
    );
}
