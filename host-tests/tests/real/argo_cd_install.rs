//! `landfall argocd install`, applied to Argo CD's own manifests by kustomize and kubectl.

use std::path::Path;
use std::process::{Command, Stdio};

use landfall_host_tests::program;
use landfall_host_tests::scratch::{self, Scratch};
use landfall_test_support::skip::needed_program;
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::manifests::documents;

/// Returns a file of Argo CD's manifests.
pub(crate) fn argo_cd(file: &str) -> String {
    let module = "github.com/argoproj/argo-cd/v3";
    let path = program::go_module_file(module, "argocd-cmp-server", &format!("manifests/{file}"));
    scratch::read(&path)
}

/// Returns what `landfall argocd install` prints.
pub(crate) fn install(arguments: &[&str]) -> String {
    run(Command::new(program::landfall())
        .args(["argocd", "install"])
        .args(arguments))
}

/// Returns the standard output of a program, which must succeed.
fn run(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {message}");
    String::from_utf8(output.stdout).unwrap()
}

/// Builds Argo CD's manifests with kustomize, with these Components.
fn build(manifests: &str, components: &[&str]) -> Vec<Value> {
    let folder = Scratch::new();
    let names: Vec<_> = (0..components.len()).map(|nth| format!("c{nth}")).collect();
    for (name, text) in std::iter::zip(&names, components) {
        folder.write(&format!("{name}/kustomization.yaml"), text);
    }
    folder.write("install.yaml", manifests);
    folder.write(
        "kustomization.yaml",
        &format!(
            "namespace: argocd\nresources: [install.yaml]\ncomponents: [{}]\n",
            names.join(", ")
        ),
    );
    let kustomize = program::tool("kustomize");
    let built = run(Command::new(kustomize).arg("build").arg(folder.path()));
    documents(&built)
}

fn is_repo_server(document: &Value) -> bool {
    document["kind"] == "Deployment" && document["metadata"]["name"] == "argocd-repo-server"
}

/// Returns the Pod of repo-server among Argo CD's resources.
pub(crate) fn repo_server(resources: &[Value]) -> &Value {
    let deployment = resources.iter().find(|one| is_repo_server(one)).unwrap();
    &deployment["spec"]["template"]["spec"]
}

/// Returns the Pod of repo-server in Argo CD with landfall, installed with these flags.
pub(crate) fn pod(flags: &[&str]) -> Value {
    let component = install(&[&["--as", "kustomize"], flags].concat());
    let resources = build(&argo_cd("install.yaml"), &[&component]);
    repo_server(&resources).clone()
}

/// Asserts that `with` is `without` and landfall's container, as the last one, and its
/// volumes. Returns the container.
#[track_caller]
fn assert_only_added<'v>(without: &Value, with: &'v Value, volumes: &[&str]) -> &'v Value {
    let list = |pod: &'v Value, key: &str| pod[key].as_array().unwrap().clone();
    let owned = without.clone();
    let before: &[Value] = owned["containers"].as_array().unwrap();
    let containers = list(with, "containers");
    assert_eq!(containers[..before.len()], *before);
    assert_eq!(containers.len(), before.len() + 1);
    let last = with["containers"].as_array().unwrap().last().unwrap();
    assert_eq!(last["name"], "landfall");

    let before = owned["volumes"].as_array().unwrap();
    let is_new = |volume: &&Value| !before.contains(volume);
    let all = list(with, "volumes");
    let added: Vec<_> = all.iter().filter(is_new).collect();
    let names: Vec<_> = added
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, volumes);
    assert_eq!(all.len(), before.len() + volumes.len());

    // Every volume that it mounts is there.
    for mount in last["volumeMounts"].as_array().unwrap() {
        assert!(
            all.iter().any(|volume| volume["name"] == mount["name"]),
            "{mount}"
        );
    }
    let (mut without, mut with) = (owned.clone(), with.clone());
    for pod in [&mut without, &mut with] {
        pod["containers"] = Value::Null;
        pod["volumes"] = Value::Null;
    }
    assert_eq!(with, without);
    last
}

