//! Functions on strings. Numbers and bools are accepted as strings, as in Terraform's
//! functions.

use crate::functions::call::{ITEM, check_growth};
use crate::functions::{Arguments, Failure};
use crate::outputs::Value;

/// Returns the text of a value that a string function accepts.
pub(crate) fn text(value: &Value) -> Result<&str, Failure> {
    value.text().ok_or(Failure::Type("a string"))
}

fn string(text: impl Into<String>) -> Result<Value, Failure> {
    Ok(Value::String(text.into()))
}

pub(crate) fn lower(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    string(text(value)?.to_lowercase())
}

pub(crate) fn upper(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    string(text(value)?.to_uppercase())
}

/// Capitalises the first letter of every word. Words are defined as in Go's strings.Title,
/// which Terraform calls (strings/strings.go, isSeparator): ASCII letters, digits and `_`
/// belong to a word, other ASCII characters and white space separate words.
pub(crate) fn title(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    let parts = |c: char| {
        if c.is_ascii() {
            !(c.is_ascii_alphanumeric() || c == '_')
        } else {
            c.is_whitespace()
        }
    };
    let mut before = ' ';
    let mut titled = String::new();
    for character in text(value)?.chars() {
        if parts(before) {
            titled.extend(character.to_uppercase());
        } else {
            titled.push(character);
        }
        before = character;
    }
    string(titled)
}

pub(crate) fn trim(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    let text = text(value)?;
    if !arguments.has(0) {
        return string(text.trim());
    }
    let characters = arguments.text(0);
    string(text.trim_matches(|c| characters.contains(c)))
}

pub(crate) fn trim_prefix(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    let text = text(value)?;
    string(text.strip_prefix(arguments.text(0)).unwrap_or(text))
}

pub(crate) fn trim_suffix(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    let text = text(value)?;
    string(text.strip_suffix(arguments.text(0)).unwrap_or(text))
}

pub(crate) fn prefix(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    concatenated(arguments.text(0), text(value)?)
}

pub(crate) fn suffix(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    concatenated(text(value)?, arguments.text(0))
}

fn concatenated(first: &str, last: &str) -> Result<Value, Failure> {
    check_growth(first.len(), last.len())?;
    string([first, last].concat())
}

pub(crate) fn replace(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    let text = text(value)?;
    let (old, new) = (arguments.text(0), arguments.text(1));
    if old.is_empty() {
        return Err(Failure::Argument(
            0,
            "the string to replace is empty".to_owned(),
        ));
    }
    let more = new.len().saturating_sub(old.len());
    check_growth(text.len(), text.matches(old).count().saturating_mul(more))?;
    string(text.replace(old, new))
}

/// Works like Terraform's substr: a negative start counts from the end, a negative length
/// takes the rest, and anything out of range is omitted.
pub(crate) fn substring(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    let text = text(value)?;
    let start = arguments.whole(0).unwrap_or(0);
    let start = match usize::try_from(start) {
        Ok(start) => start,
        Err(_) if start > 0 => usize::MAX,
        Err(_) => {
            let back = usize::try_from(start.unsigned_abs()).unwrap_or(usize::MAX);
            text.chars().count().saturating_sub(back)
        }
    };
    let length = match arguments.whole(1) {
        Some(length) if length >= 0 => usize::try_from(length).unwrap_or(usize::MAX),
        _ => usize::MAX,
    };
    string(text.chars().skip(start).take(length).collect::<String>())
}

/// Indents like Terraform's indent: every line but the first, including empty ones.
pub(crate) fn indent(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    let text = text(value)?;
    let spaces = match arguments.whole(0).unwrap_or(0) {
        spaces @ 0.. => usize::try_from(spaces).unwrap_or(usize::MAX),
        _ => {
            return Err(Failure::Argument(
                0,
                "the number of spaces is negative".to_owned(),
            ));
        }
    };
    let lines = text.matches('\n').count();
    check_growth(text.len(), lines.saturating_mul(spaces))?;
    if lines == 0 {
        return string(text);
    }
    string(text.replace('\n', &format!("\n{}", " ".repeat(spaces))))
}

/// Splits like Terraform's split: an empty separator splits into characters.
pub(crate) fn split(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    let text = text(value)?;
    let separator = arguments.text(0);
    let items = |count: usize| check_growth(text.len(), count.saturating_mul(ITEM));
    let item = |part: &str| Value::String(part.to_owned());
    if separator.is_empty() {
        items(text.chars().count())?;
        let characters = text.chars().map(|c| Value::String(c.to_string()));
        return Ok(Value::List(characters.collect()));
    }
    items(text.matches(separator).count())?;
    Ok(Value::List(text.split(separator).map(item).collect()))
}

#[cfg(test)]
mod tests {
    use super::super::call::check_function as check;

    #[test]
    fn titles() {
        check(
            "title",
            r#""hello wOrld_x 2nd é-à""#,
            &[],
            r#""Hello WOrld_x 2nd É-À""#,
        );
        check("title", r#""l'été""#, &[], r#""L'Été""#);
    }

    #[test]
    fn substrings_count_characters() {
        for (start, length, expected) in [
            ("0", "2", "hé"),
            ("1", "1", "é"),
            ("1", "-1", "éllo😀"),
            ("-1", "1", "😀"),
            ("-2", "99", "o😀"),
            ("-99", "1", "h"),
            ("99", "1", ""),
            ("6", "1", ""),
            ("0", "0", ""),
            ("170141183460469231731687303715884105727", "1", ""),
            ("-170141183460469231731687303715884105728", "1", "h"),
        ] {
            let expected = format!("{expected:?}");
            check("substring", "\"héllo😀\"", &[start, length], &expected);
        }
        check("substring", "\"héllo\"", &["3"], "\"lo\"");
    }

    #[test]
    fn prefixes_and_suffixes() {
        check("prefix", "\"a\"", &["\"--x=\""], "\"--x=a\"");
        check("suffix", "80", &["\"/tcp\""], "\"80/tcp\"");
        check("prefix", "\"\"", &["8"], "\"8\"");
    }

    #[test]
    fn splits() {
        check("split", "\"a,b,\"", &["\",\""], r#"["a","b",""]"#);
        check("split", "\"\"", &["\",\""], r#"[""]"#);
        check("split", "\"hé\"", &["\"\""], r#"["h","é"]"#);
        check("split", "\"\"", &["\"\""], "[]");
    }

    #[test]
    fn results_are_bounded() {
        check("replace", "\"aaaa\"", &["\"a\"", "\"bb\""], "\"bbbbbbbb\"");
        check("indent", "\"a\\nb\"", &["9223372036854775807"], "TooLarge");
        check("indent", "\"ab\"", &["18446744073709551616"], "\"ab\"");
        check(
            "indent",
            "\"ab\"",
            &["-1"],
            "Argument(0, \"the number of spaces is negative\")",
        );
    }
}
