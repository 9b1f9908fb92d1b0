//! The sidecar's images: assembled from the Dockerfile, and run with the real
//! argocd-cmp-server as the Pod of `landfall argocd install` describes it.

use std::collections::BTreeMap;
use std::process::Output;

use landfall_host_tests::image::{Image, dockerfile};
use landfall_host_tests::plugin_server::Application;
use landfall_host_tests::program;
use landfall_host_tests::scratch::{self, Scratch};
use landfall_host_tests::sidecar::{Data, Sidecar};
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::argo_cd_install::pod;
use crate::manifests::{documents_under, files};

const APP: &str = "examples/karpenter/app";
const OUTPUTS: &str = "examples/karpenter/outputs/terraform.json";

/// Starts the sidecar of an image, as `install` with these flags configures it.
fn start(target: &str, flags: &[&str], data: &Data<'_>) -> Option<Sidecar> {
    Sidecar::start(Image::assemble(target), &pod(flags), data)
}

/// Renders the application of the example.
fn generate(sidecar: &Sidecar, repository: &Scratch) -> Result<Vec<Value>, String> {
    let manifests = sidecar.server.generate(&Application {
        root: repository.path(),
        folder: &repository.at(APP),
        source_path: APP,
    });
    let parsed = |text: &String| serde_json::from_str(text).unwrap();
    manifests
        .map(|manifests| manifests.iter().map(parsed).collect())
        .map_err(|refusal| refusal.message)
}

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Returns the lines of `landfall argocd doctor` that are not `ok`.
fn problems(sidecar: &Sidecar) -> Vec<String> {
    let output = sidecar.exec(&["landfall", "argocd", "doctor"]);
    let text = text(&output);
    assert!(text.contains("ok       module: runs\n"), "{text}");
    let lines = text.lines().filter(|line| !line.starts_with("ok "));
    let lines: Vec<_> = lines.map(str::to_owned).collect();
    let has_errors = lines.iter().any(|line| line.starts_with("error"));
    assert_eq!(output.status.code(), Some(i32::from(has_errors)), "{text}");
    lines
}

/// The image's programs are those that are tested.
#[test]
fn the_dockerfile_builds_with_the_tested_versions() {
    let instructions = dockerfile();
    let words: Vec<_> = instructions.iter().flat_map(|one| &one.words).collect();
    let cargo = scratch::read(&program::repository().join("Cargo.toml"));
    let rust = cargo
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = "));
    let rust = format!("rust:{}.0-bookworm", rust.unwrap().trim_matches('"'));
    assert!(words.contains(&&rust), "no {rust}");
    let version = |name| landfall_tools::named(name).unwrap().version;
    let helm = version("helm");
    for word in [
        format!(
            "sigs.k8s.io/kustomize/kustomize/v5@v{}",
            version("kustomize")
        ),
        format!("helm.sh/helm/v4/cmd/helm@v{helm}"),
        format!("helm.sh/helm/v4/internal/version.version=v{helm}'"),
    ] {
        assert!(words.contains(&&word), "no {word}");
    }
    // Other bases would have to be pinned, too.
    let bases = instructions.iter().filter(|one| one.keyword == "FROM");
    let bases: Vec<_> = bases.map(|one| one.words[0].as_str()).collect();
    assert_eq!(bases[2..], ["scratch", "landfall", "scratch"]);
    assert!(
        bases[..2].iter().all(|base| base.contains(':')),
        "{bases:?}"
    );
}

#[test]
fn the_image_contains_nothing_but_landfall() {
    let image = Image::assemble("landfall");
    let root = image.path("/");
    let files = files(&root);
    let paths: Vec<_> = files
        .iter()
        .map(|file| file.strip_prefix(&root).unwrap().to_str().unwrap())
        .collect();
    assert_eq!(
        paths,
        [
            "home/argocd/cmp-server/config/plugin.yaml",
            "licenses/LICENSE",
            "usr/local/bin/landfall",
        ]
    );
    assert_eq!(image.user, "999:999");
}

#[test(go, tools)]
fn the_sidecar_renders_an_application_and_has_no_problems() {
    let Some(sidecar) = start("landfall", &[], &Data::new()) else {
        return;
    };
    assert_eq!(sidecar.server.socket_name(), "landfall.sock");
    let repository = Scratch::with_public_example("karpenter", OUTPUTS);
    let expected = program::example("karpenter").join("expected").join("app");
    assert_eq!(
        generate(&sidecar, &repository),
        Ok(documents_under(&expected))
    );
    assert_eq!(problems(&sidecar), [""; 0]);
}

