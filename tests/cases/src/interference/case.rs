//! Manifests, Bindings and policies that ask for sensitive outputs in every form and
//! position, with two outputs documents that differ only in the sensitive values.

use landfall::{Ceiling, Config, Configuration, Detail, OutputsDocument, Request};
use serde_json::{Value as Json, json};

use crate::choices::Choices;

/// One manifest, and two requests that differ only in the sensitive values.
#[derive(Debug)]
pub struct Case {
    pub(super) manifest: String,
    pub(super) requests: [Request; 2],
    /// Whether the operator's policy keeps sensitive values out of manifests.
    pub is_strict: bool,
}

/// What makes outputs sensitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marks {
    /// The document, which is Terraform's.
    Document,
    /// The Binding.
    Binding,
    /// The Binding, and the document is YAML.
    BindingOfYaml,
}

/// The strictest ceiling: sensitive values stay out of manifests and contracts.
const OPERATOR: &str = "apiVersion: landfall.dev/v1alpha1
kind: OperatorPolicy
spec: {nonsensitive: refuse, sensitiveContract: refuse, sensitive: {kinds: []}}
";

/// Sensitive values of one type; they differ in how functions, fields and YAML treat
/// them.
const STRINGS: &[&str] = &[
    "hunter2",
    "h",
    "",
    "5432",
    "1e5",
    "true",
    "a$b",
    "$(HOME)",
    "aHVudGVyMg==",
    "a,b,c",
    "10.0.0.0/8",
    "https://host.example:8443/x",
    "arn:aws:iam::012345678901:role/x",
    "- a: b #\nc",
    " x ",
    "${infra.open}",
    "open",
    "0123456789012345678901234567890123456789",
];

fn strings(choices: &mut Choices<'_>) -> Json {
    json!(choices.pick(STRINGS))
}

fn numbers(choices: &mut Choices<'_>) -> Json {
    let digits = choices.pick(&["7", "7.5", "12345678901234567890", "-1", "65536"]);
    serde_json::from_str(digits).unwrap_or(Json::Null)
}

fn objects(choices: &mut Choices<'_>) -> Json {
    choices.pick(&[
        || json!({"k": "hunter2"}),
        || json!({}),
        || json!({"k": ""}),
        || json!({"k": null, "key": 5}),
        || json!({"kk": "x", "k": {"d": 1}}),
        || json!({"k": ["a", "b"], "open": true}),
        || json!({"k": [{"d": "hunter2"}, {"d": 1}]}),
        || json!({"k": "a=b", "open": "x,y"}),
    ])()
}

fn lists(choices: &mut Choices<'_>) -> Json {
    choices.pick(&[
        || json!(["hunter2"]),
        || json!([]),
        || json!(["a", "b", ""]),
        || json!([null, 1, {"k": "x"}]),
        || json!([{"k": "hunter2"}, {"k": "h"}]),
        || json!([{"k": [{"k": 1}]}, {"k": []}]),
        || json!([{"k": null}, {"key": "x"}]),
    ])()
}

const PUBLIC_PATHS: &[&str] = &[
    "infra.open",
    "infra.user",
    "infra.port",
    "infra.zones[1]",
    "infra.tags.team",
    "infra.zones",
    "infra.empty",
    "infra.zones[9]",
    "infra.nosuch",
    "infra.opne",
    "infra.nets[*].id",
    "infra.nets[*].ids[*]",
    "infra.nets[*].size",
    "infra.tags[*]",
];

const SENSITIVE_PATHS: &[&str] = &[
    "infra.secret",
    "infra.obj.k",
    "infra.items[0]",
    "infra.number",
    "infra.obj",
    "infra.items",
    "infra.obj.key",
    "infra.items[2]",
    "infra.secret.x",
    "infra.obj.k.d",
    "infra.items[*].k",
    "infra.items[*].k[*].k",
    "infra.items[*]",
    "infra.obj[*].k",
    "infra.obj.k[*].d",
    "infra.secret[*]",
];

/// Calls; `@` is replaced by a path as argument.
const CALLS: &[&str] = &[
    "base64",
    "string",
    "substring(0, 1)",
    "split(\"h\")",
    "at(1)",
    "number",
    "bool",
    "upper",
    "json",
    "yaml",
    "join(\",\")",
    "first",
    "get(\"k\")",
    "get(\"kay\")",
    "keys",
    "values",
    "pairs(\"=\")",
    "pairs(@)",
    "length",
    "sort",
    "compact",
    "default(\"x\")",
    "default(5)",
    "default(@)",
    "default(infra.nosuch)",
    "required(\"why\")",
    "replace(\"h\", @)",
    "replace(@, \"y\")",
    "trim_prefix(@)",
    "concat(@)",
    "at(@)",
    "get(@)",
    "base64_decode",
    "sha256",
    "hostname",
    "port",
    "cidr_host(3)",
    "arn(\"account\")",
    "verbatim",
    "prefix(@)",
    "object(@, \"k\")",
    "each(upper)",
    "each(prefix(@))",
    "each(default(@))",
    "json_decode",
    "yaml_decode",
    "spread",
    "default(omit)",
    "indent(@)",
    "nosuchfunction",
    "at(\"x\")",
];

