//! `landfall export`: what it writes is read by the programs that it is for.

use std::process::{Command, Stdio};

use landfall_test_support::skip::needed_program;

use crate::run::{TestFolder, finish};
use crate::tool::program;

/// Outputs whose values need quotes in some of the formats.
const OUTPUTS: &str = r#"{
  "account_id": {"value": "0123"},
  "enabled": {"value": true},
  "motd": {"value": "it's\nhere"},
  "pattern": {"value": "^$HOME `id` # x: y$"},
  "endpoint": {"value": "https://eks.example.com"},
  "password": {"sensitive": true, "value": "hunter2"},
  "credentials": {"sensitive": true, "value": {"bearerToken": "hunter2"}}
}"#;

fn folder() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("infra.json", OUTPUTS);
    folder
}

/// Returns the standard output of an export that succeeds.
#[track_caller]
fn export(folder: &TestFolder, arguments: &[&str]) -> String {
    let run = folder.run(&[&["export"], arguments].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
    String::from_utf8(run.stdout).unwrap()
}

/// Builds manifests with the real kustomize, which decodes every resource, and checks what
/// it writes.
#[track_caller]
fn check_in_kustomize(folder: &TestFolder, manifests: &str, expected: &[&str]) {
    let kustomize = program("kustomize");
    folder.write("manifests.yaml", manifests);
    folder.write("kustomization.yaml", "resources: [manifests.yaml]\n");
    let mut command = Command::new(kustomize);
    command.args(["build", "."]).current_dir(folder.path());
    let built = finish(&mut command, b"").expect_stdout();
    for part in expected {
        assert!(built.contains(part), "`{part}` is not in:\n{built}");
    }
}

#[test(tools)]
fn kustomize_reads_the_resources_for_flux() {
    let folder = folder();
    let arguments = ["flux", "-b", "infra.json", "--name", "settings", "--json"];
    check_in_kustomize(
        &folder,
        &export(&folder, &arguments),
        &[
            "  account_id: \"0123\"\n",
            "  enabled: \"true\"\n",
            "  motd: |-\n    it's\n    here\n",
            "  pattern: '^$HOME `id` # x: y$'\n",
            "kind: ConfigMap\nmetadata:\n  name: settings\n",
            "  password: aHVudGVyMg==\nkind: Secret\nmetadata:\n  name: settings-secrets\n",
        ],
    );
}

#[test(tools)]
fn kustomize_reads_the_secret_of_a_cluster() {
    let folder = folder();
    let secret = export(
        &folder,
        &[
            "argocd-cluster",
            "-b",
            "infra.json",
            "--name",
            "prod",
            "--server-output",
            "endpoint",
            "--config-output",
            "credentials",
            "--label",
            "enabled",
        ],
    );
    check_in_kustomize(
        &folder,
        &secret,
        &[
            "  config: eyJiZWFyZXJUb2tlbiI6Imh1bnRlcjIifQ==\n",
            "    argocd.argoproj.io/secret-type: cluster\n    enabled: \"true\"\n    landfall.dev/outputs: ready\n",
            "    account_id: \"0123\"\n",
        ],
    );
}

/// kubectl decodes resources without a server only where it changes them with `--local`.
#[test(kubectl)]
fn kubectl_decodes_what_is_written() {
    let folder = folder();
    let kubectl = needed_program("kubectl");
    let arguments = ["flux", "-b", "infra.json", "--name", "settings", "--json"];
    let manifests = export(&folder, &arguments);
    let mut label = Command::new(kubectl);
    label.args("label --local -o yaml -f - team=infra".split(' '));
    label.env("KUBECONFIG", "/dev/null").stdin(Stdio::piped());
    let labelled = finish(&mut label, manifests.as_bytes()).expect_stdout();
    for part in [
        "  account_id: \"0123\"\n",
        "  enabled: \"true\"\n",
        "  motd: |-\n    it's\n    here\n",
        "  labels:\n    team: infra\n",
        "kind: Secret\n",
    ] {
        assert!(labelled.contains(part), "`{part}` is not in:\n{labelled}");
    }
}

#[test(tools)]
fn helm_renders_values_with_their_types() {
    let folder = TestFolder::new();
    let helm = program("helm");
    folder.write(
        "infra.json",
        r#"{
  "account_id": {"value": "0123"},
  "cluster.name": {"value": "on"},
  "enabled": {"value": true},
  "motd": {"value": "it's # x: y\nhere "},
  "none": {"value": null},
  "password": {"sensitive": true, "value": "hunter2"},
  "ports": {"value": [80, 443.5]},
  "tags": {"value": {"team": "1e3", "empty": {}}}
}"#,
    );
    let values = export(
        &folder,
        &["helm-values", "-b", "infra.json", "--key", "global.infra"],
    );
    folder.write("values.yaml", values);
    folder.write(
        "chart/Chart.yaml",
        "apiVersion: v2\nname: app\nversion: 1.0.0\n",
    );
    folder.write(
        "chart/templates/app.yaml",
        "infra: {{ .Values.global.infra | toJson }}\n",
    );
    let mut template = Command::new(helm);
    template
        .args(["template", "app", "chart", "-f", "values.yaml"])
        .env("HOME", folder.path())
        .current_dir(folder.path());
    let rendered = finish(&mut template, b"").expect_stdout();
    let expected = concat!(
        r#"infra: {"account_id":"0123","cluster.name":"on","enabled":true,"#,
        r#""motd":"it's # x: y\nhere ","none":null,"ports":[80,443.5],"tags":{"empty":{},"team":"1e3"}}"#,
    );
    assert!(rendered.contains(expected), "{rendered}");
}

