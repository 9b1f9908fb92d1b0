//! Manifests, written so that every YAML reader reads the same.

pub(super) use crate::config::generated::is_data_key;
use crate::config::generated::{DATA_KEYS, NO_DATA_KEY};
use crate::contract::outputs::export::Export;
use crate::outputs::base64_text;
use crate::outputs::{Key, Value};
use yaml::{Span, block, has_long_key};

/// The maximum length of the name of a resource (RFC 1123).
const MAX_NAME: usize = 253;

/// The maximum length of the name of a namespace.
const MAX_NAMESPACE: usize = 63;

/// Returns an object with these entries.
pub(super) fn object(entries: impl IntoIterator<Item = (String, Value)>) -> Value {
    let entry = |(name, value)| {
        let span = Span::point(0);
        (Key { name, span }, value)
    };
    Value::Object(entries.into_iter().map(entry).collect())
}

/// Returns an object with these entries, whose names are fixed.
pub(super) fn fields(entries: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    object(
        entries
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value)),
    )
}

/// Returns a string.
pub(super) fn text(text: impl Into<String>) -> Value {
    Value::String(text.into())
}

/// Returns the `metadata` of a resource; the namespace may be empty.
pub(super) fn metadata(name: &str, namespace: Option<&str>) -> Vec<(&'static str, Value)> {
    let namespace = namespace.map(|namespace| ("namespace", text(namespace)));
    std::iter::once(("name", text(name)))
        .chain(namespace)
        .collect()
}

/// Returns texts as the `data` of a Secret.
pub(super) fn secret_data(entries: impl IntoIterator<Item = (String, String)>) -> Value {
    object(
        entries
            .into_iter()
            .map(|(name, value)| (name, text(base64_text(&value)))),
    )
}

/// Returns documents as a stream.
pub(super) fn stream(documents: &[Value]) -> String {
    let documents: Vec<_> = documents.iter().map(document).collect();
    documents.join("---\n")
}

/// Returns a value as a document of its own.
fn document(value: &Value) -> String {
    let mut text = block(value, 0, "\n");
    text.push('\n');
    text
}

impl Export<'_> {
    /// Reports a name that a resource cannot have: it must be a subdomain as in RFC 1123.
    pub(super) fn check_resource_name(&mut self, name: &str) {
        let is_label = |label: &str| is_dns_label(label);
        if name.len() > MAX_NAME || !name.split('.').all(is_label) {
            self.refuse(
                format!("`{name}` cannot be the name of a resource"),
                "a name has at most 253 characters: lowercase letters, digits, `-` and `.`, with a letter or digit at both ends",
            );
        }
    }

    /// Returns the option `namespace`, and reports one that cannot exist.
    pub(super) fn namespace(&mut self) -> Option<String> {
        let namespace = self.options.text("namespace")?;
        if namespace.len() > MAX_NAMESPACE || !is_dns_label(namespace) {
            self.refuse(
                format!("`{namespace}` cannot be the name of a namespace"),
                "a namespace has at most 63 characters: lowercase letters, digits and `-`, with a letter or digit at both ends",
            );
        }
        Some(namespace.to_owned())
    }

    /// Returns values as a file of their own. Reports keys that YAML readers would not read.
    pub(super) fn values_file(&mut self, values: &Value) -> String {
        if has_long_key(values) {
            self.refuse(
                "a key has more than 1,024 characters, which YAML does not allow on one line"
                    .to_owned(),
                "publish a shorter name",
            );
        }
        document(values)
    }

    /// Reports a key that the `data` of a ConfigMap or a Secret cannot have.
    pub(super) fn check_data_key(&mut self, key: &str) {
        if !is_data_key(key) {
            self.refuse(format!("`{key}` {NO_DATA_KEY}"), DATA_KEYS);
        }
    }
}

fn is_dns_label(label: &str) -> bool {
    let is_edge = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = label.as_bytes();
    bytes.first().is_some_and(is_edge)
        && bytes.last().is_some_and(is_edge)
        && bytes.iter().all(|byte| is_edge(byte) || *byte == b'-')
}
