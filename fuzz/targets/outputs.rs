//! Any bytes as an outputs document, and any text as the value of an output. The first byte
//! chooses the format.
#![no_main]

use landfall::format_samples;
use landfall_fuzz::{render, request, survives};

const MANIFEST: &[u8] =
    b"a: ${infra.x}\nb: \"c ${infra.x}\"\nd: |\n  ${infra.x}\n${infra.x}: [${infra.x}]\n";

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((format, outputs)) = input.split_first() else {
        return;
    };
    let formats: Vec<_> = format_samples().collect();
    let (format, sample) = formats[usize::from(*format) % formats.len()];
    let output = (sample.output)("x", &String::from_utf8_lossy(outputs));
    let document = format!("{}{output}{}", sample.before, sample.after);
    for content in [outputs, document.as_bytes()] {
        survives(MANIFEST, content);
        let mut request = request(content);
        request.outputs[0].format = Some(format.to_owned());
        let _ = render(MANIFEST, &request);
    }
});
