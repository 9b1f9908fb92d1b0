//! Compares what a tool has built with the old and with the new outputs: by resource and field.
//!
//! Which output is in a field is not known, because a tool can do anything with a value. A
//! changed field is attributed to the outputs that change and whose values are in it, or else to
//! all that change.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use landfall_comparison::SENSITIVE;
use landfall_sandbox::types::File;
use yaml::{Kind, NodeId, Style, Tree, is_number, locate, split};

use crate::draw::Positions;
use crate::rendered::BuiltTwice;

use super::super::finding::Resource;
use super::super::substitutions::{Report, Reported};
use super::{Change, Value};

/// The characters of the hash that kustomize appends to names (api/hasher, kustomize 5.8.1).
const HASH_CHARACTERS: &str = "bcdfghkmt2456789";
const HASH_LENGTH: usize = 10;

/// Returns the changed fields. `may_nest`: whether a sensitive value may be in a Secret inside
/// any other resource. `may_be_sensitive` returns whether an output may be sensitive in the old or
/// in the new outputs.
pub(super) fn compare(
    built: &BuiltTwice,
    [old_report, new_report]: [&Report; 2],
    may_nest: bool,
    may_be_sensitive: &dyn Fn(&str) -> bool,
) -> Vec<Change> {
    let [old, new] = [&built.old, &built.new].map(|files| resources(files));
    let unwritten = new_report.substitutions.iter().filter(|one| one.unwritten);
    let mut unknown: BTreeSet<&str> = unwritten.map(|one| one.reference.as_str()).collect();
    let has_unknown = |one: &&BuiltResource| {
        let mut texts = one
            .paths
            .iter()
            .filter_map(|path| Some(one.field(path)?.text));
        one.has_hash() && texts.any(|text| unknown.iter().any(|it| text.contains(it)))
    };
    let names: Vec<&BuiltResource> = new.iter().filter(has_unknown).collect();
    unknown.extend(names.iter().map(|one| one.resource.name.as_str()));
    let comparison = Comparison {
        path: &built.path,
        outputs: changed_outputs(old_report, new_report),
        unknown,
        hidden: (old.iter().chain(&new))
            .filter(|one| one.is_secret() && one.has_hash())
            .map(|one| one.resource.name.as_str())
            .collect(),
        hides_all: [(old_report, &old), (new_report, &new)]
            .iter()
            .any(|(report, built)| {
                report.substitutions.iter().any(|one| {
                    if one.sensitive {
                        may_nest || !is_in_secret(one, built)
                    } else {
                        // It can be sensitive on the other side only, and anywhere.
                        may_be_sensitive(&one.output)
                    }
                })
            }),
    };
    let mut changes = Vec::new();
    for (old, new) in paired(&old, &new) {
        comparison.resource(old, new, &mut changes);
    }
    changes
}

/// Returns whether a value is in a Secret that was built, and not in another resource: in one of
/// a kind that the policy allows, or in one with a Secret in it.
fn is_in_secret(one: &Reported, built: &[BuiltResource]) -> bool {
    let resource = one.resource.as_ref();
    let Some(resource) = resource.filter(|it| it.kind == "Secret" && !it.name.is_empty()) else {
        return false;
    };
    let mut secrets = built.iter().filter(|it| it.is_secret());
    secrets.any(|secret| secret.resource.name.contains(&resource.name))
}

/// A field that is no collection with members.
struct Field<'t> {
    text: &'t str,
    value_type: &'static str,
    /// The offset of its first byte in the document.
    start: usize,
}

struct BuiltResource {
    resource: Resource,
    tree: Tree,
    /// The paths of fields, in the order of the document.
    paths: Vec<String>,
    fields: BTreeMap<String, NodeId>,
    /// The first line of the document, from 0.
    line: usize,
    /// Whether it is a Secret, or has one in it.
    holds_secret: bool,
}

impl BuiltResource {
    fn is_secret(&self) -> bool {
        self.resource.kind == "Secret"
    }

