//! Any text as a document inside another one.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| landfall_fuzz::embedded::survives(text));
