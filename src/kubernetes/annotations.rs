//! Annotations that are JSON or YAML: controllers parse them, so a value must not break them.

use std::ops::Range;

use crate::kubernetes::in_quotes;
use crate::kubernetes::resources::{Field, Resources};
use crate::outputs::is_json;
use yaml::{Context, Kind, NodeId, Role, Tree, plain_reads_back};

/// How an annotation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    Json,
    Yaml,
}

/// A value in the text of an annotation.
#[derive(Clone, Debug)]
pub(crate) struct AnnotationValue {
    pub(crate) bytes: Range<usize>,
    /// Whether a function may have escaped it.
    pub(crate) has_calls: bool,
}

/// Returns whether a field is an annotation, or is set by a patch of one.
pub(crate) fn is_annotation(field: &Field) -> bool {
    field.any_set(
        |field| matches!(&field.steps[..], [.., annotations, _] if annotations.is_key("annotations")),
    )
}

/// Returns whether the text of a node is an annotation that a controller may parse. One of a
/// single line is JSON, if anything.
pub(crate) fn may_be_parsed(resources: &Resources<'_>, id: NodeId, text: &str) -> bool {
    (may_be_json(text) || text.contains('\n'))
        && matches!(
            resources.parent(id).map(|parent| resources.role(parent)),
            Some(Role::Value(key)) if resources.text(key) == Some("annotations")
        )
}

/// Returns whether a text begins as an object or list of JSON.
pub(crate) fn may_be_json(text: &str) -> bool {
    text.trim_ascii_start().starts_with(['{', '['])
}

/// Returns the references, by their bytes, that are outside of strings of a text which is JSON,
/// whatever is in place of them. `None` if it is not, or is a list of nothing else.
pub(crate) fn outside_of_json_strings(
    text: &str,
    references: &[Range<usize>],
) -> Option<Vec<Range<usize>>> {
    let value = |bytes: &Range<usize>| AnnotationValue {
        bytes: bytes.clone(),
        has_calls: false,
    };
    let values: Vec<AnnotationValue> = references.iter().map(value).collect();
    let (before, _) = without_values(text, &values);
    if !is_json(&before) || !before.contains('"') {
        return None;
    }
    let in_strings = in_quotes(text, references.iter(), &['"']);
    let outside = std::iter::zip(references, in_strings).filter(|(_, is_in_string)| !is_in_string);
    Some(outside.map(|(reference, _)| reference.clone()).collect())
}

/// Returns whether a reference outside of strings of JSON is a whole value: nothing is beside it.
pub(crate) fn is_whole(text: &str, reference: &Range<usize>) -> bool {
    let before = text.get(..reference.start).unwrap_or_default();
    let after = text.get(reference.end..).unwrap_or_default();
    before.trim_ascii_end().ends_with([':', ',', '['])
        && after.trim_ascii_start().starts_with([',', ']', '}'])
}

/// Returns the position of the first value that breaks the text of an annotation: without the
/// values, it would be JSON or YAML. The values are ascending.
pub(crate) fn broken(text: &str, values: &[AnnotationValue]) -> Option<(Notation, usize)> {
    let own_start = values.first().map_or(text.len(), |value| value.bytes.start);
    if may_be_json(text.get(..own_start).unwrap_or_default()) {
        let (before, broken) = without_values(text, values);
        if is_json(&before) {
            // Digits next to each other may be no number.
            let broken = broken.or_else(|| (!is_json(text)).then_some(0));
            return broken.map(|nth| (Notation::Json, nth));
        }
    }
    if !breaks_yaml(text, values) {
        return None;
    }
    let context = Context {
        flow: false,
        json: false,
    };
    let needs_quotes = |value: &AnnotationValue| {
        let own = text.get(value.bytes.clone()).unwrap_or_default();
        !plain_reads_back(own, context)
    };
    // Most others do not break anything.
    let nth = values.iter().position(needs_quotes);
    Some((Notation::Yaml, nth.unwrap_or(0)))
}

/// Returns the text with something in place of each value that is JSON there, and the
/// position of the first value that is not.
fn without_values(text: &str, values: &[AnnotationValue]) -> (String, Option<usize>) {
    let (mut before, mut broken) = (String::with_capacity(text.len()), None);
    let in_strings = in_quotes(text, values.iter().map(|value| &value.bytes), &['"']);
    let mut at = 0;
    for (nth, (value, in_string)) in std::iter::zip(values, in_strings).enumerate() {
        before.push_str(text.get(at..value.bytes.start).unwrap_or_default());
        let own = text.get(value.bytes.clone()).unwrap_or_default();
        let is_kept = if in_string {
            is_content_of_string(own, value.has_calls)
        } else {
            is_json(own)
        };
        if !is_kept {
            broken.get_or_insert(nth);
        }
        // Neither is an escape after a backslash.
        before.push(if in_string { 'q' } else { '0' });
        at = value.bytes.end;
    }
    before.push_str(text.get(at..).unwrap_or_default());
    (before, broken)
}

/// Returns whether a text in a string of JSON is read as it is, or as what a function has
/// escaped.
fn is_content_of_string(text: &str, has_calls: bool) -> bool {
    let is_plain = |byte: u8| byte >= b' ' && !matches!(byte, b'"' | b'\\');
    text.bytes().all(is_plain) || has_calls && is_json(&format!("\"{text}\""))
}

