//! Folders with `spec.tool: kustomize`, built by the real kustomize.

use std::ops::Deref;
use std::process::Stdio;

use crate::run::{INFRA, finish};
use crate::tool::{ToolRepository, tool_binding};

const BINDING: &str = tool_binding!("kustomize");

/// A repository with the application `apps/web`.
struct Repository(ToolRepository);

impl Repository {
    fn new() -> Self {
        Self(ToolRepository::new("kustomize", BINDING, INFRA, &[]))
    }

    /// A repository with this kustomization of the application.
    fn with(kustomization: &str) -> Self {
        let repository = Self::new();
        repository.write("apps/web/kustomization.yaml", kustomization);
        repository
    }
}

impl Deref for Repository {
    type Target = ToolRepository;

    fn deref(&self) -> &ToolRepository {
        &self.0
    }
}

const DEPLOYMENT: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: web
        image: nginx
        args: [--vpc, \"${infra.vpc_id}\"]
        envFrom:
        - configMapRef: {name: settings}
";

#[test(tools)]
fn resources_patches_and_generators_are_rendered() {
    let repository = Repository::with(
        "resources: [../../base]
namePrefix: prod-
patches:
- path: patch.yaml
- target: {kind: Deployment}
  patch: |-
    - op: replace
      path: /spec/replicas
      value: ${infra.replicas}
configMapGenerator:
- name: settings
  literals: [\"vpc=${infra.vpc_id}\"]
  files: [app.properties, app.yaml]
  envs: [.env]
",
    );
    repository.write("base/kustomization.yaml", "resources: [deployment.yaml]\n");
    repository.write("base/deployment.yaml", DEPLOYMENT);
    repository.write(
        "apps/web/patch.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  annotations: {replicas: ${infra.replicas}}\n",
    );
    repository.write(
        "apps/web/app.properties",
        "[a]\nvpc = ${infra.vpc_id} # kept\n",
    );
    repository.write("apps/web/app.yaml", "subnets: ${infra.subnets}\n");
    repository.write("apps/web/.env", "VPC=${infra.vpc_id}\n");
    let expected = snapbox::str![[r#"
apiVersion: v1
data:
  VPC: vpc-0ab1
  app.properties: |
    [a]
    vpc = vpc-0ab1 # kept
  app.yaml: |
    subnets:
      - subnet-1
      - subnet-2
  vpc: vpc-0ab1
kind: ConfigMap
metadata:
  name: prod-settings-4dt88f99fb
---
apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    replicas: "3"
  name: prod-web
spec:
  replicas: 3
  template:
    spec:
      containers:
      - args:
        - --vpc
        - vpc-0ab1
        envFrom:
        - configMapRef:
            name: prod-settings-4dt88f99fb
        image: nginx
        name: web

"#]];
    snapbox::assert_data_eq!(repository.cmp(&[]).expect_stdout(), expected);
    // Nothing of the repository was changed.
    assert_eq!(repository.read("base/deployment.yaml"), DEPLOYMENT);
}

#[test(tools)]
fn schemas_type_the_fields_of_resources() {
    let repository = Repository::with("resources: [web.yaml]\n");
    repository.write(
        "apps/web/landfall.yaml",
        format!("{BINDING}  schemas: [../../crds/web.yaml]\n"),
    );
    repository.write(
        "crds/web.yaml",
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: webs.example.com}
spec:
  group: example.com
  names: {kind: Web, plural: webs}
  versions:
  - name: v1
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: string}}}}}}
",
    );
    repository.write(
        "apps/web/web.yaml",
        "apiVersion: example.com/v1\nkind: Web\nmetadata: {name: web}\nspec: {size: \"${infra.replicas}\"}\n",
    );
    let quoted = repository.cmp(&[]).expect_stdout();
    assert!(quoted.contains("size: \"3\""), "{quoted}");
    assert!(!quoted.contains("CustomResourceDefinition"), "{quoted}");
    repository.write(
        "apps/web/web.yaml",
        "apiVersion: example.com/v1\nkind: Web\nmetadata: {name: web}\nspec: {size: ${infra.replicas}}\n",
    );
    assert_eq!(repository.cmp(&[]).expect_stdout(), quoted);
}

#[test(tools)]
fn new_outputs_give_new_names() {
    let repository =
        Repository::with("configMapGenerator: [{name: settings, files: [app.properties]}]\n");
    repository.write("apps/web/app.properties", "vpc = ${infra.vpc_id}\n");
    let name = |built: String| {
        let mut words = built.split_whitespace();
        let name = words.find(|word| word.starts_with("settings-"));
        name.unwrap().to_owned()
    };
    let first = name(repository.cmp(&[]).expect_stdout());
    assert_eq!(name(repository.cmp(&[]).expect_stdout()), first);
    repository.write("outputs/infra.json", INFRA.replace("vpc-0ab1", "vpc-0cd2"));
    assert_ne!(name(repository.cmp(&[]).expect_stdout()), first);
}

