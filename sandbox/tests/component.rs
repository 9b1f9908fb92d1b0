//! Tests of landfall's own module, built by `cargo xtask dist`.

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

use landfall_sandbox::{Limits, Module, types};
use landfall_test_support::skip::{Requirement, skipped};
use wit_component::DecodedWasm;

/// The module that `cargo xtask dist` built.
struct Built {
    path: PathBuf,
    component: Vec<u8>,
    compiled: Vec<u8>,
}

/// Reads `$LANDFALL_COMPONENT`, or else the component in `dist/`, and its compiled module.
fn built() -> Option<Built> {
    let named = std::env::var_os("LANDFALL_COMPONENT").map(PathBuf::from);
    let is_named = named.is_some();
    let component = named.unwrap_or_else(|| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist/landfall.component.wasm")
    });
    let compiled = component.with_extension("cwasm");
    match (fs::read(&component), fs::read(&compiled)) {
        (Ok(bytes), Ok(compiled)) => Some(Built {
            path: component,
            component: bytes,
            compiled,
        }),
        _ => {
            // An explicit path that does not exist is a mistake, not a reason to skip.
            assert!(
                !is_named,
                "LANDFALL_COMPONENT: {} or {} cannot be read",
                component.display(),
                compiled.display()
            );
            skipped(
                Requirement::Dist,
                "dist/landfall.component.wasm not found: run cargo xtask dist",
            );
            None
        }
    }
}

impl Built {
    fn module(&self) -> Module {
        // SAFETY: compiled by the build of this workspace.
        unsafe { Module::precompiled(&self.compiled) }.unwrap()
    }
}

fn file(path: &str, content: &[u8]) -> types::File {
    types::File {
        path: path.into(),
        content: content.into(),
    }
}

fn ceiling() -> types::Ceiling {
    types::Ceiling {
        built_in: types::BuiltInCeiling::None,
        operator_policy: None,
    }
}

fn request(outputs: Vec<types::OutputsDocument>) -> types::Request {
    types::Request {
        outputs,
        binding: None,
        ceiling: ceiling(),
        policy: None,
        parameters: Vec::new(),
        resources_only: false,
        known_names: Vec::new(),
        keep_references: false,
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
fn the_component_has_no_imports_and_exports_the_world() {
    let Some(built) = built() else { return };
    let DecodedWasm::Component(resolve, world) = wit_component::decode(&built.component).unwrap()
    else {
        panic!("it is not a component")
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
            "landfall:config-management/outputs@0.1.0",
            "landfall:config-management/bound-values@0.1.0",
            "landfall:config-management/adoption@0.1.0",
            "landfall:config-management/migration@0.1.0",
            "landfall:config-management/folders@0.1.0",
            "landfall:config-management/stand-ins@0.1.0",
            "landfall:config-management/application-sets@0.1.0",
            "landfall:config-management/parts@0.1.0",
            "landfall:config-management/generator@0.1.0",
            "landfall:config-management/krm-function@0.1.0",
        ]
    );
}

#[test]
fn compilation_is_reproducible() {
    let Some(built) = built() else { return };
    let again = Module::precompile(&built.component).unwrap();
    assert!(
        again == built.compiled,
        "dist/ may be older than the sandbox: run cargo xtask dist"
    );
}

/// Maps a file into read-only memory, like an embedded module.
#[cfg(target_os = "linux")]
fn mapped(path: &Path) -> &'static [u8] {
    use rustix::mm::{MapFlags, ProtFlags, mmap};
    let file = fs::File::open(path).unwrap();
    let length = usize::try_from(file.metadata().unwrap().len()).unwrap();
    // SAFETY: a new mapping that is never removed; the file is not modified.
    unsafe {
        let start = mmap(
            std::ptr::null_mut(),
            length,
            ProtFlags::READ,
            MapFlags::PRIVATE,
            &file,
            0,
        );
        std::slice::from_raw_parts(start.unwrap().cast(), length)
    }
}

#[cfg(target_os = "linux")]
#[test]
fn code_runs_in_place_after_another_module_with_the_same_bytes_is_dropped() {
    let Some(built) = built() else { return };
    let bytes = mapped(&built.path.with_extension("cwasm"));
    // SAFETY: compiled by the build of this workspace.
    let [first, second] = [(), ()].map(|()| unsafe { Module::embedded(bytes) }.unwrap());
    drop(first);
    let mut plugin = second.start(&Limits::default()).unwrap();
    assert!(plugin.discover(&["landfall.yaml".to_owned()]).unwrap());
}

