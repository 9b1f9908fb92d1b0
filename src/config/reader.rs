//! Reads configuration documents (the Binding, the operator's policy) from their tree, and
//! reports every mistake with its location.

use crate::collections::OrderedMap;
use crate::config::Spanned;
use crate::config::keys::Keys;
use crate::config::unambiguous;
use crate::report::suggest;
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};
use yaml::{Context, Edit, Kind, NodeId, Role, Span, Style, Tree, plain_reads_back};

/// Reads the nodes of one configuration document and collects errors.
pub(crate) struct Reader<'t> {
    tree: &'t Tree,
    origin: Origin,
    rule: Rule,
    pub(crate) diagnostics: Diagnostics,
}

impl<'t> Reader<'t> {
    /// Creates a reader of the node `root` and its descendants, and reports everything in
    /// it that two YAML readers could read differently.
    pub(crate) fn new(tree: &'t Tree, root: NodeId, origin: Origin, rule: Rule) -> Self {
        let ambiguities = unambiguous::in_tree(tree, root);
        Self {
            tree,
            origin,
            rule,
            diagnostics: ambiguities
                .into_iter()
                .map(|found| found.diagnostic(origin, rule))
                .collect(),
        }
    }

    /// Returns the document that is read.
    pub(crate) const fn origin(&self) -> Origin {
        self.origin
    }