#[test]
fn a_shell_reads_dotenv() {
    let folder = folder();
    let lines = export(&folder, &["dotenv", "-b", "infra.json"]);
    folder.write("infra.env", lines);
    let script = ". ./infra.env; printf '%s|' \"$account_id\" \"$enabled\" \"$motd\" \"$pattern\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).current_dir(folder.path());
    assert_eq!(
        finish(&mut shell, b"").expect_stdout(),
        "0123|true|it's\nhere|^$HOME `id` # x: y$|"
    );
}

#[test]
fn the_credentials_of_a_cluster_can_be_in_a_file() {
    let folder = folder();
    let run = |file: &str| {
        folder.run(&[
            "export",
            "argocd-cluster",
            "-b",
            "infra.json",
            "--name",
            "prod",
            "--server",
            "https://a",
            "--config-file",
            file,
        ])
    };
    folder.write("config.json", "{\"bearerToken\": \"hunter2\"}\n");
    let secret = run("config.json");
    assert_eq!(secret.code, Some(0), "{}", secret.stderr);
    let secret = String::from_utf8(secret.stdout).unwrap();
    let config = "  config: eyJiZWFyZXJUb2tlbiI6ICJodW50ZXIyIn0=\n";
    assert!(secret.contains(config), "{secret}");

    folder.write("config.json", "hunter2");
    let found = run("config.json");
    found.assert_input_error(&["the credentials of the cluster are not a JSON object"]);
    assert!(!found.stderr.contains("hunter2"), "{}", found.stderr);
    run("missing.json").assert_input_error(&["missing.json"]);
}

#[test]
fn a_public_document_renders_what_is_public() {
    let folder = folder();
    let public = export(&folder, &["public", "-b", "infra.json"]);
    assert!(!public.contains("hunter2"), "{public}");
    folder.write("public.json", public);
    folder.write("a.yaml", "id: ${infra.account_id}\n");
    let rendered = folder.run(&["render", "a.yaml", "-b", "public.json"]);
    assert_eq!(rendered.expect_stdout(), "id: \"0123\"\n");
    folder.write("a.yaml", "id: ${infra.password | default(\"x\")}\n");
    folder
        .run(&["render", "a.yaml", "-b", "public.json"])
        .assert_input_error(&["its value was left out of this document"]);
}

