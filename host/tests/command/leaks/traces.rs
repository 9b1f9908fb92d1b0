//! The forms in which a value could be shown, and the search for them in a text.

use std::collections::HashSet;

use base64ct::{Base64Unpadded, Base64UrlUnpadded, Encoding};

/// The shortest value that is searched for. Shorter ones also occur for other reasons.
const SHORTEST: usize = 8;

/// All parts of some values that have a certain length, in every encoding.
pub(crate) struct Traces {
    length: usize,
    parts: HashSet<Vec<u8>>,
    /// Values that are shorter than that.
    short: HashSet<String>,
}

impl Traces {
    /// Returns the traces of no values, in which parts have this length in bytes.
    pub(crate) fn new(length: usize) -> Self {
        Self {
            length,
            parts: HashSet::new(),
            short: HashSet::new(),
        }
    }

    /// Adds a value.
    pub(crate) fn add(&mut self, value: &str) {
        if value.len() < SHORTEST {
            return;
        }
        for encoded in encodings(value) {
            if encoded.len() < self.length {
                self.short.insert(encoded);
            } else {
                self.parts
                    .extend(parts(&encoded, self.length).map(<[u8]>::to_vec));
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.short.is_empty()
    }

    /// Removes what the text shows, because it is public.
    pub(crate) fn remove(&mut self, public: &str) {
        for public in [public, &public.to_lowercase()] {
            for part in parts(public, self.length) {
                self.parts.remove(part);
            }
            self.short.retain(|value| !public.contains(value));
        }
    }

    /// Returns the first part of a value in a text, in any case.
    pub(crate) fn find(&self, text: &str) -> Option<String> {
        let folded = text.to_lowercase();
        [text, &folded].into_iter().find_map(|text| {
            let part = parts(text, self.length).find(|part| self.parts.contains(*part));
            let part = part.map(|part| String::from_utf8_lossy(part).into_owned());
            part.or_else(|| {
                self.short
                    .iter()
                    .find(|value| text.contains(*value))
                    .cloned()
            })
        })
    }
}

fn parts(text: &str, length: usize) -> impl Iterator<Item = &[u8]> {
    text.as_bytes().windows(length)
}

/// Returns a value as text, in lower case, JSON, a URL, hexadecimal, and base64.
fn encodings(value: &str) -> Vec<String> {
    let json = serde_json::Value::from(value).to_string();
    let percent = |byte: u8| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    let mut encodings = vec![
        value.to_owned(),
        value.to_lowercase(),
        json.trim_matches('"').to_owned(),
        value.bytes().map(percent).collect(),
        value.bytes().map(|byte| format!("{byte:02x}")).collect(),
    ];
    for offset in 0..3 {
        // Inside a longer text, base64 depends on the offset of the value modulo 3. The
        // digits that depend on the text before and after the value are left out.
        let bytes = [&[0; 2][..offset], value.as_bytes()].concat();
        let whole = bytes.len() / 3 * 4;
        for encoded in [
            Base64Unpadded::encode_string(&bytes),
            Base64UrlUnpadded::encode_string(&bytes),
        ] {
            encodings.push(encoded[[0, 2, 3][offset]..whole].to_owned());
        }
    }
    encodings
}

/// Returns a YAML stream without the `data` and `stringData` of its Secrets, also of those
/// that are items of a list: the only place for sensitive values. Reads the block style of
/// the manifests in this test and of exports.
pub(crate) fn outside_secrets(stream: &str) -> String {
    let mut outside = String::new();
    let mut is_secret = false;
    let mut data_at: Option<usize> = None;
    for line in stream.lines() {
        let field = line.trim_start_matches(['-', ' ']);
        let indentation = line.len() - field.len();
        if line.starts_with("---") || line.starts_with("- ") {
            (is_secret, data_at) = (false, None);
        }
        if data_at.is_some_and(|at| indentation > at || line.is_empty()) {
            continue;
        }
        data_at = None;
        is_secret |= field == "kind: Secret" && indentation <= 2;
        if is_secret && indentation <= 2 && matches!(field, "data:" | "stringData:") {
            data_at = Some(indentation);
        }
        outside.push_str(line);
        outside.push('\n');
    }
    outside
}

#[test]
fn values_are_found_in_every_form() {
    let mut traces = Traces::new(8);
    traces.add("correct\"horse/battery");
    for text in [
        "a correct\" b",
        "CORRECT\"HORSE",
        "correct\\\"horse",
        "correct%22horse",
        "Y29ycmVjdCJob3JzZS9iYXR0ZXJ5",
        // `x` and `xy` before it.
        "eGNvcnJlY3QiaG9yc2UvYmF0dGVyeQ==",
        "eHljb3JyZWN0ImhvcnNlL2JhdHRlcnk=",
        "636f7272656374",
    ] {
        assert!(traces.find(text).is_some(), "{text}");
    }
    assert_eq!(traces.find("correct horse"), None);
    traces.remove("correct\"");
    assert_eq!(traces.find("a correct\" b"), None);
}

#[test]
fn only_the_data_of_secrets_is_left_out() {
    let stream = "kind: Secret\nmetadata: {name: a}\ndata:\n  a: b\n\n  c: |\n    d\nx: y\n---\nkind: ConfigMap\ndata:\n  e: f\n";
    let outside =
        "kind: Secret\nmetadata: {name: a}\ndata:\nx: y\n---\nkind: ConfigMap\ndata:\n  e: f\n";
    assert_eq!(outside_secrets(stream), outside);
    let list =
        "items:\n- kind: Secret\n  stringData:\n    a: b\n- kind: ConfigMap\n  data:\n    a: b\n";
    assert_eq!(outside_secrets(list), list.replacen("    a: b\n", "", 1));
}
