//! landfall as the post-renderer of the real Helm 3, and the older form of its getter.
//!
//! Observed behavior (helm 3.22.0; `renderResources` in pkg/action/action.go is the same in 3.20.2):
//! - A post-renderer is an executable. It gets the text that templates write, but no hooks.
//! - What it writes to standard error is in Helm's own error, and dropped if it succeeds.
//! - An empty result is no error.
//! - `template --include-crds` passes the files in `crds/` to it, `install` does not.
//! - `template --output-dir` writes the files before it is called, and passes nothing to it.

use std::process::{Command, Stdio};

use landfall_host_tests::program;
use pretty_assertions::assert_eq;

use crate::helm_plugins::{
    GETTER, HOOK, Ran, Repository, SECRET, SETTINGS, TEMPLATE, TYPED_DATA, older_getter, with_types,
};

const POST_RENDERER: &[&str] = &[
    "--post-renderer=landfall",
    "--post-renderer-args=render",
    "--post-renderer-args=-",
    "--post-renderer-args=-c",
    "--post-renderer-args=landfall.yaml",
];

const NO_RESOURCES: &[&str] = &[
    "--post-renderer-args=--no-resources",
    "--post-renderer-args=allow",
];

/// A chart without other manifests than its hooks.
const NOTHING: &str = "{{- if false }}\na: b\n{{- end }}\n";

fn run(repository: &Repository, arguments: &[&str]) -> Ran {
    let mut command = repository.command_of("helm3", arguments);
    // The plugins are those of Helm 4.
    Ran::of(command.env_remove("HELM_PLUGINS"))
}

/// Renders the chart with landfall as the executable, and the chart's Binding.
fn post_render(repository: &Repository, arguments: &[&str]) -> Ran {
    run(repository, &[TEMPLATE, POST_RENDERER, arguments].concat())
}

/// Pipes manifests into `landfall check --no-references -`.
fn check(repository: &Repository, manifests: &str) -> Ran {
    repository.0.write("manifests.yaml", manifests);
    let file = std::fs::File::open(repository.0.at("manifests.yaml")).unwrap();
    let mut command = Command::new(program::landfall());
    command.args(["check", "--no-references", "-"]);
    Ran::of(command.current_dir(repository.0.path()).stdin(file))
}

#[test(tools)]
fn an_executable_renders_what_the_chart_writes() {
    let repository = Repository::new();
    repository.0.write("chart/templates/secret.yaml", SECRET);
    let manifests = post_render(&repository, &[]).expect_stdout();
    for part in [
        "# Source: web/templates/settings.yaml\n# A comment.\n",
        "metadata: {name: 'shop'}\ndata:\n  account: \"012345678901\"\n  replicas: \"1\"\n",
        "stringData:\n  password: correct-horse-battery\n",
    ] {
        assert!(manifests.contains(part), "{part} in {manifests}");
    }
    assert!(check(&repository, &manifests).success);
}

/// They are applied with their references, which the check reports (helm#7891; helm#32227 was closed).
#[test(tools)]
fn hooks_are_not_passed_to_a_post_renderer() {
    let repository = Repository::new();
    repository.0.write("chart/templates/hook.yaml", HOOK);
    let manifests = post_render(&repository, &[]).expect_stdout();
    assert!(
        manifests.contains("  account: \"012345678901\"\n"),
        "{manifests}"
    );
    assert!(
        manifests.contains("  backoffLimit: ${infra.replicas}\n"),
        "{manifests}"
    );
    check(&repository, &manifests).assert_fails(&[
        "error[unrendered-reference]: unrendered reference to `infra`",
        "in Job migrate, field spec.backoffLimit",
        "error: 1 error",
    ]);
}

