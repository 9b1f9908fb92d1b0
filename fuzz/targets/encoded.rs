//! Any decisions of the generator of references in base64.
#![no_main]

libfuzzer_sys::fuzz_target!(|numbers: Vec<u16>| {
    landfall_fuzz::encoded::survives(&numbers);
});
