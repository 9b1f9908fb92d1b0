//! Which files may contain sensitive values, whatever the values are.

use landfall_sandbox::types::Config;

use crate::splice::Spliced;

use super::Application;

impl Application {
    /// Returns whether sensitive values may be in a file that is written.
    pub(crate) fn may_be_sensitive(&self, file: Spliced<'_>) -> bool {
        let request = &self.request;
        let configs = [
            &request.binding,
            &request.policy,
            &request.ceiling.operator_policy,
        ];
        // A policy may allow them in other kinds than Secrets.
        let names_kinds = |config: &Config| has_word(&config.content, b"kinds");
        configs.into_iter().flatten().any(names_kinds) || may_be_secret(file)
    }
}

/// Returns whether there may be a Secret with data in a file.
pub(crate) fn may_be_secret(file: Spliced<'_>) -> bool {
    let content = file.slices().collect::<Vec<_>>().concat();
    let has = |word: &str| has_word(&content, word.as_bytes());
    (has("Secret") || has("SecretList")) && (has("data") || has("stringData"))
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
