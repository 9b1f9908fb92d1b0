//! Redaction: a document without its secrets, and every other byte unchanged.

use std::collections::BTreeSet;

use landfall::{OutputsDocument, OutputsInputs, format_samples, read_outputs, redact, splice};
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::choices::Choices;
use crate::generated::cases;

/// What no redacted document may contain, however it is escaped.
const SECRET: &str = "hunter2";

/// A generated outputs document.
#[derive(Debug, Default)]
struct Generated {
    text: String,
    /// The byte ranges of non-sensitive members.
    public: Vec<std::ops::Range<usize>>,
    sensitive: Vec<String>,
    /// The JSON pointer to the outputs.
    path: &'static str,
}

/// Where the outputs are in a document: the text around them, with secrets.
struct Place {
    path: &'static str,
    before: &'static str,
    after: &'static str,
}

/// A place for each format with marks.
const PLACES: &[Place] = &[
    Place {
        path: "",
        before: "",
        after: "",
    },
    Place {
        path: "/outputs",
        before: r#"{"version": 4, "lineage": "hunter2", "a": {"hunter2": 72}, "outputs": "#,
        after: r#", "resources": [{"attributes": "hunter2"}], "check_results": null}"#,
    },
    Place {
        path: "/values/outputs",
        before: r#"{"format_version": "1.0", "values": {"checks": ["hunter2"], "outputs":"#,
        after: r#", "root_module": {"resources": ["hunter2"]}}, "terraform_version": "hunter2"}"#,
    },
    Place {
        path: "/properties/outputs",
        before: r#"{"properties": {"parameters": {"a": {"value": "hunter2"}}, "outputs": "#,
        after: r#"}, "id": "hunter2", "tags": {"hunter2": true}}"#,
    },
    Place {
        path: "/applyResults/outputs",
        before: r#"{"name": "hunter2", "applyResults": {"content": "hunter2", "outputs": "#,
        after: r#"}, "stateDetail": ["hunter2"]}"#,
    },
];

/// Returns the id of the format of a document that marks its sensitive outputs.
fn marked_format(content: String) -> Option<&'static str> {
    let document = OutputsDocument {
        name: "infra".into(),
        content: content.into(),
        ..OutputsDocument::default()
    };
    let inputs = OutputsInputs {
        documents: vec![document],
        ..OutputsInputs::default()
    };
    let found = read_outputs(&inputs).formats.remove(0);
    found.id.filter(|_| found.marks_sensitive)
}

#[test]
fn every_format_with_marks_has_a_place() {
    let places = PLACES.iter().filter_map(|place| {
        let Place { before, after, .. } = place;
        marked_format(format!("{before}{{}}{after}"))
    });
    let is_json = |text: &String| text.starts_with('{');
    let documents = format_samples().map(|(_, sample)| sample.document(&[("a", "b")]));
    let marked = documents.filter(is_json).filter_map(marked_format);
    // Its secrets are not marked by a key next to their value.
    let marked = marked.filter(|id| *id != "pulumi-state");
    assert_eq!(
        places.collect::<BTreeSet<_>>(),
        marked.collect::<BTreeSet<_>>()
    );
}

/// Returns a JSON string that contains `text`, partly escaped.
fn string(choices: &mut Choices<'_>, text: &str) -> String {
    let escaped = |(at, c): (usize, char)| {
        if choices.one_in(4) {
            format!("\\u{:04x}", u32::from(c))
        } else if at % 2 == 1 && c == '/' {
            "\\/".to_owned()
        } else {
            c.to_string()
        }
    };
    format!(
        "\"{}\"",
        text.chars().enumerate().map(escaped).collect::<String>()
    )
}

/// Returns a JSON value with `text` in its strings and keys.
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
                let key = if choices.one_in(3) {
                    format!("\"public{nth}\"")
                } else {
                    string(choices, &format!("{text}{nth}"))
                };
                format!("{key}: {}", value(choices, text, depth + 1))
            });
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