    fn has_hash(&self) -> bool {
        self.stem() != self.resource.name
    }

    /// Returns the name without the hash that kustomize appends.
    fn stem(&self) -> &str {
        let name = &*self.resource.name;
        match name.rsplit_once('-') {
            Some((stem, hash))
                if hash.len() == HASH_LENGTH
                    && hash.chars().all(|char| HASH_CHARACTERS.contains(char)) =>
            {
                stem
            }
            _ => name,
        }
    }

    fn field(&self, path: &str) -> Option<Field<'_>> {
        let id = self.fields.get(path)?;
        let node = self.tree.get(*id)?;
        let (text, value_type) = match node.kind() {
            Kind::Sequence { .. } => ("[]", "list"),
            Kind::Mapping { .. } => ("{}", "object"),
            Kind::Alias(_) => (self.tree.source().get(node.extent())?, "string"),
            Kind::Scalar { style, .. } => {
                let text = self.tree.text(*id).unwrap_or_default();
                let value_type = match text {
                    _ if style != Style::Plain => "string",
                    "true" | "false" => "bool",
                    "" | "null" | "~" => "null",
                    _ if is_number(text) => "number",
                    _ => "string",
                };
                (text, value_type)
            }
        };
        let start = node.extent().start;
        Some(Field {
            text,
            value_type,
            start,
        })
    }
}

/// Returns the resources of built files. A document that is not YAML is none.
fn resources(files: &[File]) -> Vec<BuiltResource> {
    let mut resources = Vec::new();
    for file in files {
        let text = String::from_utf8_lossy(&file.content);
        let (mut line, mut counted) = (0, 0);
        for document in split(&text).iter() {
            line += text[counted..document.offset].matches('\n').count();
            counted = document.offset;
            let Ok(tree) = locate(document.text.to_owned()) else {
                continue;
            };
            if tree.get(0).is_none() {
                continue;
            }
            let mut all = Vec::new();
            add_fields(&tree, 0, "", &mut all);
            let paths = all.iter().map(|(path, _)| path.clone()).collect();
            let fields: BTreeMap<String, NodeId> = all.into_iter().collect();
            let text_of = |path: &str| {
                let text = fields.get(path).and_then(|id| tree.text(*id));
                text.unwrap_or_default().to_owned()
            };
            let resource = Resource {
                api_version: text_of("apiVersion"),
                kind: text_of("kind"),
                name: text_of("metadata.name"),
                namespace: text_of("metadata.namespace"),
            };
            resources.push(BuiltResource {
                holds_secret: resource.kind == "Secret" || has_secret(&tree),
                resource,
                line,
                paths,
                fields,
                tree,
            });
        }
    }
    resources
}

/// Returns whether a mapping at any depth is a Secret with data, or a list of Secrets. Another one
/// with that kind only refers to a Secret.
fn has_secret(tree: &Tree) -> bool {
    let text = |id| tree.text(tree.target(id)).unwrap_or_default();
    tree.ids().any(|id| {
        let is_kind =
            |(key, value)| text(key) == "kind" && matches!(text(value), "Secret" | "SecretList");
        let is_data = |(key, _)| matches!(text(key), "data" | "stringData" | "items" | "<<");
        tree.entries(id).any(is_kind) && tree.entries(id).any(is_data)
    })
}

fn add_fields(tree: &Tree, id: NodeId, path: &str, fields: &mut Vec<(String, NodeId)>) {
    let Some(node) = tree.get(id) else { return };
    let before = fields.len();
    match node.kind() {
        Kind::Mapping { .. } => {
            for (key, value) in tree.entries(id) {
                let key = tree.text(key).unwrap_or_default();
                let is_plain =
                    |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
                let path = match path {
                    "" => key.to_owned(),
                    _ if key.bytes().all(is_plain) => format!("{path}.{key}"),
                    _ => format!("{path}[{}]", serde_json::Value::from(key)),
                };
                add_fields(tree, value, &path, fields);
            }
        }
        Kind::Sequence { .. } => {
            for (nth, item) in tree.members(id).enumerate() {
                add_fields(tree, item, &format!("{path}[{nth}]"), fields);
            }
        }
        // They are not followed: a document can repeat itself endlessly.
        Kind::Alias(_) | Kind::Scalar { .. } => {}
    }
    if fields.len() == before {
        fields.push((path.to_owned(), id));
    }
}

