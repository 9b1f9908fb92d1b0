//! Any decisions of the generator of references in base64.
#![no_main]

use landfall_test_cases::choices::Choices;
use landfall_test_cases::encoded::found_and_nothing_else;

libfuzzer_sys::fuzz_target!(|numbers: Vec<u16>| {
    found_and_nothing_else(&mut Choices::new(&numbers));
});
