//! The plugins in `deploy/helm`, called by the real Helm 4.
//!
//! Observed behavior (helm 4.3.1):
//! - What a post-renderer writes to standard error is dropped, also with `--debug`; what a getter
//!   writes there is shown.
//! - A post-renderer gets hooks too. Each document has the path of its template in an annotation,
//!   which Helm removes afterwards.
//! - Helm opens no file for standard error: after `2> file` it writes its own error over what
//!   another process has appended to the file in the meantime.

use std::fs::File;
use std::process::{Command, Stdio};

use landfall_host_tests::program;
use landfall_host_tests::scratch::Scratch;
use pretty_assertions::assert_eq;

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1
kind: Binding
spec:
  outputs:
  - {name: infra, from: {file: ../outputs/infra.json}}
";

const OUTPUTS: &str = r#"{
  "account_id": {"sensitive": false, "type": "string", "value": "012345678901"},
  "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"},
  "zones": {"sensitive": false, "type": ["list", "string"], "value": ["a", "b"]},
  "replicas": {"sensitive": false, "type": "number", "value": 3},
  "cache": {"sensitive": false, "type": "bool", "value": false},
  "password": {"sensitive": true, "type": "string", "value": "correct-horse-battery"}
}"#;

pub(crate) const SETTINGS: &str = "# A comment.
apiVersion: v1
kind: ConfigMap
metadata: {name: '{{ .Release.Name }}'}
data:
  account: ${infra.account_id}
  replicas: {{ .Values.replicas | quote }}
";

pub(crate) const SECRET: &str = "apiVersion: v1
kind: Secret
metadata: {name: db}
stringData:
  password: ${infra.password}
";

pub(crate) const HOOK: &str = "apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {helm.sh/hook: pre-install}
spec:
  backoffLimit: ${infra.replicas}
";

/// A Git work tree with the chart `chart` and the outputs document `outputs/infra.json`.
pub(crate) struct Repository(pub(crate) Scratch);

