//! Secrets and other resources with base64 in every position and style.

use crate::choices::Choices;

/// One entry, identified by its key, which is unique in the manifest.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    /// Whether a cluster decodes it to a text with a reference to a bound name.
    pub(super) is_found: bool,
}

/// One manifest.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) manifest: String,
    pub(super) entries: Vec<Entry>,
    /// Whether the manifest is a ResourceList.
    pub(super) is_list: bool,
}

/// The encoded texts, and whether each is a reference to a bound name.
const TEXTS: &[(&str, bool)] = &[
    ("${infra.x}", true),
    ("${infra.x | default(\"a\")}", true),
    ("${ infra . x }", true),
    ("${network[0].y}", true),
    ("${infra[\"a b\"]}", true),
    ("${infra\n.x}", true),
    ("${other.y} ${infra.x}", true),
    ("${infra.x", false),
    ("${infra}", false),
    ("$${infra.x}", false),
    ("${other.x}", false),
    ("${infr.x}", false),
    ("$infra.x {infra.x}", false),
    ("${infra.x:-y}", false),
    ("", false),
];

/// Surrounding bytes, so that the text begins at every offset of a group of three.
const AROUND: &[&[u8]] = &[
    b"",
    b"a",
    b"ab",
    b"abc",
    b"host=\xff\x00",
    b"{$",
    b"line\nline\n",
    b"{\"a\": 1}",
];

pub(super) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let byte = |nth: usize| usize::from(group.get(nth).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for nth in 0..4 {
            text.push(if nth <= group.len() {
                char::from(ALPHABET[bits >> (18 - 6 * nth) & 63])
            } else {
                '='
            });
        }
    }
    text
}

struct Generator<'a, 'c> {
    choices: &'a mut Choices<'c>,
    text: String,
    entries: Vec<Entry>,
}

impl Generator<'_, '_> {
    /// Returns encoded text, and whether it has a reference to a bound name.
    fn encoded(&mut self) -> (String, bool) {
        let (text, is_reference) = self.choices.pick(TEXTS);
        let (before, after) = (self.choices.pick(AROUND), self.choices.pick(AROUND));
        let bytes = [before, text.as_bytes(), after].concat();
        // A `$` before the first reference makes it an escape.
        let is_escaped = before.ends_with(b"$") && !text.starts_with("${other");
        (base64(&bytes), is_reference && !is_escaped)
    }

    /// Writes an entry of a mapping whose keys have this indentation.
    fn entry(&mut self, indent: &str, is_decoded: bool) {
        let key = format!("key{}z", self.entries.len());
        let (encoded, is_reference) = self.encoded();
        let (encoded, is_base64) = if self.choices.one_in(8) {
            // One character too few: a cluster rejects it.
            (encoded.get(1..).unwrap_or_default().to_owned(), false)
        } else {
            (encoded, true)
        };
        let width = self.choices.pick(&[76, 64, 1, 2, 3, 5, 7]);
        let lines: Vec<&str> = encoded
            .as_bytes()
            .chunks(width)
            .map(|line| std::str::from_utf8(line).unwrap_or_default())
            .collect();
        let further = format!("\n{indent}  ");
        let value = match self.choices.below(12) {
            0 => format!("\"{encoded}\""),
            1 => format!("'{encoded}'"),
            2 if !lines.is_empty() => format!("|{further}{}", lines.join(&further)),
            3 if !lines.is_empty() => format!(">-{further}{}", lines.join(&further)),
            4 if !lines.is_empty() => format!("|-{further}{}", lines.join(&further)),
            // Go's decoder skips line breaks, but not spaces.
            5 => format!("\"{}\"", lines.join("\\n")),
            6 => format!("\"{}\"", lines.join(&format!("\\{further}"))),
            7 => format!("\"{}\"", lines.join(&format!("\\n\\{further}"))),
            8 => format!("\"{}\"", escaped(&encoded, self.choices)),
            9 => format!("!!str {encoded}"),
            10 => format!("{encoded} # {}", base64(b"${infra.x}")),
            _ => encoded,
        };
        self.text.push_str(&format!("{indent}{key}: {value}\n"));
        self.entries.push(Entry {
            key,
            is_found: is_decoded && is_base64 && is_reference,
        });
    }

    fn entries(&mut self, indent: &str, is_decoded: bool) {
        for _ in 0..1 + self.choices.below(4) {
            self.entry(indent, is_decoded);
        }
    }

