//! JUnit XML for CI servers: one test case per manifest, or per outputs document if these
//! are checked without manifests, which fails if the file has an error.
//! (Only elements that Jenkins' xunit plugin, GitLab and Azure Pipelines all read are
//! used: `testsuites`, `testsuite`, `testcase`, `failure`, `system-out`.)
//!
//! Not `quick-junit` (tried with 0.8.0): it writes line breaks in attributes as they are,
//! so that a message could begin a line of a CI server's log with a command; it drops
//! control characters where this shows U+FFFD; and it needs ten crates, among them two
//! for times and two for UUIDs, which this report does not have.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::finding::{Finding, Findings, Severity};
use crate::sanitize;

/// The test case of errors that are not about a file.
const WHOLE_RUN: &str = "landfall";

#[derive(Default)]
struct Case<'f> {
    errors: Vec<&'f Finding>,
    others: Vec<&'f Finding>,
}

pub(super) fn suite(findings: &Findings) -> String {
    let files = findings.manifests.iter().chain(&findings.outputs);
    let mut names: Vec<&str> = files.map(String::as_str).collect();
    let mut cases: BTreeMap<&str, Case<'_>> =
        names.iter().map(|name| (*name, Case::default())).collect();
    for finding in &findings.findings {
        let name = finding
            .primary()
            .map_or(WHOLE_RUN, |location| &location.path);
        let case = cases.entry(name).or_insert_with(|| {
            names.push(name);
            Case::default()
        });
        match finding.severity {
            Severity::Error => case.errors.push(finding),
            Severity::Warning | Severity::Note => case.others.push(finding),
        }
    }
    let failures = cases
        .values()
        .filter(|case| !case.errors.is_empty())
        .count();
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\"",
        names.len()
    );
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"landfall\" {counts}>\n  <testsuite name=\"landfall check\" {counts}>\n"
    );
    for name in names {
        if let Some(case) = cases.get(name) {
            write_case(name, case, &mut xml);
        }
    }
    if let Some(more) = findings.more() {
        let _ = writeln!(xml, "    <system-out>{}</system-out>", escaped(&more));
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

fn write_case(name: &str, case: &Case<'_>, xml: &mut String) {
    let name_in_xml = escaped(&sanitize::line(name));
    let _ = write!(
        xml,
        "    <testcase classname=\"landfall\" name=\"{name_in_xml}\""
    );
    if name != WHOLE_RUN {
        let _ = write!(xml, " file=\"{name_in_xml}\"");
    }
    if case.errors.is_empty() && case.others.is_empty() {
        xml.push_str("/>\n");
        return;
    }
    xml.push_str(">\n");
    // Readers use only the first failure of a test case.
    if let [first, more @ ..] = case.errors.as_slice() {
        let message = match more.len() {
            0 => first.message.clone(),
            more => format!("{} (and {more} more)", first.message),
        };
        let _ = writeln!(
            xml,
            "      <failure type=\"{}\" message=\"{}\">{}</failure>",
            escaped(&first.rule),
            escaped(&message),
            text_of(&case.errors)
        );
    }
    if !case.others.is_empty() {
        let _ = writeln!(
            xml,
            "      <system-out>{}</system-out>",
            text_of(&case.others)
        );
    }
    xml.push_str("    </testcase>\n");
}

/// Formats findings as the content of an element, where line breaks need no escapes.
fn text_of(findings: &[&Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        if let Some(location) = finding.primary() {
            let path = sanitize::line(&location.path);
            let _ = write!(text, "{path}:{}:{}: ", location.line, location.column);
        }
        let _ = writeln!(
            text,
            "{}[{}]: {}",
            finding.severity.word(),
            finding.rule,
            finding.message
        );
        for label in finding.labels.iter().filter(|of| !of.message.is_empty()) {
            if let Some(location) = &label.location {
                let _ = writeln!(
                    text,
                    "  {}:{}:{}: {}",
                    sanitize::line(&location.path),
                    location.line,
                    location.column,
                    label.message
                );
            }
        }
        for note in finding.notes() {
            let _ = writeln!(text, "  {note}");
        }
        if let Some(subject) = finding.subject() {
            let _ = writeln!(text, "  in {subject}");
        }
        if let Some(help) = &finding.help {
            let _ = writeln!(text, "  help: {}", help.replace('\n', "\n  "));
        }
    }
    escaped(&text).replace("&#10;", "\n")
}

/// Escapes text for attribute values and content. Characters that XML 1.0 does not allow
/// (production `Char`) become U+FFFD.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            // Unescaped, a reader would normalize these to spaces or line feeds.
            '\r' => escaped.push_str("&#13;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            char if char.is_control() => escaped.push(char::REPLACEMENT_CHARACTER),
            char => escaped.push(char),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn escapes_or_replaces_characters_that_xml_does_not_allow() {
        assert_eq!(
            escaped("a<b> & \"c\" 'd'\n"),
            "a&lt;b&gt; &amp; &quot;c&quot; &apos;d&apos;&#10;"
        );
        assert_eq!(escaped("]]>"), "]]&gt;");
        assert_eq!(
            escaped("\0\u{1b}[2J\u{85}\u{ffff}\r\t"),
            "\u{fffd}\u{fffd}[2J\u{fffd}\u{fffd}&#13;&#9;"
        );
        assert_eq!(escaped("ключ 😀"), "ключ 😀");
    }
}
