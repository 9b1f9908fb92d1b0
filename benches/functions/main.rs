//! What a function costs: the time per reference of a manifest that calls it, compared
//! with one without a function, through the library as native code. Parsing the manifest
//! and the outputs document and writing the value are included.
//!
//! `cargo bench --bench functions` writes a tab-separated line for each case, for
//! `cargo xtask bench`: call, output, nanoseconds, ratio. `cargo test` only checks that
//! every function has a case that renders.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "it reads the clock and its arguments, prints what it measured, and ends where it cannot"
)]

mod cases;

use std::time::{Duration, Instant};

use landfall::{Content, File, OutputsDocument, Request, Sources};

use cases::{ALONE, CALLS, Case, OUTPUTS, PLAIN};

/// References per manifest.
const REFERENCES: usize = 1_000;

/// How often every manifest is rendered. Each round renders all of them, so that a
/// temporary disturbance of the machine affects all.
const ROUNDS: usize = 31;

fn main() {
    if std::env::args().any(|argument| argument == "--bench") {
        measure();
    } else {
        check();
    }
}

fn measure() {
    let cases: Vec<Case> = ALONE.iter().chain(CALLS).copied().collect();
    let manifests: Vec<Vec<u8>> = cases
        .iter()
        .map(|case| manifest(*case, REFERENCES))
        .collect();
    let mut times = vec![Vec::with_capacity(ROUNDS); cases.len()];
    for round in 0..=ROUNDS {
        for (manifest, times) in manifests.iter().zip(&mut times) {
            let time = render(manifest, REFERENCES);
            // The first round is a warm-up.
            if round > 0 {
                times.push(time);
            }
        }
    }
    let medians: Vec<f64> = times.into_iter().map(median).collect();
    let plain = medians[0];
    for (case, median) in cases.iter().zip(medians) {
        println!(
            "{}\t{}\t{:.0}\t{:.2}",
            case.call.unwrap_or(""),
            case.output,
            median * 1e9 / REFERENCES as f64,
            median / plain
        );
    }
}

/// Returns a manifest with that many equal references, under distinct keys.
fn manifest(case: Case, references: usize) -> Vec<u8> {
    let reference = case.reference();
    let lines = (0..references).map(|number| match case.function() {
        Some("spread") => format!("- {reference}\n"),
        _ => format!("key-{number}: {reference}\n"),
    });
    lines.collect::<String>().into_bytes()
}

/// Renders the manifest and checks that every reference was replaced.
fn render(manifest: &[u8], references: usize) -> Duration {
    let file = File {
        path: "manifest.yaml".into(),
        content: manifest.to_vec(),
    };
    let request = Request {
        outputs: vec![OutputsDocument {
            name: "infra".into(),
            path: "infra.json".into(),
            content: OUTPUTS.as_bytes().to_vec(),
            ..OutputsDocument::default()
        }],
        ..Request::default()
    };
    let start = Instant::now();
    let answer = Sources::new(vec![file]).generate(&request);
    let time = start.elapsed();
    let answer = answer.unwrap_or_else(|found| panic!("{:?}", found.first()));
    let [Content::Edited(edits)] = &answer.sources[..] else {
        panic!("one edited file, not {:?}", answer.sources);
    };
    assert!(edits.len() >= references, "an edit for each reference");
    time
}

/// Returns the median in seconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

/// Checks that every documented function has its case, in the same order.
fn check() {
    let page = include_str!("../../docs/language/functions.md");
    let documented: Vec<&str> = page
        .lines()
        .filter_map(|line| {
            let name = line.strip_prefix("| [`")?;
            name.split(['(', '`']).next()
        })
        .collect();
    let measured: Vec<&str> = CALLS.iter().filter_map(|case| case.function()).collect();
    assert_eq!(measured, documented, "a case in benches/functions/cases.rs");
    assert!(PLAIN.call.is_none(), "the measure calls no function");
    for case in ALONE.iter().chain(CALLS) {
        render(&manifest(*case, 3), 3);
    }
    println!("functions: {} cases render", ALONE.len() + CALLS.len());
}
