//! Redaction: a document without its secrets, and every other byte as it was.

use landfall::{OutputsDocument, redact, splice};
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::choices::Choices;
use crate::generated::cases;

/// What no redacted document may hold, however it is escaped.
const SECRET: &str = "hunter2";

/// An outputs document, made up.
#[derive(Debug, Default)]
struct Made {
    text: String,
    /// The bytes of members that are not sensitive.
    public: Vec<std::ops::Range<usize>>,
    sensitive: Vec<String>,
}

/// A JSON string that holds `text`, some of it escaped.
fn string(choices: &mut Choices<'_>, text: &str) -> String {
    let escaped = |(at, c): (usize, char)| match choices.one_in(4) {
        true => format!("\\u{:04x}", u32::from(c)),
        false if at % 2 == 1 && c == '/' => "\\/".to_owned(),
        false => c.to_string(),
    };
    format!(
        "\"{}\"",
        text.chars().enumerate().map(escaped).collect::<String>()
    )
}

/// A JSON value with `text` in its strings and keys.
fn value(choices: &mut Choices<'_>, text: &str, depth: usize) -> String {
    match choices.below(if depth > 2 { 4 } else { 6 }) {
        0 => string(choices, text),
        1 => choices.pick(&["72", "7.2e1", "-72"]).to_owned(),
        2 => choices.pick(&["true", "false", "null"]).to_owned(),
        3 => string(choices, &format!("a/{text}\u{e9}")),
        4 => {
            let items = 0..choices.below(3);
            let items: Vec<_> = items.map(|_| value(choices, text, depth + 1)).collect();
            format!("[{}]", items.join(choices.pick(&[",", " , \n"])))
        }
        _ => {
            let entries = 0..choices.below(3);
            let entries = entries.map(|nth| {
                let key = match choices.one_in(3) {
                    true => format!("\"public{nth}\""),
                    false => string(choices, &format!("{text}{nth}")),
                };
                format!("{key}: {}", value(choices, text, depth + 1))
            });
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

fn made(choices: &mut Choices<'_>) -> Made {
    const MARKS: &[&str] = &[
        "\"sensitive\": true",
        "\"sensitive\":true",
        "\"s\\u0065nsitive\": true",
        "\"Sensitive\": true",
        "\"sensitive\": \"hunter2\"",
        "\"sensitive\": false, \"SENSITIVE\": 1",
    ];
    let mut made = Made::default();
    made.text
        .push_str(choices.pick(&["{", "\u{feff}{\n", " {\r\n\t"]));
    let count = choices.below(5);
    for nth in 0..count {
        let is_sensitive = choices.one_in(2);
        let text = if is_sensitive { SECRET } else { "plain" };
        let mut fields = vec![format!("\"value\": {}", value(choices, text, 0))];
        if is_sensitive {
            fields.insert(choices.below(2), choices.pick(MARKS).to_owned());
            made.sensitive.push(format!("o{nth}"));
        } else if choices.one_in(2) {
            fields.insert(0, "\"sensitive\": false".to_owned());
        }
        if choices.one_in(2) {
            fields.push(format!(
                "\"type\": [\"object\", {{\"{text}\": \"string\"}}]"
            ));
        }
        if choices.one_in(4) {
            fields.push(format!("\"deprecated\": {}", string(choices, text)));
        }
        let start = made.text.len();
        let separator = choices.pick(&[", ", ",", "\n  ,"]);
        made.text
            .push_str(&format!("\"o{nth}\": {{{}}}", fields.join(separator)));
        if !is_sensitive {
            made.public.push(start..made.text.len());
        }
        made.text.push_str(if nth + 1 < count { ",\n" } else { "" });
    }
    made.text.push_str("}\n");
    made
}

/// Every string in a value, keys too.
fn texts(value: &Json, each: &mut dyn FnMut(&str)) {
    match value {
        Json::String(text) => each(text),
        Json::Array(items) => items.iter().for_each(|item| texts(item, each)),
        Json::Object(entries) => {
            for (key, value) in entries {
                each(key);
                texts(value, each);
            }
        }
        _ => {}
    }
}

fn redacted(text: &str) -> Option<(String, landfall::Redaction)> {
    let document = OutputsDocument {
        content: text.into(),
        ..OutputsDocument::default()
    };
    let redaction = redact(&document, &|key| key.starts_with("public"))?;
    let bytes = splice(text.as_bytes(), &redaction.edits).expect("edits that fit");
    Some((String::from_utf8(bytes).expect("UTF-8"), redaction))
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn no_secret_stays_and_nothing_else_changes(numbers in prop::collection::vec(any::<u16>(), 0..80)) {
        let made = made(&mut Choices::new(&numbers));
        let (text, redaction) = redacted(&made.text).expect("a document that can be read");

        let mut reported = text.contains(SECRET);
        let json: Json = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap();
        texts(&json, &mut |text| reported |= text.contains(SECRET));
        prop_assert!(!reported, "{text}");
        for name in &made.sensitive {
            prop_assert!(!json[name]["value"].to_string().contains("72"), "{text}");
        }

        prop_assert_eq!(&redaction.outputs, &made.sensitive);
        for edit in &redaction.edits {
            let (start, end) = (edit.span.start, edit.span.end);
            let touches = |public: &std::ops::Range<usize>| start < public.end && public.start < end;
            prop_assert!(!made.public.iter().any(touches), "{:?}", edit);
        }
        // Once it is done, there is nothing left to do.
        prop_assert_eq!(redacted(&text).map(|(again, _)| again), Some(text));
    }
}

proptest! {
    #![proptest_config(cases(4_000))]

    /// Whatever a document is, what is left of it is a document of the same names.
    #[test]
    fn any_document_survives(numbers in prop::collection::vec(any::<u16>(), 0..40), format in 0..3_usize) {
        const PARTS: &[&str] = &[
            "a: ", "b: ", "A=", "\nB=", "export ", "hunter2", "'hunter2'", "\"hunter2\"", "# hunter2", "\n", "\r\n",
            " ", "\n  ", "- ", "[", "]", "{", "}", ",", ": ", "|", ">-", "\\n", "'", "\"", "1", "true", "? ", "&x ", "é",
        ];
        let choices = &mut Choices::new(&numbers);
        let mut text = ["", "a: ", "A="][format].to_owned();
        while choices.any_left() {
            text.push_str(choices.pick(PARTS));
        }
        let document = OutputsDocument {
            content: text.clone().into(),
            format: ["yaml", "yaml", "dotenv"].get(format).map(|id| (*id).to_owned()),
            sensitive: true,
            ..OutputsDocument::default()
        };
        if let Some(redaction) = redact(&document, &|_| false) {
            let bytes = splice(text.as_bytes(), &redaction.edits).expect("edits that fit");
            let left = String::from_utf8(bytes).expect("UTF-8");
            // Names stay, and a name may be any text.
            let is_name = redaction.outputs.iter().any(|name| name.contains("hunter2"));
            prop_assert!(is_name || !left.contains("hunter2"), "{text:?} {left:?}");
            let again = OutputsDocument { content: left.into(), ..document };
            let again = redact(&again, &|_| false).map(|redaction| redaction.outputs);
            prop_assert_eq!(again, Some(redaction.outputs), "{:?}", text);
        }
    }
}