/// Returns the same resources of both sides, in the order of the new ones; those that are gone
/// come last. Names may differ in the hash that kustomize appends.
fn paired<'r>(
    old: &'r [BuiltResource],
    new: &'r [BuiltResource],
) -> Vec<(Option<&'r BuiltResource>, Option<&'r BuiltResource>)> {
    let id = |one: &'r BuiltResource| {
        let Resource {
            kind, namespace, ..
        } = &one.resource;
        (kind, namespace, one.stem())
    };
    let mut left: BTreeMap<_, Vec<&BuiltResource>> = BTreeMap::new();
    for one in old.iter().rev() {
        left.entry(id(one)).or_default().push(one);
    }
    let mut pairs = Vec::new();
    for one in new {
        let same = left.get_mut(&id(one)).and_then(Vec::pop);
        pairs.push((same, Some(one)));
    }
    let gone = left.into_values().flatten();
    pairs.extend(gone.map(|one| (Some(one), None)));
    pairs
}

/// An output that changes, or may: the values of a sensitive one are not known.
#[derive(Default)]
struct ChangedOutput<'r> {
    old: BTreeSet<&'r str>,
    new: BTreeSet<&'r str>,
    is_sensitive: bool,
    /// The Secrets with the entries in which it is used.
    entries: BTreeSet<(&'r str, &'r str)>,
}

impl ChangedOutput<'_> {
    /// Returns whether it may be in a field of a Secret that is built from one of these.
    fn is_in_secret(&self, name: &str, path: &str) -> bool {
        let is_entry = |field: &str| path.starts_with("metadata.") || entry(field) == entry(path);
        let mut entries = self.entries.iter();
        entries.any(|(secret, field)| name.contains(secret) && is_entry(field))
    }
}

/// Returns the path of an entry of a Secret, which is in `data` when it is built.
fn entry(path: &str) -> &str {
    let path = path.strip_prefix("stringData").unwrap_or(path);
    path.strip_prefix("data").unwrap_or(path)
}

fn changed_outputs<'r>(old: &'r Report, new: &'r Report) -> BTreeMap<&'r str, ChangedOutput<'r>> {
    let mut outputs: BTreeMap<&str, ChangedOutput<'_>> = BTreeMap::new();
    for (report, is_new) in [(old, false), (new, true)] {
        for one in &report.substitutions {
            let output = outputs.entry(&one.output).or_default();
            let values = if is_new {
                &mut output.new
            } else {
                &mut output.old
            };
            values.insert(if one.unwritten {
                &one.reference
            } else {
                &one.value
            });
            output.is_sensitive |= one.sensitive;
            let secret = one.resource.as_ref().filter(|it| it.kind == "Secret");
            (output.entries).extend(secret.map(|it| (&*it.name, &*one.field)));
        }
    }
    outputs.retain(|_, output| output.is_sensitive || output.old != output.new);
    outputs
}

struct Comparison<'r> {
    path: &'r str,
    outputs: BTreeMap<&'r str, ChangedOutput<'r>>,
    /// The references that are not replaced, because their values are unknown, and the names
    /// that have hashes of them.
    unknown: BTreeSet<&'r str>,
    /// The names of Secrets that have hashes of sensitive values.
    hidden: BTreeSet<&'r str>,
    hides_all: bool,
}

