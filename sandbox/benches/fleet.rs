//! The cost of a fleet: one source of 1 MB, rendered with many outputs documents. The
//! source is analysed once; each render after the first only binds values.
//!
//! `cargo bench --package landfall-sandbox --bench fleet` prints a tab-separated line for
//! each case, for `cargo xtask bench fleet`: source, how it is rendered, milliseconds
//! of the first render and of the later ones (median), bytes that the kept analysis takes
//! per byte of the source. `cargo test` renders a few documents only.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "it reads the clock, files and its arguments, prints what it measured, and panics where it cannot"
)]

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Instant;

use landfall::{Content, File, OutputsDocument, Request, Sources};
use landfall_sandbox::{Limits, Module, OnTimeout, types};
use landfall_test_support::skip::{Requirement, skipped};

/// The size of the source in bytes.
const LENGTH: usize = 1 << 20;

/// The number of outputs documents, and of those that a test renders.
const DOCUMENTS: usize = 1_000;
const TESTED: usize = 4;

/// The number of outputs in each document.
const OUTPUTS: usize = 50;

/// The sources, each with the distance between documents that have references.
const SOURCES: [(&str, usize); 2] = [("dense", 1), ("sparse", 20)];

fn main() {
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let (length, documents) = if is_bench {
        (LENGTH, DOCUMENTS)
    } else {
        (LENGTH / 64, TESTED)
    };
    for (name, every) in SOURCES {
        let source = source(length, every);
        let requests: Vec<Vec<u8>> = (0..documents).map(outputs).collect();
        let native = native(&source, &requests);
        native.print(name, "native, 2 threads");
        match component(&source, &requests) {
            Some(times) => times.print(name, "one component"),
            None => skipped(
                Requirement::Dist,
                "the fleet bench renders in the module of dist/",
            ),
        }
    }
    if !is_bench {
        println!("fleet: {TESTED} documents render");
    }
}

/// Render times in seconds.
struct Times {
    first: f64,
    later: Vec<f64>,
    /// The resident memory that the first two renders added, per byte of the source.
    kept: Option<f64>,
}

impl Times {
    fn print(mut self, source: &str, how: &str) {
        self.later.sort_by(f64::total_cmp);
        let median = self.later[self.later.len() / 2];
        let kept = self
            .kept
            .map_or("-".to_owned(), |kept| format!("{kept:.1}"));
        println!(
            "{source}\t{how}\t{:.2}\t{:.2}\t{kept}",
            self.first * 1e3,
            median * 1e3
        );
    }
}

