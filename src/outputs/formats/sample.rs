//! How each format writes outputs, so that nothing that is tested with every format has a list
//! of them.

use crate::outputs::formats::FORMATS;

/// How a document of a format is written. What else may be secret in it is `hunter2`.
#[derive(Clone, Copy)]
pub struct FormatSample {
    /// The text before the first output.
    pub before: &'static str,
    /// Writes an output, from its name and a string of JSON.
    pub output: fn(&str, &str) -> String,
    /// The text between two outputs.
    pub separator: &'static str,
    /// The text after the last output.
    pub after: &'static str,
    /// What references have before the name of an output.
    pub path: &'static str,
}

impl FormatSample {
    /// A sample whose outputs are separated by commas.
    pub(super) const fn in_flow(
        before: &'static str,
        output: fn(&str, &str) -> String,
        after: &'static str,
    ) -> Self {
        Self {
            before,
            output,
            separator: ", ",
            after,
            path: "",
        }
    }

    /// A sample whose outputs are lines.
    pub(super) const fn in_lines(before: &'static str, output: fn(&str, &str) -> String) -> Self {
        Self {
            separator: "\n",
            ..Self::in_flow(before, output, "\n")
        }
    }

    /// Returns a document with these outputs, each a name and a word.
    pub fn document(&self, outputs: &[(&str, &str)]) -> String {
        let outputs = outputs
            .iter()
            .map(|(name, word)| (self.output)(name, &format!("\"{word}\"")));
        let outputs = outputs.collect::<Vec<_>>().join(self.separator);
        format!("{}{outputs}{}", self.before, self.after)
    }

    /// Returns the beginning of a document, up to the value of an output.
    pub fn head(&self, output: &str) -> String {
        let text = (self.output)(output, "\u{0}");
        let (head, _) = text.split_once('\u{0}').unwrap_or_default();
        format!("{}{head}", self.before)
    }
}

/// Returns the id of every format, those of plans included, and how its documents are written.
pub fn format_samples() -> impl Iterator<Item = (&'static str, FormatSample)> {
    FORMATS.iter().map(|format| (format.id(), format.sample()))
}

/// Writes `"a": "b"`.
pub(super) fn member(name: &str, value: &str) -> String {
    format!("\"{name}\": {value}")
}

/// Writes `"a": {"sensitive": false, "value": "b"}`.
pub(super) fn marked(name: &str, value: &str) -> String {
    format!("\"{name}\": {{\"sensitive\": false, \"value\": {value}}}")
}