impl Comparison<'_> {
    /// Adds the changes of a resource, at least one side of which exists.
    fn resource(
        &self,
        old: Option<&BuiltResource>,
        new: Option<&BuiltResource>,
        changes: &mut Vec<Change>,
    ) {
        let Some(one) = new.or(old) else { return };
        let sides = [old, new];
        let is_hidden = self.hides_all || sides.into_iter().flatten().any(|side| side.holds_secret);
        let sources = sides.map(|side| side.map_or("", |side| side.tree.source()));
        let positions =
            sources.map(|source| LazyCell::new(move || Positions::new(source.as_bytes())));
        let [of_old, of_new] = sides.map(|side| side.map_or(&[][..], |side| &side.paths));
        let is_new = |path: &&String| new.is_some_and(|new| new.fields.contains_key(*path));
        let gone = of_old.iter().filter(|path| !is_new(path));
        for path in of_new.iter().chain(gone) {
            let [from, to] = sides.map(|side| side.and_then(|side| side.field(path)));
            let (nth, start) = match (&from, &to) {
                (Some(from), Some(to))
                    if (from.text, from.value_type) == (to.text, to.value_type) =>
                {
                    continue;
                }
                (_, Some(to)) => (1, to.start),
                (Some(from), None) => (0, from.start),
                (None, None) => continue,
            };
            let position = positions[nth].at(start);
            let mut change = self.change(one, is_hidden, path, [from.as_ref(), to.as_ref()]);
            change.line = position.line + sides[nth].map_or(0, |side| side.line);
            change.column = position.column;
            changes.push(change);
        }
    }

    /// Returns the change of a field. `is_hidden`: whether no text of the resource may be shown.
    fn change(
        &self,
        one: &BuiltResource,
        is_hidden: bool,
        path: &str,
        [from, to]: [Option<&Field<'_>>; 2],
    ) -> Change {
        let texts = [from, to].map(|side| side.map_or("", |side| side.text));
        let sensitive = is_hidden || texts.iter().any(|text| self.names_secret(text));
        let value = |side: &Field<'_>| {
            let is_unknown = self.unknown.iter().any(|it| side.text.contains(it));
            let (value_type, value) = if sensitive {
                (side.value_type, SENSITIVE)
            } else if is_unknown {
                ("unknown", "(known after apply)")
            } else {
                (side.value_type, side.text)
            };
            Value {
                value_type: value_type.to_owned(),
                value: value.to_owned(),
                rendered: None,
            }
        };
        let mut resource = one.resource.clone();
        if one.is_secret() {
            resource.name = one.stem().to_owned();
        }
        Change {
            path: self.path.to_owned(),
            line: 0,
            column: 0,
            resource: Some(resource),
            field: path.to_owned(),
            output: if is_hidden && !one.is_secret() {
                // Which values are in a hidden text is not shown either.
                self.named(|_| true)
            } else {
                self.outputs(one, path, texts)
            },
            reference: String::new(),
            sensitive,
            from: from.map(value),
            to: to.map(value),
        }
    }

    /// Returns the names of the outputs because of which a field with these texts changes.
    fn outputs(&self, one: &BuiltResource, path: &str, [from, to]: [&str; 2]) -> String {
        let is_in = |output: &ChangedOutput<'_>| {
            if one.is_secret() {
                return output.is_in_secret(&one.resource.name, path);
            }
            let are_in = |values: &BTreeSet<&str>, text: &str| {
                values.is_empty() || values.iter().any(|value| text.contains(*value))
            };
            !output.is_sensitive && are_in(&output.old, from) && are_in(&output.new, to)
        };
        let has_secret = one.is_secret() || self.names_secret(from) || self.names_secret(to);
        let found = self.named(is_in);
        if !found.is_empty() {
            return found;
        }
        match self.named(|output| output.is_sensitive == has_secret) {
            names if names.is_empty() => self.named(|_| true),
            names => names,
        }
    }

    /// Returns the names of some of the outputs that change.
    fn named(&self, is_named: impl Fn(&ChangedOutput<'_>) -> bool) -> String {
        let outputs = self.outputs.iter().filter(|(_, output)| is_named(output));
        let names: Vec<&str> = outputs.map(|(name, _)| *name).collect();
        names.join(", ")
    }

    fn names_secret(&self, text: &str) -> bool {
        self.hidden.iter().any(|name| text.contains(name))
    }
}
