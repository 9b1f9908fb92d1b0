//! Any decisions of the generator of policies under a ceiling.
#![no_main]

libfuzzer_sys::fuzz_target!(|numbers: Vec<u16>| {
    landfall_fuzz::ceilings::survives(&numbers);
});
