//! Which files may contain sensitive values, whatever the values are.

use landfall_sandbox::types::{Config, Configuration};

use crate::splice::Spliced;

use super::application::Application;

impl Application {
    /// Returns whether sensitive values may be in a file that is written.
    pub(crate) fn may_be_sensitive(&self, file: Spliced<'_>) -> bool {
        // A policy may allow them in other kinds than Secrets.
        self.configures("kinds") || may_be_secret(file)
    }

    /// Returns whether a policy may allow them in Secrets inside resources that are no lists.
    pub(crate) fn may_nest_secrets(&self) -> bool {
        self.configures("inside")
    }

    fn configures(&self, key: &str) -> bool {
        let Configuration {
            binding,
            policy,
            ceiling,
            ..
        } = &self.request.configuration;
        let configs = [binding, policy, &ceiling.operator_policy];
        let has_key = |config: &Config| has_any_word(&config.content, &[key]);
        configs.into_iter().flatten().any(has_key)
    }
}

/// Returns whether there may be a Secret with data in a file.
pub(crate) fn may_be_secret(file: Spliced<'_>) -> bool {
    let content = file.slices().collect::<Vec<_>>().concat();
    has_any_word(&content, &["Secret", "SecretList"])
        && has_any_word(&content, &["data", "stringData"])
}

/// Returns whether one of the words is in a YAML file, also if it is written with escapes.
fn has_any_word(content: &[u8], words: &[&str]) -> bool {
    let is_in = |text: &[u8]| words.iter().any(|word| has_word(text, word.as_bytes()));
    is_in(content) || content.contains(&b'\\') && is_in(&unescaped(content))
}

/// Returns a file with the characters that escapes of double-quoted scalars stand for, and
/// without escaped line breaks.
fn unescaped(content: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(content.len());
    let mut rest = content;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (before, escape) = rest.split_at(at);
        text.extend_from_slice(before);
        rest = &escape[1..];
        let digits = match rest.first() {
            Some(b'x') => 2,
            Some(b'u') => 4,
            Some(b'U') => 8,
            Some(b'\r' | b'\n') => {
                rest = rest.trim_ascii_start();
                continue;
            }
            Some(b'\\') => {
                text.extend_from_slice(br"\\");
                rest = &rest[1..];
                continue;
            }
            _ => 0,
        };
        let code = rest
            .get(1..=digits)
            .and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u32::from_str_radix(code, 16).ok());
        match code.and_then(char::from_u32) {
            Some(char) => {
                text.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &rest[1 + digits..];
            }
            None => text.push(b'\\'),
        }
    }
    text.extend_from_slice(rest);
    text
}

fn has_word(content: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find_iter(content, word).any(|at| {
        let around = [content[..at].last(), content.get(at + word.len())];
        !around
            .into_iter()
            .flatten()
            .any(|byte| byte.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::{Spliced, may_be_secret};

    #[test]
    fn finds_secrets_with_data() {
        for (content, expected) in [
            ("kind: Secret\ndata: {}\n", true),
            (r#"{"stringData":{},"kind":"Secret"}"#, true),
            ("kind: SecretList\nitems: [{data: {}}]\n", true),
            ("kind: \"Secr\\x65t\"\ndata: {}\n", true),
            ("kind: \"S\\u0065cret\"\n\"d\\U00000061ta\": {}\n", true),
            ("\"k\\x69nd\": \"Sec\\\r\n  ret\"\nstringData: {}\n", true),
            ("kind: \"Sec\\\n\\\n\tret\"\ndata: {a: \"\\", true),
            (r#"{"kind": "\u0053ecret", "data": {}}"#, true),
            (r#"{"kind": "\\u0053ecret", "data": {}}"#, false),
            (r#"{"kind": "\uZZZZ", "data": "\x", "a": "\u00"}"#, false),
            ("kind: ConfigMap\nmetadata: {}\ndata: {}\n", false),
            ("kind: ExternalSecret\nspec: {data: []}\n", false),
            (
                "kind: HelmRelease\nspec: {valuesFrom: [{kind: Secret}]}\n",
                false,
            ),
        ] {
            let file = Spliced::unedited(content.as_bytes());
            assert_eq!(may_be_secret(file), expected, "{content}");
        }
    }
}
