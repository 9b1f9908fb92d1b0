//! Text that other people wrote (names of files, values of a Binding, sources), made
//! harmless for who reads it: it cannot act on a terminal, cannot begin a new line of
//! a report, and cannot be a command to the CI server that shows it.
//!
//! Diagnostics pass [`diagnostic`] when they enter the host, paths and cells pass
//! [`line`], and every finished text passes [`without_commands`] (or [`json`]) on its
//! way out, so that a new message or format cannot forget it.

use std::borrow::Cow;

use landfall_sandbox::types::{Diagnostic, Fix, Label, ResourceRef};

/// Returns `text` on one line, every control and format character replaced by a
/// visible one.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_harmless) {
        return Cow::Borrowed(text);
    }
    let visible = |char| match is_harmless(char) {
        true => char,
        false => replacement(char),
    };
    Cow::Owned(text.chars().map(visible).collect())
}

/// Returns the lines of `text`, each as [`line`] returns it. Every line after the
/// first begins with a bar, so that none looks like a line of the report.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    if !text.contains('\n') {
        return line(text);
    }
    let lines: Vec<_> = text.lines().map(line).collect();
    Cow::Owned(lines.join("\n| "))
}

/// Returns the lines of a source, each as [`line`] returns it. For where the drawing
/// begins every line.
pub(crate) fn source(text: &str) -> Cow<'_, str> {
    if text.chars().all(|char| char == '\n' || is_harmless(char)) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<_> = text.split('\n').map(line).collect();
    Cow::Owned(lines.join("\n"))
}

/// Returns the diagnostic with harmless text everywhere but in its edits, which are
/// bytes of a file.
pub(crate) fn diagnostic(found: &Diagnostic) -> Diagnostic {
    let line = |text: &str| line(text).into_owned();
    Diagnostic {
        rule: line(&found.rule),
        severity: found.severity,
        message: line(&found.message),
        labels: found
            .labels
            .iter()
            .map(|label| Label {
                span: label.span,
                message: line(&label.message),
                conceal: label.conceal,
            })
            .collect(),
        help: found.help.as_deref().map(|help| lines(help).into_owned()),
        fixes: found
            .fixes
            .iter()
            .map(|fix| Fix {
                title: line(&fix.title),
                target: fix.target,
                edits: fix.edits.clone(),
            })
            .collect(),
        resource: found.resource.as_ref().map(|resource| ResourceRef {
            api_version: line(&resource.api_version),
            kind: line(&resource.kind),
            name: line(&resource.name),
            namespace: line(&resource.namespace),
        }),
        field: found.field.as_deref().map(line),
    }
}

/// Returns a finished text in which no line is a command to a CI server.
///
/// GitHub's runner reads `::name::` at the start of a line, spaces before it allowed,
/// and `##[name]` anywhere in it (`ActionCommand.cs`, actions/runner v2.329). Azure
/// Pipelines reads `##vso[…]` anywhere (`Command.cs`, azure-pipelines-agent v4),
/// TeamCity `##teamcity[…]`.
pub(crate) fn without_commands(text: &str) -> Cow<'_, str> {
    let mut breaks = Vec::new();
    for start in
        std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1))
    {
        let rest =
            text[start..].trim_start_matches(|char: char| char.is_whitespace() && char != '\n');
        // `:::`, as the drawing writes before a path, has no command's name after it.
        if rest.starts_with("::") && !rest.starts_with(":::") {
            breaks.push(text.len() - rest.len());
        }
    }
    breaks.extend(markers(text));
    if breaks.is_empty() {
        return Cow::Borrowed(text);
    }
    breaks.sort_unstable();
    let mut safe = String::with_capacity(text.len() + breaks.len());
    let mut done = 0;
    for at in breaks {
        safe.push_str(&text[done..at]);
        safe.push('\\');
        done = at;
    }
    safe.push_str(&text[done..]);
    Cow::Owned(safe)
}

