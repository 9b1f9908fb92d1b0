//! Any bytes as an outputs document, and any text as the value of an output.
#![no_main]

use landfall_fuzz::survives;

const MANIFEST: &[u8] =
    b"a: ${infra.x}\nb: \"c ${infra.x}\"\nd: |\n  ${infra.x}\n${infra.x}: [${infra.x}]\n";

libfuzzer_sys::fuzz_target!(|outputs: &[u8]| {
    survives(MANIFEST, outputs);
    let mut value = b"{\"x\": {\"value\": ".to_vec();
    value.extend_from_slice(outputs);
    value.extend_from_slice(b"}}");
    survives(MANIFEST, &value);
});
