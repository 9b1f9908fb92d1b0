//! Sensitive values in documents whose header readers take in different ways.

mod case;
mod property;

use crate::aliases::is_secret;
use crate::generated::cases;
use crate::reading::leaks;
use crate::streams::{Rendered, readings};

/// Documents of an ordinary run.
const DOCUMENTS: u32 = 8_000;

#[test]
fn a_secret_is_one_for_every_reader() {
    let count = cases(DOCUMENTS).cases;
    let rendered = Rendered::made_up((31, count, 60), |choices, render| {
        property::leaks_nothing_to_one_reader(choices, render)
    });
    for reading in readings(&rendered.streams) {
        for document in &reading.documents {
            let found = leaks(document, &is_secret);
            assert_eq!(found, [""; 0], "{}", rendered.reported(&reading));
        }
    }
    println!("{}", rendered.are_enough(count, count / 20, count / 50));
}
