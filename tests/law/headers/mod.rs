//! Sensitive values in documents whose header readers take in different ways.

mod case;
mod property;

use crate::aliases::is_secret;
use crate::choices::{Choices, Sequence};
use crate::generated::cases;
use crate::reading::leaks;
use crate::render::render;
use crate::streams::readings;

/// Documents of an ordinary run.
const DOCUMENTS: u32 = 8_000;

#[test]
fn a_secret_is_one_for_every_reader() {
    let mut sequence = Sequence::new(31);
    let count = cases(DOCUMENTS).cases;
    let (mut streams, mut from, mut secrets) = (Vec::new(), Vec::new(), 0);
    for _ in 0..count {
        let numbers = sequence.numbers(60);
        let rendered =
            property::leaks_nothing_to_one_reader(&mut Choices::new(&numbers), |text, request| {
                let done = render(text.as_bytes(), request).ok()?;
                Some(String::from_utf8(done.output).unwrap())
            });
        if let Some((text, output)) = rendered {
            secrets += u32::from(is_secret(&output));
            streams.push(output);
            from.push(text);
        }
    }
    for reading in readings(&streams) {
        for document in &reading.documents {
            assert_eq!(
                leaks(document, &is_secret),
                [""; 0],
                "{} reads\n{}of\n{}",
                reading.reader,
                streams[reading.stream],
                from[reading.stream]
            );
        }
    }
    let rendered = u32::try_from(streams.len()).unwrap();
    assert!(
        rendered > count / 20 && secrets > count / 50,
        "{rendered} rendered, {secrets} of them with the secret"
    );
    println!("{rendered} of {count} rendered, {secrets} with the secret");
}
