//! Folders with `spec.tool: helm`, templated by the real Helm.

use std::ops::Deref;

use crate::run::{TestFolder, finish};
use crate::tool::{ToolRepository, tool_binding};

const OUTPUTS: &str = r#"{
  "password": {"sensitive": true, "type": "string", "value": "correct-horse-battery"},
  "account_id": {"sensitive": false, "type": "string", "value": "012345678901"},
  "cache": {"sensitive": false, "type": "bool", "value": false},
  "replicas": {"sensitive": false, "type": "number", "value": 3},
  "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"},
  "zones": {"sensitive": false, "type": ["list", "string"], "value": ["a", "b"]},
  "template": {"sensitive": false, "type": "string", "value": "{{ .Release.Name }}"},
  "brace": {"sensitive": false, "type": "string", "value": "{"},
  "reference": {"sensitive": false, "type": "string", "value": "${infra.vpc_id}"}
}"#;

const BINDING: &str = tool_binding!("helm");

const CONFIG_MAP: &str = "apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
data:
";

/// The variables of an Application in another namespace than Argo CD's.
const VARIABLES: [(&str, &str); 4] = [
    ("ARGOCD_APP_NAME", "team-a_shop"),
    ("ARGOCD_APP_NAMESPACE", "prod"),
    ("KUBE_VERSION", "1.31.4"),
    ("KUBE_API_VERSIONS", "v1,monitoring.coreos.com/v1"),
];

/// A repository with the chart `apps/web`.
struct Repository(ToolRepository);

impl Repository {
    fn new() -> Self {
        let repository = ToolRepository::new("helm", BINDING, OUTPUTS, &VARIABLES);
        let chart = "apiVersion: v2\nname: web\nversion: 1.0.0\n";
        repository.write("apps/web/Chart.yaml", chart);
        Self(repository)
    }

    /// A repository with these values, and a template of a ConfigMap with this data.
    fn with(values: &str, data: &str) -> Self {
        let repository = Self::new();
        repository.write("apps/web/values.yaml", values);
        repository.template(data);
        repository
    }

    fn template(&self, data: &str) {
        let template = format!("{CONFIG_MAP}{data}");
        self.write("apps/web/templates/settings.yaml", template);
    }

    /// Replaces `spec.helm` of the Binding.
    fn options(&self, options: &str) {
        let binding = BINDING.replace(
            "tool: helm\n",
            &format!("tool: helm\n  helm: {{{options}}}\n"),
        );
        self.write("apps/web/landfall.yaml", binding);
    }

    #[track_caller]
    fn assert_data(&self, expected: &str) {
        let head = CONFIG_MAP.replace("{{ .Release.Name }}", "shop");
        let source = "---\n# Source: web/templates/settings.yaml\n";
        let manifests = self.cmp(&[]).expect_stdout();
        assert_eq!(manifests, format!("{source}{head}{expected}"));
    }
}

impl Deref for Repository {
    type Target = ToolRepository;

    fn deref(&self) -> &ToolRepository {
        &self.0
    }
}

#[test(tools)]
fn values_are_rendered_with_their_types_before_helm() {
    let repository = Repository::with(
        "account: ${infra.account_id}
zones: ${infra.zones}
cache: ${infra.cache}
replicas: ${infra.replicas}
text: in ${infra.vpc_id}
",
        "  account: {{ .Values.account | toJson }}
  zones: {{ .Values.zones | toJson | quote }}
  {{- if .Values.cache }}
  cache: 'on'
  {{- end }}
  next: {{ add .Values.replicas 1 | quote }}
  text: {{ .Values.text }}
",
    );
    repository.assert_data(
        r#"  account: "012345678901"
  zones: "[\"a\",\"b\"]"
  next: "4"
  text: in vpc-0ab1
"#,
    );
    // Nothing of the repository was changed.
    assert!(
        repository
            .read("apps/web/values.yaml")
            .contains("${infra.zones}")
    );
}

