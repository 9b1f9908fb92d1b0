//! Changes documents at random, in the ways that YAML is sensitive to.

use landfall_test_support::seed::Sequence;

/// The longest document that is changed, in bytes.
pub(crate) const MAX_LENGTH: usize = 400;

/// Fragments of YAML syntax.
const FRAGMENTS: &[&str] = &[
    "\n",
    "\n\n",
    " ",
    "  ",
    "    ",
    "\t",
    " \t",
    ": ",
    ":",
    ":\n",
    "- ",
    "-",
    "-\n",
    "- - ",
    "? ",
    "\n? ",
    "\n: ",
    "#",
    " #",
    " # c",
    "\n# c\n",
    "\n  # c\n",
    " # c\n",
    "'",
    "\"",
    "''",
    "\"\"",
    "\\",
    "\\\n",
    "\\n",
    "\\\"",
    "\\x41",
    "\\u00e9",
    "\\U0001F600",
    "\\ ",
    "\\\t",
    "[",
    "]",
    "{",
    "}",
    ",",
    ", ",
    "[]",
    "{}",
    "[a, b]",
    "{a: b}",
    "{\"a\":b}",
    "[\n",
    "\n]",
    "{\n",
    "\n}",
    ",\n",
    "&a ",
    "&a",
    "&a\n",
    "*a",
    "*a ",
    "*a : ",
    "&b ",
    "*b",
    "!",
    "!t ",
    "!!str ",
    "!t",
    "!t\n",
    "!<x> ",
    "!e!x ",
    "|",
    ">",
    "|\n",
    ">\n",
    "|-\n",
    ">-\n",
    "|+\n",
    ">+\n",
    "|2\n",
    ">1-\n",
    "|9+\n",
    "| # c\n",
    "|#c\n",
    "~",
    "null",
    "---",
    "---\n",
    "\n---\n",
    "\n--- ",
    "...",
    "\n...\n",
    "\n...",
    "%",
    "%YAML 1.2\n",
    "@",
    "`",
    "\r\n",
    "\r",
    "\u{feff}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "é",
    "日本",
    "\u{1F600}",
    "\u{7f}",
    "\0",
    "a",
    "b: c",
    "a:",
    "k: v\n",
    "\nk: v",
    "\n k: v",
    "\n  k: v",
    "\n- x",
    "\n  - x",
    "key: |\n  text\n",
    "key:\n- a\n",
    "<<: *a",
    "?",
    "? a\n: b\n",
    "=",
    "x y",
    "a#b",
    "a:b",
    "::",
    "--",
    "-a",
    ":a",
    "?a",
    "qqqq",
    "$",
    "{{ x }}",
    "'a'",
    "\"a\"",
    "'a\n  b'",
    "\"a\n  b\"",
    "a\n  b",
    "a\n\n  b",
    " \n",
    "\t\n",
    "   \n",
];

/// Returns a random part of a document, in whole lines, of at most [`MAX_LENGTH`] bytes.
pub(crate) fn part<'t>(text: &'t str, sequence: &mut Sequence) -> &'t str {
    if text.len() <= MAX_LENGTH {
        return text;
    }
    let wanted = 40 + sequence.below(MAX_LENGTH - 40);
    let mut start = sequence.below(text.len());
    start = text.as_bytes()[..start]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let mut end = (start + wanted).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[start..end]
}

/// Changes a document in one to five places.
pub(crate) fn mutate(text: &mut String, sequence: &mut Sequence) {
    for _ in 0..1 + sequence.below(5).min(sequence.below(5)) {
        mutate_once(text, sequence);
    }
}

fn mutate_once(text: &mut String, sequence: &mut Sequence) {
    let at = position(text, sequence);
    match sequence.below(14) {
        0 => {
            let end = boundary(text, at + 1 + sequence.below(3));
            text.replace_range(at..end, "");
        }
        1..=4 => text.insert_str(at, sequence.pick(FRAGMENTS)),
        5 => {
            let end = boundary(text, at + 1 + sequence.below(4));
            text.replace_range(at..end, sequence.pick(FRAGMENTS));
        }
        6 => {
            let other = position(text, sequence);
            let end = boundary(text, other + 1 + sequence.below(12));
            let copied = text[other..end].to_owned();
            text.insert_str(at, &copied);
        }
        kind => mutate_lines(text, kind, sequence),
    }
}

fn mutate_lines(text: &mut String, kind: usize, sequence: &mut Sequence) {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if lines.is_empty() {
        return;
    }
    let (line, other) = (sequence.below(lines.len()), sequence.below(lines.len()));
    match kind {
        7 => {
            let copied = lines[line].clone();
            lines.insert(other, copied);
        }
        8 => {
            lines.remove(line);
        }
        9 => lines.swap(line, other),
        10 => lines[line].insert_str(0, sequence.pick(&[" ", "  ", "    ", "- ", "\t"])),
        11 => {
            let removed = 1 + sequence.below(3);
            for _ in 0..removed {
                if lines[line].starts_with([' ', '-', '\t']) {
                    lines[line].remove(0);
                }
            }
        }
        12 => {
            let end = lines[line].trim_end_matches(['\n', '\r']).len();
            lines[line].insert_str(end, sequence.pick(FRAGMENTS));
        }
        _ => {
            let end = lines[line].len() - lines[line].trim_start_matches([' ', '-']).len();
            lines[line].insert_str(end, sequence.pick(FRAGMENTS));
        }
    }
    *text = lines.concat();
}

/// Returns a position: any, or, more often, one at a token.
fn position(text: &str, sequence: &mut Sequence) -> usize {
    let at = sequence.below(text.len() + 1);
    let is_token = |c: char| c.is_whitespace() || c.is_ascii_punctuation();
    let at = boundary(text, at);
    if sequence.one_in(3) {
        return at;
    }
    text[at..].find(is_token).map_or(text.len(), |to| at + to)
}

fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
