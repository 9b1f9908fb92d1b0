//! Variables that something else than landfall defines.

use crate::collections::OrderedSet;
use crate::reference::locate;
use yaml::{Kind, NodeId, Role, Tree, masked, split};

/// The names of defined variables.
#[derive(Debug, Default)]
pub(super) struct Variables {
    names: OrderedSet<String>,
    /// Some are defined elsewhere: any name may be.
    has_others: bool,
}

impl Variables {
    pub(super) fn contains(&self, name: &str) -> bool {
        self.has_others || self.names.contains(name)
    }

    /// Returns the environment variables of the containers in a document.
    pub(super) fn of_env(tree: &Tree) -> Self {
        let mut found = Self::default();
        for (id, node) in tree.nodes() {
            let Role::Value(key) = node.role() else {
                continue;
            };
            match tree.text(key) {
                Some("envFrom") => found.has_others = true,
                Some("env") => {
                    for item in tree.children(id) {
                        found.add_named(tree, item);
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn add_named(&mut self, tree: &Tree, item: NodeId) {
        if !matches!(tree[item].kind(), Kind::Mapping { .. }) {
            return;
        }
        for (key, value) in tree.entries(item) {
            if tree.text(key) == Some("name") {
                self.names.extend(tree.text(value).map(str::to_owned));
            }
        }
    }

    /// Adds the variables of Flux's `postBuild` in a document.
    fn add_post_build(&mut self, tree: &Tree) {
        for (id, node) in tree.nodes() {
            let Role::Value(key) = node.role() else {
                continue;
            };
            if tree.text(key) != Some("postBuild") || !matches!(node.kind(), Kind::Mapping { .. }) {
                continue;
            }
            for (key, value) in tree.entries(id) {
                let is_mapping = matches!(tree[value].kind(), Kind::Mapping { .. });
                match tree.text(key) {
                    Some("substituteFrom") => self.has_others = true,
                    Some("substitute") if is_mapping => {
                        let names = tree.entries(value).filter_map(|(key, _)| tree.text(key));
                        self.names.extend(names.map(str::to_owned));
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Returns the variables that the `postBuild` of Flux's Kustomizations in a source defines.
pub(super) fn defines_variables(texts: &[(usize, &str)]) -> Variables {
    let has_one = |text: &str| memchr::memmem::find(text.as_bytes(), b"postBuild").is_some();
    let mut found = Variables::default();
    for (_, text) in texts.iter().filter(|(_, text)| has_one(text)) {
        for document in split(text).iter().filter(|one| has_one(one.text)) {
            match locate(masked(document.text, std::iter::empty())) {
                Ok(tree) => found.add_post_build(&tree),
                Err(_) => found.has_others = true,
            }
        }
    }
    found
}
