//! Any decisions of the generator of policies under a ceiling.
#![no_main]

use landfall_test_cases::ceilings::{read_alike, within_the_ceiling};
use landfall_test_cases::choices::Choices;

libfuzzer_sys::fuzz_target!(|numbers: Vec<u16>| {
    within_the_ceiling(&mut Choices::new(&numbers));
    read_alike(&mut Choices::new(&numbers));
});
