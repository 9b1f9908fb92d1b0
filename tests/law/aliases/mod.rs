//! Sensitive values, `$` and types in documents full of anchors, aliases and merge
//! keys, as every reader sees them once those are resolved.

mod case;
mod property;

pub(crate) use case::{bound, is_secret};

use crate::choices::{Choices, Sequence};
use crate::generated::cases;
use crate::render::render;
use crate::streams::readings;

use self::case::wrong;
use crate::reading::{documents, leaks};

/// Documents of an ordinary run.
const DOCUMENTS: u32 = 6_000;

#[test]
fn values_are_right_wherever_aliases_repeat_them() {
    let mut sequence = Sequence::new(29);
    let (mut streams, mut from, mut secrets) = (Vec::new(), Vec::new(), 0);
    let count = cases(DOCUMENTS).cases;
    for _ in 0..count {
        let numbers = sequence.numbers(400);
        let rendered =
            property::is_right_for_one_reader(&mut Choices::new(&numbers), |text, request| {
                let done = render(text.as_bytes(), request).ok()?;
                Some(String::from_utf8(done.output).unwrap())
            });
        if let Some((text, output)) = rendered {
            secrets += u32::from(is_secret(&output));
            streams.push(output);
            from.push(text);
        }
    }
    for reading in readings(&streams) {
        let case = || {
            format!(
                "{} reads\n{}of\n{}",
                reading.reader, streams[reading.stream], from[reading.stream]
            )
        };
        for document in &reading.documents {
            assert_eq!(leaks(document, &is_secret), [""; 0], "{}", case());
            // serde_yaml takes another anchor where one is defined twice.
            let resolves = !reading.reader.starts_with("serde_yaml");
            if resolves {
                assert_eq!(wrong(document), [""; 0], "{}", case());
            }
        }
    }
    let rendered = u32::try_from(streams.len()).unwrap();
    assert!(
        rendered > count / 20 && secrets > count / 200,
        "{rendered} rendered, {secrets} of them with the secret"
    );
    println!("{rendered} of {count} rendered, {secrets} with the secret");
}

#[test]
fn merge_keys_of_merge_keys_are_resolved() {
    let found = documents("- &a {x: 1}\n- &b {<<: *a}\n- {<<: *b}\n", true);
    let item = serde_json::json!({"x": 1});
    assert_eq!(found, Some(vec![serde_json::json!([item, item, item])]));
}