/// As an author's command in the container would find it, if there were any.
#[test(go, tools)]
fn only_two_folders_can_be_written_and_there_is_no_shell() {
    let Some(sidecar) = start("landfall", &[], &Data::new()) else {
        return;
    };
    assert!(!sidecar.exec(&["sh", "-c", "true"]).status.success());
    let write = |folder: &str| {
        let arguments = [
            "landfall",
            "render",
            "/home/argocd/cmp-server/config/plugin.yaml",
            "--output-dir",
            folder,
        ];
        let output = sidecar.exec(&arguments);
        (output.status.success(), text(&output))
    };
    // The sidecars of all plugins run the program in /var/run/argocd.
    for folder in [
        "/written",
        "/usr/local/bin/written",
        "/etc/written",
        "/var/run/argocd/written",
    ] {
        let (is_written, message) = write(folder);
        assert!(!is_written, "{message}");
        assert!(message.contains("read-only file system"), "{message}");
    }
    for folder in ["/tmp/written", "/home/argocd/cmp-server/plugins/written"] {
        let (is_written, message) = write(folder);
        assert!(is_written, "{message}");
    }
}

#[test(go, tools)]
fn doctor_finds_what_the_pod_lacks() {
    let mut pod = pod(&[]);
    let container = pod["containers"]
        .as_array_mut()
        .unwrap()
        .last_mut()
        .unwrap();
    container["securityContext"]["readOnlyRootFilesystem"] = false.into();
    container["env"] = serde_json::json!([
        {"name": "LANDFALL_OPERATOR_POLICY", "value": "/etc/landfall/operator-policy/operator-policy.yaml"},
    ]);
    let image = Image::assemble("landfall");
    let Some(sidecar) = Sidecar::start(image, &pod, &Data::new()) else {
        return;
    };
    let problems = problems(&sidecar);
    assert_eq!(problems.len(), 2, "{problems:#?}");
    assert!(
        problems[0].starts_with("warning  root folder: writable"),
        "{problems:#?}"
    );
    assert!(
        problems[1].contains("does not exist, so nothing is rendered"),
        "{problems:#?}"
    );
}

/// The ConfigMap is optional, so that repo-server starts without it; landfall then refuses.
#[test(go, tools)]
fn the_operator_s_policy_is_mounted_and_enforced() {
    let flags = [
        "--operator-policy",
        "policy",
        "--mounted-outputs",
        "secret/all",
    ];
    let repository = Scratch::with_example("karpenter");
    // Secrets are not in the repository.
    let infra = repository.read(OUTPUTS);
    let binding = format!("{APP}/landfall.yaml");
    repository.replace(&binding, "file: ../outputs/", "mounted: ");
    let secret = repository.read("examples/karpenter/bootstrap/secret.yaml");
    repository.write(&format!("{APP}/secret.yaml"), &secret);

    let outputs = BTreeMap::from([("terraform.json", infra)]);
    let mut data = Data::from([("all", outputs)]);
    let Some(without) = start("landfall", &flags, &data) else {
        return;
    };
    let message = generate(&without, &repository).unwrap_err();
    assert!(
        message.contains("named by LANDFALL_OPERATOR_POLICY"),
        "{message}"
    );
    drop(without);

    let policy = "apiVersion: landfall.dev/v1alpha1\nkind: OperatorPolicy\nspec: {sensitive: {kinds: [Secret]}}\n";
    let policy = BTreeMap::from([("operator-policy.yaml", policy.to_owned())]);
    data.insert("policy", policy);
    let sidecar = start("landfall", &flags, &data).unwrap();
    let manifests = generate(&sidecar, &repository).unwrap();
    assert!(manifests.iter().any(|one| one["kind"] == "Secret"));
    assert_eq!(problems(&sidecar), [""; 0]);
}

/// The server is called for the project `platform`.
#[test(go, tools)]
fn outputs_are_mounted_for_the_project_of_the_application() {
    let flags = [
        "--mounted-outputs",
        "secret/all",
        "--mounted-outputs",
        "platform=configmap/own",
        "--mounted-outputs",
        "other=secret/theirs",
        "--mounted-outputs-public",
    ];
    let document = |file: &'static str, value: &str| {
        BTreeMap::from([(file, format!("{{\"name\": \"{value}\"}}"))])
    };
    let data = Data::from([
        ("all", document("all.json", "everybody")),
        ("own", document("own.json", "platform")),
        ("theirs", document("theirs.json", "other")),
    ]);
    let Some(sidecar) = start("landfall", &flags, &data) else {
        return;
    };
    assert_eq!(problems(&sidecar), [""; 0]);
    let application = |document: &str| {
        let repository = Scratch::new();
        let binding = format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {{outputs: [{{name: infra, format: json, from: {{mounted: {document}.json}}}}]}}\n"
        );
        repository.write(&format!("{APP}/landfall.yaml"), &binding);
        let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {name: \"${infra.name}\"}\n";
        repository.write(&format!("{APP}/a.yaml"), manifest);
        generate(&sidecar, &repository)
    };
    assert_eq!(application("all").unwrap()[0]["data"]["name"], "everybody");
    assert_eq!(application("own").unwrap()[0]["data"]["name"], "platform");
    let message = application("theirs").unwrap_err();
    assert!(message.contains("theirs.json"), "{message}");
    let message = application("../other/theirs").unwrap_err();
    assert!(!message.contains("\"other\""), "{message}");
}

