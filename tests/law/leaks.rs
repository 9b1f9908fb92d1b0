//! Values of sensitive outputs appear only in Secrets, whatever asks for them: a
//! reference, a setter comment, an embedded document, a field binding or the contract of
//! the outputs, all in one render.

use landfall::Config;
use serde_json::{Value as Json, json};

use crate::choices::Sequence;
use crate::generated::cases;
use crate::render::{outputs, render, request};
use crate::shown::shown;

/// Renders that the property checks.
const RENDERS: u32 = 6_000;

/// The secret value. No part of it occurs anywhere else, in any case.
const SECRET: &str = "zq3cr3t-4711";

/// Its parts, and their base64 at any offset of a longer text.
const TRACES: &[&str] = &["zq3cr3t", "4711", "enEzY3IzdC", "pxM2NyM3Qt", "6cTNjcjN0L"];

fn traced(text: &str) -> Option<&'static str> {
    let folded = text.to_lowercase();
    let shows = |trace: &&&str| text.contains(**trace) || folded.contains(&trace.to_lowercase());
    TRACES.iter().find(shows).copied()
}

const PIPELINES: &[&str] = &[
    "",
    " | base64",
    " | verbatim",
    " | json",
    " | json | base64",
    " | upper",
    " | string | base64",
    " | number",
    " | bool",
    " | split(\"-\")",
    " | split(\"-\") | last",
    " | at(7)",
    " | get(\"nope\")",
    " | keys",
    " | pairs(\"=\")",
    " | length",
    " | substring(0, 9)",
    " | base64_decode",
    " | cidr_host(3)",
    " | hostname",
    " | port",
    " | sha256",
    " | default(\"x\")",
    " | required(\"name it\")",
    " | prefix(\"x\")",
    " | object(\"k\") | json",
    " | split(\"-\") | each(suffix(\"x\")) | json",
    " | each(number)",
    " | json_decode",
    " | yaml_decode",
    " | spread",
    " | default(omit)",
];

const NAMES: &[&str] = &[
    "infra.secret",
    "infra.secret.k",
    "infra.secret[0]",
    "infra.secret[*]",
    "infra.secret[*].k",
    "infra.secret.nope",
];

/// Generates a manifest and a Binding, and records whether they ask for a secret where
/// none is allowed.
struct Case<'s> {
    sequence: &'s mut Sequence,
    is_forbidden: bool,
}

