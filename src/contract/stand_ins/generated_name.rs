//! Names of Secrets that end with a hash of their data, as kustomize generates them.

use sha2::{Digest, Sha256};

use crate::collections::OrderedMap;
use yaml::{Kind, NodeId, Tree};

/// The length of a hash in a name.
const HASH: usize = 10;

/// Returns a name without its hash.
pub(super) fn without_hash(name: &str) -> Option<&str> {
    let (base, hash) = name.rsplit_once('-')?;
    (hash.len() == HASH).then_some(base)
}

/// Returns the name of a Secret with the hash that kustomize adds to `base` (`encodeSecret` in
/// api/hasher/hasher.go, kustomize 5.8.1). `changed` are texts that replace those of scalars.
pub(super) fn with_hash(base: &str, tree: &Tree, changed: &OrderedMap<NodeId, String>) -> String {
    let field = |name: &str| {
        let mut fields = tree.entries(0);
        let found = fields.find(|(key, _)| tree.text(*key) == Some(name));
        found.map(|(_, value)| value)
    };
    let of_type = field("type").and_then(|id| tree.text(id));
    let mut json = String::from("{\"data\":");
    match field("data") {
        Some(data) => push_map(tree, data, changed, &mut json),
        None => json.push_str("\"\""),
    }
    // kustomize looks for the name in the wrong place, so it is always empty.
    json.push_str(",\"kind\":\"Secret\",\"name\":\"\"");
    if let Some(data) = field("stringData") {
        json.push_str(",\"stringData\":");
        push_map(tree, data, changed, &mut json);
    }
    json.push_str(",\"type\":");
    push_string(of_type.unwrap_or_default(), &mut json);
    json.push('}');
    let digest = Sha256::digest(json.as_bytes());
    let halves = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let hash: String = halves.take(HASH).map(letter).collect();
    format!("{base}-{hash}")
}

/// Returns the letter of a hexadecimal digit: none makes a word.
fn letter(digit: u8) -> char {
    match digit {
        0 => 'g',
        1 => 'h',
        3 => 'k',
        10 => 'm',
        14 => 't',
        digit => char::from_digit(digit.into(), 16).unwrap_or('g'),
    }
}

/// Writes the strings of a mapping as Go's encoding/json does, by ascending keys.
fn push_map(tree: &Tree, id: NodeId, changed: &OrderedMap<NodeId, String>, json: &mut String) {
    if !matches!(tree[id].kind(), Kind::Mapping { .. }) {
        return push_string(tree.text(id).unwrap_or_default(), json);
    }
    let entries: OrderedMap<&str, &str> = tree
        .entries(id)
        .filter_map(|(key, value)| {
            let text = changed.get(&value).map(String::as_str);
            Some((tree.text(key)?, text.or_else(|| tree.text(value))?))
        })
        .collect();
    for (nth, (key, value)) in entries.iter().enumerate() {
        json.push(if nth == 0 { '{' } else { ',' });
        push_string(key, json);
        json.push(':');
        push_string(value, json);
    }
    json.push_str(if entries.is_empty() { "{}" } else { "}" });
}

/// Writes a string as Go's encoding/json does, which escapes HTML.
fn push_string(text: &str, json: &mut String) {
    json.push('"');
    for char in text.chars() {
        match char {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            '\u{8}' => json.push_str("\\b"),
            '\u{c}' => json.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                json.push_str(&format!("\\u{:04x}", u32::from(char)));
            }
            char => json.push(char),
        }
    }
    json.push('"');
}
