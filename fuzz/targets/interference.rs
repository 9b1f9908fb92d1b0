//! Any decisions of the generator of manifests that ask for sensitive outputs.
#![no_main]

use landfall_test_cases::choices::Choices;
use landfall_test_cases::interference::{Case, compare};

libfuzzer_sys::fuzz_target!(|numbers: Vec<u16>| {
    let case = Case::new(&mut Choices::new(&numbers));
    if let Err(what) = compare(&case) {
        panic!("{what}");
    }
});
