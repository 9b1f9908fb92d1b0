//! Selectors, with a predicate for each.

use serde_json::{Map, Value as Json, json};

use crate::choices::Choices;

/// A pattern in a Binding, and which strings it matches.
type Pattern = (&'static str, fn(&str) -> bool);
/// A label selector, and which labels it matches.
type Labels = (&'static str, fn(&dyn Fn(&str) -> Option<String>) -> bool);

const NAMES: &[Pattern] = &[
    ("web", |name| name == "web"),
    ("web.*", |name| name.starts_with("web")),
    (".*b", |name| name.ends_with('b')),
    // The dot is its only special character.
    ("a.b", |name| name == "a.b"),
    ("a-b|x[0-9]+", |name| name == "a-b" || name == "x1"),
    ("^web$", |name| name == "web"),
    ("none", |name| name == "none"),
    ("web-proxy", |name| name == "web-proxy"),
    ("my-web", |name| name == "my-web"),
    ("api", |name| name == "api"),
    ("a-b", |name| name == "a-b"),
    ("x1", |name| name == "x1"),
];

const KINDS: &[Pattern] = &[
    ("Widget", |kind| kind == "Widget"),
    ("Widget|Gadget", |kind| kind == "Widget" || kind == "Gadget"),
    ("ConfigMap", |kind| kind == "ConfigMap"),
    (".*get", |kind| kind.ends_with("get")),
    ("get", |_| false),
];

const GROUPS: &[Pattern] = &[
    ("example.com", |group| group == "example.com"),
    (".*[.](com|io)", |group| {
        group.ends_with(".com") || group.ends_with(".io")
    }),
    ("other.*", |group| group.starts_with("other")),
];

const VERSIONS: &[Pattern] = &[
    ("v1", |version| version == "v1"),
    ("v1.*", |version| version.starts_with("v1")),
    ("v1beta1", |version| version == "v1beta1"),
];

const NAMESPACES: &[Pattern] = &[
    // No namespace counts as `default`.
    ("default", |namespace| {
        namespace == "default" || namespace.is_empty()
    }),
    ("prod", |namespace| namespace == "prod"),
    ("default|prod", |_| true),
    (".*", |_| true),
    ("prod.+", |_| false),
];

const LABELS: &[Labels] = &[
    ("app=web", |label| label("app").as_deref() == Some("web")),
    ("app in (web, api)", |label| {
        matches!(label("app").as_deref(), Some("web" | "api"))
    }),
    ("app notin (api)", |label| {
        label("app").as_deref() != Some("api")
    }),
    ("!app", |label| label("app").is_none()),
    ("tier", |label| label("tier").is_some()),
    ("app!=web,tier=db", |label| {
        label("app").as_deref() != Some("web") && label("tier").as_deref() == Some("db")
    }),
    ("tier in (db),!old", |label| {
        label("tier").as_deref() == Some("db") && label("old").is_none()
    }),
];

/// The selector of a target.
#[derive(Clone, Debug, Default)]
pub(super) struct Selector {
    texts: Vec<(&'static str, Pattern)>,
    labels: Vec<(&'static str, usize)>,
}

impl Selector {
    /// Generates a selector that usually matches this resource.
    pub(super) fn generate(choices: &mut Choices<'_>, selected: &Json) -> Self {
        let mut selector = Self::default();
        for (key, value, patterns) in [
            ("kind", &selected["kind"], KINDS),
            ("name", &selected["metadata"]["name"], NAMES),
        ] {
            let exact = patterns.iter().find(|row| value == row.0);
            match (exact, choices.below(8)) {
                (Some(exact), 0..=5) => selector.texts.push((key, *exact)),
                (_, 6) => selector.texts.push((key, choices.pick(patterns))),
                _ => {}
            }
        }
        selector.more(choices);
        selector
    }

    /// Generates a selector unrelated to any resource.
    pub(super) fn reject(choices: &mut Choices<'_>) -> Self {
        let mut selector = Self::default();
        if choices.one_in(2) {
            selector.texts.push(("name", choices.pick(NAMES)));
        }
        selector.more(choices);
        selector
    }

    fn more(&mut self, choices: &mut Choices<'_>) {
        for (key, patterns) in [
            ("group", GROUPS),
            ("version", VERSIONS),
            ("namespace", NAMESPACES),
        ] {
            if choices.one_in(10) {
                self.texts.push((key, choices.pick(patterns)));
            }
        }
        for key in ["labelSelector", "annotationSelector"] {
            if choices.one_in(10) {
                self.labels.push((key, choices.below(LABELS.len())));
            }
        }
        if self.texts.is_empty() && self.labels.is_empty() {
            self.texts.push(("kind", choices.pick(KINDS)));
        }
    }

    pub(super) fn written(&self) -> Json {
        let texts = self.texts.iter().map(|(key, pattern)| (*key, pattern.0));
        let labels = self.labels.iter().map(|(key, at)| (*key, LABELS[*at].0));
        let all = texts.chain(labels);
        all.map(|(key, text)| (key.to_owned(), json!(text)))
            .collect::<Map<_, _>>()
            .into()
    }

    pub(super) fn takes(&self, resource: &Json) -> bool {
        let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
        let api_version = text(&resource["apiVersion"]);
        let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
        let metadata = &resource["metadata"];
        self.texts.iter().all(|(key, (_, takes))| match *key {
            "kind" => takes(&text(&resource["kind"])),
            "group" => takes(group),
            "version" => takes(version),
            key => takes(&text(&metadata[key])),
        }) && self.labels.iter().all(|(key, at)| {
            let map = match *key {
                "labelSelector" => &metadata["labels"],
                _ => &metadata["annotations"],
            };
            LABELS[*at].1(&|key| map.get(key).map(text))
        })
    }
}
