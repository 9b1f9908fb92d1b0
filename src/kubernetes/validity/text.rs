//! Names, labels and keys (apimachinery: `pkg/util/validation/validation.go`, and
//! `pkg/api/validation/path/name.go`).

use super::Refusal;

/// The longest DNS label, label value and name of a label.
pub(super) const MAX_LABEL: usize = 63;
/// The longest DNS subdomain.
pub(super) const MAX_SUBDOMAIN: usize = 253;
const MAX_PORT_NAME: usize = 15;
/// `pkg/apis/batch/validation/validation.go`
const MAX_CRON_JOB: usize = MAX_LABEL - 11;

type Checked = Result<(), Refusal>;

/// The characters of a name.
struct Alphabet {
    /// Between its ends.
    inside: fn(u8) -> bool,
    /// At its ends.
    at_ends: fn(u8) -> bool,
    inside_text: &'static str,
    at_ends_text: &'static str,
}

const DNS: Alphabet = Alphabet {
    inside: |byte| is_lower_or_digit(byte) || byte == b'-',
    at_ends: is_lower_or_digit,
    inside_text: "lowercase letters, digits and `-`",
    at_ends_text: "a lowercase letter or digit",
};

const LABEL: Alphabet = Alphabet {
    inside: |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'),
    at_ends: |byte| byte.is_ascii_alphanumeric(),
    inside_text: "letters, digits, `-`, `_` and `.`",
    at_ends_text: "a letter or digit",
};

const fn is_lower_or_digit(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

impl Alphabet {
    /// Checks the characters of a text that is not empty.
    fn check(&self, text: &str, offset: usize) -> Checked {
        let bytes = text.as_bytes();
        if let Some(at) = bytes.iter().position(|byte| !(self.inside)(*byte)) {
            return Err(Refusal::character(offset + at, self.inside_text));
        }
        let ends = [
            (0, bytes.first()),
            (bytes.len().saturating_sub(1), bytes.last()),
        ];
        for (at, byte) in ends {
            if byte.is_some_and(|byte| !(self.at_ends)(*byte)) {
                return Err(Refusal::end(offset + at, at == 0, self.at_ends_text));
            }
        }
        Ok(())
    }
}

fn at_most(text: &str, max: usize, offset: usize) -> Checked {
    if text.len() > max {
        Err(Refusal::too_long(offset..offset + text.len(), max))
    } else {
        Ok(())
    }
}

fn not_empty(text: &str) -> Checked {
    if text.is_empty() {
        Err(Refusal::whole(text, "it is empty"))
    } else {
        Ok(())
    }
}

pub(super) fn label_value(text: &str) -> Checked {
    LABEL.check(text, 0)?;
    at_most(text, MAX_LABEL, 0)
}

/// Checks the key of a label. That of an annotation may have capital letters in its prefix.
pub(super) fn label_key(text: &str, is_annotation: bool) -> Checked {
    let mut parts = text.split('/');
    let (first, second, third) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    if third.is_some() {
        let at = text.rfind('/').unwrap_or_default();
        return Err(Refusal::character(at, "one `/`, after a prefix"));
    }
    let (name, offset) = match second {
        Some(name) => {
            if is_annotation {
                dns_subdomain(&first.to_ascii_lowercase(), 0)?;
            } else {
                dns_subdomain(first, 0)?;
            }
            (name, first.len() + 1)
        }
        None => (first, 0),
    };
    if name.is_empty() {
        return Err(Refusal::whole(text, "its name is empty"));
    }
    LABEL.check(name, offset)?;
    at_most(name, MAX_LABEL, offset)
}

pub(super) fn data_key(text: &str) -> Checked {
    not_empty(text)?;
    if let Some(at) = text.bytes().position(|byte| !(LABEL.inside)(byte)) {
        return Err(Refusal::character(at, LABEL.inside_text));
    }
    if text == "." || text.starts_with("..") {
        return Err(Refusal::whole(text, "it is `.`, or begins with `..`"));
    }
    at_most(text, MAX_SUBDOMAIN, 0)
}

pub(super) fn dns_label(text: &str) -> Checked {
    not_empty(text)?;
    DNS.check(text, 0)?;
    at_most(text, MAX_LABEL, 0)
}

pub(super) fn dns_label_1035(text: &str) -> Checked {
    dns_label(text)?;
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        Err(Refusal::end(0, true, "a lowercase letter"))
    } else {
        Ok(())
    }
}

pub(super) fn dns_subdomain(text: &str, offset: usize) -> Checked {
    not_empty(text)?;
    let mut at = 0;
    for label in text.split('.') {
        if let Some(odd) = label.bytes().position(|byte| !(DNS.inside)(byte)) {
            let allowed = "lowercase letters, digits, `-` and `.`";
            return Err(Refusal::character(offset + at + odd, allowed));
        }
        if label.is_empty() {
            let dot = at.min(text.len() - 1);
            return Err(Refusal::end(offset + dot, at == 0, DNS.at_ends_text));
        }
        DNS.check(label, offset + at)?;
        at += label.len() + 1;
    }
    at_most(text, MAX_SUBDOMAIN, offset)
}

pub(super) fn cron_job_name(text: &str) -> Checked {
    dns_subdomain(text, 0)?;
    at_most(text, MAX_CRON_JOB, 0)
}

pub(super) fn ingress_host(text: &str) -> Checked {
    if text.parse::<std::net::IpAddr>().is_ok() {
        return Err(Refusal::whole(text, "it is an address, and not a name"));
    }
    match text.strip_prefix("*.") {
        Some(domain) => {
            dns_subdomain(domain, 2)?;
            at_most(text, MAX_SUBDOMAIN, 0)
        }
        None => dns_subdomain(text, 0),
    }
}

pub(super) fn dns_name(text: &str) -> Checked {
    dns_subdomain(text.strip_suffix('.').unwrap_or(text), 0)
}

pub(super) fn path_segment(text: &str) -> Checked {
    not_empty(text)?;
    if matches!(text, "." | "..") {
        return Err(Refusal::whole(text, "it is `.` or `..`"));
    }
    match text.find(['/', '%']) {
        Some(at) => Err(Refusal::character(at, "any text without `/` and `%`")),
        None => Ok(()),
    }
}

pub(super) fn env_name(text: &str) -> Checked {
    not_empty(text)?;
    let is_allowed = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'=';
    match text.bytes().position(|byte| !is_allowed(byte)) {
        Some(at) => Err(Refusal::character(at, "printable ASCII other than `=`")),
        None => Ok(()),
    }
}

/// Checks standard base64 with padding as Go decodes it: line breaks are ignored, and so are
/// the bits that the last character has too many.
pub(super) fn base64(text: &str) -> Checked {
    let mut length = 0;
    let mut padding = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\n' | b'\r' => continue,
            b'=' => padding += 1,
            _ if padding > 0 => return Err(Refusal::whole(text, "it goes on after its padding")),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => {}
            _ => return Err(Refusal::character(at, "letters, digits, `+`, `/` and `=`")),
        }
        length += 1;
    }
    if length % 4 == 0 && padding <= 2 && length > padding {
        Ok(())
    } else {
        Err(Refusal::whole(text, "its length or its padding is wrong"))
    }
}

pub(super) fn port_name(text: &str) -> Checked {
    not_empty(text)?;
    DNS.check(text, 0)?;
    if !text.bytes().any(|byte| byte.is_ascii_lowercase()) {
        return Err(Refusal::whole(text, "it has no letter"));
    }
    if text.contains("--") {
        return Err(Refusal::whole(text, "it has two hyphens in a row"));
    }
    at_most(text, MAX_PORT_NAME, 0)
}
