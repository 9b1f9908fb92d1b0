//! Decides once for all ordinary texts whether they are written unchanged in place of some
//! parts of a scalar.

use std::ops::Range;

use super::{NodeEditor, Part, Text};
use crate::scalar::plain_reads_back;
use crate::tree::Style;

/// An ordinary text that reads back only where all others do. A `T` may continue a date,
/// and the other letters begin nothing.
static EXAMPLE: Text<'static> = Text("Tqqqqq");

impl Part<'static, Text<'static>> {
    /// Creates a part that some [ordinary](crate::is_ordinary) text replaces, for
    /// [`NodeEditor::writes_ordinary_texts`].
    #[must_use]
    pub fn of_ordinary_text(decoded: Range<usize>, raw: Range<usize>) -> Self {
        Self {
            decoded,
            raw,
            value: Some(&EXAMPLE),
        }
    }
}

impl NodeEditor<'_> {
    /// Returns whether [`replace_parts`](Self::replace_parts) writes any
    /// [ordinary](crate::is_ordinary) texts as they are, in place of these
    /// [parts](Part::of_ordinary_text) and nothing else: then it need not be called for each
    /// of them.
    ///
    /// `false` for keys, tagged scalars, flow scalars on several lines and folded scalars,
    /// where a text may be written in another way.
    #[must_use]
    pub fn writes_ordinary_texts(&self, parts: &[Part<'_, Text<'_>>]) -> bool {
        let decoded = self.decoded;
        if self.is_key() || self.json || self.node().tag().is_some() {
            return false;
        }
        match self.style() {
            Style::SingleQuoted | Style::DoubleQuoted => !self.is_multi_line(),
            Style::Plain if self.is_multi_line() || decoded.raw.len() != decoded.text.len() => {
                false
            }
            // An ordinary text needs no quotes itself.
            Style::Plain if self.whole_value(parts).is_some() => true,
            Style::Plain => plain_reads_back(&self.text_with(parts), self.context()),
            Style::Literal => {
                let edits = self.block_edits(parts, &self.text_with(parts));
                edits.is_some_and(|edits| {
                    edits.len() == parts.len()
                        && (edits.iter().zip(parts)).all(|(edit, part)| {
                            edit.span.range() == part.raw && edit.text == EXAMPLE.0.as_bytes()
                        })
                })
            }
            Style::Folded => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{NodeEditor, Part, Value, decode, is_ordinary, locate, masked};

    /// What may surround a part: the beginnings and ends of everything that isn't text.
    const SURROUNDINGS: &[&str] = &[
        "",
        "0",
        "0x",
        "0b",
        "1e",
        "1e+",
        "-",
        "--",
        "---",
        "--- ",
        "...",
        "+",
        ".",
        "_",
        "__",
        "n",
        "y",
        "~",
        "20",
        "2024-",
        "2024-01-",
        "2024-01-01",
        "2024-01-01 ",
        "2024-1-1T",
        "12:30",
        "12:30:",
        "190:20.",
        "a: ",
        ": ",
        ":",
        " ",
        "a ",
        " #",
        "#",
        "? ",
        "?",
        "&",
        "*",
        "!",
        "%",
        "@",
        "a,",
        "[",
        "{",
        "a]",
        "'",
        "''",
        "e",
        "T",
        "t",
        "-x",
        "b c",
        "\u{1f}",
    ];

    const VALUES: &[&str] = &[
        "Tqqqqq",
        "team-1",
        "t00:00:00z",
        "e12345z",
        "x00ffgg",
        "on-call",
        "null-ish",
        "bx0101g",
        "ox0707h",
        "vpc-0ab1",
        "arn:aws:iam::012345678901:role/x",
        "https://sqs.a.com/1/x=~",
        "nan.inf+e3",
        "y_y_y_1",
    ];

    /// Checks a document in which `MARKED` is the part; returns whether any ordinary text
    /// is written as it is.
    fn check(source: &str) -> bool {
        let at = source.find("MARKED").unwrap();
        let raw = at..at + "MARKED".len();
        let Ok(tree) = locate(masked(source, [&raw].into_iter())) else {
            return false;
        };
        let holds = |id: &usize| {
            let range = tree[*id].range();
            tree[*id].style().is_some() && range.start <= raw.start && raw.end <= range.end
        };
        let Some(id) = (0..tree.len()).rev().find(holds) else {
            return false;
        };
        let decoded = decode(source, &tree, id).unwrap();
        let Some(start) = decoded.decoded_at(raw.start) else {
            return false;
        };
        let editor = NodeEditor {
            source,
            tree: &tree,
            id,
            decoded: &decoded,
            json: false,
        };
        let range = start..start + raw.len();
        let part = Part::of_ordinary_text(range.clone(), raw.clone());
        if !editor.writes_ordinary_texts(&[part]) {
            return false;
        }
        for text in VALUES {
            let value = Value::String((*text).to_owned());
            let part = Part {
                decoded: range.clone(),
                raw: raw.clone(),
                value: Some(&value),
            };
            let edits = editor.replace_parts(&[part]).unwrap();
            assert!(
                matches!(&edits[..], [edit] if edit.span.range() == raw && edit.text == text.as_bytes()),
                "{text} in {source}"
            );
        }
        true
    }

    #[test]
    fn the_values_of_these_tests_are_ordinary() {
        for text in VALUES {
            assert!(is_ordinary(text), "{text}");
        }
    }

    #[test]
    fn what_is_decided_once_holds_for_each_text() {
        let (mut all, mut alike) = (0, 0);
        for before in SURROUNDINGS {
            for after in SURROUNDINGS {
                for source in [
                    format!("a: {before}MARKED{after}\n"),
                    format!("[{before}MARKED{after}]\n"),
                    format!("{{a: {before}MARKED{after}}}\n"),
                    format!("a: \"{before}MARKED{after}\"\n"),
                    format!("a: '{before}MARKED{after}'\n"),
                    format!("a: |\n  {before}MARKED{after}\n"),
                    format!("a: |-\n  x\n\n   {before}MARKED{after}\n  y\n"),
                    format!("|\n{before}MARKED{after}\n"),
                    format!("- {before}MARKED{after} # b\n"),
                ] {
                    all += 1;
                    alike += usize::from(check(&source));
                }
            }
        }
        assert!(alike > all / 4, "{alike} of {all}");
    }

    #[test]
    fn decides_for_scalars_that_people_write() {
        for source in [
            "a: MARKED\n",
            "a: --cluster=MARKED\n",
            "a: {b: \"MARKED\", c: d}\n",
            "a: ['https://MARKED/x']\n",
            "a: |\n  b=MARKED\n  c=d\n",
        ] {
            assert!(check(source), "{source}");
        }
        for source in [
            "MARKED: a\n",
            "a: !!str MARKED\n",
            "a: b\n  MARKED\n",
            "a: \"b\n  MARKED\"\n",
            "a: >\n  MARKED\n",
            "a: 2024-01-01MARKED\n",
        ] {
            assert!(!check(source), "{source}");
        }
    }
}