    /// Returns the tree that is read.
    pub(crate) const fn tree(&self) -> &'t Tree {
        self.tree
    }

    pub(crate) fn span(&self, id: NodeId) -> Span {
        let range = &self.tree[id].range();
        Span::new(range.start, range.end)
    }

    /// Returns all bytes of a node; for a collection, from its first byte to its last.
    pub(crate) fn content_span(&self, id: NodeId) -> Span {
        let node = &self.tree[id];
        Span::new(node.range().start, node.end().max(node.range().end))
    }

    /// Reports an error at a span.
    pub(crate) fn error_at(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let diagnostic = Diagnostic::error(self.rule, message)
            .in_config(self.origin, span, "")
            .help(help);
        self.diagnostics.push(diagnostic);
    }

    /// Reports an error at a node.
    pub(crate) fn error(
        &mut self,
        id: NodeId,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.error_at(self.span(id), message, help);
    }

    /// Reports an error at a scalar, with a fix that writes `wanted` in its place.
    pub(crate) fn error_with_fix(
        &mut self,
        id: NodeId,
        message: String,
        help: String,
        wanted: &str,
    ) {
        let edit = Edit {
            span: self.span(id),
            text: wanted.into(),
        };
        let diagnostic = Diagnostic::error(self.rule, message)
            .in_config(self.origin, edit.span, "")
            .fix(help.clone(), self.origin, vec![edit])
            .help(help);
        self.diagnostics.push(diagnostic);
    }

    /// Returns a value with its location.
    pub(crate) fn spanned<T>(&self, id: NodeId, value: T) -> Spanned<T> {
        Spanned {
            value,
            origin: self.origin,
            span: self.span(id),
        }
    }

    /// Returns what was read, if there were no errors.
    ///
    /// # Errors
    /// All errors.
    pub(crate) fn finish<T>(self, read: T) -> Result<T, Diagnostics> {
        if self.diagnostics.is_empty() {
            Ok(read)
        } else {
            Err(self.diagnostics)
        }
    }

    /// Returns the values of a mapping by key. Reports keys that the mapping cannot have.
    pub(crate) fn mapping(
        &mut self,
        id: NodeId,
        what: &str,
        keys: &Keys,
    ) -> OrderedMap<&'t str, NodeId> {
        let mut values = OrderedMap::new();
        let listed = || {
            let listed = suggest::listed(keys.known.iter().copied());
            format!("expected one of: {listed}")
        };
        for (name, key, value) in self.entries(id, what, &listed()) {
            if !keys.known.contains(&name) {
                let help = match suggest::closest(name, keys.known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => listed(),
                };
                self.error(
                    key,
                    format!("unknown key `{name}` in {}", named(what)),
                    help,
                );
            } else {
                // A duplicate has been reported already.
                values.insert(name, value);
            }
        }
        values
    }

    /// Returns the entries of a mapping with arbitrary keys: name, key, value. `help` is
    /// for a node that isn't a mapping.
    pub(crate) fn entries(
        &mut self,
        id: NodeId,
        what: &str,
        help: &str,
    ) -> Vec<(&'t str, NodeId, NodeId)> {
        if !matches!(self.tree[id].kind(), Kind::Mapping { .. }) {
            self.error(id, format!("{} must be a mapping", named(what)), help);
            return Vec::new();
        }
        let mut entries = Vec::new();
        for value in self.children(id) {
            let Role::Value(key) = self.tree[value].role() else {
                continue;
            };
            match self.tree.text(key) {
                Some(name) => entries.push((name, key, value)),
                None => self.error(
                    key,
                    format!("a key of {} must be a string", named(what)),
                    "use a string as the key",
                ),
            }
        }
        entries
    }

    /// Returns the items of a list.
    pub(crate) fn items(&mut self, id: NodeId, what: &str) -> Vec<NodeId> {
        if !matches!(self.tree[id].kind(), Kind::Sequence { .. }) {
            self.error(
                id,
                format!("{} must be a list", named(what)),
                "start each item with `- `",
            );
            return Vec::new();
        }
        self.children(id)
    }

    /// Returns whether a scalar is present but empty: `""`.
    pub(crate) fn is_blank(&self, id: NodeId) -> bool {
        self.tree.text(id) == Some("") && !self.tree[id].range().is_empty()
    }

    /// Returns the text of a non-empty scalar.
    pub(crate) fn text(&mut self, id: NodeId, what: &str) -> Option<String> {
        match self
            .tree
            .text(id)
            .filter(|text| !text.is_empty() && !self.tree[id].range().is_empty())
        {
            Some(text) => Some(text.to_owned()),
            None => {
                self.error(
                    id,
                    format!("{} must be a string", named(what)),
                    "give it a value",
                );
                None
            }
        }
    }

    /// Returns `true` or `false`.
    pub(crate) fn flag(&mut self, id: NodeId, what: &str) -> Option<bool> {
        match self.text(id, what)?.as_str() {
            "true" => Some(true),
            "false" => Some(false),
            other => {
                let message = format!("invalid value `{other}` for {}", named(what));
                self.error(id, message, "expected `true` or `false`");
                None
            }
        }
    }

    /// Returns the text of a scalar, which may be empty.
    pub(crate) fn scalar(&self, id: NodeId) -> Option<&'t str> {
        self.tree.text(id)
    }

    /// Returns whether a scalar is unquoted, so that its text decides its type.
    pub(crate) fn is_plain(&self, id: NodeId) -> bool {
        matches!(
            self.tree[id].kind(),
            Kind::Scalar {
                style: Style::Plain,
                ..
            }
        )
    }

    /// Returns the texts of a list of scalars that every YAML reader reads as strings, each
    /// with its node.
    pub(crate) fn texts(&mut self, id: NodeId, what: &str) -> Vec<(NodeId, String)> {
        let mut texts = Vec::new();
        for item in self.items(id, what) {
            let Some(text) = self.text(item, &format!("an item of {what}")) else {
                continue;
            };
            let context = Context {
                flow: false,
                json: false,
            };
            if self.is_plain(item) && !plain_reads_back(&text, context) {
                let message = format!("not every YAML reader reads `{text}` as a string");
                self.error(item, message, "quote it");
                continue;
            }
            texts.push((item, text));
        }
        texts
    }

    fn children(&self, id: NodeId) -> Vec<NodeId> {
        (id + 1..self.tree.len())
            .take_while(|child| {
                self.tree[*child]
                    .parent()
                    .is_some_and(|parent| parent >= id)
            })
            .filter(|child| self.tree[*child].parent() == Some(id))
            .collect()
    }
}

/// Returns the name of a value for a message: a path in backquotes, a phrase such as
/// `the Binding` as it is.
pub(crate) fn named(what: &str) -> String {
    match what.rsplit_once(' ') {
        Some(("an item of", path)) => format!("an item of `{path}`"),
        Some(_) => what.to_owned(),
        None => format!("`{what}`"),
    }
}
