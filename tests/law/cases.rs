//! Regressions of the law, each minimized, and limits that no generator reaches.

use landfall::Rule;
use serde_json::{Value as Json, json};

use crate::render::{outputs, render, request};
use crate::tree::{self, Tree};

/// Renders `template` with the members of `values` as outputs.
fn rendered(template: &str, values: &Json) -> Result<String, Vec<Rule>> {
    let values = values.as_object().expect("outputs by name");
    let document = outputs(values.iter().map(|(name, value)| (name.clone(), value)));
    match render(template.as_bytes(), &request(document)) {
        Ok(rendered) => Ok(String::from_utf8(rendered.output).unwrap()),
        Err(diagnostics) => Err(diagnostics
            .iter()
            .map(|diagnostic| diagnostic.rule)
            .collect()),
    }
}

fn check(template: &str, values: &Json, expected: &str) {
    assert_eq!(
        rendered(template, values).as_deref(),
        Ok(expected),
        "{template:?}"
    );
}

fn assert_rejects(template: &str, values: &Json, rule: Rule) {
    assert_eq!(rendered(template, values), Err(vec![rule]), "{template:?}");
}

#[test]
fn a_line_of_a_quoted_scalar_never_becomes_a_document_marker() {
    for marker in ["--- b", "... b"] {
        let values = json!({"x": marker});
        check(
            "\"foo\n${infra.x}\"\n",
            &values,
            &format!("\"foo {marker}\"\n"),
        );
        check(
            "'foo\n${infra.x}'\n",
            &values,
            &format!("\"foo {marker}\"\n"),
        );
    }
    check(
        "\"foo\n--${infra.x}\"\n",
        &json!({"x": "- b"}),
        "\"foo --- b\"\n",
    );
    // Not a marker after other text, indented, or right before the quote.
    check(
        "\"foo\n${infra.x}\"\n",
        &json!({"x": "---"}),
        "\"foo\n---\"\n",
    );
    check(
        "\"foo\n ${infra.x}\"\n",
        &json!({"x": "--- b"}),
        "\"foo\n --- b\"\n",
    );
    check(
        "\"foo\n_${infra.x}\"\n",
        &json!({"x": "--- b"}),
        "\"foo\n_--- b\"\n",
    );
}

#[test]
fn a_block_in_the_first_column_never_holds_a_document_marker() {
    check(
        "--- |\n${infra.x}\nfoo\n",
        &json!({"x": "--- b"}),
        "--- \"--- b\\nfoo\\n\"\n",
    );
}

#[test]
fn key_length_counts_escapes() {
    // Readers count the characters of the source, 1024 at most.
    let long = "\u{1}".repeat(500);
    assert_rejects("${infra.x}: v\n", &json!({"x": long}), Rule::TypeMismatch);
    assert_rejects(
        "{\"a${infra.x}\": v}\n",
        &json!({"x": long}),
        Rule::TypeMismatch,
    );
    assert_rejects(
        "${infra.x}: v\n",
        &json!({"x": "k".repeat(1_100)}),
        Rule::TypeMismatch,
    );
    let fits = "\u{1}".repeat(160);
    let output = rendered("${infra.x}: v\n", &json!({"x": fits})).unwrap();
    assert_eq!(
        tree::read(&output).unwrap(),
        [Tree::Map(vec![(Tree::Text(fits), Tree::Text("v".into()))])]
    );
}

#[test]
fn key_length_in_objects_counts_escapes() {
    for key in ["k".repeat(1_100), "\u{1}".repeat(500)] {
        for template in ["a: ${infra.o}\n", "a: [${infra.o}]\n", "- ${infra.o}\n"] {
            let values = json!({"o": {key.clone(): "v"}});
            match rendered(template, &values) {
                Err(rules) => assert_eq!(rules, [Rule::TypeMismatch]),
                // As an explicit key it is allowed.
                Ok(output) => assert!(tree::read(&output).is_ok(), "{output:?}"),
            }
        }
    }
}

#[test]
fn a_head_ends_with_its_scalar() {
    // The next line is another key.
    for template in [
        "a: ${infra\n[b]: c\n",
        "a: ${infra\n.b: c\n",
        "- ${infra\n- .b\n",
    ] {
        check(template, &json!({"x": "v"}), template);
    }
}

#[test]
fn a_head_continues_after_an_escaped_line_break() {
    let values = json!({"x": "v"});
    check("a: \"b ${infra.\\\n  x} c\"\n", &values, "a: \"b v c\"\n");
    check("a: \"b ${infra\\\n  .x} c\"\n", &values, "a: \"b v c\"\n");
}

#[test]
fn rejects_a_list_under_a_text_tag() {
    assert_rejects(
        "a: !!str ${infra.l}\n",
        &json!({"l": [1]}),
        Rule::TypeMismatch,
    );
    check(
        "a: !!str ${infra.n}\n",
        &json!({"n": 1}),
        "a: !!str \"1\"\n",
    );
}

#[test]
fn an_unterminated_escape_changes_no_other_text() {
    let values = json!({"x": "v"});
    check("- a$${infra.x  \n", &values, "- a${infra.x  \n");
    check("- $${infra.x # c\n", &values, "- ${infra.x # c\n");
    check("- \"$${infra.x\" # c\n", &values, "- \"${infra.x\" # c\n");
    check("- '$${infra.x' # it's\n", &values, "- '${infra.x' # it's\n");
}

