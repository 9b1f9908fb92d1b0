//! Checks that all readers agree on which resource a mapping is.
//!
//! YAML readers differ in merge keys, tags, duplicate and complex keys, and line breaks;
//! Go's JSON reader accepts `Kind` for `kind`. A document may use all of these, but the
//! values of a resource that only some readers treat as a Secret are not protected.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::sync::Arc;

use crate::collections::OrderedMap;
use crate::kubernetes::resources::{Occurrence, PatchTarget, Resources};
use yaml::{Kind, NodeId, Role, Tree, read_differently};

/// The keys of a resource that identify it, or contain its values.
const RESOURCE: &[&str] = &[
    "apiVersion",
    "kind",
    "metadata",
    "data",
    "stringData",
    "items",
];
const METADATA: &[&str] = &["name", "namespace"];

/// Something that readers interpret differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ambiguity {
    /// Its bytes.
    pub(crate) range: Range<usize>,
    /// What it is: `a merge key`.
    pub(crate) what: &'static str,
}

/// The resources of one document as all readers see them. Nothing is computed until
/// something sensitive would be written.
pub(crate) struct Identity<'a> {
    tree: &'a Tree,
    resources: &'a Resources<'a>,
    text: &'a str,
    /// Whether other documents precede this one in its text.
    follows: bool,
    /// Keys that field bindings add to mappings.
    added: OrderedMap<NodeId, Vec<&'a str>>,
    document: OnceCell<Option<Ambiguity>>,
    ambiguities: RefCell<OrderedMap<NodeId, Option<Ambiguity>>>,
}

impl<'a> Identity<'a> {
    pub(crate) const fn new(
        tree: &'a Tree,
        resources: &'a Resources<'a>,
        text: &'a str,
        follows: bool,
        added: OrderedMap<NodeId, Vec<&'a str>>,
    ) -> Self {
        Self {
            tree,
            resources,
            text,
            follows,
            added,
            document: OnceCell::new(),
            ambiguities: RefCell::new(OrderedMap::new()),
        }
    }

    /// Returns why readers may disagree about the resources around a position, if so.
    pub(crate) fn ambiguity(&self, occurrence: &Occurrence) -> Option<Ambiguity> {
        let document = self.document.get_or_init(|| self.of_document());
        let tagged = occurrence.tagged.map(|node| self.at(node, "a tag"));
        let containers = occurrence
            .containers
            .iter()
            .map(|container| container.mapping);
        let mut mappings = containers.chain([occurrence.mapping]).flatten();
        document
            .clone()
            .or(tagged)
            .or_else(|| mappings.find_map(|mapping| self.of_resource(mapping)))
    }

    fn of_document(&self) -> Option<Ambiguity> {
        if let Some((range, what)) = read_differently(self.text, self.follows) {
            return Some(Ambiguity { range, what });
        }
        if let Some(node) = self.tree.odd_anchor() {
            return Some(self.at(node, "an anchor whose name is duplicate or not plain"));
        }
        let is_undefined = |id: &NodeId| matches!(self.tree[*id].kind(), Kind::Alias(None));
        let alias = (0..self.tree.len()).find(is_undefined)?;
        Some(self.at(alias, "an alias without an anchor"))
    }

    fn of_resource(&self, mapping: NodeId) -> Option<Ambiguity> {
        if let Some(known) = self.ambiguities.borrow().get(&mapping) {
            return known.clone();
        }
        let found = self.of_keys(mapping, RESOURCE).or_else(|| {
            let metadata = self.keys(mapping).find_map(|(key, value)| {
                (self.resources.text(key) == Some("metadata")).then_some(value)
            });
            self.of_keys(metadata?, METADATA)
        });
        self.ambiguities.borrow_mut().insert(mapping, found.clone());
        found
    }

    /// Returns what readers may interpret differently in the keys of a mapping or in their
    /// values. `names` are the keys that matter.
    fn of_keys(&self, mapping: NodeId, names: &[&'static str]) -> Option<Ambiguity> {
        let mut seen = [false; RESOURCE.len()];
        for (key, value) in self.keys(mapping) {
            let node = &self.tree[key];
            let what = match node.kind() {
                _ if node.tag().is_some() => Some("a tagged key"),
                Kind::Alias(_) => Some("an alias as a key"),
                Kind::Sequence { .. } | Kind::Mapping { .. } => Some("a list or a map as a key"),
                Kind::Scalar { .. } => None,
            };
            if let Some(what) = what {
                return Some(self.at(key, what));
            }
            let text = self.resources.text(key).unwrap_or_default();
            if text == "<<" {
                return Some(self.at(key, "a merge key"));
            }
            let Some(nth) = meant_name(text, names) else {
                continue;
            };
            let name = names[nth];
            if name != text {
                return Some(self.at(key, "a key that some readers read differently"));
            }
            if std::mem::replace(&mut seen[nth], true) {
                return Some(self.at(key, "a duplicate key"));
            }
            match &self.tree[value] {
                node if node.tag().is_some() => return Some(self.at(value, "a tagged value")),
                node if matches!(node.kind(), Kind::Alias(_)) => {
                    return Some(self.at(value, "an alias as the value"));
                }
                // An item of a SecretList with such a kind is not a Secret.
                node if matches!(name, "apiVersion" | "kind")
                    && !matches!(node.kind(), Kind::Scalar { .. }) =>
                {
                    return Some(self.at(value, "a list or a map as the value"));
                }
                _ => {}
            }
        }
        let mut added = self.added.get(&mapping).into_iter().flatten();
        let is_name = |key: &&&str| meant_name(key, names).is_some() || **key == "<<";
        added.find(is_name)?;
        Some(self.at(mapping, "a key that a field binding adds"))
    }

    /// Returns the keys of a mapping with their values.
    fn keys(&self, mapping: NodeId) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        // Its descendants follow it directly; the nodes after them have parents before it.
        let inside = self
            .tree
            .nodes()
            .skip(mapping + 1)
            .take_while(move |(_, node)| node.parent() >= Some(mapping));
        inside.filter_map(move |(value, node)| match node.role() {
            Role::Value(key) if node.parent() == Some(mapping) => Some((key, value)),
            _ => None,
        })
    }

    /// Returns what the patch in this scalar applies to, if it is one.
    pub(crate) fn patch_target_of(&self, scalar: NodeId) -> Option<Arc<PatchTarget>> {
        self.resources.target_of(scalar)
    }

    /// Returns the bytes of a node.
    pub(crate) fn bytes(&self, node: NodeId) -> Range<usize> {
        self.tree[node].range()
    }

    fn at(&self, node: NodeId, what: &'static str) -> Ambiguity {
        let range = self.bytes(node);
        Ambiguity { range, what }
    }
}

/// Returns the position of the name that some reader may read `key` as: Go's JSON reader
/// ignores case (also of `ſ` and the Kelvin sign), others drop or add characters that
/// aren't letters.
fn meant_name(key: &str, names: &[&str]) -> Option<usize> {
    if key.len() > 64 {
        return None;
    }
    if key.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return names.iter().position(|name| name.eq_ignore_ascii_case(key));
    }
    let letters = key.chars().filter_map(|c| match c {
        'ſ' => Some('s'),
        '\u{212a}' => Some('k'),
        c => c.is_ascii_alphanumeric().then(|| c.to_ascii_lowercase()),
    });
    names.iter().position(|name| {
        let name = name.chars().map(|c| c.to_ascii_lowercase());
        letters.clone().eq(name)
    })
}
