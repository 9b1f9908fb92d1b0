//! What a reader must know about the machine to judge the times, without identifying it.

use std::fs;
use std::process::Command;
use std::thread;

use anyhow::Result;

use crate::process::read;

/// Describes the machine on one line.
pub(super) fn describe() -> String {
    let system = read(Command::new("uname").arg("-s")).unwrap_or_default();
    let release = read(Command::new("uname").arg("-r")).unwrap_or_default();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let plural = if cores == 1 { "" } else { "s" };
    format!(
        "{}, {cores} core{plural}, {system} {}",
        processor().unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        without_build_suffix(&release)
    )
}

/// Returns the day, as `2026-11-20`.
pub(super) fn day() -> Result<String> {
    read(Command::new("date").args(["-u", "+%F"]))
}

/// Returns the load average of the last minute; ideally 0 for measuring.
pub(super) fn load() -> Option<f64> {
    let loads = fs::read_to_string("/proc/loadavg").ok()?;
    loads.split(' ').next()?.parse().ok()
}

fn processor() -> Option<String> {
    if let Ok(text) = fs::read_to_string("/proc/cpuinfo") {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        return Some(line.split_once(':')?.1.trim().to_owned());
    }
    read(Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"])).ok()
}

/// Returns the numbers of a kernel's release, without the suffix that identifies the
/// build.
fn without_build_suffix(release: &str) -> &str {
    let end = release
        .find(|character: char| !character.is_ascii_digit() && character != '.')
        .unwrap_or(release.len());
    &release[..end]
}

#[cfg(test)]
mod tests {
    use super::without_build_suffix;

    #[test]
    fn omits_the_build_suffix_of_a_kernel_release() {
        assert_eq!(without_build_suffix("6.12.4-someone-amd64"), "6.12.4");
        assert_eq!(without_build_suffix("24.1.0"), "24.1.0");
    }
}