/// The committed Component, on each of Argo CD's installations.
#[test(go, tools)]
fn the_component_appends_the_sidecar_and_changes_nothing_else() {
    let component = program::repository().join("deploy/argocd/component/kustomization.yaml");
    let component = scratch::read(&component);
    for file in [
        "install.yaml",
        "core-install.yaml",
        "ha/namespace-install.yaml",
    ] {
        let manifests = argo_cd(file);
        let without = build(&manifests, &[]);
        let with = build(&manifests, &[&component]);
        assert_only_added(repo_server(&without), repo_server(&with), &["landfall-tmp"]);
        let others = |all: Vec<Value>| -> Vec<Value> {
            all.into_iter().filter(|one| !is_repo_server(one)).collect()
        };
        assert_eq!(others(with), others(without), "{file}");
    }
}

#[test(go, tools)]
fn options_add_volumes_of_their_own() {
    let component = install(&[
        "--as",
        "kustomize",
        "--image",
        "registry.example.com/landfall:1.2.3",
        "--operator-policy",
        "policy",
        "--mounted-outputs",
        "secret/outputs",
        "--mounted-outputs",
        "team-a=configmap/outputs-a",
        "--digest-key",
        "digest-key",
    ]);
    let manifests = argo_cd("install.yaml");
    let without = build(&manifests, &[]);
    let with = build(&manifests, &[&component]);
    let container = assert_only_added(
        repo_server(&without),
        repo_server(&with),
        &[
            "landfall-tmp",
            "landfall-operator-policy",
            "landfall-digest-key",
            "landfall-outputs",
            "landfall-outputs-2",
        ],
    );
    assert_eq!(container["image"], "registry.example.com/landfall:1.2.3");
}

/// Another plugin's Component, before or after landfall's.
#[test(go, tools)]
fn the_component_leaves_other_sidecars_alone() {
    let other = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n\
        - target: {kind: Deployment, name: argocd-repo-server}\n  patch: |\n    \
        - {op: add, path: /spec/template/spec/containers/-, value: {name: other, image: other:1}}\n";
    let component = install(&["--as", "kustomize"]);
    let manifests = argo_cd("core-install.yaml");
    let names = |components: &[&str]| -> Vec<String> {
        let resources = build(&manifests, components);
        let containers = repo_server(&resources)["containers"].as_array().unwrap();
        let names = containers.iter().map(|one| one["name"].as_str().unwrap());
        names.map(str::to_owned).collect()
    };
    let first = names(&[&component, other]);
    assert_eq!(first, ["argocd-repo-server", "landfall", "other"]);
    let last = names(&[other, &component]);
    assert_eq!(last, ["argocd-repo-server", "other", "landfall"]);
}

/// `kubectl patch --local` merges as the API server does.
#[test(go, kubectl)]
fn the_patch_appends_the_sidecar_once() {
    let manifests = argo_cd("core-install.yaml");
    let kubectl = needed_program("kubectl");
    let resources = documents(&manifests);
    let deployment = resources.iter().find(|one| is_repo_server(one)).unwrap();
    let folder = Scratch::new();
    let patch = program::repository().join("deploy/argocd/patch.yaml");
    let patched = |name: &str, deployment: &Value, patch: &Path| -> Value {
        folder.write(name, &deployment.to_string());
        let text = run(Command::new(&kubectl)
            .args([
                "patch",
                "--local",
                "--type",
                "strategic",
                "-o",
                "json",
                "-f",
            ])
            .arg(folder.at(name))
            .arg("--patch-file")
            .arg(patch));
        serde_json::from_str(&text).unwrap()
    };
    // An empty patch: kubectl sorts keys and drops what is empty.
    folder.write("empty.yaml", "{}\n");
    let without = patched("0.json", deployment, &folder.at("empty.yaml"));
    let once = patched("1.json", &without, &patch);
    let pod = |deployment: &Value| deployment["spec"]["template"]["spec"].clone();
    assert_only_added(&pod(&without), &pod(&once), &["landfall-tmp"]);
    assert_eq!(patched("2.json", &once, &patch), once);

    // A sidecar that is there already stays as it is, after landfall's.
    let mut with_other = without.clone();
    let containers = &mut with_other["spec"]["template"]["spec"]["containers"];
    let other = serde_json::json!({"name": "other", "image": "other:1"});
    containers.as_array_mut().unwrap().push(other.clone());
    let patched = patched("3.json", &with_other, &patch);
    let before = &pod(&without)["containers"][0];
    let landfall = &pod(&once)["containers"][1];
    assert_eq!(
        pod(&patched)["containers"],
        serde_json::json!([before, landfall, other])
    );
}
