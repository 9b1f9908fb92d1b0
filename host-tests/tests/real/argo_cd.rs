//! `examples/karpenter` rendered by the real argocd-cmp-server with landfall's own
//! plugin.yaml.

use std::process::{Command, Stdio};

use landfall_host_tests::plugin_server::{Application, Configuration, Match, PluginServer};
use landfall_host_tests::program;
use landfall_host_tests::scratch::{self, Scratch};
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::manifests::{assert_holds_no_sensitive_value, documents_under, place};

fn parsed(manifests: &[String]) -> Vec<Value> {
    manifests
        .iter()
        .map(|manifest| serde_json::from_str(manifest).unwrap())
        .collect()
}

#[test]
fn the_plugin_is_called_landfall_and_discovers_its_applications() {
    let Some(server) = PluginServer::with_landfall() else {
        return;
    };
    assert_eq!(server.socket_name(), "landfall.sock");
    let expected = Configuration {
        is_discovery_configured: true,
        provide_git_creds: false,
    };
    assert_eq!(server.configuration(), Ok(expected));
}

#[test]
fn the_manifests_are_the_expected_ones() {
    let Some(server) = PluginServer::with_landfall() else {
        return;
    };
    let root = program::example("karpenter");
    let application = Application {
        root: &root,
        folder: &root.join("app"),
    };
    let manifests = server.generate(&application).unwrap();
    assert_eq!(
        parsed(&manifests),
        documents_under(&root.join("expected").join("app"))
    );
}

/// Argo CD may stream the whole repository instead of the folders that
/// `manifest-generate-paths` names.
#[test]
fn the_manifests_are_the_same_out_of_a_whole_repository() {
    let Some(server) = PluginServer::with_landfall() else {
        return;
    };
    let repository = Scratch::new();
    let root = program::example("karpenter");
    for folder in ["app", "outputs"] {
        for file in crate::manifests::files(&root.join(folder)) {
            let relative = file.strip_prefix(&root).unwrap();
            repository.write(
                &format!("platform/karpenter/{}", relative.display()),
                &scratch::read(&file),
            );
        }
    }
    repository.write("README.md", "${infra.not_a_manifest}\n");
    repository.write(
        "other/app.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${infra.not_mine}}\n",
    );
    let folder = repository.at("platform/karpenter/app");
    let manifests = server
        .generate(&Application {
            root: repository.path(),
            folder: &folder,
        })
        .unwrap();
    assert_eq!(
        parsed(&manifests),
        documents_under(&root.join("expected").join("app"))
    );
}

