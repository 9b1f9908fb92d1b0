//! Sizes and durations on the command line.

use std::time::Duration;

const SIZE_EXPECTED: &str =
    "expected a positive integer followed by B, KiB, MiB or GiB, such as 256MiB";

const DURATION_EXPECTED: &str = "expected a positive integer followed by ms, s or m, such as 60s";

/// Parses a size in bytes: `4096`, `64KiB`, `256MiB`, `1GiB`, or decimal `10MB`.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => return Err(SIZE_EXPECTED.to_owned()),
    };
    let bytes = number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(factor));
    match bytes {
        Some(0) | None => Err(SIZE_EXPECTED.to_owned()),
        // The module has 32-bit offsets and a 32-bit memory.
        Some(bytes) if bytes > u64::from(u32::MAX) + 1 => Err("the maximum is 4GiB".to_owned()),
        Some(bytes) => Ok(bytes),
    }
}

/// Parses a duration: `60s`, `500ms`, `2m`; a plain number is seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let milliseconds: u64 = match unit {
        "" | "s" => 1_000,
        "ms" => 1,
        "m" => 60_000,
        _ => return Err(DURATION_EXPECTED.to_owned()),
    };
    match number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(milliseconds))
    {
        Some(0) | None => Err(DURATION_EXPECTED.to_owned()),
        Some(milliseconds) => Ok(Duration::from_millis(milliseconds)),
    }
}

fn split(text: &str) -> (&str, &str) {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    (number, unit.trim_start())
}

#[cfg(test)]
mod tests {
    use super::{duration, size};
    use std::time::Duration;

    #[test]
    fn parses_sizes() {
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("256MiB"), Ok(256 << 20));
        assert_eq!(size("1 GiB"), Ok(1 << 30));
        assert_eq!(size("10MB"), Ok(10_000_000));
        assert_eq!(size("64k"), Ok(64 << 10));
        assert_eq!(size("4GiB"), Ok(1 << 32));
        for wrong in [
            "",
            "0",
            "-1",
            "1.5GiB",
            "lots",
            "5GiB",
            "99999999999GiB",
            "1 parsec",
        ] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn parses_durations() {
        assert_eq!(duration("60"), Ok(Duration::from_secs(60)));
        assert_eq!(duration("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["", "0s", "-1s", "1h", "s", "99999999999999999999s"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