/// What Helm has written.
pub(crate) struct Ran {
    pub(crate) success: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self {
            success: output.status.success(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    #[track_caller]
    pub(crate) fn expect_stdout(self) -> String {
        assert!(self.success, "{}", self.stderr);
        self.stdout
    }

    /// Asserts that Helm has failed, and that nothing can be applied.
    #[track_caller]
    pub(crate) fn assert_fails(&self, parts: &[&str]) {
        assert!(!self.success, "{}", self.stdout);
        assert_eq!(self.stdout, "");
        for part in parts {
            assert!(self.stderr.contains(part), "{part} in {}", self.stderr);
        }
        assert!(!self.stderr.contains("correct-horse"), "{}", self.stderr);
    }
}

impl Repository {
    pub(crate) fn new() -> Self {
        let repository = Scratch::new();
        repository.write(".git/HEAD", "");
        repository.write("outputs/infra.json", OUTPUTS);
        repository.write(
            "chart/Chart.yaml",
            "apiVersion: v2\nname: web\nversion: 1.0.0\n",
        );
        repository.write("chart/landfall.yaml", BINDING);
        repository.write("chart/values.yaml", "replicas: 1\n");
        repository.write("chart/templates/settings.yaml", SETTINGS);
        repository.write("releases.yaml", "[]\n");
        Self(repository)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        self.command_of("helm", arguments)
    }

    /// Returns a command of this Helm that finds the plugins, in the folder of the chart.
    pub(crate) fn command_of(&self, helm: &str, arguments: &[&str]) -> Command {
        let landfall = program::landfall();
        let mut command = Command::new(program::tool(helm));
        command
            .args(arguments)
            .current_dir(self.0.at("chart"))
            .env("PATH", program::path_with(landfall.parent().unwrap()))
            .env("HELM_PLUGINS", program::repository().join("deploy/helm"))
            .envs(
                ["HELM_DATA_HOME", "HELM_CACHE_HOME", "HELM_CONFIG_HOME"]
                    .map(|name| (name, self.0.at("home"))),
            )
            // No cluster is needed then.
            .env("HELM_DRIVER", "memory")
            .env("HELM_MEMORY_DRIVER_DATA", self.0.at("releases.yaml"))
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&mut self.command(arguments))
    }

    /// Renders the chart with the post-renderer and the chart's Binding.
    fn post_render(&self, arguments: &[&str]) -> Ran {
        self.run(&[arguments, POST_RENDERER].concat())
    }
}

const POST_RENDERER: &[&str] = &[
    "--post-renderer=landfall",
    "--post-renderer-args=-c",
    "--post-renderer-args=landfall.yaml",
];

pub(crate) const TEMPLATE: &[&str] = &["template", "shop", "."];

#[test(tools)]
fn a_post_renderer_renders_what_the_chart_writes_and_its_hooks() {
    let repository = Repository::new();
    repository.0.write("chart/templates/secret.yaml", SECRET);
    repository.0.write("chart/templates/hook.yaml", HOOK);
    let ran = repository.post_render(TEMPLATE);
    let manifests = ran.expect_stdout();
    for part in [
        "# A comment.\n",
        "metadata: {name: 'shop'}\ndata:\n  account: \"012345678901\"\n  replicas: \"1\"\n",
        "stringData:\n  password: correct-horse-battery\n",
        "# Source: web/templates/hook.yaml\n",
        "  backoffLimit: 3\n",
    ] {
        assert!(manifests.contains(part), "{part} in {manifests}");
    }
    assert!(!manifests.contains("postrender-filename"), "{manifests}");
}

#[test(tools)]
fn a_post_renderer_renders_for_install_and_upgrade() {
    let repository = Repository::new();
    let dry_run = "--dry-run=client";
    for arguments in [
        &["install", "shop", ".", dry_run][..],
        &["upgrade", "shop", ".", "--install", dry_run],
    ] {
        let ran = repository.post_render(arguments);
        let written = ran.expect_stdout();
        assert!(written.contains("  account: \"012345678901\"\n"));
    }
}

/// Helm drops what a post-renderer writes to standard error.
#[test(tools)]
fn errors_of_a_post_renderer_reach_the_user_with_the_template() {
    let repository = Repository::new();
    let template = SETTINGS.replace("account_id", "acount_id");
    repository
        .0
        .write("chart/templates/settings.yaml", &template);
    let expected = [
        "error[unknown-output]: `infra` has no output `acount_id`\n \
         --> web/templates/settings.yaml (line 6 of what Helm passes on)\n",
        "= help: did you mean `account_id`?",
        "plugin \"landfall\" exited with error",
    ];
    let ran = repository.post_render(TEMPLATE);
    ran.assert_fails(&expected);
    let ran = repository.post_render(&["install", "shop", ".", "--dry-run=client"]);
    ran.assert_fails(&expected);
}

/// Helm writes its own error at the offset that it knows.
#[test(tools)]
fn errors_of_a_post_renderer_are_complete_in_a_file() {
    let repository = Repository::new();
    let template = SETTINGS.replace("account_id", "acount_id");
    repository
        .0
        .write("chart/templates/settings.yaml", &template);
    for debug in [&[][..], &["--debug"]] {
        let mut command = repository.command(&[TEMPLATE, POST_RENDERER, debug].concat());
        let file = File::create(repository.0.at("stderr.txt")).unwrap();
        let status = command.stderr(file).stdout(Stdio::null()).status().unwrap();
        assert!(!status.success());
        let written = repository.0.read("stderr.txt");
        assert!(written.contains("error[unknown-output]: `infra`"));
        assert!(written.contains("plugin \"landfall\" exited with error"));
    }
}

/// Where there is no `/proc`, and Helm is not run on a terminal.
#[test(tools)]
fn errors_of_a_post_renderer_are_appended_to_the_file_of_a_variable() {
    let repository = Repository::new();
    let template = SETTINGS.replace("account_id", "acount_id");
    repository
        .0
        .write("chart/templates/settings.yaml", &template);
    repository.0.write("report.txt", "before\n");
    let mut command = repository.command(&[TEMPLATE, POST_RENDERER].concat());
    let report = repository.0.at("report.txt");
    let output = command.env("LANDFALL_REPORT", report).output().unwrap();
    assert!(!output.status.success());
    let report = repository.0.read("report.txt");
    assert!(
        report.starts_with("before\nerror[unknown-output]: `infra`"),
        "{report}"
    );
    assert!(!String::from_utf8_lossy(&output.stderr).contains("unknown-output"));
}

#[test(tools)]
fn a_post_renderer_refuses_a_sensitive_output_outside_of_a_secret() {
    let repository = Repository::new();
    let template = SETTINGS.replace("account_id", "password");
    repository
        .0
        .write("chart/templates/settings.yaml", &template);
    let ran = repository.post_render(TEMPLATE);
    ran.assert_fails(&["error[sensitive-output]", "web/templates/settings.yaml"]);
}

#[test(tools)]
fn a_post_renderer_without_its_arguments_names_them() {
    let repository = Repository::new();
    let ran = repository.run(&[TEMPLATE, &["--post-renderer=landfall"]].concat());
    ran.assert_fails(&["error[binding-not-applied]", "`-c landfall.yaml`"]);
}

const TYPES: &str = "replicas: ${infra.replicas}
zones: ${infra.zones}
cache: ${infra.cache}
account: ${infra.account_id}
";

const TYPED: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: types}
data:
  next: {{ add .Values.replicas 1 | quote }}
  zones: {{ .Values.zones | toJson | quote }}
  cache: {{ if .Values.cache }}'on'{{ else }}'off'{{ end }}
  account: {{ .Values.account | toJson }}
