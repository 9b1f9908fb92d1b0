//! `examples/fleet`: an ApplicationSet, expanded by Argo CD's own code, and its Applications,
//! rendered by the real argocd-cmp-server.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use landfall_host_tests::plugin_server::{Application, PluginServer};
use landfall_host_tests::program;
use landfall_host_tests::scratch::{self, Scratch};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::manifests::{documents, documents_under, parsed};

const FLEET: &str = "examples/fleet";
const CLUSTERS: [&str; 3] = ["prod-eu", "prod-us", "staging"];

/// Runs landfall in the example.
fn landfall(landfall: &Path, folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(landfall)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the Applications that the ApplicationSet of Promtail creates for these cluster
/// Secrets, by name, sorted.
fn expand(fleet: &Path, secrets: &[PathBuf]) -> BTreeMap<String, Value> {
    expand_set(&fleet.join("argocd/promtail.yaml"), secrets)
}

fn expand_set(set: &Path, secrets: &[PathBuf]) -> BTreeMap<String, Value> {
    let output = Command::new(program::tool("applicationset-expand"))
        .arg(set)
        .args(secrets)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let applications: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let named = applications.into_iter().map(|application| {
        let name = application["metadata"]["name"].as_str().unwrap().to_owned();
        (name, application)
    });
    named.collect()
}

fn secrets(fleet: &Path) -> Vec<PathBuf> {
    let clusters = CLUSTERS.iter();
    let path = |cluster: &&str| fleet.join(format!("clusters/{cluster}.yaml"));
    clusters.map(path).collect()
}

/// Renders the application in a repository with the plugin parameters of an Application.
fn render(server: &PluginServer, repository: &Scratch, application: &Value) -> Vec<Value> {
    let path = application["spec"]["source"]["path"].as_str().unwrap();
    let parameters = &application["spec"]["source"]["plugin"]["parameters"];
    let call = Application {
        root: repository.path(),
        folder: &repository.at(path),
        source_path: path,
    };
    let manifests = server
        .generate_with_parameters(&call, &parameters.to_string())
        .unwrap();
    parsed(&manifests)
}

#[test]
fn the_secrets_of_the_clusters_are_exports_of_their_outputs() {
    let command = program::landfall();
    let fleet = program::example("fleet");
    for cluster in CLUSTERS {
        let outputs = format!("outputs/{cluster}.json");
        let arguments = [
            "export",
            "argocd-cluster",
            "-b",
            &outputs,
            "--name",
            cluster,
            "--server-output",
            "cluster_endpoint",
            "--label",
            "environment",
            "--label",
            "upgrade_testing",
            "--quiet",
        ];
        let exported = landfall(&command, &fleet, &arguments);
        let path = fleet.join(format!("clusters/{cluster}.yaml"));
        assert_eq!(exported, scratch::read(&path), "{cluster}");
        assert!(!exported.contains("token-of"), "{exported}");
    }
}

#[test(tools)]
fn each_cluster_gets_an_application_with_its_outputs() {
    let fleet = program::example("fleet");
    let applications = expand(&fleet, &secrets(&fleet));
    let names: Vec<_> = applications.keys().collect();
    assert_eq!(
        names,
        ["promtail-prod-eu", "promtail-prod-us", "promtail-staging"]
    );
    let revision = |name: &str| applications[name]["spec"]["source"]["targetRevision"].clone();
    // The cluster with the label `upgrade_testing` is one version ahead.
    assert_eq!(revision("promtail-staging"), json!("next"));
    assert_eq!(revision("promtail-prod-eu"), json!("main"));

    let server = PluginServer::with_landfall();
    let repository = Scratch::with_example("fleet");
    for cluster in CLUSTERS {
        let application = &applications[&format!("promtail-{cluster}")];
        assert_eq!(
            render(&server, &repository, application),
            documents_under(&fleet.join("expected").join(cluster)),
            "{cluster}"
        );
    }
}

/// The label `landfall.dev/outputs: ready` is only on Secrets that landfall exported.
#[test(tools)]
fn a_cluster_without_outputs_gets_no_application() {
    let fleet = Scratch::with_example("fleet");
    let mut secrets = secrets(&fleet.at(FLEET));
    let path = fleet.at("new.yaml");
    let registered = "apiVersion: v1
kind: Secret
metadata:
  name: new
  namespace: argocd
  labels:
    argocd.argoproj.io/secret-type: cluster
    environment: prod
stringData:
  name: new
  server: https://new.eks.example.com
";
    fleet.write("new.yaml", registered);
    secrets.push(path);
    let applications = expand(&fleet.at(FLEET), &secrets);
    assert_eq!(applications.len(), CLUSTERS.len());
    // After the first apply, the export has the label.
    let exported = scratch::read(&secrets[0]).replace("prod-eu", "new");
    // The name of the cluster, in base64.
    fleet.write("new.yaml", &exported.replace("cHJvZC1ldQ==", "bmV3"));
    let applications = expand(&fleet.at(FLEET), &secrets);
    assert!(
        applications.contains_key("promtail-new"),
        "{applications:?}"
    );
}

#[test(tools)]
fn one_line_changes_the_endpoint_in_every_cluster() {
    let fleet = program::example("fleet");
    let applications = expand(&fleet, &secrets(&fleet));
    let server = PluginServer::with_landfall();
    let repository = Scratch::with_example("fleet");
    repository.replace(
        "examples/fleet/apps/promtail/promtail.yaml",
        "${cluster.loki_endpoint}/loki/api/v1/push",
        "https://logs.example.com/${cluster.cluster_name}/loki/api/v1/push",
    );
    for cluster in CLUSTERS {
        let expected = fleet.join("expected").join(cluster).join("promtail.yaml");
        let expected = scratch::read(&expected);
        let (before, rest) = expected.split_once("- url: ").unwrap();
        let (_, after) = rest.split_once('\n').unwrap();
        let url = format!("https://logs.example.com/{cluster}/loki/api/v1/push");
        let expected = format!("{before}- url: {url}\n{after}");
        let application = &applications[&format!("promtail-{cluster}")];
        assert_eq!(
            render(&server, &repository, application),
            documents(&expected),
            "{cluster}"
        );
    }
}

/// An ApplicationSet passes the digest that the pipeline wrote to the Secret of the cluster.
#[test(tools)]
fn a_digest_renders_new_mounted_outputs_and_no_older_ones() {
    let command = program::landfall();
    let repository = Scratch::with_example("fleet");
    let outputs = Scratch::new();
    let queue = |name: &str| {
        let url = format!("https://sqs.eu-central-1.amazonaws.com/012345678901/{name}");
        json!({"url": {"sensitive": false, "value": url}}).to_string()
    };
    let plugin = format!(
        "apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata: {{name: landfall}}
spec:
  generate:
    command: [landfall, cmp, generate, --deadline, 10s, --mounted-outputs, \"{}\"]
",
        outputs.path().display()
    );
    let server = PluginServer::start(&plugin, command.parent().unwrap());
    let secret = repository.at("examples/fleet/clusters/prod-eu.yaml");
    let set = repository.at("examples/fleet/argocd/worker.yaml");
    let generate = |digest: &str| {
        let annotation = format!("  annotations:\n    queue-digest: {digest}");
        let annotated = scratch::read(&secret).replacen("  annotations:", &annotation, 1);
        repository.write("annotated.yaml", &annotated);
        let applications = expand_set(&set, &[repository.at("annotated.yaml")]);
        let application = &applications["worker-prod-eu"];
        let parameters = &application["spec"]["source"]["plugin"]["parameters"];
        let call = Application {
            root: repository.path(),
            folder: &repository.at("examples/fleet/apps/worker"),
            source_path: "examples/fleet/apps/worker",
        };
        server.generate_with_parameters(&call, &parameters.to_string())
    };
    let stamp = |content: &str| {
        repository.write("queue.json", content);
        let arguments = ["stamp", "-b", "queue=queue.json"];
        landfall(&command, repository.path(), &arguments)
    };

    outputs.write("platform/prod-eu.queue.json", &queue("orders"));
    let first = stamp(&queue("orders"));
    let rendered = generate(first.trim()).unwrap();
    assert!(rendered[0].contains("/orders"));

    // The digest of outputs that the volume does not have yet.
    let next = stamp(&queue("orders-v2"));
    let refused = generate(next.trim()).unwrap_err();
    assert!(refused.message.contains("outputs-digest"), "{refused:?}");
    outputs.write("platform/prod-eu.queue.json", &queue("orders-v2"));
    let rendered = generate(next.trim()).unwrap();
    assert!(rendered[0].contains("/orders-v2"));

    // The pipeline has not annotated the Secret.
    let refused = generate("\"\"").unwrap_err();
    assert!(refused.message.contains("outputs-digest"), "{refused:?}");
}
