//! How long the fast parser takes, as a ratio to the complete one: over the documents of
//! dense applications, as `cargo xtask bench` writes them, and over each corpus.
//!
//! `cargo bench -p landfall-yaml --bench parsers`

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark reads files and the clock"
)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use landfall_yaml::{locate_completely, locate_fast, masked, split};

/// One application: five documents with twenty references.
const TEMPLATE: &str = include_str!("../../xtask/src/bench/inputs/app.yaml");

/// The number of applications.
const APPLICATIONS: usize = 1_000;

/// Returns the documents of the applications, with their references masked.
fn dense() -> Vec<String> {
    let mut documents = Vec::new();
    for number in 0..APPLICATIONS {
        let mut text = String::new();
        let mut references = Vec::new();
        for (position, piece) in TEMPLATE.split('@').enumerate() {
            if position % 2 == 0 {
                text.push_str(piece);
            } else if piece == "app" {
                text.push_str(&format!("app-{number:04}"));
            } else {
                let start = text.len();
                text.push_str(&format!("${{infra.{piece}_{number}}}"));
                references.push(start..text.len());
            }
        }
        let text = masked(&text, references.iter());
        documents.extend(split(&text).iter().map(|document| document.text.to_owned()));
    }
    documents
}

/// Returns the documents of the files in a folder.
fn corpus(folder: PathBuf) -> Vec<String> {
    let mut documents = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if matches!(extension, Some("yaml" | "yml" | "json"))
                && let Ok(text) = String::from_utf8(std::fs::read(path).unwrap())
            {
                let parts = split(&text);
                documents.extend(parts.iter().map(|document| document.text.to_owned()));
            }
        }
    }
    documents
}

/// Returns the shortest time of some rounds.
fn shortest(rounds: usize, mut work: impl FnMut() -> usize) -> Duration {
    (0..rounds)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(work());
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn compare(name: &str, documents: &[String]) {
    let bytes: usize = documents.iter().map(String::len).sum();
    let fast = shortest(15, || {
        let trees = documents.iter().filter_map(|text| locate_fast(text));
        trees.map(|tree| tree.len()).sum()
    });
    let complete = shortest(5, || {
        let trees = documents.iter().filter_map(|text| locate_completely(text));
        trees.map(|tree| tree.len()).sum()
    });
    let read = documents.iter().filter(|text| locate_fast(text).is_some());
    println!(
        "{name:16} {:5} of {:5} documents {:6.2} MB  fast {:7.2} ms  complete {:7.2} ms  ratio {:.3}",
        read.count(),
        documents.len(),
        bytes as f64 / 1e6,
        fast.as_secs_f64() * 1e3,
        complete.as_secs_f64() * 1e3,
        fast.as_secs_f64() / complete.as_secs_f64()
    );
}

fn main() {
    compare("dense", &dense());
    let Some(corpora) = std::env::var_os("LANDFALL_CORPORA").map(PathBuf::from) else {
        println!("skipped: LANDFALL_CORPORA is not set");
        return;
    };
    let mut folders: Vec<_> = std::fs::read_dir(corpora)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir() && !path.ends_with("yaml-test-suite"))
        .collect();
    folders.sort();
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        compare(&name, &corpus(folder.clone()));
    }
}
