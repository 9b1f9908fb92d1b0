//! Any decisions of the generator of manifests with unbound text.
#![no_main]

libfuzzer_sys::fuzz_target!(|numbers: Vec<u16>| {
    landfall_fuzz::unbound::survives(&numbers);
});
