//! Documents full of anchors, aliases and merge keys.

use landfall::{OutputsDocument, Request};
use serde_json::{Value as Json, json};

use crate::choices::Choices;

const SECRET: &str = "zq3cr3t-4711";
const BASE64: &str = "enEzY3IzdC00NzEx";

/// Whether a text has the secret of [`bound`] in it, encoded or not.
pub fn is_secret(text: &str) -> bool {
    text.contains("zq3cr3t") || text.contains(BASE64)
}

/// Returns a request that binds a secret, a price with a `$` and a port.
pub fn bound() -> Request {
    let document = json!({
        "secret": {"value": SECRET, "sensitive": true},
        "price": {"value": "5$"},
        "port": {"value": 80},
        "kind": {"value": "kind"},
        "configmap": {"value": "ConfigMap"},
    });
    Request {
        outputs: vec![OutputsDocument {
            name: "infra".to_owned(),
            path: "infra.json".to_owned(),
            content: document.to_string().into_bytes(),
            ..OutputsDocument::default()
        }],
        ..Request::default()
    }
}

/// The reference that is repeated throughout a document.
const REFERENCES: &[&str] = &[
    "${infra.secret}",
    "${infra.secret | base64}",
    "${infra.price}",
    "${infra.port}",
];

/// One document.
pub(super) struct Case {
    pub(super) text: String,
    /// Whether some of its anchors are defined more than once: YAML readers differ on
    /// these.
    pub(super) redefines: bool,
}

impl Case {
    pub(super) fn generate(choices: &mut Choices<'_>) -> Self {
        let reference = choices.pick(REFERENCES);
        let redefines = choices.below(3) == 0;
        let mut text = Generator {
            choices,
            anchors: 0,
            names: if redefines { 4 } else { usize::MAX },
            resources: 0,
            reference,
        }
        .document();
        if reference == "${infra.port}" {
            text = text.replace("\"${infra.port}\"", "${infra.port}");
        }
        Self { text, redefines }
    }
}

/// Generates a document. Everything is written in flow style, so that any text can be
/// anywhere.
struct Generator<'a, 'c> {
    choices: &'a mut Choices<'c>,
    anchors: usize,
    /// The number of anchor names, which are redefined once all are used.
    names: usize,
    resources: usize,
    /// The reference that is repeated throughout this document.
    reference: &'static str,
}

impl Generator<'_, '_> {
    fn one_in(&mut self, n: usize) -> bool {
        self.choices.below(n) == 0
    }

    /// Returns an anchor or nothing.
    fn anchor(&mut self) -> String {
        if self.one_in(2) {
            let name = self.anchors % self.names;
            self.anchors += 1;
            format!("&a{name} ")
        } else {
            String::new()
        }
    }

    fn alias(&mut self) -> Option<String> {
        let defined = self.anchors.min(self.names);
        (defined > 0).then(|| format!("*a{} ", self.choices.below(defined)))
    }

    fn value(&mut self, depth: usize) -> String {
        match self.choices.below(9) {
            0..=2 => {
                if let Some(alias) = self.alias() {
                    return alias;
                }
            }
            3 if depth > 0 => return format!("{}{}", self.anchor(), self.map(depth - 1)),
            4 if depth > 0 => {
                let (first, second) = (self.value(depth - 1), self.value(depth - 1));
                return format!("{}[{first}, {second}]", self.anchor());
            }
            5 => return format!("{}word", self.anchor()),
            // A secret almost everywhere would make nearly every render fail.
            _ if self.reference.contains("secret") && !self.one_in(5) => {
                return format!("{}word", self.anchor());
            }
            _ => {}
        }
        format!("{}\"{}\"", self.anchor(), self.reference)
    }

    fn map(&mut self, depth: usize) -> String {
        let mut entries: Vec<String> = Vec::new();
        for nth in 0..self.choices.below(3) {
            entries.push(format!("k{nth}: {}", self.value(depth)));
        }
        if self.one_in(3)
            && let Some(alias) = self.alias()
        {
            entries.push(match self.choices.below(3) {
                0 => format!("<<: {alias}"),
                1 => format!("<<: [{alias}, {{m: {}}}]", self.value(0)),
                _ => format!("<<: {{<<: {alias}, n: {}}}", self.value(0)),
            });
        }
        if self.one_in(12)
            && let Some(alias) = self.alias()
        {
            entries.push(format!("{alias}: v"));
        }
        format!("{{{}}}", entries.join(", "))
    }

