//! Any decisions of the generator of headers of Secrets.
#![no_main]

libfuzzer_sys::fuzz_target!(|numbers: Vec<u16>| {
    landfall_fuzz::headers::survives(&numbers);
});
