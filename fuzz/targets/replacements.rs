//! Any decisions of the generator of documents and field bindings.
#![no_main]

use landfall_test_cases::choices::Choices;
use landfall_test_cases::replacements::does_as_the_model_does;

libfuzzer_sys::fuzz_target!(|numbers: Vec<u16>| {
    does_as_the_model_does(&mut Choices::new(&numbers));
});