    fn collection(&mut self) -> String {
        match self.alias().filter(|_| self.choices.below(3) == 0) {
            Some(alias) => alias,
            None => format!("{}{}", self.anchor(), self.map(2)),
        }
    }

    fn resource(&mut self) -> String {
        // Resources have their own anchors: one merged into a field would turn that field
        // into a resource.
        let alias = (self.resources > 0)
            .then(|| format!("*r{} ", self.choices.below(self.resources)))
            .filter(|_| self.one_in(5));
        let merge = match alias {
            Some(alias) if self.one_in(2) => return alias,
            Some(alias) => format!("<<: {alias}, "),
            None => String::new(),
        };
        let mut anchor = String::new();
        if self.one_in(3) {
            anchor = format!("&r{} ", self.resources);
            self.resources += 1;
        }
        let name = self.choices.below(100);
        let metadata = match self.choices.below(8) {
            0 => format!("{{name: n{name}, labels: {}}}", self.collection()),
            1 => format!("{{name: n{name}, annotations: {}}}", self.collection()),
            _ => format!("{{name: n{name}}}"),
        };
        let (kind, field, value) = match self.choices.below(7) {
            0..=2 => ("Secret", "stringData", self.collection()),
            3 => ("ConfigMap", "data", self.collection()),
            4 => ("Secret", "data", self.collection()),
            5 => {
                let (args, port) = (self.value(0), self.value(0));
                let container = match self.alias().filter(|_| self.choices.below(3) == 0) {
                    Some(alias) => format!("{{name: c, <<: {alias}}}"),
                    None => {
                        format!("{{name: c, args: [{args}], ports: [{{containerPort: {port}}}]}}")
                    }
                };
                ("Pod", "spec", format!("{{containers: [{container}]}}"))
            }
            _ => ("ConfigMap", "x", self.collection()),
        };
        format!(
            "{anchor}{{{merge}apiVersion: v1, kind: {kind}, metadata: {metadata}, {field}: {value}}}"
        )
    }

    fn document(&mut self) -> String {
        let list = self.choices.pick(&["List", "List", "List", "SecretList"]);
        let mut text = format!("apiVersion: v1\nkind: {list}\n");
        if self.one_in(3) {
            text.push_str(&format!("x: {}\n", self.collection()));
        }
        text.push_str("items:\n");
        for _ in 0..1 + self.choices.below(5) {
            text.push_str(&format!("- {}\n", self.resource()));
        }
        text
    }
}

/// Returns violations of the `$` rule or of a field's type, in a document with merge keys
/// resolved.
pub fn violations(document: &Json) -> Vec<String> {
    let mut found = Vec::new();
    for item in document["items"].as_array().into_iter().flatten() {
        strings(item, "", &mut |path, text| {
            // In any kind that has a `spec`, since custom resources embed pods.
            let argument = path.strip_prefix(".spec.containers.0.args.");
            let is_expanded = argument.is_some_and(|rest| !rest.contains('.'));
            let is_violation = if is_expanded {
                text.contains('$') && !text.contains("$$")
            } else {
                text.contains("$$")
            };
            if is_violation {
                found.push(format!("{path}: {text}"));
            }
        });
        for map in [
            "/metadata/labels",
            "/metadata/annotations",
            "/data",
            "/stringData",
        ] {
            let of_config = map != "/data" && map != "/stringData"
                || item["kind"] == "ConfigMap" && map == "/data"
                || item["kind"] == "Secret";
            for (key, value) in item
                .pointer(map)
                .and_then(Json::as_object)
                .into_iter()
                .flatten()
            {
                if of_config && value.is_number() {
                    found.push(format!("{map}.{key}: {value}"));
                }
            }
        }
        let port = item.pointer("/spec/containers/0/ports/0/containerPort");
        if item["kind"] == "Pod" && port == Some(&json!("80")) {
            found.push("a containerPort is a string".to_owned());
        }
    }
    found
}

fn strings(value: &Json, path: &str, each: &mut impl FnMut(&str, &str)) {
    match value {
        Json::String(text) => each(path, text),
        Json::Array(items) => {
            for (nth, item) in items.iter().enumerate() {
                strings(item, &format!("{path}.{nth}"), each);
            }
        }
        Json::Object(entries) => {
            for (key, item) in entries {
                strings(item, &format!("{path}.{key}"), each);
            }
        }
        _ => {}
    }
}