#[test]
fn embedded_bytes_outside_a_page_boundary_are_copied() {
    let Some(built) = built() else { return };
    let mut bytes = vec![0];
    bytes.extend(&built.compiled);
    let bytes: &'static [u8] = bytes.leak();
    // SAFETY: compiled by the build of this workspace.
    let module = unsafe { Module::embedded(&bytes[1..]) }.unwrap();
    let mut plugin = module.start(&Limits::default()).unwrap();
    assert!(!plugin.discover(&["README.md".to_owned()]).unwrap());
}

#[test]
fn every_function_of_the_world_answers() {
    let Some(built) = built() else { return };
    let module = built.module();
    let mut plugin = module.start(&Limits::default()).unwrap();

    assert!(!plugin.discover(&["README.md".to_owned()]).unwrap());
    let folder = types::Folder {
        shown: "app".to_owned(),
        paths: vec!["README.md".to_owned(), "app.yaml".to_owned()],
    };
    let plan = plugin.needs(None, &[], Some(&folder)).unwrap().unwrap();
    assert!(plan.outputs.is_empty());
    assert_eq!(plan.manifests, [1]);

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

    // Neither is a ResourceList, which is an error of the input and does not stop the module.
    assert!(plugin.krm_needs(b"").unwrap().is_err());
    assert!(
        plugin
            .process(b"kind: List\n", &[], &ceiling(), None, &[])
            .unwrap()
            .is_err()
    );
}

#[test]
fn the_interface_outputs_answers() {
    let Some(built) = built() else { return };
    let module = built.module();
    assert!(module.has_outputs());
    let mut plugin = module.start(&Limits::default()).unwrap();
    let inputs = types::OutputsInputs {
        documents: vec![infra(
            br#"{"vpc_id": {"sensitive": false, "type": "string", "value": "vpc-1"}}"#,
        )],
        binding: None,
        contract: None,
        ceiling: ceiling(),
        policy: None,
    };
    assert_eq!(
        plugin.check_outputs(&inputs).unwrap(),
        types::Findings::default()
    );
    let name = types::Parameter {
        name: "name".into(),
        value: types::ParameterValue::Text("settings".into()),
    };
    let exported = plugin.export_outputs(&inputs, "flux", &[name]);
    let exported = exported.unwrap().unwrap();
    assert_eq!(exported.findings, types::Findings::default());
    assert_eq!(
        String::from_utf8(exported.content).unwrap(),
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  vpc_id: vpc-1\n"
    );
    let contract = types::Config {
        path: "contract.yaml".into(),
        content: plugin.outputs_contract(&inputs).unwrap().unwrap(),
    };
    let samples = plugin.sample_outputs(&contract).unwrap().unwrap();
    let [sample] = samples.as_slice() else {
        panic!("{samples:?}");
    };
    assert_eq!(sample.name, "infra");

    let found = plugin
        .check_references(
            &[file("app.yaml", b"a: ${infra.vpc_id}\nb: ${infra.gone}\n")],
            &request(Vec::new()),
            std::slice::from_ref(&contract),
        )
        .unwrap();
    let messages = found.diagnostics.iter().map(|found| found.message.as_str());
    assert!(messages.eq(["`infra` has no output `gone`"]), "{found:?}");

    // A violation is located in the contract.
    let checked = types::OutputsInputs {
        documents: vec![infra(b"{}")],
        contract: Some(contract),
        ..inputs
    };
    let found = plugin.check_outputs(&checked).unwrap().diagnostics;
    let origins = found[0].labels.iter().map(|label| label.span.origin);
    let expected = [types::Origin::Outputs(0), types::Origin::Manifest(0)];
    assert!(origins.eq(expected), "{found:?}");
}

#[test]
fn the_interface_folders_answers() {
    let Some(built) = built() else { return };
    let mut plugin = built.module().start(&Limits::default()).unwrap();
    assert_eq!(plugin.tool(None).unwrap(), Ok(None));
    let binding = |tool: &str| types::Config {
        path: "landfall.yaml".into(),
        content: format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {{tool: {tool}}}\n"
        )
        .into_bytes(),
    };
    let mut tool = |name| plugin.tool(Some(&binding(name))).unwrap();
    assert_eq!(tool("none"), Ok(Some(types::Tool::None)));
    assert_eq!(tool("kustomize"), Ok(Some(types::Tool::Kustomize)));
    assert_eq!(tool("helm"), Ok(Some(types::Tool::Helm)));
    let found = tool("flux").unwrap_err().diagnostics;
    assert!(found[0].message.contains("`flux`"), "{found:?}");

    let request = request(vec![infra(
        br#"{"token": {"sensitive": true, "type": "string", "value": "correct-horse"}}"#,
    )]);
    let chart = plugin.chart(&binding("helm, helm: {valueFiles: [a.yaml]}"));
    assert_eq!(chart.unwrap().unwrap().value_files[0].path, "a.yaml");
    let values = [file("values.yaml", b"a: ${infra.token}\n")];
    let refused = plugin.render_values(&values, &request).unwrap();
    let found = refused.unwrap_err().diagnostics;
    assert_eq!(found[0].rule, "sensitive-output", "{found:?}");

    let built = file("built.yaml", b"a: ${infra.token}\n");
    let rendered = file("a.yaml", b"kind: A\n");
    let found = plugin.check_built(&[built], &[rendered], &request).unwrap();
    let rules = found.diagnostics.iter().map(|found| found.rule.as_str());
    assert!(rules.eq(["unrendered-reference"]), "{found:?}");
}