/// Generates one case.
struct Generator<'a, 'c> {
    choices: &'a mut Choices<'c>,
    is_strict: bool,
    /// Whether it asks for sensitive outputs only where they are allowed, and for little
    /// else that fails: otherwise one error hides the rest.
    is_calm: bool,
    /// Whether the resource being generated may contain sensitive values.
    may_hold: bool,
}

impl Generator<'_, '_> {
    fn path(&mut self) -> &'static str {
        if self.is_calm {
            let paths = if self.may_hold {
                &SENSITIVE_PATHS[..4]
            } else {
                &PUBLIC_PATHS[..5]
            };
            return self.choices.pick(paths);
        }
        if self.choices.one_in(3) {
            self.choices.pick(PUBLIC_PATHS)
        } else {
            self.choices.pick(SENSITIVE_PATHS)
        }
    }

    /// Returns a reference without its `${` and `}`, with strings in this kind of quotes.
    fn expression(&mut self, quote: char) -> String {
        let mut text = self.path().to_owned();
        let most = match (self.is_calm, self.may_hold) {
            (true, true) => 2,
            (true, false) => 1,
            (false, _) => 4,
        };
        for _ in 0..self.choices.below(most) {
            let call = self.choices.pick(CALLS);
            text.push_str(" | ");
            text.push_str(&call.replace('@', self.path()));
        }
        if self.is_strict && !self.is_calm && self.choices.one_in(4) {
            text.push_str(" | nonsensitive");
            if self.choices.one_in(2) {
                text.push_str(" | at(0)");
            }
        }
        text.replace('"', &quote.to_string())
    }

    /// Returns a scalar, usually with a reference.
    fn scalar(&mut self) -> String {
        match self.choices.below(8) {
            0 | 1 => "word".to_owned(),
            2 => "${infra.open}".to_owned(),
            3 => format!("${{{}}}", self.expression('"')),
            4 => format!("a-${{{}}}", self.expression('"')),
            5 => format!("\"x ${{{}}}\"", self.expression('\'')),
            6 => format!("'${{{}}}'", self.expression('"')),
            _ => format!(
                "${{{}}} ${{{}}}",
                self.expression('"'),
                self.expression('"')
            ),
        }
    }

    /// Returns the word itself, usually.
    fn header(&mut self, word: &str) -> String {
        match self.choices.below(12) {
            10 => format!("${{{}}}", self.expression('"')),
            11 => format!("\"${{{}}}\"", self.expression('\'')),
            _ => word.to_owned(),
        }
    }

    fn setter(&mut self) -> String {
        if self.choices.one_in(2) {
            format!(" # landfall: ${{{}}}", self.expression('"'))
        } else {
            String::new()
        }
    }

    /// Rarely adds an entry: one refused key leaves nothing else to compare.
    fn entry_with_key(&mut self, indent: &str) -> String {
        if !self.may_hold && self.choices.one_in(8) {
            format!("{indent}${{{}}}: x\n", self.expression('"'))
        } else {
            String::new()
        }
    }

    fn embedded(&mut self, indent: &str) -> String {
        let mut text = format!("{indent}k: {}\n", self.scalar());
        if self.choices.one_in(4) {
            let kind = self.header("Pod");
            text.push_str(&format!("{indent}apiVersion: v1\n{indent}kind: {kind}\n"));
            let args = self.scalar();
            text.push_str(&format!(
                "{indent}spec: {{containers: [{{args: [{args}]}}]}}\n"
            ));
        }
        text.push_str(&self.entry_with_key(indent));
        text.push_str(&format!(
            "{indent}l: [\"${{{}}}\"]{}\n",
            self.expression('\''),
            self.setter()
        ));
        text
    }

    fn config_map(&mut self) -> String {
        let mut text = format!(
            "apiVersion: {}\nkind: {}\nmetadata:\n  name: {}\n  namespace: {}\n  labels: {{l: {}}}\ndata:\n  a: {}\n  b: {}\n  c: old{}\n",
            self.header("v1"),
            self.header("ConfigMap"),
            self.header("c"),
            self.header("n"),
            self.header("\"l\""),
            self.scalar(),
            self.scalar(),
            self.setter(),
        );
        text.push_str(&self.entry_with_key("  "));
        if self.choices.one_in(2) {
            text.push_str("  config.yaml: |\n");
            text.push_str(&self.embedded("    "));
        }
        if self.choices.one_in(3) {
            let expression = self.expression('"');
            text.push_str(&format!(
                "  note: |\n    text ${{{expression}}}\n    more\n"
            ));
        }
        text
    }

    fn secret(&mut self) -> String {
        let copied = !self.is_calm && self.choices.one_in(5);
        let kind = self.header("Secret");
        let (name, note) = (self.header("s"), self.header("x"));
        self.may_hold = !self.is_strict;
        let mut text = format!(
            "apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}, annotations: {{n: {note}{}}}}}\ndata:\n  a: ${{{} | base64}}\n  d: {}\nstringData:\n  b: {}{}\n  c: old{}\n",
            if copied { ", copy: *value" } else { "" },
            self.expression('"'),
            self.header("d29yZA=="),
            if copied { "&value " } else { "" },
            self.scalar(),
            self.setter(),
        );
        if copied {
            // An alias must follow its anchor.
            let (head, tail) = text.split_once("metadata").unwrap_or_default();
            let (metadata, rest) = tail.split_once('\n').unwrap_or_default();
            text = format!("{head}{rest}metadata{metadata}\n");
        }
        if self.choices.one_in(2) && !copied {
            text.push_str("  values.yaml: |\n");
            text.push_str(&self.embedded("    "));
        }
        self.may_hold = false;
        text
    }

    fn pod(&mut self) -> String {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {}}}\nspec:\n  hostname: {}\n  priority: {}\n  containers:\n  - args: [\"--a=${{{}}}\", {}]\n    image: app:1{}\n    env: [{{name: E, value: \"${{{}}}\"}}]\n",
            self.header("p"),
            self.header("h"),
            self.header("7"),
            self.expression('\''),
            self.scalar(),
            self.setter(),
            self.expression('\''),
        )
    }

    /// Returns resources that share lines and anchors.
    fn list(&mut self) -> String {
        format!(
            "apiVersion: v1\nkind: List\nitems:\n- {{apiVersion: v1, kind: Secret, metadata: {{name: s}}, stringData: &data {{p: {}}}}}\n- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: c}}, data: {}}}\n",
            self.scalar(),
            match self.choices.below(3) {
                0 => "*data".to_owned(),
                1 => format!("{{<<: *data, x: {}}}", self.scalar()),
                _ => format!("{{x: {}}}", self.scalar()),
            },
        )
    }

    fn manifest(&mut self) -> String {
        let count = 1 + self.choices.below(3);
        let documents: Vec<_> = (0..count)
            .map(|_| match self.choices.below(5) {
                0 => self.config_map(),
                1 | 2 => self.secret(),
                3 => self.pod(),
                _ => self.list(),
            })
            .collect();
        documents.join("---\n")
    }

    fn field_bindings(&mut self) -> Json {
        let (kind, path) = self.choices.pick(&[
            ("Secret", "stringData.b"),
            ("Secret", "data.new"),
            ("Secret", "stringData"),
            ("ConfigMap", "data.a"),
            ("ConfigMap", "data.new"),
            ("ConfigMap", "metadata.name"),
            ("Pod", "spec.containers.0.image"),
            ("Pod", "spec.priority"),
        ]);
        let options = match self.choices.below(4) {
            0 => json!({"create": true}),
            1 => json!({"delimiter": ":", "index": 1}),
            2 => json!({"create": true, "encoding": "base64"}),
            _ => json!({}),
        };
        let before = self.choices.pick(&["", "x-"]);
        self.may_hold = kind == "Secret" && !self.is_strict;
        let value = format!("{before}${{{}}}", self.expression('"'));
        self.may_hold = false;
        json!([{
            "value": value,
            "targets": [{"select": {"kind": kind}, "fieldPaths": [path], "options": options}],
        }])
    }

    fn contract(&mut self) -> Json {
        let output = self.choices.pick(&["secret", "number", "items", "obj"]);
        let rule = self.choices.pick(&[
            || json!({"pattern": "^h"}),
            || json!({"enum": ["hunter2", 7]}),
            || json!({"min": 5, "max": 9}),
            || json!({"minLength": 2}),
            || json!({"type": "integer"}),
            || json!({"pattern": "r2$", "minLength": 3, "enum": ["h"]}),
        ])();
        json!({"infra": {output: rule}})
    }

    fn binding(&mut self, marks: Marks) -> Config {
        let mut spec = json!({});
        if marks != Marks::Document {
            let declared = json!(["items", "number", "obj", "secret"]);
            let from = json!({"file": "infra.json"});
            spec["outputs"] = json!([{"name": "infra", "from": from, "sensitive": declared}]);
        }
        if self.choices.one_in(3) {
            spec["substitutions"] = self.field_bindings();
        }
        if self.choices.one_in(if self.is_strict { 12 } else { 5 }) {
            spec["contract"] = self.contract();
        }
        let mut policy = json!({});
        for (key, words) in [
            ("empty", ["error", "allow"]),
            ("missing", ["error", "keep"]),
            ("unused", ["note", "error"]),
        ] {
            policy[key] = json!(words[usize::from(self.choices.one_in(4))]);
        }
        if self.choices.one_in(4) {
            policy["sensitive"] = json!({"kinds": ["Secret", "Pod"]});
        }
        spec["policy"] = policy;
        let binding =
            json!({"apiVersion": "landfall.dev/v1alpha1", "kind": "Binding", "spec": spec});
        Config {
            path: "landfall.yaml".into(),
            content: binding.to_string().into_bytes(),
        }
    }

    /// Returns two values of one sensitive output.
    fn pair(&mut self, of: fn(&mut Choices<'_>) -> Json) -> [Json; 2] {
        let other = if self.is_strict {
            // Nothing is evaluated, so even the type may differ.
            self.choices.pick(&[strings, numbers, objects, lists, of])
        } else {
            of
        };
        [of(self.choices), other(self.choices)]
    }

    fn outputs(&mut self, marks: Marks) -> [Vec<u8>; 2] {
        let pairs = [
            ("items", self.pair(lists)),
            ("number", self.pair(numbers)),
            ("obj", self.pair(objects)),
            ("secret", self.pair(strings)),
        ];
        let is_pretty = self.choices.one_in(2);
        [0, 1].map(|nth| {
            let mut document = json!({
                "empty": {"value": ""},
                "nets": {"value": [{"id": "a", "ids": [1]}, {"id": "b", "ids": [], "size": 2}]},
                "open": {"value": "vpc-1"},
                "port": {"value": 8080},
                "tags": {"value": {"team": "shop"}},
                "user": {"value": "shop"},
                "zones": {"value": ["a", "b"]},
            });
            for (name, values) in &pairs {
                document[*name] = match marks {
                    Marks::Document => json!({"sensitive": true, "value": values[nth]}),
                    Marks::Binding | Marks::BindingOfYaml => json!({"value": values[nth]}),
                };
            }
            // One line, or each output on its own: a list over several lines would show
            // how many items it has.
            let outputs: Vec<String> = document
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, output)| match marks {
                    Marks::BindingOfYaml => format!("{}: {}", json!(name), output["value"]),
                    Marks::Document | Marks::Binding => format!("{}:{output}", json!(name)),
                })
                .collect();
            let separator = if is_pretty { ",\n" } else { "," };
            format!("{{{}}}", outputs.join(separator)).into_bytes()
        })
    }
}

