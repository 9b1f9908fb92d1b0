//! Random changes of real documents and of the seeds.

use landfall_test_support::readers::seeds::SEEDS;
use landfall_test_support::seed::{Sequence, factor};
use landfall_test_support::skip;
use landfall_yaml::{Comparison, compare_parsers, split};

use crate::corpora::{files, report, text};
use crate::mutation::{mutate, part};
use crate::traps::{DECLINED, TRAPS};

/// The number of documents in an ordinary run.
const DOCUMENTS: u64 = 1_200_000;

/// Returns the documents that are changed.
fn originals() -> Vec<String> {
    let built_in = SEEDS
        .iter()
        .chain(TRAPS)
        .chain(DECLINED)
        .map(|text| (*text).to_owned());
    let mut originals: Vec<String> = built_in.collect();
    if let Some(corpora) = skip::corpora() {
        let suite = corpora.join("yaml-test-suite");
        let paths = files(&corpora, &["yaml", "yml", "json"]);
        for path in files(&suite, &["yaml"]).iter().chain(&paths) {
            if let Some(text) = text(path) {
                let parts = split(&text);
                originals.extend(parts.iter().take(40).map(|part| part.text.to_owned()));
            }
        }
    }
    originals
}

#[test]
fn a_million_mutated_documents() {
    let originals = originals();
    let built_in = SEEDS.len() + TRAPS.len() + DECLINED.len();
    let mut sequence = Sequence::new(1);
    let mut declined = 0u64;
    let documents = DOCUMENTS * factor();
    for number in 0..documents {
        let from = match number % 2 {
            0 => built_in,
            _ => originals.len(),
        };
        let mut text = part(&originals[sequence.below(from)], &mut sequence).to_owned();
        mutate(&mut text, &mut sequence);
        match compare_parsers(&text) {
            Comparison::Same => {}
            Comparison::Declined => declined += 1,
            Comparison::Different(how) => panic!("document {number}: {text:?}: {how}"),
        }
    }
    report(&format!(
        "parsers: the fast one declines {declined} of {documents} mutated documents"
    ));
    assert!(declined < documents / 4 * 3, "most documents are declined");
}
