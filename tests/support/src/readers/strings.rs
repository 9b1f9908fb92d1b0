//! Strings that some YAML reader may misread: every short one, words and numbers of every
//! version of YAML, random runs of digits and signs.

use crate::seed::Sequence;

/// Strings that are special in some position or to some reader.
pub const STRINGS: &[&str] = &[
    "vpc-0ab1",
    "a: b",
    "a #b",
    "- a",
    "a",
    "? a",
    ": a",
    "a:",
    ":",
    "-",
    "?",
    "---",
    "--- a",
    "...",
    "... a",
    "#",
    "#a",
    "&a",
    "*a",
    "!a",
    "!!int 1",
    "|",
    "|\n  a",
    ">",
    ">-",
    "'",
    "''",
    "'a'",
    "\"",
    "\"a\"",
    "%YAML 1.2",
    "@a",
    "`a`",
    "[",
    "]",
    "[a, b]",
    "{",
    "}",
    "{a: b}",
    "a, b",
    ",",
    "y",
    "N",
    "yes",
    "No",
    "on",
    "OFF",
    "true",
    "False",
    "null",
    "Null",
    "~",
    "=",
    "<<",
    "0",
    "-1",
    "+1",
    "012345678901",
    "0x1F",
    "0o17",
    "0b1",
    "1_000",
    "1.10",
    "1.",
    ".5",
    "1e3",
    "1e-07",
    "1.5E+3",
    "12:30",
    "190:20:30.15",
    "2024-01-31",
    "2024-01-31T12:00:00Z",
    "2024-01-31 12:00:00 +1",
    ".inf",
    "-.INF",
    ".NaN",
    " a",
    "a ",
    "  ",
    "\t",
    "a\tb",
    "\ta",
    "a\t",
    "\n",
    "\n\n",
    "a\n",
    "\na",
    "a\nb",
    "a\n\nb\n",
    "a\n  b\n c\n\n",
    "  a\nb",
    " \na",
    "\n  a\nb",
    "a\n ",
    "a \nb",
    "a\n\tb",
    "a\n---\nb",
    "a\n... \nb",
    "a\n# b\nc: d",
    "\r",
    "a\rb",
    "a\r\nb\r\n",
    "\u{85}",
    "a\u{85}b",
    "a\u{2028}b",
    "a\u{2029}b",
    "\u{feff}a",
    "a\u{feff}b",
    "\0",
    "\u{1b}[31m",
    "\u{7f}",
    "\u{9b}",
    "\u{fffd}",
    "\u{fffe}",
    "\u{e000}",
    "\u{10ffff}",
    "\u{a0}a\u{a0}",
    "\u{200b}",
    "é",
    "日本語",
    "😀",
    "\\",
    "\\n",
    "\\\"",
    "a\\",
    "\\\\",
    "$",
    "$$",
    "${infra.v0}",
    "$${infra.v0}",
    "a ${infra.v1} b",
    "${infra.v0",
    "${HOME}",
    "{{ .Values.x }}",
    "$(a)",
    "arn:aws:iam::012345678901:role/x",
    "https://a.b/c?d=e&f#g",
    "-----BEGIN CERTIFICATE-----\nMIIB\nAAA=\n-----END CERTIFICATE-----\n",
    "{\"a\": [1, \"b\"]}",
    "key: |\n  text\n",
];

/// The characters of numbers, times, words and indicators.
const ALPHABET: &str = "0123456789aexobny_.:+-~=<,?#[{ ";

/// The characters of numbers alone, for which every string of four characters is
/// generated too.
const OF_NUMBERS: &str = "01_.:+-eob";

/// Words and numbers to which some version of YAML gives a type, and similar ones to
/// which none does, one per line.
const WORDS: &str = include_str!("words.txt");

/// Words with leading or trailing whitespace.
const WITH_BLANKS: &[&str] = &[" a", "a ", "\u{a0}a", "a\u{a0}"];

/// Returns every string of one to `longest` characters of the alphabet.
fn every_string(alphabet: &str, longest: usize) -> Vec<String> {
    let mut strings: Vec<String> = alphabet.chars().map(String::from).collect();
    let mut from = 0;
    for _ in 1..longest {
        let to = strings.len();
        for at in from..to {
            let longer = alphabet
                .chars()
                .map(|next| format!("{}{next}", strings[at]));
            let longer: Vec<String> = longer.collect();
            strings.extend(longer);
        }
        from = to;
    }
    strings
}

/// Returns every string of up to three characters of the alphabet, words in several
/// casings, hostile strings, and random runs of digits and signs.
pub fn strings() -> Vec<String> {
    let mut strings = every_string(ALPHABET, 3);
    strings.extend(every_string(OF_NUMBERS, 4));
    for word in WORDS.lines().chain(WITH_BLANKS.iter().copied()) {
        let mut capital = word.to_string();
        if let Some(first) = capital.get_mut(0..1) {
            first.make_ascii_uppercase();
        }
        strings.extend([
            word.to_string(),
            capital,
            word.to_uppercase(),
            word.to_lowercase(),
        ]);
    }
    strings.extend(STRINGS.iter().map(|text| text.to_string()));
    let runs: Vec<char> = "0123456789012345678901_.:-+eExobTZ ".chars().collect();
    let mut sequence = Sequence::new(3);
    for _ in 0..4_000 {
        let length = 4 + sequence.below(8);
        strings.push(
            (0..length)
                .map(|_| runs[sequence.below(runs.len())])
                .collect(),
        );
    }
    strings.sort();
    strings.dedup();
    strings
}