impl Case {
    /// Generates one case.
    pub fn new(choices: &mut Choices<'_>) -> Self {
        let is_strict = choices.one_in(2);
        let is_calm = choices.one_in(2);
        let mut generator = Generator {
            choices,
            is_strict,
            is_calm,
            may_hold: false,
        };
        let marks = generator.choices.pick(&[
            Marks::Document,
            Marks::Document,
            Marks::Binding,
            Marks::BindingOfYaml,
        ]);
        let outputs = generator.outputs(marks);
        let manifest = generator.manifest();
        let mut binding = generator.binding(marks);
        if is_strict {
            // The operator's policy refuses a Binding before any manifest is rendered, so
            // its conflicting part is removed.
            let text = String::from_utf8_lossy(&binding.content).into_owned();
            binding.content = text
                .replace(",\"sensitive\":{\"kinds\":[\"Secret\",\"Pod\"]}", "")
                .into_bytes();
        }
        let keep_references = choices.one_in(6);
        let answer_limit = choices.one_in(6).then_some(2_000);
        let requests = outputs.map(|content| Request {
            outputs: vec![OutputsDocument {
                name: "infra".into(),
                path: "infra.json".into(),
                content,
                format: (marks == Marks::BindingOfYaml).then(|| "yaml".into()),
                ..OutputsDocument::default()
            }],
            application: Configuration {
                binding: Some(binding.clone()),
                ceiling: Ceiling {
                    operator_policy: is_strict.then(|| Config {
                        path: "operator.yaml".into(),
                        content: OPERATOR.into(),
                    }),
                    ..Ceiling::default()
                },
                ..Configuration::default()
            }
            .into(),
            detail: Detail::Substitutions,
            keep_references,
            answer_limit: answer_limit.filter(|_| is_strict),
            ..Request::default()
        });
        Self {
            manifest,
            requests,
            is_strict,
        }
    }
}
