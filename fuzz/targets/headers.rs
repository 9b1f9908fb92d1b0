//! Any decisions of the generator of headers of Secrets.
#![no_main]

use landfall_fuzz::rendered;
use landfall_test_cases::choices::Choices;
use landfall_test_cases::headers::leaks_nothing_to_one_reader;

libfuzzer_sys::fuzz_target!(|numbers: Vec<u16>| {
    leaks_nothing_to_one_reader(&mut Choices::new(&numbers), rendered);
});
