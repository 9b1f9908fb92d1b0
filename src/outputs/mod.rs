//! Reads outputs documents of any format into one typed model: name → value, type,
//! sensitivity, and the bytes of each.

mod as_manifest;
mod as_terraform;
mod base64;
mod bound;
mod declared;
mod decoded;
mod document;
mod formats;
mod json;
mod other_document;
mod plaintext_secret;
mod position;
mod precision;
mod public;
mod redact;
mod unlike_manifest;
mod value;
mod variables;

pub(crate) use as_manifest::named_as_manifest;
pub(crate) use as_terraform::terraform_document;
pub(crate) use base64::{base64_bytes, base64_text};
pub(crate) use bound::{
    Bindings, Bound, DeclaredOutputs, MAX_WORK, Mark, Named, Overridden, Target, bound_names,
    is_name,
};
pub(crate) use declared::{Declaration, Declarations, DeclaredSensitive};
pub(crate) use decoded::{NotDecoded, decoded_json, decoded_yaml};
#[cfg(test)]
pub(crate) use formats::documented_formats;
#[cfg(feature = "toys")]
pub use formats::{FormatSample, format_samples};
pub(crate) use formats::{
    PLAIN_JSON, Quotes, holds_marked_output, is_variable, repeats_the_object,
};
pub(crate) use json::MAX_DEPTH;
pub(crate) use precision::{has_exponent_as_float, is_inexact_as_float};
pub(crate) use public::without_sensitive_values;
pub use redact::Redaction;
pub(crate) use redact::{redact, with_sensitive_of};
pub(crate) use unlike_manifest::is_outputs;
pub(crate) use value::{Key, Type, Value};

use document::Document;

use crate::collections::OrderedMap;
use crate::report::{Diagnostics, Origin};
use yaml::Span;

/// A file of infra outputs and the name that references use for it.
///
/// Its `Debug` form shows no content: values may be sensitive.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct OutputsDocument {
    /// The bound name: `infra` in `${infra.vpc_id}`.
    pub name: String,
    /// Shown in diagnostics; never opened by the plugin.
    pub path: String,
    /// The document's bytes.
    pub content: Vec<u8>,
    /// A format's id, such as `terraform`; `None`: recognised by content.
    pub format: Option<String>,
    /// Whether the document comes from a Secret: every output in it is sensitive.
    pub sensitive: bool,
    /// The start of the item of a Binding that binds the document, as in `Need::span`: what this
    /// item declares applies to it, and not to others of the name. `None`: what all items of the
    /// name declare.
    pub declared_at: Option<usize>,
}

impl std::fmt::Debug for OutputsDocument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            name,
            path,
            content,
            format,
            sensitive,
            declared_at,
        } = self;
        f.debug_struct("OutputsDocument")
            .field("name", name)
            .field("path", path)
            .field("bytes", &content.len())
            .field("format", format)
            .field("sensitive", sensitive)
            .field("declared_at", declared_at)
            .finish_non_exhaustive()
    }
}

/// The format of an outputs document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentFormat {
    /// The id of the format that reads it. `None`: it is not known.
    pub id: Option<&'static str>,
    /// If it is not known, the ids of the formats that could read the document if they were
    /// named.
    pub possible: Vec<&'static str>,
    /// Whether the format marks which outputs are sensitive. Nothing of a document whose format is
    /// not known is used.
    pub marks_sensitive: bool,
}

/// One output of an outputs document.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// `vpc_id`; names may contain dashes and dots.
    pub(crate) name: String,
    /// The location of the name in its document.
    pub(crate) span: Span,
    pub(crate) value: Value,
    /// The bytes of the value: in YAML everything after the `:`.
    pub(crate) written: Span,
    pub(crate) sensitive: bool,
}

/// An entry of an outputs document that references cannot read.
#[derive(Clone, Debug)]
pub(crate) struct Unreadable {
    pub(crate) name: String,
    /// The location of the name in its document.
    pub(crate) span: Span,
    /// Whether an output of this name in a later document is sensitive, too.
    pub(crate) sensitive: bool,
    /// Continues `it cannot be read: `.
    pub(crate) why: &'static str,
    /// What to do instead.
    pub(crate) help: &'static str,
    /// Whether its value is in the document, although references cannot read it.
    pub(crate) is_written: bool,
}

