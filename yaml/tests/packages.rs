//! The crates of this repository that others can take: their manifests have what a registry
//! needs, and they can be packaged.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "tests start cargo, and fail where they cannot go on"
)]

use std::process::Command;

use serde_json::Value;

/// Crates that may be published, in the order in which they are. The others have `publish =
/// false`, with the reason in their manifests.
const PUBLISHED: [&str; 3] = ["landfall-yaml-events", "landfall-yaml", "landfall"];

fn cargo(arguments: &[&str]) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).arg("--offline");
    let output = command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    output.stdout
}

/// Returns the manifests of the workspace.
fn manifests() -> Vec<Value> {
    let metadata = cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_slice(&metadata).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

#[test]
fn published_crates_have_what_a_registry_needs() {
    let manifests = manifests();
    let is_published = |manifest: &&Value| manifest["publish"].is_null();
    let published: Vec<&Value> = manifests.iter().filter(is_published).collect();
    let mut names: Vec<&str> = published
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    names.sort_by_key(|name| PUBLISHED.iter().position(|published| published == name));
    assert_eq!(names, PUBLISHED);
    for manifest in published {
        let name = &manifest["name"];
        for field in [
            "description",
            "license",
            "repository",
            "homepage",
            "documentation",
            "readme",
            "rust_version",
        ] {
            assert!(manifest[field].is_string(), "{name} has no {field}");
        }
        for field in ["keywords", "categories"] {
            let count = manifest[field].as_array().unwrap().len();
            assert!((1..=5).contains(&count), "{name}: {count} {field}");
        }
        for dependency in manifest["dependencies"].as_array().unwrap() {
            let is_ours = dependency["path"].is_string() && dependency["kind"].is_null();
            if is_ours {
                assert_ne!(dependency["req"], "*", "{name}: a version is missing");
                assert!(
                    PUBLISHED.iter().any(|name| dependency["name"] == *name),
                    "{dependency}"
                );
            }
        }
    }
}

#[test]
fn published_crates_can_be_packaged() {
    let mut arguments = vec!["package", "--no-verify", "--allow-dirty", "--quiet"];
    arguments.extend(["--target-dir", env!("CARGO_TARGET_TMPDIR")]);
    arguments.extend(PUBLISHED.iter().flat_map(|name| ["--package", name]));
    cargo(&arguments);
}