#[test(go, tools)]
fn the_digest_of_sensitive_outputs_is_made_with_the_mounted_key() {
    let flags = ["--mounted-outputs", "secret/all", "--digest-key", "key"];
    let document = r#"{"name": {"sensitive": false, "value": "a"}, "password": {"sensitive": true, "value": "hunter2"}}"#;
    let secret = |file: &'static str, text: &str| BTreeMap::from([(file, text.to_owned())]);
    let data = Data::from([
        ("all", secret("all.json", document)),
        ("key", secret("digest-key", "0123456789abcdef\n")),
    ]);
    let Some(sidecar) = start("landfall", &flags, &data) else {
        return;
    };
    assert_eq!(problems(&sidecar), [""; 0]);
    let stamp = [
        "landfall",
        "stamp",
        "-b",
        "infra=/etc/landfall/outputs/_shared/all.json",
        "--digest-key",
        "/etc/landfall/digest-key/digest-key",
    ];
    let stamped = sidecar.exec(&stamp);
    let digest = text(&stamped);
    assert!(digest.starts_with("hmac-sha256:"), "{digest}");
    let repository = Scratch::new();
    repository.write(
        &format!("{APP}/landfall.yaml"),
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {mounted: all.json}}]}\n",
    );
    repository.write(
        &format!("{APP}/a.yaml"),
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {name: \"${infra.name}\"}\n",
    );
    let parameters = serde_json::json!([{"name": "outputs-digest", "string": digest.trim()}]);
    let manifests = sidecar.server.generate_with_parameters(
        &Application {
            root: repository.path(),
            folder: &repository.at(APP),
            source_path: APP,
        },
        &parameters.to_string(),
    );
    let manifest: Value = serde_json::from_str(&manifests.unwrap()[0]).unwrap();
    assert_eq!(manifest["data"]["name"], "a");
    drop(sidecar);

    // The Secret is optional: the operator gets an error if it is missing.
    let data = Data::from([("all", secret("all.json", document))]);
    let sidecar = start("landfall", &flags, &data).unwrap();
    let problems = problems(&sidecar);
    assert_eq!(problems.len(), 1, "{problems:#?}");
    assert!(
        problems[0].contains("named by LANDFALL_DIGEST_KEY, does not exist"),
        "{problems:#?}"
    );
}

#[test(go, tools)]
fn only_the_image_with_tools_builds_a_kustomization() {
    let repository = Scratch::new();
    for (file, text) in [
        (
            "landfall.yaml",
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  tool: kustomize\n  outputs: [{name: infra, from: {inline: {region: eu-west-1}}}]\n",
        ),
        (
            "kustomization.yaml",
            "namePrefix: prod-\nresources: [a.yaml]\n",
        ),
        (
            "a.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {region: \"${infra.region}\"}\n",
        ),
    ] {
        repository.write(&format!("{APP}/{file}"), text);
    }
    let Some(sidecar) = start("landfall-tools", &[], &Data::new()) else {
        return;
    };
    let manifests = generate(&sidecar, &repository).unwrap();
    assert_eq!(manifests[0]["metadata"]["name"], "prod-a");
    assert_eq!(manifests[0]["data"]["region"], "eu-west-1");
    drop(sidecar);

    let sidecar = start("landfall", &[], &Data::new()).unwrap();
    let message = generate(&sidecar, &repository).unwrap_err();
    assert!(message.contains("kustomize"), "{message}");
}

#[test(go, tools)]
fn the_image_with_tools_runs_them() {
    let Some(sidecar) = start("landfall-tools", &[], &Data::new()) else {
        return;
    };
    assert_eq!(problems(&sidecar), [""; 0]);
    for arguments in [
        &["kustomize", "version"][..],
        &["helm", "version", "--short"],
    ] {
        let output = sidecar.exec(arguments);
        let text = text(&output);
        assert!(output.status.success() && text.starts_with('v'), "{text}");
    }
    // Helm writes to its folders even where it needs none of them.
    let created = sidecar.exec(&["helm", "create", "/tmp/chart"]);
    assert!(created.status.success(), "{}", text(&created));
    let rendered = sidecar.exec(&["helm", "template", "/tmp/chart"]);
    assert!(rendered.status.success(), "{}", text(&rendered));
}
