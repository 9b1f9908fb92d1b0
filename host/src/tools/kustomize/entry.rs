//! The inputs of generators. kustomize puts their text into an entry of a ConfigMap or a
//! Secret, so each is rendered as such an entry: what is allowed in it, and how a value is
//! written, follows from the generator and the key, as if the entry were written by hand.
//! The content of the file does not matter: in the input of a `configMapGenerator`, even the
//! manifest of a Secret is text of a ConfigMap.

use std::collections::BTreeSet;
use std::ops::Range;

use super::envs;

/// The columns before each line of the text.
const INDENT: usize = 4;

/// The maximum length of a key of a ConfigMap.
const MAX_NAME: usize = 253;

/// A document with the text of a file as its only entry.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) document: Vec<u8>,
    /// Where the lines of the text begin in the document.
    lines: Vec<Line>,
    /// Whether the document has a line break after the text, which the text does not have. So
    /// a line break at the end of a value stays.
    adds_break: bool,
    /// Whether some bytes of the text are missing in the document, so that it cannot be rendered.
    pub(super) is_altered: bool,
}

#[derive(Debug)]
struct Line {
    in_document: usize,
    in_text: usize,
}

/// The entry that a generator makes of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Target {
    pub(super) of_secret: bool,
    pub(super) generator: String,
    pub(super) key: String,
    pub(super) is_env: bool,
}

impl Target {
    const fn field(&self) -> &'static str {
        if self.of_secret { "stringData" } else { "data" }
    }

    /// Returns a document up to its entries.
    fn head(&self) -> String {
        let kind = if self.of_secret {
            "Secret"
        } else {
            "ConfigMap"
        };
        let (name, field) = (yaml::double_quoted(&self.generator), self.field());
        format!("apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}}}\n{field}:\n")
    }
}

impl Entry {
    /// Creates the document. Characters that a literal block cannot contain become spaces.
    pub(crate) fn new(content: &[u8], target: &Target) -> Self {
        let (text, is_altered) = representable(content);
        let mut document = target.head();
        document.push_str(&format!("  {}: |2+\n", yaml::double_quoted(&target.key)));
        let mut lines = Vec::new();
        let mut in_text = 0;
        for line in text.split_inclusive('\n') {
            document.push_str(&" ".repeat(INDENT));
            lines.push(Line {
                in_document: document.len(),
                in_text,
            });
            document.push_str(line);
            in_text += line.len();
        }
        let adds_break = !text.ends_with('\n');
        if adds_break {
            document.push('\n');
        }
        let mut entry = Self {
            document: Vec::new(),
            lines,
            adds_break,
            is_altered,
        };
        entry.is_altered |= entry.text(&document, target) != Some(text);
        entry.document = document.into_bytes();
        entry
    }

