//! `examples/karpenter` rendered by the real argocd-cmp-server with landfall's own
//! plugin.yaml.

use std::process::{Command, Stdio};

use landfall_host_tests::plugin_server::{
    Application, Configuration, Match, PluginServer, Refusal,
};
use landfall_host_tests::program;
use landfall_host_tests::scratch::{self, Scratch};
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::manifests::{assert_holds_no_sensitive_value, documents_under, files, parsed, position};

const APP: &str = "examples/karpenter/app";
const OUTPUTS: &str = "examples/karpenter/outputs/terraform.json";

/// Generates the example's application in a repository of which this folder is streamed.
fn generate(
    server: &PluginServer,
    repository: &Scratch,
    root: &str,
) -> Result<Vec<String>, Refusal> {
    server.generate(&Application {
        root: &repository.at(root),
        folder: &repository.at(APP),
        source_path: APP,
    })
}

fn expected() -> Vec<Value> {
    documents_under(&program::example("karpenter").join("expected").join("app"))
}

#[test(tools)]
fn the_plugin_is_called_landfall_and_discovers_its_applications() {
    let server = PluginServer::with_landfall();
    assert_eq!(server.socket_name(), "landfall.sock");
    let expected = Configuration {
        is_discovery_configured: true,
        provide_git_creds: false,
    };
    assert_eq!(server.configuration(), Ok(expected));
}

/// repo-server's default: the whole repository is streamed.
#[test(tools)]
fn renders_the_expected_manifests() {
    let server = PluginServer::with_landfall();
    let repository = Scratch::with_public_example("karpenter", OUTPUTS);
    repository.write(
        "other/app.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"${infra.not_mine}\"}\n",
    );
    let manifests = generate(&server, &repository, "").unwrap();
    assert_eq!(parsed(&manifests), expected());
}

/// With `--plugin-use-manifest-generate-paths` only the common folder of the annotation's
/// paths is streamed.
#[test(tools)]
fn renders_the_expected_manifests_from_the_paths_of_the_annotation() {
    let server = PluginServer::with_landfall();
    let repository = Scratch::with_public_example("karpenter", OUTPUTS);
    let manifests = generate(&server, &repository, "examples/karpenter").unwrap();
    assert_eq!(parsed(&manifests), expected());
}

/// The output of landfall that the server reads is the expected files, byte for byte,
/// concatenated.
#[test]
fn renders_the_expected_bytes() {
    let landfall = program::landfall();
    let repository = Scratch::with_public_example("karpenter", OUTPUTS);
    let output = Command::new(landfall)
        .args(["cmp", "generate"])
        .current_dir(repository.at(APP))
        .env("ARGOCD_APP_SOURCE_PATH", APP)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{message}");

    let mut rest = String::from_utf8(output.stdout).unwrap();
    for file in files(&program::example("karpenter").join("expected").join("app")) {
        let body = rest.strip_prefix("---\n").unwrap_or(&rest);
        let after = body.strip_prefix(scratch::read(&file).as_str());
        rest = after.map_or_else(
            || panic!("{} is not next in\n{body}", file.display()),
            str::to_owned,
        );
    }
    assert_eq!(rest, "");
}

#[test(tools)]
fn reports_positions_of_unknown_outputs() {
    let server = PluginServer::with_landfall();
    let repository = Scratch::with_example("karpenter");
    // One in each of two files: both are reported at once.
    let misspelt = [
        (
            "service-account.yaml",
            "karpenter_controller_role_arn",
            "karpenter_controler_role_arn",
        ),
        (
            "nodes/ec2nodeclass.yaml",
            "node_volume_iops",
            "node_volume_iopz",
        ),
    ];
    for (file, name, wrong) in misspelt {
        repository.replace(&format!("{APP}/{file}"), name, wrong);
    }
    let refusal = generate(&server, &repository, "").unwrap_err();

    for (file, name, wrong) in misspelt {
        let text = repository.read(&format!("{APP}/{file}"));
        let position = format!("{file}{}", position(&text, wrong));
        let message = &refusal.message;
        assert!(message.contains(&position), "no {position} in\n{message}");
        assert!(message.contains(name), "no suggestion {name} in\n{message}");
    }
    assert_holds_no_sensitive_value(&refusal.message, &repository.read(OUTPUTS));
    // The server extracts each call into a folder of another name, and Argo CD keeps the
    // message: it must not vary.
    assert_names_no_working_folder(&refusal);
    assert_eq!(generate(&server, &repository, ""), Err(refusal));
}

fn assert_names_no_working_folder(refusal: &Refusal) {
    assert!(
        !refusal.message.contains("_cmp_server"),
        "the working folder is shown:\n{}",
        refusal.message
    );
}

#[test(tools)]
fn a_sensitive_output_does_not_reach_argo_cd() {
    let server = PluginServer::with_landfall();
    let repository = Scratch::with_example("karpenter");
    let file = format!("{APP}/cluster-info.yaml");
    repository.replace(
        &file,
        "accountId: ${infra.account_id}",
        "accountId: \"${infra.alert_webhook_password}\"",
    );
    let refusal = generate(&server, &repository, "").unwrap_err();

    let position = position(&repository.read(&file), "${infra.alert_webhook_password}");
    let message = &refusal.message;
    assert!(
        message.contains(&format!("cluster-info.yaml{position}")),
        "{message}"
    );
    assert_holds_no_sensitive_value(message, &repository.read(OUTPUTS));
}

