//! Actions of Go templates, `{{ .name }}`: External Secrets and Sealed Secrets expand them in the
//! Secrets that they make, and Argo CD in all strings of an ApplicationSet
//! (`applicationset/utils`: Go's `text/template`, or fasttemplate, which has the same delimiters).

use std::ops::Range;

use crate::kubernetes::resources::Field;
use crate::outputs::Value;
use yaml::{BLANKS, line_end, line_start};

const OPENER: &str = "{{";
const CLOSER: &str = "}}";

/// Fields that programs expand as Go templates, with all fields in them: groups, kinds, paths, and
/// which program it is.
static EXPANDED: &[(&str, &str, &[&str], &str)] = &[
    ("argoproj.io", "ApplicationSet", &["spec"], ARGO_CD),
    (
        "external-secrets.io",
        "ExternalSecret",
        &["spec", "target", "template"],
        EXTERNAL_SECRETS,
    ),
    (
        "external-secrets.io",
        "ClusterExternalSecret",
        &["spec", "externalSecretSpec", "target", "template"],
        EXTERNAL_SECRETS,
    ),
    (
        "external-secrets.io",
        "PushSecret",
        &["spec", "template"],
        EXTERNAL_SECRETS,
    ),
    (
        "bitnami.com",
        "SealedSecret",
        &["spec", "template", "data"],
        "Sealed Secrets expands in a template",
    ),
];
const ARGO_CD: &str = "Argo CD expands in an ApplicationSet";
const EXTERNAL_SECRETS: &str = "External Secrets expands in a template";

/// Returns the kinds with fields that are expanded.
pub(crate) fn kinds() -> impl Iterator<Item = &'static str> {
    EXPANDED.iter().map(|(_, kind, ..)| *kind)
}

/// Returns who expands a field of this kind, or one of a document inside it.
pub(crate) fn expander(kind: Option<&str>) -> &'static str {
    let mut rows = EXPANDED.iter();
    let found = rows.find(|(_, of, ..)| Some(*of) == kind);
    found.map_or(ARGO_CD, |(.., who)| who)
}

/// Returns whether a field is expanded as a Go template, or is set by a patch of one.
pub(crate) fn is_expanded(field: &Field) -> bool {
    field.any_set(|field| {
        field.resource.as_deref().is_some_and(|resource| {
            EXPANDED.iter().any(|(group, kind, path, _)| {
                *kind == resource.kind
                    && *group == resource.group_version().0
                    && (path.iter().enumerate()).all(|(nth, key)| field.key(nth) == Some(key))
            })
        })
    })
}