    /// Creates a document with the variables that have a placeholder, each a quoted scalar: text
    /// in a block could be that of another language. For diagnostics alone.
    pub(super) fn of_variables(content: &[u8], target: &Target) -> Self {
        let (text, is_altered) = representable(content);
        let mut document = target.head();
        let mut lines = Vec::new();
        let mut names = BTreeSet::new();
        for (in_text, name, value) in envs::variables(&text) {
            // kustomize refuses a name that is repeated, and Kubernetes one that is longer.
            if !value.contains("${") || name.len() > MAX_NAME || !names.insert(name) {
                continue;
            }
            document.push_str(&format!("  {}: ", yaml::double_quoted(name)));
            let has_single = value.contains('\'');
            let quote = if has_single && !value.contains(['"', '\\']) {
                '"'
            } else {
                '\''
            };
            document.push(quote);
            lines.push(Line {
                in_document: document.len(),
                in_text,
            });
            if quote == '"' {
                document.push_str(value);
            } else {
                document.push_str(&value.replace('\'', " "));
            }
            document.extend([quote, '\n']);
        }
        Self {
            document: document.into_bytes(),
            lines,
            adds_break: false,
            is_altered,
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the text of the entry of a rendered document. None: it has other entries, which
    /// only a field binding can add.
    pub(super) fn text(&self, document: &str, target: &Target) -> Option<String> {
        let tree = yaml::locate(document).ok()?;
        let mut fields = tree.entries(0);
        let (_, data) = fields.find(|(key, _)| tree.text(*key) == Some(target.field()))?;
        let mut entries = tree.entries(data);
        let (key, value) = entries.next()?;
        if entries.next().is_some() || tree.text(key) != Some(&target.key) {
            return None;
        }
        let text = tree.text(value)?;
        if self.adds_break {
            text.strip_suffix('\n').map(str::to_owned)
        } else {
            Some(text.to_owned())
        }
    }

    /// Returns the bytes of the file for bytes of the document.
    pub(super) fn in_file(&self, range: &Range<usize>) -> Range<usize> {
        let at = |offset: usize| {
            let next = self
                .lines
                .partition_point(|line| line.in_document <= offset);
            match next.checked_sub(1).and_then(|nth| self.lines.get(nth)) {
                Some(line) => {
                    let at = line.in_text + (offset - line.in_document);
                    let end = self.lines.get(next).map(|line| line.in_text);
                    at.min(end.unwrap_or(at))
                }
                None => 0,
            }
        };
        let start = at(range.start);
        start..at(range.end).max(start)
    }
}

/// Returns the text of a file as a literal block can contain it, and whether it differs from
/// the file. Every byte keeps its place.
fn representable(content: &[u8]) -> (String, bool) {
    let mut text = String::with_capacity(content.len());
    let mut is_altered = false;
    for chunk in content.utf8_chunks() {
        for char in chunk.valid().chars() {
            let is_printable = match char {
                '\n' | '\t' => true,
                '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => false,
                char => !char.is_control(),
            };
            if is_printable {
                text.push(char);
            } else {
                is_altered = true;
                text.push_str(&" ".repeat(char.len_utf8()));
            }
        }
        is_altered |= !chunk.invalid().is_empty();
        text.push_str(&" ".repeat(chunk.invalid().len()));
    }
    (text, is_altered)
}

#[cfg(test)]
mod tests {
    use super::{Entry, Target};

    fn target(key: &str) -> Target {
        Target {
            of_secret: false,
            generator: "web".to_owned(),
            key: key.to_owned(),
            is_env: false,
        }
    }

    #[test]
    fn the_text_of_the_document_is_that_of_the_file() {
        for content in [
            "",
            "a",
            "a\n",
            "a\n\n\n",
            "\n",
            "\n\na",
            "  indented\nless\n\ttab\n",
            "a\n   ",
            " \n",
            "# comment\n---\n...\nkey: [\n%YAML\n",
            "x: |2+\n    y\n",
            "ü€𝄞\n",
        ] {
            let entry = Entry::new(content.as_bytes(), &target("a.txt"));
            let document = std::str::from_utf8(&entry.document).unwrap();
            assert_eq!(
                entry.text(document, &target("a.txt")).as_deref(),
                Some(content)
            );
            assert!(!entry.is_altered, "{content:?}");
        }
    }

    #[test]
    fn bytes_of_the_document_lead_back_to_the_file() {
        let content = "first\n\n  x: ${infra.a}\nlast";
        let entry = Entry::new(content.as_bytes(), &target("k"));
        let document = std::str::from_utf8(&entry.document).unwrap();
        for part in ["first", "${infra.a}", "infra", "last"] {
            let at = document.rfind(part).unwrap();
            let range = entry.in_file(&(at..at + part.len()));
            assert_eq!(&content[range], part);
        }
        assert_eq!(entry.in_file(&(0..5)), 0..0);
    }

    #[test]
    fn what_a_block_cannot_contain_keeps_its_place() {
        for content in [
            &b"a\r\nb\r\n"[..],
            b"\x00\xff\xfe${infra.a}",
            "\u{feff}a=b\n".as_bytes(),
            "a\u{85}b\n".as_bytes(),
        ] {
            let entry = Entry::new(content, &target("k"));
            assert!(entry.is_altered, "{content:?}");
            let document = std::str::from_utf8(&entry.document).unwrap();
            let text = entry.text(document, &target("k")).unwrap();
            assert_eq!(text.len(), content.len());
        }
    }
}