fn generate(choices: &mut Choices<'_>) -> Generated {
    const MARKS: &[&str] = &[
        "\"sensitive\": true",
        "\"sensitive\":true",
        "\"s\\u0065nsitive\": true",
        "\"Sensitive\": true",
        "\"sensitive\": \"hunter2\"",
        "\"sensitive\": false, \"SENSITIVE\": 1",
    ];
    let mut generated = Generated::default();
    let place = &PLACES[choices.below(PLACES.len())];
    let is_azure = place.path.contains("properties");
    generated.path = place.path;
    generated
        .text
        .push_str(choices.pick(&["", "\u{feff}", " \r\n\t"]));
    generated.text.push_str(place.before);
    generated
        .text
        .push_str(choices.pick(&["{", "{\n", " {\r\n\t"]));
    let count = choices.below(5);
    for nth in 0..count {
        let is_sensitive = choices.one_in(2);
        let text = if is_sensitive { SECRET } else { "plain" };
        let mut fields = vec![format!("\"value\": {}", value(choices, text, 0))];
        if is_sensitive {
            fields.insert(choices.below(2), choices.pick(MARKS).to_owned());
            generated.sensitive.push(format!("o{nth}"));
        } else if choices.one_in(2) {
            fields.insert(0, "\"sensitive\": false".to_owned());
        }
        if is_azure {
            let name = if is_sensitive {
                "SecureObject"
            } else {
                "Object"
            };
            fields.push(format!("\"type\": \"{name}\""));
        } else if choices.one_in(2) {
            fields.push(format!(
                "\"type\": [\"object\", {{\"{text}\": \"string\"}}]"
            ));
        }
        if choices.one_in(4) {
            fields.push(format!("\"deprecated\": {}", string(choices, text)));
        }
        let start = generated.text.len();
        let separator = choices.pick(&[", ", ",", "\n  ,"]);
        generated
            .text
            .push_str(&format!("\"o{nth}\": {{{}}}", fields.join(separator)));
        if !is_sensitive {
            generated.public.push(start..generated.text.len());
        }
        generated
            .text
            .push_str(if nth + 1 < count { ",\n" } else { "" });
    }
    generated.text.push('}');
    generated.text.push_str(place.after);
    generated.text.push('\n');
    generated
}

/// Calls `each` on every string in a value, keys too.
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
    let redaction = redact(&document, &[], None, &|key| key.starts_with("public"))?;
    let bytes = splice(text.as_bytes(), &redaction.edits).expect("edits that fit");
    Some((String::from_utf8(bytes).expect("UTF-8"), redaction))
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn redaction_removes_secrets_and_changes_nothing_else(numbers in prop::collection::vec(any::<u16>(), 0..80)) {
        let generated = generate(&mut Choices::new(&numbers));
        let (text, redaction) = redacted(&generated.text).expect("a document that can be read");

        let mut reported = text.contains(SECRET);
        let json: Json = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap();
        texts(&json, &mut |text| reported |= text.contains(SECRET));
        prop_assert!(!reported, "{text}");
        for name in &generated.sensitive {
            let outputs = json.pointer(generated.path).unwrap();
            prop_assert!(!outputs[name]["value"].to_string().contains("72"), "{text}");
        }

        prop_assert_eq!(&redaction.outputs, &generated.sensitive);
        for edit in &redaction.edits {
            let (start, end) = (edit.span.start, edit.span.end);
            let touches = |public: &std::ops::Range<usize>| start < public.end && public.start < end;
            prop_assert!(!generated.public.iter().any(touches), "{:?}", edit);
        }
        // Redaction is idempotent.
        prop_assert_eq!(redacted(&text).map(|(again, _)| again), Some(text));
    }
}

