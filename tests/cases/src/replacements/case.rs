//! Generated documents, targets and a value.

use serde_json::{Map, Value as Json, json};

use super::select::Selector;
use crate::choices::Choices;

/// One step of a field path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
    /// `[name=web]`
    Item(&'static str),
    /// `[=text]`
    Text(String),
    Any,
    Append,
}

#[derive(Debug)]
pub(super) struct Target {
    pub(super) select: Selector,
    pub(super) reject: Option<Selector>,
    pub(super) path: Vec<Step>,
    pub(super) create: bool,
    /// With the index of the part.
    pub(super) delimiter: Option<(&'static str, i64)>,
}

#[derive(Debug)]
pub(super) struct Case {
    pub(super) documents: Vec<Json>,
    pub(super) targets: Vec<Target>,
    pub(super) value: &'static str,
    /// How the documents are formatted.
    pub(super) style: usize,
}

fn structure(choices: &mut Choices<'_>) -> &'static str {
    choices.pick(&[
        "host: h # note\nport: 80\nitems:\n- name: web\n  image: shop:1.0\n- name: web-proxy\n  image: x\n",
        "{\"zone\": \"z\", \"host\": \"h\", \"on\": true, \"items\": [{\"name\": \"web\", \"image\": \"i:1\"}]}",
        "{\n  \"host\": \"h\",\n  \"port\": 80\n}\n",
        "host: h\n---\nhost: second\n",
        "just words",
        "- a\n- b: c\n- 3",
        "inner: |\n  deep: x:y\n",
    ])
}

fn scalar(choices: &mut Choices<'_>) -> Json {
    match choices.below(8) {
        0 => json!(80 + choices.below(9)),
        1 => json!(choices.one_in(2)),
        2 => json!(0.5),
        3 => Json::Null,
        4 => json!(structure(choices)),
        _ => json!(choices.pick(&["abc", "x:y:z", "10", "a-b", "x-", "0b1"])),
    }
}

fn map(choices: &mut Choices<'_>, depth: usize) -> Json {
    let mut map = Map::new();
    for key in ["text", "port", "a.b/c", "list", "items", "map", "7"] {
        let value = match key {
            _ if choices.one_in(3) => continue,
            "list" => {
                let count = choices.below(4);
                (0..count).map(|_| scalar(choices)).collect()
            }
            "items" => {
                let names = ["web", "web-proxy", "job", "a.b"];
                let count = choices.below(names.len());
                let items = names[..count].iter().map(
                    |name| json!({"name": name, "image": "shop:1.0", "args": ["--tag", "TAG"]}),
                );
                items.collect()
            }
            "map" if depth > 0 => self::map(choices, depth - 1),
            _ => scalar(choices),
        };
        map.insert(key.to_owned(), value);
    }
    Json::Object(map)
}

fn document(choices: &mut Choices<'_>, name: &str) -> Json {
    let mut metadata = json!({"name": name});
    if choices.one_in(3) {
        metadata["namespace"] = json!(choices.pick(&["default", "prod"]));
    }
    for key in ["labels", "annotations"] {
        if !choices.one_in(3) {
            let app = choices.pick(&["web", "api", "db:x"]);
            metadata[key] = json!({"app": app, "tier": "db"});
        }
    }
    if choices.one_in(3) {
        metadata["annotations"] = json!({"config": "{\"port\": 80, \"host\": \"h\"}"});
    }
    let (api_version, kind) = choices.pick(&[
        ("example.com/v1", "Widget"),
        ("other.io/v1beta1", "Gadget"),
        ("v1", "ConfigMap"),
    ]);
    match kind {
        "ConfigMap" => {
            let data = json!({"a": "x:y:z", "config.yaml": structure(choices), "note": "words"});
            json!({"apiVersion": api_version, "kind": kind, "metadata": metadata, "data": data})
        }
        _ => {
            let spec = map(choices, 2);
            json!({"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec})
        }
    }
}

/// Returns a path through existing fields, sometimes continued by missing ones.
fn path(choices: &mut Choices<'_>, selected: &Json, create: bool) -> Vec<Step> {
    let key = |key: &str| Step::Key(key.to_owned());
    let mut path = match choices.below(6) {
        0 => vec![
            key("metadata"),
            key(choices.pick(&["labels", "annotations"])),
        ],
        _ if selected.get("data").is_some() => vec![key("data")],
        _ => vec![key("spec")],
    };
    let mut at = selected.clone();
    for step in &path {
        if let Step::Key(key) = step {
            at = at[key.as_str()].clone();
        }
    }
    while !choices.one_in(7) && path.len() < 9 {
        if let Json::String(text) = &at
            && let Ok(inner) = serde_yaml::from_str::<Json>(text)
        {
            at = inner;
        }
        let (step, next) = match &at {
            Json::Object(entries) if !entries.is_empty() => {
                let nth = choices.below(entries.len());
                let Some((name, value)) = entries.iter().nth(nth) else {
                    break;
                };
                let step = if choices.one_in(16) {
                    Step::Any
                } else {
                    match name.parse() {
                        Ok(index) => Step::Index(index),
                        Err(_) => Step::Key(name.clone()),
                    }
                };
                (step, value.clone())
            }
            Json::Array(items) if !items.is_empty() => {
                let nth = choices.below(items.len());
                let step = match (&items[nth], choices.below(6)) {
                    (_, 0) => Step::Any,
                    (Json::Object(_), 1..=3) => Step::Item(choices.pick(&["web", "web.*", "job"])),
                    (Json::String(text), 1) if !text.contains(['\n', '{']) => {
                        Step::Text(text.clone())
                    }
                    _ => Step::Index(nth),
                };
                (step, items[nth].clone())
            }
            _ => break,
        };
        path.push(step);
        at = next;
    }
    let goes_on = if create {
        !choices.one_in(3)
    } else {
        choices.one_in(10)
    };
    if goes_on {
        let more: &[&[Step]] = if create {
            &[
                &[key("new")],
                &[key("new"), key("deep")],
                &[Step::Index(0)],
                &[key("new"), Step::Index(0)],
                &[key("new"), Step::Index(1)],
                &[Step::Index(3)],
                &[Step::Item("new"), key("x")],
                &[key("new"), Step::Item("new"), key("x")],
                &[Step::Append],
                &[key("new"), Step::Append, key("y")],
            ]
        } else {
            &[
                &[key("none")],
                &[Step::Index(9)],
                &[Step::Any],
                &[Step::Item("none")],
                &[Step::Text("none".to_owned())],
            ]
        };
        path.extend_from_slice(more[choices.below(more.len())]);
    }
    path
}

impl Target {
    fn generate(choices: &mut Choices<'_>, selected: &Json) -> Self {
        let create = choices.below(4) == 1;
        let delimiter = (!create && choices.one_in(4)).then(|| {
            let index = i64::try_from(choices.below(6)).unwrap_or_default() - 1;
            (choices.pick(&[":", "-", "::"]), index)
        });
        Self {
            select: Selector::generate(choices, selected),
            reject: choices.one_in(7).then(|| Selector::reject(choices)),
            path: path(choices, selected, create),
            create,
            delimiter,
        }
    }

    /// Returns the target as a Binding has it.
    pub(super) fn written(&self) -> Json {
        let steps = self.path.iter().map(|step| match step {
            Step::Key(key) if key.contains('.') => format!("[{key}]"),
            Step::Key(key) => key.clone(),
            Step::Index(index) => index.to_string(),
            Step::Item(name) => format!("[name={name}]"),
            Step::Text(text) => format!("[=\"{text}\"]"),
            Step::Any => "*".to_owned(),
            Step::Append => "-".to_owned(),
        });
        let path = steps.collect::<Vec<_>>().join(".");
        let mut options = json!({});
        if self.create {
            options["create"] = json!(true);
        }
        if let Some((delimiter, index)) = self.delimiter {
            options["delimiter"] = json!(delimiter);
            options["index"] = json!(index);
        }
        let mut target =
            json!({"select": self.select.written(), "fieldPaths": [path], "options": options});
        if let Some(reject) = &self.reject {
            target["reject"] = json!([reject.written()]);
        }
        target
    }

    pub(super) fn selects(&self, document: &Json) -> bool {
        let is_rejected = self.reject.as_ref().is_some_and(|it| it.takes(document));
        self.select.takes(document) && !is_rejected
    }
}

impl Case {
    pub(super) fn generate(choices: &mut Choices<'_>) -> Self {
        let names = ["web", "web-proxy", "my-web", "api", "a.b", "a-b", "x1"];
        let first = choices.below(names.len());
        let count = 1 + choices.below(3);
        let documents: Vec<_> = (0..count)
            .map(|nth| document(choices, names[(first + nth) % names.len()]))
            .collect();
        let targets = (0..1 + usize::from(choices.one_in(5)))
            .map(|_| {
                let selected = choices.below(documents.len());
                Target::generate(choices, &documents[selected])
            })
            .collect();
        Self {
            targets,
            value: choices.pick(&[
                "v", "4", "true", "a:b", "x y", "04", "2.5", "-7", "1e3", "null",
            ]),
            style: choices.below(3),
            documents,
        }
    }

    /// Returns the documents as a stream.
    pub(super) fn manifest(&self) -> String {
        let written = self.documents.iter().map(|document| {
            let text = match self.style {
                0 => serde_yaml::to_string(document).unwrap_or_default(),
                1 => format!("{document}\n"),
                _ => format!("{document:#}\n"),
            };
            format!("---\n{text}")
        });
        written.collect()
    }
}
