//! Tests that cannot run.

use std::io::Write as _;

/// Says that the calling test is skipped and why. Under CI (`CI=true`) that is a
/// failure: there, every program must be present.
///
/// The line goes to stderr past the test runner, which would show it only for
/// tests that fail.
///
/// # Panics
/// Under CI.
pub fn skipped(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    assert!(
        !std::env::var("CI").is_ok_and(|value| value == "true"),
        "skipped under CI: {test}: {why}"
    );
    // One write: tests run side by side, and lines must not mix.
    let line = format!("skipped: {why} ({test})\n");
    std::io::stderr()
        .write_all(line.as_bytes())
        .expect("stderr takes a line");
}