proptest! {
    #![proptest_config(cases(4_000))]

    /// Any document becomes a document with the same names.
    #[test]
    fn any_document_survives(numbers in prop::collection::vec(any::<u16>(), 0..40), format in any::<u16>()) {
        const PARTS: &[&str] = &[
            "a: ", "b: ", "A=", "\nB=", "export ", "hunter2", "'hunter2'", "\"hunter2\"", "# hunter2", "\n", "\r\n",
            " ", "\n  ", "- ", "[", "]", "{", "}", ",", ": ", "|", ">-", "\\n", "'", "\"", "1", "true", "? ", "&x ", "é",
            "\n  a: ", "\n  b: ", "\n  a__type: ", "aHVudGVyMg==", "\nstringData:", "\nx: ", "\n    ",
        ];
        let choices = &mut Choices::new(&numbers);
        // The others are JSON, of which parts are noise.
        let samples = format_samples().filter(|(_, sample)| !sample.before.starts_with('{'));
        let mut heads: Vec<_> = samples.map(|(id, sample)| (id, sample.head("a"))).collect();
        heads.extend([
            ("yaml", String::new()),
            ("secret", "apiVersion: v1\nkind: Secret\ndata:\n  a: aHVudGVyMg==".to_owned()),
            ("secret", "{apiVersion: v1, kind: Secret, data: {a: aHVudGVyMg==}".to_owned()),
            ("argocd-cluster", "apiVersion: v1\nkind: Secret\nmetadata:\n  labels:\n    argocd.argoproj.io/secret-type: cluster\n  annotations:\n    a: x\ndata:\n  a: aHVudGVyMg==".to_owned()),
        ]);
        let (format, mut text) = heads.swap_remove(usize::from(format) % heads.len());
        while choices.any_left() {
            text.push_str(choices.pick(PARTS));
        }
        let document = OutputsDocument {
            content: text.clone().into(),
            format: Some(format.to_owned()),
            sensitive: true,
            ..OutputsDocument::default()
        };
        if let Some(redaction) = redact(&document, &[], None, &|_| false) {
            let bytes = splice(text.as_bytes(), &redaction.edits).expect("edits that fit");
            let left = String::from_utf8(bytes).expect("UTF-8");
            // Names are kept, and a name may be any text.
            let secrets = |text: &str| ["hunter2", "aHVudGVyMg"].iter().any(|secret| text.contains(secret));
            let is_name = redaction.outputs.iter().any(|name| secrets(name));
            prop_assert!(is_name || !secrets(&left), "{text:?} {left:?}");
            let again = OutputsDocument { content: left.into(), ..document };
            let again = redact(&again, &[], None, &|_| false).map(|redaction| redaction.outputs);
            prop_assert_eq!(again, Some(redaction.outputs), "{:?}", text);
        }
    }
}

const SIGNATURE: &str = "4dabf18193072939515e22adb298388d";

/// Returns what Pulumi's state contains for a secret.
fn pulumi_secret(choices: &mut Choices<'_>) -> String {
    let json = value(choices, SECRET, 0);
    format!(
        "{{\"{SIGNATURE}\": \"1b47061264138c4ac30d75fd1eb44270\", \"plaintext\": {}}}",
        Json::from(json)
    )
}

/// Returns a state of Pulumi with secrets in its outputs and everywhere else, and the names
/// of its sensitive outputs.
fn pulumi_state(choices: &mut Choices<'_>) -> (String, Vec<String>) {
    let mut outputs = Vec::new();
    let mut sensitive = Vec::new();
    for nth in 0..choices.below(5) {
        let value = match choices.below(3) {
            0 => value(choices, "plain", 0),
            1 => pulumi_secret(choices),
            _ => format!(
                "[{{\"k\": {}}}, {}]",
                pulumi_secret(choices),
                value(choices, SECRET, 1)
            ),
        };
        if value.contains(SIGNATURE) {
            sensitive.push(format!("o{nth}"));
        }
        outputs.push(format!("\"o{nth}\": {value}"));
    }
    let outputs = outputs.join(choices.pick(&[",", ", ", ",\n"]));
    let state = format!(
        "{{\"version\": 3, \"deployment\": {{\"secrets_providers\": {}, \"resources\": [{{\"outputs\": {}}}, {{\"outputs\": {{{outputs}}}, \"type\": \"pulumi:pulumi:Stack\", \"inputs\": {}}}]}}, \"hunter2\": 1}}\n",
        value(choices, SECRET, 0),
        value(choices, SECRET, 0),
        value(choices, SECRET, 0),
    );
    (state, sensitive)
}

