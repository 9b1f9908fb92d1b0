//! The inputs of `envs`: a format inside a text, in which each line is a variable. A value must
//! be no more than the value of one.

use std::fmt::Write;
use std::ops::Range;

/// The longest line that kustomize reads. It ignores a longer one and all after it, without an
/// error (bufio.Scanner in api/kv/kv.go, kustomize 5.8.1).
const MAX_LINE: usize = 64 << 10;

/// Returns the name and the value of a line; `None` for a comment and a blank line, as
/// `keyValuesFromLine` in api/kv/kv.go, kustomize 5.8.1.
fn variable(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    if line.is_empty() || line.starts_with('#') {
        None
    } else {
        Some(line.split_once('=').unwrap_or((line, "")))
    }
}

/// Returns the lines of a file. One that is empty ends the last line.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n')
}

/// Returns the values of the variables with their names, and the offset of each.
pub(super) fn variables(text: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    let mut end = 0;
    lines(text).filter_map(move |line| {
        let after = end + line.len();
        end = after + 1;
        variable(line).map(|(name, value)| (after - value.len(), name, value))
    })
}

/// The comments that set values elsewhere, after their `#`.
const SETTERS: [&str; 2] = ["landfall:", "kpt-set:"];

/// Returns the bytes of the first setter comment. kustomize has comments only on lines of their
/// own, and landfall knows no setters in them.
pub(super) fn setter(text: &[u8]) -> Option<Range<usize>> {
    let text = String::from_utf8_lossy(text);
    let mut start = 0;
    lines(&text).find_map(|line| {
        let begin = start;
        start += line.len() + 1;
        let last = line.rfind("${")?;
        let is_setter = |at: &usize| {
            let comment = line[at + 1..].trim_start();
            SETTERS.iter().any(|setter| comment.starts_with(setter))
        };
        let mut comments = line[..last].match_indices('#').map(|(at, _)| at);
        comments
            .find(is_setter)
            .map(|at| begin + at..begin + line.len())
    })
}

/// Returns why a file cannot become this text, and the bytes of the line that is the reason. None:
/// a value with a line break. The file was plain text in UTF-8 with line feeds.
pub(super) fn problem(before: &[u8], after: &str) -> Option<(Option<Range<usize>>, &'static str)> {
    let before = String::from_utf8_lossy(before);
    let mut start = 0;
    if lines(&before).count() != lines(after).count() || after.contains('\r') {
        return Some((None, "a value with a line break would add a variable"));
    }
    for (before, after) in std::iter::zip(lines(&before), lines(after)) {
        let line = start..start + before.len();
        start = line.end + 1;
        let names = [before, after].map(|line| variable(line).map(|(name, _)| name));
        if names[0] != names[1] {
            let message = "a reference is only allowed in the value of a variable, after its `=`";
            return Some((Some(line), message));
        }
        if after.len() >= MAX_LINE {
            return Some((Some(line), "kustomize ignores lines of 64 KiB and more"));
        }
    }
    None
}

/// Returns a document in which each value of the variables is a text of its own.
pub(super) fn restorable(text: &str) -> Vec<u8> {
    let mut document = String::new();
    for (_, name, value) in variables(text) {
        let (name, value) = (yaml::double_quoted(name), yaml::double_quoted(value));
        // Writing to a string cannot fail.
        let _ = writeln!(document, "{name}: {value}");
    }
    document.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::{problem, restorable, setter, variables};

    /// Returns whether the reference in a line can become this value.
    fn is_accepted(line: &str, value: &str) -> bool {
        let after = line.replace("${infra.a}", value);
        problem(line.as_bytes(), &after).is_none()
    }

    #[test]
    fn a_value_is_only_the_value_of_a_variable() {
        let values = [
            "x", "a=b", "#prod", " x ", "", "=", "a b", "\"x\"", "export x", "\u{a0}",
        ];
        for value in values {
            for line in [
                "A=${infra.a}\nB=1\n",
                "A=1\n  B=x${infra.a}#",
                "# ${infra.a}\nA=1",
            ] {
                assert!(is_accepted(line, value), "{line:?} with {value:?}");
            }
            for line in ["${infra.a}\n", "A=1\n${infra.a}=1\n", " X_${infra.a}=1"] {
                assert!(!is_accepted(line, value), "{line:?} with {value:?}");
            }
        }
    }

    #[test]
    fn a_value_adds_no_variable() {
        for value in ["x\nB=evil", "x\rB=evil", "x\n", "\n"] {
            assert!(!is_accepted("A=${infra.a}\nC=1\n", value), "{value:?}");
        }
        assert!(!is_accepted("A=${infra.a}", &"x".repeat(70_000)));
    }

    #[test]
    fn each_variable_is_a_text() {
        let document = restorable("# a\n\nA=x=y\n  B= z \nC");
        assert_eq!(document, b"\"A\": \"x=y\"\n\"B\": \" z \"\n\"C\": \"\"\n");
    }

    #[test]
    fn each_value_is_found() {
        let found: Vec<_> = variables("# a\n\nA=x=y\r\n  B= z \nC").collect();
        let expected = [(7, "A", "x=y\r"), (16, "B", " z "), (21, "C", "")];
        assert_eq!(found, expected);
    }

    #[test]
    fn setters_are_found() {
        for (text, expected) in [
            ("A=1\nB=old # landfall: ${infra.a}\nC=1", Some(10..32)),
            ("B=1 #  kpt-set: ${a}", Some(4..20)),
            ("#landfall: ${infra.a}\n", Some(0..21)),
            (
                "# landfall: binds ü\nB=${infra.a} # kept ${infra.b}\n#",
                None,
            ),
        ] {
            assert_eq!(setter(text.as_bytes()), expected, "{text}");
        }
    }
}
