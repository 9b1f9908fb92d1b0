//! Configuration documents (the Binding, the operator's policy) read from their
//! tree, every mistake with its place.

use std::collections::BTreeMap;

use super::suggest;
use crate::manifest::{Kind, NodeId, Role, Tree};
use crate::report::{Diagnostic, Origin, Rule, Span};

/// Reads the nodes of one configuration document and collects what is wrong.
pub(crate) struct Reader<'t> {
    tree: &'t Tree<'t>,
    origin: Origin,
    rule: Rule,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Keys that a mapping may have: understood now, or by a later version.
pub(crate) struct Keys<'k> {
    pub(crate) known: &'k [&'k str],
    pub(crate) later: &'k [&'k str],
}

impl<'t> Reader<'t> {
    pub(crate) const fn new(tree: &'t Tree<'t>, origin: Origin, rule: Rule) -> Self {
        Self {
            tree,
            origin,
            rule,
            diagnostics: Vec::new(),
        }
    }

    pub(crate) fn span(&self, id: NodeId) -> Span {
        let range = &self.tree.nodes[id].range;
        Span::new(range.start, range.end)
    }

    /// All bytes of a node, those of a collection from its first to its last.
    pub(crate) fn content_span(&self, id: NodeId) -> Span {
        let node = &self.tree.nodes[id];
        Span::new(node.range.start, node.end.max(node.range.end))
    }

    /// Tells that something is wrong at a place.
    pub(crate) fn error_at(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let diagnostic = Diagnostic::error(self.rule, message)
            .at(self.origin, span, "")
            .help(help);
        self.diagnostics.push(diagnostic);
    }

    /// Tells that something is wrong at a node.
    pub(crate) fn error(
        &mut self,
        id: NodeId,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let diagnostic = Diagnostic::error(self.rule, message)
            .at(self.origin, self.span(id), "")
            .help(help);
        self.diagnostics.push(diagnostic);
    }

    /// The values of a mapping by their keys. Keys that it cannot have are
    /// errors.
    pub(crate) fn mapping(
        &mut self,
        id: NodeId,
        what: &str,
        keys: &Keys<'_>,
    ) -> BTreeMap<&'t str, NodeId> {
        let mut values = BTreeMap::new();
        if !matches!(self.tree.nodes[id].kind, Kind::Mapping { .. }) {
            self.error(
                id,
                format!("{what} must be a mapping"),
                format!(
                    "its keys are: {}",
                    suggest::listed(keys.known.iter().copied())
                ),
            );
            return values;
        }
        for value in self.children(id) {
            let Role::Value(key) = self.tree.nodes[value].role else {
                continue;
            };
            let Some(name) = self.tree.text(key) else {
                self.error(
                    key,
                    format!("a key of {what} must be a string"),
                    "write a plain key",
                );
                continue;
            };
            if keys.later.contains(&name) {
                self.error(
                    key,
                    format!("`{name}` is not supported by this version of landfall"),
                    "see the roadmap in its documentation",
                );
            } else if !keys.known.contains(&name) {
                let help = match suggest::closest(name, keys.known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!(
                        "its keys are: {}",
                        suggest::listed(keys.known.iter().copied())
                    ),
                };
                self.error(key, format!("{what} has no key `{name}`"), help);
            } else if values.insert(name, value).is_some() {
                self.error(
                    key,
                    format!("`{name}` stands twice in {what}"),
                    "keep one of them",
                );
            }
        }
        values
    }

    /// The items of a list.
    pub(crate) fn items(&mut self, id: NodeId, what: &str) -> Vec<NodeId> {
        if !matches!(self.tree.nodes[id].kind, Kind::Sequence { .. }) {
            self.error(
                id,
                format!("{what} must be a list"),
                "begin each item with `- `",
            );
            return Vec::new();
        }
        self.children(id)
    }

    /// The text of a scalar that is not empty.
    pub(crate) fn text(&mut self, id: NodeId, what: &str) -> Option<String> {
        match self
            .tree
            .text(id)
            .filter(|text| !text.is_empty() && !self.tree.nodes[id].range.is_empty())
        {
            Some(text) => Some(text.to_owned()),
            None => {
                self.error(id, format!("{what} must be a string"), "give it a value");
                None
            }
        }
    }

    /// The texts of a list of scalars.
    pub(crate) fn texts(&mut self, id: NodeId, what: &str) -> Vec<String> {
        self.items(id, what)
            .into_iter()
            .filter_map(|item| self.text(item, &format!("an item of {what}")))
            .collect()
    }

    fn children(&self, id: NodeId) -> Vec<NodeId> {
        (id + 1..self.tree.nodes.len())
            .take_while(|child| {
                self.tree.nodes[*child]
                    .parent
                    .is_some_and(|parent| parent >= id)
            })
            .filter(|child| self.tree.nodes[*child].parent == Some(id))
            .collect()
    }
}