";

/// What [`TYPED`] writes with [`TYPES`].
pub(crate) const TYPED_DATA: &str = r#"  next: "4"
  zones: "[\"a\",\"b\"]"
  cache: 'off'
  account: "012345678901"
"#;

/// A repository with [`TYPES`] as the values of production.
pub(crate) fn with_types() -> Repository {
    let repository = Repository::new();
    repository.0.write("chart/values-prod.yaml", TYPES);
    repository.0.write("chart/templates/types.yaml", TYPED);
    repository
}

pub(crate) const GETTER: &[&str] = &["-f", "landfall://values-prod.yaml"];

#[test(tools)]
fn a_getter_gives_values_their_types() {
    let repository = with_types();
    let ran = repository.run(&[TEMPLATE, GETTER].concat());
    let manifests = ran.expect_stdout();
    assert!(manifests.contains(TYPED_DATA), "{manifests}");
    let ran = repository.post_render(&[TEMPLATE, GETTER].concat());
    let manifests = ran.expect_stdout();
    assert!(manifests.contains(TYPED_DATA), "{manifests}");
    assert!(
        manifests.contains("  account: \"012345678901\"\n  replicas: \"3\"\n"),
        "{manifests}"
    );
}

#[test(tools)]
fn a_getter_refuses_what_is_outside_of_the_root_or_sensitive() {
    let repository = with_types();
    repository
        .0
        .write("chart/secret.yaml", "a: ${infra.password}\n");
    repository.0.write("other/values.yaml", "a: b\n");
    for (url, part) in [
        ("landfall://secret.yaml", "error[sensitive-output]"),
        ("landfall:///etc/hostname", "has an absolute path"),
        ("landfall://../../outside.yaml", "error[outside-root]"),
        ("landfall://values-prod.yaml?a=b", "query or a fragment"),
        ("landfall://values-prod.yaml#a", "query or a fragment"),
        ("landfall://missing.yaml", "error[missing-file]"),
        ("landfall://../other/values.yaml", "no Binding applies"),
        (
            "landfall://landfall.yaml",
            "the values file `landfall.yaml` is a Binding",
        ),
    ] {
        let ran = repository.run(&[TEMPLATE, &["-f", url]].concat());
        ran.assert_fails(&[part]);
    }
}

