//! Any decisions of the generator of documents and field bindings.
#![no_main]

libfuzzer_sys::fuzz_target!(|numbers: Vec<u16>| {
    landfall_fuzz::replacements::survives(&numbers);
});
