//! Streams of documents as every reader reads them, aliases and merge keys resolved.

use landfall::Request;
use landfall_test_cases::aliases::is_secret;
use serde_json::{Value as Json, json};

use crate::choices::{Choices, Sequence};
use crate::readers::{answer, programs};
use crate::reading::documents;
use crate::render::render;

/// Rendered streams of generated cases.
#[derive(Default)]
pub(crate) struct Rendered {
    pub(crate) streams: Vec<String>,
    /// The source of each stream.
    from: Vec<String>,
    /// How many of them contain the secret.
    secrets: u32,
}

impl Rendered {
    /// Renders `count` cases, each from `length` numbers, with a property that checks
    /// them with one reader and returns the source and the output.
    pub(crate) fn generate(
        seed: u64,
        count: u32,
        length: usize,
        property: impl Fn(
            &mut Choices<'_>,
            &dyn Fn(&str, &Request) -> Option<String>,
        ) -> Option<(String, String)>,
    ) -> Self {
        let mut sequence = Sequence::new(seed);
        let mut generated = Self::default();
        for _ in 0..count {
            let numbers = sequence.numbers(length);
            let rendered = property(&mut Choices::new(&numbers), &|text, request| {
                let done = render(text.as_bytes(), request).ok()?;
                Some(String::from_utf8(done.output).unwrap())
            });
            if let Some((text, output)) = rendered {
                generated.secrets += u32::from(is_secret(&output));
                generated.streams.push(output);
                generated.from.push(text);
            }
        }
        generated
    }

    /// Returns what a failure of this reading shows.
    pub(crate) fn reported(&self, reading: &Reading) -> String {
        format!(
            "{} reads\n{}of\n{}",
            reading.reader, self.streams[reading.stream], self.from[reading.stream]
        )
    }

    /// Checks that enough of `count` were rendered and contain the secret. Returns a
    /// summary.
    pub(crate) fn assert_enough(&self, count: u32, rendered: u32, secrets: u32) -> String {
        let (all, with_secret) = (u32::try_from(self.streams.len()).unwrap(), self.secrets);
        assert!(
            all > rendered && with_secret > secrets,
            "{all} rendered, {with_secret} of them with the secret"
        );
        format!("{all} of {count} rendered, {with_secret} with the secret")
    }
}

/// What one reader reads in one stream.
pub(crate) struct Reading {
    /// The index of the stream.
    pub(crate) stream: usize,
    pub(crate) reader: String,
    pub(crate) documents: Vec<Json>,
}

/// Returns what all readers read in these streams. A reader that refuses a stream has no
/// reading of it.
pub(crate) fn readings(streams: &[String]) -> Vec<Reading> {
    let lines: String = streams
        .iter()
        .map(|stream| format!("{}\n", json!({"stream": stream})))
        .collect();
    let mut found: Vec<Reading> = Vec::new();
    // Node's program compares records; it does not read streams.
    let reads_streams = |program: &&Vec<std::path::PathBuf>| program[0].as_os_str() != "node";
    for program in programs().iter().filter(reads_streams) {
        let output = answer(program, &lines);
        for line in String::from_utf8(output).expect("JSON").lines() {
            let reported: Json = serde_json::from_str(line).expect("JSON");
            if let (Some(stream), Json::Array(documents)) =
                (reported["line"].as_u64(), &reported["documents"])
            {
                found.push(Reading {
                    stream: usize::try_from(stream).unwrap(),
                    reader: reported["reader"].as_str().unwrap().to_owned(),
                    documents: documents.clone(),
                });
            }
        }
    }
    for (stream, text) in streams.iter().enumerate() {
        for merges in [false, true] {
            found.extend(documents(text, merges).map(|documents| Reading {
                stream,
                reader: format!("serde_yaml, merge keys {merges}"),
                documents,
            }));
        }
    }
    found
}