#[test(tools)]
fn a_mistake_is_reported_in_the_file_of_the_repository() {
    let repository = Repository::with(
        "resources: [../../base]
configMapGenerator:
- name: settings
  literals: [\"vpc=${infra.vpc_ib}\"]
  files: [app.properties]
",
    );
    repository.write("base/kustomization.yaml", "resources: [a.yaml]\n");
    repository.write(
        "base/a.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: \"${infra.vpc_ia}\"}\n",
    );
    repository.write("apps/web/app.properties", "[a]\nvpc = ${infra.vpc_ic}\n");
    repository.assert_refused(&[
        "--> apps/web/kustomization.yaml:4:27",
        "note: base/a.yaml:4:20: `infra` has no output `vpc_ia`",
        "note: apps/web/app.properties:2:15: `infra` has no output `vpc_ic`",
    ]);
    let kustomization = "configMapGenerator: [{name: settings, files: [app.properties]}]\n";
    repository.write("apps/web/kustomization.yaml", kustomization);
    repository.assert_refused(&[
        "--> apps/web/app.properties:2:15",
        "in ConfigMap settings, field data[\"app.properties\"]",
    ]);
}

#[test(tools)]
fn sensitive_values_go_into_secrets_only() {
    let secret = "secretGenerator: [{name: db, files: [password], options: {disableNameSuffixHash: true}}]\n";
    let repository = Repository::with(secret);
    repository.write("apps/web/password", "${infra.password}");
    repository.assert_refused(&["sensitive-output", "--> apps/web/password:1:"]);
    let built = repository.cmp(&["--operator-policy", "../../policy.yaml"]);
    // `hunter2`
    assert!(built.expect_stdout().contains("password: aHVudGVyMg=="));

    // What looks like a Secret is text where a ConfigMap is generated.
    let config = "configMapGenerator: [{name: db, files: [secret.yaml]}]\n";
    repository.write("apps/web/kustomization.yaml", config);
    let manifest = "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nstringData: {password: \"${infra.password}\"}\n";
    repository.write("apps/web/secret.yaml", manifest);
    let refused = |parts: &[&str]| {
        let run = repository.cmp(&["--operator-policy", "../../policy.yaml"]);
        run.assert_input_error(parts);
        assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
    };
    refused(&["sensitive-output", "--> apps/web/secret.yaml:4:"]);
    // Also if it is a resource at the same time.
    repository.write(
        "apps/web/kustomization.yaml",
        format!("resources: [secret.yaml]\n{config}"),
    );
    refused(&["sensitive-output", "--> apps/web/secret.yaml:4:"]);
    // And in the kustomization itself.
    repository.write(
        "apps/web/kustomization.yaml",
        "secretGenerator: [{name: db, literals: [\"password=${infra.password}\"]}]\n",
    );
    refused(&["sensitive-output", "--> apps/web/kustomization.yaml:1:"]);
}

const SECRET: &str = "apiVersion: v1
kind: Secret
metadata: {name: db}
stringData: {url: \"pg://u:${infra.token}@db\"}
";

const TOKEN: &str = r#"{
  "token": {"sensitive": true, "type": "string", "value": "correct-horse-battery"},
  "kind": {"sensitive": false, "type": "string", "value": "ConfigMap"}
}"#;

#[test(tools)]
fn kustomize_cannot_copy_a_sensitive_value_out_of_its_secret() {
    let repository = Repository::with(
        "resources: [secret.yaml, config.yaml]
replacements:
- source: {kind: Secret, fieldPath: stringData.url}
  targets:
  - select: {kind: ConfigMap}
    fieldPaths: [data.url]
",
    );
    repository.write("outputs/infra.json", TOKEN);
    repository.write("apps/web/secret.yaml", SECRET);
    repository.write(
        "apps/web/config.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {url: none}\n",
    );
    let run = repository.cmp(&["--operator-policy", "../../policy.yaml"]);
    run.assert_input_error(&[
        "error[sensitive-output]: a sensitive value was copied to a field that may not contain it",
        "--> kustomize build apps/web:",
        "in ConfigMap web, field data.url",
    ]);
    assert!(!run.stderr.contains("horse"), "{}", run.stderr);
}

/// kustomize has encoded what it generates.
#[test(tools)]
fn base64_is_not_copied_out_of_a_secret() {
    let repository = Repository::with(
        "resources: [config.yaml]
secretGenerator: [{name: db, files: [password]}]
replacements:
- source: {kind: Secret, fieldPath: data.password}
  targets:
  - select: {kind: ConfigMap}
    fieldPaths: [data.url]
",
    );
    repository.write("outputs/infra.json", TOKEN);
    repository.write("apps/web/password", "${infra.token}");
    repository.write(
        "apps/web/config.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {url: none}\n",
    );
    let run = repository.cmp(&["--operator-policy", "../../policy.yaml"]);
    run.assert_input_error(&["error[sensitive-output]", "was copied"]);
}

/// A user name is often a part of a sensitive output, and of manifests.
#[test(tools)]
fn a_sensitive_value_that_was_written_by_hand_is_not_a_copy() {
    let repository = Repository::with("resources: [secret.yaml, config.yaml]\n");
    repository.write("outputs/infra.json", TOKEN);
    repository.write("apps/web/secret.yaml", SECRET);
    repository.write(
        "apps/web/config.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {user: correct-horse-battery}\n",
    );
    let run = repository.cmp(&["--operator-policy", "../../policy.yaml"]);
    assert!(
        run.expect_stdout()
            .contains("pg://u:correct-horse-battery@db")
    );
}

#[test(tools)]
fn a_message_of_kustomize_shows_no_sensitive_value() {
    // kustomize quotes a scalar in which it looks for a field.
    let repository = Repository::with(
        "resources: [secret.yaml]
replacements:
- source: {kind: Secret, fieldPath: stringData.url.none}
  targets: [{select: {kind: Secret}, fieldPaths: [metadata.name]}]
",
    );
    repository.write("outputs/infra.json", TOKEN);
    repository.write("apps/web/secret.yaml", SECRET);
    let run = repository.cmp(&["--operator-policy", "../../policy.yaml"]);
    run.assert_input_error(&[
        "tool-failed",
        "`kustomize build apps/web` failed",
        "pg://u:SENSITIV",
    ]);
    assert!(!run.stderr.contains("horse"), "{}", run.stderr);
}

/// kustomize would copy outputs that no manifest references.
#[test(tools)]
fn bound_outputs_and_bindings_are_read_by_landfall_alone() {
    let repository = Repository::new();
    let refused = |kustomization: &str, role: &str| {
        repository.write("apps/web/kustomization.yaml", kustomization);
        repository.assert_refused(&[
            "error[invalid-kustomization]",
            role,
            "--> apps/web/kustomization.yaml:1:",
        ]);
    };
    let outputs = "`outputs/infra.json` is a bound outputs document";
    let file = "../../outputs/infra.json";
    for generator in ["configMapGenerator", "secretGenerator"] {
        for entry in [
            format!("files: [{file}]"),
            format!("files: ['a={file}']"),
            format!("envs: [{file}]"),
            format!("env: {file}"),
        ] {
            refused(&format!("{generator}: [{{name: a, {entry}}}]\n"), outputs);
        }
    }
    refused(&format!("resources: [{file}]\n"), outputs);
    refused(&format!("patches: [{{path: {file}}}]\n"), outputs);
    let inline = format!(
        "{BINDING}    - name: own\n      from: {{inline: {{token: horse}}}}\n      sensitive: [token]\n"
    );
    repository.write("apps/web/landfall.yaml", inline);
    let files = |path: &str| format!("configMapGenerator: [{{name: a, files: [{path}]}}]\n");
    refused(
        &files("landfall.yaml"),
        "`apps/web/landfall.yaml` is a Binding",
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(file, repository.at("apps/web/linked")).unwrap();
        refused(
            &files("linked"),
            "`apps/web/linked` is a bound outputs document",
        );
    }
    // Documents that another parameter would choose, or that a flag names.
    let binding = BINDING.replace("../../outputs/infra.json", "'../../outputs/{cluster}.json'");
    repository.write("apps/web/landfall.yaml", binding);
    repository.write("outputs/other.json", INFRA);
    let other = files("../../outputs/other.json");
    repository.write("apps/web/kustomization.yaml", other);
    let parameters = r#"[{"name": "cluster", "string": "infra"}]"#;
    let is_bound = ["`outputs/other.json` is a bound outputs document"];
    repository
        .with_variable("ARGOCD_APP_PARAMETERS", parameters, &[])
        .assert_input_error(&is_bound);
    repository.write("apps/web/landfall.yaml", BINDING);
    repository
        .cmp(&["-b", "other=../../outputs/other.json"])
        .assert_input_error(&is_bound);
}

/// Excerpts show lines, and the inputs of a `secretGenerator` are secrets.
#[test(tools)]
fn excerpts_show_no_secret_of_a_generator() {
    let repository = Repository::new();
    let refused = |at: &str| {
        let run = repository.cmp(&[]);
        run.assert_input_error(&[
            "error[invalid-kustomization]",
            &format!("--> apps/web/{at}"),
        ]);
        assert!(!run.stderr.contains("-LIT"), "{}", run.stderr);
    };
    let envs = "secretGenerator: [{name: a, envs: [.env]}]\n";
    repository.write("apps/web/kustomization.yaml", envs);
    for (lines, at) in [
        ("${infra.vpc_id}=y-LIT", "2:1"),
        ("B-LIT ${infra.vpc_id}", "2:1"),
        ("B=\0-LIT${infra.vpc_id}", "2:8"),
        ("B=${infra.lines}-LIT", "2:3"),
    ] {
        repository.write(
            "outputs/infra.json",
            r#"{"vpc_id": {"value": "v"}, "lines": {"value": "a\nb"}}"#,
        );
        repository.write("apps/web/.env", format!("TOKEN=old-LIT\n{lines}\nC=-LIT\n"));
        refused(&format!(".env:{at}"));
    }
    let literals = "secretGenerator:\n- name: a\n  literals:\n  - TOKEN=x-LIT";
    for (kustomization, at) in [
        (format!("{literals}: y: z\n"), "4:"),
        (format!("{literals}\n  literals: [A=-LIT]\n"), "5:3"),
        (format!("{literals}\n  - !t B=-LIT\n"), "5:5"),
        (format!("{literals}\n  - {{A=-LIT: !t -LIT}}\n"), "5:"),
        (format!("{literals}\n  - {{<<: {{A: -LIT}}}}\n"), "5:"),
        (format!("{literals}\n---\na: -LIT\n"), "5:"),
        (literals.replace("secretG", "secretg"), "1:1"),
        (literals.replace("secretG", "\u{17f}ecretG"), "1:1"),
        (format!("\"{}: y: z\n", literals.replacen("etG", "et\\x47", 1).replacen(':', "\":", 1)), "4:"),
        ("secretGenerator: [{literals: [A=-LIT], files: ['http://x']}]\n".to_owned(), "1:"),
        ("generators: [\"apiVersion: builtin\\nkind: SecretGenerator\\nliterals: [!t A=-LIT]\"]\n".to_owned(), "1:"),
        ("patches: [{patch: '{kind: Secret, data: {A: -LIT}}', path: 'http://x'}]\n".to_owned(), "1:"),
    ] {
        repository.write("apps/web/kustomization.yaml", kustomization);
        refused(&format!("kustomization.yaml:{at}"));
    }
    repository.write("apps/web/kustomization.yaml", "generators: [a.yaml]\n");
    let plugin =
        "apiVersion: builtin\nkind: SecretGenerator\nmetadata: {name: a}\nliterals: [A=-LIT";
    for rest in [
        ": y: z]",
        ", !t B=-LIT]",
        "]\nliterals: [B=-LIT]",
        "]\nenvs: ['http://x-LIT']",
    ] {
        repository.write(
            "apps/web/a.yaml",
            format!("{plugin}{rest}\n").replace("x-LIT", "x"),
        );
        refused("a.yaml:");
    }
    let reference = format!("{plugin}, '${{infra.none}}']\n");
    repository.write("apps/web/a.yaml", reference);
    let run = repository.cmp(&[]);
    run.assert_input_error(&["error[unknown-output]", "--> apps/web/a.yaml:4:"]);
    assert!(!run.stderr.contains("-LIT"), "{}", run.stderr);
    // The same in a ConfigMap shows where the mistake is.
    repository.write(
        "apps/web/kustomization.yaml",
        envs.replace("secret", "configMap"),
    );
    repository.write("apps/web/.env", "A=b\n${infra.vpc_id}=y\n");
    repository.assert_refused(&["--> apps/web/.env:2:1", "2 | ${infra.vpc_id}=y"]);
}

#[test(tools)]
fn variables_of_envs_are_values_of_a_config_map() {
    let repository =
        Repository::with("configMapGenerator: [{name: a, envs: [.env], files: [a.txt]}]\n");
    // In text, the names of another language.
    repository.write("apps/web/a.txt", "echo ${network.vpc_id}\n");
    let refused = |variable: &str, parts: &[&str]| {
        let lines = format!("# ${{other.x}}\nA=it's \"1\n{variable}\nC=1\n");
        repository.write("apps/web/.env", lines);
        let run = repository.cmp(&[]);
        run.assert_input_error(&[parts, &["error: 1 error"]].concat());
    };
    for (variable, column) in [
        ("K=${network.vpc_id}", 5),
        ("K=it's ${network.vpc_id}", 10),
        ("K='\\' ${network.vpc_id}", 9),
        ("K=\"${network.vpc_id}\" ${infra.vpc_id}", 6),
    ] {
        let at = format!("--> apps/web/.env:3:{column}");
        let parts = [
            "error[unbound-reference]: nothing is bound to `network`",
            &at,
        ];
        refused(variable, &parts);
    }
    let parts = ["error[near-miss]", "did you mean `infra`", ".env:3:5"];
    refused("K=${infr.vpc_id}", &parts);
    for (setter, column) in [
        ("K=old # landfall: ${infra.vpc_id}", 19),
        ("#landfall: ${infra.vpc_id}", 12),
    ] {
        let at = format!(".env:3:{column}");
        refused(setter, &["a setter comment works only in YAML", &at]);
    }
    let message =
        "error[invalid-kustomization]: a setter comment sets nothing in the input of `envs`";
    refused("K=old # kpt-set: ${x}", &[message, ".env:3:7"]);
    let binding = format!("{BINDING}  foreign: [network]\n");
    repository.write("apps/web/landfall.yaml", binding);
    repository.write("apps/web/.env", "A=${infra.vpc_id}\nB=${network.x}\n");
    let built = repository.cmp(&[]).expect_stdout();
    assert!(
        built.contains("  A: vpc-0ab1\n  B: ${network.x}\n"),
        "{built}"
    );
}

#[test(tools)]
fn nothing_is_read_from_outside_the_repository() {
    let repository = Repository::new();
    let refused = |kustomization: &str, parts: &[&str]| {
        repository.write("apps/web/kustomization.yaml", kustomization);
        repository.assert_refused(parts);
    };
    let at = "--> apps/web/kustomization.yaml:1:";
    for remote in [
        "https://example.com/base.yaml",
        "github.com/example/repository//base?ref=v1",
        "git@example.com:example/repository.git",
        "example.com/repository//base?ref=v1",
    ] {
        let message = format!("`{remote}` is remote");
        refused(&format!("resources: ['{remote}']\n"), &[&message, at]);
        refused(&format!("components: ['{remote}']\n"), &[&message, at]);
        refused(
            &format!("patches: [{{path: '{remote}'}}]\n"),
            &[&message, at],
        );
    }
    refused(
        "configMapGenerator: [{files: ['x=https://example.com/x']}]\n",
        &["is remote", at],
    );
    refused(
        "resources: [../../../base]\n",
        &["outside-root", "is outside the root", at],
    );
    refused(
        "configMapGenerator: [{name: x, envs: [../../../.env]}]\n",
        &["outside-root", at],
    );
    refused(
        "patches: [{path: /etc/passwd}]\n",
        &["outside-root", "is an absolute path", at],
    );
    refused(
        "crds: [gone.json]\n",
        &["missing-file", "`apps/web/gone.json` does not exist", at],
    );
}

#[cfg(unix)]
#[test(tools)]
fn links_do_not_lead_out_of_the_repository() {
    use std::os::unix::fs::symlink;
    let repository = Repository::with("resources: [link.yaml]\n");
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("a.yaml"), DEPLOYMENT).unwrap();
    std::fs::write(
        outside.path().join("kustomization.yaml"),
        "resources: [a.yaml]\n",
    )
    .unwrap();
    let link = |target: &std::path::Path, name: &str| {
        symlink(target, repository.at(&format!("apps/web/{name}"))).unwrap();
    };
    link(&outside.path().join("a.yaml"), "link.yaml");
    link(outside.path(), "link");
    repository.assert_refused(&[
        "outside-root",
        "`apps/web/link.yaml` is a link that points outside",
    ]);
    for entry in [
        "resources: [link]",
        "components: [link]",
        "configMapGenerator: [{name: x, files: [link/a.yaml]}]",
    ] {
        repository.write("apps/web/kustomization.yaml", format!("{entry}\n"));
        repository.assert_refused(&["outside-root", "link that points outside"]);
    }
    // Inside, a file may be a link, and a folder is named itself.
    repository.write("shared/kustomization.yaml", "resources: [a.yaml]\n");
    repository.write("shared/a.yaml", DEPLOYMENT);
    link("../../shared/a.yaml".as_ref(), "inside.yaml");
    link("../../shared".as_ref(), "inside");
    repository.write("apps/web/kustomization.yaml", "resources: [inside.yaml]\n");
    assert!(repository.cmp(&[]).expect_stdout().contains("vpc-0ab1"));
    repository.write("apps/web/kustomization.yaml", "resources: [inside]\n");
    repository.assert_refused(&[
        "is reached through a link",
        "name the folder itself: `shared`",
    ]);
}

