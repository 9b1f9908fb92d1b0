//! Any manifest, field path and value of a field binding.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: (u8, &str, &str, &str)| {
    let (options, path, value, manifest) = input;
    landfall_fuzz::field_bindings::survives(manifest, path, value, options);
});
