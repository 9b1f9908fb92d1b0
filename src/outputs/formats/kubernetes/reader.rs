//! Reads the outputs of a Kubernetes object.

use std::borrow::Cow;

use super::{EXTRACT, Entry, HEADER, ObjectKind, USE_THE_OBJECT, object_kind, other, root};
use crate::collections::OrderedSet;
use crate::outputs::document::Document;
use crate::outputs::formats::reject_repeated;
use crate::outputs::formats::yaml::{KEY, PORTABLE};
use crate::outputs::json::previous_occurrences;
use crate::outputs::position::Positions;
use crate::outputs::{Output, ReadOutputs, Unreadable, Value, base64_bytes};
use crate::report::{Diagnostic, Rule};
use yaml::{Span, Tree, read_differently};

const QUOTE: &str = "write the value in quotes: Kubernetes accepts only strings here";

/// Reads the outputs of an object, and reports every problem with them. Entries must be
/// read in the order of the document.
pub(crate) struct Reader<'o, 'd> {
    pub(crate) document: &'o Document<'d>,
    positions: Positions<'o>,
    /// Whether the object is a Secret: a location is then the start of its line.
    is_secret: bool,
    pub(crate) read: ReadOutputs,
}

/// How the values of a field are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Text,
    Base64,
}

impl<'o, 'd> Reader<'o, 'd> {
    /// Returns a reader of the object of this kind, and the fields of the object; none if it
    /// isn't one, which is an error.
    pub(crate) fn open(document: &'o Document<'d>, kind: ObjectKind) -> (Self, Vec<Entry<'o>>) {
        let mut reader = Self {
            document,
            positions: Positions::new(document.text.as_bytes()),
            is_secret: kind != ObjectKind::ConfigMap,
            read: ReadOutputs::default(),
        };
        let start = Span::point(document.start);
        if object_kind(document) != Some(kind) {
            reader.wrong(start, "the outputs document is another object", EXTRACT);
            return (reader, Vec::new());
        }
        if document.json().is_err() {
            if let Some(error) = reader.yaml_error() {
                reader.read.diagnostics.push(error);
                return (reader, Vec::new());
            }
            let comments = document.tree().map(Tree::comments).unwrap_or_default();
            let content =
                |comment: &std::ops::Range<usize>| Span::new(comment.start + 1, comment.end);
            reader.read.comments = comments.iter().map(content).collect();
        }
        let mut fields = root(document)
            .and_then(|root| root.entries(document.text))
            .unwrap_or_default();
        let names: Vec<_> = fields.iter().map(|field| &*field.name).collect();
        let earlier = previous_occurrences(&names);
        for (field, earlier) in fields.iter().zip(earlier) {
            let message = match (earlier, field.is_clear) {
                (None, true) => continue,
                (Some(_), _) => "the outputs document has a duplicate key",
                (None, false) => {
                    "the outputs document has a key that not every YAML reader reads as a string"
                }
            };
            let error = reader.error_at_line(field.span, message);
            reader.read.diagnostics.push(error);
        }
        if reader.read.diagnostics.has_errors() {
            fields.clear();
        }
        (reader, fields)
    }

    /// Returns the error of a document that not every reader splits into the same lines and
    /// documents, or that is not YAML.
    fn yaml_error(&self) -> Option<Diagnostic> {
        let text = self.document.text;
        let error = |at: usize, what: &str, help: &str| {
            let message = format!("the outputs document has {what}");
            self.error_at_line(Span::point(at), &message).help(help)
        };
        if let Some((range, what)) = read_differently(text, false) {
            return Some(error(range.start, what, PORTABLE));
        }
        if let Some(at) = other(text) {
            return Some(error(at, "more than one YAML document", EXTRACT));
        }
        if self.document.tree().is_some() {
            return None;
        }
        // The parser's message may quote a character.
        let failed = yaml::locate(text).err()?;
        let message = "the outputs document is not valid YAML";
        Some(self.error_at_line(Span::point(failed.at), message))
    }

    fn error_at_line(&self, span: Span, message: &str) -> Diagnostic {
        let line = self.document.line_of(span.start);
        let error = Diagnostic::error(Rule::InvalidOutputs, message);
        error.at_concealed(self.document.origin, line, "")
    }

    /// Reports a problem.
    pub(crate) fn wrong(&mut self, at: Span, message: &str, help: &str) {
        let mut error = self.error_at_line(at, message);
        if !self.is_secret
            && let Some(label) = error.labels.first_mut()
        {
            label.span = self.positions.reported(at);
        }
        self.read.diagnostics.push(error.help(help));
    }

    /// Hides locations after this field, on the same line, if its value may be secret.
    pub(crate) fn hide(&mut self, field: &Entry<'_>) {
        if !HEADER.contains(&&*field.name) {
            self.positions.hide(field.written.end);
        }
    }