#[cfg(unix)]
#[test(tools)]
fn a_named_pipe_is_not_read() {
    let repository = Repository::with("configMapGenerator: [{name: x, files: [pipe]}]\n");
    let pipe = repository.at("apps/web/pipe");
    let made = std::process::Command::new("mkfifo").arg(pipe).status();
    assert!(made.unwrap().success());
    repository.assert_refused(&["unreadable-file", "`apps/web/pipe` is a named pipe"]);
}

#[test(tools)]
fn no_program_of_the_author_runs() {
    let repository = Repository::with("resources: [a.yaml]\ntransformers: [exec.yaml]\n");
    repository.write("apps/web/a.yaml", DEPLOYMENT);
    let function = |spec: &str| {
        format!(
            "apiVersion: example.com/v1\nkind: Evil\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: '{spec}'\n"
        )
    };
    for spec in ["exec: {path: ./evil}", "container: {image: evil}"] {
        repository.write("apps/web/exec.yaml", function(spec));
        repository.assert_refused(&[
            "invalid-kustomization",
            "landfall does not run `Evil`, a plugin of kustomize",
            "--> apps/web/exec.yaml:1:1",
        ]);
    }
    // Through a kustomization that configures the plugin.
    repository.write(
        "apps/web/t/kustomization.yaml",
        "resources: [../exec.yaml]\n",
    );
    repository.write(
        "apps/web/kustomization.yaml",
        "resources: [a.yaml]\nvalidators: [t]\n",
    );
    repository.assert_refused(&["`Evil`, a plugin of kustomize"]);
    for charts in [
        "helmCharts: [{name: x}]",
        "helmChartInflationGenerator: [{chartName: x}]",
        "generators: ['{apiVersion: builtin, kind: HelmChartInflationGenerator, metadata: {name: x}, name: x}']",
    ] {
        repository.write("apps/web/kustomization.yaml", format!("{charts}\n"));
        repository.assert_refused(&[
            "kustomize is run without Helm",
            "--> apps/web/kustomization.yaml:1:",
        ]);
    }
}

