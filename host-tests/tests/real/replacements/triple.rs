//! Generated triples: documents, targets and a value.

use landfall_test_support::seed::Sequence;
use serde_json::{Map, Value, json};

/// The input of both programs.
#[derive(Debug)]
pub(super) struct Triple {
    pub(super) documents: Vec<Value>,
    pub(super) targets: Vec<Target>,
    pub(super) value: String,
}

#[derive(Debug)]
pub(super) struct Target {
    pub(super) select: Map<String, Value>,
    pub(super) reject: Option<Map<String, Value>>,
    pub(super) path: String,
    pub(super) options: Map<String, Value>,
}

impl Target {
    /// Returns the target in the syntax of both programs.
    pub(super) fn written(&self) -> Value {
        let mut written = json!({"select": self.select, "fieldPaths": [self.path]});
        if let Some(reject) = &self.reject {
            written["reject"] = json!([reject]);
        }
        if !self.options.is_empty() {
            written["options"] = json!(self.options);
        }
        written
    }

    pub(super) fn creates(&self) -> bool {
        self.options.contains_key("create")
    }

    pub(super) fn has_delimiter(&self) -> bool {
        self.options.contains_key("delimiter")
    }
}

impl Triple {
    pub(super) fn new(sequence: &mut Sequence) -> Self {
        let count = 1 + sequence.below(3);
        let names = ["web", "web-proxy", "my-web", "api", "a.b", "a-b", "x1"];
        let first = sequence.below(names.len());
        let documents: Vec<Value> = (0..count)
            .map(|nth| document(sequence, names[(first + nth) % names.len()]))
            .collect();
        let count = if sequence.one_in(6) { 2 } else { 1 };
        let targets = (0..count)
            .map(|_| {
                let selected = &documents[sequence.below(documents.len())];
                target(sequence, selected)
            })
            .collect();
        let values = [
            "v", "4", "true", "a:b", "x y", "04", "2.5", "new", "80", "v",
        ];
        Self {
            targets,
            value: sequence.pick(&values).to_owned(),
            documents,
        }
    }
}

fn document(sequence: &mut Sequence, name: &str) -> Value {
    let mut metadata = Map::from_iter([("name".to_owned(), json!(name))]);
    if sequence.one_in(3) {
        let namespace = sequence.pick(&["default", "prod"]);
        metadata.insert("namespace".to_owned(), json!(namespace));
    }
    if !sequence.one_in(3) {
        let labels = json!({"app": sequence.pick(&["web", "api"]), "tier": "db"});
        metadata.insert("labels".to_owned(), labels);
    }
    if sequence.one_in(3) {
        let annotations =
            json!({"example.com/note": "x", "config": "{\"port\": 80, \"host\": \"h\"}"});
        metadata.insert("annotations".to_owned(), annotations);
    }
    match sequence.below(4) {
        0 => {
            let data =
                json!({"a": "x:y:z", "config.yaml": structure(sequence), "note": "some words"});
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
        }
        1 => {
            json!({"apiVersion": "other.io/v1beta1", "kind": "Gadget", "metadata": metadata, "spec": map(sequence, 2)})
        }
        _ => {
            json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": metadata, "spec": map(sequence, 2)})
        }
    }
}

fn map(sequence: &mut Sequence, depth: usize) -> Value {
    let mut map = Map::new();
    for _ in 0..1 + sequence.below(5) {
        let (key, value) = match sequence.below(if depth > 0 { 12 } else { 8 }) {
            0 => ("text", json!(sequence.pick(&["abc", "x:y:z", "10", "a-b"]))),
            1 => (
                "lines",
                json!(sequence.pick(&["one:two\nthree", "one:two\nthree\n"])),
            ),
            2 => ("port", json!(80 + sequence.below(9))),
            3 => ("on", json!(sequence.one_in(2))),
            4 => ("ratio", json!(0.5)),
            5 if sequence.one_in(2) => ("none", Value::Null),
            5 => ("empty", json!({})),
            6 | 7 => ("config", json!(structure(sequence))),
            8 => (
                "list",
                Value::Array([json!("a"), json!("b:c"), json!(3)][..sequence.below(4)].to_vec()),
            ),
            9 => ("items", items(sequence)),
            10 => ("a.b/c", json!("dotted")),
            _ => ("map", self::map(sequence, depth - 1)),
        };
        map.insert(key.to_owned(), value);
    }
    Value::Object(map)
}

fn items(sequence: &mut Sequence) -> Value {
    let names = ["web", "web-proxy", "job", "a.b"];
    let count = sequence.below(4);
    let items = (0..count).map(|nth| {
        let mut item = json!({"name": names[nth], "image": "shop:1.0"});
        if sequence.one_in(2) {
            item["args"] = json!(["--tag", "TAG"]);
        }
        item
    });
    items.collect()
}

/// Returns YAML or JSON to embed in a string.
fn structure(sequence: &mut Sequence) -> String {
    let texts = [
        "host: h # note\nport: 80\nitems:\n- name: web\n  image: shop:1.0\n- name: web-proxy\n  image: x\n",
        "{\"zone\": \"z\", \"host\": \"h\", \"on\": true, \"items\": [{\"name\": \"web\", \"image\": \"i:1\"}]}",
        "{\n  \"host\": \"h\",\n  \"port\": 80\n}\n",
        "host: h\n---\nhost: second\n",
        "just words",
        "- a\n- b\n",
    ];
    let text = sequence.pick(&texts);
    if sequence.one_in(4) {
        text.to_owned()
    } else {
        text.trim_end().to_owned()
    }
}

