//! The seed of all generated test data.
//!
//! Every run uses the same one, so that a failure is about the change that is tested;
//! `cargo xtask hunt` looks for new failures with a fresh one, and `LANDFALL_SEED` repeats
//! its run. Every failure prints how.

use std::cell::Cell;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

/// The variable that sets the seed.
pub const SEED: &str = "LANDFALL_SEED";

/// The variable that multiplies how many cases are generated.
pub const CASES: &str = "LANDFALL_CASES";

/// The seed of runs that set none.
const FIXED: u64 = 1;

/// Returns the seed of this process: `$LANDFALL_SEED`, or else the usual one. From the
/// first call on, a failing test prints the command that repeats it.
///
/// # Panics
/// `LANDFALL_SEED` is not a number.
pub fn seed() -> u64 {
    static SEED_OF_THIS_PROCESS: OnceLock<u64> = OnceLock::new();
    *SEED_OF_THIS_PROCESS.get_or_init(|| {
        let seed = number(SEED).unwrap_or(FIXED);
        print_repeat_command_on_panic(seed);
        seed
    })
}

/// Returns the factor for the number of generated cases: `$LANDFALL_CASES`, else 1.
///
/// # Panics
/// `LANDFALL_CASES` is not a number.
#[must_use]
pub fn factor() -> u64 {
    number(CASES).unwrap_or(1)
}

/// Returns a fresh seed, of 32 bits so that it can be typed.
#[must_use]
pub fn fresh() -> u64 {
    // The only source of randomness in std: each state has its own keys.
    let hasher = std::collections::hash_map::RandomState::new().build_hasher();
    hasher.finish() >> 32
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var_os(variable)?;
    let number = text.to_str().and_then(|text| text.parse().ok());
    assert!(number.is_some(), "{variable}: {text:?} is not a number");
    number
}

/// Prints how to repeat the run after the first panic message of each thread, which is
/// that of a failing test, or of the case that makes it fail.
fn print_repeat_command_on_panic(seed: u64) {
    thread_local! {
        static PRINTED: Cell<bool> = const { Cell::new(false) };
    }
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        before(panic);
        if !PRINTED.replace(true) {
            let package = std::env::var("CARGO_PKG_NAME").ok();
            let thread = std::thread::current();
            let command = command(seed, factor(), package.as_deref(), thread.name());
            eprintln!("repeat with: {command}");
        }
    }));
}

/// Returns the command that repeats a test, or all tests if the test is unknown, as in a
/// thread that a test started.
fn command(seed: u64, factor: u64, package: Option<&str>, test: Option<&str>) -> String {
    let mut command = format!("{SEED}={seed} ");
    if factor != 1 {
        command.push_str(&format!("{CASES}={factor} "));
    }
    command.push_str("cargo test");
    if let Some(package) = package {
        command.push_str(&format!(" --package {package}"));
    }
    if let Some(test) = test.filter(|test| *test != "main") {
        command.push_str(&format!(" {test} -- --exact"));
    }
    command
}

/// A sequence of numbers that is the same on every machine (xorshift64*), and differs for
/// each [`seed`].
#[derive(Clone, Debug)]
pub struct Sequence(u64);

impl Sequence {
    /// Returns the sequence of this `number` in this run: tests with different numbers
    /// get different cases.
    #[must_use]
    pub fn new(number: u64) -> Self {
        Self::of(seed(), number)
    }

    /// Returns the sequence of this `number` in every run, whatever the seed: for
    /// comparisons with another program where each difference was classified by hand.
    #[must_use]
    pub fn fixed(number: u64) -> Self {
        Self::of(0, number)
    }

    fn of(seed: u64, number: u64) -> Self {
        let mixed = number.wrapping_add(seed.wrapping_mul(1_000_003));
        Self(mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number in `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let mixed = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(mixed).unwrap_or_default() % n.max(1)
    }

    /// Returns true once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns one of these.
    ///
    /// # Panics
    /// `from` is empty.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Returns that many 16-bit numbers: the decisions of one case.
    pub fn numbers(&mut self, count: usize) -> Vec<u16> {
        std::iter::repeat_with(|| u16::try_from(self.below(1 << 16)).unwrap_or_default())
            .take(count)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_repeats_one_test_with_its_seed_and_number_of_cases() {
        assert_eq!(
            command(
                7,
                1,
                Some("landfall"),
                Some("generated::scalars_keep_the_law")
            ),
            "LANDFALL_SEED=7 cargo test --package landfall generated::scalars_keep_the_law -- --exact"
        );
        assert_eq!(
            command(7, 10, Some("landfall"), None),
            "LANDFALL_SEED=7 LANDFALL_CASES=10 cargo test --package landfall"
        );
        // `--test-threads=1` runs tests on the main thread.
        assert_eq!(
            command(7, 1, None, Some("main")),
            "LANDFALL_SEED=7 cargo test"
        );
    }

    #[test]
    fn fresh_seeds_differ() {
        let seeds: std::collections::BTreeSet<u64> = (0..4).map(|_| fresh()).collect();
        assert!(seeds.len() > 1, "{seeds:?}");
    }

    #[test]
    fn a_sequence_depends_on_its_seed_and_its_number() {
        let numbers = |seed, number| Sequence::of(seed, number).numbers(8);
        assert_eq!(numbers(1, 2), numbers(1, 2));
        assert_ne!(numbers(1, 2), numbers(2, 2));
        assert_ne!(numbers(1, 2), numbers(1, 3));
    }
}