/// A configuration that a kustomization assembles would not be seen before kustomize runs.
#[test(tools)]
fn plugins_are_configured_by_files_alone() {
    let repository = Repository::with("resources: [a.yaml]\ntransformers: [t]\n");
    repository.write("apps/web/a.yaml", DEPLOYMENT);
    repository.write(
        "apps/web/t/t.yaml",
        "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: t}\nprefix: prod-\nfieldSpecs: [{path: metadata/name}]\n",
    );
    let path = "[{op: replace, path: /kind, value: PatchTransformer}, {op: add, path: /path, value: /etc/passwd}]";
    repository.write(
        "apps/web/t/kustomization.yaml",
        format!("resources: [t.yaml]\npatches: [{{target: {{name: t}}, patch: '{path}'}}]\n"),
    );
    repository.assert_refused(&[
        "a kustomization that configures plugins cannot have `patches`",
        "--> apps/web/t/kustomization.yaml:2:1",
    ]);
    repository.write("apps/web/t/kustomization.yaml", "resources: [t.yaml]\n");
    let built = repository.cmp(&[]).expect_stdout();
    assert!(built.contains("name: prod-web\n"), "{built}");
    // Without its restriction, kustomize would read any file of the machine.
    repository.write(
        "shared.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\n",
    );
    repository.write(
        "apps/web/kustomization.yaml",
        "resources: [a.yaml, ../../shared.yaml]\ntransformers: [t]\n",
    );
    repository.assert_refused(&["`../../shared.yaml` is outside the folder of its kustomization"]);
    repository.write(
        "apps/web/kustomization.yaml",
        "resources: [a.yaml, ../../shared.yaml]\n",
    );
    assert!(repository.cmp(&[]).expect_stdout().contains("name: shared"));
}