#[test(tools)]
fn manifests_are_rendered_after_helm() {
    let repository = Repository::with(
        "vpc: ${infra.vpc_id}\n",
        "  vpc: {{ .Values.vpc }}\n  account: ${infra.account_id}\n  escaped: $${infra.account_id}\n",
    );
    repository.assert_data(
        "  vpc: vpc-0ab1\n  account: \"012345678901\"\n  escaped: ${infra.account_id}\n",
    );
}

#[test(tools)]
fn argo_cd_names_the_release() {
    let data = "  namespace: {{ .Release.Namespace }}
  kube: {{ .Capabilities.KubeVersion.Version }}
  monitoring: {{ .Capabilities.APIVersions.Has \"monitoring.coreos.com/v1\" | quote }}
  extra: {{ .Capabilities.APIVersions.Has \"example.com/v1\" | quote }}
";
    let repository = Repository::with("a: b\n", data);
    repository.assert_data(
        "  namespace: prod\n  kube: v1.31.4\n  monitoring: \"true\"\n  extra: \"false\"\n",
    );
    repository.options(
        "releaseName: other, namespace: staging, kubeVersion: 1.30.1, apiVersions: [example.com/v1]",
    );
    let manifests = repository.cmp(&[]).expect_stdout();
    assert!(manifests.contains("  name: other\n"), "{manifests}");
    assert!(
        manifests.ends_with(
            "  namespace: staging\n  kube: v1.30.1\n  monitoring: \"true\"\n  extra: \"true\"\n"
        ),
        "{manifests}"
    );
}

#[test(tools)]
fn a_release_without_a_name_is_an_error_outside_of_argo_cd() {
    let repository = Repository::with("a: b\n", "  a: b\n");
    let render = || {
        let mut command = repository.command(&["render", "apps/web", "--root", ".", "--helm"]);
        finish(command.arg(&repository.program), b"")
    };
    render().assert_input_error(&["invalid-chart", "`releaseName` and `namespace`"]);
    repository.options("releaseName: web, namespace: prod");
    assert!(render().expect_stdout().contains("  name: web\n"));
}

#[test(tools)]
fn later_values_files_override_earlier_ones() {
    let repository = Repository::with(
        "a: own\nb: own\nc: own\n",
        "  a: {{ .Values.a }}\n  b: {{ .Values.b }}\n  c: {{ .Values.c }}\n  d: {{ .Files.Get \"prod,1.yaml\" | quote }}\n",
    );
    repository.options("valueFiles: ['prod,1.yaml', ../../shared/values.yaml]");
    repository.write("apps/web/prod,1.yaml", "b: ${infra.vpc_id}\nc: prod\n");
    repository.write("shared/values.yaml", "c: shared ${infra.vpc_id}\n");
    repository.assert_data(
        "  a: own\n  b: vpc-0ab1\n  c: shared vpc-0ab1\n  d: \"b: vpc-0ab1\\nc: prod\\n\"\n",
    );
}

#[test(tools)]
fn mistakes_are_reported_in_the_file_of_the_repository() {
    let repository = Repository::with("a: ${infra.vpc_ib}\n", "  a: b\n");
    repository.assert_refused(&[
        "--> apps/web/values.yaml:1:12",
        "help: did you mean `vpc_id`",
    ]);
    repository.write("apps/web/values.yaml", "a: b\n");
    repository.template("  a: ${infra.vpc_ic}\n");
    repository.assert_refused(&["--> helm template apps/web:8:14"]);
    repository.template("  a: {{ .Values.a.b.c }}\n");
    repository.assert_refused(&[
        "tool-failed",
        "`helm template apps/web` failed",
        "web/templates/settings.yaml:6",
    ]);
    repository.options("valueFiles: [none.yaml]");
    repository.assert_refused(&[
        "error[missing-file]: the values file `apps/web/none.yaml` does not exist",
        "--> apps/web/landfall.yaml:5:23",
    ]);
    repository.options("valueFiles: [../../../none.yaml]");
    repository.assert_refused(&["outside-root", "--> apps/web/landfall.yaml:5:23"]);
    repository.options("valueFiles: [prod.yaml]");
    repository.write("apps/web/prod.yaml", "- not\n- a map\n");
    repository.assert_refused(&["tool-failed", "apps/web/prod.yaml"]);
}

#[test(tools)]
fn sensitive_outputs_are_written_after_helm_into_secrets() {
    let repository = Repository::with("a: ${infra.password}\n", "  a: {{ .Values.a }}\n");
    let with_policy = || repository.cmp(&["--operator-policy", "../../policy.yaml"]);
    with_policy().assert_input_error(&["sensitive-output", "--> apps/web/values.yaml:1:"]);
    repository.write("apps/web/values.yaml", "a: b\n");
    repository.write(
        "apps/web/templates/secret.yaml",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData:\n  password: ${infra.password}\n",
    );
    repository.assert_refused(&["sensitive-output"]);
    let manifests = with_policy().expect_stdout();
    assert!(
        manifests.contains("password: correct-horse-battery\n"),
        "{manifests}"
    );
    repository.template("  a: ${infra.password}\n");
    with_policy().assert_input_error(&["sensitive-output", "--> helm template apps/web:"]);
}

/// A template could read them, and write them anywhere.
#[test(tools)]
fn outputs_documents_and_bindings_are_not_in_the_chart() {
    let repository = Repository::with(
        "a: b\n",
        "  a: {{ .Files.Get \"infra.json\" | quote }}\n  b: {{ .Files.Get \"landfall.yaml\" | quote }}\n",
    );
    let binding = BINDING.replace("../../outputs/", "");
    repository.write("apps/web/landfall.yaml", binding);
    repository.write("apps/web/infra.json", OUTPUTS);
    repository.assert_data("  a: \"\"\n  b: \"\"\n");
    // Nor those that another parameter would choose, or that a flag names, also by a link.
    repository.template("  a: {{ .Files.Get \"other.json\" | quote }}\n  b: {{ .Files.Get \"infra.json\" | quote }}\n");
    let binding = BINDING.replace("../../outputs/infra.json", "\"{cluster}.json\"");
    repository.write("apps/web/landfall.yaml", binding);
    repository.write("apps/web/other.json", OUTPUTS);
    let parameters = r#"[{"name": "cluster", "string": "infra"}]"#;
    let empty = "  a: \"\"\n  b: \"\"\n";
    let manifests = repository.with_variable("ARGOCD_APP_PARAMETERS", parameters, &[]);
    assert!(manifests.expect_stdout().ends_with(empty));
    repository.write("apps/web/landfall.yaml", BINDING);
    repository.template("  a: {{ .Files.Get \"other.json\" | quote }}\n");
    repository.write("outputs/linked.json", OUTPUTS);
    let bound = repository.cmp(&[
        "-b",
        "flag=other.json",
        "-b",
        "linked=../../outputs/linked.json",
    ]);
    assert!(!bound.expect_stdout().contains("correct-horse"));
    #[cfg(unix)]
    {
        let link = repository.at("apps/web/linked.yaml");
        std::os::unix::fs::symlink("landfall.yaml", link).unwrap();
        repository.template("  a: {{ .Files.Get \"linked.yaml\" | quote }}\n");
        repository.assert_data("  a: \"\"\n");
        repository.options("valueFiles: [linked.yaml]");
        repository.assert_refused(&["the values file `apps/web/linked.yaml` is a Binding"]);
    }
}

#[test(tools)]
fn a_bound_document_is_no_values_file() {
    let repository = Repository::with("a: b\n", "  a: {{ .Values.password }}\n");
    repository.write("apps/web/o.yaml", "password: correct-horse-battery\n");
    let output =
        "name: infra\n      from: {file: o.yaml}\n      format: yaml\n      sensitive: true";
    let binding = BINDING.replace(
        "tool: helm\n",
        "tool: helm\n  helm: {valueFiles: [o.yaml]}\n",
    );
    let binding = binding.replace(
        "name: infra\n      from: {file: ../../outputs/infra.json}",
        output,
    );
    repository.write("apps/web/landfall.yaml", &binding);
    repository.assert_refused(&[
        "the values file `apps/web/o.yaml` is a bound outputs document",
        "--> apps/web/landfall.yaml:5:23",
    ]);
    repository.write(
        "apps/web/landfall.yaml",
        binding
            .replace("  helm: {valueFiles: [o.yaml]}\n", "")
            .replace("o.yaml", "values.yaml"),
    );
    repository.assert_refused(&["the values file `apps/web/values.yaml` is a bound"]);
}

#[test(tools)]
fn a_template_may_have_the_name_of_a_binding() {
    let repository = Repository::with("a: b\n", "  a: b\n");
    let template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n";
    repository.write("apps/web/templates/landfall.yaml", template);
    assert!(
        repository
            .cmp(&[])
            .expect_stdout()
            .contains("{name: other}")
    );
}

#[test(tools)]
fn warnings_are_reported() {
    let repository = Repository::with(
        "size: ${infra.size}\nglobal: text\n",
        "  a: {{ .Values.size }}\n",
    );
    let size = r#"{"size": {"sensitive": false, "type": "number", "value": 1048576}}"#;
    repository.write("outputs/infra.json", size);
    let subchart = "apiVersion: v2\nname: redis\nversion: 1.0.0\n";
    repository.write("apps/web/charts/redis/Chart.yaml", subchart);
    let run = repository.cmp(&[]);
    for part in [
        "warning[inexact-number]: Helm writes `infra.size` with an exponent",
        "--> apps/web/values.yaml:1:7",
        "`helm template apps/web` warns",
    ] {
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
}

#[test(tools)]
fn the_name_of_an_application_is_no_flag() {
    let repository = Repository::with("a: b\n", "  a: b\n");
    for name in ["--debug", "-h", "a,b", "a b"] {
        let run = repository.with_variable("ARGOCD_APP_NAME", name, &[]);
        run.assert_input_error(&["invalid-chart", "`releaseName`"]);
    }
}

#[test(tools)]
fn memory_is_limited() {
    let repository = Repository::with("a: b\n", "  a: b\n");
    repository.template("{{ $x := repeat 1000000 \"x\" }}{{ $y := repeat 4000 $x }}  a: b\n");
    repository.assert_refused(&["tool-failed", "`helm template apps/web` failed"]);
}

/// Helm would open the files and addresses that a schema names.
#[test(tools)]
fn schemas_of_values_open_nothing() {
    let repository = Repository::with("a: b\n", "  a: b\n");
    let schema = r#"{"$ref": "file:///etc/hostname"}"#;
    repository.write("apps/web/values.schema.json", schema);
    repository.assert_data("  a: b\n");
}

#[test(tools)]
fn no_value_is_executed_or_rendered_again() {
    let repository = Repository::with(
        "a: ${infra.template}\nb: \"{${infra.brace}\"\nc: ${infra.brace}${infra.brace}\nd: ok ${infra.brace} {\n",
        "  a: {{ tpl .Values.a . }}\n",
    );
    let refused = repository.cmp(&[]);
    refused.assert_input_error(&["template-in-value"]);
    for line in [1, 2, 3] {
        let place = format!(" apps/web/values.yaml:{line}:");
        assert!(refused.stderr.contains(&place), "{}", refused.stderr);
    }
    assert!(!refused.stderr.contains("values.yaml:4:"));
    for value in ["${infra.reference}", "x $${infra.vpc_id}"] {
        repository.write("apps/web/values.yaml", format!("a: {value}\n"));
        repository.assert_refused(&[
            "unrendered-reference",
            "in the rendered values",
            "--> apps/web/values.yaml:1:",
        ]);
    }
}

#[test(tools)]
fn a_document_that_is_no_resource_is_an_error() {
    let repository = Repository::with("a: b\n", "  a: $${infra.vpc_id}\n");
    repository.write("apps/web/templates/other.yaml", "# Nothing.\n");
    assert!(repository.cmp(&[]).expect_stdout().contains("# Nothing.\n"));
    repository.write(
        "apps/web/templates/other.yaml",
        "{{ .Values.a }}: ${infra.vpc_id}\n",
    );
    repository.assert_refused(&[
        "error[not-a-resource]",
        "--> helm template apps/web:",
        "correct the template that writes this document",
    ]);
}

#[cfg(unix)]
#[test(tools)]
fn an_old_helm_that_fails_is_named_with_its_version() {
    use std::os::unix::fs::PermissionsExt;
    let mut repository = Repository::with("a: b\n", "  a: b\n");
    let script = "#!/bin/sh
if [ \"$1\" = version ]; then
    echo v3.14.0+g3fc9f4b
else
    echo 'Error: unknown flag: --skip-schema-validation' >&2
    exit 1
fi
";
    repository.write("bin/helm", script);
    let program = repository.at("bin/helm");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    repository.0.program = program;
    repository.assert_refused(&[
        "`helm template apps/web` failed: unknown flag: --skip-schema-validation",
        "this is Helm v3.14.0+g3fc9f4b, and landfall runs Helm 4",
    ]);
}

#[test(tools)]
fn missing_dependencies_are_not_downloaded() {
    let repository = Repository::with("a: b\n", "  a: b\n");
    repository.write(
        "apps/web/Chart.yaml",
        "apiVersion: v2
name: web
version: 1.0.0
dependencies: [{name: redis, version: 1.0.0, repository: \"https://charts.example.com\"}]
",
    );
    repository.assert_refused(&["missing in charts/", "run `helm dependency build`"]);
    repository.write(
        "apps/web/charts/redis/Chart.yaml",
        "apiVersion: v2\nname: redis\nversion: 1.0.0\n",
    );
    repository.write(
        "apps/web/charts/redis/templates/a.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: redis}\ndata: {vpc: \"${infra.vpc_id}\"}\n",
    );
    let manifests = repository.cmp(&[]).expect_stdout();
    assert!(manifests.contains("{vpc: \"vpc-0ab1\"}"), "{manifests}");
}

#[test(tools)]
fn definitions_and_tests_can_be_left_out() {
    let repository = Repository::with("a: b\n", "  a: b\n");
    repository.write(
        "apps/web/crds/web.yaml",
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: webs.example.com}\n",
    );
    repository.write(
        "apps/web/templates/tests/test.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: test, annotations: {helm.sh/hook: test}}\n",
    );
    let manifests = repository.cmp(&[]).expect_stdout();
    assert!(
        manifests.contains("CustomResourceDefinition"),
        "{manifests}"
    );
    assert!(manifests.contains("kind: Pod"), "{manifests}");
    repository.options("skipCrds: true, skipTests: true");
    repository.assert_data("  a: b\n");
}

/// Argo CD would prune the application.
#[test(tools)]
fn a_chart_without_manifests_is_an_error() {
    let repository = Repository::with("on: false\n", "");
    let nothing = "# only a comment\n{{- if .Values.on }}\nkind: ConfigMap\n{{- end }}\n";
    repository.write("apps/web/templates/settings.yaml", nothing);
    repository.assert_refused(&[
        "no-manifests",
        "`helm template apps/web` built no resources",
    ]);
}

#[test(tools)]
fn an_output_may_be_used_in_values_or_in_manifests() {
    let repository = Repository::with("a: ${infra.vpc_id}\n", "  b: ${infra.account_id}\n");
    repository.write(
        "apps/web/landfall.yaml",
        format!(
            "{BINDING}  contract: {{infra: {{vpc_id: {{unused: error}}, account_id: {{unused: error}}, zones: {{unused: error}}}}}}\n"
        ),
    );
    repository.assert_refused(&["unused output of `infra`: `zones`"]);
}

#[test(tools)]
fn field_bindings_select_manifests() {
    let repository = Repository::with("a: ${infra.vpc_id}\n", "  a: b\n");
    repository.write(
        "apps/web/landfall.yaml",
        format!(
            "{BINDING}  substitutions: [{{value: \"${{infra.vpc_id}}\", targets: [{{select: {{kind: ConfigMap}}, fieldPaths: [data.a]}}]}}]\n"
        ),
    );
    repository.assert_data("  a: vpc-0ab1\n");
}

#[test(tools)]
fn links_do_not_lead_out_of_the_root() {
    let repository = Repository::with("a: b\n", "  a: {{ .Files.Get \"hosts\" | quote }}\n");
    #[cfg(unix)]
    {
        let link = repository.at("apps/web/hosts");
        std::os::unix::fs::symlink("/etc/hosts", link).unwrap();
        repository.assert_refused(&["outside-root", "`apps/web/hosts`"]);
    }
}

#[test(tools)]
fn the_program_must_be_installed() {
    let repository = Repository::with("a: b\n", "  a: b\n");
    repository.options("releaseName: web, namespace: prod");
    let mut command = repository.command(&["render", "apps/web", "--root", "."]);
    finish(command.env("PATH", ""), b"").assert_input_error(&[
        "`spec.tool: helm` requires the program `helm`",
        "install Helm 4",
    ]);
}

#[test(tools)]
fn a_fleet_is_templated_for_each_cluster() {
    let repository = Repository::with(
        "vpc: ${infra.vpc_id}\n",
        "  vpc: {{ .Values.vpc }}\n  zone: ${infra.zones[0]}\n",
    );
    repository.options("releaseName: web, namespace: prod");
    for cluster in ["eu", "us"] {
        repository.write(
            &format!("clusters/{cluster}.json"),
            OUTPUTS.replace("vpc-0ab1", &format!("vpc-{cluster}")),
        );
    }
    let run = |arguments: &[&str]| {
        let mut command = repository.command(arguments);
        command.arg("--helm").arg(&repository.program);
        finish(command.args(["--root", "."]), b"")
    };
    let render = [
        "render",
        "apps/web",
        "--each",
        "clusters/*.json",
        "--output-dir",
        "out/{name}",
    ];
    run(&render).expect_stdout();
    for cluster in ["eu", "us"] {
        let alone = run(&[
            "render",
            "apps/web",
            "-b",
            &format!("clusters/{cluster}.json"),
        ])
        .expect_stdout();
        assert!(
            alone.contains(&format!("vpc: vpc-{cluster}\n  zone: a\n")),
            "{alone}"
        );
        assert_eq!(repository.read(&format!("out/{cluster}/helm.yaml")), alone);
    }
    repository.template("  vpc: {{ fail \"no\" }}\n");
    run(&render).assert_input_error(&["error[tool-failed]", "in all 2 clusters"]);
}

/// The post-renderer in `deploy/helm` gives standard input this name.
#[test]
fn what_helm_passes_to_a_post_renderer_is_located_by_template() {
    let folder = TestFolder::with_infra();
    let annotation = "postrenderer.helm.sh/postrender-filename";
    let config_map = |name: &str, metadata: &str, output: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}{metadata}}}\ndata: {{a: \"${{infra.{output}}}\"}}\n"
        )
    };
    let stream = [
        config_map(
            "a",
            &format!(", annotations: {{{annotation}: 'web/templates/a.yaml'}}"),
            "vpc_ib",
        ),
        config_map(
            "b",
            &format!(", annotations: {{{annotation}: web/templates/b.yaml}}"),
            "vpc_ic",
        ),
        config_map("c", "", "vpc_ie"),
    ]
    .join("---\n");
    let flags = ["render", "-", "-b", "infra.json", "--stdin-filename"];
    let run = |name: &str| folder.run_with_stdin(&[&flags[..], &[name]].concat(), &stream);
    run("helm-template").assert_input_error(&[
        " --> web/templates/a.yaml (line 4 of what Helm passes on)\n",
        " --> web/templates/b.yaml (line 9 of what Helm passes on)\n",
        " --> helm-template:14:20\n",
    ]);
    run("other").assert_input_error(&[" --> other:4:20\n"]);
}
