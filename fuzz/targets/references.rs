//! Any text as the expression of a reference, in every kind of scalar.
#![no_main]

use landfall_fuzz::{OUTPUTS, survives};

libfuzzer_sys::fuzz_target!(|expression: &str| {
    for (before, behind) in [
        ("a: ${infra.", "}\n"),
        ("a: \"${infra.", "}\"\n"),
        ("a: '${infra.", "}'\n"),
        ("a: |\n  ${infra.", "}\n"),
        ("[${infra.", "}, b]\n"),
        ("${infra.", "}: b\n"),
        ("a: $${infra.", "\n"),
    ] {
        survives(format!("{before}{expression}{behind}").as_bytes(), OUTPUTS);
    }
});