/// go-yaml ends a comment at these characters, so that what follows would be read.
#[test(tools)]
fn a_comment_hides_nothing_from_landfall() {
    let repository = Repository::with("generators: [g.yaml]\n");
    let generator = "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: g}\n";
    for line_break in ['\u{85}', '\u{2028}', '\u{2029}'] {
        let hidden = format!("{generator}# x{line_break}files: [\"k=http://127.0.0.1:1/s\"]\n");
        repository.write("apps/web/g.yaml", hidden);
        repository.assert_refused(&["YAML readers disagree about U+"]);
    }
    for escape in ["\\N", "\\L", "\\P"] {
        let inline = format!("{generator}# x").replace('\n', "\\n");
        let inline = format!("generators: [\"{inline}{escape}files: [k=http://127.0.0.1:1/s]\"]\n");
        repository.write("apps/web/kustomization.yaml", inline);
        repository.assert_refused(&["YAML readers disagree about U+"]);
    }
}

#[test(tools)]
fn a_cycle_is_an_error() {
    let repository = Repository::with("resources: [../../base]\n");
    repository.write("base/kustomization.yaml", "resources: [../apps/web]\n");
    repository.assert_refused(&[
        "`apps/web` includes itself",
        "--> base/kustomization.yaml:1:",
    ]);
    repository.write("apps/web/kustomization.yaml", "resources: [..]\n");
    repository.assert_refused(&["`apps` includes itself"]);
}

#[test(tools)]
fn values_change_nothing_that_kustomize_reads() {
    let repository = Repository::new();
    // What looks like a placeholder hides nothing.
    repository.write("apps/web/a.yaml", DEPLOYMENT);
    repository.write("apps/web/kustomization.yaml", "resources: [a.yaml]\npatches: [{patch: '${'}, {path: 'http://localhost:1/x'}, {patch: '}'}]\n");
    repository.assert_refused(&["values change what this kustomization reads"]);
    repository.write(
        "outputs/infra.json",
        r#"{
  "path": {"sensitive": false, "type": "string", "value": "/etc/passwd"},
  "quoted": {"sensitive": false, "type": "string", "value": "\"x\""},
  "pair": {"sensitive": false, "type": "string", "value": "a=b"},
  "lines": {"sensitive": false, "type": "string", "value": "a\nEVIL=b"},
  "patch": {"sensitive": false, "type": "string", "value": "a\nkind: Evil"}
}"#,
    );
    repository.write("apps/web/.env", "A=${infra.lines}\n");
    let refused = |kustomization: &str, parts: &[&str]| {
        repository.write("apps/web/kustomization.yaml", kustomization);
        repository.assert_refused(parts);
    };
    refused(
        "resources: [\"${infra.path}\"]\n",
        &["a path of a kustomization contains a placeholder"],
    );
    refused(
        "configMapGenerator: [{name: x, literals: [\"a=${infra.quoted}\"]}]\n",
        &["values change what this kustomization reads"],
    );
    refused(
        "configMapGenerator: [{name: x, envs: [.env]}]\n",
        &[
            "a value with a line break would add a variable",
            "apps/web/.env",
        ],
    );
    let names = "a reference is only allowed in the value of a variable, after its `=`";
    for env in [
        "A=1\n${infra.pair}\n",
        "${infra.pair}=1\n",
        "A_${infra.pair}=1",
    ] {
        repository.write("apps/web/.env", env);
        refused("configMapGenerator: [{name: x, envs: [.env]}]\n", &[names]);
        refused("secretGenerator: [{name: x, envs: [.env]}]\n", &[names]);
    }
    for literal in ["${infra.pair}", "${infra.pair}=1"] {
        refused(
            &format!("configMapGenerator: [{{name: x, literals: ['{literal}']}}]\n"),
            &["values change what this kustomization reads"],
        );
    }
    // A value in an inline patch stays a value.
    repository.write(
        "apps/web/a.yaml",
        DEPLOYMENT.replace("${infra.vpc_id}", "x"),
    );
    repository.write("apps/web/kustomization.yaml", "resources: [a.yaml]\npatches:\n- patch: |-\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata:\n      name: web\n      annotations:\n        a: ${infra.patch}\n");
    let built = repository.cmp(&[]).expect_stdout();
    assert!(
        built.contains("kind: Deployment") && built.contains("      kind: Evil\n"),
        "{built}"
    );
}

