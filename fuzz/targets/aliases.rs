//! Any decisions of the generator of documents full of aliases.
#![no_main]

libfuzzer_sys::fuzz_target!(|numbers: Vec<u16>| {
    landfall_fuzz::aliases::survives(&numbers);
});