fn target(sequence: &mut Sequence, selected: &Value) -> Target {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut select = Map::new();
    let kind = text(&selected["kind"]);
    let name = text(&selected["metadata"]["name"]);
    match sequence.below(6) {
        0 => {}
        1 => drop(select.insert("kind".into(), json!("Widget|Gadget"))),
        _ => drop(select.insert("kind".into(), json!(kind))),
    }
    match sequence.below(6) {
        0 => drop(select.insert(
            "name".into(),
            json!(sequence.pick(&["web.*", "web", ".*b", "a.b", "^web$", "none"])),
        )),
        1..=3 => drop(select.insert("name".into(), json!(name))),
        _ => {}
    }
    if sequence.one_in(6) {
        let namespace = sequence.pick(&["default", "prod", ".*", "default|prod"]);
        select.insert("namespace".into(), json!(namespace));
    }
    if sequence.one_in(8) {
        let version = sequence.pick(&["v1", "v1.*", "v1beta1"]);
        select.insert("version".into(), json!(version));
    }
    if sequence.one_in(5) {
        let labels = [
            "app=web",
            "app in (web,api)",
            "app notin (api)",
            "!app",
            "tier",
            "app!=web,tier==db",
        ];
        select.insert("labelSelector".into(), json!(sequence.pick(&labels)));
    }
    if select.is_empty() {
        select.insert("kind".into(), json!(kind));
    }
    let reject = sequence.one_in(6).then(|| match sequence.below(4) {
        0 => Map::from_iter([("name".into(), json!("web-.*"))]),
        1 => Map::from_iter([("labelSelector".into(), json!("app=api"))]),
        2 => Map::from_iter([
            ("kind".into(), json!("Gadget")),
            ("labelSelector".into(), json!("app=web")),
        ]),
        _ => Map::from_iter([("namespace".into(), json!("default"))]),
    });
    let mut options = Map::new();
    match sequence.below(8) {
        0 | 1 => drop(options.insert("create".into(), json!(true))),
        2 => {
            options.insert("delimiter".into(), json!(":"));
            options.insert(
                "index".into(),
                json!(i64::try_from(sequence.below(5)).unwrap() - 1),
            );
        }
        _ => {}
    }
    let path = path(sequence, selected, options.contains_key("create"));
    Target {
        select,
        reject,
        path,
        options,
    }
}

/// Returns a path through existing fields, sometimes continued by missing ones.
fn path(sequence: &mut Sequence, selected: &Value, creates: bool) -> String {
    let mut steps = vec![match sequence.below(8) {
        0 => "metadata".to_owned(),
        _ if selected.get("data").is_some() => "data".to_owned(),
        _ => "spec".to_owned(),
    }];
    let mut at = selected[&steps[0]].clone();
    for _ in 0..6 {
        let parsed = match &at {
            Value::String(text) if text.contains([':', '{', '-']) && sequence.one_in(2) => {
                serde_yaml::from_str::<Value>(text).ok()
            }
            _ => None,
        };
        at = parsed.unwrap_or(at);
        let (step, next) = match &at {
            Value::Object(map) if !map.is_empty() => {
                let nth = sequence.below(map.len());
                let (key, value) = map.iter().nth(nth).unwrap();
                let step = match (key.contains('.'), sequence.one_in(2)) {
                    (false, _) => key.clone(),
                    (true, false) => format!("[{key}]"),
                    (true, true) => key.replace('.', "\\."),
                };
                match sequence.below(24) {
                    0 => ("*".to_owned(), value.clone()),
                    _ => (step, value.clone()),
                }
            }
            Value::Array(list) if !list.is_empty() => {
                let nth = sequence.below(list.len());
                let item = list[nth].clone();
                let step = match (&item, sequence.below(8)) {
                    (_, 0) => "*".to_owned(),
                    (Value::Object(item), 1..=4) => {
                        let name = item.get("name").and_then(Value::as_str).unwrap_or("web");
                        format!("[name={name}]")
                    }
                    (Value::Object(_), 5) => "[name=web.*]".to_owned(),
                    (Value::String(text), 1) => format!("[={text}]"),
                    _ => nth.to_string(),
                };
                (step, item)
            }
            _ => break,
        };
        if step == "name" && steps == ["metadata"] || step == "namespace" {
            continue;
        }
        steps.push(step);
        at = next;
        if sequence.one_in(8) {
            break;
        }
    }
    let more: &[&[&str]] = if creates {
        &[
            &["new"],
            &["new", "deep"],
            &["0"],
            &["new", "0"],
            &["new", "1"],
            &["3"],
            &["[name=new]", "x"],
            &["new", "[name=new]", "x"],
            &["[=new]"],
        ]
    } else {
        &[&["none"], &["9"], &["*"], &["[name=none]"]]
    };
    let goes_on = if creates {
        !sequence.one_in(3)
    } else {
        sequence.one_in(8)
    };
    if goes_on || steps.len() == 1 {
        let more = more[sequence.below(more.len())];
        steps.extend(more.iter().map(|step| (*step).to_owned()));
    }
    steps.join(".")
}
