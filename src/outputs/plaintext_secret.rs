//! Outputs that are not marked sensitive although their names say that they are secrets.

use crate::outputs::Value;
use crate::report::{Diagnostic, Rule};

/// The words of names of secrets; a plural counts too.
const SECRET: &[&[&str]] = &[
    &["password"],
    &["passwd"],
    &["passphrase"],
    &["secret"],
    &["token"],
    &["credential"],
    &["kubeconfig"],
    &["private", "key"],
    &["api", "key"],
    &["apikey"],
    &["access", "key"],
    &["connection", "string"],
];

/// The last words of names of something about a secret; a plural counts too.
const ABOUT: &[&str] = &[
    "arn",
    "enabled",
    "endpoint",
    "expiration",
    "file",
    "id",
    "issuer",
    "length",
    "name",
    "namespace",
    "path",
    "policy",
    "prefix",
    "ref",
    "region",
    "ttl",
    "type",
    "uri",
    "url",
    "version",
];

/// The length of the shortest text that is reported.
const MIN_LENGTH: usize = 8;

/// Returns the path of an output, or of the first member of one, that is likely a secret.
pub(super) fn likely(name: &str, value: &Value) -> Option<String> {
    if is_likely(name, value) {
        return Some(name.to_owned());
    }
    match value {
        Value::Object(entries) => {
            let mut members = entries.iter();
            let member = members.find_map(|(key, value)| likely(&key.name, value))?;
            Some(format!("{name}.{member}"))
        }
        Value::List(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(nth, item)| likely(&format!("{name}[{nth}]"), item))
        }
        _ => None,
    }
}

/// Returns whether an output is a secret by its name, and by its value not something else:
/// a number, a short text, or the name of a secret in a secret store.
fn is_likely(name: &str, value: &Value) -> bool {
    let is_text = match value {
        Value::String(text) => {
            text.chars().count() >= MIN_LENGTH
                && !["arn:", "projects/"]
                    .iter()
                    .any(|prefix| text.starts_with(prefix))
        }
        Value::List(items) => !items.is_empty(),
        Value::Object(entries) => !entries.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    };
    is_text && names_secret(name)
}

/// Returns the warning about such an output, without its location. `path` is its own name, or
/// leads to a member.
pub(super) fn warning(bound_name: &str, name: &str, path: &str) -> Diagnostic {
    let message =
        format!("`{bound_name}.{path}` is not sensitive, but its name is that of a secret");
    Diagnostic::warning(Rule::PlaintextSecret, message).help(format!(
        "mark it with `sensitive = true` in Terraform, or declare it in the Binding: `sensitive: [{name}]`, or `notSensitive: [{name}]` if it is not a secret"
    ))
}

fn names_secret(name: &str) -> bool {
    let words = words(name);
    let is_about = |last: &String| ABOUT.iter().any(|word| is(last, word));
    if words.last().is_some_and(is_about) {
        return false;
    }
    SECRET.iter().any(|secret| {
        let mut windows = words.windows(secret.len());
        windows.any(|found| {
            found
                .iter()
                .zip(*secret)
                .all(|(found, word)| is(found, word))
        })
    })
}

/// Returns whether this is the word or its plural.
fn is(found: &str, word: &str) -> bool {
    found == word || found.strip_suffix('s') == Some(word)
}

/// Splits `dbPassword`, `DBPassword`, `db_password` and `DB.PASSWORD` into `db` and
/// `password`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut letters = name.chars().peekable();
    let mut was_lower = false;
    while let Some(letter) = letters.next() {
        let begins = was_lower || letters.peek().is_some_and(char::is_ascii_lowercase);
        was_lower = letter.is_ascii_lowercase();
        if !letter.is_ascii_alphabetic() || (letter.is_ascii_uppercase() && begins) {
            words.push(String::new());
        }
        if letter.is_ascii_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.push(letter.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::value_of_json;

    #[test]
    fn a_name_is_a_secret_by_its_words() {
        for name in [
            "password",
            "db_password",
            "dbPassword",
            "DBPassword",
            "DB.PASSWORD",
            "passwords",
            "password2",
            "github-token",
            "client secret",
            "tls_private_key_pem",
            "privateKey",
            "apikey",
            "API_KEY",
            "aws_secret_access_key",
            "connection_string",
            "credentials_json",
        ] {
            assert!(names_secret(name), "{name}");
        }
        for name in [
            "",
            "user",
            "secret_name",
            "secretArn",
            "secret_arns",
            "token_url",
            "TOKEN_ENDPOINT",
            "access_key_id",
            "password_policy",
            "secret_version",
            "token_ttl",
            "secretary",
            "tokenizer",
            "public_key",
            "key",
            "accessible_key",
        ] {
            assert!(!names_secret(name), "{name}");
        }
    }

    #[test]
    fn a_member_of_an_object_is_one_by_its_own_name() {
        for (value, expected) in [
            (
                "{\"user\": \"postgres\", \"password\": \"hunter22\"}",
                Some("db.password"),
            ),
            (
                "{\"a\": {\"ApiToken\": \"hunter22\"}}",
                Some("db.a.ApiToken"),
            ),
            ("{\"password\": \"hunter2\"}", None),
            ("{\"secret_name\": \"hunter22\"}", None),
            ("[1, {\"password\": \"hunter22\"}]", Some("db[1].password")),
        ] {
            let found = likely("db", &value_of_json(value));
            assert_eq!(found.as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn only_a_value_that_can_be_a_secret_is_reported() {
        for value in [
            "\"hunter22\"",
            "\"größe€12\"",
            "[\"a\"]",
            "{\"user\": \"a\"}",
        ] {
            assert!(is_likely("password", &value_of_json(value)), "{value}");
        }
        for value in [
            "null",
            "true",
            "12345678",
            "\"\"",
            "\"hunter2\"",
            "\"arn:aws:secretsmanager:eu-west-1:0123:secret:db\"",
            "\"projects/shop/secrets/db\"",
            "[]",
            "{}",
        ] {
            assert!(!is_likely("password", &value_of_json(value)), "{value}");
        }
    }
}
