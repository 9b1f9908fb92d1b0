//! Any text as a document: the fast parser builds the tree of the complete one, or
//! declines it.
#![no_main]

use landfall_yaml::{Comparison, compare_parsers};

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Comparison::Different(how) = compare_parsers(text) {
        panic!("{text:?}: {how}");
    }
});
