//! Real files, and the YAML test suite.

use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use landfall_test_needs::needs;
use landfall_test_support::skip;
use landfall_yaml::{Comparison, compare_parsers, masked, split};

/// Returns the files in a folder that have one of these extensions, at any depth, in
/// order, without those of the YAML test suite.
pub(crate) fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                if !path.ends_with("yaml-test-suite") {
                    folders.push(path);
                }
            } else if extension.is_some_and(|extension| extensions.contains(&extension)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the text of a file; `None` if it isn't UTF-8.
pub(crate) fn text(path: &Path) -> Option<String> {
    String::from_utf8(std::fs::read(path).unwrap()).ok()
}

/// Returns the placeholders of templates: `${…}` on one line.
fn placeholders(text: &str) -> Vec<Range<usize>> {
    text.match_indices("${")
        .filter_map(|(at, _)| {
            let line = text[at..].lines().next()?;
            Some(at..at + line.find('}')? + 1)
        })
        .collect()
}

/// Prints a line without waiting for the end of the test.
pub(crate) fn report(line: &str) {
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

#[needs(corpora)]
#[test]
fn all_documents_of_the_corpora() {
    let corpora = skip::needed_corpora();
    let show = std::env::var_os("LANDFALL_SHOW_DECLINED").is_some();
    let (mut documents, mut declined) = (0, 0);
    for path in files(&corpora, &["yaml", "yml", "json"]) {
        let Some(text) = text(&path) else {
            continue;
        };
        for document in split(&text) {
            let ranges = placeholders(document.text);
            let masked = masked(document.text, ranges.iter());
            let masked = Some(masked).filter(|masked| masked != document.text);
            for text in [Some(document.text), masked.as_deref()]
                .into_iter()
                .flatten()
            {
                documents += 1;
                match compare_parsers(text) {
                    Comparison::Same => {}
                    Comparison::Declined => {
                        declined += 1;
                        if show {
                            report(&format!("declined: {}:{}", path.display(), document.offset));
                        }
                    }
                    Comparison::Different(how) => {
                        panic!("{} at {}: {how}", path.display(), document.offset);
                    }
                }
            }
        }
    }
    report(&format!(
        "parsers: the fast one declines {declined} of {documents} documents of the corpora"
    ));
    assert!(documents > 1_000 && declined * 200 <= documents);
}

#[needs(corpora)]
#[test]
fn the_yaml_test_suite() {
    let suite = skip::corpus("yaml-test-suite");
    let (mut documents, mut declined) = (0, 0);
    for path in files(&suite, &["yaml", "json"]) {
        let text = text(&path).unwrap();
        let parts = split(&text);
        for text in parts.iter().map(|part| part.text).chain([text.as_str()]) {
            documents += 1;
            match compare_parsers(text) {
                Comparison::Same => {}
                Comparison::Declined => declined += 1,
                Comparison::Different(how) => panic!("{}: {text:?}: {how}", path.display()),
            }
        }
    }
    report(&format!(
        "parsers: the fast one declines {declined} of {documents} documents of the YAML test suite"
    ));
    assert!(documents > 800 && declined * 10 < documents * 9);
}
