//! Values that are written without asking about each place have the answer of a render that
//! resolves, places and writes each of them. A render with a report of its substitutions
//! does that; one of many with the same sources must not.

use landfall::{
    Answer, Config, Configuration, Detail, Diagnostics, File, OutputsDocument, Request, Sources,
};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::choices::Choices;
use crate::generated::cases;
use crate::oracle::output_name;
use crate::render::{document, outputs};
use crate::{document as manifests, hostile};

const OUTPUTS: usize = 4;

/// Documents in which the same references have other meanings.
const DOCUMENTS: &[&str] = &[
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {a: ${infra.v0}, b: \"${infra.v1}\", c: '${infra.v2}/${infra.v0}'}\ndata:\n  v: ${infra.v0}\n  w: 2024-01-01${infra.v1}\n  x: |\n    a=${infra.v2}\n    ${infra.v3}\n",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: \"${infra.v0}\"}\nspec:\n  replicas: ${infra.v1}\n  template:\n    spec:\n      containers:\n      - {image: \"a/${infra.v2}:1\", args: [--a=${infra.v3}, \"${infra.v0}\"]}\n      - env: [{name: A, value: ${infra.v1}}]\n        ports: [{containerPort: 8${infra.v2}}]\n",
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s, annotations: {a: ${infra.v0}}}\nstringData:\n  v: ${infra.v1}\ndata: {w: ${infra.v2}, x: ${infra.secret}}\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: &a\n  v: ${infra.v0}\n  w: ${infra.v1}\nb: *a\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\ndata:\n  v: ${infra.v0}\n  w: ${infra.v0}${infra.missing}\n  x: ${infra.missing}\n  y: ${infra.missing}\n  z: ${infra.secret}\n",
    "apiVersion: v1\nkind: ${infra.v0}\nmetadata: {name: e}\n${infra.v1}: ${infra.v1}\nv: ${infra.v2}\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: f}\ndata:\n  v: ${infra.v0}\n  w: ${infra.v0 | upper}\n  x: $${infra.v0}${infra.v0}\n  y: old # landfall: ${infra.v0}\n  c.yaml: |\n    v: ${infra.v0}\n    w: ${infra.v1}\n",
    "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: ${infra.v0}}\nspec:\n  text: ${infra.v1}\n  count: ${infra.v2}\n",
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec:\n  group: example.com\n  names: {kind: Widget}\n  versions:\n  - name: v1\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {text: {type: string}, count: {type: integer}}}}}}\n",
    "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: g}\nspec:\n  goTemplate: true\n  template: {spec: {project: \"${infra.v0}\", source: {path: ${infra.v1}}}}\n",
    "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Service\n  spec: {clusterIP: ${infra.v0}, ports: [{port: ${infra.v1}}]}\n",
    "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"spec\": {\"clusterIP\": \"${infra.v0}\", \"v\": ${infra.v1}}}\n",
    "sops: {mac: x}\nv: ${infra.v0}\n",
    "v: ${infra.v0}\nw: ${infra[\"v0\"]}\nx: ${ infra.v0 }\ny: \"${infra.v0[0]} ${infra.v0\"\n",
    "v: >-\n  ${infra.v0}\nw: \"a\n  ${infra.v1}\"\nx: !!str ${infra.v2}\n",
    "- op: replace\n  path: /a/${infra.v0}\n  value: ${infra.v1}\n",
    "v: ${V0} ${V1:-x}\nw: ${V0}\n",
];

/// Text that is written in the same way nearly everywhere, and some that only looks like it.
const TEXTS: &[&str] = &[
    "vpc-0ab1",
    "arn:aws:iam::012345678901:role/web",
    "https://sqs.eu-west-1.amazonaws.com/1/web",
    "t00:00:00z",
    "e12345",
    "x00ffff",
    "deadbeef",
    "web.example.com:",
    "name-\u{e9}",
    "web $HOME",
    "on",
    "kind: x",
];

struct Case {
    files: Vec<File>,
    requests: Vec<Request>,
}

fn value(choices: &mut Choices<'_>) -> Json {
    match choices.below(6) {
        0 => hostile::any(choices),
        1 => json!(8080),
        2 => json!(choices.pick(TEXTS)),
        _ => json!(format!("ordinary-{}", choices.pick(TEXTS).len())),
    }
}

