//! How properties over generated cases are run.

use proptest::test_runner::{Config, FileFailurePersistence, RngSeed};

use crate::seed::{factor, seed};

/// Returns a config for that many cases of a property, multiplied by `LANDFALL_CASES` if
/// it is set, generated from the [`seed`] of this run.
///
/// A failing case is shrunk and appended to the source file's `.regressions`: commit
/// that, and every run begins with it.
///
/// # Panics
/// `LANDFALL_CASES` is not a number, or too large a one.
#[must_use]
pub fn cases(cases: u32) -> Config {
    let factor = u32::try_from(factor()).expect("LANDFALL_CASES is below 2^32");
    Config {
        cases: cases.saturating_mul(factor),
        rng_seed: RngSeed::Fixed(seed()),
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..Config::default()
    }
}