/// What reaches a hook in Helm 3.
#[test(tools)]
fn values_of_the_getter_are_rendered_in_hooks() {
    let repository = with_types();
    let hook = HOOK.replace("${infra.replicas}", "{{ .Values.replicas }}");
    repository.0.write("chart/templates/hook.yaml", &hook);
    let plugins = older_getter();
    let arguments = [TEMPLATE, GETTER, POST_RENDERER].concat();
    let mut command = repository.command_of("helm3", &arguments);
    let manifests = Ran::of(command.env("HELM_PLUGINS", plugins.path())).expect_stdout();
    for part in [TYPED_DATA, "  backoffLimit: 3\n", "\"012345678901\"\n"] {
        assert!(manifests.contains(part), "{part} in {manifests}");
    }
    assert!(check(&repository, &manifests).success);
}

/// With Helm 4's form of a `plugin.yaml`, Helm 3 loads no plugin, and so does not know the scheme.
#[test(tools)]
fn the_form_of_plugins_of_helm_4_is_not_read() {
    let repository = with_types();
    let arguments = [TEMPLATE, GETTER].concat();
    Ran::of(&mut repository.command_of("helm3", &arguments)).assert_fails(&[
        "failed to load plugins: failed to load plugin at ",
        "Error: open landfall://values-prod.yaml: no such file or directory",
    ]);
}

/// Helm 3 takes the name for a program: the plugin's arguments lack the command `render -`.
#[test(tools)]
fn the_arguments_of_helm_4_are_an_error() {
    let repository = Repository::new();
    let arguments = [
        "--post-renderer=landfall",
        "--post-renderer-args=-c",
        "--post-renderer-args=landfall.yaml",
    ];
    run(&repository, &[TEMPLATE, &arguments].concat()).assert_fails(&[
        "error while running post render on files",
        "unexpected argument '-c' found",
    ]);
}

#[test(tools)]
fn errors_of_a_post_renderer_are_in_those_of_helm() {
    let repository = Repository::new();
    let template = SETTINGS.replace("account_id", "acount_id");
    repository
        .0
        .write("chart/templates/settings.yaml", &template);
    post_render(&repository, &[]).assert_fails(&[
        "Error: error while running post render on files: error while running command ",
        "error[unknown-output]: `infra` has no output `acount_id`\n --> <stdin>:8:20\n",
        "= note: in ConfigMap shop, field data.account\n",
        "= help: did you mean `account_id`?",
    ]);
}

#[test(tools)]
fn a_post_renderer_refuses_a_sensitive_output_outside_of_a_secret() {
    let repository = Repository::new();
    let template = SETTINGS.replace("account_id", "password");
    repository
        .0
        .write("chart/templates/settings.yaml", &template);
    post_render(&repository, &[]).assert_fails(&["error[sensitive-output]"]);
}

#[test(tools)]
fn warnings_of_a_post_renderer_are_dropped() {
    let repository = Repository::new();
    let template = format!("{SETTINGS}  other: ${{other.x}}\n");
    repository
        .0
        .write("chart/templates/settings.yaml", &template);
    let ran = post_render(&repository, &[]);
    assert_eq!(ran.stderr, "");
    let manifests = ran.expect_stdout();
    check(&repository, &manifests).assert_fails(&["unrendered reference to `other`"]);
}

/// Helm would remove every resource of the release: landfall's own error prevents it.
#[test(tools)]
fn an_empty_result_of_a_post_renderer_is_no_error_of_helm() {
    let repository = Repository::new();
    repository.0.write("chart/templates/settings.yaml", NOTHING);
    post_render(&repository, &[]).assert_fails(&["error[no-manifests]"]);
    let ran = post_render(&repository, NO_RESOURCES);
    assert_eq!(ran.expect_stdout().trim(), "");
}

