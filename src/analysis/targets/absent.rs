//! Items of `spec.embedded` that name no field: their kind, or a key of their path, is nowhere
//! among the manifests. Most documents are not parsed, so only their text can tell.

use memchr::memmem;

use crate::config::substitutions::{EmbeddedFields, FieldPath, PathStep};
use crate::kubernetes::resources::escaped;
use crate::report::{Diagnostic, Origin, Rule, Severity};

/// Returns a diagnostic for each path of the list that no text can have.
pub(super) fn fields(
    list: &[EmbeddedFields],
    texts: &[&str],
    severity: Severity,
) -> Vec<Diagnostic> {
    let has = |is: &dyn Fn(&str) -> bool| texts.iter().any(|text| is(text));
    let mut found = Vec::new();
    for EmbeddedFields { fields, .. } in list {
        let kind = fields.select.kind();
        let absent_kind = kind.filter(|kind| !has(&|text| text.contains(*kind)));
        for path in &fields.paths {
            let absent_key = || {
                let mut keys = path.steps.iter().filter_map(literal);
                keys.find(|key| !has(&|text| has_key(text, key)))
            };
            let absent = absent_kind
                .map(|kind| ("kind", kind))
                .or_else(|| Some(("key", absent_key()?)));
            let Some((what, name)) = absent else {
                continue;
            };
            let message = format!(
                "`{}` in `spec.embedded` matches nothing: no manifest has the {what} `{name}`",
                path.text
            );
            let error = Diagnostic::error(Rule::TargetNotFound, message)
                .at(Origin::Binding, path.span, "this path matches nothing")
                .help(help(path, &|key| has(&|text| has_key(text, key))));
            found.push(Diagnostic { severity, ..error });
        }
    }
    found
}

/// Returns the key that a step names.
fn literal(step: &PathStep) -> Option<&str> {
    match step {
        PathStep::Key(key) => Some(key),
        _ => None,
    }
}

/// Returns whether a text has a word where a key may be, or a token of a JSON pointer.
fn has_key(text: &str, key: &str) -> bool {
    let bytes = text.as_bytes();
    let has = |word: &str, openers: &[u8], closers: &[u8]| {
        memmem::find_iter(bytes, word).any(|at| {
            let before = at.checked_sub(1).and_then(|before| bytes.get(before));
            let after = bytes.get(at + word.len());
            let opens = |byte: &u8| byte.is_ascii_whitespace() || openers.contains(byte);
            let closes = |byte: &u8| byte.is_ascii_whitespace() || closers.contains(byte);
            match before {
                Some(b'/') => after.is_none_or(|byte| closes(byte) || b"/,}".contains(byte)),
                before => before.is_none_or(opens) && after.is_some_and(closes),
            }
        })
    };
    has(key, b"\"'{,?[", b"\"':\\") || key.contains(['/', '~']) && has(&escaped(key), b"", b"\"'\\")
}

/// Returns what to do: several steps may be one key with dots.
fn help(path: &FieldPath, has_key: &dyn Fn(&str) -> bool) -> String {
    let literals: Option<Vec<&str>> = path.steps.iter().map(literal).collect();
    let keys = literals.unwrap_or_default();
    for start in 0..keys.len() {
        let dotted = keys[start..].join(".");
        if start + 1 < keys.len() && has_key(&dotted) {
            let before = keys[..start].join(".");
            return format!("put a key with dots in brackets: `{before}.[{dotted}]`");
        }
    }
    "check the path and the selector; `*` matches a key that a reference writes".to_owned()
}

#[cfg(test)]
mod tests {
    use super::has_key;

    #[test]
    fn keys_are_words_of_their_own() {
        for text in [
            "conf: 1",
            "a:\n  conf: 1",
            "{conf: 1}",
            "{\"conf\": 1}",
            "'conf': 1",
            "\"{\\\"conf\\\": 1}\"",
            "? conf\n: 1",
            "{a: 1,conf : 2}",
            "path: /spec/conf",
            "{path: /spec/conf, value: x}",
            "\"/conf/0\"",
        ] {
            assert!(has_key(text, "conf"), "{text}");
        }
        for text in [
            "app.conf: 1",
            "conf.d: 1",
            "config: 1",
            "myconf: 1",
            "conf",
            "/spec/conf-a",
            "",
        ] {
            assert!(!has_key(text, "conf"), "{text}");
        }
    }
}
