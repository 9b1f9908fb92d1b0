//! Our own module, as `cargo xtask dist` built it.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "these tests read files"
)]

use std::fs;
use std::path::{Path, PathBuf};

use landfall_sandbox::{Limits, Module, types};
use wit_component::DecodedWasm;

/// The built component, or why a test cannot run.
fn component() -> Option<Vec<u8>> {
    let named = std::env::var_os("LANDFALL_COMPONENT").map(PathBuf::from);
    let path = named.unwrap_or_else(|| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist/landfall.component.wasm")
    });
    let bytes = fs::read(&path).ok();
    if bytes.is_none() {
        eprintln!(
            "skipped: {} is not there: run cargo xtask dist",
            path.display()
        );
    }
    bytes
}

fn file(path: &str, content: &[u8]) -> types::File {
    types::File {
        path: path.into(),
        content: content.into(),
    }
}

fn request(outputs: Vec<types::OutputsDocument>) -> types::Request {
    types::Request {
        outputs,
        binding: None,
        operator_policy: None,
        parameters: Vec::new(),
        resources_only: false,
        detail: types::Detail::Substitutions,
        answer_limit: None,
    }
}

fn infra(content: &[u8]) -> types::OutputsDocument {
    types::OutputsDocument {
        name: "infra".into(),
        path: "terraform.json".into(),
        content: content.into(),
        format: None,
        sensitive: false,
    }
}

#[test]
fn it_imports_nothing_and_exports_the_world() {
    let Some(component) = component() else { return };
    let DecodedWasm::Component(resolve, world) = wit_component::decode(&component).unwrap() else {
        panic!("it is no component")
    };
    let world = &resolve.worlds[world];
    assert!(world.imports.is_empty(), "{:?}", world.imports);
    let exports: Vec<_> = world
        .exports
        .keys()
        .map(|key| resolve.name_world_key(key))
        .collect();
    assert_eq!(
        exports,
        [
            "landfall:config-management/types@0.1.0",
            "landfall:config-management/generator@0.1.0",
            "landfall:config-management/krm-function@0.1.0",
        ]
    );
}

#[test]
fn compiling_twice_gives_equal_bytes() {
    let Some(component) = component() else { return };
    assert!(Module::precompile(&component).unwrap() == Module::precompile(&component).unwrap());
}

#[test]
fn every_function_of_the_world_answers() {
    let Some(component) = component() else { return };
    let compiled = Module::precompile(&component).unwrap();
    // SAFETY: compiled by this crate, a line above.
    let module = unsafe { Module::precompiled(&compiled) }.unwrap();
    let mut plugin = module.start(&Limits::default()).unwrap();

    assert!(!plugin.discover(&["README.md".to_owned()]).unwrap());
    let paths = ["app.yaml".to_owned()];
    let plan = plugin.needs(None, &[], &paths).unwrap().unwrap();
    assert!(plan.outputs.is_empty());

    let sources = plugin.sources(&[file("app.yaml", b"a: b\n")]).unwrap();
    let request = request(vec![infra(
        br#"{"vpc_id": {"sensitive": false, "type": "string", "value": "vpc-1"}}"#,
    )]);
    assert_eq!(
        plugin.parameters(&sources, &request).unwrap(),
        Ok(Vec::new())
    );
    let answer = plugin.generate(&sources, &request).unwrap().unwrap();
    assert_eq!(answer.sources, [types::Content::Unchanged]);
    let report = answer.substitutions.expect("it was asked for");
    assert!(
        report.starts_with(br#"{"apiVersion":"landfall.dev/report/"#),
        "{}",
        String::from_utf8_lossy(&report)
    );

    // Neither is a ResourceList: an answer, not a stop.
    assert!(plugin.krm_needs(b"").unwrap().is_err());
    assert!(plugin.process(b"kind: List\n", &[], None).unwrap().is_err());
}

#[test]
fn equal_requests_have_equal_answers_in_every_instance() {
    let Some(component) = component() else { return };
    let module = Module::compile(&component).unwrap();
    let answer = || {
        let mut plugin = module.start(&Limits::default()).unwrap();
        let sources = plugin
            .sources(&[file(
                "app.yaml",
                b"a: ${infra.vpc_id}\nb: ${infra.nothing}\n",
            )])
            .unwrap();
        plugin
            .generate(&sources, &request(vec![infra(b"{}")]))
            .unwrap()
    };
    assert_eq!(answer(), answer());
}