impl Case<'_> {
    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.sequence.below(from.len())]
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.sequence.below(n) == 0
    }

    /// Returns the text of a field: usually a word, else a reference.
    fn text(&mut self, may_hold_it: bool) -> String {
        if self.asks(may_hold_it) {
            format!("${{{}}}", self.secret(may_hold_it))
        } else {
            self.pick(&["word", "${infra.open}"]).to_owned()
        }
    }

    /// Rarely true where it is not allowed, since one such reference is enough for an
    /// error.
    fn asks(&mut self, may_hold_it: bool) -> bool {
        self.one_in(if may_hold_it { 3 } else { 30 })
    }

    /// Returns a reference to the secret, with functions.
    fn secret(&mut self, may_hold_it: bool) -> String {
        self.is_forbidden |= !may_hold_it;
        let plain = may_hold_it && !self.one_in(3);
        let (name, calls) = if plain {
            (NAMES[0], " | json | base64")
        } else {
            (self.pick(NAMES), self.pick(PIPELINES))
        };
        format!("{name}{calls}")
    }

    /// Returns a value and the setter comment that replaces it: the value may be a former
    /// one of a sensitive output.
    fn setter(&mut self, may_hold_it: bool) -> String {
        if self.asks(may_hold_it) {
            format!("{SECRET} # landfall: ${{{}}}", self.secret(may_hold_it))
        } else {
            "old".to_owned()
        }
    }

    /// Returns text that a Secret already contains.
    fn literal(&mut self) -> &'static str {
        self.pick(&["word", SECRET])
    }

    /// Returns an error that has nothing to do with secrets, or a word.
    fn typo(&mut self) -> &'static str {
        if self.one_in(6) {
            "${infra.opne}"
        } else {
            "word"
        }
    }

    fn config_map(&mut self) -> String {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c, labels: {{l: \"{}\"}}}}\ndata:\n  a: {}\n  b: \"x {}\"\n  c: {}\n  config.yaml: |\n    k: {}\n    l: [\"{}\"]\n  app.json: '{{\"k\": \"{}\"}}'\n",
            self.text(false),
            self.text(false),
            self.text(false),
            self.setter(false),
            self.text(false),
            self.text(false),
            self.text(false).replace('"', "'"),
        )
    }

    fn secret_manifest(&mut self) -> String {
        let base64 = if self.asks(true) {
            format!("${{{}}}", self.secret(true))
        } else {
            "d29yZA==".to_owned()
        };
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: s, annotations: {{n: \"{}\"}}}}\ndata:\n  a: {base64}\nstringData:\n  b: {}\n  t: \"{} {}\"\n  c: {}\n  values.yaml: |\n    k: {}\n",
            self.text(false),
            self.text(true),
            self.literal(),
            self.typo(),
            self.setter(true),
            self.text(true),
        )
    }

    /// Returns two resources on one line.
    fn list(&mut self) -> String {
        format!(
            "apiVersion: v1\nkind: List\nitems: [{{kind: Secret, stringData: {{w: {}}}}}, {{kind: Pod, data: {{w: {}}}}}]\n",
            self.literal(),
            self.typo(),
        )
    }

    fn pod(&mut self) -> String {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  containers:\n  - args: [\"--a={}\"]\n    image: app:{}{}\n    env: [{{name: E, value: \"{}\"}}]\n",
            self.text(false),
            self.text(false),
            self.setter(false),
            self.text(false),
        )
    }

    fn binding(&mut self) -> Config {
        let mut spec = json!({});
        if self.one_in(2) {
            let (kind, path, may_hold_it) = match self.sequence.below(6) {
                0 => ("ConfigMap", "data.a", false),
                1 => ("ConfigMap", "data.new", false),
                2 => ("Pod", "spec.containers.0.image", false),
                3 => ("Secret", "stringData.b", true),
                4 => ("Secret", "data.new", true),
                _ => ("Secret", "metadata.labels.new", false),
            };
            let value = if self.one_in(2) {
                format!("${{{}}}", self.secret(may_hold_it))
            } else {
                "${infra.open}".to_owned()
            };
            let mut options = json!({"create": true});
            if self.one_in(3) {
                options["encoding"] = json!("base64");
            }
            if self.one_in(4) && !path.ends_with("new") {
                options = json!({"delimiter": ":", "index": 1});
            }
            let target =
                json!({"select": {"kind": kind}, "fieldPaths": [path], "options": options});
            spec["substitutions"] = json!([{"value": value, "targets": [target]}]);
        }
        if self.one_in(4) {
            let rule = match self.sequence.below(6) {
                0 => json!({"type": self.pick(&["string", "number", "list", "object", "bool"])}),
                1 => json!({"pattern": "^vpc-"}),
                2 => json!({"enum": ["a", 1]}),
                3 => json!({"min": 5, "max": 9}),
                4 => json!({"minLength": 400}),
                _ => json!({"unused": "error"}),
            };
            spec["contract"] = json!({"infra": {"secret": rule}});
        }
        let binding =
            json!({"apiVersion": "landfall.dev/v1alpha1", "kind": "Binding", "spec": spec});
        Config {
            path: "landfall.yaml".into(),
            content: binding.to_string().into_bytes(),
        }
    }
}

fn secret(sequence: &mut Sequence) -> Json {
    match sequence.below(6) {
        0 => json!([SECRET, {"k": SECRET}]),
        1 => json!({"k": SECRET, SECRET: [SECRET]}),
        2 => json!(format!("{SECRET}$\n- {SECRET}: #")),
        3 => json!(4_711_004_711_004_711_i64),
        4 => json!(format!("arn:{SECRET}")),
        _ => json!(SECRET),
    }
}

#[test]
fn sensitive_values_are_only_in_secrets() {
    let mut sequence = Sequence::new(11);
    let (mut rendered, mut with_it, mut refused) = (0, 0, 0);
    for _ in 0..cases(RENDERS).cases {
        let value = secret(&mut sequence);
        let mut document: Json = serde_json::from_slice(&outputs([
            ("open".to_owned(), &json!("vpc")),
            ("secret".to_owned(), &value),
        ]))
        .unwrap();
        document["secret"]["sensitive"] = json!(true);
        let mut request = request(serde_json::to_vec(&document).unwrap());
        let mut case = Case {
            sequence: &mut sequence,
            is_forbidden: false,
        };
        let manifests = [
            case.config_map(),
            case.secret_manifest(),
            case.list(),
            case.pod(),
        ];
        let binding = case.binding();
        let is_forbidden = case.is_forbidden;
        let manifest = manifests.join("---\n");
        let case = format!(
            "{manifest}\n{}\n{value}",
            String::from_utf8_lossy(&binding.content)
        );
        request.configure(|configuration| configuration.binding = Some(binding));
        let reported = match render(manifest.as_bytes(), &request) {
            Ok(done) => {
                rendered += 1;
                assert!(!is_forbidden, "this rendered: {case}");
                let output = String::from_utf8(done.output).unwrap();
                with_it += u32::from(traced(&output).is_some());
                for document in output.split("---\n") {
                    let trace = traced(document).filter(|_| !document.contains("kind: Secret"));
                    assert_eq!(trace, None, "in\n{document}\nof {case}");
                }
                let shown = shown(&manifest, &done.diagnostics);
                format!("{:?} {:?} {shown}", done.diagnostics, done.substitutions)
            }
            Err(diagnostics) => {
                refused += 1;
                format!("{diagnostics:?} {}", shown(&manifest, &diagnostics))
            }
        };
        assert_eq!(traced(&reported), None, "in {reported}\nof {case}");
    }
    let least = cases(RENDERS).cases / 10;
    assert!(
        rendered > least && with_it > least && refused > least,
        "{rendered} rendered, {with_it} of them with the secret, {refused} refused"
    );
}