/// What the server reads of landfall are the expected files, byte for byte, one
/// after another.
#[test]
fn the_bytes_are_the_expected_ones() {
    let Some(landfall) = program::landfall() else {
        return;
    };
    let root = program::example("karpenter");
    let output = Command::new(landfall)
        .args(["cmp", "generate"])
        .current_dir(root.join("app"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    let mut rest = String::from_utf8(output.stdout).unwrap();
    for file in crate::manifests::files(&root.join("expected").join("app")) {
        let text = scratch::read(&file);
        let body = rest.strip_prefix("---\n").unwrap_or(&rest);
        let found = body.strip_prefix(text.as_str()).map(str::to_owned);
        rest = found.unwrap_or_else(|| panic!("{} is not next in\n{body}", file.display()));
    }
    assert_eq!(rest, "");
}

#[test]
fn a_reference_to_an_unknown_output_tells_its_place() {
    let Some(server) = PluginServer::with_landfall() else {
        return;
    };
    let example = Scratch::of_example("karpenter");
    // A misspelling, and an error in another file: both are told at once.
    example.replace(
        "app/service-account.yaml",
        "${infra.karpenter_controller_role_arn}",
        "${infra.karpenter_controler_role_arn}",
    );
    example.replace(
        "app/nodes/ec2nodeclass.yaml",
        "${infra.node_volume_iops}",
        "${infra.node_volume_iopz}",
    );
    let application = Application {
        root: example.path(),
        folder: &example.at("app"),
    };
    let refusal = server.generate(&application).unwrap_err();

    for (file, reference) in [
        (
            "service-account.yaml",
            "${infra.karpenter_controler_role_arn}",
        ),
        ("nodes/ec2nodeclass.yaml", "${infra.node_volume_iopz}"),
    ] {
        let place = format!(
            "{file}{}",
            place(&example.read(&format!("app/{file}")), reference)
        );
        assert!(
            refusal.message.contains(&place),
            "no {place} in\n{}",
            refusal.message
        );
    }
    assert!(
        refusal.message.contains("karpenter_controller_role_arn"),
        "no suggestion in\n{}",
        refusal.message
    );
    assert_holds_no_sensitive_value(&refusal.message, &example.read("outputs/terraform.json"));
    // The server extracts each call into a folder of another name, and Argo CD
    // keeps the message: it must be the same every time.
    assert!(
        !refusal.message.contains("_cmp_server"),
        "the working folder is told:\n{}",
        refusal.message
    );
    assert_eq!(server.generate(&application), Err(refusal));
}

#[test]
fn a_sensitive_output_does_not_reach_argo_cd() {
    let Some(server) = PluginServer::with_landfall() else {
        return;
    };
    let example = Scratch::of_example("karpenter");
    let broken = "account: \"${infra.alert_webhook_password}\"";
    example.replace(
        "app/cluster-info.yaml",
        "accountId: ${infra.account_id}",
        broken,
    );
    let application = Application {
        root: example.path(),
        folder: &example.at("app"),
    };
    let refusal = server.generate(&application).unwrap_err();

    let at = place(
        &example.read("app/cluster-info.yaml"),
        "${infra.alert_webhook_password}",
    );
    assert!(
        refusal.message.contains(&format!("cluster-info.yaml{at}")),
        "{}",
        refusal.message
    );
    assert_holds_no_sensitive_value(&refusal.message, &example.read("outputs/terraform.json"));
}

#[test]
fn a_missing_outputs_document_is_told_where_the_binding_asks_for_it() {
    let Some(server) = PluginServer::with_landfall() else {
        return;
    };
    let example = Scratch::of_example("karpenter");
    std::fs::remove_file(example.at("outputs/terraform.json")).unwrap();
    let application = Application {
        root: example.path(),
        folder: &example.at("app"),
    };
    let refusal = server.generate(&application).unwrap_err();

    assert!(
        refusal.message.contains("outputs/terraform.json"),
        "{}",
        refusal.message
    );
    assert!(
        refusal.message.contains("landfall.yaml:"),
        "{}",
        refusal.message
    );
    assert!(
        !refusal.message.contains("_cmp_server"),
        "the working folder is told:\n{}",
        refusal.message
    );
}

/// An empty answer is a success to the server, and Argo CD then deletes the
/// application's resources.
#[test]
fn an_application_without_manifests_is_an_error() {
    let Some(server) = PluginServer::with_landfall() else {
        return;
    };
    let example = Scratch::of_example("karpenter");
    for file in crate::manifests::files(&example.at("app")) {
        if file.file_name().unwrap() != "landfall.yaml" {
            std::fs::remove_file(file).unwrap();
        }
    }
    let application = Application {
        root: example.path(),
        folder: &example.at("app"),
    };
    let refusal = server.generate(&application).unwrap_err();
    assert!(
        refusal.message.contains("landfall cmp generate"),
        "{}",
        refusal.message
    );

    // The same when the manifests hold nothing but comments.
    example.write(
        "app/later.yaml",
        "# the resources follow\n---\n# ${infra.vpc_id}\n",
    );
    let answer = server.generate(&application);
    assert!(answer.is_err(), "{answer:?}");
}

#[test]
fn a_folder_with_a_binding_matches_and_another_does_not() {
    let Some(server) = PluginServer::with_landfall() else {
        return;
    };
    let example = Scratch::of_example("karpenter");
    let matches = |folder: &str| {
        server.matches(&Application {
            root: example.path(),
            folder: &example.at(folder),
        })
    };
    assert_eq!(
        matches("app"),
        Ok(Match {
            is_supported: true,
            is_discovery_enabled: true
        })
    );
    // `terraform` stands beside a folder with a Binding, `app/nodes` in one.
    assert_eq!(
        matches("terraform"),
        Ok(Match {
            is_supported: false,
            is_discovery_enabled: true
        })
    );
    assert_eq!(
        matches("app/nodes"),
        Ok(Match {
            is_supported: false,
            is_discovery_enabled: true
        })
    );
}
