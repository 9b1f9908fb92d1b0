//! The READMEs of examples and `docs/kpt.md`, pasted into a shell: each `sh` block is run in a
//! copy of the example, in a Git repository, one after the other. Its standard output and
//! standard error are the `text` block after it, or empty.
//!
//! `UPDATE=1 cargo test -p landfall-host-tests --test examples` rewrites the `text` blocks.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests start programs and read what those wrote; the lints guard the plugin"
)]
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a panic is a failed test"
)]

// `#[test]`: without the command, a test is ignored.
#[macro_use]
extern crate landfall_test_needs;

mod kpt;
mod readme;

use std::process::Command;

use landfall_host_tests::plugin_server::{Application, PluginServer};
use landfall_host_tests::program::{self, tool};
use landfall_host_tests::scratch::Scratch;
use landfall_test_support::skip::needed_program;
use pretty_assertions::assert_eq;
use serde_json::Value;

use readme::{check, check_page};

#[test(tools)]
fn kustomize() {
    check("kustomize", &[tool("kustomize")]);
}

#[test(tools)]
fn helm() {
    check("helm", &[tool("helm")]);
}

#[test(tools)]
fn kpt_package() {
    check("kpt", &[tool("kpt")]);
}

#[test(tools)]
fn kpt_page() {
    let page = program::repository().join("docs/kpt.md");
    check_page(&page, "kpt", &[tool("kpt")]);
}

#[test(terraform, tools)]
fn kops() {
    check("kops", &[tool("helm"), needed_program("terraform")]);
}

#[test(terraform)]
fn rendered() {
    check("rendered", &[needed_program("terraform")]);
}

/// Argo CD's hydrator commits what its plugin server answers.
#[test(tools)]
fn argo_cd_renders_what_the_pipeline_renders() {
    let server = PluginServer::with_landfall();
    let repository = Scratch::with_example("rendered");
    let path = "examples/rendered/app";
    repository.write(
        "examples/rendered/outputs/prod.json",
        r#"{
  "database_password": {"sensitive": true, "type": "string", "value": null, "left_out": true},
  "database_secret_name": {"sensitive": false, "type": "string", "value": "prod/orders/database"},
  "queue_url": {"sensitive": false, "type": "string", "value": "https://sqs.example.com/orders"},
  "role_arn": {"sensitive": false, "type": "string", "value": "arn:aws:iam::012345678901:role/orders"}
}"#,
    );
    let answer = server.generate(&Application {
        root: repository.path(),
        folder: &repository.at(path),
        source_path: path,
    });
    let answer: Vec<Value> = answer
        .unwrap()
        .iter()
        .map(|manifest| serde_json::from_str(manifest).unwrap())
        .collect();
    let output = Command::new(program::landfall())
        .args(["render", ".", "--root", ".."])
        .current_dir(repository.at(path))
        .output()
        .unwrap();
    let rendered = String::from_utf8(output.stdout).unwrap();
    let rendered: Vec<Value> = rendered
        .split("---\n")
        .map(|document| serde_yaml::from_str(document).unwrap())
        .collect();
    assert_eq!(answer, rendered);
    assert_eq!(rendered.len(), 3);
}
