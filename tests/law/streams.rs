//! Streams of documents as every reader reads them, aliases and merge keys resolved.

use serde_json::{Value as Json, json};

use crate::readers::{answer, programs};
use crate::reading::documents;

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
            let told: Json = serde_json::from_str(line).expect("JSON");
            if let (Some(stream), Json::Array(documents)) =
                (told["line"].as_u64(), &told["documents"])
            {
                found.push(Reading {
                    stream: usize::try_from(stream).unwrap(),
                    reader: told["reader"].as_str().unwrap().to_owned(),
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
