//! ApplicationSets and clusters from a sequence of decisions.

use landfall_test_support::seed::Sequence;
use serde_json::{Map, Value, json};

use super::comparison::Case;

const NAMES: [&str; 6] = [
    "prod-eu",
    "Prod_US",
    "dev.1",
    "staging",
    "in-cluster-2",
    "a--b",
];
const KEYS: [&str; 4] = ["env", "tier", "region", "example.com/team"];
const VALUES: [&str; 5] = ["prod", "dev", "a", "", "eu-1"];
const ANNOTATIONS: [&str; 3] = ["vpc", "example.com/zone", "repo_url"];

/// Returns the case that a sequence decides.
pub(super) fn case(sequence: &mut Sequence, nth: usize) -> Case {
    let secrets: Vec<String> = secrets(sequence).iter().map(Value::to_string).collect();
    let mut set = Set {
        go: sequence.one_in(2),
        values: Vec::new(),
        sequence,
    };
    let set = set.application_set();
    Case {
        what: format!("case {nth}"),
        // Lines of more than 1,024 characters have keys that YAML does not allow.
        sets: serde_json::to_string_pretty(&set).unwrap(),
        secrets: secrets.join("\n---\n"),
    }
}

fn secrets(sequence: &mut Sequence) -> Vec<Value> {
    let count = 1 + sequence.below(4);
    let first = sequence.below(NAMES.len());
    let mut secrets: Vec<Value> = (0..count)
        .map(|nth| secret(sequence, NAMES[(first + nth) % NAMES.len()]))
        .collect();
    if sequence.one_in(6) {
        // Not a cluster.
        secrets.push(json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "other"}}));
    }
    secrets
}