/// A post-renderer gets nothing of it.
#[test(tools)]
fn a_chart_of_hooks_alone_needs_no_resources_to_be_allowed() {
    let repository = Repository::new();
    repository.0.write("chart/templates/settings.yaml", NOTHING);
    let hook = HOOK.replace("${infra.replicas}", "3");
    repository.0.write("chart/templates/hook.yaml", &hook);
    post_render(&repository, &[]).assert_fails(&["error[no-manifests]"]);
    let manifests = post_render(&repository, NO_RESOURCES).expect_stdout();
    assert!(manifests.contains("  backoffLimit: 3\n"), "{manifests}");
}

const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com, annotations: {account: '${infra.account_id}'}}
";

#[test(tools)]
fn definitions_are_passed_to_a_post_renderer_only_by_include_crds() {
    let repository = Repository::new();
    repository.0.write("chart/crds/widgets.yaml", DEFINITION);
    let manifests = post_render(&repository, &[]).expect_stdout();
    assert!(!manifests.contains("widgets"), "{manifests}");
    let manifests = post_render(&repository, &["--include-crds"]).expect_stdout();
    let rendered = "annotations: {account: '012345678901'}}\n";
    assert!(manifests.contains(rendered), "{manifests}");
}

/// Helm 3 writes the files, and passes nothing: landfall's error is the only sign.
#[test(tools)]
fn output_dir_writes_files_that_are_not_rendered() {
    let repository = Repository::new();
    let ran = post_render(&repository, &["--output-dir=out"]);
    assert!(!ran.success, "{}", ran.stdout);
    assert!(ran.stderr.contains("error[no-manifests]"), "{}", ran.stderr);
    let written = repository.0.read("chart/out/web/templates/settings.yaml");
    assert!(
        written.contains("account: ${infra.account_id}\n"),
        "{written}"
    );
}

#[test(tools)]
fn a_post_renderer_keeps_comments_and_numbers_and_sets_by_comments() {
    let repository = Repository::new();
    let template = |account: &str| {
        format!(
            "apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: web}} # inline\nspec:\n  # above\n  account: {account} # landfall: ${{infra.account_id}}\n  numbers: [1.10, 1e3, 0o17, 012, 12345678901234567890]\n"
        )
    };
    repository
        .0
        .write("chart/templates/settings.yaml", &template("\"1\""));
    let manifests = post_render(&repository, &[]).expect_stdout();
    assert!(
        manifests.contains(&template("\"012345678901\"")),
        "{manifests}"
    );
}

/// Helm passes the folder of the user, in which `-c` is found.
#[test(tools)]
fn a_post_renderer_runs_in_the_folder_of_the_user() {
    let repository = Repository::new();
    let arguments = [
        &["template", "shop", "chart"][..],
        &POST_RENDERER[..4],
        &["--post-renderer-args=chart/landfall.yaml"],
    ]
    .concat();
    let mut command = repository.command_of("helm3", &arguments);
    command.env_remove("HELM_PLUGINS");
    let ran = Ran::of(command.current_dir(repository.0.path()));
    assert!(
        ran.expect_stdout()
            .contains("  account: \"012345678901\"\n")
    );
}

/// A folder with `tool: helm`, which landfall builds with Helm 4: Helm 3 knows the same arguments.
#[test(tools)]
fn landfall_can_run_helm_3() {
    let repository = with_types();
    let options = "  tool: helm\n  helm: {releaseName: shop, namespace: web, valueFiles: [values-prod.yaml]}\n";
    let binding = repository.0.read("chart/landfall.yaml");
    let binding = binding.replace("spec:\n", &format!("spec:\n{options}"));
    repository.0.write("chart/landfall.yaml", &binding);
    repository.0.write("chart/templates/hook.yaml", HOOK);
    let mut command = Command::new(program::landfall());
    command.args(["render", "chart", "--helm"]);
    command.arg(program::tool("helm3")).stdin(Stdio::null());
    let manifests = Ran::of(command.current_dir(repository.0.path())).expect_stdout();
    for part in [TYPED_DATA, "  backoffLimit: 3\n", "\"012345678901\"\n"] {
        assert!(manifests.contains(part), "{part} in {manifests}");
    }
}
