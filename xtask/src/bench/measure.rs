//! One run of one program: its time and the most memory that it held.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use wait4::Wait4;

/// What one run took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// From the start of the process to its end.
    pub(super) wall: Duration,
    /// The processor's time, the program's own and the system's for it: other work on the
    /// machine disturbs it less.
    pub(super) processor: Duration,
    /// The most bytes that were resident at one time.
    ///
    /// Linux counts from the moment of `exec` on, and begins with the most that
    /// the starting process ever held (`setmax_mm_hiwater_rss` in `exec_mmap`):
    /// this program must stay small, and less than [`floor`] cannot be seen.
    pub(super) peak: u64,
}

/// Starts the program and waits for its end.
///
/// `Command::spawn` is `posix_spawn` here (no folder, no user, no hook is set),
/// which shares the memory until `exec`: a start costs the same however large this
/// program is.
///
/// # Errors
/// It cannot be started, or it fails.
pub(super) fn measure(command: &mut Command) -> Result<Sample> {
    measure_ending_with(command, 0)
}

/// The same for a program that ends with this exit code.
///
/// # Errors
/// It cannot be started, or ends with another one.
pub(super) fn measure_ending_with(command: &mut Command, code: i32) -> Result<Sample> {
    let start = Instant::now();
    let ended = command
        .spawn()
        .and_then(Wait4::wait4)
        .with_context(|| format!("starting {}", command.get_program().display()))?;
    let wall = start.elapsed();
    if ended.status.code() != Some(code) {
        bail!(
            "{} failed ({})",
            command.get_program().display(),
            ended.status
        );
    }
    Ok(Sample {
        wall,
        processor: ended.rusage.utime + ended.rusage.stime,
        peak: ended.rusage.maxrss,
    })
}

/// The most bytes that this process ever held, where the system tells it.
pub(super) fn floor() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::measure;

    #[test]
    fn a_failure_is_no_sample() {
        assert!(
            measure(
                Command::new("cargo")
                    .arg("--version")
                    .stdout(std::process::Stdio::null())
            )
            .is_ok()
        );
        let failing = measure(
            Command::new("cargo")
                .arg("--no-such-flag")
                .stderr(std::process::Stdio::null()),
        );
        assert!(failing.is_err());
    }
}
