//! Tests that cannot run on this machine.

use std::io::Write as _;
use std::path::PathBuf;

/// Says that the calling test is skipped, and why, past the test runner, which
/// would show it only for tests that fail. Under CI (`CI=true`) that is a
/// failure: everything must be present there.
pub(crate) fn skipped(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    assert!(
        !std::env::var("CI").is_ok_and(|value| value == "true"),
        "skipped under CI: {test}: {why}"
    );
    // One write: tests run side by side, and lines must not mix.
    let line = format!("skipped: {why} ({test})\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

/// The folder of the corpora. `None`: skipped.
pub(crate) fn corpora() -> Option<PathBuf> {
    let folder = std::env::var_os("LANDFALL_CORPORA").map(PathBuf::from);
    match &folder {
        None => skipped("LANDFALL_CORPORA is not set"),
        Some(folder) => assert!(folder.is_dir(), "LANDFALL_CORPORA is no folder"),
    }
    folder
}
