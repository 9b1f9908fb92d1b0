//! No command shows a secret of a document that is broken: every command is run on every
//! kind of broken document, with a secret in each place where one may be.
//!
//! A secret is known by its place: the data of a Secret, or what is marked or declared
//! sensitive. Nobody can know any other.

mod faults;
mod places;
mod runs;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use faults::FAULTS;
use landfall_test_support::seed;
use runs::Files;

use super::commands::{commands, is_of};
use crate::run::TestFolder;

/// Runs commands on the documents with a fault. Returns what is wrong.
fn leaks(number: usize) -> Vec<String> {
    let (name, fault) = FAULTS[number];
    let files = Files::write(TestFolder::new(), fault);
    let factor = usize::try_from(seed::factor()).unwrap();
    let (mut wrong, mut failed) = (Vec::new(), 0);
    for line in runs::lines(&files.places, number, factor) {
        let (code, found) = files.run(&line);
        failed += usize::from(code != Some(0));
        wrong.extend(found.map(|found| format!("{name}: {found}")));
    }
    // It is a fault: some commands refuse it.
    assert!(failed > 0, "{name}");
    wrong
}

#[test]
fn no_command_shows_a_secret_of_a_broken_document() {
    let next = AtomicUsize::new(0);
    let check = || {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let numbers = numbers.take_while(|number| *number < FAULTS.len());
        numbers.flat_map(leaks).collect::<Vec<_>>()
    };
    let threads = thread::available_parallelism().map_or(2, usize::from);
    let wrong: Vec<_> = thread::scope(|scope| {
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(check)).collect();
        let finished = started.into_iter().map(|thread| thread.join().unwrap());
        finished.flatten().collect()
    });
    assert!(
        wrong.is_empty(),
        "{} of:\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
}

/// A new command fails this test until it has a row.
#[test]
fn every_command_is_run_on_broken_documents() {
    let folder = TestFolder::new();
    for (command, _) in commands(&folder, "") {
        let mut lines = runs::ROWS.iter().map(|(_, _, line)| *line);
        let has_row = lines.any(|line| is_of(&command, line));
        assert!(has_row, "`landfall {command}` has no row");
    }
}
