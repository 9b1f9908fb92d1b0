//! Any bytes as a manifest.
#![no_main]

use landfall_fuzz::{OUTPUTS, survives};

libfuzzer_sys::fuzz_target!(|manifest: &[u8]| survives(manifest, OUTPUTS));