const VARS: &str = "resources: [deployment.yaml]
vars:
- name: NAME
  objref: {apiVersion: apps/v1, kind: Deployment, name: web}
  fieldref: {fieldpath: metadata.name}
";

/// Returns an outputs document with this VPC.
fn vpc(value: &str) -> String {
    serde_json::json!({"vpc_id": {"sensitive": false, "value": value}}).to_string()
}

/// A value is not text of the author: `$(NAME)` in it names no var.
#[test(tools)]
fn vars_of_kustomize_do_not_expand_values() {
    let repository = Repository::with(VARS);
    let deployment = DEPLOYMENT.replace("[--vpc, ", "[--name=$(NAME), --vpc, ");
    repository.write("apps/web/deployment.yaml", &deployment);
    for value in ["vpc-0ab1", "(NAME)"] {
        repository.write("outputs/infra.json", vpc(value));
        let built = repository.cmp(&[]).expect_stdout();
        let expected = format!("- --name=web\n        - --vpc\n        - {value}\n");
        assert!(built.contains(&expected), "{built}");
    }
    // In the arguments of a container `$1` is written as `$$1`, which kustomize would undo.
    for value in ["$(NAME)", "a$(NAME)b", "$(OTHER)", "$$(NAME)", "a$$b", "$1"] {
        repository.write("outputs/infra.json", vpc(value));
        repository.assert_refused(&[
            "error[invalid-kustomization]: kustomize would change a `$` in this value",
            "--> apps/web/deployment.yaml:12:",
            "kustomize edit fix --vars",
        ]);
    }
    repository.write("outputs/infra.json", vpc("a$$b"));
    // The vars of a base apply to everything.
    repository.write("base/kustomization.yaml", VARS);
    repository.write("base/deployment.yaml", &deployment);
    let overlay = "resources: [../../base]\nconfigMapGenerator: [{name: a, files: [a.txt]}]\n";
    repository.write("apps/web/kustomization.yaml", overlay);
    repository.write("apps/web/a.txt", "vpc: ${infra.vpc_id}");
    repository.assert_refused(&["--> base/deployment.yaml:12:", "also at apps/web/a.txt:1:"]);

    // Elsewhere a single `$` is harmless.
    repository.write("outputs/infra.json", vpc("$1"));
    repository.write(
        "base/deployment.yaml",
        DEPLOYMENT.replace("${infra.vpc_id}", "$(NAME)"),
    );
    let built = repository.cmp(&[]).expect_stdout();
    assert!(built.contains("  a.txt: 'vpc: $1'\n"), "{built}");

    // Without vars, kustomize expands nothing.
    repository.write("outputs/infra.json", vpc("a$$b"));
    repository.write(
        "apps/web/kustomization.yaml",
        "resources: [deployment.yaml]\n",
    );
    let built = repository.cmp(&[]).expect_stdout();
    assert!(
        built.contains("- --name=$(NAME)\n        - --vpc\n        - a$$$$b\n"),
        "{built}"
    );
}

#[test(tools)]
fn binary_files_are_copied() {
    let repository = Repository::with(
        "configMapGenerator: [{name: x, files: [a.bin, b.txt], options: {disableNameSuffixHash: true}}]\n",
    );
    repository.write("apps/web/a.bin", b"\x00\xff");
    repository.write("apps/web/b.txt", "a\r\n");
    let built = repository.cmp(&[]).expect_stdout();
    assert!(
        built.contains("binaryData:\n  a.bin: AP8=\n") && built.contains("a\\r\\n"),
        "{built}"
    );
    repository.write("apps/web/b.txt", "vpc = ${infra.vpc_id}\r\n");
    repository.assert_refused(&[
        "references cannot be rendered in this file",
        "--> apps/web/b.txt:1:7",
    ]);
}

#[test(tools)]
fn references_that_are_left_are_errors() {
    let repository = Repository::with("resources: [a.yaml]\n");
    let config =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: \"$${infra.vpc_id}\"}\n";
    repository.write("apps/web/a.yaml", config);
    repository.assert_refused(&[
        "unrendered-reference",
        "--> kustomize build apps/web:3:",
        "a value contains it, it was escaped",
        "landfall.dev/substitute: disabled",
    ]);
    repository.write(
        "apps/web/a.yaml",
        config.replace("$$", "$").replace(
            "{name: a}",
            "{name: a, annotations: {landfall.dev/substitute: disabled}}",
        ),
    );
    assert!(
        repository
            .cmp(&[])
            .expect_stdout()
            .contains("${infra.vpc_id}")
    );
}

/// As in what is piped from kustomize to landfall.
#[test(tools)]
fn an_escape_of_flux_is_text() {
    let repository = Repository::with("resources: [../../base]\npatches: [{path: patch.yaml}]\n");
    let binding = BINDING.replace("  outputs:", "  dialect: flux\n  outputs:");
    repository.write("apps/web/landfall.yaml", binding);
    repository.write("base/kustomization.yaml", "resources: [a.yaml]\n");
    let config =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: $${HOME:-x} ${vpc_id}\n";
    repository.write("base/a.yaml", config);
    let patch = config.replace("a: $${HOME:-x} ${vpc_id}", "b: $${x}");
    repository.write("apps/web/patch.yaml", patch);
    let mut kustomize = std::process::Command::new(&repository.program);
    kustomize
        .args(["build", "apps/web"])
        .current_dir(repository.path());
    let built = kustomize.output().unwrap().stdout;
    let flags = [
        "render",
        "-",
        "--dialect",
        "flux",
        "-b",
        "outputs/infra.json",
    ];
    let piped = repository.run_with_stdin(&flags, built).expect_stdout();
    assert!(
        piped.contains("a: ${HOME:-x} vpc-0ab1\n  b: ${x}\n"),
        "{piped}"
    );
    assert_eq!(repository.cmp(&[]).expect_stdout(), piped);
    // What kustomize assembles is not.
    let half = config.replace("$${HOME:-x} ${vpc_id}", "'$'");
    repository.write("base/a.yaml", half);
    repository.write(
        "apps/web/kustomization.yaml",
        "resources: [../../base, c.yaml]\nreplacements:\n- source: {kind: ConfigMap, name: c, fieldPath: data.c}\n  targets:\n  - select: {kind: ConfigMap, name: a}\n    fieldPaths: [data.a]\n    options: {delimiter: '$', index: 1}\n",
    );
    repository.write(
        "apps/web/c.yaml",
        config
            .replace("name: a", "name: c")
            .replace("a: $${HOME:-x} ${vpc_id}", "c: '{vpc_id}'"),
    );
    repository.assert_refused(&["unrendered-reference"]);
}

