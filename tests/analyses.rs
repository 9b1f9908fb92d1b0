//! A source is parsed once, however often it is rendered, and so is a ResourceList.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use landfall::{
    Answer, Application, Ceiling, Config, Configuration, File, OutputsDocument, Request, Sources,
    krm_needs, process, splice,
};
use yaml::locate_count;

const MANIFEST: &str = "\
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data:
  vpc: ${infra.vpc}
  app.yaml: |
    zone: ${infra.zone}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
data: {a: b}
";

fn sources() -> Sources {
    Sources::new(vec![File {
        path: "web.yaml".into(),
        content: MANIFEST.into(),
    }])
}

fn request(vpc: &str) -> Request {
    let content = format!(
        r#"{{"vpc": {{"sensitive": false, "type": "string", "value": "{vpc}"}},
            "zone": {{"sensitive": false, "type": "string", "value": "{vpc}a"}}}}"#
    );
    Request {
        outputs: vec![OutputsDocument {
            name: "infra".into(),
            content: content.into(),
            ..OutputsDocument::default()
        }],
        ..Request::default()
    }
}

/// Returns how many documents one render locates, and its answer.
fn located(sources: &Sources, request: &Request) -> (usize, Answer) {
    let before = locate_count();
    let answer = sources.generate(request).unwrap();
    (locate_count() - before, answer)
}

#[test]
fn other_values_do_not_parse_again() {
    let sources = sources();
    // The document with references, and the one embedded in it.
    assert_eq!(located(&sources, &request("vpc-1")).0, 2);
    let (count, answer) = located(&sources, &request("vpc-2"));
    assert_eq!(count, 0);
    assert_eq!(answer, self::sources().generate(&request("vpc-2")).unwrap());
}

/// Returns sources of this many files with references, setter comments, embedded documents and
/// names that nobody binds.
fn many(count: usize) -> Sources {
    let file = |nth| {
        File {
        path: format!("{nth}.yaml"),
        content: format!("{MANIFEST}---\nkind: A\napiVersion: v1\na: ${{other.name}}\nb: x # landfall: ${{infra.vpc}}\n").into(),
    }
    };
    Sources::new((0..count).map(file).collect())
}

#[test]
fn a_replaced_file_is_parsed_alone() {
    let request = request("vpc-1");
    let (one, _) = located(&many(1), &request);
    let mut sources = many(5);
    assert_eq!(located(&sources, &request).0, 5 * one);
    let content = sources.files()[2].content.clone();
    assert!(sources.replace(2, [b"# edited\n", &*content].concat()));
    assert_eq!(located(&sources, &request).0, one);
    assert_eq!(located(&sources, &request).0, 0);
    assert!(!sources.replace(5, content));
}

#[test]
fn a_kustomization_is_not_parsed_again_for_another_file() {
    let request = request("vpc-1");
    let (one, _) = located(&many(1), &request);
    let mut files = many(2).files().to_vec();
    files.push(File {
        path: "kustomization.yaml".into(),
        content: b"patches: [{path: 1.yaml, target: {kind: ConfigMap}}]\n".to_vec(),
    });
    let mut sources = Sources::new(files);
    sources.generate(&request).unwrap();
    let content = sources.files()[0].content.clone();
    assert!(sources.replace(0, content));
    assert_eq!(located(&sources, &request).0, one);
}

#[test]
fn references_of_a_replaced_file_have_their_own_values() {
    let file = |path: &str, output: &str| File {
        path: path.into(),
        content: format!("kind: A\napiVersion: v1\na: ${{infra.{output}}}\n").into(),
    };
    let mut sources = Sources::new(vec![file("a.yaml", "zone"), file("b.yaml", "zone")]);
    sources.generate(&request("vpc-1")).unwrap();
    let replaced = file("b.yaml", "vpc");
    assert!(sources.replace(1, replaced.content.clone()));
    let new = Sources::new(vec![file("a.yaml", "zone"), replaced]);
    assert_eq!(
        sources.generate(&request("vpc-1")),
        new.generate(&request("vpc-1"))
    );
}

/// What a file defines counts for all of them.
#[test]
fn a_file_with_definitions_parses_all_again() {
    let request = request("vpc-1");
    let mut sources = many(2);
    let (all, _) = located(&sources, &request);
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";
    assert!(sources.replace(
        0,
        [definition.as_bytes(), b"---\n", MANIFEST.as_bytes()].concat()
    ));
    assert!(located(&sources, &request).0 > all / 2);
}

#[test]
fn another_binding_parses_again() {
    let sources = sources();
    located(&sources, &request("vpc-1"));
    let binding = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n    - {name: infra, from: {file: infra.json}}\n  embedded:\n    - {select: {kind: ConfigMap}, fieldPaths: ['data.[app.yaml]'], format: text}\n";
    let binding = Request {
        application: Configuration {
            binding: Some(Config {
                path: "landfall.yaml".into(),
                content: binding.into(),
            }),
            ..Configuration::default()
        }
        .into(),
        ..request("vpc-1")
    };
    assert!(located(&sources, &binding).0 > 0);
    assert_eq!(located(&sources, &binding).0, 0);
}

#[test]
fn other_names_parse_again() {
    let sources = sources();
    located(&sources, &request("vpc-1"));
    let mut other = request("vpc-1");
    other.outputs.push(OutputsDocument {
        name: "network".into(),
        content: b"{}".to_vec(),
        ..OutputsDocument::default()
    });
    assert!(located(&sources, &other).0 > 0);
}