#[test]
fn an_escape_loses_one_dollar() {
    let values = json!({"x": "v"});
    check(
        "- $${infra.x} $$${infra.x}\n",
        &values,
        "- ${infra.x} $${infra.x}\n",
    );
    check(
        "- $$ $${x} $$infra.x ${infra.x}\n",
        &values,
        "- $$ $${x} $$infra.x v\n",
    );
}

#[test]
fn only_equal_keys_are_duplicates() {
    // The second key has no text: its list is refused, and nothing else is reported.
    assert_rejects(
        "${infra.a}: 1\n${infra.a}${infra.l}: 2\n",
        &json!({"a": "x", "l": []}),
        Rule::TypeMismatch,
    );
    assert_rejects(
        "x: 1\n${infra.a}: 2\n",
        &json!({"a": "x"}),
        Rule::DuplicateKey,
    );
    assert_rejects(
        "&a a: &b ${infra.a}\n*b : *a\n",
        &json!({"a": "a"}),
        Rule::DuplicateKey,
    );
    // A missing key is null, not the text `~`.
    check(
        "? a\n: 1\n${infra.a}: 2\n: 3\n",
        &json!({"a": "~"}),
        "? a\n: 1\n\"~\": 2\n: 3\n",
    );
}

#[test]
fn trailing_spaces_of_the_file_are_not_a_line() {
    check(
        "- >+\n  ${infra.x}\n  ",
        &json!({"x": "a\u{2028}b"}),
        "- \"a\\u2028b\\n\"\n  ",
    );
}

#[test]
fn a_last_line_of_blanks_is_quoted() {
    // Node's yaml drops such a line.
    let values = json!({"x": "  ", "y": "a\n  "});
    check("- |-\n  a\n  ${infra.x}\n", &values, "- \"a\\n  \"\n");
    check("- |\n  ${infra.y}\n", &values, "- \"a\\n  \\n\"\n");
    // The author's own line stays.
    check(
        "- |-\n  ${infra.y}b\n    \n",
        &values,
        "- |-\n  a\n    b\n    \n",
    );
}

#[test]
fn a_last_line_of_blanks_is_quoted_where_a_value_begins_with_blanks() {
    // Node's yaml keeps such a line only if it has more blanks than the first line begins
    // with, those of its text included.
    let values = json!({"x": " }", "y": "  "});
    check("- |-\n ${infra.x}\n  \n \n", &values, "- \" }\\n \"\n \n");
    check("- |1-\n ${infra.y}a\n  \n", &values, "- \"  a\\n \"\n");
    // The blanks of the author's own first line are no news.
    check(
        "- |1-\n  a${infra.x}\n   \n",
        &values,
        "- |1-\n  a }\n   \n",
    );
}

#[test]
fn blank_lines_after_an_escaped_line_break_count() {
    check(
        "- \"a\\\n \n ${infra.x}\"\n",
        &json!({"x": " b"}),
        "- \"a\\n b\"\n",
    );
}

#[test]
fn json_documents_stay_json() {
    let values = json!({"s": "yes\u{2028}", "l": ["a", 1.5, null], "o": {"k": "v"}, "b": true});
    let output = rendered(
        "{\"s\": ${infra.s}, \"l\": ${infra.l}, \"o\": [${infra.o}], \"b\": ${infra.b}, \"t\": \"a ${infra.s}\"}\n",
        &values,
    )
    .unwrap();
    let expected = json!({"s": "yes\u{2028}", "l": ["a", 1.5, null], "o": [{"k": "v"}], "b": true, "t": "a yes\u{2028}"});
    assert_eq!(serde_json::from_str::<Json>(&output).unwrap(), expected);
}

#[test]
fn an_encrypted_document_is_never_edited() {
    let encrypted = "data: ENC[AES256_GCM,data:AAAA]\nurl: ${infra.x}\nsops:\n  mac: AAAA\n";
    assert_rejects(encrypted, &json!({"x": "v"}), Rule::EncryptedDocument);
    let plain = "a: ${infra.x}\n---\ndata: b # ${infra.x}\nsops: {mac: AAAA}\n";
    check(
        plain,
        &json!({"x": "v"}),
        &plain.replacen("${infra.x}", "v", 1),
    );
}

#[test]
fn long_and_deep_values_are_kept() {
    let long = "yes: #\u{85}'\"\\ \n".repeat(10_000);
    let mut deep = json!([long.clone()]);
    for nth in 0..100 {
        deep = if nth % 2 == 0 {
            json!([deep, "x: y"])
        } else {
            json!({"- k": deep})
        };
    }
    let values = json!({"long": long, "deep": deep});
    let cases: [(&str, Tree); 7] = [
        ("a: ${infra.long}\n", Tree::Text(long.clone())),
        ("a: '${infra.long}'\n", Tree::Text(long.clone())),
        ("a: |\n  ${infra.long}\n", Tree::Text(long.clone())),
        (
            "a: >-\n  ${infra.long}\n",
            Tree::Text(long.trim_end_matches('\n').to_owned()),
        ),
        (
            "a: \"b\n  ${infra.long}\"\n",
            Tree::Text(format!("b {long}")),
        ),
        ("a: ${infra.deep}\n", Tree::from(&deep)),
        ("a: [${infra.deep}]\n", Tree::List(vec![Tree::from(&deep)])),
    ];
    for (template, expected) in cases {
        let output = rendered(template, &values).unwrap();
        let read = tree::read(&output).unwrap();
        assert_eq!(
            read,
            [Tree::Map(vec![(Tree::Text("a".into()), expected)])],
            "{template:?}"
        );
    }
}
