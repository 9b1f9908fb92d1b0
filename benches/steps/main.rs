//! What each step of a render costs, in time and allocations: one file rendered by the
//! library as native code, which marks its steps with the feature `steps`.
//!
//! `cargo bench --bench steps -- MANIFESTS OUTPUTS` writes tab-separated lines for
//! `cargo xtask bench --steps`: the references, the bytes, the nanoseconds of whole renders
//! while nothing else is measured, and then a line for each step: name, nanoseconds,
//! allocations. Times are the median and the minimum. `cargo test` only checks that every
//! step is entered.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "it reads files and the clock, prints what it measured, and ends where it cannot"
)]

mod allocations;
mod recorder;

use std::time::{Duration, Instant};

use landfall::{Answer, Content, File, OutputsDocument, Request, Sources, Step};

use allocations::Counting;
use recorder::{Costs, record};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often the file is rendered with and without measuring steps, in turn.
const ROUNDS: usize = 25;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    let files: Vec<&String> = arguments
        .iter()
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    match files[..] {
        [manifests, outputs] if is_bench => measure(&read(manifests), &read(outputs)),
        _ if is_bench => panic!("usage: cargo bench --bench steps -- MANIFESTS OUTPUTS"),
        _ => check(),
    }
}

fn read(path: &String) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("reading {path}: {error}"))
}

/// Renders a file and returns the time, without that of copying it.
fn render(manifests: &[u8], request: &Request) -> (Duration, Answer) {
    let file = File {
        path: "manifests.yaml".into(),
        content: manifests.to_vec(),
    };
    let start = Instant::now();
    let answer = Sources::new(vec![file]).generate(request);
    let time = start.elapsed();
    let answer = answer.unwrap_or_else(|found| panic!("{:?}", found.first()));
    (time, answer)
}

fn request(outputs: &[u8]) -> Request {
    Request {
        outputs: vec![OutputsDocument {
            name: "infra".into(),
            path: "infra.json".into(),
            content: outputs.to_vec(),
            ..OutputsDocument::default()
        }],
        ..Request::default()
    }
}

/// Returns the number of edits, one for each reference.
fn edits(answer: &Answer) -> usize {
    match &answer.sources[..] {
        [Content::Edited(edits)] => edits.len(),
        _ => panic!("nothing was substituted"),
    }
}

fn measure(manifests: &[u8], outputs: &[u8]) {
    let request = request(outputs);
    // The first render is a warm-up.
    let references = edits(&render(manifests, &request).1);
    let (mut whole, mut rounds) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (time, answer) = render(manifests, &request);
        whole.push(time);
        drop(answer);
        rounds.push(record(|| drop(render(manifests, &request))));
    }
    println!(
        "{references}\t{}\t{}",
        manifests.len(),
        median_and_minimum(whole)
    );
    for step in Step::ALL {
        let of_step = |costs: &Costs| costs[step as usize];
        let times = rounds.iter().map(|costs| of_step(costs).time).collect();
        let allocations = rounds.first().map_or(0, |costs| of_step(costs).allocations);
        println!("{step:?}\t{}\t{allocations}", median_and_minimum(times));
    }
}

/// Returns the median and the minimum of times, in nanoseconds. The minimum is less disturbed
/// by other work on the machine.
fn median_and_minimum(mut times: Vec<Duration>) -> String {
    times.sort();
    let median = times[times.len() / 2];
    format!("{}\t{}", median.as_nanos(), times[0].as_nanos())
}

/// Checks that a render enters every step and that each has its own costs.
fn check() {
    let manifests = b"kind: Service\nvpc: ${infra.vpc} # kept\n";
    let request = request(br#"{"vpc": {"sensitive": false, "type": "string", "value": "a"}}"#);
    let costs = record(|| drop(render(manifests, &request)));
    for step in Step::ALL {
        assert!(costs[step as usize].entered > 0, "{step:?} is not entered");
    }
    let locate = costs[Step::Locate as usize].allocations;
    assert!(locate > 0, "the tree takes no memory");
    let all: u64 = costs.iter().map(|cost| cost.allocations).sum();
    assert!(locate < all, "only the tree takes memory");
    println!("steps: all {} are entered", Step::ALL.len());
}
