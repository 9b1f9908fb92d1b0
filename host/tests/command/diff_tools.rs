//! `landfall diff` in folders that another tool builds.

use std::process::Stdio;

use crate::run::{Run, finish};
use crate::tool::{ToolRepository, tool_binding};

const OLD: &str = r#"{
  "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"},
  "zone": {"sensitive": false, "type": "string", "value": "zone-a"},
  "password": {"sensitive": true, "type": "string", "value": "hunter2-old"}
}"#;

const DEPLOYMENT: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - name: web
        args: [--zone, \"${infra.zone}\"]
        envFrom:
        - configMapRef: {name: settings}
        - secretRef: {name: db}
";

const KUSTOMIZATION: &str = "resources: [a.yaml]
configMapGenerator: [{name: settings, files: [app.properties]}]
secretGenerator: [{name: db, files: [password.txt]}]
";

/// What changes if [`OLD`] becomes this.
fn new() -> String {
    OLD.replace("vpc-0ab1", "vpc-0cd2")
        .replace("hunter2-old", "hunter2-new")
}

fn kustomization() -> ToolRepository {
    let repository = ToolRepository::new("kustomize", tool_binding!("kustomize"), OLD, &[]);
    repository.write("apps/web/kustomization.yaml", KUSTOMIZATION);
    repository.write("apps/web/a.yaml", DEPLOYMENT);
    repository.write("apps/web/app.properties", "vpc = ${infra.vpc_id}\n");
    repository.write("apps/web/password.txt", "${infra.password}");
    repository
}

fn diff(repository: &ToolRepository, new: &str, arguments: &[&str]) -> Run {
    repository.write("new.json", new);
    let mut command = repository.command(&["diff"]);
    command.args(["--from", "outputs/infra.json", "--to", "new.json"]);
    run(repository, command, arguments)
}

fn run(repository: &ToolRepository, mut command: std::process::Command, arguments: &[&str]) -> Run {
    let name = repository.program.file_name().unwrap().to_str().unwrap();
    command.arg(format!("--{name}")).arg(&repository.program);
    command.args(["apps/web", "--root", ".", "--sensitive-kinds", "Secret"]);
    let run = finish(command.args(arguments).stdin(Stdio::null()), b"");
    for text in [&run.stderr, &*String::from_utf8_lossy(&run.stdout)] {
        // The values, and base64 of them.
        assert!(
            !text.contains("hunter2") && !text.contains("aHVudGVy"),
            "{text}"
        );
    }
    run
}

#[track_caller]
fn changed(run: Run, parts: &[&str]) -> String {
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    let text = String::from_utf8(run.stdout).unwrap();
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
    text
}

#[test(tools)]
fn what_kustomize_builds_is_compared_by_resource_and_field() {
    let repository = kustomization();
    let text = changed(
        diff(&repository, &new(), &[]),
        &[
            "apps/web:\n",
            "ConfigMap/settings-",
            " (kustomize build apps/web)\n",
            "    data[\"app.properties\"]: \"vpc = vpc-0ab1\\n\" -> \"vpc = vpc-0cd2\\n\" (infra.vpc_id)\n",
            "  Secret/db (kustomize build apps/web)\n",
            "    data[\"password.txt\"]: (sensitive) -> (sensitive) (infra.password)\n",
            "    metadata.name: (sensitive) -> (sensitive) (infra.password)\n",
            "  Deployment/web (kustomize build apps/web)\n",
            "    spec.template.spec.containers[0].envFrom[0].configMapRef.name: \"settings-",
            "    spec.template.spec.containers[0].envFrom[1].secretRef.name: (sensitive) -> (sensitive)",
            "\n6 changes in 3 resources\n",
        ],
    );
    // The hash of a secret value is not shown either.
    assert!(!text.contains("\"db-"), "{text}");
    let json = changed(diff(&repository, &new(), &["-o", "json"]), &[]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let first = &json["applications"][0]["changes"][0];
    assert_eq!(first["path"], "kustomize build apps/web");
    assert_eq!((&first["line"], &first["column"]), (&4.into(), &5.into()));
    assert_eq!(json["unreferenced"], serde_json::json!([]));
    // They are in the order of the lines in what is built.
    let changes = json["applications"][0]["changes"].as_array().unwrap();
    let lines = changes.iter().map(|change| change["line"].as_u64());
    assert!(lines.is_sorted(), "{json}");

    let same = diff(&repository, OLD, &[]).expect_stdout();
    assert_eq!(same, "no changes\n");
}

#[test(tools)]
fn a_value_that_is_sensitive_on_one_side_is_not_shown() {
    let repository = kustomization();
    let sensitive = OLD.replace("vpc-0ab1", "hunter2-vpc").replacen(
        "\"sensitive\": false",
        "\"sensitive\": true",
        1,
    );
    repository.write("apps/web/app.properties", "zone = ${infra.zone}\n");
    let old = OLD.replace("vpc-0ab1", "hunter2-zone");
    repository.write("outputs/infra.json", &old);
    repository.write("apps/web/password.txt", "${infra.vpc_id}");
    let text = changed(
        diff(&repository, &sensitive, &[]),
        &["data[\"password.txt\"]: (sensitive) -> (sensitive)"],
    );
    assert!(!text.contains(": \""), "{text}");
    // Nor in an error.
    repository.write("apps/web/app.properties", "vpc = ${infra.vpc_id}\n");
    let failed = diff(&repository, &sensitive, &[]);
    failed.assert_fails(2, &["does not render with the new outputs", "not shown"]);
}

#[test(tools)]
fn nothing_is_compared_that_is_not_built() {
    let repository = kustomization();
    let failed = diff(&repository, &new().replace("vpc_id", "vpc"), &[]);
    let parts = [
        "`infra` has no output `vpc_id`",
        "--> apps/web/app.properties:1:",
        "nothing was compared",
    ];
    failed.assert_fails(2, &parts);
}

#[test(tools)]
fn a_plan_is_compared_in_a_kustomization() {
    let repository = kustomization();
    let plan = r#"{"format_version": "1.2", "planned_values": {}, "output_changes": {
        "vpc_id": {"actions": ["update"], "before": "vpc-0ab1", "after": null, "after_unknown": true, "before_sensitive": false, "after_sensitive": false},
        "zone": {"actions": ["update"], "before": "zone-a", "after": "zone-b", "after_unknown": false, "before_sensitive": false, "after_sensitive": false},
        "password": {"actions": ["no-op"], "before": "hunter2-old", "after": "hunter2-old", "after_unknown": false, "before_sensitive": true, "after_sensitive": true}}}"#;
    repository.write("plan.json", plan);
    let command = repository.command(&["diff", "--plan", "plan.json"]);
    changed(
        run(&repository, command, &[]),
        &[
            "data[\"app.properties\"]: \"vpc = vpc-0ab1\\n\" -> (known after apply) (infra.vpc_id)\n",
            "configMapRef.name: \"settings-4mb42k4897\" -> (known after apply)",
            "args[1]: \"zone-a\" -> \"zone-b\" (infra.zone)\n",
        ],
    );
}

