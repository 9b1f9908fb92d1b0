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

#[test(tools)]
fn what_helm_writes_is_compared() {
    let repository = ToolRepository::new("helm", tool_binding!("helm"), OLD, &[]);
    let binding = tool_binding!("helm").replace(
        "tool: helm\n",
        "tool: helm\n  helm: {releaseName: web, namespace: prod}\n",
    );
    repository.write("apps/web/landfall.yaml", binding);
    repository.write(
        "apps/web/Chart.yaml",
        "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    );
    repository.write("apps/web/values.yaml", "vpc: ${infra.vpc_id}\n");
    repository.write(
        "apps/web/templates/a.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  vpc: {{ .Values.vpc | upper }}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData:\n  password: ${infra.password}\n",
    );
    changed(
        diff(&repository, &new(), &[]),
        &[
            "  ConfigMap/a (helm template apps/web)\n    data.vpc: \"VPC-0AB1\" -> \"VPC-0CD2\" (infra.vpc_id)\n",
            "  Secret/db (helm template apps/web)\n    stringData.password: (sensitive) -> (sensitive) (infra.password)\n",
            "\n2 changes in 2 resources\n",
        ],
    );
}