/// Returns a format without marks, and a document in it with secrets in its values and
/// everywhere else.
fn unmarked(choices: &mut Choices<'_>) -> (&'static str, String) {
    let (format, count) = (choices.below(4), choices.below(4));
    let member = |nth| match format {
        0 => format!("\"o{nth}\": {}", value(choices, SECRET, 0)),
        1 => format!("\"o{nth}\": {{\"hunter2\": {}}}", string(choices, SECRET)),
        2 => format!(
            "{{\"OutputValue\": {}, \"OutputKey\": \"o{nth}\", \"Description\": \"hunter2\"}}",
            string(choices, SECRET)
        ),
        _ => format!(
            "{{\"Outputs\": [{{\"OutputValue\": {}, \"OutputKey\": \"hunter2\"}}], \"StackName\": \"o{nth}\"}}, ",
            string(choices, SECRET)
        ),
    };
    let members: Vec<_> = (0..count).map(member).collect();
    let separator = choices.pick(&[", ", ",", "\n ,"]);
    match format {
        0 => ("json", format!("{{{}}}", members.join(separator))),
        1 => ("cdk", format!("{{{}}}", members.join(separator))),
        2 => (
            "cloudformation",
            format!(
                "{{\"Stacks\": [{{\"Parameters\": \"hunter2\", \"Outputs\": [{}], \"StackName\": \"o\"}}]}}",
                members.join(separator)
            ),
        ),
        _ => (
            "cloudformation",
            format!(
                "{{\"Stacks\": [{}{{\"StackName\": \"a\"}}], \"hunter2\": 1}}",
                members.concat()
            ),
        ),
    }
}

/// Returns whether a text is part of a string or a key of a value, or of the JSON in one.
fn contains(value: &Json, text: &str) -> bool {
    let mut found = false;
    texts(value, &mut |string| {
        found |= string.contains(text);
        if let Ok(inner) = serde_json::from_str::<Json>(string) {
            texts(&inner, &mut |string| found |= string.contains(text));
        }
    });
    found
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn nothing_of_a_pulumi_state_is_left_but_names_and_public_values(numbers in prop::collection::vec(any::<u16>(), 0..80)) {
        let (state, sensitive) = pulumi_state(&mut Choices::new(&numbers));
        let (text, redaction) = redacted(&state).expect("a state that can be read");
        let read = |text: &str| -> Json { serde_json::from_str(text).unwrap() };
        let (json, before) = (read(&text), read(&state));
        prop_assert!(!contains(&json, SECRET), "{text}");
        prop_assert_eq!(&redaction.outputs, &sensitive);
        let outputs = |json: &Json, nth: usize| json["deployment"]["resources"][nth]["outputs"].as_object().unwrap().clone();
        let (after, before) = (outputs(&json, 0), outputs(&before, 1));
        prop_assert!(after.keys().eq(before.keys()));
        for (name, value) in &after {
            if sensitive.contains(name) {
                prop_assert!(!value["plaintext"].to_string().contains("72"), "{text}");
            } else {
                prop_assert_eq!(value, &before[name]);
            }
        }
        // Redaction is idempotent.
        prop_assert_eq!(redacted(&text).map(|(again, _)| again), Some(text));
    }

    #[test]
    fn nothing_of_a_sensitive_document_is_left_but_names(numbers in prop::collection::vec(any::<u16>(), 0..60)) {
        let (format, content) = unmarked(&mut Choices::new(&numbers));
        let document = OutputsDocument {
            content: content.clone().into(),
            format: Some(format.to_owned()),
            sensitive: true,
            ..OutputsDocument::default()
        };
        let redaction = redact(&document, &[], None, &|_| false).expect("a document that can be read");
        let bytes = splice(content.as_bytes(), &redaction.edits).expect("edits that fit");
        let left = String::from_utf8(bytes).expect("UTF-8");
        prop_assert!(!contains(&serde_json::from_str(&left).unwrap(), SECRET), "{content} {left}");
        let again = OutputsDocument { content: left.into(), ..document };
        let again = redact(&again, &[], None, &|_| false).map(|redaction| redaction.outputs);
        prop_assert_eq!(again, Some(redaction.outputs), "{:?}", content);
    }
}