/// Argo CD resolves paths itself, and passes a URL on if its scheme is allowed
/// (`ResolveValueFilePathOrUrl` in util/io/path/resolved.go, argo-cd v3.2.12).
#[test(tools)]
fn a_getter_works_as_argo_cd_calls_helm() {
    let repository = with_types();
    // `template` and `run` in util/helm/cmd.go.
    let arguments = [
        "template",
        ".",
        "--name-template",
        "shop",
        "--namespace",
        "prod",
        "--kube-version",
        "1.33.0",
        "--values",
        "landfall://values-prod.yaml",
        "--include-crds",
    ];
    let mut command = repository.command(&arguments);
    let home = repository.0.at("helm");
    command
        .envs(
            [
                ("XDG_CACHE_HOME", "cache"),
                ("XDG_CONFIG_HOME", "config"),
                ("XDG_DATA_HOME", "data"),
                ("HELM_CONFIG_HOME", "config"),
            ]
            .map(|(name, folder)| (name, home.join(folder))),
        )
        .env_remove("HELM_DATA_HOME")
        .env_remove("HELM_CACHE_HOME");
    let output = command.output().unwrap();
    let manifests = String::from_utf8(output.stdout).unwrap();
    assert!(manifests.contains(TYPED_DATA), "{manifests}");
}

/// Helm extracts it into a temporary folder, where Argo CD runs it.
#[test(tools)]
fn a_getter_has_no_binding_for_a_chart_from_another_repository() {
    let repository = Repository::new();
    let extracted = Scratch::new();
    extracted.write(
        "web/Chart.yaml",
        "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    );
    extracted.write("web/values-prod.yaml", TYPES);
    let mut command = repository.command(&[TEMPLATE, GETTER].concat());
    let output = command.current_dir(extracted.at("web")).output().unwrap();
    assert!(!output.status.success());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("a chart from another repository has none"));
}

/// Helm says nothing of why, so landfall does.
#[test(tools)]
fn an_empty_result_of_a_post_renderer_is_an_error() {
    let repository = Repository::new();
    let nothing = "{{- if false }}\na: b\n{{- end }}\n";
    repository.0.write("chart/templates/settings.yaml", nothing);
    let ran = repository.post_render(TEMPLATE);
    ran.assert_fails(&[
        "error[no-manifests]",
        "plugin \"landfall\" exited with error",
    ]);
    let allowed = [
        "--post-renderer-args=--no-resources",
        "--post-renderer-args=allow",
    ];
    let ran = repository.post_render(&[TEMPLATE, &allowed].concat());
    ran.assert_fails(&["post-renderer \"landfall\" produced empty output"]);
}

/// Helm drops standard error of a plugin that succeeds, too.
#[test(tools)]
fn warnings_of_a_post_renderer_reach_the_user() {
    let repository = Repository::new();
    let template = format!("{SETTINGS}  other: ${{other.x}}\n");
    repository
        .0
        .write("chart/templates/settings.yaml", &template);
    let ran = repository.post_render(TEMPLATE);
    assert!(ran.success, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("  other: ${other.x}\n"),
        "{}",
        ran.stdout
    );
    let expected = "warning[unbound-reference]: nothing is bound to `other`: the text is left unchanged\n --> web/templates/settings.yaml (line 8 of what Helm passes on)";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
}

/// Helm 4.3.1 passes comments and numbers as the template writes them, and puts its annotation into
/// the text. (The contract says otherwise, of 4.2.)
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
    let manifests = repository.post_render(TEMPLATE).expect_stdout();
    let expected = template("\"012345678901\"");
    assert!(manifests.contains(&expected), "{manifests}");
}

/// A value that a template writes without `quote` is text to Helm: it can add a key. A reference in
/// the template cannot.
#[test(tools)]
fn a_value_adds_a_key_only_where_helm_writes_it() {
    let repository = Repository::new();
    repository.0.replace(
        "outputs/infra.json",
        r#""vpc-0ab1"}"#,
        r#""x\n  injected: \"1\""}"#,
    );
    let head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata:\n";
    let template = format!("{head}  a: ${{infra.vpc_id}}\n");
    repository
        .0
        .write("chart/templates/settings.yaml", &template);
    let manifests = repository.post_render(TEMPLATE).expect_stdout();
    let expected = "  a: \"x\\n  injected: \\\"1\\\"\"\n";
    assert!(manifests.contains(expected), "{manifests}");

    repository
        .0
        .write("chart/values-prod.yaml", "a: ${infra.vpc_id}\n");
    let template = format!("{head}  a: {{{{ .Values.a }}}}\n  b: {{{{ .Values.a | quote }}}}\n");
    repository
        .0
        .write("chart/templates/settings.yaml", &template);
    let manifests = repository.run(&[TEMPLATE, GETTER].concat()).expect_stdout();
    let expected = "  a: x\n  injected: \"1\"\n  b: \"x\\n  injected: \\\"1\\\"\"\n";
    assert!(manifests.contains(expected), "{manifests}");
}

