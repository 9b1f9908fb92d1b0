//! Sanitizes untrusted text (file names, values of a Binding, sources) for output. It
//! must not contain terminal escapes, start a new line of a report, or be a command for
//! the CI server that shows it.
//!
//! Diagnostics pass through [`diagnostic`] when they enter the host, paths and table
//! cells through [`line`], and all output through [`without_ci_commands`] or [`json`], so
//! that no new message or format can bypass it.

use std::borrow::Cow;

use landfall_sandbox::types::{Diagnostic, Fix, Label, ResourceRef};

/// Returns `text` on one line, with control and format characters replaced by visible
/// ones.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_safe) {
        return Cow::Borrowed(text);
    }
    let visible = |char| {
        if is_safe(char) {
            char
        } else {
            replacement(char)
        }
    };
    Cow::Owned(text.chars().map(visible).collect())
}

/// Returns `text` with each line sanitized by [`line`]. Every line after the first starts
/// with a bar, so that it cannot look like a line of the report.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    if !text.contains('\n') {
        return line(text);
    }
    let lines: Vec<_> = text.lines().map(line).collect();
    Cow::Owned(lines.join("\n| "))
}

/// Returns `text` with each line sanitized by [`line`], for source text that is drawn
/// with a prefix before every line.
pub(crate) fn source(text: &str) -> Cow<'_, str> {
    if text.chars().all(|char| char == '\n' || is_safe(char)) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<_> = text.split('\n').map(line).collect();
    Cow::Owned(lines.join("\n"))
}

/// Returns the diagnostic with all text sanitized except its edits, which are bytes of a
/// file.
pub(crate) fn diagnostic(found: &Diagnostic) -> Diagnostic {
    let line = |text: &str| line(text).into_owned();
    Diagnostic {
        rule: line(&found.rule),
        topic: found.topic,
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

/// Returns the output with a backslash inserted into every command for a CI server.
///
/// GitHub's runner reads `::name::` at the start of a line, spaces before it allowed,
/// and `##[name]` anywhere in it (`ActionCommand.cs`, actions/runner v2.329). Azure
/// Pipelines reads `##vso[…]` anywhere (`Command.cs`, azure-pipelines-agent v4),
/// TeamCity `##teamcity[…]`.
pub(crate) fn without_ci_commands(text: &str) -> Cow<'_, str> {
    let mut breaks = Vec::new();
    for start in
        std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1))
    {
        let rest =
            text[start..].trim_start_matches(|char: char| char.is_whitespace() && char != '\n');
        // `:::`, which is drawn before a path, is not a command.
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

/// Returns the offset of the second `#` of each `##name[`.
fn markers(text: &str) -> impl Iterator<Item = usize> {
    /// The maximum length of a name. Limits the search at each bracket.
    const MAX_NAME_LEN: usize = 16;
    memchr::memchr_iter(b'[', text.as_bytes()).filter_map(|end| {
        let before = &text.as_bytes()[..end];
        let letters = before.iter().rev().take(MAX_NAME_LEN);
        let name = letters
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        let before = &before[..end - name];
        before.ends_with(b"##").then(|| before.len() - 1)
    })
}

/// Returns JSON text with the same value, in which all unsafe characters are escaped.
/// They can occur only in strings.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    use std::fmt::Write as _;
    let breaks: Vec<usize> = markers(text).collect();
    if breaks.is_empty() && text.chars().all(|char| char == '\n' || is_safe(char)) {
        return Cow::Borrowed(text);
    }
    let mut breaks = breaks.into_iter().peekable();
    let mut safe = String::with_capacity(text.len());
    for (at, char) in text.char_indices() {
        let is_marker = breaks.next_if_eq(&at).is_some();
        if !is_marker && (char == '\n' || is_safe(char)) {
            safe.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            let _ = write!(safe, "\\u{unit:04x}");
        }
    }
    Cow::Owned(safe)
}

/// Returns the visible replacement of an unsafe character.
pub(crate) fn replacement(char: char) -> char {
    match char {
        '\u{7f}' => '\u{2421}',
        // Unicode's control pictures are in the order of the ASCII control characters.
        _ if (char as u32) < 0x20 => {
            char::from_u32(0x2400 + char as u32).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        _ => char::REPLACEMENT_CHARACTER,
    }
}

/// Returns whether a character may be shown. Control characters, bidirectional overrides,
/// line separators, tags, invisible marks, and the private characters that
/// [`crate::draw`] uses may not.
pub(crate) fn is_safe(char: char) -> bool {
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
    use super::{json, line, lines, without_ci_commands};

    #[test]
    fn replaces_terminal_escapes() {
        assert_eq!(line("ключ: 😀"), "ключ: 😀");
        assert_eq!(line("\u{1b}[2J\r\u{7f}\t\n"), "␛[2J␍␡␉␊");
        assert_eq!(
            line("\u{9b}31m\u{202e}\u{feff}\u{85}\u{2028}\u{61c}\u{e0041}"),
            "\u{fffd}31m\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}"
        );
        assert_eq!(lines("a\n::error::b\r\n\tc"), "a\n| ::error::b\n| ␉c");
    }

    #[test]
    fn breaks_ci_commands() {
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
            assert_eq!(without_ci_commands(text), safe);
        }
    }

    #[test]
    fn escaped_json_has_the_same_value() {
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
                .all(|char| char == '\n' || super::is_safe(char))
        );
    }
}