/// Argo CD keeps rendered manifests in plain text, so not even a Secret may contain
/// sensitive values.
#[test(tools)]
fn a_sensitive_output_does_not_reach_argo_cd_in_a_secret() {
    let server = PluginServer::with_landfall();
    let repository = Scratch::with_example("karpenter");
    let secret = repository.read("examples/karpenter/bootstrap/secret.yaml");
    repository.write(&format!("{APP}/secret.yaml"), &secret);
    let refusal = generate(&server, &repository, "").unwrap_err();
    let message = &refusal.message;
    assert!(message.contains("secret.yaml:"), "{message}");
    assert_holds_no_sensitive_value(message, &repository.read(OUTPUTS));
}

#[test(tools)]
fn reports_a_missing_outputs_document_in_the_binding() {
    let server = PluginServer::with_landfall();
    let repository = Scratch::with_public_example("karpenter", OUTPUTS);
    std::fs::remove_file(repository.at(OUTPUTS)).unwrap();
    let refusal = generate(&server, &repository, "").unwrap_err();

    let binding = repository.read(&format!("{APP}/landfall.yaml"));
    let position = position(&binding, "../outputs/terraform.json");
    let message = &refusal.message;
    assert!(message.contains("outputs/terraform.json"), "{message}");
    assert!(
        message.contains(&format!("landfall.yaml{position}")),
        "{message}"
    );
    assert_names_no_working_folder(&refusal);
}

/// An empty output is a success to the server, and Argo CD then deletes the application's
/// resources.
#[test(tools)]
fn an_application_without_manifests_is_an_error() {
    let server = PluginServer::with_landfall();
    let repository = Scratch::with_public_example("karpenter", OUTPUTS);
    for file in files(&repository.at(APP)) {
        if file.file_name().unwrap() != "landfall.yaml" {
            std::fs::remove_file(file).unwrap();
        }
    }
    let refusal = generate(&server, &repository, "").unwrap_err();
    let message = &refusal.message;
    assert!(
        message.contains("`landfall cmp generate` failed"),
        "{message}"
    );

    // The same if the manifests consist of comments alone.
    let comments = "# the resources follow\n---\n# ${infra.vpc_id}\n";
    repository.write(&format!("{APP}/later.yaml"), comments);
    let answer = generate(&server, &repository, "");
    assert!(answer.is_err(), "{answer:?}");
}

#[test(tools)]
fn a_folder_with_a_binding_matches_and_another_does_not() {
    let server = PluginServer::with_landfall();
    let repository = Scratch::with_public_example("karpenter", OUTPUTS);
    // `terraform` is next to a folder with a Binding, `app/nodes` inside one.
    for (path, is_supported) in [
        (APP, true),
        ("examples/karpenter/terraform", false),
        ("examples/karpenter/app/nodes", false),
    ] {
        let answer = server.matches(&Application {
            root: repository.path(),
            folder: &repository.at(path),
            source_path: path,
        });
        let expected = Match {
            is_supported,
            is_discovery_enabled: true,
        };
        assert_eq!(answer, Ok(expected), "{path}");
    }
}

/// A kustomize folder with a Binding: unclaimed, Argo CD would run kustomize on it
/// alone and apply the references; rendered by landfall alone it would lose its prefix.
#[test(tools)]
fn a_kustomize_folder_with_a_binding_is_claimed_and_refused() {
    let server = PluginServer::with_landfall();
    let repository = Scratch::with_public_example("karpenter", OUTPUTS);
    repository.replace(&format!("{APP}/landfall.yaml"), "tool: none", "policy: {}");
    let application = Application {
        root: repository.path(),
        folder: &repository.at(APP),
        source_path: APP,
    };
    let claimed = Match {
        is_supported: true,
        is_discovery_enabled: true,
    };
    assert_eq!(server.matches(&application), Ok(claimed));
    let message = generate(&server, &repository, "").unwrap_err().message;
    for part in ["other-tool", "nodes/kustomization.yaml", "`kustomize: {…}`"] {
        assert!(message.contains(part), "no {part} in\n{message}");
    }
}

#[test(tools)]
fn a_broken_binding_is_claimed_and_refused() {
    let server = PluginServer::with_landfall();
    let repository = Scratch::with_public_example("karpenter", OUTPUTS);
    repository.write(&format!("{APP}/landfall.yaml"), "kind: [");
    let application = Application {
        root: repository.path(),
        folder: &repository.at(APP),
        source_path: APP,
    };
    assert!(server.matches(&application).unwrap().is_supported);
    let message = generate(&server, &repository, "").unwrap_err().message;
    assert!(message.contains("invalid-binding"), "{message}");
}

#[test(tools)]
fn rejects_a_folder_of_applications_and_a_nested_binding() {
    let server = PluginServer::with_landfall();
    let repository = Scratch::with_public_example("karpenter", OUTPUTS);
    let set = server.generate(&Application {
        root: repository.path(),
        folder: &repository.at("examples/karpenter"),
        source_path: "examples/karpenter",
    });
    let message = set.unwrap_err().message;
    assert!(message.contains("several-applications"), "{message}");

    let binding = repository.read(&format!("{APP}/landfall.yaml"));
    repository.write(&format!("{APP}/nodes/landfall.yaml"), &binding);
    let message = generate(&server, &repository, "").unwrap_err().message;
    assert!(message.contains("nested-binding"), "{message}");
}
