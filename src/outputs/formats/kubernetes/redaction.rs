//! Kubernetes objects without the values of their sensitive outputs.

use std::borrow::Cow;

use super::{
    Entry, HEADER, ObjectFormat, ObjectKind, SECRET_TYPE, TYPE_SUFFIX, has_properties, root,
};
use crate::collections::{OrderedMap, OrderedSet};
use crate::outputs::document::Document;
use crate::outputs::redact::{Redaction, placeholder};
use crate::outputs::value::push_json_string;
use crate::outputs::{Output, ReadOutputs, Unreadable, base64_bytes, base64_text};
use yaml::Span;

/// Redacts an object: its outputs that are sensitive, the annotations that may repeat them,
/// and comments. `read` is what was read from it. Returns `None` if it has errors, aliases or
/// unknown fields.
pub(super) fn redaction(
    format: &ObjectFormat,
    document: &Document<'_>,
    read: ReadOutputs,
    is_public: &dyn Fn(&str) -> bool,
) -> Option<Redaction> {
    if read.diagnostics.has_errors() {
        return None;
    }
    let is_secret = format.kind != ObjectKind::ConfigMap;
    let declared = |entry: &Unreadable| document.declares_sensitive(&entry.name);
    if !is_secret
        && !read.outputs.iter().any(|output| output.sensitive)
        && !read.unreadable.iter().any(declared)
    {
        return Some(Redaction::default());
    }
    if document.json().is_err() {
        // An alias could repeat a value, or lose its anchor.
        let tree = document.tree()?;
        if tree.ids().any(|id| has_properties(tree, id)) {
            return None;
        }
    }
    let fields = root(document)?.entries(document.text)?;
    let mut redactor = Redactor {
        document,
        is_secret,
        outputs: read
            .outputs
            .iter()
            .map(|output| (output.written.start, output))
            .collect(),
        entries: fields
            .iter()
            .flat_map(|field| data(document, field))
            .map(|entry| entry.name)
            .collect(),
        names: read.outputs.iter().map(|output| &*output.name).collect(),
        unreadable: read.unreadable.iter().map(|entry| &*entry.name).collect(),
        is_public,
        values: Vec::new(),
        redaction: Redaction::default(),
    };
    for field in &fields {
        match &*field.name {
            name if HEADER.contains(&name) => {}
            "metadata" => redactor.metadata(field, format.keeps_annotation)?,
            "data" => redactor.data(field)?,
            "stringData" if is_secret => redactor.data(field)?,
            "binaryData" if !is_secret => redactor.data(field)?,
            _ => return None,
        }
    }
    let Redactor {
        values,
        mut redaction,
        ..
    } = redactor;
    redaction.replace_all(document.text, values, read.comments);
    Some(redaction)
}

/// Returns the entries of a field that holds data.
fn data<'o>(document: &Document<'_>, field: &Entry<'o>) -> Vec<Entry<'o>> {
    let entries = match &*field.name {
        "data" | "stringData" | "binaryData" => field.value.entries(document.text),
        _ => None,
    };
    entries.unwrap_or_default()
}

/// Collects what to replace in an object.
struct Redactor<'r, 'd> {
    document: &'r Document<'d>,
    is_secret: bool,
    /// The outputs by the position of their values.
    outputs: OrderedMap<usize, &'r Output>,
    names: OrderedSet<&'r str>,
    unreadable: OrderedSet<&'r str>,
    /// The names of all entries.
    entries: OrderedSet<Cow<'r, str>>,
    is_public: &'r dyn Fn(&str) -> bool,
    /// Ascending.
    values: Vec<(Span, String)>,
    redaction: Redaction,
}

impl Redactor<'_, '_> {
    /// Replaces the entries of a field. Returns `None` if some of them are unclear.
    fn data(&mut self, field: &Entry<'_>) -> Option<()> {
        let is_base64 = match &*field.name {
            "data" => self.is_secret,
            name => name == "binaryData",
        };
        for entry in data(self.document, field) {
            let output = self.outputs.get(&entry.written.start).copied();
            let is_sensitive = match output {
                Some(output) => output.sensitive,
                None => self.is_secret || self.document.declares_sensitive(&entry.name),
            };
            if !is_sensitive {
                continue;
            }
            let is_type_of = |name: &str| self.is_typed(name);
            let text = match output {
                Some(output) if self.is_typed(&output.name) => {
                    placeholder(&output.value, self.is_public)
                }
                None if entry.name.strip_suffix(TYPE_SUFFIX).is_some_and(is_type_of) => {
                    "\"dynamic\"".to_owned()
                }
                _ => "(sensitive)".to_owned(),
            };
            let mut written = String::new();
            if is_base64 {
                let bytes = base64_bytes(&entry.value.string().ok()?)?;
                written = match std::str::from_utf8(&bytes) {
                    Ok(_) => format!("\"{}\"", base64_text(&text)),
                    // It isn't UTF-8 either.
                    Err(_) => "\"/w==\"".to_owned(),
                };
            } else {
                push_json_string(&text, &mut written);
            }
            self.replace(&entry, written);
            if output.is_some() || self.unreadable.contains(&*entry.name) {
                self.redaction.outputs.push(entry.name.into_owned());
            }
        }
        Some(())
    }

    /// Replaces a value. Null is nothing to redact, and may have no bytes.
    fn replace(&mut self, entry: &Entry<'_>, instead: String) {
        if !entry.value.is_null() {
            self.values.push((entry.written, instead));
        }
    }

    /// Returns whether an output has a type, which is another entry.
    fn is_typed(&self, name: &str) -> bool {
        let name_of_type = format!("{name}{TYPE_SUFFIX}");
        self.names.contains(name)
            && self.entries.contains(&*name_of_type)
            && !self.names.contains(&*name_of_type)
    }

    /// Replaces the annotations, and the labels if they are an output that is sensitive.
    /// Returns `None` if some of them are unclear.
    fn metadata(&mut self, field: &Entry<'_>, keeps: fn(&str) -> bool) -> Option<()> {
        let text = self.document.text;
        for part in field.value.entries(text)? {
            let output = self.outputs.get(&part.written.start).copied();
            if let Some(output) = output.filter(|output| output.sensitive) {
                let is_public = |key: &str| key == SECRET_TYPE || (self.is_public)(key);
                let instead = placeholder(&output.value, &is_public);
                // A cluster stays a cluster.
                let label = format!("\"{SECRET_TYPE}\": \"");
                let cluster = format!("{label}cluster\"");
                let instead = instead.replace(&format!("{label}(sensitive)\""), &cluster);
                self.replace(&part, instead);
                self.redaction.outputs.push(output.name.clone());
            } else if part.name == "annotations" && !part.value.is_null() {
                for annotation in part.value.entries(text)? {
                    if !keeps(&annotation.name) {
                        let instead = "\"(sensitive)\"".to_owned();
                        self.replace(&annotation, instead);
                    }
                }
            } else if !part.is_clear {
                return None;
            }
        }
        Some(())
    }
}
