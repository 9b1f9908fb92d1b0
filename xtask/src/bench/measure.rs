//! One run of one program: its time and its peak memory.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use wait4::Wait4;

/// The measurements of one run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// From the start of the process to its end.
    pub(super) wall: Duration,
    /// CPU time, both user and system: it is less disturbed by other work on the machine.
    pub(super) processor: Duration,
    /// Peak resident memory, in bytes.
    ///
    /// Linux counts from `exec` on, but begins with the peak of the starting process
    /// (`setmax_mm_hiwater_rss` in `exec_mmap`): this program must stay small, and values
    /// below [`floor`] cannot be measured.
    pub(super) peak: u64,
}

/// Starts the program and waits for its end.
///
/// `Command::spawn` is `posix_spawn` here (no folder, user or hook is set), which shares
/// the memory until `exec`: the cost of a start does not depend on the size of this
/// program.
///
/// # Errors
/// It cannot be started, or it fails.
pub(super) fn measure(command: &mut Command) -> Result<Sample> {
    measure_ending_with(command, 0)
}

/// Does the same for a program that exits with this code.
///
/// # Errors
/// It cannot be started, or exits with another code.
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

/// Returns the peak memory of this process, if the system reports it.
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
    fn a_failed_run_is_not_a_sample() {
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