/// A chart whose template has this text after a ConfigMap, and these further policies.
fn chart(template: &str, policies: &str) -> ToolRepository {
    let repository = ToolRepository::new("helm", tool_binding!("helm"), OLD, &[]);
    let binding = tool_binding!("helm").replace(
        "tool: helm\n",
        "tool: helm\n  helm: {releaseName: web, namespace: prod}\n",
    );
    repository.write("apps/web/landfall.yaml", binding + policies);
    repository.write(
        "apps/web/Chart.yaml",
        "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    );
    repository.write("apps/web/values.yaml", "vpc: ${infra.vpc_id}\n");
    repository.write(
        "apps/web/templates/a.yaml",
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n  vpc: {{{{ .Values.vpc | upper }}}}\n---\n{template}"),
    );
    repository
}

/// A Secret with a sensitive value.
fn secret(name: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Secret\nmetadata: {{name: {name}}}\nstringData:\n  password: ${{infra.password}}\n"
    )
}

const CONFIG_MAP_CHANGE: &str = "  ConfigMap/a (helm template apps/web)\n    data.vpc: \"VPC-0AB1\" -> \"VPC-0CD2\" (infra.vpc_id)\n";

#[test(tools)]
fn what_helm_writes_is_compared() {
    changed(
        diff(&chart(&secret("db"), ""), &new(), &[]),
        &[
            CONFIG_MAP_CHANGE,
            "  Secret/db (helm template apps/web)\n    stringData.password: (sensitive) -> (sensitive) (infra.password)\n",
            "\n2 changes in 2 resources\n",
        ],
    );
}