    /// Returns the entries of a field that is a mapping, or null.
    pub(crate) fn entries(&mut self, field: &Entry<'o>) -> Vec<Entry<'o>> {
        let entries = field.value.entries(self.document.text);
        if entries.is_none() && !field.value.is_null() {
            let message = format!("`{}` is not a mapping of names to strings", field.name);
            self.wrong(
                field.span,
                &message,
                "write the mapping itself, without tags, anchors and aliases",
            );
        }
        entries.unwrap_or_default()
    }

    /// Returns the entries of a mapping whose keys must be unique, and reports the others.
    pub(crate) fn unique_entries(&mut self, field: &Entry<'o>) -> Vec<Entry<'o>> {
        let entries = self.entries(field);
        let names: Vec<_> = entries.iter().map(|entry| &*entry.name).collect();
        let earlier = previous_occurrences(&names);
        for (entry, earlier) in entries.iter().zip(earlier) {
            if earlier.is_some() || !entry.is_clear {
                let what = if entry.is_clear {
                    "a duplicate key"
                } else {
                    KEY
                };
                let message = format!("`{}` has {what}", field.name);
                self.wrong(entry.span, &message, "write each key once, as a string");
            }
        }
        entries
    }

    /// Reads the text of an entry, and reports what is wrong with it. `named` describes the
    /// entry.
    pub(crate) fn string(&mut self, entry: &Entry<'o>, named: &str) -> Option<Cow<'o, str>> {
        if !entry.is_clear {
            let message =
                format!("{named} has a name that not every YAML reader reads as a string");
            self.wrong(
                entry.span,
                &message,
                "write `name: value`, with the name in quotes",
            );
            return None;
        }
        match entry.value.string() {
            Ok(text) => Some(text),
            Err(why) => {
                self.wrong(entry.span, &format!("{named} {why}"), QUOTE);
                None
            }
        }
    }

    /// Reads a field whose entries are outputs, as text.
    pub(crate) fn text_outputs(
        &mut self,
        field: &Entry<'o>,
        is_sensitive: &dyn Fn(&str) -> bool,
    ) -> Vec<Output> {
        self.outputs(field, Encoding::Text, is_sensitive)
    }

    fn outputs(
        &mut self,
        field: &Entry<'o>,
        encoding: Encoding,
        is_sensitive: &dyn Fn(&str) -> bool,
    ) -> Vec<Output> {
        let mut read = ReadOutputs::default();
        for entry in self.entries(field) {
            let span = self.positions.reported(entry.span);
            let sensitive = is_sensitive(&entry.name);
            let named = format!("the output `{}`", entry.name);
            let text = self.string(&entry, &named).and_then(|text| match encoding {
                Encoding::Text => Some(text.into_owned()),
                Encoding::Base64 => self.decode(&text, &entry, span),
            });
            if let Some(text) = text {
                read.outputs.push(Output {
                    name: entry.name.into_owned(),
                    span,
                    value: Value::String(text),
                    written: entry.written,
                    sensitive,
                });
            }
            if sensitive || self.is_secret {
                self.positions.hide(entry.written.end);
            }
        }
        reject_repeated(self.document, &mut read);
        self.read.diagnostics.append(read.diagnostics);
        read.outputs
    }

    /// Decodes the text of an entry; `span` may be reported.
    fn decode(&mut self, text: &str, entry: &Entry<'o>, span: Span) -> Option<String> {
        let Some(bytes) = base64_bytes(text) else {
            let message = format!("the output `{}` is not valid base64", entry.name);
            self.wrong(
                entry.span,
                &message,
                "`data` of a Secret is base64: encode it, or write it in `stringData`",
            );
            return None;
        };
        let text = String::from_utf8(bytes).ok();
        if text.is_none() {
            self.unreadable(entry, span, "it is not UTF-8 text");
        }
        text
    }

    /// Records an entry that references cannot read; `span` may be reported.
    fn unreadable(&mut self, entry: &Entry<'_>, span: Span, why: &'static str) {
        self.read.unreadable.push(Unreadable {
            name: entry.name.clone().into_owned(),
            span,
            sensitive: self.is_secret || self.document.declares_sensitive(&entry.name),
            why,
            help: USE_THE_OBJECT,
            is_written: true,
        });
    }

    /// Records all entries of a field as unreadable.
    pub(crate) fn unreadable_entries(&mut self, field: &Entry<'o>, why: &'static str) {
        for entry in self.entries(field) {
            let span = self.positions.reported(entry.span);
            self.unreadable(&entry, span, why);
        }
    }

    /// Returns a span as it may be reported.
    pub(crate) fn reported(&mut self, span: Span) -> Span {
        self.positions.reported(span)
    }

    /// Reads a field of a Secret: no outputs if it isn't `data` or `stringData`.
    pub(crate) fn secret_data(
        &mut self,
        field: &Entry<'o>,
        is_sensitive: &dyn Fn(&str) -> bool,
    ) -> Vec<Output> {
        match &*field.name {
            "data" => self.outputs(field, Encoding::Base64, is_sensitive),
            "stringData" => self.outputs(field, Encoding::Text, is_sensitive),
            _ => Vec::new(),
        }
    }

    /// Removes the entries of a Secret's `data` that `stringData` replaces.
    pub(crate) fn apply_string_data(&mut self, fields: &[Entry<'_>], outputs: &mut Vec<Output>) {
        let Some(field) = fields.iter().find(|field| field.name == "stringData") else {
            return;
        };
        let replaces = |output: &Output| field.written.range().contains(&output.written.start);
        let names: OrderedSet<String> = outputs
            .iter()
            .filter(|output| replaces(output))
            .map(|output| output.name.clone())
            .collect();
        outputs.retain(|output| replaces(output) || !names.contains(&output.name));
        let unreadable = &mut self.read.unreadable;
        unreadable.retain(|entry| !names.contains(&entry.name));
    }
}
