//! Documents where parsers go wrong.

use landfall_test_support::readers::seeds::SEEDS;
use landfall_yaml::{Comparison, compare_parsers};

/// Small documents that are close to another meaning, or to an error, and are read.
pub(crate) const TRAPS: &[&str] = &[
    // Where block scalars end.
    "a: |\n  x\n # c\nb: d\n",
    "a: |\n  x\n\n\n",
    "a: |\n  x\n  ",
    "a: |\n  x\n   ",
    "a: |\n  x",
    "a: |\n",
    "a: |+\n\n\n",
    "a: |+\n  ",
    "a: |-\n\nb: c\n",
    "a: |+\n\nb: c\n",
    "a:\n  b: |\n    x\n\n  c: d\n",
    "a:\n  b: |\n    x\n   # c\n  c: d\n",
    "a: |\n \n  x\n",
    "a: |1\n x\n",
    "a: |\n  x\n  \ty\n",
    "- |\n x\n- y\n",
    "-\n  - |\n   x\n",
    "a:\n- |\n x\n- >\n  y\n\n   z\n",
    "a: >\n\n  x\n",
    "a: >\n  x\n\n\n  y\n   z\n\n  w\n",
    "a: >\n   \tx\n   y\n",
    "a: |2-\n  x\n",
    "a: |-2\n  x\n",
    "a: | #c\n  x\n",
    // Missing values.
    "a:\nb:\n",
    "a: \n",
    "a:",
    "-",
    "- # c\n- x\n",
    "-  \n-\t\n",
    "- -\n  -\n-",
    "a: # c\nb: d\n",
    "a:\n  # c\nb: d\n",
    "a: &x\nb: !t\nc: &y !u # c\n",
    "a:\n- \n- b\n",
    // Plain scalars.
    "a: b\n c\n  d\n",
    "a: b\n - c\n",
    "a: b :c\n",
    "a : b\n",
    "a:b\n",
    "a: b#c\n",
    "a\n",
    "a\nb\n",
    "a\n...\n",
    "a\n... # c\n# d\n",
    "a\n...x\n",
    "a: b\n\t\n c\n",
    "a: b\n \t# c\n",
    // Indentation.
    "- a\n - b\n",
    "a:\n- b\n  - c\n",
    "- a:\n  - b\n  c:\n",
    // Keys.
    "a: b\n*c : d\n",
    "'a' #b\n",
    // Anchors, aliases, tags.
    "&a b: c\nd: *a\n",
    "&a\nb: *a\n",
    "a: &a\n  *a : b\n",
    "a: &a b\nc: &a d\ne: *a\n",
    "a: &é b\nc: *é\n",
    "a: &a\n  &b c: d\n",
    "a: &a !t\n  &b !u c: d\n",
    "a: &a\n- b\n",
    "a: !t\n- b\n",
    "- &a\n  - b\n",
    "- &a\n- b\n",
    "*a : b\n",
    "- *a : b\n- *a\n",
    "a: !\n",
    "a: ! b\n",
    "a: &x # c\n  b: c\n",
    "a: &x # c\nb: c\n",
    // Quotes.
    "a: \"b\n c\"\n",
    "a: \"b\n\n  c\"\n",
    "'b\n c\n'\n",
    "a: 'b\n '\n",
    "a: 'b  \n  c  '\n",
    "a: \"b\\\n  c\"\n",
    "a: \"b\\\n\n  c\"\n",
    "a: \"b\\  \n  c\"\n",
    "a: ''\nb: \"\"\n",
    "a: '''b'''\n",
    // Flow collections.
    "a: [b\n]\nc: d\n",
    "a: {b: c\n}\nd: e\n",
    "a:\n  b: [c,\nd]\n",
    "a: [b] #c\n",
    "a: [b # c\n  , d]\n",
    "a: [ #c\n]\n",
    "a: [b #c\n]\n",
    "a: [b#c]\n",
    "a: [b,]\n",
    "a: {b,}\n",
    "a: {b:c}\n",
    "a: {b: }\n",
    "a: {b: , c: d}\n",
    "a: {'b':c, \"d\":[e], 'f' :g}\n",
    "a: {b:\n c}\n",
    "a: [-b, --]\n",
    "a: [\tb]\n",
    "[\n\tb]\n",
    "- [a,\n b]\n- {c: d,\n e: f}\n",
    // Documents.
    "",
    "\n",
    " ",
    "# c",
    "---",
    "---\n...\n",
    "--- # c\n",
    "--- 'a'\n",
    "--- {a: b}\n",
    "--- !t\n",
    "--- &a\n- b\n",
    "---a\n",
    "# c\n---\na: b\n",
    " ---\n",
    "a: |\n  ---\n  ...\n",
    "\u{feff}  a: b\n  c: d\n",
    "\u{feff}---\na: b\n",
    "\u{feff}",
    "\u{feff}\na: b\n",
    "é: ü\nà:\n  ê: î\n",
];