/// Writes `a: "b"` in a mapping of an object.
pub(super) fn entry(name: &str, value: &str) -> String {
    format!("  {name}: {value}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutputsDocument;
    use crate::outputs::document::Document;
    use crate::outputs::formats::{AsManifest, Format, Recognition, nameable, toy};
    use crate::outputs::{
        DeclaredSensitive, Value, is_outputs, named_as_manifest, read, recognise, redact,
        without_sensitive_values,
    };
    use crate::report::Origin;
    use yaml::splice;

    const SECRET: &str = "hunter2";

    /// Returns a document of a format, and whether it has to be named.
    fn document(format: &dyn Format) -> (OutputsDocument, bool) {
        let text = format.sample().document(&[("a", "first"), ("b", SECRET)]);
        let opened = Document::of_text(&text, Origin::Outputs(0));
        let is_certain = format.recognise(&opened) == Recognition::Certain;
        let is_named = !is_certain || format.properties().of_plan.is_some();
        let document = OutputsDocument {
            name: "infra".into(),
            format: is_named.then(|| format.id().to_owned()),
            content: text.into(),
            ..OutputsDocument::default()
        };
        (document, is_named)
    }

    fn text(document: &OutputsDocument) -> &str {
        std::str::from_utf8(&document.content).unwrap()
    }

    /// Returns the texts that are found at the path of the sample.
    fn values(format: &dyn Format, document: &OutputsDocument) -> Vec<(String, String)> {
        let read = read(document, Origin::Outputs(0));
        assert!(!read.diagnostics.has_errors(), "{:?}", read.diagnostics);
        let mut values = Vec::new();
        let parent = format.sample().path.trim_end_matches('.').to_owned();
        for output in read.outputs {
            match output.value {
                Value::String(text) if parent.is_empty() => {
                    values.push((output.name, text.to_string()));
                }
                Value::Object(members) if output.name == parent => {
                    let members = members.into_iter();
                    values.extend(members.filter_map(|(key, value)| {
                        Some((key.name.to_string(), value.text()?.to_owned()))
                    }));
                }
                _ => {}
            }
        }
        values
    }

    /// The page that lists all formats in its first table, with whether each is detected.
    const PAGE: &str = include_str!("../../../docs/language/outputs-documents.md");

    #[test]
    fn the_page_lists_every_format() {
        let rows = PAGE
            .lines()
            .skip_while(|line| !line.starts_with("| ---"))
            .skip(1)
            .map_while(|line| line.strip_prefix("| `"));
        let mut listed: Vec<_> = rows
            .filter_map(|row| Some((row.split_once('`')?.0, row.ends_with(" no |"))))
            .collect();
        let is_documented = |format: &&dyn Format| format.id() != toy::ID;
        let mut formats: Vec<_> = nameable()
            .filter(is_documented)
            .map(|format| (format.id(), document(format).1))
            .collect();
        listed.sort_unstable();
        formats.sort_unstable();
        assert_eq!(listed, formats);
    }

    #[test]
    fn every_format_reads_its_documents() {
        for format in FORMATS {
            let (document, is_named) = document(*format);
            let expected = [("a", "first"), ("b", SECRET)];
            let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
            assert_eq!(values(*format, &document), expected, "{}", format.id());
            let recognised = recognise(&OutputsDocument {
                format: None,
                ..document
            });
            assert_eq!(recognised.id.is_none(), is_named, "{}", format.id());
            let is_plan = format.properties().of_plan.is_some();
            let possible = recognised.possible.contains(&format.id());
            assert_eq!(possible, is_named && !is_plan, "{}", format.id());
        }
    }

    #[test]
    fn every_format_redacts_its_documents() {
        for format in FORMATS {
            let secret = OutputsDocument {
                sensitive: true,
                ..document(*format).0
            };
            let (public, mut names) =
                without_sensitive_values(&secret, DeclaredSensitive::None).unwrap();
            names.sort();
            assert!(!names.is_empty(), "{}", format.id());
            let public = String::from_utf8(public).unwrap();
            assert!(!public.contains(SECRET), "{public}");
            let redacted = redact(&secret, DeclaredSensitive::None, &|_| false);
            if format.properties().of_plan.is_some() {
                assert_eq!(redacted, None);
                continue;
            }
            let mut redacted = redacted.unwrap();
            redacted.outputs.sort();
            assert_eq!(redacted.outputs, names, "{}", format.id());
            let left = OutputsDocument {
                content: splice(&secret.content, &redacted.edits).unwrap(),
                ..secret.clone()
            };
            assert!(!text(&left).contains(SECRET), "{}", text(&left));
            let mut again = redact(&left, DeclaredSensitive::None, &|_| false).unwrap();
            again.outputs.sort();
            assert_eq!(again.outputs, names, "{}", format.id());
        }
    }

    #[test]
    fn no_document_that_is_recognised_is_printed_as_a_manifest() {
        for format in FORMATS {
            let (document, is_named) = document(*format);
            let text = text(&document);
            let found = named_as_manifest(text, &|_| false, false, Origin::Manifest(0));
            let is_manifest = format.properties().as_manifest == AsManifest::Manifest;
            let is_plan = format.properties().of_plan.is_some();
            let is_reported = is_plan || !is_named && !is_manifest;
            assert_eq!(found.is_some(), is_reported, "{}", format.id());
            assert!(is_outputs(text) || !is_reported, "{}", format.id());
        }
    }
}
