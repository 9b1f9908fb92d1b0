//! Streams of documents as every reader reads them, aliases and merge keys resolved.

use landfall::Request;
use serde_json::{Value as Json, json};

use crate::aliases::is_secret;
use crate::choices::{Choices, Sequence};
use crate::readers::{answer, programs};
use crate::reading::documents;
use crate::render::render;

/// Rendered streams of made-up cases.
#[derive(Default)]
pub(crate) struct Rendered {
    pub(crate) streams: Vec<String>,
    /// What each was rendered from.
    from: Vec<String>,
    /// How many of them hold the secret.
    secrets: u32,
}

impl Rendered {
    /// Renders `count` cases, each made of `length` numbers, by a property that one
    /// reader confirms: it gives the source and what it became.
    pub(crate) fn made_up(
        (seed, count, length): (u64, u32, usize),
        property: impl Fn(
            &mut Choices<'_>,
            &dyn Fn(&str, &Request) -> Option<String>,
        ) -> Option<(String, String)>,
    ) -> Self {
        let mut sequence = Sequence::new(seed);
        let mut made = Self::default();
        for _ in 0..count {
            let numbers = sequence.numbers(length);
            let rendered = property(&mut Choices::new(&numbers), &|text, request| {
                let done = render(text.as_bytes(), request).ok()?;
                Some(String::from_utf8(done.output).unwrap())
            });
            if let Some((text, output)) = rendered {
                made.secrets += u32::from(is_secret(&output));
                made.streams.push(output);
                made.from.push(text);
            }
        }
        made
    }

    /// What a failure of this reading shows.
    pub(crate) fn reported(&self, reading: &Reading) -> String {
        format!(
            "{} reads\n{}of\n{}",
            reading.reader, self.streams[reading.stream], self.from[reading.stream]
        )
    }

    /// More than so many of `count` were rendered, and hold the secret. Returns how many.
    pub(crate) fn are_enough(&self, count: u32, rendered: u32, secrets: u32) -> String {
        let (made, held) = (u32::try_from(self.streams.len()).unwrap(), self.secrets);
        assert!(
            made > rendered && held > secrets,
            "{made} rendered, {held} of them with the secret"
        );
        format!("{made} of {count} rendered, {held} with the secret")
    }
}

/// What one reader reads of one stream.
pub(crate) struct Reading {
    /// The position of the stream.
    pub(crate) stream: usize,
    pub(crate) reader: String,
    pub(crate) documents: Vec<Json>,
}

/// What all readers read of these streams. A reader that refuses a stream reads
/// nothing of it.
pub(crate) fn readings(streams: &[String]) -> Vec<Reading> {
    let lines: String = streams
        .iter()
        .map(|stream| format!("{}\n", json!({"stream": stream})))
        .collect();
    let mut found: Vec<Reading> = Vec::new();
    // Node's programs compare records; they read no streams.
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
