//! Sensitive values in documents whose header YAML readers interpret differently.

use landfall_test_cases::aliases::is_secret;
use landfall_test_cases::headers::leaks_nothing_to_one_reader;

use crate::generated::cases;
use crate::reading::leaks;
use crate::streams::{Rendered, readings};

/// Documents per ordinary run.
const DOCUMENTS: u32 = 8_000;

#[test]
fn sensitive_values_are_in_secrets_for_every_reader() {
    let count = cases(DOCUMENTS).cases;
    let rendered = Rendered::generate(31, count, 60, |choices, render| {
        leaks_nothing_to_one_reader(choices, render)
    });
    for reading in readings(&rendered.streams) {
        for document in &reading.documents {
            let found = leaks(document, &is_secret);
            assert_eq!(found, [""; 0], "{}", rendered.reported(&reading));
        }
    }
    println!("{}", rendered.assert_enough(count, count / 20, count / 50));
}
