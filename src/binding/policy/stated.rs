//! What one document says of policies: a Binding's `spec.policy`, the flags, the
//! operator's `spec`.

use std::collections::BTreeMap;

use super::choice::{Choice, Empty, Missing, NoResources, Nonsensitive, Unpublished, Unused};
use crate::binding::config::with_tree;
use crate::binding::reader::{Keys, Reader};
use crate::binding::suggest;
use crate::contract::Config;
use crate::manifest::NodeId;
use crate::report::{Diagnostic, Origin, Rule, Span};

/// A value with the place that says it.
#[derive(Clone, Debug)]
pub(crate) struct Stated<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
    pub(crate) span: Span,
}

/// The policies that one document states.
#[derive(Clone, Debug, Default)]
pub(crate) struct Policies {
    pub(crate) missing: Option<Stated<Missing>>,
    pub(crate) empty: Option<Stated<Empty>>,
    pub(crate) unpublished: Option<Stated<Unpublished>>,
    pub(crate) unused: Option<Stated<Unused>>,
    pub(crate) no_resources: Option<Stated<NoResources>>,
    pub(crate) nonsensitive: Option<Stated<Nonsensitive>>,
    pub(crate) sensitive_kinds: Option<Stated<Vec<String>>>,
}

/// The keys that every document may have.
const KEYS: &[&str] = &[
    Missing::KEY,
    Empty::KEY,
    Unpublished::KEY,
    Unused::KEY,
    NoResources::KEY,
    "sensitive",
];

/// The operator may say one thing more.
const OPERATOR_KEYS: &[&str] = &[
    Missing::KEY,
    Empty::KEY,
    Unpublished::KEY,
    Unused::KEY,
    NoResources::KEY,
    "sensitive",
    Nonsensitive::KEY,
];

impl Policies {
    /// Reads the mapping `id`, which the reader's document calls `what`.
    pub(crate) fn read(reader: &mut Reader<'_>, id: NodeId, what: &str) -> Self {
        Self::of_keys(reader, id, what, KEYS)
    }

    /// Reads the operator's.
    pub(crate) fn read_operators(reader: &mut Reader<'_>, id: NodeId, what: &str) -> Self {
        Self::of_keys(reader, id, what, OPERATOR_KEYS)
    }

    /// Reads the document that flags make: a mapping without a header.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub(crate) fn of_flags(config: &Config) -> Result<Self, Vec<Diagnostic>> {
        with_tree(config, Origin::Policy, Rule::InvalidPolicy, |tree| {
            let mut reader = Reader::new(tree, Origin::Policy, Rule::InvalidPolicy);
            let policies = Self::read(&mut reader, 0, "the policy");
            reader.finish(policies)
        })
    }

    fn of_keys(reader: &mut Reader<'_>, id: NodeId, what: &str, known: &[&str]) -> Self {
        let fields = reader.mapping(id, what, &Keys { known, later: &[] });
        let sensitive_kinds = fields.get("sensitive").and_then(|id| {
            let what = format!("{what}.sensitive");
            let keys = Keys {
                known: &["kinds"],
                later: &[],
            };
            let kinds = *reader.mapping(*id, &what, &keys).get("kinds")?;
            let value = reader.texts(kinds, &format!("{what}.kinds"));
            Some(reader.stated(kinds, value))
        });
        Self {
            missing: choice(reader, &fields),
            empty: choice(reader, &fields),
            unpublished: choice(reader, &fields),
            unused: choice(reader, &fields),
            no_resources: choice(reader, &fields),
            nonsensitive: choice(reader, &fields),
            sensitive_kinds,
        }
    }
}

/// The choice that a mapping makes, if it does.
fn choice<T: Choice>(
    reader: &mut Reader<'_>,
    fields: &BTreeMap<&str, NodeId>,
) -> Option<Stated<T>> {
    let id = *fields.get(T::KEY)?;
    let text = reader.text(id, T::KEY)?;
    if let Some((value, _)) = T::WORDS.iter().find(|(_, word)| *word == text) {
        return Some(reader.stated(id, *value));
    }
    let words = || T::WORDS.iter().map(|(_, word)| *word);
    let help = match suggest::closest(&text, words()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it is one of: {}", suggest::listed(words())),
    };
    reader.error(id, format!("{} cannot be `{text}`", T::KEY), help);
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let config = Config {
            path: "<flags>".into(),
            content: text.into(),
        };
        let word = |key: &str, word: Option<&str>| word.map(|word| format!("{key}: {word}"));
        let told: Vec<String> = match Policies::of_flags(&config) {
            Ok(policies) => [
                word(Missing::KEY, policies.missing.map(|p| p.value.word())),
                word(Empty::KEY, policies.empty.map(|p| p.value.word())),
                word(
                    Unpublished::KEY,
                    policies.unpublished.map(|p| p.value.word()),
                ),
                word(Unused::KEY, policies.unused.map(|p| p.value.word())),
                word(
                    NoResources::KEY,
                    policies.no_resources.map(|p| p.value.word()),
                ),
                policies
                    .sensitive_kinds
                    .map(|kinds| format!("kinds: {}", kinds.value.join(" "))),
            ]
            .into_iter()
            .flatten()
            .collect(),
            Err(diagnostics) => diagnostics
                .iter()
                .map(|d| {
                    format!(
                        "{:?}: {}; {}",
                        &text[d.labels[0].span.range()],
                        d.message,
                        d.help.as_deref().unwrap_or_default()
                    )
                })
                .collect(),
        };
        assert_eq!(told, expected, "{text}");
    }

    #[test]
    fn every_key_has_its_words() {
        check("{}", &[]);
        check(
            "{missing: keep, empty: allow, unpublished: keep, unused: ignore, noResources: allow}",
            &[
                "missing: keep",
                "empty: allow",
                "unpublished: keep",
                "unused: ignore",
                "noResources: allow",
            ],
        );
        check("unused: error\n", &["unused: error"]);
        check(
            "sensitive: {kinds: [Secret, Vault]}\n",
            &["kinds: Secret Vault"],
        );
        check("sensitive: {kinds: []}\n", &["kinds: "]);
    }

    #[test]
    fn mistakes_are_told_all_at_once() {
        check(
            "missing: kep\nempty: [a]\nnonsensitive: refuse\nunusd: note\nunused: 7\nsensitive: {kind: Secret}\n",
            &[
                "\"nonsensitive\": the policy has no key `nonsensitive`; did you mean `sensitive`?",
                "\"unusd\": the policy has no key `unusd`; did you mean `unused`?",
                "\"kind\": the policy.sensitive has no key `kind`; did you mean `kinds`?",
                "\"kep\": missing cannot be `kep`; did you mean `keep`?",
                "\"[\": empty must be a string; give it a value",
                "\"7\": unused cannot be `7`; it is one of: `error`, `note`, `ignore`",
            ],
        );
        check(
            "- a\n",
            &[
                "\"\": the policy must be a mapping; its keys are: `missing`, `empty`, `unpublished`, `unused`, `noResources`, `sensitive`",
            ],
        );
    }
}