/// Where each `##name[` is broken: before its second `#`.
fn markers(text: &str) -> impl Iterator<Item = usize> {
    /// Those names are not longer, and this bounds the work for each bracket.
    const LONGEST_NAME: usize = 16;
    memchr::memchr_iter(b'[', text.as_bytes()).filter_map(|end| {
        let before = &text.as_bytes()[..end];
        let letters = before.iter().rev().take(LONGEST_NAME);
        let name = letters
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        let before = &before[..end - name];
        before.ends_with(b"##").then(|| before.len() - 1)
    })
}

/// Returns a finished JSON text with the same value, in which every character that is
/// not harmless is escaped. Such characters occur in strings only.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    use std::fmt::Write as _;
    let breaks: Vec<usize> = markers(text).collect();
    if breaks.is_empty() && text.chars().all(|char| char == '\n' || is_harmless(char)) {
        return Cow::Borrowed(text);
    }
    let mut breaks = breaks.into_iter().peekable();
    let mut safe = String::with_capacity(text.len());
    for (at, char) in text.char_indices() {
        let is_marker = breaks.next_if_eq(&at).is_some();
        if !is_marker && (char == '\n' || is_harmless(char)) {
            safe.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            let _ = write!(safe, "\\u{unit:04x}");
        }
    }
    Cow::Owned(safe)
}

/// What is shown for a character that is not harmless.
pub(crate) fn replacement(char: char) -> char {
    match char {
        '\u{7f}' => '\u{2421}',
        // The Unicode block of control pictures has them in the order of ASCII.
        _ if (char as u32) < 0x20 => {
            char::from_u32(0x2400 + char as u32).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        _ => char::REPLACEMENT_CHARACTER,
    }
}

/// Controls of both sets, bidirectional overrides, line separators, tags and invisible
/// marks are not; nor are the private characters that the drawing uses.
pub(crate) fn is_harmless(char: char) -> bool {
    match char {
        '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{feff}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => false,
        '\u{f8f0}' | '\u{f8f1}' => false,
        _ => !char.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::{json, line, lines, without_commands};

    #[test]
    fn terminals_are_not_commanded() {
        assert_eq!(line("ключ: 😀"), "ключ: 😀");
        assert_eq!(line("\u{1b}[2J\r\u{7f}\t\n"), "␛[2J␍␡␉␊");
        assert_eq!(
            line("\u{9b}31m\u{202e}\u{feff}\u{85}\u{2028}\u{61c}\u{e0041}"),
            "\u{fffd}31m\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}"
        );
        assert_eq!(lines("a\n::error::b\r\n\tc"), "a\n| ::error::b\n| ␉c");
    }

    #[test]
    fn ci_servers_are_not_commanded() {
        for (text, safe) in [
            ("a ::error::b\n", "a ::error::b\n"),
            ("::error::b\n", "\\::error::b\n"),
            (
                "a\n\u{a0} ::stop-commands::b\n",
                "a\n\u{a0} \\::stop-commands::b\n",
            ),
            ("a\n\n  \n::x", "a\n\n  \n\\::x"),
            (" ::: a.yaml:1:2\n", " ::: a.yaml:1:2\n"),
            ("x ##[set-env name=a]b", "x #\\#[set-env name=a]b"),
            ("###vso[task.x]", "##\\#vso[task.x]"),
            ("## [x] ##x", "## [x] ##x"),
        ] {
            assert_eq!(without_commands(text), safe);
        }
    }

    #[test]
    fn json_keeps_its_value() {
        let value = serde_json::json!({"a\u{1b}": "\u{85}\u{2028}##[error]###x[\u{e0041}\n😀"});
        let text = serde_json::to_string_pretty(&value).unwrap();
        let safe = json(&text);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&safe).unwrap(),
            value
        );
        assert!(!safe.contains("##["));
        assert!(
            safe.chars()
                .all(|char| char == '\n' || super::is_harmless(char))
        );
    }
}