#[test(tools)]
fn a_base_beside_its_overlays_is_no_warning() {
    let repository = Repository::with("resources: [../base]\n");
    repository.write("apps/base/kustomization.yaml", "resources: [a.yaml]\n");
    repository.write("apps/base/a.yaml", DEPLOYMENT);
    for command in ["explain", "adopt"] {
        repository
            .run(&[command, "apps", "--root", "."])
            .expect_stdout();
    }
}

#[test(tools)]
fn a_fleet_is_built_for_each_cluster() {
    let repository = Repository::with(
        "resources: [a.yaml]\nconfigMapGenerator: [{name: settings, files: [app.properties]}]\nsecretGenerator: [{name: db, files: [password.txt]}]\n",
    );
    repository.write("apps/web/a.yaml", DEPLOYMENT);
    repository.write(
        "apps/web/app.properties",
        "vpc = ${infra.vpc_id}\ncluster = ${network.name}\n",
    );
    repository.write("apps/web/password.txt", "${infra.password}");
    let binding = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  tool: kustomize\n  outputs:\n  - {name: network, from: {file: \"../../network/{name}.json\"}}\n";
    repository.write("apps/web/landfall.yaml", binding);
    for cluster in ["eu", "us"] {
        let outputs = INFRA.replace("vpc-0ab1", &format!("vpc-{cluster}"));
        repository.write(
            &format!("clusters/{cluster}.json"),
            outputs.replace("hunter2", &format!("hunter2-{cluster}")),
        );
        let network = format!(
            r#"{{"name": {{"sensitive": false, "type": "string", "value": "{cluster}"}}}}"#
        );
        repository.write(&format!("network/{cluster}.json"), network);
    }
    let run = |arguments: &[&str]| {
        let mut command = repository.command(arguments);
        command.arg("--kustomize").arg(&repository.program);
        command.args([
            "--root",
            ".",
            "--sensitive-kinds",
            "Secret",
            "--unused",
            "ignore",
        ]);
        finish(command.stdin(Stdio::null()), b"")
    };
    let each = ["--each", "clusters/*.json"];
    let check = [&["check", "apps/web"][..], &each].concat();
    assert_eq!(run(&check).expect_stdout(), "");
    let render = [&["render", "apps", "--output-dir", "out/{name}"][..], &each].concat();
    run(&render).expect_stdout();
    for cluster in ["eu", "us"] {
        let file = format!("clusters/{cluster}.json");
        let parameter = format!("name={cluster}");
        let alone =
            run(&["render", "apps/web", "-b", &file, "--param", &parameter]).expect_stdout();
        assert!(alone.contains(&format!("cluster = {cluster}")), "{alone}");
        assert_eq!(
            repository.read(&format!("out/{cluster}/web/kustomize.yaml")),
            alone
        );
    }
    let before = repository.snapshot();
    let us = repository.read("clusters/us.json");
    repository.write("clusters/us.json", us.replace("vpc_id", "vpc"));
    let parts = ["`infra` has no output `vpc_id`", "in 1 of 2 clusters: us"];
    run(&render).assert_input_error(&parts);
    repository.write("clusters/us.json", us);
    repository.write("apps/web/password.txt", "${infra.x}");
    let failed = run(&render);
    failed.assert_input_error(&["`infra` has no output `x`", "in all 2 clusters"]);
    assert!(!failed.stderr.contains("hunter2"), "{}", failed.stderr);
    repository.write("apps/web/password.txt", "${infra.password}");
    assert_eq!(repository.snapshot(), before);
}

#[test(tools)]
fn the_binding_of_a_base_is_not_applied() {
    let repository = Repository::with("resources: [../../base]\n");
    repository.write("base/kustomization.yaml", "resources: [a.yaml]\n");
    repository.write("base/a.yaml", DEPLOYMENT);
    repository.write("base/landfall.yaml", BINDING);
    let run = repository.cmp(&[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let warning = "warning[binding-not-applied]: the Binding `base/landfall.yaml` is not applied: the kustomization is built with that of `apps/web`";
    assert!(run.stderr.contains(warning), "{}", run.stderr);
}

#[test(tools)]
fn an_empty_result_is_an_error() {
    let repository = Repository::with("resources: [a.yaml]\n");
    repository.write("apps/web/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {config.kubernetes.io/local-config: \"true\"}}\n");
    let built = "`kustomize build apps/web` built no resources";
    repository.assert_refused(&["no-manifests", built]);
}

#[test(tools)]
fn a_failure_of_kustomize_names_the_files_of_the_repository() {
    let repository = Repository::with("resources: [a.yaml]\nunknown: 1\n");
    repository.write("apps/web/a.yaml", DEPLOYMENT);
    repository.assert_refused(&["tool-failed", "unknown field \"unknown\""]);
    repository.write(
        "apps/web/kustomization.yaml",
        "resources: [a.yaml, ../../base]\n",
    );
    repository.write(
        "base/kustomization.yaml",
        "kind: Component\nresources: [b.yaml]\n",
    );
    repository.write(
        "base/b.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n",
    );
    repository.assert_refused(&["tool-failed", "for path 'base'"]);
}

#[cfg(unix)]
#[test(tools)]
fn a_program_that_hangs_is_stopped() {
    use std::os::unix::fs::PermissionsExt;
    let repository = Repository::with("resources: [a.yaml]\n");
    repository.write("apps/web/a.yaml", DEPLOYMENT);
    repository.write("bin/kustomize", "#!/bin/sh\nexec /bin/sleep 1000\n");
    let program = repository.at("bin/kustomize");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = repository.command(&[
        "cmp",
        "generate",
        "--allow-secret-files",
        "--max-time",
        "1s",
    ]);
    command
        .current_dir(repository.at("apps/web"))
        .env("PATH", repository.at("bin"))
        .env("ARGOCD_APP_SOURCE_PATH", "apps/web")
        .stdin(Stdio::null());
    let run = finish(&mut command, b"");
    run.assert_input_error(&["tool-failed", "took longer than 1s and was stopped"]);
}

#[test(tools)]
fn a_missing_program_is_an_error_that_says_how_to_get_it() {
    let repository = Repository::with("resources: [a.yaml]\n");
    repository.write("apps/web/a.yaml", DEPLOYMENT);
    repository.write(".git", "gitdir: elsewhere");
    let run = repository.run(&["render", "apps/web"]);
    run.assert_input_error(&[
        "`spec.tool: kustomize` requires the program `kustomize`, which is not on PATH",
        "install kustomize 5",
        "--kustomize",
    ]);
    let run = repository.run(&["render", "apps/web", "--kustomize", "bin/none"]);
    run.assert_input_error(&["bin/none` cannot be started"]);
    let run = repository.run(&["cmp", "generate", "--kustomize", "bin/none"]);
    run.assert_fails(2, &["--kustomize requires an absolute path here"]);
}

#[test(tools)]
fn render_and_check_build_and_leave_no_temporary_files() {
    let repository = Repository::with("resources: [a.yaml]\n");
    repository.write("apps/web/a.yaml", DEPLOYMENT);
    repository.write(".git", "gitdir: elsewhere");
    let temporary = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = repository.command(arguments);
        command.arg("--kustomize").arg(&repository.program);
        command.env("TMPDIR", temporary.path()).stdin(Stdio::null());
        let run = finish(&mut command, b"");
        assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
        run
    };
    let built = run(&["render", "apps/web"]).expect_stdout();
    assert_eq!(built, repository.cmp(&[]).expect_stdout());
    assert_eq!(
        run(&["check", "apps/web", "--unused", "ignore"]).expect_stdout(),
        ""
    );
    run(&["render", "apps", "--output-dir", "out"]).expect_stdout();
    assert_eq!(repository.read("out/web/kustomize.yaml"), built);
    run(&["render", "apps/web/a.yaml"]).assert_input_error(&[
        "tool-not-run",
        "as a whole",
        "`apps/web`",
    ]);
    run(&["render", "apps/web", "--in-place"])
        .assert_input_error(&["tool-not-run", "remove --in-place"]);
    repository.write("apps/web/a.yaml", DEPLOYMENT.replace("vpc_id", "vpc_ie"));
    run(&["check", "apps/web"]).assert_fails(1, &["--> apps/web/a.yaml:12:"]);
}

#[test(tools)]
fn a_kustomize_folder_shows_the_lines_that_build_it() {
    let repository = Repository::with("resources: [a.yaml]\n");
    repository.write(
        "apps/web/landfall.yaml",
        BINDING.replace("  tool: kustomize\n", ""),
    );
    repository.assert_refused(&["other-tool", "spec:\n", "  tool: kustomize\n"]);
}

#[test(tools)]
fn a_hostile_kustomization_is_bounded() {
    let repository = Repository::with("");
    // Entries that do not exist, and duplicate keys.
    repository.write(
        "apps/web/kustomization.yaml",
        format!("resources:\n{}", "- x\n".repeat(100_000)),
    );
    repository.assert_refused(&["missing-file", "error: 100000 errors"]);
    repository.write("apps/web/kustomization.yaml", "a: 1\n".repeat(100_000));
    repository.assert_refused(&["duplicate key `a`", "error: 1000 errors"]);
    repository.write(
        "apps/web/kustomization.yaml",
        format!("# {}\n", "x".repeat(5 << 20)),
    );
    repository.assert_refused(&["the file is larger than 4194304 bytes"]);
    // Nested kustomizations.
    for nth in 0..100 {
        repository.write(
            &format!("chain/{nth}/kustomization.yaml"),
            format!("resources: [../{}]\n", nth + 1),
        );
    }
    repository.write(
        "apps/web/kustomization.yaml",
        "resources: [../../chain/0]\n",
    );
    repository.assert_refused(&["kustomizations are nested more than 64 levels deep"]);
}

#[test(tools)]
fn a_base_outside_the_folders_of_applications_is_a_part_of_them() {
    let repository = Repository::with(
        "resources: [../../base, ../../shared/a.yaml]
patches: [{path: ../../patches/a.yaml}]
configMapGenerator: [{name: settings, files: [../../settings/app.yaml]}]
",
    );
    let config_map =
        |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    repository.write(".git", "gitdir: elsewhere\n");
    std::fs::remove_file(repository.at("policy.yaml")).unwrap();
    repository.write("base/kustomization.yaml", "resources: [deployment.yaml]\n");
    repository.write("base/deployment.yaml", DEPLOYMENT);
    repository.write("shared/a.yaml", config_map("a"));
    repository.write("patches/a.yaml", config_map("a"));
    repository.write("settings/app.yaml", config_map("settings"));
    let check = |code| {
        let mut command = repository.command(&["check", ".", "--unused", "ignore", "--kustomize"]);
        command.arg(&repository.program).stdin(Stdio::null());
        let run = finish(&mut command, b"");
        assert_eq!(run.code, Some(code), "{}", run.stderr);
        run.stderr
    };
    assert_eq!(check(0), "");
    // What no kustomization names is not a part of one.
    repository.write("base/more/unused.yaml", config_map("unused"));
    let warning = "skipped `base/more/unused.yaml` in `.`: not part of any application";
    assert!(check(0).contains(warning));
    // Nothing else is known about what it reads.
    repository.write(
        "apps/web/kustomization.yaml",
        "resources: [../../nothing]\n",
    );
    assert!(!check(1).contains("outside-applications"));
}
