//! ResourceLists as kustomize and kpt send them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write as _;

use landfall::{Ceiling, OutputsDocument, Processed, Severity, krm_needs, process, splice};

fn infra() -> OutputsDocument {
    OutputsDocument {
        name: "infra".into(),
        path: "infra.json".into(),
        content: br#"{"zones": {"value": ["a", "b"]}, "vpc": {"value": "vpc-0ab1"}}"#.to_vec(),
        ..OutputsDocument::default()
    }
}

#[test]
fn refuses_input_without_any_node() {
    for input in ["", "\n", "# only a comment\n", "---\n", "\u{feff}"] {
        assert!(krm_needs(input.as_bytes()).is_err(), "{input:?}");
        let answer = process(input.as_bytes(), &[], &Ceiling::default(), None, &[]);
        assert!(answer.is_err(), "{input:?}");
    }
}

fn processed(list: &str, outputs: &[OutputsDocument]) -> Processed {
    process(list.as_bytes(), outputs, &Ceiling::default(), None, &[]).unwrap()
}

fn rendered(list: &str) -> String {
    let processed = processed(list, &[infra()]);
    assert!(!processed.failed, "{:?}", processed.diagnostics);
    String::from_utf8(splice(list.as_bytes(), &processed.edits).unwrap()).unwrap()
}

/// An item loses its ids if one of its scalars became a list, and only then.
#[test]
fn reshaped_items_lose_their_ids() {
    let mut list = "kind: ResourceList\nitems:\n".to_owned();
    let mut expected = list.clone();
    for nth in 0..500 {
        let is_reshaped = nth % 3 == 0 || nth % 7 == 0;
        let (before, after) = if is_reshaped {
            ("${infra.zones}", "[a, b]")
        } else {
            ("${infra.vpc}", "vpc-0ab1")
        };
        let id = |nth: usize| format!("internal.config.kubernetes.io/id: '{nth}'");
        match nth % 4 {
            0 => {
                let item = |id: &str, value: &str| {
                    format!("- metadata: {{annotations: {{{id}a: b}}}}\n  spec: [{value}]\n")
                };
                list.push_str(&item(&format!("{}, ", id(nth)), before));
                let kept = format!("{}, ", id(nth));
                expected.push_str(&item(if is_reshaped { " " } else { &kept }, after));
            }
            _ => {
                let item = |id: &str, value: &str| {
                    format!("- metadata:\n    annotations:\n      a: b{id}\n  spec: [{value}]\n")
                };
                let id = format!("\n      {}\n      config.k8s.io/id: '{nth}'", id(nth));
                list.push_str(&item(&id, before));
                expected.push_str(&item(if is_reshaped { "" } else { &id }, after));
            }
        }
    }
    assert_eq!(rendered(&list), expected);
}

/// Checks the diagnostics of a list to which `outputs` are bound: severity, rule, message
/// and help.
#[track_caller]
fn check(list: &str, outputs: &[OutputsDocument], expected: &[&str]) {
    let found = match krm_needs(list.as_bytes()) {
        Err(found) => found,
        Ok(_) => {
            let processed = processed(list, outputs);
            assert_eq!(processed.failed, processed.diagnostics.has_errors());
            let result = splice(list.as_bytes(), &processed.edits).unwrap();
            let result = String::from_utf8(result).unwrap();
            for found in processed
                .diagnostics
                .iter()
                .filter(|found| found.severity > Severity::Note)
            {
                assert!(result.contains(found.rule.id()), "no result in {result}");
            }
            processed.diagnostics
        }
    };
    let reported: Vec<String> = found
        .iter()
        .filter(|found| found.severity > Severity::Note)
        .map(|found| {
            let help = found.help.as_deref().unwrap_or_default();
            let mut text = format!(
                "{:?}[{}]: {}",
                found.severity,
                found.rule.id(),
                found.message
            );
            for word in [
                "outputs: [{name: infra",
                "transformers: [landfall.yaml]",
                "`transformers:`",
                "configPath:",
            ] {
                if help.contains(word) {
                    write!(text, "; {word}").unwrap();
                }
            }
            text
        })
        .collect();
    assert_eq!(reported, expected, "{list}");
}

