//! Strings that some reader may take for something else: every short one, words
//! and numbers of every version of YAML, random runs of digits and signs.

use crate::choices::Sequence;
use crate::hostile::STRINGS;

/// What numbers, times, words and indicators are made of.
const ALPHABET: &str = "0123456789aexobny_.:+-~=<,?#[{ ";

/// What numbers alone are made of: of these every string of four characters, too.
const OF_NUMBERS: &str = "01_.:+-eob";

/// Words and numbers that some version of YAML gives a type, and their neighbours
/// that none does, one a line.
const WORDS: &str = include_str!("words.txt");

/// The same with blanks at their ends.
const WITH_BLANKS: &[&str] = &[" a", "a ", "\u{a0}a", "a\u{a0}"];

/// Every string of one to `longest` characters of the alphabet.
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

/// Every string of up to three characters of the alphabet, words in several
/// casings, hostile strings, and random runs of digits and signs.
pub(crate) fn strings() -> Vec<String> {
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
