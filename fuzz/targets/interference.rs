//! Any decisions of the generator of manifests that ask for sensitive outputs.
#![no_main]

libfuzzer_sys::fuzz_target!(|numbers: Vec<u16>| {
    landfall_fuzz::interference::survives(&numbers);
});
