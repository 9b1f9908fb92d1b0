//! Old and new values.

use serde::Serialize;

use crate::sanitize;

/// The maximum number of characters of a value in text and Markdown.
const MAX_WIDTH: usize = 80;

/// The maximum number of characters of a path, a field or a name.
const MAX_NAME_WIDTH: usize = 250;

/// The number of equal characters that are shown before the first difference of long values.
const CONTEXT: usize = 20;

/// The value of a reference in one rendering.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(super) struct Value {
    /// The type of the value, in Terraform's terms; `unknown` before an apply.
    #[serde(rename = "type")]
    pub(super) value_type: String,
    /// The value as text or as JSON; `(sensitive)` for a sensitive output, `(known after
    /// apply)` for an unknown one.
    pub(super) value: String,
    /// The rendered text, if the same value is rendered differently.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rendered: Option<String>,
}

/// Formats the old and the new value on one line each. Long values are shortened around
/// their first difference, so that the difference is always shown.
pub(super) fn shown_pair(
    old: Option<&Value>,
    new: Option<&Value>,
    is_sensitive: bool,
) -> (String, String) {
    let [old, new] = [old, new].map(|value| shown(value, is_sensitive));
    let common = std::iter::zip(old.chars(), new.chars())
        .take_while(|(old, new)| old == new)
        .count();
    let start = match common.checked_sub(CONTEXT) {
        Some(start) if common >= MAX_WIDTH - CONTEXT => start,
        _ => 0,
    };
    let shown = |value: &str| window(value, start, MAX_WIDTH);
    (shown(&old), shown(&new))
}

fn shown(value: Option<&Value>, is_sensitive: bool) -> String {
    match value {
        None => "(none)".to_owned(),
        Some(_) if is_sensitive => "(sensitive)".to_owned(),
        Some(Value {
            rendered: Some(rendered),
            ..
        }) => rendered.clone(),
        // Quotes distinguish "3" from 3, and "null" from null.
        Some(Value {
            value_type, value, ..
        }) if value_type == "string" => {
            serde_json::to_string(value).unwrap_or_else(|_| value.clone())
        }
        Some(Value { value, .. }) => value.clone(),
    }
}

/// Returns the characters of `text` from `start`, at most `width`, on one line. A text that
/// is short enough is returned as a whole.
fn window(text: &str, start: usize, width: usize) -> String {
    let length = text.chars().count();
    let start = if length <= width { 0 } else { start };
    let shown: String = text.chars().skip(start).take(width).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if length > start + width { "…" } else { "" };
    format!("{before}{}{after}", sanitize::line(&shown))
}

/// Returns a path, a field or a name on one line, shortened.
pub(super) fn shorten(text: &str) -> String {
    window(text, 0, MAX_NAME_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::{Value, shown_pair};

    fn value(value_type: &str, value: &str) -> Value {
        Value {
            value_type: value_type.to_owned(),
            value: value.to_owned(),
            rendered: None,
        }
    }

    #[track_caller]
    fn check(old: &Value, new: &Value, expect: (&str, &str)) {
        let (old, new) = shown_pair(Some(old), Some(new), false);
        assert_eq!((old.as_str(), new.as_str()), expect);
    }

    #[test]
    fn strings_are_quoted() {
        check(&value("number", "3"), &value("string", "3"), ("3", "\"3\""));
        check(
            &value("string", "a\n\u{1b}[2J\u{202e}"),
            &value("list", "[\"a\"]"),
            ("\"a\\n\\u001b[2J\u{fffd}\"", "[\"a\"]"),
        );
    }

    #[test]
    fn the_difference_of_long_values_is_shown() {
        let old = format!("{}1{}", "x".repeat(1000), "y".repeat(1000));
        let new = format!("{}2", "x".repeat(1000));
        let context = "x".repeat(20);
        check(
            &value("number", &old),
            &value("number", &new),
            (
                &format!("…{context}1{}…", "y".repeat(59)),
                &format!("…{context}2"),
            ),
        );
        let long = "y".repeat(1000);
        check(
            &value("number", "1"),
            &value("number", &long),
            ("1", &format!("{}…", "y".repeat(80))),
        );
    }

    #[test]
    fn sensitive_values_are_not_shown() {
        let (old, new) = (value("string", "hunter2"), value("string", "hunter3"));
        let sensitive = || "(sensitive)".to_owned();
        assert_eq!(
            shown_pair(Some(&old), Some(&new), true),
            (sensitive(), sensitive())
        );
        assert_eq!(
            shown_pair(None, Some(&new), true),
            ("(none)".to_owned(), sensitive())
        );
    }
}