/// Returns an outputs document; an output may be missing or sensitive in it.
fn cluster(choices: &mut Choices<'_>) -> OutputsDocument {
    let values: Vec<_> = (0..OUTPUTS).map(|_| value(choices)).collect();
    let named = values.iter().enumerate();
    let named = named.map(|(nth, value)| (output_name(nth), value));
    let mut content: Json = serde_json::from_slice(&outputs(named)).unwrap();
    content["secret"] = json!({"sensitive": true, "type": "string", "value": "s3cr3t-text"});
    if choices.one_in(6) {
        content[output_name(0)]["sensitive"] = json!(true);
    }
    if choices.one_in(6) {
        let _removed = content.as_object_mut().unwrap().remove(&output_name(1));
    }
    OutputsDocument {
        sensitive: choices.one_in(12),
        ..document("infra", content.to_string().into_bytes())
    }
}

impl Case {
    fn generate(choices: &mut Choices<'_>) -> Self {
        let mut text = String::new();
        for _ in 0..1 + choices.below(4) {
            match choices.below(4) {
                0 => text.push_str(&manifests::manifest(choices, OUTPUTS).spelled().text),
                _ => text.push_str(choices.pick(DOCUMENTS)),
            }
            text.push_str("\n---\n");
        }
        let binding = choices.pick(&[
            "",
            "",
            "",
            "spec: {dialect: flux}\n",
            "spec: {policy: {missing: keep}}\n",
            "spec: {policy: {unused: error}}\n",
            "spec: {contract: {infra: {v0: {type: string}}}}\n",
            "spec:\n  substitutions:\n  - value: ${infra.v0}\n    targets: [{select: {kind: ConfigMap}, fieldPaths: [data.v]}]\n",
        ]);
        let binding = (!binding.is_empty()).then(|| Config {
            path: "landfall.yaml".into(),
            content: format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\n{binding}").into(),
        });
        let answer_limit = choices.one_in(6).then_some(60);
        let keep_references = choices.one_in(10);
        let resources_only = choices.one_in(6);
        let requests = (0..3)
            .map(|_| Request {
                outputs: vec![cluster(choices)],
                application: Configuration {
                    binding: binding.clone(),
                    ..Configuration::default()
                }
                .into(),
                resources_only,
                keep_references,
                answer_limit,
                ..Request::default()
            })
            .collect();
        let (path, content) = ("a.yaml".into(), text.into_bytes());
        Self {
            files: vec![File { path, content }],
            requests,
        }
    }
}

/// Renders on its own, with a report, and returns the answer without it.
fn alone(files: &[File], request: &Request) -> Result<Answer, Diagnostics> {
    let reported = Request {
        detail: Detail::Substitutions,
        ..request.clone()
    };
    let answer = Sources::new(files.to_vec()).generate(&reported)?;
    Ok(Answer {
        substitutions: None,
        ..answer
    })
}

proptest! {
    #![proptest_config(cases(6_000))]

    #[test]
    fn one_of_many_renders_has_the_answer_of_one_alone(
        numbers in prop::collection::vec(any::<u16>(), 0..200)
    ) {
        let case = Case::generate(&mut Choices::new(&numbers));
        let sources = Sources::new(case.files.clone());
        for request in &case.requests {
            let shown = || String::from_utf8_lossy(&case.files[0].content).into_owned();
            let outputs = || String::from_utf8_lossy(&request.outputs[0].content).into_owned();
            prop_assert_eq!(
                sources.generate(request),
                alone(&case.files, request),
                "{} with {}",
                shown(),
                outputs()
            );
        }
    }
}

#[test]
fn each_place_of_a_missing_output_is_reported() {
    let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  v: ${infra.v0}\n  w: ${infra.v1}\n  x: ${infra.v0}\n  y: a-${infra.v0}\n";
    let sources = Sources::new(vec![File {
        path: "a.yaml".into(),
        content: manifest.into(),
    }]);
    let request = |content: Json| Request {
        outputs: vec![document("infra", content.to_string().into_bytes())],
        ..Request::default()
    };
    let output = |text: &str| json!({"sensitive": false, "type": "string", "value": text});
    let both = json!({"v0": output("vpc-0ab1"), "v1": output("vpc-0ab2")});
    sources.generate(&request(both)).unwrap();
    let errors = sources
        .generate(&request(json!({"v1": output("vpc-0ab2")})))
        .unwrap_err();
    let starts: Vec<_> = errors
        .iter()
        .map(|error| error.labels[0].span.start)
        .collect();
    let places: Vec<_> = manifest
        .match_indices("infra.v0")
        .map(|(at, _)| at)
        .collect();
    assert_eq!(starts.len(), 3, "{errors:?}");
    assert!(
        starts
            .iter()
            .zip(&places)
            .all(|(start, at)| start.abs_diff(*at) < 8)
    );
}
