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

use landfall_sandbox::{Application, Limits, Module, OnTimeout, Plugin, types};
use landfall_test_support::needs;
use wit_component::DecodedWasm;

/// The module that `cargo xtask dist` built.
struct Built {
    path: PathBuf,
    component: Vec<u8>,
    compiled: Vec<u8>,
}

/// Reads the component `$LANDFALL_COMPONENT`, and its compiled module.
fn built() -> Built {
    let path = PathBuf::from(std::env::var_os("LANDFALL_COMPONENT").unwrap_or_default());
    let read = |path: &Path| {
        fs::read(path).unwrap_or_else(|error| panic!("LANDFALL_COMPONENT: {path:?}: {error}"))
    };
    Built {
        component: read(&path),
        compiled: read(&path.with_extension("cwasm")),
        path,
    }
}

impl Built {
    fn module(&self) -> Module {
        // SAFETY: compiled by the build of this workspace.
        unsafe { Module::precompiled(&self.compiled, OnTimeout::EndProcess) }.unwrap()
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

fn inputs(documents: Vec<types::OutputsDocument>) -> types::Inputs {
    types::Inputs {
        documents,
        resources_only: false,
        known_names: Vec::new(),
        keep_references: false,
        detail: types::Detail::Substitutions,
        answer_limit: None,
    }
}

/// Returns an application with the `spec` of a Binding.
fn application(plugin: &mut Plugin, spec: Option<&str>) -> Application {
    let binding = spec.map(|spec| types::Config {
        path: "landfall.yaml".into(),
        content: format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {spec}\n").into(),
    });
    let configuration = types::Configuration {
        binding,
        ceiling: ceiling(),
        policy: None,
        bound_otherwise: Vec::new(),
    };
    plugin.application(&configuration).unwrap()
}

fn infra(content: &[u8]) -> types::OutputsDocument {
    types::OutputsDocument {
        name: "infra".into(),
        path: "terraform.json".into(),
        content: content.into(),
        format: None,
        sensitive: false,
        declared_at: None,
    }
}

#[needs(dist)]
#[test]
fn the_component_has_no_imports_and_exports_the_world() {
    let built = built();
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
            "landfall:config-management/types@0.2.0",
            "landfall:config-management/rendering@0.2.0",
            "landfall:config-management/outputs@0.2.0",
            "landfall:config-management/resource-outputs@0.2.0",
            "landfall:config-management/exports@0.2.0",
            "landfall:config-management/adoption@0.2.0",
            "landfall:config-management/migration@0.2.0",
            "landfall:config-management/stand-ins@0.2.0",
            "landfall:config-management/application-sets@0.2.0",
            "landfall:config-management/parts@0.2.0",
            "landfall:config-management/assist@0.2.0",
            "landfall:config-management/krm-function@0.2.0",
        ]
    );
}

