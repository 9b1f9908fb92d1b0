//! How many clusters are rendered, on one line of a terminal.

use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, TryLockError};
use std::time::{Duration, Instant};

/// The time between two updates.
const INTERVAL: Duration = Duration::from_millis(100);

/// The progress of a fleet. The line is erased when it is dropped.
#[derive(Debug)]
pub(super) struct Progress {
    all: usize,
    done: AtomicUsize,
    /// When the line was last written, and whether it was written at all. None: it is not
    /// shown.
    line: Option<Mutex<(Instant, bool)>>,
}

impl Progress {
    pub(crate) fn new(all: usize, is_shown: bool) -> Self {
        Self {
            all,
            done: AtomicUsize::new(0),
            line: is_shown.then(|| Mutex::new((Instant::now(), false))),
        }
    }

    /// Adds a rendered cluster.
    pub(crate) fn add(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let Some(line) = &self.line else { return };
        let mut line = match line.try_lock() {
            Ok(line) => line,
            Err(TryLockError::Poisoned(line)) => line.into_inner(),
            // Another thread is writing it.
            Err(TryLockError::WouldBlock) => return,
        };
        if line.0.elapsed() < INTERVAL {
            return;
        }
        *line = (Instant::now(), true);
        // The cursor returns to the first column, so that an error that ends the program
        // replaces the line.
        let text = format!(
            "rendered {} of {} clusters\r",
            thousands(done),
            thousands(self.all)
        );
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let line = self.line.as_mut().map(|line| line.get_mut());
        if let Some(Ok((_, true))) = line {
            let _ = io::stderr().write_all(b"\x1b[K");
        }
    }
}

/// Formats `1,000`.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn separates_thousands() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (12_345, "12,345"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(thousands(number), expected);
        }
    }
}