#[test]
fn the_interface_stand_ins_answers() {
    let Some(built) = built() else { return };
    let mut plugin = built.module().start(&Limits::default()).unwrap();
    let request = request(vec![infra(
        br#"{"token": {"sensitive": true, "type": "string", "value": "correct-horse"}}"#,
    )]);
    let secret = "apiVersion: v1\nkind: Secret\nstringData:\n  a: ";
    let source = format!("{secret}${{infra.token}}\n").into_bytes();
    let files = [file("a.yaml", &source)];
    let mut rendered = |stand_in| {
        let answer = plugin.render_stand_ins(&files, &request, stand_in);
        let answer = answer.unwrap().unwrap();
        let types::Content::Edited(edits) = &answer.sources[0] else {
            panic!("no edits")
        };
        let edits = edits.checked(source.len()).unwrap();
        let edit = edits.iter().next().unwrap();
        let content = [&source[..edit.start], edit.text, &source[edit.end..]].concat();
        [file("a.yaml", &content)]
    };
    let [first, second] = [types::StandIn::First, types::StandIn::Second].map(&mut rendered);
    assert_ne!(first, second);
    let [first, second] = [first, second].map(|rendered| types::StandInBuild {
        manifests: rendered[0].content.clone(),
        rendered: rendered.into(),
    });
    let with_value = [file(
        "a.yaml",
        format!("{secret}correct-horse\n").as_bytes(),
    )];
    let restored = plugin.restore_sensitive(&first, &second, &with_value, &request);
    assert_eq!(restored.unwrap().unwrap(), with_value[0].content);
}

#[test]
fn the_interface_application_sets_answers() {
    let Some(built) = built() else { return };
    let mut plugin = built.module().start(&Limits::default()).unwrap();
    let set = |template: &str| {
        let text = format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: web, namespace: argocd}}\nspec:\n  generators: [{{clusters: {{}}}}]\n  template: {{metadata: {{name: '{template}'}}, spec: {{project: default}}}}\n"
        );
        file("set.yaml", text.as_bytes())
    };
    let expanded = plugin.expand(&[set("web-{{name}}")], &[]).unwrap().unwrap();
    let [application] = &expanded.applications[..] else {
        panic!("{expanded:?}")
    };
    assert_eq!(application.name, "web-in-cluster");
    assert_eq!(
        (&*application.namespace, &*application.set),
        ("argocd", "web")
    );
    let found = plugin.expand(&[set("{{nmae}}")], &[]).unwrap().unwrap_err();
    assert_eq!(found.diagnostics[0].rule, "missing-parameter");
}

#[test]
fn the_interface_parts_answers() {
    let Some(built) = built() else { return };
    let mut plugin = built.module().start(&Limits::default()).unwrap();
    let request = types::Request {
        detail: types::Detail::Diagnostics,
        ..request(vec![infra(br#"{"vpc_id": {"value": "x"}}"#)])
    };
    let part = |content: &[u8]| file("app.yaml", content);
    let declined = part(b"v: ${infra.missing}\n");
    assert_eq!(plugin.render_part(&[declined], &request, 2).unwrap(), None);
    let part = plugin.render_part(&[part(b"---\nv: 1\n")], &request, 2);
    let part = part.unwrap().unwrap();
    assert_eq!(part.sources, [types::Content::Unchanged]);
    let found = plugin.report_unused(&request, &part.unused).unwrap();
    assert_eq!(found[0].rule, "unused-output");
    assert_eq!(plugin.report_unused(&request, &[]).unwrap(), []);
}

#[test]
fn equal_requests_give_equal_answers_in_every_instance() {
    let Some(built) = built() else { return };
    let module = built.module();
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
