//! An application with `spec.tool: kustomize`, built by the real kustomize below the real
//! argocd-cmp-server.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use landfall_host_tests::kustomize::{FLAGS, build};
use landfall_host_tests::plugin_server::PluginServer;
use landfall_host_tests::program;
use landfall_host_tests::scratch::Scratch;
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::manifests::generate;

const KUSTOMIZATION: &str = "namePrefix: prod-
resources: [deployment.yaml]
configMapGenerator:
- name: settings
  literals: [\"vpc=${infra.vpc_id}\"]
  files: [app.properties]
";

const DEPLOYMENT: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - name: web
        envFrom:
        - configMapRef:
            name: settings
";

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1
kind: Binding
metadata:
  name: bind
  annotations:
    config.kubernetes.io/function: |
      exec: {path: landfall, args: [krm]}
spec:
  outputs:
  - {name: infra, from: {file: infra.json}}
";

/// Returns the outputs with this VPC.
fn outputs(vpc: &str) -> String {
    format!(r#"{{"vpc_id": {{"sensitive": false, "type": "string", "value": "{vpc}"}}}}"#)
}

/// A repository with the application `app`, which kustomize can build in both ways.
fn repository() -> Scratch {
    let repository = Scratch::new();
    repository.write("app/deployment.yaml", DEPLOYMENT);
    repository.write("app/app.properties", "[a]\nvpc = ${infra.vpc_id}\n");
    repository.write("app/infra.json", &outputs("vpc-0ab1"));
    with_tool(&repository);
    repository
}

/// Lets landfall run kustomize.
fn with_tool(repository: &Scratch) {
    repository.write("app/kustomization.yaml", KUSTOMIZATION);
    let binding = BINDING.replace("spec:\n", "spec:\n  tool: kustomize\n");
    repository.write("app/landfall.yaml", &binding);
}

/// Lets kustomize run landfall.
fn with_transformer(repository: &Scratch) {
    let kustomization = format!("{KUSTOMIZATION}transformers: [landfall.yaml]\n");
    repository.write("app/kustomization.yaml", &kustomization);
    repository.write("app/landfall.yaml", BINDING);
}

fn server() -> PluginServer {
    PluginServer::with_tool("kustomize")
}

/// Returns the name of the generated ConfigMap, which the Deployment must refer to.
fn name_of_settings(manifests: &[Value]) -> String {
    let of_kind = |kind: &str| {
        let mut manifests = manifests.iter();
        manifests.find(|manifest| manifest["kind"] == kind).unwrap()
    };
    let name = of_kind("ConfigMap")["metadata"]["name"].as_str().unwrap();
    let container = &of_kind("Deployment")["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["envFrom"][0]["configMapRef"]["name"], name);
    name.to_owned()
}

#[test(tools)]
fn a_generated_name_is_the_same_as_with_the_transformer() {
    let server = server();
    let repository = repository();
    let built = generate(&server, &repository).unwrap();
    let name = name_of_settings(&built);
    assert_eq!(
        built[0]["data"],
        serde_json::json!({"vpc": "vpc-0ab1", "app.properties": "[a]\nvpc = vpc-0ab1\n"})
    );

    with_transformer(&repository);
    let landfall = program::landfall();
    let transformed = build(&repository.at("app"), &FLAGS, &landfall);
    assert!(transformed.success, "{}", transformed.stderr);
    assert!(
        transformed.stdout.contains(&format!("name: {name}\n")),
        "no {name} in\n{}",
        transformed.stdout
    );

    // New outputs make a new ConfigMap, so that the pods restart.
    with_tool(&repository);
    repository.write("app/infra.json", &outputs("vpc-0cd2"));
    let other = name_of_settings(&generate(&server, &repository).unwrap());
    assert_ne!(other, name);
}

/// Argo CD keeps the message: the server extracts each call into a folder of another name,
/// and kustomize runs in a folder of another name in it.
#[test(tools)]
fn a_refusal_is_the_same_in_every_call() {
    let server = server();
    let repository = repository();
    for (kustomization, part) in [
        ("resources: [deployment.yaml]\nnone: 1\n", "unknown field"),
        ("resources: [https://example.com/base]\n", "is remote"),
        ("resources: [../../../etc]\n", "is outside the root"),
        (
            "resources: [deployment.yaml]\nreplicas: [{name: none, count: 1}]\n",
            "kustomize build app",
        ),
    ] {
        repository.write("app/kustomization.yaml", kustomization);
        let refusal = generate(&server, &repository).unwrap_err();
        let message = &refusal.message;
        assert!(message.contains(part), "no {part} in\n{message}");
        assert!(!message.contains("_cmp_server"), "{message}");
        assert!(!message.contains(".landfall-"), "{message}");
        assert_eq!(generate(&server, &repository), Err(refusal));
    }
}

/// Real kustomizations without references are built as kustomize builds them: every file that
/// kustomize reads is found.
#[test(corpora, tools)]
fn real_kustomizations_are_built_as_by_kustomize() {
    let (landfall, kustomize) = (program::landfall(), program::tool("kustomize"));
    let corpus = landfall_test_support::skip::corpus("flux-xunholy");
    let scratch = Scratch::new();
    let binding = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {tool: kustomize}\n";
    scratch.write("landfall.yaml", binding);
    // With a bound name, text that looks like a reference to another name is left alone.
    scratch.write("infra.json", &outputs("vpc-0ab1"));
    let mut folders = Vec::new();
    add_kustomizations(&corpus, &mut folders);
    folders.sort();
    let mut compared = 0;
    for folder in folders.iter().step_by(5) {
        let built = build(folder, &[], &landfall);
        // Empty results, and what landfall does not build.
        if !built.success || built.stdout.is_empty() {
            continue;
        }
        let rendered = Command::new(&landfall)
            .args(["render", "-q", "--unused", "ignore"])
            .arg(folder)
            .arg("--root")
            .arg(&corpus)
            .arg("-c")
            .arg(scratch.at("landfall.yaml"))
            .arg("-b")
            .arg(scratch.at("infra.json"))
            .arg("--kustomize")
            .arg(&kustomize)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let message = String::from_utf8(rendered.stderr).unwrap();
        assert!(rendered.status.success(), "{}: {message}", folder.display());
        let rendered = String::from_utf8(rendered.stdout).unwrap();
        assert_eq!(rendered, built.stdout, "{}", folder.display());
        compared += 1;
    }
    assert!(compared > 20, "only {compared} were compared");
}

/// Adds the folders with a kustomization at or below `folder`.
fn add_kustomizations(folder: &Path, found: &mut Vec<PathBuf>) {
    if folder.join("kustomization.yaml").is_file() {
        found.push(folder.to_owned());
    }
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            add_kustomizations(&path, found);
        }
    }
}
