//! Templates: texts in which parameters are replaced. A file for each mode.

mod go;
mod plain;

use crate::contract::expand::clusters::IN_CLUSTER;
use crate::contract::expand::document::{Content, Key, Node};
use crate::contract::expand::parameters::{Parameter, Parameters};
use crate::contract::expand::problems::{Place, Problems};
use crate::report::suggest;

pub(super) use go::MissingKey;
pub(super) use plain::has_tag;

/// How the templates of an ApplicationSet are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// `{{name}}`: fasttemplate.
    Plain,
    /// `{{ .name }}`: Go templates, with `goTemplate: true`.
    Go(MissingKey),
}

/// What happens to a name that no parameter has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// It is an error.
    Missing,
    /// A plain template keeps its tag: a later one may know the name.
    Kept,
}

/// Replaces parameters in templates.
pub(super) struct Renderer<'r, 'd> {
    pub(super) mode: Mode,
    pub(super) parameters: &'r Parameters,
    pub(super) unknown: Unknown,
    pub(super) problems: &'r mut Problems<'d>,
}

impl Renderer<'_, '_> {
    /// Replaces parameters in all strings and keys of a node.
    pub(super) fn node(&mut self, node: &Node) -> Node {
        let content = match &node.content {
            Content::String(text) => Content::String(self.text(node, text).unwrap_or_default()),
            Content::List(items) => {
                Content::List(items.iter().map(|item| self.node(item)).collect())
            }
            Content::Object(entries) => self.object(entries),
            scalar => scalar.clone(),
        };
        Node {
            content,
            id: node.id,
        }
    }

    fn object(&mut self, entries: &[(Key, Node)]) -> Content {
        let mut rendered: Vec<(Key, Node)> = Vec::with_capacity(entries.len());
        let mut has_templates = false;
        // Argo CD drops entries that are null.
        let set = entries
            .iter()
            .filter(|(_, value)| !matches!(value.content, Content::Null));
        for (key, value) in set {
            let value = self.node(value);
            let name = if key.name.contains("{{") {
                has_templates = true;
                self.at(key.id, &key.name).unwrap_or_default()
            } else {
                key.name.clone()
            };
            rendered.push((Key { name, id: key.id }, value));
        }
        if has_templates {
            let mut seen = crate::collections::OrderedSet::new();
            for (key, _) in &rendered {
                if !seen.insert(key.name.clone()) && !self.problems.has_errors() {
                    let message = format!("two keys become `{}`", key.name);
                    self.problems
                        .error(key.id, message, "make them different for every cluster");
                }
            }
        }
        Content::Object(rendered)
    }

    /// Replaces parameters in the text of a node. Returns `None` after reporting a problem.
    pub(super) fn text(&mut self, node: &Node, text: &str) -> Option<String> {
        self.at(node.id, text)
    }

    fn at(&mut self, id: yaml::NodeId, text: &str) -> Option<String> {
        if !self.problems.may_work(id, text.len()) {
            return None;
        }
        if !text.contains("{{") {
            return Some(text.to_owned());
        }
        match self.mode {
            Mode::Plain => self.plain(id, text),
            Mode::Go(missing_key) => self.go(id, text, missing_key),
        }
    }

    /// Reports a parameter that the Application lacks. `shown` is its path without a dot at
    /// the beginning.
    fn missing(&mut self, place: Place<'_>, shown: &str, reason: Option<&str>) {
        let known = names(self.parameters);
        let is_in_cluster = subject_name(self.parameters) == Some(IN_CLUSTER)
            && !self.parameters.contains_key("metadata")
            && !known.iter().any(|name| name.starts_with("metadata."));
        let help = if let Some(reason) = reason {
            reason.to_owned()
        } else if is_in_cluster {
            "Argo CD adds `in-cluster`, without labels and annotations, if no Secret registers \
             `https://kubernetes.default.svc`: select clusters by a label to leave it out"
                .to_owned()
        } else if let Some(near) = suggest::closest(shown, known.iter().map(String::as_str)) {
            format!("did you mean `{near}`?")
        } else {
            let known = suggest::listed(known.iter().map(String::as_str));
            match self.mode {
                Mode::Plain => format!("parameters here: {known}"),
                Mode::Go(MissingKey::Error) => {
                    let (map, key) = shown.rsplit_once('.').unwrap_or(("", shown));
                    format!(
                        "parameters here: {known}; `missingkey=error` fails before a `default` is used: write `index .{map} \"{key}\" | default \"…\"`"
                    )
                }
                Mode::Go(_) => {
                    format!("parameters here: {known}; provide a fallback with `default`")
                }
            }
        };
        let subject = subject(self.parameters);
        self.problems.missing(place, shown, &subject, help);
    }
}

/// Returns the names of all parameters, as plain templates write them.
fn names(parameters: &Parameters) -> Vec<String> {
    let mut names = Vec::new();
    for (key, value) in parameters.iter() {
        push_names(key.clone(), value, &mut names);
    }
    names
}

fn push_names(name: String, value: &Parameter, names: &mut Vec<String>) {
    match value {
        Parameter::Object(object) => {
            for (key, value) in object.entries.iter() {
                push_names(format!("{name}.{key}"), value, names);
            }
        }
        _ => names.push(name),
    }
}

fn subject_name(parameters: &Parameters) -> Option<&str> {
    match parameters.get("name") {
        Some(Parameter::String(name)) => Some(name),
        _ => None,
    }
}

/// Returns what an Application is made for: the name of its cluster, or else its first
/// parameter.
pub(super) fn subject(parameters: &Parameters) -> String {
    let other = || {
        let mut texts = ["cluster", "server", "env", "environment"]
            .iter()
            .filter_map(|key| parameters.get(*key).and_then(Parameter::printed));
        texts.next()
    };
    let first = || {
        let mut texts = parameters.values().filter_map(Parameter::printed);
        texts.next()
    };
    let name = subject_name(parameters).map(str::to_owned);
    name.or_else(other)
        .or_else(first)
        .unwrap_or_else(|| match names(parameters).first() {
            Some(name) => format!("the item with {name}"),
            None => "an item without parameters".to_owned(),
        })
}