    /// Writes entries that aliases or merge keys place where they are decoded, with the
    /// anchors elsewhere.
    fn aliases(&mut self, is_decoded: bool) {
        let field = if is_decoded { "data" } else { "stringData" };
        let name = format!("v{}z", self.entries.len());
        let (encoded, is_found) = self.encoded();
        let (value, data) = match self.choices.below(4) {
            0 => (format!("&{name} {encoded}"), format!("{{a: *{name}}}")),
            1 => (
                format!("[&{name} \"{encoded}\"]"),
                format!("{{a: *{name}, b: x}}"),
            ),
            2 => (format!("&{name} {{a: {encoded}}}"), format!("*{name}")),
            _ => (
                format!("&{name} {{a: '{encoded}'}}"),
                format!("{{<<: *{name}}}"),
            ),
        };
        self.text.push_str(&format!(
            "apiVersion: v1\nkind: List\nitems:\n- {{apiVersion: example.com/v1, kind: Widget, spec: {value}}}\n- {{apiVersion: v1, kind: Secret, {field}: {data}}}\n"
        ));
        self.entries.push(Entry {
            key: format!("*{name}"),
            is_found: is_found && is_decoded,
        });
    }

    /// Returns `{key: value, …}` on one line.
    fn flow(&mut self, is_decoded: bool) -> String {
        let mut entries = Vec::new();
        for _ in 0..1 + self.choices.below(3) {
            let key = format!("key{}z", self.entries.len());
            let (encoded, is_found) = self.encoded();
            let value = match self.choices.below(3) {
                0 => format!("\"{encoded}\""),
                1 => format!("'{encoded}'"),
                _ => encoded,
            };
            entries.push(format!("{key}: {value}"));
            self.entries.push(Entry {
                key,
                is_found: is_decoded && is_found,
            });
        }
        format!("{{{}}}", entries.join(", "))
    }

    fn document(&mut self) {
        let header = |version: &str, kind: &str| {
            format!("apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n")
        };
        let mut begin = |version: &str, kind: &str, rest: &str| {
            self.text.push_str(&header(version, kind));
            self.text.push_str(rest);
        };
        match self.choices.below(14) {
            0 => {
                begin("v1", "ConfigMap", "binaryData:\n");
                self.entries("  ", true);
            }
            1 => {
                begin("v1", "ConfigMap", "data:\n");
                self.entries("  ", false);
            }
            2 => {
                begin("v1", "Secret", "stringData:\n");
                self.entries("  ", false);
            }
            3 => {
                begin("example.com/v1", "Secret", "data:\n");
                self.entries("  ", false);
            }
            4 => {
                begin("v1", "Secret", "");
                let data = self.flow(true);
                self.text.push_str(&format!("data: {data}\n"));
            }
            5 => {
                let (one, other) = (self.flow(true), self.flow(false));
                self.text.push_str(&format!(
                    "apiVersion: v1\nkind: List\nitems:\n- {{apiVersion: v1, kind: Secret, data: {one}}}\n- {{apiVersion: v1, kind: ConfigMap, data: {other}}}\n"
                ));
            }
            6 => {
                self.text.push_str("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  data:\n");
                self.entries("    ", true);
            }
            7 => {
                self.text.push_str("apiVersion: v1\nkind: Secret\nmetadata:\n  annotations: {landfall.dev/substitute: disabled}\ndata:\n");
                self.entries("  ", false);
            }
            8 => self.aliases(true),
            9 => self.aliases(false),
            10 => {
                // The kind comes last.
                self.text.push_str("data:\n");
                self.entries("  ", true);
                self.text.push_str("kind: Secret\napiVersion: v1\n");
            }
            _ => {
                begin("v1", "Secret", "data:\n");
                self.entries("  ", true);
            }
        }
    }
}

/// Replaces some characters by escapes for double quotes.
fn escaped(encoded: &str, choices: &mut Choices<'_>) -> String {
    let every = choices.pick(&[1, 2, 3, 5]);
    let escape = |(nth, c): (usize, char)| match nth % every {
        0 if c == '/' => "\\/".to_owned(),
        0 => format!("\\x{:02x}", u32::from(c)),
        _ => c.to_string(),
    };
    encoded.chars().enumerate().map(escape).collect()
}

impl Case {
    pub(super) fn generate(choices: &mut Choices<'_>) -> Self {
        let mut generator = Generator {
            choices,
            text: String::new(),
            entries: Vec::new(),
        };
        let is_list = generator.choices.one_in(4);
        let mut documents = Vec::new();
        for _ in 0..1 + generator.choices.below(3) {
            generator.document();
            documents.push(std::mem::take(&mut generator.text));
        }
        let manifest = if is_list {
            let items = documents.iter().map(|text| {
                let lines: String = text.lines().map(|line| format!("  {line}\n")).collect();
                format!("-{}", &lines[1..])
            });
            format!(
                "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{}",
                items.collect::<String>()
            )
        } else {
            documents.join("---\n")
        };
        Self {
            manifest,
            entries: generator.entries,
            is_list,
        }
    }
}