/// Helm 4.3.1 gives a post-renderer in WebAssembly (`runtime: extism/v1`) no manifests (helm#31832).
#[test]
fn both_plugins_are_programs_and_not_webassembly() {
    for (plugin, kind) in [
        ("landfall", "postrenderer/v1"),
        ("landfall-values", "getter/v1"),
    ] {
        let file = program::repository()
            .join("deploy/helm")
            .join(plugin)
            .join("plugin.yaml");
        let text = landfall_host_tests::scratch::read(&file);
        let written: serde_json::Value = serde_yaml::from_str(&text).unwrap();
        assert_eq!(written["apiVersion"], "v1");
        assert_eq!(written["type"], kind);
        assert_eq!(written["runtime"], "subprocess");
    }
}

/// A package has no signature, which Helm wants of a file, but not of a folder. The programs in it
/// stay executable.
#[test(tools)]
fn packages_of_the_plugins_are_installed_without_a_signature() {
    let repository = with_types();
    let run = |arguments: &[&str]| {
        let mut command = repository.command(arguments);
        Ran::of(command.env_remove("HELM_PLUGINS"))
    };
    let folder = repository.0.path().to_str().unwrap();
    for plugin in ["landfall", "landfall-values"] {
        let source = program::repository().join("deploy/helm").join(plugin);
        let package = ["plugin", "package", "--sign=false", "-d", folder];
        let packaged = run(&[&package[..], &[source.to_str().unwrap()]].concat());
        assert!(packaged.success, "{}", packaged.stderr);
        let file = format!("{folder}/{plugin}-0.1.0.tgz");
        let refused = run(&["plugin", "install", &file]);
        assert!(!refused.success);
        let expected = "plugin verification failed: no provenance file (.prov) found";
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
        let installed = run(&["plugin", "install", &file, "--verify=false"]);
        assert!(installed.success, "{}", installed.stderr);
    }
    let ran = run(&[TEMPLATE, GETTER, POST_RENDERER].concat());
    let manifests = ran.expect_stdout();
    assert!(manifests.contains(TYPED_DATA), "{manifests}");
    assert!(
        manifests.contains("  account: \"012345678901\"\n"),
        "{manifests}"
    );
}

/// Returns a folder with the getter in the form of Helm 3, which docs/helm.md gives for Argo CD before
/// 3.5.
pub(crate) fn older_getter() -> Scratch {
    let plugins = Scratch::new();
    let plugin = program::repository().join("deploy/helm/landfall-values");
    landfall_host_tests::scratch::copy(&plugin, &plugins.at("landfall-values"));
    plugins.write(
        "landfall-values/plugin.yaml",
        "name: landfall-values\nversion: 0.1.0\ndownloaders:\n  - command: values.sh\n    protocols: [landfall]\n",
    );
    plugins
}

#[test(tools)]
fn the_older_form_of_the_getter_is_read_by_helm_4() {
    let repository = with_types();
    let plugins = older_getter();
    let mut command = repository.command(&[TEMPLATE, GETTER].concat());
    let manifests = Ran::of(command.env("HELM_PLUGINS", plugins.path())).expect_stdout();
    assert!(manifests.contains(TYPED_DATA), "{manifests}");
}

/// Helm passes the folder of the user, in which `-c` is found.
#[test(tools)]
fn a_post_renderer_runs_in_the_folder_of_the_user() {
    let repository = Repository::new();
    let arguments = [
        "template",
        "shop",
        "chart",
        "--post-renderer=landfall",
        "--post-renderer-args=-c",
        "--post-renderer-args=chart/landfall.yaml",
    ];
    let mut command = repository.command(&arguments);
    let output = command.current_dir(repository.0.path()).output().unwrap();
    let manifests = String::from_utf8(output.stdout).unwrap();
    assert!(
        manifests.contains("  account: \"012345678901\"\n"),
        "{manifests}"
    );
}
