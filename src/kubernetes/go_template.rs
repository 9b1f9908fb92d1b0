//! Actions of Go templates, `{{ .name }}`: Argo CD expands them in all strings of an
//! ApplicationSet (`applicationset/utils`: Go's `text/template`, or fasttemplate, which has
//! the same delimiters).

use std::ops::Range;

const OPENER: &str = "{{";
const CLOSER: &str = "}}";

/// Returns the bytes of each action, ascending. An action that is not closed ends the
/// search.
pub(crate) fn actions(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = find(text, from, OPENER) {
        let Some(end) = end_of_action(text, start + OPENER.len()) else {
            break;
        };
        found.push(start..end);
        from = end;
    }
    found
}

/// Returns the end of the action whose content begins at `at` (`text/template/parse`,
/// `lexInsideAction`): strings and characters in it may contain the closer.
fn end_of_action(text: &str, at: usize) -> Option<usize> {
    let content = text.get(at..)?;
    let trimmed = content.strip_prefix("- ").unwrap_or(content);
    if trimmed.starts_with("/*") {
        let comment = find(text, at, "*/")?;
        return find(text, comment, CLOSER).map(|at| at + CLOSER.len());
    }
    let bytes = text.as_bytes();
    let mut at = at;
    loop {
        match bytes.get(at)? {
            b'}' if bytes.get(at + 1) == Some(&b'}') => return Some(at + CLOSER.len()),
            b'`' => at = find(text, at + 1, "`")?,
            quote @ (b'"' | b'\'') => at = end_of_string(bytes, at + 1, *quote)?,
            _ => {}
        }
        at += 1;
    }
}

/// Returns the position of the quote that ends a string on its line.
fn end_of_string(bytes: &[u8], mut at: usize, quote: u8) -> Option<usize> {
    loop {
        match bytes.get(at)? {
            b'\\' => at += 1,
            b'\n' => return None,
            byte if *byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
}

fn find(text: &str, from: usize, needle: &str) -> Option<usize> {
    let rest = text.as_bytes().get(from..)?;
    memchr::memmem::find(rest, needle.as_bytes()).map(|at| from + at)
}

/// Returns the text with its actions overwritten. Actions that are alone on their lines,
/// such as `{{- if .x }}`, become blank; others could be any scalar. Its length stays the
/// same.
pub(crate) fn masked(text: &str, actions: &[Range<usize>]) -> String {
    let (alone, inline): (Vec<_>, Vec<_>) = alone_on_lines(text, actions);
    let mut blank = String::with_capacity(text.len());
    let mut at = 0;
    for range in alone {
        blank.push_str(&text[at..range.start]);
        blank.extend(text[range.clone()].bytes().map(|byte| match byte {
            b'\n' | b'\r' => char::from(byte),
            _ => ' ',
        }));
        at = range.end;
    }
    blank.push_str(&text[at..]);
    yaml::masked(&blank, inline.iter())
}

/// Returns the actions that have nothing but blanks and other actions beside them on their
/// lines, and the rest.
fn alone_on_lines(text: &str, actions: &[Range<usize>]) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let is_line_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let is_blank = |bytes: &[u8]| bytes.iter().all(|byte| matches!(byte, b' ' | b'\t'));
    let (mut alone, mut inline) = (Vec::new(), Vec::new());
    let mut rest = actions;
    while let Some(first) = rest.first() {
        // The actions that follow on the line on which the one before ends.
        let mut end = first.end;
        let mut count = 1;
        let mut is_alone = true;
        for next in &rest[1..] {
            let between = &bytes[end..next.start];
            if between.iter().any(is_line_break) {
                break;
            }
            is_alone &= is_blank(between);
            end = next.end;
            count += 1;
        }
        let before = bytes[..first.start].rsplit(is_line_break).next();
        let after = bytes[end..].split(is_line_break).next();
        is_alone &= is_blank(before.unwrap_or_default()) && is_blank(after.unwrap_or_default());
        let (line, others) = rest.split_at(count);
        match is_alone {
            true => alone.extend_from_slice(line),
            false => inline.extend_from_slice(line),
        }
        rest = others;
    }
    (alone, inline)
}

/// Returns whether any of these bytes are in an action.
pub(crate) fn is_in_action(actions: &[Range<usize>], bytes: &Range<usize>) -> bool {
    let next = actions.partition_point(|action| action.end <= bytes.start);
    let is_inside = |action: &Range<usize>| action.start < bytes.end;
    actions.get(next).is_some_and(is_inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let found = masked(text, &actions(text));
        assert_eq!(found, expected);
        assert_eq!(found.len(), text.len());
    }

    #[test]
    fn an_action_becomes_inert_bytes_of_the_same_length() {
        check("a: {{ .x }}-b", "a: qqqqqqqq-b");
        check("a: {{x}}{{y}}", "a: qqqqqqqqqq");
        check("a: {{ index .x \"é\" }}", &format!("a: {}", "q".repeat(19)));
        check("- {{ .x }}\n", "- qqqqqqqq\n");
    }

    #[test]
    fn an_action_alone_on_its_line_becomes_blank() {
        check(
            "{{- if .x }}\na: 1\n{{- end }}\n",
            "            \na: 1\n          \n",
        );
        check(
            "  {{ if .x }} {{ else }}\t\r\n",
            "                        \t\r\n",
        );
        check("{{/* a\n b */}}\na: 1", "      \n       \na: 1");
    }

    #[test]
    fn strings_and_comments_may_contain_the_closer() {
        check("a: {{ \"}}\" }}b", "a: qqqqqqqqqqb");
        check("a: {{ `}}\"` }}b", "a: qqqqqqqqqqqb");
        check("a: {{ \"\\\"}}\" }}b", "a: qqqqqqqqqqqqb");
        check("a: {{/* }} */}}b", "a: qqqqqqqqqqqqb");
        check("a: {{- /* \" */ -}}b", "a: qqqqqqqqqqqqqqqb");
    }

    #[test]
    fn an_unclosed_action_stays() {
        for text in [
            "a: {{ .x",
            "a: {{ \"}}",
            "a: {{ \"\n}}\"",
            "a: {{/* }}",
            "{ }} {",
        ] {
            check(text, text);
        }
        check("a: {{ x }} {{ \"", "a: qqqqqqq {{ \"");
    }

    #[test]
    fn finds_the_bytes_in_an_action() {
        let actions = [2..6, 10..12];
        for (bytes, expected) in [(0..2, false), (0..3, true), (5..8, true), (6..10, false)] {
            assert_eq!(is_in_action(&actions, &bytes), expected, "{bytes:?}");
        }
        assert!(is_in_action(&actions, &(11..20)));
        assert!(!is_in_action(&actions, &(12..20)));
    }
}
