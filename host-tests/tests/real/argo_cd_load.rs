//! Large, parallel and hostile applications, rendered by the real argocd-cmp-server with
//! landfall's own plugin.yaml.

use std::fmt::Write as _;
use std::time::Duration;

use landfall_host_tests::plugin_server::{Application, PluginServer, Refusal};
use landfall_host_tests::scratch::Scratch;
use pretty_assertions::assert_eq;
use serde_json::Value;

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1
kind: Binding
spec: {outputs: [{name: infra, from: {file: ../outputs/infra.json}}]}
";

/// Creates a repository with an application of these manifests, and one output.
fn repository(vpc_id: &str, manifests: &str) -> Scratch {
    let repository = Scratch::new();
    let outputs = format!("{{\"vpc_id\": {{\"sensitive\": false, \"value\": \"{vpc_id}\"}}}}");
    repository.write("outputs/infra.json", &outputs);
    repository.write("app/landfall.yaml", BINDING);
    repository.write("app/app.yaml", manifests);
    repository
}

/// Renders the application. Argo CD waits for 60 seconds.
fn generate(server: &PluginServer, repository: &Scratch) -> Result<Vec<String>, Refusal> {
    generate_within(server, repository, Duration::from_secs(60))
}

fn generate_within(
    server: &PluginServer,
    repository: &Scratch,
    deadline: Duration,
) -> Result<Vec<String>, Refusal> {
    let application = Application {
        root: repository.path(),
        folder: &repository.at("app"),
        source_path: "app",
    };
    server.generate_within(&application, deadline)
}

fn config_maps(number: usize, padding: usize) -> String {
    let mut manifests = String::new();
    let padding = "x".repeat(padding);
    for nth in 0..number {
        let _ = write!(
            manifests,
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{nth}}}\ndata:\n  vpc: ${{infra.vpc_id}}\n  padding: {padding}\n"
        );
    }
    manifests
}

#[test(tools)]
fn renders_five_megabytes() {
    let server = PluginServer::with_landfall();
    let repository = repository("vpc-0ab1", &config_maps(5_000, 950));
    let manifests = generate(&server, &repository).unwrap();
    assert_eq!(manifests.len(), 5_000);
    let last: Value = serde_json::from_str(&manifests[4_999]).unwrap();
    assert_eq!(last["data"]["vpc"], "vpc-0ab1");
}

/// The server does not limit how many commands it runs.
#[test(tools)]
fn renders_at_once_do_not_affect_each_other() {
    let server = PluginServer::with_landfall();
    let server = &server;
    std::thread::scope(|scope| {
        for nth in 0..8 {
            scope.spawn(move || {
                let vpc_id = format!("vpc-{nth}");
                let repository = repository(&vpc_id, &config_maps(20, 10));
                for manifest in generate(server, &repository).unwrap() {
                    let manifest: Value = serde_json::from_str(&manifest).unwrap();
                    assert_eq!(manifest["data"]["vpc"], vpc_id);
                }
            });
        }
    });
}

/// The server kills the command without a warning. Nothing of it may affect the next one.
#[test(tools)]
fn a_render_that_was_killed_can_be_repeated() {
    let server = PluginServer::with_landfall();
    let repository = repository("vpc-0ab1", &config_maps(2_000, 950));
    for deadline in [110, 120, 150, 200] {
        // It depends on the machine whether this is enough.
        let _ = generate_within(&server, &repository, Duration::from_millis(deadline));
    }
    assert_eq!(generate(&server, &repository).unwrap().len(), 2_000);
}

#[test(tools)]
fn a_hostile_binding_reads_nothing_outside_the_repository() {
    let server = PluginServer::with_landfall();
    let manifests =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: \"${infra.a}\"}\n";
    let outside = Scratch::new();
    outside.write("secret.json", "{\"a\": {\"value\": \"hunter2\"}}");
    let outside = outside.at("secret.json");
    for file in [
        "../../../../../../../../../../etc/passwd".to_owned(),
        format!("../../../../../../../../../..{}", outside.display()),
        "../outputs/../../outside.json".to_owned(),
        "/etc/passwd".to_owned(),
        "/dev/stdin".to_owned(),
        "../../../../../../../../../../proc/self/environ".to_owned(),
        ".".to_owned(),
    ] {
        let repository = repository("vpc-0ab1", manifests);
        let binding = BINDING.replace("../outputs/infra.json", &file);
        repository.write("app/landfall.yaml", &binding);
        let refused = generate(&server, &repository);
        let message = refused.unwrap_err().message;
        assert!(message.contains("error["), "{file}: {message}");
        assert!(!message.contains("hunter2"), "{file}: {message}");
        assert!(!message.contains("root:"), "{file}: {message}");
    }
}

#[test(tools)]
fn thousands_of_files_that_are_not_manifests_are_not_read() {
    let server = PluginServer::with_landfall();
    let repository = repository("vpc-0ab1", &config_maps(1, 10));
    for nth in 0..5_000 {
        repository.write(
            &format!("app/docs/{}/{nth}.md", nth % 50),
            "${infra.nothing}\n",
        );
    }
    assert_eq!(generate(&server, &repository).unwrap().len(), 1);
}
