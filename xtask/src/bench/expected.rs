//! What landfall has to reach, beside what it reached.

use super::contenders::Kind;
use super::rounds::Measured;
use super::table::{Table, megabytes};

/// One expectation.
#[derive(Clone, Debug)]
struct Judged {
    work: &'static str,
    expected: String,
    /// None: it could not be measured here.
    measured: Option<Finding>,
}

/// What was found.
#[derive(Clone, Debug)]
struct Finding {
    /// By medians.
    shown: String,
    /// The same by the fastest runs, which other work on the machine disturbs less.
    least: String,
    /// By what is shown.
    holds: bool,
}

/// How much more than sixteen times as long sixteen times as much may take.
const LINEAR_TOLERANCE: f64 = 1.1;

/// All expectations about what was measured.
pub(super) fn table(all: &[Measured], document_bytes: u64) -> Table {
    let mut table = Table::new(&["work", "expected", "measured", "", "fastest runs"]);
    for judged in judge(all, document_bytes) {
        let [shown, mark, least] = match judged.measured {
            Some(Finding {
                shown,
                least,
                holds,
            }) => [shown, if holds { "✓" } else { "✗" }.to_owned(), least],
            None => ["not measured".to_owned(), String::new(), String::new()],
        };
        table.row(vec![
            judged.work.to_owned(),
            judged.expected,
            shown,
            mark,
            least,
        ]);
    }
    table
}

fn judge(all: &[Measured], document_bytes: u64) -> Vec<Judged> {
    let find = |name| all.iter().find(|measured| measured.input.name == name);
    let mut judged = Vec::new();
    for (name, peer, most) in [
        ("small", Kind::Cat, 2.5),
        ("sparse", Kind::Cat, 4.0),
        ("dense", Kind::FluxText, 2.0),
    ] {
        if let Some(measured) = find(name) {
            judged.push(ratio(measured, peer, most));
        }
    }
    if let (Some(once), Some(repeated)) = (find("dense"), find("dense16")) {
        judged.push(linear(once, repeated));
    }
    for measured in all {
        judged.push(memory(measured, document_bytes));
    }
    judged
}

/// landfall's median against a peer's.
fn ratio(measured: &Measured, peer: Kind, most: f64) -> Judged {
    let ours = measured.of(Kind::Landfall);
    let theirs = measured.of(peer);
    Judged {
        work: measured.input.name,
        expected: format!("≤ {most} × {}", peer.name()),
        measured: ours.zip(theirs).map(|(ours, theirs)| {
            let ratio = ours.median() / theirs.median();
            Finding {
                shown: format!("{ratio:.2} ×"),
                least: format!("{:.2} ×", ours.least() / theirs.least()),
                holds: ratio <= most,
            }
        }),
    }
}

fn linear(once: &Measured, repeated: &Measured) -> Judged {
    let factor = repeated.input.bytes as f64 / once.input.bytes as f64;
    let ours = |measured: &Measured| measured.of(Kind::Landfall).cloned();
    Judged {
        work: repeated.input.name,
        expected: format!("≤ {factor:.0} × {} (within 10 %)", once.input.name),
        measured: ours(repeated).zip(ours(once)).map(|(repeated, once)| {
            let ratio = repeated.median() / once.median();
            Finding {
                shown: format!("{ratio:.1} ×"),
                least: format!("{:.1} ×", repeated.least() / once.least()),
                holds: ratio <= factor * LINEAR_TOLERANCE,
            }
        }),
    }
}

/// Manifests and outputs are the input; a megabyte is a million bytes.
fn memory(measured: &Measured, document_bytes: u64) -> Judged {
    let budget = 3 * (measured.input.bytes + document_bytes) + 32_000_000;
    Judged {
        work: measured.input.name,
        expected: format!("peak ≤ 3 × input + 32 MB = {} MB", megabytes(budget)),
        measured: measured.of(Kind::Landfall).map(|ours| Finding {
            shown: format!("{} MB", megabytes(ours.peak)),
            least: String::new(),
            holds: ours.peak <= budget,
        }),
    }
}
