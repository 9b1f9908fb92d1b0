//! Any decisions of the generator of manifests with unbound text.
#![no_main]

use landfall_test_cases::choices::Choices;
use landfall_test_cases::unbound::reported_as_the_model_says;

libfuzzer_sys::fuzz_target!(|numbers: Vec<u16>| {
    reported_as_the_model_says(&mut Choices::new(&numbers));
});
