//! YAML documents as Argo CD reads them, every value with its node.

use std::ops::Range;

use crate::kubernetes::plain_scalar::{PlainScalar, float_digits, resolve};
use crate::outputs::Value;
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};
use yaml::{Context, Kind, NodeId, Span, Style, Tree, plain_reads_back, read_differently, split};

/// The maximum nesting of collections.
const MAX_DEPTH: usize = 128;

/// A document of a file.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) origin: Origin,
    /// The offset of its first byte in the file.
    offset: usize,
    tree: Tree,
    pub(super) root: Node,
}

/// A value with the node that it is written at.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) content: Content,
    pub(super) id: NodeId,
}

/// What a node is.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Null,
    Bool(bool),
    /// The digits as JSON writes them.
    Number(String),
    String(String),
    List(Vec<Node>),
    Object(Vec<(Key, Node)>),
}

/// A key of an object.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) id: NodeId,
}

/// How the files of a call are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub(super) rule: Rule,
    /// What one file is, for messages: `the ApplicationSet`.
    pub(super) what: &'static str,
    /// The documents that are read; `None` for all.
    pub(super) wanted: Option<Wanted>,
    /// Whether no text of a document may be shown.
    pub(super) conceals: bool,
}

/// The documents of a file that are read. All others are ignored, whatever is in them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// A text in each of them, however it is written.
    pub(super) text: &'static str,
    pub(super) kinds: &'static [&'static str],
}

impl Document {
    /// Returns the location of a node.
    pub(super) fn span(&self, id: NodeId) -> Span {
        let range = self.tree.get(id).map(yaml::Node::range).unwrap_or_default();
        Span::new(self.offset + range.start, self.offset + range.end)
    }

    /// Returns the location of these bytes of `text`, the text of a scalar; of the whole
    /// scalar if `text` is not what is written there.
    pub(super) fn span_in(&self, id: NodeId, text: &str, range: &Range<usize>) -> Span {
        if self.tree.text(id) != Some(text) {
            return self.span(id);
        }
        let source = self.tree.source();
        let decoded = self
            .tree
            .get(id)
            .and_then(|_| yaml::decode_node(source, &self.tree, id));
        let raw = decoded.map(|decoded| decoded.raw_range(range));
        match raw {
            Some(raw) => Span::new(self.offset + raw.start, self.offset + raw.end),
            None => self.span(id),
        }
    }

    /// Returns the text of a scalar, whatever its type is.
    pub(super) fn text(&self, id: NodeId) -> &str {
        self.tree.text(id).unwrap_or_default()
    }

    /// Returns whether a node is a plain scalar that YAML 1.1 and YAML 1.2 do not read as
    /// the same type, such as `on` or `0o17`.
    pub(super) fn is_read_differently(&self, id: NodeId) -> bool {
        let is_plain = self.tree.get(id).and_then(yaml::Node::style) == Some(Style::Plain);
        let text = self.tree.text(id).unwrap_or_default();
        let context = Context {
            flow: is_plain && self.tree.in_flow(id),
            json: false,
        };
        let is_portable = matches!(text, "true" | "false" | "null" | "" | "~")
            || plain_reads_back(text, context)
            || (yaml::is_number(text) && yaml::number(text) == text);
        is_plain && !is_portable
    }

    /// Returns the edit that quotes a plain scalar.
    pub(super) fn quoted(&self, id: NodeId) -> yaml::Edit {
        let text = yaml::double_quoted(self.tree.text(id).unwrap_or_default());
        yaml::Edit {
            span: self.span(id),
            text: text.into_bytes(),
        }
    }
}

impl Node {
    /// Returns the value of a field of an object.
    pub(super) fn field(&self, name: &str) -> Option<&Self> {
        let mut entries = self.entries().iter();
        let found = entries.find(|(key, _)| key.name == name)?;
        // A field that is null is not set.
        (!matches!(found.1.content, Content::Null)).then_some(&found.1)
    }

    /// Returns the value at the end of these fields.
    pub(super) fn at(&self, names: &[&str]) -> Option<&Self> {
        names.iter().try_fold(self, |node, name| node.field(name))
    }

    pub(super) fn entries(&self) -> &[(Key, Self)] {
        match &self.content {
            Content::Object(entries) => entries,
            _ => &[],
        }
    }

