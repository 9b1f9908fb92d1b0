//! References that a fuzzer finds: `@x` in its text means `${infra.x}`. As
//! the harness knows them, it can also say what the text is without them.

/// The outputs of [`crate::OUTPUTS`].
const NAMES: &str = "xnlos";

/// `text` with `each` in the place of every token; it is given the output's name.
fn replaced(text: &str, each: impl Fn(char) -> String) -> String {
    let mut replaced = String::with_capacity(text.len() * 2);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match characters.peek().filter(|name| NAMES.contains(**name)) {
            Some(&name) if character == '@' => {
                replaced.push_str(&each(name));
                characters.next();
            }
            _ => replaced.push(character),
        }
    }
    replaced
}

/// `text` with its references.
pub(crate) fn references(text: &str) -> String {
    replaced(text, |name| format!("${{infra.{name}}}"))
}

/// `text` with a word for each reference that means nothing anywhere in YAML, not
/// after a backslash either. None when the text holds references of its own,
/// which nobody can tell from text without reading YAML.
pub(crate) fn words(text: &str) -> Option<String> {
    without(text, |name| format!("q{name}"))
}

/// As [`words`], for JSON, where only a number is valid everywhere.
pub(crate) fn numbers(text: &str) -> Option<String> {
    without(text, |_| "0".to_owned())
}

fn without(text: &str, each: impl Fn(char) -> String) -> Option<String> {
    (!text.contains('$')).then(|| replaced(text, each))
}

#[cfg(test)]
mod tests {
    use super::{numbers, references, words};

    #[test]
    fn each_token_is_one_reference() {
        let text = "a: @x@@n @ @q";
        assert_eq!(references(text), "a: ${infra.x}@${infra.n} @ @q");
        assert_eq!(words(text).as_deref(), Some("a: qx@qn @ @q"));
        assert_eq!(numbers("[@l]").as_deref(), Some("[0]"));
        assert_eq!(words("${infra.x}"), None);
    }
}