/// What a word in place of a value is between.
const WORD_START: &str = "qZ";
const WORD_END: &str = "Zq";

/// Returns whether a text of several lines would be a collection of YAML if its values were
/// words, but is another one with them.
fn breaks_yaml(text: &str, values: &[AnnotationValue]) -> bool {
    let (mut before, mut at) = (String::with_capacity(text.len()), 0);
    for (nth, value) in values.iter().enumerate() {
        before.push_str(text.get(at..value.bytes.start).unwrap_or_default());
        before.push_str(&format!("{WORD_START}{nth}{WORD_END}"));
        at = value.bytes.end;
    }
    before.push_str(text.get(at..).unwrap_or_default());
    if !before.contains('\n') {
        return false;
    }
    let Some(expected) = trees(&before) else {
        return false;
    };
    let is_collection = |tree: &Tree| {
        let root = tree.get(0).map(yaml::Node::kind);
        matches!(root, Some(Kind::Mapping { .. } | Kind::Sequence { .. }))
    };
    if !expected.iter().any(is_collection) {
        return false;
    }
    let Some(found) = trees(text) else {
        return true;
    };
    let value_of = |word: &str| {
        let value = values.get(word.parse::<usize>().ok()?)?;
        text.get(value.bytes.clone())
    };
    let with_values = |scalar: &str| {
        let mut parts = scalar.split(WORD_START);
        let mut with_values = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let word = part.split_once(WORD_END);
            match word.and_then(|(word, after)| Some((value_of(word)?, after))) {
                Some((value, after)) => with_values.extend([value, after]),
                None => with_values.extend([WORD_START, part]),
            }
        }
        with_values
    };
    let mut pairs = std::iter::zip(&expected, &found);
    expected.len() != found.len()
        || pairs.any(|(expected, found)| {
            expected.len() != found.len()
                || (0..found.len()).any(|id| {
                    let (old, new) = (&expected[id], &found[id]);
                    let [before, after] = [expected, found].map(|tree| tree.text(id));
                    old.style() != new.style()
                        || std::mem::discriminant(&old.kind())
                            != std::mem::discriminant(&new.kind())
                        || old.parent() != new.parent()
                        || before.map(with_values).as_deref() != after
                })
        })
}

/// Returns the documents of a text; `None` if one of them is not YAML.
fn trees(text: &str) -> Option<Vec<Tree>> {
    let documents = yaml::split(text).into_iter();
    documents
        .map(|document| yaml::locate(document.text).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a text in which `@` is the value.
    #[track_caller]
    fn check(template: &str, value: &str, has_calls: bool, expected: Option<Notation>) {
        let start = template.find('@').unwrap();
        let text = template.replacen('@', value, 1);
        let values = [AnnotationValue {
            bytes: start..start + value.len(),
            has_calls,
        }];
        let found = broken(&text, &values).map(|(notation, _)| notation);
        assert_eq!(found, expected, "{text}");
    }

    const HOSTILE: &[&str] = &[
        "a\"b",
        "a\\nb",
        "\\",
        "a\nb",
        "\t",
        "x\", \"admin\": \"true",
    ];

    #[test]
    fn a_string_of_json_takes_no_quotes_and_escapes() {
        for template in [
            r#"{"a": "@"}"#,
            r#" [{"a\"b": ["x @ y"]}]"#,
            "{\n  \"a\": \"@\"\n}\n",
            r#"{"@": 1}"#,
        ] {
            for value in HOSTILE {
                check(template, value, false, Some(Notation::Json));
            }
            for value in ["a", "", "{}", "a: b # c", "é", "'", "[1, 2]", "\u{2028}"] {
                check(template, value, false, None);
            }
            check(template, r#"a\"b"#, true, None);
            check(template, "a\"b", true, Some(Notation::Json));
        }
    }

    #[test]
    fn only_json_is_a_value_of_json() {
        for value in ["1", "true", "\"a\"", "{\"b\": [1]}"] {
            check(r#"{"a": @}"#, value, true, None);
        }
        for value in ["a", "", "1, 2", "1}", "01"] {
            check(r#"{"a": @}"#, value, false, Some(Notation::Json));
        }
        check(r#"{"a": 1@}"#, "-1", false, Some(Notation::Json));
        check(r#"{"a": 1@}"#, "2", false, None);
    }

    #[test]
    fn yaml_keeps_its_structure() {
        for template in ["a: @\nb: c\n", "---\nx:\n- a: @\n", "- @\n- b\n"] {
            for value in ["a: b", "a # b", "a\nz: 1", "[", "'", "- a"] {
                check(template, value, false, Some(Notation::Yaml));
            }
            for value in ["a", "vpc-0ab1", "a:b", "a#b", "http://a/b?c=d", "true", "1"] {
                check(template, value, false, None);
            }
        }
        check("a: \"@\"\nb: c\n", "a\"b", false, Some(Notation::Yaml));
        check("a: \"@\"\nb: c\n", "true", false, None);
        check("a: |\n  @\n", "a\nb: c", false, Some(Notation::Yaml));
    }

    #[test]
    fn other_text_is_not_parsed() {
        for value in HOSTILE {
            for template in ["@", "Owner: @", "see @\nand more\n", "{@", "[@ - x"] {
                check(template, value, false, None);
            }
        }
        check("owner: @", "a: b", false, None);
    }
}
