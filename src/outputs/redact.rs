//! Outputs documents without the values of their sensitive outputs, for readers who may see
//! only the names.

use crate::outputs::document::Document;
use crate::outputs::formats::{self, is_like_mark};
use crate::outputs::json::Member;
use crate::outputs::value::{Value, push_json_string};
use crate::outputs::{DeclaredSensitive, OutputsDocument, ReadOutputs, read_declared};
use crate::report::{Diagnostic, Origin, Rule};
use yaml::{Edit, Span};

/// What replaces a sensitive string.
pub(super) const PLACEHOLDER: &str = "(sensitive)";

/// What [`crate::redact`] changes in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redaction {
    /// Ascending and disjoint; every other byte is unchanged.
    pub edits: Vec<Edit>,
    /// The names of the sensitive outputs, in the order of the document.
    pub outputs: Vec<String>,
}

/// Replaces the values of sensitive outputs, also of those that are `declared` sensitive.
/// Returns `None` if it isn't certain what is sensitive because no format reads the
/// document.
pub(crate) fn redact(
    document: &OutputsDocument,
    declared: DeclaredSensitive,
    is_public: &dyn Fn(&str) -> bool,
) -> Option<Redaction> {
    let opened = match Document::open(document, declared, Origin::Outputs(0)) {
        Err(found) if found.iter().any(|error| error.rule == Rule::OutputsEmpty) => {
            return Some(Redaction::default());
        }
        opened => opened.ok()?,
    };
    let format = formats::choose(&opened, document.format.as_deref()).ok()?;
    format.redact(&opened, is_public)
}

/// Adds the outputs that are sensitive in another document of the same name: all, if that
/// cannot be read.
pub(crate) fn with_sensitive_of(
    other: &OutputsDocument,
    mut declared: DeclaredSensitive,
) -> DeclaredSensitive {
    let read = read_declared(other, declared.clone(), Origin::Outputs(0));
    let is_empty = |found: &Diagnostic| found.rule == Rule::OutputsEmpty;
    if read.diagnostics.has_errors() && !read.diagnostics.iter().any(is_empty) {
        return DeclaredSensitive::All;
    }
    for output in read.outputs.iter().filter(|output| output.sensitive) {
        declared.insert(&output.name);
    }
    for entry in read.unreadable.iter().filter(|entry| entry.sensitive) {
        declared.insert(&entry.name);
    }
    declared
}

impl Redaction {
    /// Replaces the bytes of `span`.
    pub(super) fn replace(&mut self, span: Span, text: String) {
        let text = text.into_bytes();
        self.edits.push(Edit { span, text });
    }

    /// Replaces the sensitive outputs of a document whose format has no marks, and empties
    /// its comments: they may contain former values.
    pub(super) fn of_sensitive(
        text: &str,
        read: ReadOutputs,
        is_public: &dyn Fn(&str) -> bool,
    ) -> Self {
        let mut redaction = Self::default();
        let sensitive = || read.outputs.iter().filter(|output| output.sensitive);
        let values = sensitive().map(|output| {
            let instead = placeholder(&output.value, is_public);
            (output.written, instead)
        });
        redaction.replace_all(text, values.collect(), read.comments);
        redaction.outputs = sensitive().map(|output| output.name.clone()).collect();
        redaction
    }

    /// Replaces values, and empties the comments outside them.
    pub(super) fn replace_all(
        &mut self,
        text: &str,
        values: Vec<(Span, String)>,
        comments: Vec<Span>,
    ) {
        let mut comments = comments.into_iter().peekable();
        for (written, mut instead) in values {
            let Span { start, end } = written;
            while let Some(comment) = comments.next_if(|comment| comment.start < end) {
                // A comment inside a value is replaced with it.
                if comment.start < start {
                    self.replace(comment, String::new());
                }
            }
            if text[..start].ends_with(':') {
                instead.insert(0, ' ');
            }
            self.replace(written, instead);
        }
        for comment in comments {
            self.replace(comment, String::new());
        }
    }
}

/// Returns what replaces a field of a sensitive output; `None` if the field is kept. A mark
/// remains a mark.
pub(super) fn redacted_field(
    field: &Member<'_>,
    is_public: &dyn Fn(&str) -> bool,
) -> Option<String> {
    if is_like_mark(&field.name) {
        let is_kept = matches!(field.value.raw(), "true" | "false");
        return (!is_kept).then(|| "true".to_owned());
    }
    Some(match field.value.value() {
        Ok(value) => placeholder(&value, is_public),
        Err(_) => "null".to_owned(),
    })
}

/// Returns a JSON value of the same type that reveals nothing.
pub(super) fn placeholder(value: &Value, is_public: &dyn Fn(&str) -> bool) -> String {
    let mut json = String::new();
    push_placeholder(value, is_public, &mut json);
    json
}

fn push_placeholder(value: &Value, is_public: &dyn Fn(&str) -> bool, json: &mut String) {
    json.push_str(match value {
        Value::Null => "null",
        Value::Bool(_) => "false",
        Value::Number(_) => "0",
        Value::String(_) => "\"(sensitive)\"",
        Value::List(_) => "[",
        Value::Object(_) => "{",
    });
    match value {
        Value::List(items) => {
            if let Some(first) = items.first() {
                push_placeholder(first, is_public, json);
            }
            json.push(']');
        }
        Value::Object(entries) => {
            for (key, value) in entries {
                if is_public(&key.name) {
                    if !json.ends_with('{') {
                        json.push_str(", ");
                    }
                    push_json_string(&key.name, json);
                    json.push_str(": ");
                    push_placeholder(value, is_public, json);
                }
            }
            json.push('}');
        }
        _ => {}
    }
}