/// Such documents that the fast parser declines.
pub(crate) const DECLINED: &[&str] = &[
    // Where block scalars end.
    "a: |",
    "a:\n  b: |\n    x\n   y\n",
    "a: |\n   \n  x\n",
    "a: |2\n   x\n y\n",
    "a: |2\n x\n",
    "a: |\n\tx\n",
    "a: |\n  x\n\ty\n",
    "a: |0\n x\n",
    "a: |22\n x\n",
    "a: |+-\n x\n",
    "a: |a\n  x\n",
    "a: |#c\n  x\n",
    "--- |\n x\n",
    "|\nx\n",
    // Plain scalars.
    "a: b\nc\n",
    "a: b #c\n d\n",
    "a: b\n #c\n d\n",
    "a: b\n\n c: d\n",
    "a: b: c\n",
    "a\nb: c\n",
    "a\n---\nb\n",
    "a\n... x\n",
    "a: b\n...\nc: d\n",
    "a: b\n\tc\n",
    "a: b\n \tc\n",
    "a: %x\n",
    "%x\n",
    "a:\n%x\n",
    "a: @x\n",
    "a: `x\n",
    "- ?\n- :\n- -\n",
    // Indentation.
    "a:\n  b: c\n d: e\n",
    "a:\n b: c\n  d: e\n",
    " - a\n- b\n",
    "a:\n  - b\n- c\n",
    "a:\n- b\nc\n",
    "- a\nb: c\n",
    "- a: b\n c: d\n",
    "- a: b\n   c: d\n",
    "- - a\n  b: c\n",
    "- - a\n - b\n",
    "a: - b\n",
    "a: b\n\t: c\n",
    "\ta: b\n",
    "a:\n\tb: c\n",
    "-\ta\n",
    "-\t- a\n",
    // Keys.
    "? a\n: b\n",
    "a: b\n? c\n",
    ": a\n",
    "a: b\n: c\n",
    "'a\n b': c\n",
    "a\n b: c\n",
    "[a]: b\n",
    "a: [b]: c\n",
    "a: b\n[c]\n",
    "a: b\n&c\nd: e\n",
    "a: b\n'c'\n",
    "a: b\n*c\n",
    "'a':b\n",
    "'a' b\n",
    "'a'#b\n",
    // Anchors, aliases, tags.
    "a: &a *b\n",
    "a: &a\n  *b\n",
    "a: &a\n  &b c\n",
    "a: &a\n  !t c\n",
    "- &a - b\n",
    "a: &a b: c\n",
    "*a: b\n",
    "a: &\n",
    "a: &a[b]\n",
    "a: !<x> b\n",
    "a: !e!x b\n",
    "a: !!\n",
    "a: !a%20b c\n",
    "&a &b c\n",
    "&a !t &b c\n",
    // Quotes.
    "a: 'b\nc'\n",
    "a: \"b\n---\n c\"\n",
    "'b\n---\n c'\n",
    "a: 'b\n'\n",
    "a: \"\\q\"\n",
    "a: \"\\ud83d\\ude00\"\n",
    "a: \"\\ud83d\"\n",
    "a: \"\\x4\"\n",
    "a: \"\\uD800\"\n",
    "a: \"\\U00110000\"\n",
    "a: \"b\n\tc\"\n",
    "a: 'b",
    "a: \"b\"c\n",
    // Flow collections.
    "a: [b]\n  c\n",
    "a: [b]c\n",
    "a: [b]#c\n",
    "a: [#c\n]\n",
    "a: [b,#c\n]\n",
    "a: [,]\n",
    "a: [b,,c]\n",
    "a: {,}\n",
    "a: {b: c: d}\n",
    "a: {b:[c]}\n",
    "a: {b:}\n",
    "a: {'b'\n: c}\n",
    "a: {b\n : c}\n",
    "a: {b c\n d: e}\n",
    "a: [b: c]\n",
    "a: [b: c, d]\n",
    "a: [{b: c}: d]\n",
    "a: {[b]: c}\n",
    "a: {{b: c}: d}\n",
    "a: {{ b }}\n",
    "a: {{ .b | c }}\n",
    "a: [-]\n",
    "a: [- b]\n",
    "a: [? b : c]\n",
    "a: {? b : c}\n",
    "a: [:b]\n",
    "a: [b]]\n",
    "a: [b}\n",
    "a: [b\n",
    "a: [b\n---\n]\n",
    "[a,\n---\n]\n",
    "[a,\n%b]\n",
    "a: [&b c, *b, !t d, &e [f], &g , h]\n",
    "a: {&b c: d, *b : e, f: &g }\n",
    "a: [\n\tb]\n",
    "[a]\n[b]\n",
    "[a] b\n",
    // Documents.
    "---\n---\n",
    "--- a: b\n",
    "--- - a\n",
    "a: b\n---\n",
    "\u{feff}a: b\n c: d\n",
    "a: \u{feff}b\n",
    "a: b\u{85}c\n",
    "a: b # \u{2028}c\n",
    "a: b\rc: d\n",
    "a: b\r",
    "é: - b\n",
];