const ITEM: &str =
    "kind: ResourceList\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: web}}\n";
const WHAT_TO_WRITE: &str = "; outputs: [{name: infra; transformers: [landfall.yaml]; configPath:";

#[test]
fn a_missing_function_config_suggests_one() {
    let expected = format!(
        "Error[invalid-binding]: no Binding: the ResourceList has no `functionConfig`{WHAT_TO_WRITE}"
    );
    for config in [
        "",
        "functionConfig:\n",
        "functionConfig: null\n",
        "functionConfig: {apiVersion: v1, kind: ConfigMap}\n",
        "functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: function-input}\n  data: {}\n",
        "functionConfig:\n  kind: ConfigMap\n  apiVersion: v1\n  data:\n",
    ] {
        check(&format!("{ITEM}{config}"), &[], &[&expected]);
        // Outputs bound by flags need no Binding.
        check(
            &format!("{ITEM}  # ${{infra.vpc}}\n{config}"),
            &[infra()],
            &[],
        );
    }
}

#[test]
fn a_config_map_with_arguments_is_refused() {
    let expected = format!(
        "Error[invalid-binding]: the functionConfig is a ConfigMap, but landfall reads no arguments from one{WHAT_TO_WRITE}"
    );
    let list = format!(
        "{ITEM}functionConfig: {{apiVersion: v1, kind: ConfigMap, data: {{file: a.json}}}}\n"
    );
    check(&list, &[], &[&expected]);
    check(&list, &[infra()], &[&expected]);
}

#[test]
fn a_generator_is_an_error() {
    let binding = |spec: &str| {
        format!(
            "functionConfig:\n  apiVersion: landfall.dev/v1alpha1\n  kind: Binding\n  spec: {spec}\n"
        )
    };
    let expected = "Error[no-manifests]: the ResourceList has no items: landfall changes resources but creates none; `transformers:`";
    for items in ["items: []\n", "items:\n", "items: null\n", ""] {
        let list = format!("kind: ResourceList\n{items}{}", binding("{}"));
        check(&list, &[], &[expected]);
        let allowed = binding("{policy: {noResources: allow}}");
        check(&format!("kind: ResourceList\n{items}{allowed}"), &[], &[]);
    }
}

