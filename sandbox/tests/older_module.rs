//! Modules that were built once and are kept in `fixtures/`: a module in use keeps
//! running on newer hosts.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "these tests read files"
)]

use std::fs;
use std::path::{Path, PathBuf};

use landfall_sandbox::{Limits, Module, Plugin, Stopped, types};

/// A module from `fixtures/` with its example.
struct OlderModule {
    folder: PathBuf,
}

impl OlderModule {
    fn all() -> Vec<Self> {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let entries = fs::read_dir(fixtures).unwrap();
        let folders = entries.map(|entry| entry.unwrap().path());
        folders
            .filter(|path| path.is_dir())
            .map(|folder| Self { folder })
            .collect()
    }

    fn read(&self, name: &str) -> Vec<u8> {
        let path = self.folder.join(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    fn outputs(&self) -> types::OutputsDocument {
        types::OutputsDocument {
            name: "infra".into(),
            path: "outputs.json".into(),
            content: self.read("outputs.json"),
            format: None,
            sensitive: false,
        }
    }

    /// Tests the generator interface, as the command calls it.
    fn check_manifests(&self, plugin: &mut Plugin) {
        assert!(plugin.discover(&["landfall.yaml".to_owned()]).unwrap());
        let plan = plugin.needs(None, &[], None).unwrap().unwrap();
        assert!(plan.outputs.is_empty());

        let manifest = types::File {
            path: "manifest.yaml".into(),
            content: self.read("manifest.yaml"),
        };
        let request = types::Request {
            outputs: vec![self.outputs()],
            binding: None,
            ceiling: no_ceiling(),
            policy: None,
            parameters: Vec::new(),
            resources_only: true,
            known_names: Vec::new(),
            keep_references: false,
            detail: types::Detail::Substitutions,
            answer_limit: None,
        };
        let sources = plugin.sources(std::slice::from_ref(&manifest)).unwrap();
        let answer = plugin.generate(&sources, &request).unwrap().unwrap();
        let [types::Content::Edited(edits)] = answer.sources.as_slice() else {
            panic!("{:?}", answer.sources);
        };
        assert_eq!(
            spliced(&manifest.content, edits),
            self.text("expected.yaml")
        );
        assert!(answer.substitutions.is_some());
    }

    /// Tests the KRM function interface.
    fn check_resource_list(&self, plugin: &mut Plugin) {
        let list = self.read("resource-list.yaml");
        let needs = plugin.krm_needs(&list).unwrap().unwrap();
        let paths: Vec<_> = needs.iter().map(|need| need.path.as_str()).collect();
        assert_eq!(paths, ["outputs.json"]);
        let processed = plugin
            .process(&list, &[self.outputs()], &no_ceiling(), None, &[])
            .unwrap()
            .unwrap();
        assert!(!processed.failed);
        assert_eq!(
            spliced(&list, &processed.edits),
            self.text("expected-resource-list.yaml")
        );
    }
}

fn no_ceiling() -> types::Ceiling {
    types::Ceiling {
        built_in: types::BuiltInCeiling::None,
        operator_policy: None,
    }
}

/// Tests that a module without later interfaces can be used for everything else.
fn check_missing_interface(plugin: &mut Plugin) {
    let contract = types::Config {
        path: String::new(),
        content: Vec::new(),
    };
    assert_eq!(
        plugin.sample_outputs(&contract),
        Err(Stopped::NoInterface { name: "outputs" })
    );
    assert_eq!(
        plugin.expand(&[], &[]),
        Err(Stopped::NoInterface {
            name: "application-sets"
        })
    );
    assert_eq!(
        plugin.tool(None),
        Err(Stopped::NoInterface { name: "folders" })
    );
}

/// Returns the content with the edits applied.
fn spliced(content: &[u8], edits: &types::EditList) -> String {
    let mut result = Vec::new();
    let mut done = 0;
    for edit in edits.checked(content.len()).unwrap().iter() {
        result.extend_from_slice(&content[done..edit.start]);
        result.extend_from_slice(edit.text);
        done = edit.end;
    }
    result.extend_from_slice(&content[done..]);
    String::from_utf8(result).unwrap()
}

#[test]
fn older_modules_give_the_same_answers() {
    let all = OlderModule::all();
    assert!(!all.is_empty(), "no modules in tests/fixtures");
    for older in all {
        let path = older.folder.display();
        let module = Module::compile(&older.read("landfall.component.wasm")).unwrap();
        // Here wasmtime compares the records of the module's contract with the host's.
        let mut plugin = module
            .start(&Limits::default())
            .unwrap_or_else(|stopped| panic!("{path}: {stopped}: see fixtures/README.md"));
        if !module.has_outputs() {
            check_missing_interface(&mut plugin);
        }
        older.check_manifests(&mut plugin);
        older.check_resource_list(&mut plugin);
    }
}