#[test]
fn seeds_and_traps_are_read_alike_by_both_parsers() {
    for text in SEEDS.iter().chain(TRAPS) {
        assert_eq!(compare_parsers(text), Comparison::Same, "{text:?}");
        let text = text.replace("\r\n", "\n").replace('\n', "\r\n");
        assert_eq!(compare_parsers(&text), Comparison::Same, "{text:?}");
    }
}

#[test]
fn what_both_parsers_might_read_differently_is_declined() {
    for text in DECLINED {
        for text in [(*text).to_owned(), text.replace('\n', "\r\n")] {
            assert_eq!(compare_parsers(&text), Comparison::Declined, "{text:?}");
        }
    }
}

#[test]
fn long_keys() {
    for length in 1015..1035 {
        for key in [
            "a".repeat(length),
            "é".repeat(length),
            format!("'{}'", "a".repeat(length)),
        ] {
            for text in [
                format!("{key}: b\n"),
                format!("{key} : b\n"),
                format!("a: {{{key}: b}}\n"),
                format!("&x {key}: b\n"),
                format!("- {key}\n"),
            ] {
                if let Comparison::Different(how) = compare_parsers(&text) {
                    panic!("{text:?}: {how}");
                }
            }
        }
    }
}

#[test]
fn deep_nesting() {
    for levels in [10, 250, 255, 256, 257, 300, 999, 1001] {
        let block: String = (0..levels)
            .map(|level| " ".repeat(level) + "a:\n")
            .collect();
        for text in [
            "- ".repeat(levels) + "a\n",
            "[".repeat(levels) + &"]".repeat(levels) + "\n",
            "{a: ".repeat(levels) + &"}".repeat(levels) + "\n",
            block,
        ] {
            let expected = if levels <= 256 {
                Comparison::Same
            } else {
                Comparison::Declined
            };
            assert_eq!(compare_parsers(&text), expected, "{levels}: {text:.9}");
        }
    }
}
