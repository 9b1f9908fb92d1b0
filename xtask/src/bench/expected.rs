//! What landfall is expected to reach, compared with what it reached.

use super::contenders::Kind;
use super::rounds::Measured;
use super::table::{Table, megabytes};

/// One expectation.
#[derive(Clone, Debug)]
struct Expectation {
    work: String,
    expected: String,
    /// `None` if it could not be measured here.
    measured: Option<Measurement>,
}

/// A measurement and whether it is as expected.
#[derive(Clone, Debug)]
struct Measurement {
    /// Computed from the medians.
    shown: String,
    /// The same from the fastest runs, which are less disturbed by other work on the
    /// machine.
    fastest: String,
    /// Whether `shown` is as expected.
    is_met: bool,
}

/// The tolerance for "sixteen times the input takes sixteen times as long".
const LINEAR_TOLERANCE: f64 = 1.1;

/// Returns all expectations about what was measured.
pub(super) fn table(all: &[Measured], document_bytes: u64) -> Table {
    let mut table = Table::new(&["work", "expected", "measured", "", "fastest runs"]);
    for expectation in expectations(all, document_bytes) {
        let [shown, mark, fastest] = match expectation.measured {
            Some(Measurement {
                shown,
                fastest,
                is_met,
            }) => [shown, if is_met { "✓" } else { "✗" }.to_owned(), fastest],
            None => ["not measured".to_owned(), String::new(), String::new()],
        };
        table.row(vec![
            expectation.work,
            expectation.expected,
            shown,
            mark,
            fastest,
        ]);
    }
    table
}

fn expectations(all: &[Measured], document_bytes: u64) -> Vec<Expectation> {
    let find = |name| all.iter().find(|measured| measured.input.name == name);
    let mut expectations = Vec::new();
    for (name, ours, peer, max_ratio) in [
        ("small", Kind::Landfall, Kind::Cat, 1.5),
        ("sparse", Kind::Landfall, Kind::Cat, 3.0),
        ("dense", Kind::LandfallOneThread, Kind::GnuEnvsubst, 1.3),
        ("dense", Kind::Landfall, Kind::GnuEnvsubst, 1.0),
        ("dense16", Kind::Landfall, Kind::GnuEnvsubst, 1.0),
    ] {
        if let Some(measured) = find(name) {
            expectations.push(ratio(measured, ours, peer, max_ratio));
        }
    }
    if let (Some(once), Some(repeated)) = (find("dense"), find("dense16")) {
        expectations.push(linear(once, repeated));
    }
    for measured in all {
        expectations.push(memory(measured, document_bytes));
    }
    expectations
}

/// Compares the median of one of our commands with a peer's.
fn ratio(measured: &Measured, ours: Kind, peer: Kind, max_ratio: f64) -> Expectation {
    let work = match ours {
        Kind::LandfallOneThread => format!("{}, --jobs 1", measured.input.name),
        _ => measured.input.name.to_owned(),
    };
    let ours = measured.of(ours);
    let theirs = measured.of(peer);
    Expectation {
        work,
        expected: format!("≤ {max_ratio} × {}", peer.name()),
        measured: ours.zip(theirs).map(|(ours, theirs)| {
            let ratio = ours.median() / theirs.median();
            Measurement {
                shown: format!("{ratio:.2} ×"),
                fastest: format!("{:.2} ×", ours.fastest() / theirs.fastest()),
                is_met: ratio <= max_ratio,
            }
        }),
    }
}

fn linear(once: &Measured, repeated: &Measured) -> Expectation {
    let factor = repeated.input.bytes as f64 / once.input.bytes as f64;
    let ours = |measured: &Measured| measured.of(Kind::Landfall).cloned();
    Expectation {
        work: repeated.input.name.to_owned(),
        expected: format!("≤ {factor:.0} × {} (within 10 %)", once.input.name),
        measured: ours(repeated).zip(ours(once)).map(|(repeated, once)| {
            let ratio = repeated.median() / once.median();
            Measurement {
                shown: format!("{ratio:.1} ×"),
                fastest: format!("{:.1} ×", repeated.fastest() / once.fastest()),
                is_met: ratio <= factor * LINEAR_TOLERANCE,
            }
        }),
    }
}

/// Checks peak memory. The input is manifests and outputs; a megabyte is a million bytes.
fn memory(measured: &Measured, document_bytes: u64) -> Expectation {
    let budget = 3 * (measured.input.bytes + document_bytes) + 32_000_000;
    Expectation {
        work: measured.input.name.to_owned(),
        expected: format!("peak ≤ 3 × input + 32 MB = {} MB", megabytes(budget)),
        measured: measured.of(Kind::Landfall).map(|ours| Measurement {
            shown: format!("{} MB", megabytes(ours.peak)),
            fastest: String::new(),
            is_met: ours.peak <= budget,
        }),
    }
}