    pub(super) fn items(&self) -> &[Self] {
        match &self.content {
            Content::List(items) => items,
            _ => &[],
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.content {
            Content::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the text of a field; empty if it is not a string.
    pub(super) fn text_of(&self, name: &str) -> &str {
        self.field(name).and_then(Self::text).unwrap_or_default()
    }

    pub(super) fn is_true(&self) -> bool {
        matches!(self.content, Content::Bool(true))
    }

    /// Returns whether Go's encoder leaves the value out with `omitempty`, and Argo CD's
    /// merge of templates fills it.
    pub(super) fn is_empty(&self) -> bool {
        match &self.content {
            Content::Null => true,
            Content::Bool(value) => !value,
            Content::Number(digits) => digits.parse::<f64>().is_ok_and(|number| number == 0.0),
            Content::String(text) => text.is_empty(),
            Content::List(items) => items.is_empty(),
            Content::Object(entries) => entries.is_empty(),
        }
    }

    /// Returns what it is, with its article.
    pub(super) const fn described(&self) -> &'static str {
        match &self.content {
            Content::Null => "null",
            Content::Bool(_) => "a bool",
            Content::Number(_) => "a number",
            Content::String(_) => "a string",
            Content::List(_) => "a list",
            Content::Object(_) => "an object",
        }
    }

    /// Returns the value without its nodes.
    pub(super) fn value(&self) -> Value {
        match &self.content {
            Content::Null => Value::Null,
            Content::Bool(value) => Value::Bool(*value),
            Content::Number(digits) => Value::Number(digits.clone()),
            Content::String(text) => Value::String(text.clone()),
            Content::List(items) => Value::List(items.iter().map(Self::value).collect()),
            Content::Object(entries) => Value::Object(
                entries
                    .iter()
                    .map(|(key, node)| {
                        let key = crate::outputs::Key {
                            name: key.name.clone(),
                            span: Span::point(0),
                        };
                        (key, node.value())
                    })
                    .collect(),
            ),
        }
    }
}

impl Reading {
    /// Returns the wanted documents of a file that are not empty. Adds what is wrong with
    /// them to `diagnostics`.
    pub(super) fn documents(
        self,
        content: &[u8],
        origin: Origin,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Document> {
        let text = match std::str::from_utf8(content) {
            Ok(text) => text,
            Err(error) => {
                let found = Diagnostic::error(Rule::NotUtf8, format!("{} is not UTF-8", self.what));
                let span = Span::point(error.valid_up_to());
                diagnostics.push(found.at_concealed(origin, span, "this byte is not UTF-8"));
                return Vec::new();
            }
        };
        let mut documents = Vec::new();
        for (nth, part) in split(text).into_iter().enumerate() {
            if self
                .wanted
                .is_some_and(|wanted| !part.text.contains(wanted.text))
            {
                continue;
            }
            match self.document(&part, origin, nth > 0) {
                Ok(Some(document)) => documents.push(document),
                Ok(None) => {}
                Err(found) => diagnostics.push(*found),
            }
        }
        documents
    }

    fn document(
        mut self,
        part: &yaml::Document<'_>,
        origin: Origin,
        follows: bool,
    ) -> Result<Option<Document>, Box<Diagnostic>> {
        let span =
            |range: Range<usize>| Span::new(part.offset + range.start, part.offset + range.end);
        let located = yaml::locate(part.text);
        let kind = located.as_ref().map_or(RootKind::Unknown, RootKind::of);
        if let (RootKind::Only(kind), Some(wanted)) = (&kind, self.wanted)
            && !wanted.kinds.contains(kind)
        {
            return Ok(None);
        }
        if matches!(kind, RootKind::Unknown) {
            // It may be a Secret to some reader.
            self.conceals |= part.text.contains("Secret");
        }
        if let Some((range, what)) = read_differently(part.text, follows) {
            let message = format!("{} has {what}", self.what);
            let error = self.error(origin, message, span(range), "");
            return Err(Box::new(error.help("write portable YAML")));
        }
        let tree = located.map_err(|error| {
            // The parser may quote a character.
            let message = if self.conceals {
                format!("{} is not valid YAML", self.what)
            } else {
                error.described(self.what)
            };
            Box::new(self.error(origin, message, span(error.at..error.at), error.label()))
        })?;
        if tree.is_empty() {
            return Ok(None);
        }
        let mut reader = NodeReader {
            reading: self,
            tree: &tree,
            offset: part.offset,
            origin,
            depth: 0,
        };
        let root = reader.node(0)?;
        let offset = part.offset;
        Ok(Some(Document {
            origin,
            offset,
            tree,
            root,
        }))
    }

    pub(super) fn error(
        self,
        origin: Origin,
        message: String,
        span: Span,
        label: &str,
    ) -> Diagnostic {
        let error = Diagnostic::error(self.rule, message);
        if self.conceals {
            error.at_concealed(origin, Span::point(span.start), label)
        } else {
            error.at(origin, span, label)
        }
    }
}

/// The kind of a document.
enum RootKind<'t> {
    /// The same to every reader; empty if it has none.
    Only(&'t str),
    /// Some readers may read another one.
    Unknown,
}

impl<'t> RootKind<'t> {
    fn of(tree: &'t Tree) -> Self {
        let mut found = None;
        for (key, value) in tree.entries(0) {
            match tree.text(key) {
                Some("kind") if found.is_none() => found = Some(tree.text(value)),
                // A duplicate, a merge key, or an alias as a key.
                Some("kind" | "<<") | None => return Self::Unknown,
                Some(_) => {}
            }
        }
        match found {
            None => Self::Only(""),
            Some(Some(kind)) => Self::Only(kind),
            Some(None) => Self::Unknown,
        }
    }
}

struct NodeReader<'t> {
    reading: Reading,
    tree: &'t Tree,
    offset: usize,
    origin: Origin,
    depth: usize,
}

impl NodeReader<'_> {
    fn node(&mut self, id: NodeId) -> Result<Node, Box<Diagnostic>> {
        let node = &self.tree[id];
        if node.has_anchor() || node.tag().is_some() || matches!(node.kind(), Kind::Alias(_)) {
            let message = format!("{} has a tag, an anchor or an alias", self.reading.what);
            return Err(Box::new(
                self.error(id, message).help("write the value itself"),
            ));
        }
        let text = self.tree.text(id).unwrap_or_default();
        let content = match node.kind() {
            Kind::Scalar {
                style: Style::Plain,
                ..
            } => match resolve(text) {
                PlainScalar::Null => Content::Null,
                PlainScalar::Bool(value) => Content::Bool(value),
                PlainScalar::Integer(digits) => Content::Number(digits),
                PlainScalar::Float(written) => float_digits(&written)
                    .map_or_else(|| Content::String(text.to_owned()), Content::Number),
                PlainScalar::String => Content::String(text.to_owned()),
                PlainScalar::NotJson => {
                    let message = format!("`{text}` is not a value of JSON");
                    let message = if self.reading.conceals {
                        "a number that is not one of JSON".to_owned()
                    } else {
                        message
                    };
                    return Err(Box::new(
                        self.error(id, message).help("quote it to make it a string"),
                    ));
                }
            },
            Kind::Scalar { .. } => Content::String(text.to_owned()),
            _ if self.depth == MAX_DEPTH => {
                let message = format!(
                    "{} nests lists and mappings more than {MAX_DEPTH} levels deep",
                    self.reading.what
                );
                return Err(Box::new(self.error(id, message)));
            }
            Kind::Mapping { .. } => {
                self.depth += 1;
                let content = self.mapping(id)?;
                self.depth -= 1;
                content
            }
            _ => {
                self.depth += 1;
                let items = self
                    .tree
                    .children(id)
                    .map(|item| self.node(item))
                    .collect::<Result<_, _>>()?;
                self.depth -= 1;
                Content::List(items)
            }
        };
        Ok(Node { content, id })
    }

    fn mapping(&mut self, id: NodeId) -> Result<Content, Box<Diagnostic>> {
        let mut entries: Vec<(Key, Node)> = Vec::new();
        let mut seen = crate::collections::OrderedMap::new();
        for (key, value) in self.tree.entries(id) {
            let read = self.node(key)?;
            let name = match read.content {
                Content::String(name) if name != "<<" => name,
                // A number or a bool becomes its text in JSON, not always as it is written.
                _ => {
                    let message = "a key that is not a string to every YAML reader".to_owned();
                    return Err(Box::new(self.error(key, message).help("quote it")));
                }
            };
            if let Some(first) = seen.insert(name.clone(), key) {
                let message = if self.reading.conceals {
                    "duplicate key".to_owned()
                } else {
                    format!("duplicate key `{name}`")
                };
                let range = self.tree[first].range();
                let span = Span::new(self.offset + range.start, self.offset + range.end);
                let error = self.error(key, message);
                return Err(Box::new(if self.reading.conceals {
                    error
                } else {
                    error.at(self.origin, span, "first defined here")
                }));
            }
            let node = self.node(value)?;
            entries.push((Key { name, id: key }, node));
        }
        Ok(Content::Object(entries))
    }

    fn error(&self, id: NodeId, message: String) -> Diagnostic {
        let range = self.tree[id].range();
        let span = Span::new(self.offset + range.start, self.offset + range.end);
        self.reading.error(self.origin, message, span, "")
    }
}
