//! `landfall helm values`, which the getter in `deploy/helm` calls for Helm.

use std::process::Stdio;

use crate::run::{INFRA, Run, TestFolder, finish};

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1
kind: Binding
spec:
  outputs:
  - {name: infra, from: {file: ../outputs/infra.json}}
";

/// A repository with the chart `chart` and its Binding.
struct Repository(TestFolder);

impl Repository {
    fn new() -> Self {
        let folder = TestFolder::new();
        folder.write("repository/.git/HEAD", "");
        folder.write("repository/outputs/infra.json", INFRA);
        folder.write("repository/chart/landfall.yaml", BINDING);
        folder.write("outside.yaml", "a: b\n");
        Self(folder)
    }

    /// A repository with these values for production.
    fn with(values: &str) -> Self {
        let repository = Self::new();
        repository.write("chart/values-prod.yaml", values);
        repository
    }

    fn write(&self, path: &str, text: &str) {
        self.0.write(&format!("repository/{path}"), text);
    }

    fn values_in(&self, folder: &str, url: &str) -> Run {
        let mut command = self.0.command(&["helm", "values", url]);
        command.current_dir(self.0.at(folder)).stdin(Stdio::null());
        finish(&mut command, b"")
    }

    fn values(&self, url: &str) -> Run {
        self.values_in("repository/chart", url)
    }

    #[track_caller]
    fn assert_refused(&self, url: &str, parts: &[&str]) {
        self.values(url).assert_input_error(parts);
    }
}

#[test]
fn values_keep_their_types_and_everything_else() {
    let repository = Repository::with(
        "# For production.\nsubnets: ${infra.subnets}\nreplicas:   ${infra.replicas} # a number\nname: 'in ${infra.vpc_id}'\n",
    );
    let expected = "# For production.\nsubnets:\n  - subnet-1\n  - subnet-2\nreplicas:   3 # a number\nname: 'in vpc-0ab1'\n";
    let url = "landfall://values-prod.yaml";
    assert_eq!(repository.values(url).expect_stdout(), expected);
    for (folder, url) in [
        ("repository", "landfall://chart/values-prod.yaml"),
        ("repository/outputs", "LANDFALL://../chart/values-prod.yaml"),
    ] {
        let run = repository.values_in(folder, url);
        assert_eq!(run.expect_stdout(), expected);
    }
}

#[test]
fn without_a_work_tree_the_root_is_the_current_folder() {
    let folder = TestFolder::with_infra();
    folder.write("landfall.yaml", BINDING.replace("../outputs/", ""));
    folder.write("chart/values.yaml", "vpc: ${infra.vpc_id}\n");
    let url = "landfall://chart/values.yaml";
    let run = folder.run(&["helm", "values", url]);
    assert_eq!(run.expect_stdout(), "vpc: vpc-0ab1\n");
}

#[test]
fn a_url_is_a_relative_path() {
    let repository = Repository::with("a: ${infra.vpc_id}\n");
    for (url, why) in [
        ("values-prod.yaml", "does not name a values file"),
        ("landfall://", "does not name a values file"),
        ("landfall:values-prod.yaml", "does not name a values file"),
        (
            "landfall://values-prod.yaml?cluster=prod",
            "has a query or a fragment",
        ),
        (
            "landfall://values-prod.yaml#prod",
            "has a query or a fragment",
        ),
        ("landfall:///etc/hostname", "has an absolute path"),
    ] {
        let message = format!("error[invalid-values]: `{url}` {why}\n");
        repository.assert_refused(url, &[&message, "`landfall://values-prod.yaml`"]);
    }
}

#[test]
fn nothing_outside_of_the_root_is_read() {
    let repository = Repository::with("a: ${infra.vpc_id}\n");
    for url in [
        "landfall://../../outside.yaml",
        "landfall://../../missing.yaml",
        "landfall://../../../../../../../../../etc/hostname",
    ] {
        repository.assert_refused(url, &["error[outside-root]: the values file `../.."]);
    }
    #[cfg(unix)]
    {
        let link = repository.0.at("repository/chart/link.yaml");
        std::os::unix::fs::symlink("../../outside.yaml", link).unwrap();
        repository.assert_refused("landfall://link.yaml", &["error[outside-root]"]);
    }
    repository.write(
        "chart/landfall.yaml",
        &BINDING.replace("../outputs/infra.json", "../../outside.yaml"),
    );
    repository.assert_refused(
        "landfall://values-prod.yaml",
        &["error[outside-root]", "landfall.yaml:5"],
    );
}

