//! What a reader must know about the machine to judge the times, and nothing that
//! names it.

use std::fs;
use std::process::Command;
use std::thread;

use anyhow::Result;

use crate::process::read;

/// The machine, on one line.
pub(super) fn describe() -> String {
    let system = read(Command::new("uname").arg("-s")).unwrap_or_default();
    let release = read(Command::new("uname").arg("-r")).unwrap_or_default();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let plural = if cores == 1 { "" } else { "s" };
    format!(
        "{}, {cores} core{plural}, {system} {}",
        processor().unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        version_alone(&release)
    )
}

/// The day, as `2026-11-20`.
pub(super) fn day() -> Result<String> {
    read(Command::new("date").args(["-u", "+%F"]))
}

/// How busy the machine was during the last minute; 0 is right for measuring.
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

/// The numbers of a kernel's release: what follows them is whose build it is.
fn version_alone(release: &str) -> &str {
    let end = release
        .find(|character: char| !character.is_ascii_digit() && character != '.')
        .unwrap_or(release.len());
    &release[..end]
}

#[cfg(test)]
mod tests {
    use super::version_alone;

    #[test]
    fn of_a_kernel_only_the_version_is_told() {
        assert_eq!(version_alone("6.12.4-someone-amd64"), "6.12.4");
        assert_eq!(version_alone("24.1.0"), "24.1.0");
    }
}