#[test]
fn an_error_writes_nothing() {
    let folder = TestFolder::new();
    folder.write("infra.json", r#"{"a-b": {"value": 1}}"#);
    let run = folder.run(&["export", "flux", "-b", "infra.json"]);
    run.assert_input_error(&["`infra.a-b`", "nothing was exported"]);
    let run = folder.run(&["export", "flux", "-b", "missing.json"]);
    run.assert_input_error(&["missing.json"]);
    let run = folder.run(&[
        "export",
        "argocd-cluster",
        "-b",
        "infra.json",
        "--name",
        "a",
    ]);
    run.assert_fails(2, &["--server"]);
    let arguments = ["export", "argocd-cluster", "--name", "a"];
    let run = folder.run(&[&arguments[..], &["--server", "cluster_endpoint"]].concat());
    run.assert_fails(2, &["expected a URL", "`--server-output OUTPUT`"]);
    let run = folder.run(&["export", "flux", "-b", "infra.json", "--service", "a"]);
    run.assert_fails(2, &["expected two names with `=` between them"]);
}

#[test]
fn the_binding_of_the_folder_declares_outputs_of_flags_sensitive() {
    let folder = TestFolder::new();
    folder.write(
        "s.json",
        r#"{"REGION": {"value": "eu"}, "PASSWORD": {"value": "hunter2"}}"#,
    );
    let binding = |declared: &str| {
        let spec = format!(
            "outputs:\n  - {{name: infra, from: {{file: gone.json}}{declared}}}\n  - {{name: other, from: {{file: gone.json}}}}"
        );
        format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  {spec}\n")
    };
    let arguments = ["dotenv", "-b", "infra=s.json"];
    // Without such a declaration, the Binding does not apply: it could require documents.
    folder.write("landfall.yaml", binding(""));
    assert_eq!(
        export(&folder, &["dotenv", "-b", "other=s.json"]),
        "PASSWORD=hunter2\nREGION=eu\n"
    );
    folder.write("landfall.yaml", binding(", sensitive: [PASSWORD]"));
    assert_eq!(export(&folder, &arguments), "REGION=eu\n");
    let other = ["dotenv", "-b", "other=s.json"];
    assert_eq!(export(&folder, &other), "PASSWORD=hunter2\nREGION=eu\n");
    let contract = folder.run(&["outputs", "contract", "-b", "infra=s.json"]);
    let contract = contract.expect_stdout();
    assert!(
        contract.contains("PASSWORD: {type: string, sensitive: true}"),
        "{contract}"
    );
    // Names that it misspells, or a Binding that cannot be read, do not reveal anything.
    for wrong in [
        binding(", sensitive: [PASWORD]"),
        binding(", sensitive: x"),
        "{".to_owned(),
    ] {
        folder.write("landfall.yaml", wrong);
        folder
            .run(&[&["export"][..], &arguments].concat())
            .assert_input_error(&["landfall.yaml", "nothing was exported"]);
    }
    folder.write("landfall.yaml", binding(", sensitive: true"));
    assert_eq!(export(&folder, &arguments), "");
}

/// `landfall export … >> FILE`, where FILE is among the files that are read.
#[test]
fn writes_nothing_into_its_own_sources() {
    let folder = folder();
    folder.write("landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: infra.json}}]}\n");
    for (arguments, file) in [
        ("export public -b infra.json", "infra.json"),
        ("export public -b ./infra.json", "infra.json"),
        ("export dotenv", "infra.json"),
        ("export dotenv", "landfall.yaml"),
        ("outputs contract", "infra.json"),
    ] {
        let arguments: Vec<_> = arguments.split(' ').collect();
        let before = folder.read(file);
        let appended = std::fs::OpenOptions::new()
            .append(true)
            .open(folder.at(file));
        let output = folder
            .command(&arguments)
            .stdin(Stdio::null())
            .stdout(appended.unwrap())
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {stderr}");
        let message = format!("{file}`, from which the outputs are read");
        assert!(stderr.contains(&message), "{stderr}");
        assert_eq!(folder.read(file), before);
    }
    folder.write("public.json", "");
    let other = std::fs::OpenOptions::new()
        .append(true)
        .open(folder.at("public.json"));
    let mut command = folder.command(&["export", "public", "-b", "infra.json"]);
    let status = command
        .stdout(other.unwrap())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    assert!(folder.read("public.json").contains("account_id"));
}