#[needs(dist)]
#[test]
fn compilation_is_reproducible() {
    let built = built();
    let again = Module::precompile(&built.component, OnTimeout::EndProcess).unwrap();
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
#[needs(dist)]
#[test]
fn code_runs_in_place_after_another_module_with_the_same_bytes_is_dropped() {
    let built = built();
    let bytes = mapped(&built.path.with_extension("cwasm"));
    // SAFETY: compiled by the build of this workspace.
    let [first, second] = [(), ()].map(|()| unsafe { Module::embedded(bytes) }.unwrap());
    drop(first);
    let mut plugin = second.start(&Limits::default()).unwrap();
    plugin.sources(&[]).unwrap();
}

#[needs(dist)]
#[test]
fn embedded_bytes_outside_a_page_boundary_are_copied() {
    let built = built();
    let mut bytes = vec![0];
    bytes.extend(&built.compiled);
    let bytes: &'static [u8] = bytes.leak();
    // SAFETY: compiled by the build of this workspace.
    let module = unsafe { Module::embedded(&bytes[1..]) }.unwrap();
    let mut plugin = module.start(&Limits::default()).unwrap();
    plugin.sources(&[]).unwrap();
}

#[needs(dist)]
#[test]
fn every_function_of_the_world_answers() {
    let built = built();
    let module = built.module();
    let mut plugin = module.start(&Limits::default()).unwrap();

    let folder = types::Folder {
        shown: "app".to_owned(),
        paths: vec!["README.md".to_owned(), "app.yaml".to_owned()],
    };
    let spec = "{outputs: [{name: a, from: {file: a.json}}, {name: b, from: {inline: {c: d}}}], schemas: [crd.yaml]}";
    let bound = application(&mut plugin, Some(spec));
    let plan = plugin.plan(&bound, &[], Some(&folder)).unwrap();
    assert_eq!(plan.names, ["a", "b"]);
    let locations = plan.documents.iter().map(|need| &need.location);
    let held = types::Location::Held(br#"{"c":"d"}"#.to_vec());
    assert!(locations.eq([&types::Location::Root, &held]), "{plan:?}");
    assert_eq!(plan.schemas[0].path, "crd.yaml");
    assert_eq!(plan.manifests, [1]);
    assert_eq!(plan.findings, types::Findings::default());

    let application = application(&mut plugin, None);
    let sources = plugin.sources(&[file("app.yaml", b"a: b\n")]).unwrap();
    let inputs = inputs(vec![infra(
        br#"{"vpc_id": {"sensitive": false, "type": "string", "value": "vpc-1"}}"#,
    )]);
    let found = plugin.unrendered(&application, &sources, &inputs, &[]);
    assert_eq!(found.unwrap(), types::Findings::default());
    let answer = plugin.generate(&application, &sources, &inputs);
    let answer = answer.unwrap().unwrap();
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

#[needs(dist)]
#[test]
fn the_interface_outputs_answers() {
    let built = built();
    let module = built.module();
    let mut plugin = module.start(&Limits::default()).unwrap();
    let application = application(&mut plugin, None);
    let documents = [infra(
        br#"{"vpc_id": {"sensitive": false, "type": "string", "value": "vpc-1"}}"#,
    )];
    let found = plugin.check_outputs(&application, &documents, None);
    assert_eq!(found.unwrap(), types::Findings::default());
    let name = types::Parameter {
        name: "name".into(),
        value: types::ParameterValue::Text("settings".into()),
    };
    let exported = plugin.export_outputs(&application, &documents, None, "flux", &[name]);
    let exported = exported.unwrap().unwrap();
    assert_eq!(exported.findings, types::Findings::default());
    assert_eq!(
        String::from_utf8(exported.content).unwrap(),
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  vpc_id: vpc-1\n"
    );
    let contract = types::Config {
        path: "contract.yaml".into(),
        content: (plugin.outputs_contract(&application, &documents, None))
            .unwrap()
            .unwrap(),
    };
    let samples = plugin.sample_outputs(&contract).unwrap().unwrap();
    let [sample] = samples.as_slice() else {
        panic!("{samples:?}");
    };
    assert_eq!(sample.name, "infra");

    let found = plugin
        .check_references(
            &application,
            &[file("app.yaml", b"a: ${infra.vpc_id}\nb: ${infra.gone}\n")],
            &inputs(Vec::new()),
            std::slice::from_ref(&contract),
        )
        .unwrap();
    let messages = found.diagnostics.iter().map(|found| found.message.as_str());
    assert!(messages.eq(["`infra` has no output `gone`"]), "{found:?}");

    // A violation is located in the contract.
    let found = plugin.check_outputs(&application, &[infra(b"{}")], Some(&contract));
    let found = found.unwrap().diagnostics;
    let origins = found[0].labels.iter().map(|label| label.span.origin);
    let expected = [types::Origin::Outputs(0), types::Origin::Manifest(0)];
    assert!(origins.eq(expected), "{found:?}");
}

#[needs(dist)]
#[test]
fn folders_of_other_tools() {
    let built = built();
    let mut plugin = built.module().start(&Limits::default()).unwrap();
    let mut plan = |spec: &str| {
        let application = application(&mut plugin, Some(spec));
        plugin.plan(&application, &[], None).unwrap()
    };
    let mut tool = |name| plan(&format!("{{tool: {name}}}")).tool;
    assert_eq!(tool("none"), Some(types::Tool::None));
    assert_eq!(tool("kustomize"), Some(types::Tool::Kustomize));
    assert_eq!(tool("helm"), Some(types::Tool::Helm));
    assert_eq!(plan("{}").tool, None);
    let found = plan("{tool: flux}").findings.diagnostics;
    assert!(found[0].message.contains("`flux`"), "{found:?}");
    let chart = plan("{tool: helm, helm: {valueFiles: [a.yaml]}}").chart;
    assert_eq!(chart.value_files[0].path, "a.yaml");

    let application = application(&mut plugin, None);
    let inputs = inputs(vec![infra(
        br#"{"token": {"sensitive": true, "type": "string", "value": "correct-horse"}}"#,
    )]);
    let values = [file("values.yaml", b"a: ${infra.token}\n")];
    let sources = plugin.sources(&values).unwrap();
    let refused = plugin.generate_values(&application, &sources, &inputs);
    let found = refused.unwrap().unwrap_err().diagnostics;
    assert_eq!(found[0].rule, "sensitive-output", "{found:?}");

    let built = file("built.yaml", b"a: ${infra.token}\n");
    let rendered = file("a.yaml", b"kind: A\n");
    let found = plugin.check_built(&application, &[built], &[rendered], &inputs);
    let found = found.unwrap();
    let rules = found.diagnostics.iter().map(|found| found.rule.as_str());
    assert!(rules.eq(["unrendered-reference"]), "{found:?}");
}

#[needs(dist)]
#[test]
fn the_interface_resource_outputs_answers() {
    let built = built();
    let mut plugin = built.module().start(&Limits::default()).unwrap();
    let spec = "{outputs: [{name: infra, from: {resource: {kind: ConfigMap, name: infra}}}]}";
    let application = application(&mut plugin, Some(spec));
    let plan = plugin.plan(&application, &[], None).unwrap();
    assert_eq!(plan.documents[0].location, types::Location::Resource);
    let manifest = b"# outputs\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: infra}\n";
    let files = [file("app.yaml", b"---\n"), file("infra.yaml", manifest)];
    let found = plugin.resource_outputs(&application, &files);
    let found = found.unwrap().unwrap();
    let content = manifest[10..].to_vec();
    assert_eq!(found[0].need.location, types::Location::Held(content));
    assert_eq!(found[0].resource.origin, types::Origin::Manifest(1));
    assert_eq!((found[0].resource.start, found[0].is_local), (10, false));
    let missing = plugin.resource_outputs(&application, &files[..1]);
    let missing = missing.unwrap().unwrap_err();
    assert_eq!(missing.diagnostics[0].rule, "invalid-binding");
}

#[needs(dist)]
#[test]
fn the_interface_stand_ins_answers() {
    let built = built();
    let mut plugin = built.module().start(&Limits::default()).unwrap();
    let application = application(&mut plugin, None);
    let inputs = inputs(vec![infra(
        br#"{"token": {"sensitive": true, "type": "string", "value": "correct-horse"}}"#,
    )]);
    let secret = "apiVersion: v1\nkind: Secret\nstringData:\n  a: ";
    let source = format!("{secret}${{infra.token}}\n").into_bytes();
    let files = [file("a.yaml", &source)];
    let mut rendered = |stand_in| {
        let answer = plugin.render_stand_ins(&application, &files, &inputs, stand_in);
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
    let restored = plugin.restore_sensitive(&application, [&first, &second], &with_value, &inputs);
    assert_eq!(restored.unwrap().unwrap(), with_value[0].content);
}

#[needs(dist)]
#[test]
fn the_interface_application_sets_answers() {
    let built = built();
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

#[needs(dist)]
#[test]
fn the_interface_parts_answers() {
    let built = built();
    let mut plugin = built.module().start(&Limits::default()).unwrap();
    let application = application(&mut plugin, None);
    let inputs = types::Inputs {
        detail: types::Detail::Diagnostics,
        ..inputs(vec![infra(br#"{"vpc_id": {"value": "x"}}"#)])
    };
    let part = |content: &[u8]| file("app.yaml", content);
    let declined = part(b"v: ${infra.missing}\n");
    let declined = plugin.render_part(&application, &[declined], &inputs, 2);
    assert_eq!(declined.unwrap(), None);
    let part = plugin.render_part(&application, &[part(b"---\nv: 1\n")], &inputs, 2);
    let part = part.unwrap().unwrap();
    assert_eq!(part.sources, [types::Content::Unchanged]);
    let mut unused = |unused| plugin.report_unused(&application, &inputs, unused).unwrap();
    assert_eq!(unused(&part.unused)[0].rule, "unused-output");
    assert_eq!(unused(&[]), []);
}

#[needs(dist)]
#[test]
fn the_interface_assist_answers() {
    let built = built();
    let mut plugin = built.module().start(&Limits::default()).unwrap();
    let spec = "{outputs: [{name: infra, from: {file: a.json}, notSensitive: [vpc_id]}]}";
    let application = application(&mut plugin, Some(spec));
    let inputs = inputs(vec![infra(br#"{"vpc_id": {"value": "x"}}"#)]);
    let documents = &inputs.documents;
    let files = [file("app.yaml", b"v: ${infra.vpc_id}\n")];
    let sources = plugin.sources(&files).unwrap();
    let at = types::Position {
        source: 0,
        offset: 12,
    };
    let completed = plugin.complete(&application, &sources, documents, at);
    assert_eq!(completed.unwrap()[0].label, "vpc_id");
    let hovered = plugin.hover(&application, &sources, documents, at).unwrap();
    let types::Meaning::Output(output) = hovered.unwrap().meaning else {
        panic!("it is not an output")
    };
    assert_eq!(output.value, "x");
    let defined = plugin.definition(&application, &sources, documents, at);
    let target = defined.unwrap().unwrap().target;
    assert_eq!(
        (target.origin, target.start),
        (types::Origin::Outputs(0), 1)
    );
    let subject = types::Subject {
        name: "infra".into(),
        path: vec!["vpc_id".into()],
    };
    let found = plugin.references(&application, &sources, &inputs, &[], &subject);
    let origins: Vec<_> = found.unwrap().iter().map(|at| at.origin).collect();
    assert_eq!(
        origins,
        [types::Origin::Manifest(0), types::Origin::Binding]
    );
    let mut rename = |to| {
        let renamed = plugin.rename(&application, &sources, &inputs, &[], &subject, to);
        renamed.unwrap()
    };
    let renamed = rename("vpc").unwrap();
    assert_eq!(
        (&*renamed.sources[0].text, &*renamed.binding.text),
        (&b"vpc"[..], &b"vpc"[..])
    );
    assert_eq!(rename("").unwrap_err().diagnostics[0].rule, "not-renamed");
}

#[needs(dist)]
#[test]
fn equal_requests_give_equal_answers_in_every_instance() {
    let built = built();
    let module = built.module();
    let answer = || {
        let mut plugin = module.start(&Limits::default()).unwrap();
        let sources = plugin
            .sources(&[file(
                "app.yaml",
                b"a: ${infra.vpc_id}\nb: ${infra.nothing}\n",
            )])
            .unwrap();
        let application = application(&mut plugin, None);
        plugin
            .generate(&application, &sources, &inputs(vec![infra(b"{}")]))
            .unwrap()
    };
    assert_eq!(answer(), answer());
}