#[test(tools)]
fn a_secret_in_a_list_is_not_shown() {
    let item = "items:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: db}\n  stringData: {password: \"${infra.password}\"}\n";
    let change =
        "items[0].stringData.password: (sensitive) -> (sensitive) (infra.password, infra.vpc_id)\n";
    for kind in ["List", "SecretList"] {
        let list = format!("apiVersion: v1\nkind: {kind}\n{item}");
        // Whether it is anywhere else is not known.
        let text = changed(diff(&chart(&list, ""), &new(), &[]), &[change]);
        assert!(!text.contains("VPC-0"), "{text}");
        // A Secret of the same name is hidden alone, and so is the list.
        let both = format!("{list}---\n{}", secret("db-copy"));
        let parts = [change, CONFIG_MAP_CHANGE, "  Secret/db-copy"];
        changed(diff(&chart(&both, ""), &new(), &[]), &parts);
    }
}

#[test(tools)]
fn a_secret_inside_another_resource_is_not_shown() {
    let policies = "  policy:\n    sensitive: {inside: [kubernetes.crossplane.io/Object, kustomize.toolkit.fluxcd.io/Kustomization]}\n";
    let object = "apiVersion: kubernetes.crossplane.io/v1alpha2
kind: Object
metadata: {name: db}
spec:
  forProvider:
    manifest:
      apiVersion: v1
      kind: Secret
      metadata: {name: db}
      stringData: {password: \"${infra.password}\"}
";
    let patch = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web}
spec:
  patches:
  - patch: |
      apiVersion: v1
      kind: Secret
      metadata: {name: db}
      stringData: {password: \"${infra.password}\"}
";
    for (template, field) in [
        (object, "spec.forProvider.manifest.stringData.password"),
        (patch, "spec.patches[0].patch"),
    ] {
        let change = format!("{field}: (sensitive) -> (sensitive)");
        let both = format!("{template}---\n{}", secret("db-copy"));
        for template in [template, &both] {
            let run = diff(&chart(template, policies), &new(), &[]);
            let text = changed(run, &[&change]);
            assert!(!text.contains("VPC-0"), "{text}");
        }
    }
}

/// As those of a folder that no tool builds.
#[test(tools)]
fn only_a_new_warning_is_an_error_with_strict() {
    let repository = kustomization();
    let unbound = DEPLOYMENT.replace("[--zone, ", "[\"${unknown.zone}\", ");
    repository.write("apps/web/a.yaml", unbound);
    let check = run(&repository, repository.command(&["check"]), &["--strict"]);
    check.assert_input_error(&["error[unbound-reference]"]);
    let changes = "\n6 changes in 3 resources\n";
    changed(diff(&repository, &new(), &["--strict"]), &[changes]);

    let default = DEPLOYMENT.replace("infra.zone}", "infra.zone | default('x')}");
    repository.write("apps/web/a.yaml", default);
    let renamed = new().replace("\"zone\":", "\"zones\":");
    let strict = |renamed: &str, message: &str| {
        let run = diff(&repository, renamed, &["--strict"]);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        let error = format!("error[default-for-near-miss]: {message}");
        assert!(run.stderr.contains(&error), "{}", run.stderr);
        String::from_utf8(run.stdout).unwrap()
    };
    let text = strict(&renamed, "the default is used");
    let change = "args[1]: \"zone-a\" -> \"x\" (infra.zone)\n";
    assert!(text.contains(change), "{text}");
    // Nor is it lost if its message may contain a value.
    repository.write("apps/web/app.properties", "a = b\n");
    repository.write("apps/web/password.txt", "${infra.vpc_id}");
    let sensitive = renamed.replacen("\"sensitive\": false", "\"sensitive\": true", 1);
    let text = strict(&sensitive, "the message is not shown");
    assert!(text.contains("args[1]: (sensitive) ->"), "{text}");
}

/// Its files are read for each side alone.
#[test(tools)]
fn a_folder_may_be_as_large_as_the_input_limit() {
    let repository = kustomization();
    let filler = "x".repeat(60_000);
    repository.write(
        "apps/web/app.properties",
        format!("vpc = ${{infra.vpc_id}}\nfiller = {filler}\n"),
    );
    changed(
        diff(&repository, &new(), &["--max-input", "100KiB"]),
        &["\n6 changes in 3 resources\n"],
    );
}
