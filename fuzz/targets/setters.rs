//! Any text as a manifest with setter comments, as a value and as its comment.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: (&str, &str)| {
    let (text, pattern) = input;
    landfall_fuzz::setters::survives(text, pattern);
});
