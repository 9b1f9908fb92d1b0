//! Fixes and help are written in the dialect of the manifest.

use landfall::{Diagnostic, splice};

use super::in_toy;
use crate::render::render;

fn error(manifest: &str) -> Diagnostic {
    let found = render(manifest.as_bytes(), &in_toy()).expect_err(manifest);
    let mut errors = found.into_iter();
    errors.next().unwrap()
}

/// Applies each fix of the first error, and checks the resulting manifests.
fn check(manifest: &str, expected: &[&str]) {
    let fixes = error(manifest).fixes;
    let fixed = |edits| String::from_utf8(splice(manifest.as_bytes(), edits).unwrap()).unwrap();
    let fixed: Vec<_> = fixes.iter().map(|fix| fixed(&fix.edits)).collect();
    assert_eq!(fixed, expected, "{manifest:?}");
}

#[test]
fn a_misspelled_name_is_replaced() {
    check("a: <<vpc_ib>>\n", &["a: <<vpc_id>>\n"]);
    check(
        "a: <<missing ?? <<vpc_ib>>>>\n",
        &["a: <<missing ?? <<vpc_id>>>>\n"],
    );
    check("a: <<object/teem>>\n", &["a: <<object/team>>\n"]);
    check("a: <<jion list `,`>>\n", &["a: <<join list `,`>>\n"]);
}

#[test]
fn a_name_that_the_dialect_cannot_write_is_only_named() {
    let found = error("a: <<object/other_key>>\n");
    assert_eq!(found.fixes, []);
    assert_eq!(found.help.as_deref(), Some("did you mean `other.key`?"));
}

#[test]
fn a_missing_call_is_written_before_and_after_its_path() {
    check(
        "a: x <<list>>\n",
        &["a: x <<join list `,`>>\n", "a: x <<json list>>\n"],
    );
    // This dialect allows only one call.
    check("a: x <<verbatim list>>\n", &[]);
}

#[test]
fn secret_data_is_encoded() {
    let head = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata:\n";
    let manifest = format!("{head}  a: <<vpc_id>>\n");
    check(&manifest, &[&format!("{head}  a: <<base64 vpc_id>>\n")]);
}

#[test]
fn a_comment_that_looks_like_a_setter_becomes_one() {
    let manifest = "a: b # sett: <<vpc_id>>\n";
    let rendered = render(manifest.as_bytes(), &in_toy()).unwrap();
    let fix = &rendered.diagnostics[0].fixes[0];
    assert_eq!(fix.title, "replace with `set:`");
    let fixed = splice(manifest.as_bytes(), &fix.edits).unwrap();
    assert_eq!(fixed, b"a: b # set: <<vpc_id>>\n");
}

#[test]
fn help_is_written_in_the_dialect() {
    let help = |manifest| error(manifest).help.unwrap_or_default();
    assert_eq!(
        help("a: <<empty>>\n"),
        "provide a fallback: <<empty ?? `…`>>, or `?? ``` to allow an empty value"
    );
    assert_eq!(
        help("a: \"<<list>>\"\n"),
        "convert it to a string with `join … `,`` or `json …`, or remove the quotes to insert it as YAML"
    );
    assert_eq!(help("a: <<x\n"), "close it with `>>` in the same scalar");
    assert_eq!(
        help("a: <<x & >>\n"),
        "write `<<output>>`, or `~<<` for a literal `<<`"
    );
}