fn secret(sequence: &mut Sequence, name: &str) -> Value {
    let mut labels = Map::new();
    labels.insert("argocd.argoproj.io/secret-type".into(), json!("cluster"));
    for key in KEYS {
        if !sequence.one_in(4) {
            labels.insert(key.into(), json!(sequence.pick(&VALUES)));
        }
    }
    let mut annotations = Map::new();
    for key in ANNOTATIONS {
        if !sequence.one_in(4) {
            annotations.insert(key.into(), json!(format!("{key} of {name}: #1")));
        }
    }
    let server = match sequence.below(8) {
        0 => "https://kubernetes.default.svc".to_owned(),
        1 => "https://kubernetes.default.svc/".to_owned(),
        _ => format!("https://{name}.example.com"),
    };
    let mut data =
        json!({"name": name, "server": server, "config": "{\"bearerToken\": \"hunter2\"}"});
    if sequence.one_in(3) {
        data["project"] = json!("team");
    }
    let mut metadata = json!({"name": name.to_lowercase().replace('_', "-"), "labels": labels});
    if !annotations.is_empty() {
        metadata["annotations"] = Value::Object(annotations);
    }
    json!({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": data})
}

/// The ApplicationSet that is made.
struct Set<'s> {
    go: bool,
    /// The keys of the `values` that generators set.
    values: Vec<&'static str>,
    sequence: &'s mut Sequence,
}

impl Set<'_> {
    fn application_set(&mut self) -> Value {
        let count = 1 + usize::from(self.sequence.one_in(4));
        let generators: Vec<_> = (0..count).map(|_| self.generator(0, true)).collect();
        let mut spec = json!({"generators": generators, "template": self.template(true)});
        if self.go {
            spec["goTemplate"] = json!(true);
            let option = self.sequence.pick(&[
                "",
                "missingkey=error",
                "missingkey=zero",
                "missingkey=default",
            ]);
            if !option.is_empty() {
                spec["goTemplateOptions"] = json!([option]);
            }
        }
        if self.sequence.one_in(5) {
            let preserve = self.sequence.one_in(2);
            spec["syncPolicy"] = json!({"preserveResourcesOnDeletion": preserve});
        }
        if self.sequence.one_in(6) {
            spec["templatePatch"] = json!(self.patch());
        }
        json!({
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "ApplicationSet",
            "metadata": {"name": "set", "namespace": "argocd"},
            "spec": spec,
        })
    }

    fn patch(&mut self) -> String {
        let text = self.text();
        let patch = json!({
            "metadata": {"annotations": {"patched": text}},
            "spec": {"syncPolicy": {"automated": {"prune": self.sequence.one_in(2)}}, "revisionHistoryLimit": null},
        });
        match self.sequence.below(3) {
            0 => "spec:\n  project: other\n  revisionHistoryLimit: null\n  info: [{name: a, value: b}]\n".to_owned(),
            1 => format!("metadata:\n  finalizers: [{text:?}]\n"),
            // A text in JSON escapes quotes that a Go template needs.
            _ if text.contains('"') => "{}".to_owned(),
            _ => patch.to_string(),
        }
    }

    fn generator(&mut self, depth: usize, is_first: bool) -> Value {
        let kinds = if depth < 2 { 6 } else { 3 };
        let mut generator = match self.sequence.below(kinds) {
            0 | 1 => json!({"clusters": self.clusters(is_first)}),
            2 => json!({"list": {"elements": self.elements()}}),
            3 => {
                let generators = [
                    self.generator(depth + 1, is_first),
                    self.generator(depth + 1, false),
                ];
                json!({"matrix": {"generators": generators}})
            }
            _ => {
                let count = 2 + self.sequence.below(2);
                let generators: Vec<_> = (0..count)
                    .map(|_| self.generator(depth + 1, is_first))
                    .collect();
                let keys = match self.sequence.below(6) {
                    0 => json!(["server"]),
                    1 => json!(["name", "server"]),
                    2 => json!(["values.a"]),
                    _ => json!(["name"]),
                };
                json!({"merge": {"mergeKeys": keys, "generators": generators}})
            }
        };
        if depth == 0 && self.sequence.one_in(4) {
            let name = generator
                .as_object()
                .unwrap()
                .keys()
                .next()
                .unwrap()
                .clone();
            generator[name]["template"] = self.template(false);
        }
        if self.sequence.one_in(6) {
            generator["selector"] =
                self.selector(&["name", "values.a", "metadata.labels.env", "size", "tags.0"]);
        }
        generator
    }

    fn clusters(&mut self, is_first: bool) -> Value {
        let mut clusters = Map::new();
        if !self.sequence.one_in(3) {
            clusters.insert("selector".into(), self.selector(&KEYS));
        }
        if self.sequence.one_in(2) {
            let mut values = Map::new();
            for key in ["a", "b"] {
                if self.sequence.one_in(2) {
                    // A parameter that is replaced before its time makes an error of nearly
                    // every case.
                    let text = if is_first {
                        self.text()
                    } else {
                        self.plain_text()
                    };
                    values.insert(key.into(), json!(text));
                    self.values.push(key);
                }
            }
            clusters.insert("values".into(), Value::Object(values));
        }
        Value::Object(clusters)
    }

    fn elements(&mut self) -> Value {
        let count = self.sequence.below(4);
        let first = self.sequence.below(NAMES.len());
        let elements = (0..count).map(|nth| {
            let name = NAMES[(first + nth) % NAMES.len()];
            let mut element = json!({"name": name});
            if self.sequence.one_in(2) {
                element["server"] = json!(format!("https://{name}.example.com"));
            }
            if self.sequence.one_in(3) {
                element["values"] = json!({"a": self.plain_text()});
                self.values.push("a");
            }
            if self.sequence.one_in(12) {
                element = json!({});
            }
            if self.go && self.sequence.one_in(3) {
                element["size"] = self
                    .sequence
                    .pick(&[
                        json_number(3),
                        json_number(1_500_000),
                        Scalar::Bool,
                        Scalar::Null,
                    ])
                    .value();
                element["tags"] = json!(["x", {"y": "z"}]);
            }
            element
        });
        Value::Array(elements.collect())
    }

    fn selector(&mut self, keys: &[&str]) -> Value {
        let key = self.sequence.pick(keys);
        let value = self.sequence.pick(&VALUES);
        match self.sequence.below(6) {
            0 => json!({"matchLabels": {key: value}}),
            1 => {
                json!({"matchExpressions": [{"key": key, "operator": "In", "values": ["prod", "dev", value]}]})
            }
            2 => {
                json!({"matchExpressions": [{"key": key, "operator": "NotIn", "values": [value]}]})
            }
            3 => json!({"matchExpressions": [{"key": key, "operator": "Exists"}]}),
            4 => {
                json!({"matchLabels": {}, "matchExpressions": [{"key": key, "operator": "DoesNotExist"}]})
            }
            _ => json!({}),
        }
    }

    fn template(&mut self, is_whole: bool) -> Value {
        let name = match (self.go, self.sequence.below(4)) {
            (true, 0) => "app-{{.nameNormalized}}",
            (true, _) => "app-{{ .name }}",
            (false, 0) => "app-{{nameNormalized}}",
            (false, _) => "app-{{name}}",
        };
        let mut template = json!({"metadata": {}, "spec": {"project": "default"}});
        if is_whole {
            template["metadata"]["name"] = json!(name);
            template["spec"]["destination"] = json!({"server": self.text(), "namespace": "web"});
        }
        if self.sequence.one_in(2) {
            let key = if self.sequence.one_in(3) {
                self.text()
            } else {
                "key".to_owned()
            };
            template["metadata"]["labels"] = json!({key: self.text()});
        }
        if self.sequence.one_in(5) {
            template["metadata"]["finalizers"] = json!([self.plain_text()]);
        }
        if self.sequence.one_in(3) {
            template["metadata"]["annotations"] = json!({"a": self.text(), "b": ""});
        }
        match self.sequence.below(4) {
            0 => template["spec"]["source"] = self.source(),
            1 => template["spec"]["sources"] = json!([self.source(), self.source()]),
            2 => template["spec"]["source"] = json!({"repoURL": self.text()}),
            _ => {}
        }
        if self.sequence.one_in(3) {
            let prune = self.sequence.one_in(2);
            template["spec"]["syncPolicy"] =
                json!({"automated": {"prune": prune}, "syncOptions": [self.text()]});
        }
        if self.sequence.one_in(5) {
            template["spec"]["revisionHistoryLimit"] = json!(self.sequence.below(3));
        }
        template
    }

    fn source(&mut self) -> Value {
        let mut source =
            json!({"repoURL": "https://git.example.com", "targetRevision": self.text()});
        match self.sequence.below(4) {
            0 => {
                source["helm"] = json!({"valuesObject": {"a": self.text(), "n": [1, true, null, {"b": self.text()}], "null": null}});
            }
            1 => {
                source["helm"] = json!({"values": format!("a: {}\nb: c\n", self.text()), "parameters": [{"name": "x", "value": self.text()}]});
            }
            2 => {
                source["plugin"] = json!({"name": "landfall", "parameters": [{"name": "cluster", "map": {"a": self.text()}}, {"name": "b", "array": [self.text()]}]});
            }
            _ => source["path"] = json!(self.text()),
        }
        source
    }

    /// Returns a text without references.
    fn plain_text(&mut self) -> String {
        self.sequence
            .pick(&["next", "main", "v1.2", "a: b # c", "é"])
            .to_owned()
    }

    /// Returns a text with references, most of which every cluster has.
    fn text(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.sequence.below(3) {
            text.push_str(self.sequence.pick(&["x-", "", " ", "é", "}}"]));
            text.push_str(&self.reference());
        }
        text
    }

    fn reference(&mut self) -> String {
        let value = if self.values.is_empty() {
            "name"
        } else {
            "values.a"
        };
        let rare = self.sequence.one_in(12);
        let reference = match (self.go, rare) {
            (false, false) => self.sequence.pick(&[
                "{{name}}",
                "{{ server }}",
                "{{nameNormalized}}",
                "{{project}}",
                "{{name}}-{{server}}",
            ]),
            (false, true) => {
                let rare = [
                    "{{metadata.labels.env}}",
                    "{{ metadata.annotations.example.com/zone }}",
                    "{{metadata.labels.example.com/team}}",
                    "{{values.b}}",
                    "{{nmae}}",
                    "{{}}",
                    "{{ .name }}",
                    "{{name",
                    "{{values.a}}",
                ];
                self.sequence.pick(&rare)
            }
            (true, false) => self.sequence.pick(&[
                "{{.name}}",
                "{{ .server }}",
                "{{- .name -}}",
                "{{ default \"none\" .project }}",
                "{{ .project | default \"none\" }}",
                "{{ \"{{\" }}",
                "{{/* c */}}",
                "{{ .name | default .server }}",
                "{{ .size | default 3 }}",
            ]),
            (true, true) => self.sequence.pick(&[
                "{{ .metadata.labels.env }}",
                "{{ index .metadata.annotations \"example.com/zone\" }}",
                "{{ default \"none\" .metadata.labels.tier }}",
                "{{ index .metadata.labels \"example.com/team\" | default \"none\" }}",
                "{{ .values.b }}",
                "{{ .nmae }}",
                "{{ .size }}",
                "{{ index .tags 0 }}",
                "{{ index .tags 1 \"y\" }}",
                "{{ index .tags 7 }}",
                "{{ .metadata.labels }}",
                "{{ .name.first }}",
                "{{ upper .name }}",
                "{{ if .name }}x{{ end }}",
                "{{ .name",
                "{{ index .values \"a\" }}",
                "{{ true }}{{ `raw` }}{{ -3 }}",
            ]),
        };
        if !self.sequence.one_in(6) {
            reference.to_owned()
        } else if self.go {
            format!("{{{{ .{value} }}}}")
        } else {
            format!("{{{{{value}}}}}")
        }
    }
}

#[derive(Clone, Copy)]
enum Scalar {
    Number(u32),
    Bool,
    Null,
}

const fn json_number(number: u32) -> Scalar {
    Scalar::Number(number)
}

impl Scalar {
    fn value(self) -> Value {
        match self {
            Self::Number(number) => json!(number),
            Self::Bool => json!(true),
            Self::Null => Value::Null,
        }
    }
}