/// Returns a ResourceList with these items.
fn list(items: &[&str], rest: &str) -> String {
    let mut list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:".to_owned();
    if items.is_empty() {
        list.push_str(" []");
    }
    for (nth, item) in items.iter().enumerate() {
        list.push_str(&format!(
            "\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: web\n    annotations:\n      internal.config.kubernetes.io/path: a.yaml\n      internal.config.kubernetes.io/index: '{nth}'\n  {item}"
        ));
    }
    format!("{list}\n{rest}")
}

const BINDING: &str = "functionConfig:
  apiVersion: landfall.dev/v1alpha1
  kind: Binding
  spec:
    outputs: [{name: infra, from: {file: infra.json}}]
    policy: {noResources: allow, unused: ignore}
";

const FIELD_BINDING: &str = "    substitutions:
      - value: ${infra.vpc}
        targets: [{select: {kind: ConfigMap}, fieldPaths: [data.b]}]
";

/// Checks that a list is located once, whatever is read and rendered in it.
#[track_caller]
fn located_once(list: &str, expected: &[(&str, &str)]) {
    let outputs = request("vpc-1").outputs;
    let before = locate_count();
    let found = process(list.as_bytes(), &outputs, &Ceiling::default(), None, &[]).unwrap();
    assert_eq!(locate_count() - before, 1, "{list}");
    let result = splice(list.as_bytes(), &found.edits).unwrap();
    let result = String::from_utf8(result).unwrap();
    let mut expected_output = list.to_owned();
    for (old, new) in expected {
        expected_output = expected_output.replace(old, new);
    }
    assert_eq!(result, expected_output, "{:?}", found.diagnostics);
    let before = locate_count();
    krm_needs(list.as_bytes()).unwrap();
    assert_eq!(locate_count() - before, 1, "{list}");
}

#[test]
fn a_resource_list_is_parsed_once() {
    let vpc = ("data: {a: ${infra.vpc}", "data: {a: vpc-1");
    located_once(&list(&[], ""), &[]);
    located_once(&list(&[], BINDING), &[]);
    located_once(&list(&["data: {a: b}"], BINDING), &[]);
    located_once(&list(&["data: {a: ${infra.vpc}}"], ""), &[vpc]);
    let many = list(&["data: {a: ${infra.vpc}, b: ${infra.zone}}"; 20], BINDING);
    located_once(&many, &[vpc, ("b: ${infra.zone}", "b: vpc-1a")]);
}

#[test]
fn a_field_binding_reads_the_same_tree() {
    let binding = format!("{BINDING}{FIELD_BINDING}");
    located_once(
        &list(&["data: {a: ${infra.vpc}, b: old}"; 2], &binding),
        &[("{a: ${infra.vpc}, b: old}", "{a: vpc-1, b: vpc-1}")],
    );
    located_once(&list(&["data: {b: old}"], &binding), &[("old", "vpc-1")]);
}

#[test]
fn foreign_references_do_not_parse_again() {
    let items = "data:\n    a: ${infra.vpc}\n    b: ${other.name} ${HOME}";
    let foreign = format!("{BINDING}    foreign: [other]\n");
    located_once(
        &list(&[items], &foreign),
        &[("a: ${infra.vpc}", "a: vpc-1")],
    );
    // They are reported as results, and so are references in base64.
    let warned = BINDING.replace("{noResources", "{unbound: warn, noResources");
    let secret =
        "- {apiVersion: v1, kind: Secret, metadata: {name: x}, data: {x: JHtpbmZyYS52fQ==}}\n";
    for items in [list(&[items], ""), list(&[items], secret)] {
        let list = format!("{items}{warned}");
        let before = locate_count();
        let outputs = request("vpc-1").outputs;
        let found = process(list.as_bytes(), &outputs, &Ceiling::default(), None, &[]).unwrap();
        assert_eq!(locate_count() - before, 1, "{list}");
        assert!(!found.diagnostics.is_empty(), "{list}");
    }
}

#[test]
fn definitions_of_kinds_are_read_from_the_same_tree() {
    let items = "\
- apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: widgets.example.com}
  spec:
    group: example.com
    names: {kind: Widget}
    versions:
      - name: v1
        schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {vpc: {type: string}}}}}}
- apiVersion: example.com/v1
  kind: Widget
  metadata: {name: x}
  spec: {vpc: ${infra.vpc}}
";
    let list = format!("kind: ResourceList\nitems:\n{items}{BINDING}");
    located_once(&list, &[("vpc: ${infra.vpc}", "vpc: vpc-1")]);
}

#[test]
fn a_binding_is_parsed_once() {
    let sources = sources();
    let binding = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: infra.json}}]}\n";
    let before = locate_count();
    let application = Application::new(Configuration {
        binding: Some(Config {
            path: "landfall.yaml".into(),
            content: binding.into(),
        }),
        ..Configuration::default()
    });
    assert_eq!(locate_count() - before, 1);
    let plan = application.plan(&[], None);
    assert_eq!(plan.names, ["infra"]);
    assert_eq!(locate_count() - before, 1);
    let request = |vpc: &str| Request {
        application: application.clone(),
        ..request(vpc)
    };
    // The document with references, and the one embedded in it.
    assert_eq!(located(&sources, &request("vpc-1")).0, 2);
    assert_eq!(located(&sources, &request("vpc-2")).0, 0);
}
