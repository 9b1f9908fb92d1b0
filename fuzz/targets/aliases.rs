//! Any decisions of the generator of documents full of aliases.
#![no_main]

use landfall_fuzz::rendered;
use landfall_test_cases::aliases::is_right_for_one_reader;
use landfall_test_cases::choices::Choices;

libfuzzer_sys::fuzz_target!(|numbers: Vec<u16>| {
    is_right_for_one_reader(&mut Choices::new(&numbers), rendered);
});
