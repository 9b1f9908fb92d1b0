//! ResourceLists as kustomize and kpt send them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write as _;

use landfall::{
    Ceiling, Location, Need, OutputsDocument, Processed, Severity, krm_needs, process, splice,
};

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

/// Renders a list with what `krm_needs` returns for it.
fn with_own_outputs(list: &str) -> Processed {
    let needs = krm_needs(list.as_bytes()).unwrap();
    processed(list, &documents(needs))
}

fn documents(needs: Vec<Need>) -> Vec<OutputsDocument> {
    let document = |need: Need| match need.location {
        Location::Held(content) => OutputsDocument {
            name: need.name,
            path: need.path,
            content,
            format: need.format,
            declared_at: Some(need.span.start),
            ..OutputsDocument::default()
        },
        _ => infra(),
    };
    needs.into_iter().map(document).collect()
}

/// Returns why a list cannot be rendered with what `krm_needs` returns for it.
fn with_own_outputs_or_errors(list: &str) -> landfall::Diagnostics {
    let needs = krm_needs(list.as_bytes()).unwrap();
    process(
        list.as_bytes(),
        &documents(needs),
        &Ceiling::default(),
        None,
        &[],
    )
    .unwrap_err()
}

#[track_caller]
fn check_rendered(list: &str, expected: &str) {
    let processed = with_own_outputs(list);
    assert!(!processed.failed, "{:?}", processed.diagnostics);
    let result = splice(list.as_bytes(), &processed.edits).unwrap();
    assert_eq!(String::from_utf8(result).unwrap(), expected);
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
fn a_generator_that_generates_nothing_is_an_error() {
    let binding = |spec: &str| {
        format!(
            "functionConfig:\n  apiVersion: landfall.dev/v1alpha1\n  kind: Binding\n  spec: {spec}\n"
        )
    };
    let expected = "Error[no-manifests]: the ResourceList has no resources, and the Binding generates none; `transformers:`";
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
        &["Error[no-manifests]: the ResourceList has no resources to validate"],
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

const HEADER: &str = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n";
const BINDING: &str = "functionConfig:
  apiVersion: landfall.dev/v1alpha1
  kind: Binding
  spec:
";

/// A function needs no file if its outputs are in the list or in its Binding.
#[test]
fn outputs_can_be_in_the_list() {
    let outputs_of = |kind: &str, from: &str, item: &str| {
        let list = |value: &str| {
            format!(
                "apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: Secret
  metadata: {{name: web}}
  stringData: {{vpc: {value}}}
{item}{BINDING}    outputs:
    - {{name: infra, from: {{{from}}}}}
"
            )
        };
        (kind.to_owned(), list("'${infra.vpc}'"), list("'vpc-0ab1'"))
    };
    let cases = [
        outputs_of("inline", "inline: {vpc: vpc-0ab1}", ""),
        outputs_of(
            "ConfigMap",
            "resource: {kind: ConfigMap, name: infra}",
            "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: other}\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: infra\n    annotations: {config.kubernetes.io/local-config: 'true'}\n  data:\n    vpc: vpc-0ab1\n",
        ),
        outputs_of(
            "Secret",
            "resource: {kind: Secret, name: infra, namespace: b}",
            "- {apiVersion: v1, kind: Secret, metadata: {name: infra, namespace: a}, data: {vpc: eA==}}\n- {apiVersion: v1, kind: Secret, metadata: {name: infra, namespace: b}, data: {vpc: dnBjLTBhYjE=}}\n",
        ),
        outputs_of(
            "status",
            "resource: {kind: VPC, name: main}",
            "- apiVersion: ec2.services.k8s.aws/v1alpha1\n  kind: VPC\n  metadata: {name: main}\n  status:\n    vpc: vpc-0ab1\n    conditions:\n    - {type: Ready, status: 'True'}\n",
        ),
    ];
    for (kind, list, expected) in &cases {
        println!("{kind}");
        check_rendered(list, expected);
    }
}

#[test]
fn outputs_in_the_list_are_one_resource() {
    let list = |from: &str, tail: &str| {
        let items = "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: y}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: r}, data: {a: '${infra.a}'}}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: s}
  data:
    a: x # landfall: ${infra.a}
- {apiVersion: example.com/v1, kind: VPC, metadata: {name: main}}
";
        format!(
            "kind: ResourceList\nitems:\n{items}{BINDING}    outputs: [{{name: infra, from: {{resource: {{{from}}}}}{tail}}}]\n"
        )
    };
    for (from, expected) in [
        (
            "kind: ConfigMap, name: c",
            "Error[invalid-binding]: no item is the ConfigMap `c`",
        ),
        (
            "kind: Secret, name: b",
            "Error[invalid-binding]: no item is the Secret `b`",
        ),
        (
            "kind: ConfigMap, name: a",
            "Error[invalid-binding]: several items are the ConfigMap `a`",
        ),
        (
            "kind: VPC, name: main",
            "Error[invalid-binding]: the VPC `main` has no `status`",
        ),
        (
            "kind: ConfigMap, name: r",
            "Error[invalid-binding]: the ConfigMap `r` has references of its own",
        ),
        (
            "kind: ConfigMap, name: s",
            "Error[invalid-binding]: the ConfigMap `s` has references of its own",
        ),
        (
            "kind: ConfigMap",
            "Error[invalid-binding]: `resource` needs a `kind` and a `name`",
        ),
    ] {
        check(&list(from, ""), &[], &[expected]);
    }
    let absent = list("kind: Secret, name: b", ", optional: true");
    assert_eq!(krm_needs(absent.as_bytes()).unwrap(), []);
}

/// A generator creates resources with references, which are rendered like those of other items.
#[test]
fn a_generator_adds_resources() {
    let generate = "    outputs: [{name: infra, from: {inline: {vpc: vpc-0ab1, zones: [a, b]}}}]
    generate:
    - kind: ConfigMap
      name: settings
      nameSuffixHash: true
      labels: {vpc: '${infra.vpc}'}
      data:
        vpc: ${infra.vpc} # a comment
        app.yaml: |
          zones: ${infra.zones}
    - {kind: Secret, name: token, namespace: web, type: Opaque, data: {id: 'x-${infra.vpc}'}}
";
    let added = "- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: settings
    labels:
      vpc: 'vpc-0ab1'
    annotations:
      kustomize.config.k8s.io/needs-hash: \"true\"
  data:
    vpc: vpc-0ab1 # a comment
    app.yaml: |
          zones:
            - a
            - b
- apiVersion: v1
  kind: Secret
  metadata:
    name: token
    namespace: web
  type: Opaque
  stringData:
    id: 'x-vpc-0ab1'
";
    let pod = "- {apiVersion: v1, kind: Pod, metadata: {name: web}}\n";
    let binding = format!("{BINDING}{generate}");
    for (items, expected) in [
        ("items: []\n", format!("items:\n{added}{binding}")),
        ("items:\n", format!("items:\n{added}{binding}")),
        ("items: null\n", format!("items:\n{added}{binding}")),
        ("", format!("{binding}items:\n{added}")),
        (
            &format!("items:\n{pod}"),
            format!("items:\n{added}{pod}{binding}"),
        ),
    ] {
        let list = format!("{HEADER}{items}{binding}");
        if items.contains(pod) {
            // Nothing would append the hash.
            let found = process(list.as_bytes(), &[], &Ceiling::default(), None, &[]);
            let messages = found
                .unwrap_err()
                .iter()
                .map(|found| found.message.clone())
                .collect::<Vec<_>>();
            assert_eq!(messages, ["`nameSuffixHash` has no effect here"]);
        }
        let [list, expected] = [list, format!("{HEADER}{expected}")].map(|text| {
            if items.contains(pod) {
                text.replace("      nameSuffixHash: true\n", "").replace(
                    "    annotations:\n      kustomize.config.k8s.io/needs-hash: \"true\"\n",
                    "",
                )
            } else {
                text
            }
        });
        check_rendered(&list, &expected);
    }
}

/// kustomize sends YAML without indented lists, and other clients JSON.
#[test]
fn a_generator_adds_resources_in_flow() {
    let list = |items: &str| {
        format!(
            r#"{{{items}"kind": "ResourceList", "functionConfig": {{"apiVersion": "landfall.dev/v1alpha1", "kind": "Binding", "spec": {{"outputs": [{{"name": "infra", "from": {{"inline": {{"a": "x\ny"}}}}}}], "generate": [{{"kind": "ConfigMap", "name": "m", "data": {{"a": "${{infra.a}}", "b": "${{infra.a | default(\"q\")}}"}}}}]}}}}}}"#
        )
    };
    let added = r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"a": "x\ny", "b": "x\ny"}}"#;
    for (items, expected) in [
        (r#""items": [], "#, format!(r#""items": [{added}], "#)),
        (r#""items": null, "#, format!(r#""items": [{added}], "#)),
        ("", format!(r#""items": [{added}], "#)),
        (
            r#""items": [{"kind": "Pod"}], "#,
            format!(r#""items": [{added}, {{"kind": "Pod"}}], "#),
        ),
    ] {
        check_rendered(&list(items), &list(&expected));
    }
}

/// Otherwise, it would set the last generated value.
#[test]
fn a_comment_goes_with_the_item_that_is_replaced() {
    let generate = "    outputs: [{name: infra, from: {inline: {vpc: vpc-0ab1, count: 2}}}]
    policy: {unused: ignore}
    generate: [{kind: ConfigMap, name: m, data: {a: fixed}}]
";
    let item = |data: &str| {
        format!(
            "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: m\n  data:\n    {data}\n"
        )
    };
    for data in [
        "mine: x # landfall: ${infra.count}",
        "mine: x   # kept by nobody",
    ] {
        let list = |items: String| format!("{HEADER}items:\n{items}{BINDING}{generate}");
        check_rendered(&list(item(data)), &list(item("a: fixed")));
    }
    let list = format!(
        "{HEADER}items:\n{}{BINDING}{generate}",
        item("b: ${infra.none} # why")
    );
    let failed = processed(&list.replace("fixed", "${infra.none}"), &[infra()]);
    let result = splice(
        list.replace("fixed", "${infra.none}").as_bytes(),
        &failed.edits,
    )
    .unwrap();
    let result = String::from_utf8(result).unwrap();
    assert!(result.contains("items: []\n"), "{result}");
}

/// kpt renders again and again: what was generated before is in the list.
#[test]
fn a_generator_replaces_what_it_has_generated() {
    let generate = "    outputs: [{name: infra, from: {inline: {vpc: vpc-0ab1}}}]
    generate: [{kind: ConfigMap, name: m, data: {vpc: '${infra.vpc}'}}]
";
    let list = |item: &str| {
        let pod = "- {apiVersion: v1, kind: Pod, metadata: {name: web}} # a pod\n";
        format!("{HEADER}items:\n{pod}{item}{pod}{BINDING}{generate}")
    };
    let item = |annotations: &str, data: &str| {
        format!(
            "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: m\n{annotations}  data:\n    {data}\n"
        )
    };
    let path = "    annotations:\n      internal.config.kubernetes.io/path: m.yaml\n";
    let other = "    annotations:\n      a: b\n      internal.config.kubernetes.io/path: m.yaml\n";
    check_rendered(
        &list(&item(other, "old: vpc-1")),
        &list(&item(path, "vpc: 'vpc-0ab1'")),
    );
    let rendered = list(&item(path, "vpc: 'vpc-0ab1'"));
    check_rendered(&rendered, &rendered);
}

/// What is wrong in a template is where its author wrote it.
#[test]
fn findings_in_generated_resources_are_in_the_binding() {
    let list = |items: &str| {
        format!(
            "{HEADER}{items}{BINDING}    outputs: [{{name: infra, from: {{inline: {{vpc: vpc-0ab1}}}}}}]
    generate:
    - kind: ConfigMap
      name: m
      data:
        a: x
        b: |
          1
          ${{infra.vpcs}}
    - {{kind: Secret, name: m, data: {{a: 'x ${{infra.vpcs}}'}}}}
"
        )
    };
    for items in [
        "",
        "items: []\n",
        "items:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: m}\n- {kind: Pod}\n",
    ] {
        let list = list(items);
        let processed = with_own_outputs(&list);
        let texts: Vec<&str> = (processed.diagnostics.iter())
            .filter(|found| found.severity == Severity::Error)
            .map(|found| &list[found.labels[0].span.range()])
            .collect();
        assert_eq!(texts, ["vpcs", "vpcs"], "{list}");
        let result = splice(list.as_bytes(), &processed.edits).unwrap();
        let result = String::from_utf8(result).unwrap();
        assert!(!result.contains("kind: Pod"), "{result}");
        assert!(result.ends_with("    rule: unknown-output\n"), "{result}");
    }
}

#[test]
fn mistakes_in_generate_are_reported() {
    for (item, expected) in [
        (
            "{}",
            &[
                "an item of `spec.generate` has no `kind`",
                "an item of `spec.generate` has no `name`",
                "an item of `spec.generate` has no `data` and no `outputs`",
            ][..],
        ),
        (
            "{kind: Pod, name: m, data: {}}",
            &["invalid value `Pod` for `kind`"],
        ),
        (
            "{kind: Secret, name: 'a-${infra.a}', data: {}}",
            &["invalid value `a-${infra.a}` for `name`"],
        ),
        (
            "{kind: Secret, name: a, data: {a: 1, b: [x], 'c d': x}}",
            &[
                "the value of `a` is not a string",
                "`b` must be a string",
                "`c d` cannot be a key of a ConfigMap or a Secret",
            ],
        ),
        (
            "{kind: ConfigMap, name: a, type: Opaque, data: {}}",
            &["a ConfigMap has no `type`"],
        ),
    ] {
        let list = format!("{HEADER}{BINDING}    generate: [{item}]\n");
        let found = krm_needs(list.as_bytes()).unwrap_err();
        let messages: Vec<&str> = found.iter().map(|found| &*found.message).collect();
        assert_eq!(messages, expected, "{item}");
    }
}

/// Results have what the specification of KRM functions gives them.
#[test]
fn results_name_the_resource_its_file_and_the_rule() {
    let list = |annotations: &str| {
        format!(
            "kind: ResourceList
items:
- {{apiVersion: v1, kind: Pod, metadata: {{name: web}}}}
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web
    namespace: prod
    annotations: {{{annotations}}}
  spec: {{paused: '${{infra.paused}}'}}
"
        )
    };
    let results = |annotations: &str| {
        let list = list(annotations);
        let processed = processed(&list, &[infra()]);
        let result = splice(list.as_bytes(), &processed.edits).unwrap();
        let result = String::from_utf8(result).unwrap();
        result.split_once("results:\n").unwrap().1.to_owned()
    };
    let expected = |file: &str| {
        format!(
            "- message: \"`infra` has no output `paused` [unknown-output]; available outputs: `vpc`, `zones`; if it may be missing, add `| default(\\\"…\\\")`\"
  severity: error
  resourceRef:
    apiVersion: apps/v1
    kind: Deployment
    name: web
    namespace: prod
  field:
    path: spec.paused
{file}  tags:
    rule: unknown-output
"
        )
    };
    assert_eq!(results(""), expected(""));
    assert_eq!(
        results(
            "internal.config.kubernetes.io/path: a/web.yaml, internal.config.kubernetes.io/index: '1'"
        ),
        expected("  file:\n    path: a/web.yaml\n    index: 1\n")
    );
    assert_eq!(
        results("config.kubernetes.io/path: web.yaml, config.kubernetes.io/index: x"),
        expected("  file:\n    path: web.yaml\n")
    );
}

/// In a ConfigMap those that are not sensitive, in a Secret the others.
#[test]
fn a_generator_writes_all_outputs_of_a_name() {
    let generate = "    outputs:
    - name: infra
      from: {inline: {vpc: vpc-0ab1, n: 2, zones: [a, b], on: true, none: null, password: hunter2}}
      sensitive: [password]
    generate:
    - {kind: ConfigMap, name: m, outputs: infra, data: {vpc: 'my ${infra.vpc}'}}
    - {kind: Secret, name: s, outputs: infra}
";
    let expected = "items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: m
  data:
    vpc: 'my vpc-0ab1'
    \"n\": \"2\"
    \"on\": \"true\"
    zones: \"[\\\"a\\\",\\\"b\\\"]\"
- apiVersion: v1
  kind: Secret
  metadata:
    name: s
  stringData:
    password: hunter2
";
    let list = format!("{HEADER}{BINDING}{generate}");
    let processed = with_own_outputs(&list);
    assert!(!processed.failed, "{:?}", processed.diagnostics);
    let result = splice(list.as_bytes(), &processed.edits).unwrap();
    let result = String::from_utf8(result).unwrap();
    let (_, items) = result.split_once("items:").unwrap();
    assert_eq!(format!("items:{items}"), expected);
}

#[test]
fn mistakes_in_outputs_of_generate_are_reported() {
    let message = |spec: &str| {
        let list = format!("{HEADER}{BINDING}{spec}");
        let needs = krm_needs(list.as_bytes());
        let diagnostics = match needs {
            Ok(_) => with_own_outputs_or_errors(&list),
            Err(found) => found,
        };
        let found = diagnostics.as_slice().first().unwrap().clone();
        format!("{}; {}", found.message, found.help.unwrap_or_default())
    };
    let bound = "    outputs: [{name: infra, from: {inline: {'a:b': x}}}]\n";
    let generate = "    generate: [{kind: ConfigMap, name: m, outputs: infra}]\n";
    assert_eq!(
        message(&format!(
            "{bound}    generate: [{{kind: ConfigMap, name: m, outputs: infar}}]\n"
        )),
        "nothing is bound to `infar`; bound names: `infra`"
    );
    assert!(message(&format!("{bound}{generate}")).starts_with(
        "the output `a:b` cannot be a key of a ConfigMap or a Secret; remove `outputs`"
    ));
    assert!(
        message(&format!("{bound}{generate}    dialect: flux\n"))
            .starts_with("`outputs` writes references of landfall's own dialect; ")
    );
}

/// A setter comment after the last value of an item is a part of the item, and no comment of the
/// next one.
#[test]
fn a_result_about_a_comment_names_the_file() {
    let annotations = |path: &str| {
        format!("metadata:\n    annotations:\n      config.kubernetes.io/path: {path}\n")
    };
    let list = format!(
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  {}  data:\n    a: x # landfall: ${{infra.none}}\n- apiVersion: v1\n  kind: ConfigMap\n  {}",
        annotations("one.yaml"),
        annotations("two.yaml")
    );
    let processed = processed(&list, &[infra()]);
    let result = splice(list.as_bytes(), &processed.edits).unwrap();
    let result = String::from_utf8(result).unwrap();
    let (_, results) = result.split_once("results:\n").unwrap();
    assert!(results.contains("    path: one.yaml\n"), "{results}");
    assert!(!results.contains("two.yaml"), "{results}");
}

/// kustomize passes a generator its Binding as an item.
#[test]
fn a_binding_among_the_items_is_not_rendered() {
    let spec = "  spec:
    outputs: [{name: infra, from: {inline: {vpc: vpc-0ab1}}}]
    generate: [{kind: ConfigMap, name: m, data: {vpc: '${infra.vpc} ${infra.none | default(\"\")}'}}]
";
    let binding = format!("  apiVersion: landfall.dev/v1alpha1\n  kind: Binding\n{spec}");
    let item = format!("- {}", binding.trim_start());
    let added = "- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: m
  data:
    vpc: 'vpc-0ab1 '
";
    check_rendered(
        &format!("{HEADER}items:\n{item}functionConfig:\n{binding}"),
        &format!("{HEADER}items:\n{added}{item}functionConfig:\n{binding}"),
    );
}

/// What is written in a template is what is generated, whatever its style and indentation.
#[test]
fn templates_keep_their_text() {
    for (template, expected) in [
        ("x # y", "x # y"),
        (
            "x # landfall: ${infra.vpc}",
            "vpc-0ab1 # landfall: ${infra.vpc}",
        ),
        ("'a: ''b'' #c'", "'a: ''b'' #c'"),
        ("\"a\\tb\"", "\"a\\tb\""),
        ("&a1 x", "&a1 x"),
        (
            "|\n          a\n           b",
            "|\n          a\n           b\n",
        ),
        (
            "|-\n          a\n\n          b",
            "|-\n          a\n\n          b\n",
        ),
        ("|+\n          a\n\n\n", "|+\n          a\n\n\n\n"),
        (
            ">\n          a\n          b",
            ">\n          a\n          b\n",
        ),
        ("|2\n           a\n          b", "\" a\\nb\\n\""),
        ("|4-\n              a\n            b", "\"  a\\nb\""),
        ("\n          |2\n           a", "\" a\\n\""),
        ("a\n          b", "a\n          b"),
        ("# comment\n          a", "# comment\n          a"),
    ] {
        let generate = format!(
            "    outputs: [{{name: infra, from: {{inline: {{vpc: vpc-0ab1}}}}}}]\n    policy: {{unused: ignore}}\n    generate:\n    - kind: ConfigMap\n      name: m\n      data:\n        a: {template}\n"
        );
        let list = |items: &str| format!("{HEADER}{items}{BINDING}{generate}");
        let expected = expected.strip_suffix('\n').unwrap_or(expected);
        check_rendered(
            &list("items: []\n"),
            &list(&format!(
                "items:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: m\n  data:\n    a: {expected}\n"
            )),
        );
    }
}

/// Only the item itself is replaced, whatever it ends with.
#[test]
fn what_follows_a_replaced_item_stays() {
    for (column, indentation) in [("", ""), ("  ", "  ")] {
        for next in ["# note\n", "- {kind: Pod}\n", "# note\n- {kind: Pod}\n", ""] {
            for (style, text) in [("|\n", "old\n"), ("|+\n", "old\n\n"), ("|-\n", "old\n")] {
                let item = |data: &str| {
                    let lines = format!(
                        "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: m\n  data:\n    a: {data}"
                    );
                    format!(
                        "{column}{}",
                        lines.replace('\n', &format!("\n{indentation}"))
                    )
                };
                let old = item(style).trim_end_matches(' ').to_owned()
                    + &format!("{indentation}      {text}");
                let generate = "    outputs: [{name: infra, from: {inline: {vpc: vpc-1}}}]\n    generate: [{kind: ConfigMap, name: m, data: {a: '${infra.vpc}'}}]\n";
                let list = |item: &str| {
                    let next = next.replace("- {", &format!("{column}- {{"));
                    let next = next.replace("# n", &format!("{indentation}  # n"));
                    format!("{HEADER}items:\n{item}{next}{BINDING}{generate}")
                };
                let new = item("'vpc-1'") + "\n";
                check_rendered(&list(&old), &list(&new));
            }
        }
    }
}

/// Lines of the Binding may hold literals of Secrets.
#[test]
fn findings_in_generated_resources_show_only_the_reference() {
    let generate = "    outputs: [{name: infra, from: {inline: {vpc: vpc-0ab1}}}]
    generate: [{kind: Secret, name: s, data: {p: hunter2}}, {kind: ConfigMap, name: m, data: {a: 'it''s ${infra.vcp}', b: \"${infra.vcp}\\tx\"}}]
";
    let list = format!("{HEADER}{BINDING}{generate}");
    let json = r#"{"kind": "ResourceList", "items": [], "functionConfig": {"apiVersion": "landfall.dev/v1alpha1", "kind": "Binding", "spec": {"outputs": [{"name": "infra", "from": {"inline": {"vpc": "x"}}}], "generate": [{"kind": "Secret", "name": "s", "data": {"p": "hunter2 ${infra.vcp}"}}]}}}"#;
    for list in [list.as_str(), json] {
        let processed = with_own_outputs(list);
        let labels = processed.diagnostics.iter().flat_map(|found| &found.labels);
        let mut shown = 0;
        for label in labels.filter(|label| label.origin == landfall::Origin::Manifest(0)) {
            assert!(label.conceal, "{label:?}");
            let text = &list[label.span.range()];
            assert!(["vcp", "", "${infra.vcp}"].contains(&text), "{text}");
            shown += 1;
        }
        assert!(shown > 0);
    }
}

#[test]
fn a_generated_resource_is_one_item() {
    let item = "- {apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {p: hunter2}}\n";
    let list = format!(
        "{HEADER}items:\n{item}{item}{BINDING}    generate: [{{kind: Secret, name: s, data: {{}}}}]\n"
    );
    let found = process(list.as_bytes(), &[], &Ceiling::default(), None, &[]).unwrap_err();
    let messages: Vec<&str> = found.iter().map(|found| &*found.message).collect();
    assert_eq!(
        messages,
        ["several items are the Secret `s`, which is generated"]
    );
    assert!(
        found
            .iter()
            .flat_map(|found| &found.labels)
            .all(|label| label.conceal)
    );
}

const INLINE: &str = "functionConfig:\n  apiVersion: landfall.dev/v1alpha1\n  kind: Binding\n  metadata: {name: bind}\n  spec: {outputs: [{name: infra, from: {inline: {env: prod}}}]}\n";

/// Where a resource is from is the client's: kpt would write it to another file.
#[test]
fn annotations_of_the_client_are_not_rendered() {
    let annotations = "internal.config.kubernetes.io/path: '${infra.env}/a.yaml'\n      internal.config.kubernetes.io/package-path: ${infra.env}\n      config.kubernetes.io/path: '${infra.env}/a.yaml'\n";
    let list = |env: &str| {
        format!(
            "kind: ResourceList\nitems:\n- kind: A\n  metadata:\n    name: {env}\n    annotations:\n      internal.config.kubernetes.io/previousNames: {env}\n      own: {env}\n      {annotations}{INLINE}"
        )
    };
    check_rendered(&list("${infra.env}"), &list("prod"));
}

/// kustomize repeats a name in them.
#[test]
fn a_mistake_is_not_reported_again_in_annotations_of_the_client() {
    let list = format!(
        "kind: ResourceList\nitems:\n- kind: A\n  metadata:\n    name: a-${{infra.envv}}\n    annotations:\n      internal.config.kubernetes.io/previousNames: a-${{infra.envv}}\n      kustomize.config.k8s.io/id: |\n        kind: A\n        name: a-${{infra.envv}}\n{INLINE}"
    );
    let found = with_own_outputs(&list).diagnostics;
    assert_eq!(found.len(), 1, "{found:?}");
    let validator = list.replace("spec: {", "spec: {validate: true, ");
    let found = with_own_outputs(&validator).diagnostics;
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn a_setter_comment_without_a_reference_is_an_error() {
    let list = format!(
        "kind: ResourceList\nitems:\n- kind: A\n  metadata: {{name: a}}\n  spec: none # landfall: infra.env\n{INLINE}"
    );
    let found = with_own_outputs(&list);
    assert!(found.failed);
    let found = found.diagnostics;
    let help = found.iter().filter_map(|found| found.help.as_deref());
    assert_eq!(help.collect::<Vec<_>>(), ["write `${infra.env}`"]);
}

/// Without resources, kustomize passes the Binding as the only item.
#[test]
fn a_binding_is_no_resource() {
    let binding =
        "- apiVersion: landfall.dev/v1alpha1\n  kind: Binding\n  metadata: {name: bind}\n";
    for spec in ["spec: {", "spec: {validate: true, "] {
        let function = INLINE.replace("spec: {", spec);
        let list = format!("kind: ResourceList\nitems:\n{binding}{function}");
        let found = with_own_outputs(&list);
        let rules = found.diagnostics.iter().map(|found| found.rule.id());
        let rules: Vec<_> = rules.filter(|rule| *rule != "unused-output").collect();
        assert_eq!(rules, ["no-manifests"]);
        let allowed = function.replace(spec, &format!("{spec}policy: {{noResources: allow}}, "));
        let list = format!("kind: ResourceList\nitems:\n{binding}{allowed}");
        assert!(!with_own_outputs(&list).failed);
    }
}

/// So that a client that reads the results of a failure finds nothing to apply.
#[test]
fn the_list_of_a_failure_has_results_and_no_items() {
    for list in [
        format!("kind: ResourceList\nitems:\n- kind: A\n  metadata: {{name: a}}\n  spec: ${{infra.envv}}\n{INLINE}"),
        "{\"kind\": \"ResourceList\", \"items\": [{\"kind\": \"A\", \"spec\": \"${infra.envv}\"}], \"functionConfig\": {\"apiVersion\": \"landfall.dev/v1alpha1\", \"kind\": \"Binding\", \"metadata\": {\"name\": \"bind\"}, \"spec\": {\"outputs\": [{\"name\": \"infra\", \"from\": {\"inline\": {\"env\": \"prod\"}}}]}}}".to_owned(),
    ] {
        let processed = with_own_outputs(&list);
        assert!(processed.failed);
        let result = splice(list.as_bytes(), &processed.edits).unwrap();
        let result: serde_yaml::Value = serde_yaml::from_slice(&result).unwrap();
        assert_eq!(result["items"], serde_yaml::Value::Sequence(Vec::new()));
        assert_eq!(result["results"][0]["severity"], "error");
    }
}

#[test]
fn a_list_of_the_older_version_is_answered_in_it() {
    for version in ["v1", "v1beta1"] {
        let list = |value: &str| {
            format!(
                "apiVersion: config.kubernetes.io/{version}\nkind: ResourceList\nitems:\n- {{apiVersion: v1, kind: Pod, metadata: {{name: {value}}}}}\n"
            )
        };
        assert_eq!(rendered(&list("'${infra.vpc}'")), list("'vpc-0ab1'"));
    }
}
