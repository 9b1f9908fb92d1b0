//! Numbers: ports, counts, quantities (apimachinery: `pkg/api/resource/quantity.go`), and
//! addresses.

use std::net::{IpAddr, Ipv4Addr};

use super::Refusal;

type Checked = Result<(), Refusal>;

pub(super) const MAX_PORT: i64 = 65_535;

const SUFFIXES: &[&str] = &[
    "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei",
];

/// Checks an integer, or text that is one.
pub(super) fn between(text: &str, min: Option<i64>, max: Option<i64>) -> Checked {
    // Whether it is an integer is a question of types.
    let Ok(number) = text.parse::<i64>() else {
        return Ok(());
    };
    let is_less = min.is_some_and(|min| number < min);
    let is_more = max.is_some_and(|max| number > max);
    let why = match (min, max) {
        _ if !is_less && !is_more => return Ok(()),
        (Some(min), Some(max)) => format!("it is not between {min} and {max}"),
        (Some(min), None) => format!("it is less than {min}"),
        (None, Some(max)) => format!("it is greater than {max}"),
        (None, None) => return Ok(()),
    };
    Err(Refusal::because(text, why))
}

pub(super) fn port(text: &str, min: i64) -> Checked {
    between(text, Some(min), Some(MAX_PORT))
}

/// Checks a number where a text is accepted too, so that its type says nothing: Kubernetes
/// reads an integer of 32 bits (apimachinery: `IntOrString.UnmarshalJSON`).
pub(super) fn integer(text: &str, min: i64, max: i64) -> Checked {
    match text.parse::<i64>() {
        Ok(_) => between(text, Some(min), Some(max)),
        Err(_) => Err(Refusal::whole(text, "it is not an integer")),
    }
}

/// Checks a percentage (apimachinery: `IsValidPercent`).
pub(super) fn percent(text: &str) -> Checked {
    let digits = text.strip_suffix('%').unwrap_or_default();
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(());
    }
    let why = "as a text, it must be a percentage, such as `25%`";
    Err(Refusal::whole(text, why))
}

/// Checks a quantity as Kubernetes parses it: without digits it is 0, and `1.Gi` is `1Gi`.
pub(super) fn quantity(text: &str) -> Checked {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let after = unsigned.get(digits(unsigned)..).unwrap_or_default();
    let suffix = match after.strip_prefix('.') {
        Some(fraction) => fraction.get(digits(fraction)..).unwrap_or_default(),
        None => after,
    };
    let is_exponent = suffix.strip_prefix(['e', 'E']).is_some_and(|exponent| {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        digits.bytes().all(|byte| byte.is_ascii_digit()) && exponent.parse::<i64>().is_ok()
    });
    if SUFFIXES.contains(&suffix) || is_exponent {
        Ok(())
    } else {
        Err(Refusal::unknown_suffix(
            text.len() - suffix.len()..text.len(),
        ))
    }
}

/// Parses an address as Kubernetes does where it always has: numbers may begin with zeros.
fn address(text: &str) -> Option<IpAddr> {
    if let Some((before, last)) = text.rsplit_once(':') {
        if !last.contains('.') {
            return text.parse().ok();
        }
        let last = address(last)?;
        return format!("{before}:{last}").parse().ok();
    }
    let mut numbers = [0; 4];
    let mut parts = text.split('.');
    for number in &mut numbers {
        let part = parts.next()?;
        if !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *number = part.parse::<u8>().ok()?;
    }
    match parts.next() {
        Some(_) => None,
        None => Some(Ipv4Addr::from(numbers).into()),
    }
}

pub(super) fn ip(text: &str) -> Checked {
    match address(text) {
        Some(_) => Ok(()),
        None => Err(Refusal::whole(text, "it does not parse as one")),
    }
}

pub(super) fn cidr(text: &str) -> Checked {
    let Some((address_text, length)) = text.split_once('/') else {
        return Err(Refusal::whole(
            text,
            "it has no prefix length, such as `/24`",
        ));
    };
    let max = match address(address_text) {
        Some(IpAddr::V4(_)) => 32,
        Some(IpAddr::V6(_)) => 128,
        None => return Err(Refusal::whole(text, "its address does not parse as one")),
    };
    let is_number = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
    match length.parse::<u32>() {
        Ok(length) if is_number && length <= max => Ok(()),
        _ => Err(Refusal::because(
            text,
            format!("its prefix length is not between 0 and {max}"),
        )),
    }
}
