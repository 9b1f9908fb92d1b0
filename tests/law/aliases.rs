//! Sensitive values, `$` and types in documents full of anchors, aliases and merge
//! keys, as every reader sees them once those are resolved.

use landfall_test_cases::aliases::{is_right_for_one_reader, is_secret, violations};

use crate::generated::cases;
use crate::reading::{documents, leaks};
use crate::streams::{Rendered, readings};

/// Documents per ordinary run.
const DOCUMENTS: u32 = 6_000;

#[test]
fn aliased_values_are_correct_for_every_reader() {
    let count = cases(DOCUMENTS).cases;
    let rendered = Rendered::generate(29, count, 400, |choices, render| {
        is_right_for_one_reader(choices, render)
    });
    for reading in readings(&rendered.streams) {
        let case = || rendered.reported(&reading);
        for document in &reading.documents {
            assert_eq!(leaks(document, &is_secret), [""; 0], "{}", case());
            // serde_yaml picks another anchor if one is defined twice.
            let resolves = !reading.reader.starts_with("serde_yaml");
            if resolves {
                assert_eq!(violations(document), [""; 0], "{}", case());
            }
        }
    }
    println!("{}", rendered.assert_enough(count, count / 20, count / 200));
}

#[test]
fn merge_keys_of_merge_keys_are_resolved() {
    let found = documents("- &a {x: 1}\n- &b {<<: *a}\n- {<<: *b}\n", true);
    let item = serde_json::json!({"x": 1});
    assert_eq!(found, Some(vec![serde_json::json!([item, item, item])]));
}