/// Returns Deployments, of which every `every`-th contains references.
fn source(length: usize, every: usize) -> Vec<u8> {
    let mut text = String::with_capacity(length + 1024);
    for number in 0.. {
        let value = |nth: usize| match number % every {
            0 => format!("${{infra.output_{}}}", (number * 4 + nth) % OUTPUTS),
            _ => format!("value-{nth}"),
        };
        let document = format!(
            "---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-{number}
  labels: {{app: web, vpc: \"{}\"}}
spec:
  replicas: 3
  selector:
    matchLabels: {{app: web}}
  template:
    metadata:
      labels: {{app: web}}
    spec:
      containers:
      - name: web
        image: registry.example.com/{}/web:1.2.3
        args:
        - --cluster={}
        - --log-level=info
        env:
        - name: BUCKET
          value: {}
        resources:
          limits: {{cpu: 500m, memory: 256Mi}}
          requests: {{cpu: 100m, memory: 128Mi}}
        ports:
        - containerPort: 8080
          protocol: TCP
",
            value(0),
            value(1),
            value(2),
            value(3)
        );
        if !text.is_empty() && text.len() + document.len() > length {
            break;
        }
        text.push_str(&document);
    }
    text.into_bytes()
}

fn outputs(document: usize) -> Vec<u8> {
    let output = |nth: usize| {
        format!(
            "\"output_{nth}\": {{\"sensitive\": false, \"type\": \"string\", \"value\": \"value-{document}-{nth}\"}}"
        )
    };
    let outputs: Vec<String> = (0..OUTPUTS).map(output).collect();
    format!("{{{}}}", outputs.join(",\n")).into_bytes()
}

/// Renders natively: the first two documents, then the others in two threads that share the
/// source.
fn native(source: &[u8], documents: &[Vec<u8>]) -> Times {
    let sources = Sources::new(vec![File {
        path: "app.yaml".into(),
        content: source.to_vec(),
    }]);
    let before = resident();
    let first = rendered(&sources, &documents[0]);
    rendered(&sources, &documents[1]);
    let kept = before.zip(resident()).map(|(before, after)| {
        let bytes = u32::try_from(after.saturating_sub(before)).unwrap_or(u32::MAX);
        f64::from(bytes) / f64::from(u32::try_from(source.len()).unwrap_or(u32::MAX))
    });
    let (left, right) = documents[2..].split_at(documents[2..].len() / 2);
    let all = |documents: &[Vec<u8>]| -> Vec<f64> {
        let times = documents
            .iter()
            .map(|document| rendered(&sources, document));
        times.collect()
    };
    let later = thread::scope(|scope| {
        let other = scope.spawn(|| all(left));
        let mut times = all(right);
        times.extend(other.join().expect("the other thread renders"));
        times
    });
    Times { first, later, kept }
}

fn rendered(sources: &Sources, outputs: &[u8]) -> f64 {
    let request = Request {
        outputs: vec![OutputsDocument {
            name: "infra".into(),
            path: "infra.json".into(),
            content: outputs.to_vec(),
            ..OutputsDocument::default()
        }],
        ..Request::default()
    };
    let start = Instant::now();
    let answer = sources.generate(&request);
    let time = start.elapsed().as_secs_f64();
    let answer = answer.unwrap_or_else(|found| panic!("{:?}", found.first()));
    assert!(matches!(&answer.sources[..], [Content::Edited(edits)] if !edits.is_empty()));
    time
}

/// Renders in one instance of the module of `dist/`; `None` if it has not been built.
fn component(source: &[u8], documents: &[Vec<u8>]) -> Option<Times> {
    let path = std::env::var_os("LANDFALL_COMPONENT").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../dist/landfall.component.wasm"),
        Into::into,
    );
    let compiled = fs::read(path.with_extension("cwasm")).ok()?;
    // SAFETY: compiled by the build of this workspace.
    #[allow(unsafe_code, reason = "see above")]
    let module = unsafe { Module::precompiled(&compiled, OnTimeout::EndProcess) }
        .expect("a module of this build");
    let mut plugin = module.start(&Limits::default()).expect("an instance");
    let file = types::File {
        path: "app.yaml".into(),
        content: source.into(),
    };
    let sources = plugin.sources(&[file]).expect("sources");
    let configuration = types::Configuration {
        binding: None,
        ceiling: types::Ceiling {
            built_in: types::BuiltInCeiling::None,
            operator_policy: None,
        },
        policy: None,
        bound_otherwise: Vec::new(),
    };
    let application = plugin.application(&configuration).expect("an application");
    let mut times = documents.iter().map(|document| {
        let inputs = types::Inputs {
            documents: vec![types::OutputsDocument {
                name: "infra".into(),
                path: "infra.json".into(),
                content: document.clone(),
                format: None,
                sensitive: false,
                declared_at: None,
            }],
            resources_only: false,
            known_names: Vec::new(),
            keep_references: false,
            detail: types::Detail::Diagnostics,
            answer_limit: None,
        };
        let start = Instant::now();
        let answer = plugin.generate(&application, &sources, &inputs);
        let answer = answer.expect("no stop");
        let time = start.elapsed().as_secs_f64();
        answer.unwrap_or_else(|found| panic!("{:?}", found.diagnostics.first()));
        time
    });
    let first = times.next()?;
    // The second render is left out: it keeps an analysis that was too large for the
    // first.
    let later = times.skip(1).collect();
    Some(Times {
        first,
        later,
        kept: None,
    })
}

/// Returns the resident memory of this process in bytes.
fn resident() -> Option<u64> {
    let statm = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