#[test]
fn a_file_that_is_missing_is_an_error() {
    let repository = Repository::new();
    repository.assert_refused(
        "landfall://values-prod.yaml",
        &[
            "error[missing-file]: the values file `values-prod.yaml` does not exist",
            "the folder in which Helm runs",
        ],
    );
    repository.assert_refused("landfall://../chart", &["is a folder, not a file"]);
}

#[test]
fn a_file_without_a_binding_is_an_error() {
    let repository = Repository::new();
    repository.write("other/values.yaml", "a: b\n");
    let run = repository.values_in("repository/other", "landfall://values.yaml");
    run.assert_input_error(&[
        "error[invalid-values]: no Binding applies to the values file `values.yaml`",
        "a chart from another repository has none",
    ]);
}

#[test]
fn a_sensitive_output_is_not_a_value() {
    let repository = Repository::with("a: ${infra.password}\n");
    let url = "landfall://values-prod.yaml";
    repository.assert_refused(
        url,
        &[
            "error[sensitive-output]",
            "--> values-prod.yaml:1:4",
            "help: write the reference in a template of the chart, in a Secret",
        ],
    );
    let allowed = format!("{BINDING}  policy: {{sensitive: {{kinds: ['*']}}}}\n");
    repository.write("chart/landfall.yaml", &allowed);
    repository.assert_refused(url, &["error["]);
}

/// A policy in the environment is of whoever runs Helm.
#[test]
fn an_operator_can_allow_a_sensitive_output_that_the_author_releases() {
    let repository = Repository::with("a: ${infra.password | nonsensitive}\n");
    let policy =
        "apiVersion: landfall.dev/v1alpha1\nkind: OperatorPolicy\nspec: {nonsensitive: allow}\n";
    repository.0.write("policy.yaml", policy);
    let url = "landfall://values-prod.yaml";
    repository.assert_refused(url, &["landfall as a plugin does not allow `nonsensitive`"]);
    let run = |values: &str, policy: &str| {
        repository.write("chart/values-prod.yaml", values);
        let mut command = repository.0.command(&["helm", "values", url]);
        command
            .current_dir(repository.0.at("repository/chart"))
            .env("LANDFALL_OPERATOR_POLICY", repository.0.at(policy))
            .stdin(Stdio::null());
        finish(&mut command, b"")
    };
    let text = run("a: ${infra.password | nonsensitive}\n", "policy.yaml").expect_stdout();
    assert_eq!(text, "a: hunter2\n");
    run("a: ${infra.password}\n", "policy.yaml").assert_input_error(&["error[sensitive-output]"]);
    repository.write("chart/policy.yaml", policy);
    run(
        "a: ${infra.password | nonsensitive}\n",
        "repository/chart/policy.yaml",
    )
    .assert_input_error(&["which authors of the repository could write"]);
    let mut relative = repository.0.command(&["helm", "values", url]);
    relative
        .current_dir(repository.0.at("repository/chart"))
        .env("LANDFALL_OPERATOR_POLICY", "../../policy.yaml")
        .stdin(Stdio::null());
    finish(&mut relative, b"").assert_input_error(&["name it by an absolute path"]);
    let missing = run("a: ${infra.vpc_id}\n", "missing.yaml");
    missing.assert_input_error(&["LANDFALL_OPERATOR_POLICY", "missing.yaml"]);
}

/// Helm would read all outputs.
#[test]
fn an_outputs_document_or_a_binding_is_not_a_values_file() {
    let repository = Repository::new();
    let document = "error[invalid-values]: the values file `../outputs/infra.json` is a bound outputs document";
    // The Binding of the chart does not apply there.
    repository.assert_refused("landfall://../outputs/infra.json", &["no Binding applies"]);
    repository.write("landfall.yaml", &BINDING.replace("../", ""));
    repository.assert_refused("landfall://../outputs/infra.json", &[document]);
    repository.assert_refused("landfall://landfall.yaml", &["is a Binding"]);
}

#[test]
fn mistakes_are_reported_in_the_file() {
    let repository = Repository::with("a: ${infra.vpc_ib}\n");
    let url = "landfall://values-prod.yaml";
    repository.assert_refused(
        url,
        &["--> values-prod.yaml:1:12", "help: did you mean `vpc_id`?"],
    );
    let mounted = BINDING.replace("file: ../outputs/infra.json", "mounted: infra.json");
    repository.write("chart/landfall.yaml", &mounted);
    repository.assert_refused(url, &["`landfall export public`"]);
    repository.write("chart/landfall.yml", BINDING);
    repository.assert_refused(url, &["landfall.yml"]);
}