/// The outputs that a reader could read, and every problem with the rest.
#[derive(Debug, Default)]
pub(crate) struct ReadOutputs {
    /// In the order of the document.
    pub(crate) outputs: Vec<Output>,
    /// Entries that exist, but that references cannot read.
    pub(crate) unreadable: Vec<Unreadable>,
    /// The spans of comments.
    pub(crate) comments: Vec<Span>,
    /// The outputs whose values are not completely known, each with its unknown parts: true
    /// for a value, or a list or an object with true in it.
    pub(crate) unknown: OrderedMap<String, Value>,
    /// Whether every output is sensitive because the document does not mark those that are.
    pub(crate) lacks_marks: bool,
    /// Whether sensitive values can be read in the document.
    pub(crate) has_readable_secrets: bool,
    pub(crate) diagnostics: Diagnostics,
}

/// Returns whether a format is a side of a Terraform plan. Only hosts name these.
pub(crate) fn is_plan_format(id: &str) -> bool {
    help_of_plan(Some(id)).is_some()
}

/// Returns how to write a document of a format, if that is a side of a plan.
fn help_of_plan(id: Option<&str>) -> Option<&'static str> {
    formats::of_id(id?)?.properties().of_plan
}

/// Reads one document, in which some outputs are declared sensitive. Returns what could be
/// read and every problem with the rest.
fn read_declared(
    document: &OutputsDocument,
    declared: DeclaredSensitive,
    origin: Origin,
) -> ReadOutputs {
    let read = || -> Result<_, Diagnostics> {
        let named = document.format.as_deref();
        let opened = Document::open(document, declared, origin).map_err(|mut found| {
            if let Some(help) = help_of_plan(named) {
                let errors = found.iter_mut();
                errors.for_each(|error| error.help = Some(help.to_owned()));
            }
            found
        })?;
        let format = formats::choose(&opened, named)?;
        let mut read = format.read(&opened);
        read.has_readable_secrets = format.properties().publication
            == formats::Publication::OfState
            || read.outputs.iter().any(|output| output.sensitive)
            || (read.unreadable.iter()).any(|entry| entry.sensitive && entry.is_written);
        Ok(read)
    };
    read().unwrap_or_else(|diagnostics| ReadOutputs {
        diagnostics,
        ..ReadOutputs::default()
    })
}

/// Returns which format a document has, or could have.
pub(crate) fn recognise(document: &OutputsDocument) -> DocumentFormat {
    let mut recognised = DocumentFormat {
        id: None,
        possible: Vec::new(),
        marks_sensitive: true,
    };
    let Ok(opened) = Document::open(document, DeclaredSensitive::None, Origin::Outputs(0)) else {
        return recognised;
    };
    match formats::choose(&opened, document.format.as_deref()) {
        Ok(format) => {
            recognised.id = Some(format.id());
            recognised.marks_sensitive = format.properties().marks_sensitive;
        }
        Err(_) => {
            let possible = formats::possible(&opened);
            recognised.possible = possible.map(<dyn formats::Format>::id).collect();
        }
    }
    recognised
}

/// Returns a JSON object of strings.
pub(crate) fn json_of_strings(entries: &[(String, String)]) -> String {
    let mut json = String::from("{");
    for (index, (name, text)) in entries.iter().enumerate() {
        if index > 0 {
            json.push(',');
        }
        value::push_json_string(name, &mut json);
        json.push(':');
        value::push_json_string(text, &mut json);
    }
    json.push('}');
    json
}

/// Returns whether a text is a JSON object of strings, as [`json_of_strings`] writes.
pub(crate) fn is_json_of_strings(text: &str) -> bool {
    let Ok(json) = json::Json::read(text, 0) else {
        return false;
    };
    let root = json.root();
    let members = root.members();
    root.is_object()
        && members
            .iter()
            .all(|member| member.value.raw().starts_with('"'))
}

/// Returns whether a text is a JSON object without duplicate keys.
pub(crate) fn is_json_object(text: &str) -> bool {
    let read = json::Json::read(text, 0);
    read.is_ok_and(|json| matches!(json.root().value(), Ok(Value::Object(_))))
}

/// Returns whether a text is JSON.
pub(crate) fn is_json(text: &str) -> bool {
    json::Json::read(text, 0).is_ok()
}

/// Reads one document of which no Binding declares anything.
#[cfg(test)]
pub(crate) fn read(document: &OutputsDocument, origin: Origin) -> ReadOutputs {
    read_declared(document, DeclaredSensitive::None, origin)
}

/// Returns a value as JSON writes it.
#[cfg(test)]
pub(crate) fn value_of_json(json: &str) -> Value {
    json::Json::read(json, 0).unwrap().root().value().unwrap()
}