/// Returns whether a value may contain an action.
pub(crate) fn contains_action(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(OPENER),
        Value::List(items) => items.iter().any(contains_action),
        Value::Object(entries) => entries
            .iter()
            .any(|(key, value)| key.name.contains(OPENER) || contains_action(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// An action in a file.
#[derive(Clone, Debug)]
pub(crate) struct FileAction {
    /// Its bytes in the file.
    pub(crate) bytes: Range<usize>,
    /// 1 if it begins a block, such as `{{ if .x }}`, -1 if it ends one.
    nesting: i8,
}

impl FileAction {
    /// Creates an action from its text.
    pub(crate) fn new(bytes: Range<usize>, text: &str) -> Self {
        let content = text.trim_matches(['{', '}', '-', ' ', '\t', '\r', '\n']);
        let word = content.split(|c: char| !c.is_ascii_alphabetic()).next();
        let nesting = match word {
            Some("if" | "with" | "range" | "block" | "define") => 1,
            Some("end") => -1,
            _ => 0,
        };
        Self { bytes, nesting }
    }
}

/// Whether text between the values of a scalar is always there.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    /// How many blocks are open.
    depth: i8,
    pub(crate) has_action: bool,
}

impl Beside {
    /// Reads text without blanks. Returns whether there is any outside actions and blocks,
    /// whatever they expand to. `actions` are those of the file, ascending.
    pub(crate) fn has_text(&mut self, bytes: &Range<usize>, actions: &[FileAction]) -> bool {
        let next = actions.partition_point(|action| action.bytes.end <= bytes.start);
        let mut at = bytes.start;
        for action in actions.get(next..).unwrap_or_default() {
            if action.bytes.start >= bytes.end {
                break;
            }
            if self.depth == 0 && at < action.bytes.start {
                return true;
            }
            self.has_action = true;
            self.depth = self.depth.saturating_add(action.nesting).max(0);
            at = action.bytes.end;
        }
        self.depth == 0 && at < bytes.end
    }
}

/// Returns whether `{{` is in the text, and at least one byte of it among `bytes`, a value in
/// the text; also if `bytes` are empty and the text around them is `{{`.
pub(crate) fn opens_action(text: &str, bytes: &Range<usize>) -> bool {
    let around = bytes.start.saturating_sub(1)..(bytes.end + 1).min(text.len());
    text.as_bytes()
        .get(around)
        .is_some_and(|around| memchr::memmem::find(around, OPENER.as_bytes()).is_some())
}

/// Returns the bytes of each action, ascending. An action that is not closed ends the
/// search.
pub(crate) fn actions(text: &str) -> Vec<Range<usize>> {
    lex(text).0
}

/// Returns the bytes of each action, and of each string in one, including its quotes; ascending.
pub(crate) fn lex(text: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (mut found, mut strings) = (Vec::new(), Vec::new());
    let mut from = 0;
    while let Some(start) = find(text, from, OPENER) {
        let Some(end) = end_of_action(text, start + OPENER.len(), &mut strings) else {
            break;
        };
        found.push(start..end);
        from = end;
    }
    (found, strings)
}

/// Returns the end of the action whose content begins at `at` (`text/template/parse`,
/// `lexLeftDelim` and `lexInsideAction`): strings and characters in it may contain the closer.
/// Adds these to `strings`.
fn end_of_action(text: &str, at: usize, strings: &mut Vec<Range<usize>>) -> Option<usize> {
    let content = text.get(at..)?;
    let trimmed = content
        .strip_prefix('-')
        .and_then(|content| content.strip_prefix([' ', '\t', '\r', '\n']))
        .unwrap_or(content);
    if trimmed.starts_with("/*") {
        let start = text.len() - trimmed.len() + "/*".len();
        let comment = find(text, start, "*/")?;
        return find(text, comment, CLOSER).map(|at| at + CLOSER.len());
    }
    let bytes = text.as_bytes();
    let mut at = at;
    loop {
        let start = at;
        match bytes.get(at)? {
            b'}' if bytes.get(at + 1) == Some(&b'}') => return Some(at + CLOSER.len()),
            b'`' => at = find(text, at + 1, "`")?,
            quote @ (b'"' | b'\'') => at = end_of_string(bytes, at + 1, *quote)?,
            _ => {}
        }
        at += 1;
        if at > start + 1 {
            strings.push(start..at);
        }
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
/// such as `{{- if .x }}`, become line breaks unless they may be part of a scalar; others
/// could be any scalar. Its length stays the same.
pub(crate) fn masked(text: &str, actions: &[Range<usize>]) -> String {
    let mut blank = String::with_capacity(text.len());
    let mut inline = Vec::new();
    let mut at = 0;
    let mut scan = LineScan::default();
    let mut rest = actions;
    while let Some(first) = rest.first() {
        let (line, others) = rest.split_at(on_one_line(text, rest));
        rest = others;
        let start = line_start(text, first.start);
        scan.skip_to(text, start);
        let end = line.last().map_or(first.end, |last| last.end);
        let is_alone = is_alone(text, line, end);
        if is_alone {
            // It says nothing about the lines after it.
            scan.at = line_end(text, end);
        }
        if !is_alone || scan.continues(indentation(&text[start..])) {
            inline.extend_from_slice(line);
            continue;
        }
        // Spaces could be more than a block scalar may begin with.
        blank.push_str(&text[at..start]);
        blank.extend(text[start..scan.at].bytes().map(|byte| match byte {
            b'\r' => '\r',
            _ => '\n',
        }));
        at = scan.at;
    }
    blank.push_str(&text[at..]);
    yaml::masked(&blank, inline.iter())
}

/// Returns how many of these actions follow each other, each on the line on which the one
/// before ends.
fn on_one_line(text: &str, actions: &[Range<usize>]) -> usize {
    let pairs = actions.iter().zip(actions.iter().skip(1));
    let together = pairs.take_while(|(one, next)| !text[one.end..next.start].contains(LINE_BREAKS));
    1 + together.count()
}

/// Returns whether there are only blanks beside these actions on their lines.
fn is_alone(text: &str, actions: &[Range<usize>], end: usize) -> bool {
    let mut at = actions
        .first()
        .map_or(0, |first| line_start(text, first.start));
    let mut is_blank = true;
    for action in actions {
        is_blank &= text[at..action.start].trim_matches(BLANKS).is_empty();
        at = action.end;
    }
    is_blank
        && text[end..line_end(text, end)]
            .trim_matches(BLANKS)
            .is_empty()
}

const LINE_BREAKS: [char; 2] = ['\n', '\r'];

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The lines before an action that is alone on its line, as far as they decide whether it
/// may be part of a scalar.
#[derive(Default)]
struct LineScan {
    /// Everything before this byte was read.
    at: usize,
    /// The indentation of the last line with text, and whether a scalar in it may go on.
    last: Option<(usize, bool)>,
    /// The indentation of the line that begins a folded scalar.
    folded: Option<usize>,
}

impl LineScan {
    /// Reads all lines before byte `end`, which begins one.
    fn skip_to(&mut self, text: &str, end: usize) {
        for line in text
            .get(self.at..end)
            .unwrap_or_default()
            .split(LINE_BREAKS)
        {
            self.read(line);
        }
        self.at = end;
    }

    fn read(&mut self, line: &str) {
        let content = line
            .split(" #")
            .next()
            .unwrap_or_default()
            .trim_end_matches(BLANKS);
        // The mapping in an item is indented by its dash.
        let start = content.trim_start_matches([' ', '-']);
        if start.is_empty() && !content.ends_with('-') {
            return;
        }
        let indent = indentation(line);
        if self.folded.is_some_and(|folded| indent <= folded) {
            self.folded = None;
        }
        let header = content.trim_end_matches(|c: char| matches!(c, '+' | '-' | '1'..='9'));
        let begins = |indicator| header.ends_with(indicator);
        if self.folded.is_none() && begins(" >") {
            self.folded = Some(indent);
        }
        let opens = content.ends_with([':', '-', '{', '[', ',']) || begins(" |") || begins(" >");
        self.last = Some((content.len() - start.len(), !opens));
    }

    /// Returns whether a line with this indentation may be part of a scalar whose line
    /// breaks are folded.
    fn continues(&self, indent: usize) -> bool {
        self.folded.is_some_and(|folded| indent > folded)
            || self
                .last
                .is_some_and(|(last, goes_on)| goes_on && indent > last)
    }
}

/// Returns whether an action belongs to the lines of a node: it follows them directly, and
/// is indented further than the first. `lines` are several lines of the text.
pub(crate) fn is_in_lines(text: &str, actions: &[Range<usize>], lines: &Range<usize>) -> bool {
    if !text
        .get(lines.clone())
        .is_some_and(|lines| lines.contains(LINE_BREAKS))
    {
        return false;
    }
    let indent_at = |at: usize| indentation(&text[line_start(text, at)..]);
    let indent = indent_at(lines.start);
    let next = actions.partition_point(|action| action.start < lines.end);
    let mut end = lines.end;
    for action in &actions[next..] {
        if !text[end..action.start].trim_ascii().is_empty() {
            return false;
        }
        if indent_at(action.start) > indent {
            return true;
        }
        end = action.end;
    }
    false
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

    /// Checks a text in which `_` is a line break in place of another byte.
    fn check_blank(text: &str, expected: &str) {
        check(text, &expected.replace('_', "\n"));
    }

    #[test]
    fn an_action_alone_on_its_line_becomes_line_breaks() {
        check_blank(
            "{{- if .x }}\na: 1\n{{- end }}\n",
            "____________\na: 1\n__________\n",
        );
        check_blank(
            "  {{ if .x }} {{ else }}\t\r\nb: 1",
            "_________________________\r\nb: 1",
        );
        check_blank("{{/* a\n b */}}\na: 1", "______\n_______\na: 1");
    }

    #[test]
    fn an_action_that_may_be_part_of_a_folded_scalar_does_not() {
        check_blank(
            "a: >\n  b\n  {{ .x }}\nc: 1\n{{ .y }}\n",
            "a: >\n  b\n  qqqqqqqq\nc: 1\n________\n",
        );
        check_blank("a: >2-  # c\n {{x}}\n", "a: >2-  # c\n qqqqq\n");
        check_blank(
            "a: b\n  {{x}}\n  {{y}}\nc: d",
            "a: b\n  qqqqq\n  qqqqq\nc: d",
        );
        check_blank("- a: b\n  {{x}}\n  c: d", "- a: b\n_______\n  c: d");
        check_blank(
            "a:\n  {{x}}\n  - b\n   {{y}}",
            "a:\n_______\n  - b\n________",
        );
        check_blank("a: |\n  {{x}}\n  b\n  {{y}}", "a: |\n_______\n  b\n_______");
        check_blank(
            "a: {\n  {{x}}\n  b: c,\n  {{y}}\n}",
            "a: {\n_______\n  b: c,\n_______\n}",
        );
    }

    #[test]
    fn finds_the_actions_at_the_end_of_a_block() {
        let is_in = |text: &str, expected| {
            let (actions, end) = (actions(text), text.find("{{").unwrap());
            let start = text.find('|').unwrap();
            let end = start + text[start..end].trim_end().len();
            assert_eq!(
                is_in_lines(text, &actions, &(start..end)),
                expected,
                "{text:?}"
            );
        };
        is_in("a: |\n  b\n  {{x}}\n", true);
        is_in("a: |\n  b\n\n{{x}}\n  {{y}}\n", true);
        is_in("a: |\n  b\n{{x}}\nc: |\n  d\n  {{y}}", false);
        is_in("  a: |\n    b\n  {{x}}\n", false);
    }

    #[test]
    fn strings_and_comments_may_contain_the_closer() {
        check("a: {{ \"}}\" }}b", "a: qqqqqqqqqqb");
        check("a: {{ `}}\"` }}b", "a: qqqqqqqqqqqb");
        check("a: {{ \"\\\"}}\" }}b", "a: qqqqqqqqqqqqb");
        check("a: {{/* }} */}}b", "a: qqqqqqqqqqqqb");
        check("a: {{- /* \" */ -}}b", "a: qqqqqqqqqqqqqqqb");
        for blank in [" ", "\t", "\r", "\n"] {
            let text = format!("{{{{-{blank}/* ' */}}}}b");
            let found = actions(&text).first().cloned();
            assert_eq!(found, Some(0..13), "{text:?}");
        }
        check("a: {{-/* \" */}}", "a: {{-/* \" */}}");
        check("a: {{/*/ }} */}}b", "a: qqqqqqqqqqqqqb");
    }

    #[test]
    fn finds_the_strings_in_actions() {
        let text = "'a' {{ eq \"b\" `c` }} \"d\" {{ 'e' }}";
        let found: Vec<&str> = lex(text).1.into_iter().map(|bytes| &text[bytes]).collect();
        assert_eq!(found, ["\"b\"", "`c`", "'e'"]);
    }

    #[test]
    fn finds_values_that_open_an_action() {
        for (text, bytes, expected) in [
            ("a{{b", 1..3, true),
            ("{{b", 1..3, true),
            ("{{b", 0..1, true),
            ("a{{", 3..3, false),
            ("{{", 1..1, true),
            ("{a{", 1..2, false),
            ("{{ab", 3..4, false),
        ] {
            assert_eq!(opens_action(text, &bytes), expected, "{text} {bytes:?}");
        }
    }

    #[test]
    fn text_in_a_block_may_be_missing() {
        let check = |text: &str, expected: (bool, bool)| {
            let actions: Vec<_> = actions(text)
                .into_iter()
                .map(|bytes| FileAction::new(bytes.clone(), &text[bytes]))
                .collect();
            let mut beside = Beside::default();
            let has_text = beside.has_text(&(0..text.len()), &actions);
            assert_eq!((has_text, beside.has_action), expected, "{text}");
        };
        check("{{ .x }}{{- .y -}}", (false, true));
        check("{{- if .x }}a{{ else }}b{{- end -}}", (false, true));
        check("{{if .x}}{{with .y}}a{{end}}b{{end}}", (false, true));
        check("{{ if .x }}a{{ end }}b", (true, true));
        check("{{ .x }}-{{ .y }}", (true, true));
        check("a", (true, false));
        check("{{ iffy }}a{{ end }}", (true, true));
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