const VALIDATOR: &str = "functionConfig:
  apiVersion: landfall.dev/v1alpha1
  kind: Binding
  metadata: {annotations: {a: \"${infra.config}\"}}
  spec: {validate: true, outputs: [{name: infra, from: {file: none.json}}]}
";

#[test]
fn a_validator_reports_what_is_left() {
    let item = |text: &str| {
        let item = "kind: ResourceList\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: ";
        format!("{item}{text}}}}}\n{VALIDATOR}")
    };
    let left =
        |name: &str| format!("Error[unrendered-reference]: unrendered reference to `{name}`");
    check(&item("'${infra.vpc}'"), &[], &[&left("infra")]);
    check(
        &item("'{{ infra.vpc }}'"),
        &[],
        &[
            "Error[unrendered-reference]: unrendered reference to `infra` in the syntax of another tool",
        ],
    );
    check(&item("'${other.vpc} ${HOME}'"), &[], &[]);
    // Flags bind names, too.
    check(&item("'${net.a}'"), &[], &[]);
    let net = OutputsDocument {
        name: "net".into(),
        ..infra()
    };
    check(&item("'${net.a}'"), &[net], &[&left("net")]);
    let foreign = VALIDATOR.replace("validate: true", "validate: true, foreign: [infra]");
    check(
        &format!("{ITEM}{foreign}"),
        &[],
        &["Error[invalid-binding]: `infra` is both bound and declared as another tool's name"],
    );
    check(
        &format!("kind: ResourceList\nitems: []\n{VALIDATOR}"),
        &[],
        &["Error[no-manifests]: the ResourceList has no items to validate"],
    );
}

/// kustomize refuses a validator that returns items, and kpt one that returns none.
#[test]
fn a_validator_returns_items_to_kpt_alone() {
    let list = |annotation: &str, tail: &str| {
        format!(
            "kind: ResourceList\nitems:\n- metadata:\n    annotations: # ${{infra.vpc}}\n      {annotation}\n# end\n{tail}"
        )
    };
    let kpt = list("internal.config.kubernetes.io/path: a.yaml", VALIDATOR);
    assert_eq!(rendered(&kpt), kpt);
    let kustomize = list(
        "kustomize.config.k8s.io/id: |\n        name: web",
        VALIDATOR,
    );
    assert_eq!(
        rendered(&kustomize),
        format!("kind: ResourceList\nitems: []\n# end\n{VALIDATOR}")
    );
    let json = kustomize_json("[]");
    assert_eq!(
        rendered(&kustomize_json(
            r#"[{"metadata": {"annotations": {"kustomize.config.k8s.io/id": "x"}}}]"#
        )),
        json
    );
}

fn kustomize_json(items: &str) -> String {
    format!(
        r#"{{"kind": "ResourceList", "items": {items}, "functionConfig": {{"apiVersion": "landfall.dev/v1alpha1", "kind": "Binding", "spec": {{"validate": true}}}}}}"#
    )
}

#[test]
fn empty_lists_are_no_items() {
    let binding = |spec: &str| {
        format!(
            "functionConfig:\n  apiVersion: landfall.dev/v1alpha1\n  kind: Binding\n  spec: {spec}\n"
        )
    };
    let expected =
        "Error[no-manifests]: the ResourceList has no resources: its items are empty lists";
    for item in [
        "{apiVersion: v1, kind: List, items: []}",
        "{apiVersion: v1, kind: PodList, items: null}",
        "apiVersion: v1\n  kind: List\n  items: ${infra.pods}",
    ] {
        let list = format!("kind: ResourceList\nitems:\n- {item}\n");
        let pods = OutputsDocument {
            content: r#"{"pods": {"sensitive": false, "type": ["list", "string"], "value": []}}"#
                .into(),
            ..infra()
        };
        let run = |spec: &str, expected: &[&str]| {
            let list = format!("{list}{}", binding(spec));
            check(&list, std::slice::from_ref(&pods), expected);
        };
        run("{}", &[expected]);
        run("{policy: {noResources: allow}}", &[]);
    }
}

#[test]
fn reports_quotes_that_kustomize_may_have_dropped() {
    let list = "apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: example.com/v1
  kind: Widget
  metadata:
    labels: {port: ${infra.port}}
  spec:
    port: ${infra.port}
    on: ${infra.on}
    text: ${infra.text}
    url: http://x:${infra.port}
    quoted: \"${infra.port}\"
- apiVersion: apps/v1
  kind: Deployment
  spec:
    replicas: ${infra.text}
- apiVersion: argoproj.io/v1alpha1
  kind: Application
  spec:
    source: {helm: {parameters: [{name: p, value: ${infra.port}}]}}
- apiVersion: kustomize.toolkit.fluxcd.io/v1
  kind: Kustomization
  spec:
    postBuild: {substitute: {ON: ${infra.on}}}
";
    let outputs = r#"{"port": {"value": 80, "type": "number", "sensitive": false},
        "on": {"value": true, "type": "bool", "sensitive": false},
        "text": {"value": "3", "type": "string", "sensitive": false}}"#;
    let document = OutputsDocument {
        content: outputs.into(),
        ..infra()
    };
    let processed = processed(list, &[document]);
    let reported: Vec<_> = processed
        .diagnostics
        .iter()
        .map(|note| format!("{} {:?}", note.rule.id(), note.field))
        .collect();
    assert_eq!(
        reported,
        [
            "quotes-unknown Some(\"spec.port\")",
            "quotes-unknown Some(\"spec.on\")"
        ]
    );
    let rendered = splice(list.as_bytes(), &processed.edits).unwrap();
    let rendered = String::from_utf8(rendered).unwrap();
    for line in [
        "labels: {port: \"80\"}",
        "    port: 80\n",
        "on: true",
        "text: \"3\"",
        "url: http://x:80",
        "quoted: \"80\"",
        "replicas: 3\n",
        "value: \"80\"}",
        "ON: \"true\"}",
    ] {
        assert!(rendered.contains(line), "{line} is not in\n{rendered}");
    }
}
