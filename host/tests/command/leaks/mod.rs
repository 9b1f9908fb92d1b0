//! No sensitive value is in the output of any command: every command is run on every
//! outputs document of the corpora and on generated ones, and what it writes is searched for
//! any part of a sensitive value, as text and in other encodings.
//!
//! `tests/law/leaks.rs` and `tests/law/interference/` hold the same for the module alone,
//! on generated manifests. `nonsensitive`, which is meant to show a value, is left out.

mod broken;
mod commands;
mod documents;
mod files;
mod traces;
mod values;

use commands::{Row, Shows, all_rows, one_row_each, some_rows};
use documents::Document;
use files::Case;

use crate::run::TestFolder;

/// Runs a command. Returns what is wrong with what it wrote, and whether it wrote sensitive
/// values to Secrets.
fn check(folder: &TestFolder, row: &Row, case: &Case, code: Option<i32>) -> (Option<String>, bool) {
    let run = row.run(folder, &case.first);
    let shown = row.shown(&run);
    let found = run.code.unwrap();
    let is_expected = code.map_or((0..=2).contains(&found), |code| code == found);
    let key = || case.keys.find(&shown).filter(|_| row.shows != Shows::Keys);
    let wrong = match case.values.find(&shown).or_else(key) {
        Some(trace) => Some(format!("shows `{trace}`")),
        None if is_expected && !shown.contains("panicked") => None,
        None => Some(format!("exit code {found} instead of {code:?}")),
    };
    let stdout = String::from_utf8_lossy(&run.stdout);
    let has_secrets = row.shows == Shows::Secrets && case.values.find(&stdout).is_some();
    let line = &row.line;
    let wrong = wrong.map(|wrong| format!("landfall {line}: {wrong}\n{shown}"));
    (wrong, has_secrets)
}

/// Runs commands on a document, as it is and damaged. Returns what is wrong, and how many
/// commands wrote sensitive values to Secrets; `None` if the document has none that can be
/// searched for.
fn leaks(folder: &TestFolder, document: &Document, number: usize) -> Option<(Vec<String>, usize)> {
    let case = files::write(folder, document)?;
    let contract = folder.run(&["outputs", "contract", "-c", "binding.yaml"]);
    folder.write("contract.yaml", &contract.stdout);
    // Each document gets other formats of reports, and the first one all.
    let rows = match number {
        0 => all_rows(),
        _ if document.is_declared && document.canaries.is_none() => one_row_each(number),
        _ => some_rows(number),
    };
    let (mut wrong, mut written) = (Vec::new(), 0);
    for row in rows {
        let code = row.code.filter(|_| document.is_readable);
        let (found, has_secrets) = check(folder, &row, &case, code);
        wrong.extend(found);
        written += usize::from(has_secrets);
    }
    if document.canaries.is_some() {
        for (content, format) in document.damaged(number) {
            files::write_document(folder, &content, format.as_deref(), document.is_declared);
            for row in one_row_each(number) {
                wrong.extend(check(folder, &row, &case, None).0);
            }
        }
    }
    let name = &document.name;
    let wrong = wrong.iter().map(|wrong| format!("{name}: {wrong}"));
    Some((wrong.collect(), written))
}

#[test]
fn no_command_shows_a_sensitive_value() {
    let mut wrong = Vec::new();
    let mut searched = 0;
    let generated = documents::generated();
    let corpora = documents::of_the_corpora().unwrap_or_default();
    for (number, document) in generated.iter().chain(&corpora).enumerate() {
        let folder = TestFolder::new();
        let Some((found, written)) = leaks(&folder, document, number) else {
            continue;
        };
        wrong.extend(found);
        searched += 1;
        // Where they are allowed, the values are found: the search works.
        assert!(written > 1, "{}: {written}", document.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let least = generated.len() + if corpora.is_empty() { 0 } else { 25 };
    assert!(
        searched >= least,
        "{searched} documents have values to search for"
    );
}
