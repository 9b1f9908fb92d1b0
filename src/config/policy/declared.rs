//! The policies in one document: a Binding's `spec.policy`, the flags, or the operator's
//! `spec`.

use crate::collections::OrderedMap;
use crate::config::binding::{dialect_of, with_tree};
use crate::config::policy::choice::{Choice, DeclaredChoices, FLAGS, POLICY, SENSITIVE_KEYS};
use crate::config::policy::group_kind::GroupKind;
use crate::config::reader::Reader;
use crate::config::{Config, Spanned};
use crate::reference::Dialect;
use crate::report::suggest;
use crate::report::{Diagnostics, Origin, Rule};
use yaml::NodeId;

/// The policies that one document sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Policies {
    pub(crate) choices: DeclaredChoices,
    pub(crate) sensitive_kinds: Option<Spanned<Vec<GroupKind>>>,
    /// The kinds that may contain a resource with sensitive values.
    pub(crate) sensitive_inside: Option<Spanned<Vec<GroupKind>>>,
}

/// The key of the one policy that is not a choice.
pub(crate) const SENSITIVE: &str = "sensitive";

/// The key of the dialect in the document made from flags.
pub(crate) const DIALECT: &str = "dialect";

/// What flags set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flags {
    pub(crate) policies: Policies,
    pub(crate) dialect: Option<&'static dyn Dialect>,
}

impl Flags {
    /// Reads the document made from flags: a mapping without a header.
    ///
    /// # Errors
    /// Every problem in the document.
    pub(crate) fn read(config: &Config) -> Result<Self, Diagnostics> {
        with_tree(config, Origin::Policy, Rule::InvalidPolicy, |tree| {
            let mut reader = Reader::new(tree, 0, Origin::Policy, Rule::InvalidPolicy);
            let fields = reader.mapping(0, "the policy", &FLAGS);
            let dialect = fields.get(DIALECT);
            let flags = Self {
                dialect: dialect.and_then(|id| dialect_of(&mut reader, *id, DIALECT)),
                policies: Policies::of_fields(&mut reader, &fields, "the policy"),
            };
            reader.finish(flags)
        })
    }
}

impl Policies {
    /// Reads the mapping at node `id`; the reader's document calls it `what`.
    pub(crate) fn read(reader: &mut Reader<'_>, id: NodeId, what: &str) -> Self {
        let fields = reader.mapping(id, what, &POLICY);
        Self::of_fields(reader, &fields, what)
    }

    fn of_fields(reader: &mut Reader<'_>, fields: &OrderedMap<&str, NodeId>, what: &str) -> Self {
        let [sensitive_kinds, sensitive_inside] = match fields.get(SENSITIVE) {
            Some(id) => sensitive(reader, *id, &format!("{what}.{SENSITIVE}")),
            None => [None, None],
        };
        Self {
            choices: DeclaredChoices::read(reader, fields),
            sensitive_kinds,
            sensitive_inside,
        }
    }

    /// Reads the policies in the document made from flags.
    #[cfg(test)]
    pub(crate) fn of_flags(config: &Config) -> Result<Self, Diagnostics> {
        Flags::read(config).map(|flags| flags.policies)
    }
}

/// Reads `kinds` and `inside`.
fn sensitive(
    reader: &mut Reader<'_>,
    id: NodeId,
    what: &str,
) -> [Option<Spanned<Vec<GroupKind>>>; 2] {
    let fields = reader.mapping(id, what, &SENSITIVE_KEYS);
    ["kinds", "inside"].map(|key| {
        let id = *fields.get(key)?;
        let value = GroupKind::read_list(reader, id, &format!("{what}.{key}"));
        Some(reader.spanned(id, value))
    })
}

/// Returns the value that a mapping sets for a choice, if any.
pub(crate) fn choice<T: Choice>(
    reader: &mut Reader<'_>,
    fields: &OrderedMap<&str, NodeId>,
) -> Option<Spanned<T>> {
    let id = *fields.get(T::KEY)?;
    let nth = word(reader, id, T::KEY, T::WORDS)?;
    T::VALUES.get(nth).map(|value| reader.spanned(id, *value))
}

/// Returns the value that a scalar names.
fn word(reader: &mut Reader<'_>, id: NodeId, key: &str, words: &[&str]) -> Option<usize> {
    let text = reader.text(id, key)?;
    let nth = words.iter().position(|word| *word == text);
    if nth.is_none() {
        let help = match suggest::closest(&text, words.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "expected one of: {}",
                suggest::listed(words.iter().copied())
            ),
        };
        reader.error(id, format!("invalid value `{text}` for `{key}`"), help);
    }
    nth
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let config = Config {
            path: "<flags>".into(),
            content: text.into(),
        };
        let reported: Vec<String> = match Policies::of_flags(&config) {
            Ok(policies) => {
                let words = policies.choices.words().into_iter();
                let choices = words.filter_map(|(key, word)| Some(format!("{key}: {}", word?)));
                let lists = [
                    ("kinds", policies.sensitive_kinds),
                    ("inside", policies.sensitive_inside),
                ]
                .into_iter()
                .filter_map(|(key, list)| {
                    let list = list?
                        .value
                        .iter()
                        .map(ToString::to_string)
                        .collect::<Vec<_>>();
                    Some(format!("{key}: {}", list.join(" ")))
                });
                choices.chain(lists).collect()
            }
            Err(diagnostics) => crate::config::tests::described(text, &diagnostics),
        };
        assert_eq!(reported, expected, "{text}");
    }

    #[test]
    fn reads_the_value_of_every_key() {
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
        check(
            "{nonsensitive: refuse, sensitiveContract: refuse, unbound: error}",
            &[
                "unbound: error",
                "nonsensitive: refuse",
                "sensitiveContract: refuse",
            ],
        );
        check("unused: error\n", &["unused: error"]);
        check(
            "sensitive: {kinds: [Secret, example.com/Vault], inside: [Template]}\n",
            &["kinds: Secret example.com/Vault", "inside: Template"],
        );
        check("sensitive: {kinds: []}\n", &["kinds: "]);
    }

    #[test]
    fn reports_all_mistakes_at_once() {
        check(
            "missing: kep\nempty: [a]\nnonsensitive: refused\nunusd: note\nunused: 7\nsensitive: {kind: Secret}\n",
            &[
                "\"unusd\": unknown key `unusd` in the policy; did you mean `unused`?",
                "\"kind\": unknown key `kind` in the policy.sensitive; did you mean `kinds`?",
                "\"kep\": invalid value `kep` for `missing`; did you mean `keep`?",
                "\"[\": `empty` must be a string; give it a value",
                "\"7\": invalid value `7` for `unused`; expected one of: `error`, `note`, `ignore`",
                "\"refused\": invalid value `refused` for `nonsensitive`; did you mean `refuse`?",
            ],
        );
        check(
            "- a\n",
            &[
                "\"\": the policy must be a mapping; expected one of: `missing`, `empty`, `unpublished`, `unbound`, `unused`, `overridden`, `noResources`, `nonsensitive`, `sensitiveContract`, `sensitive`, `dialect`",
            ],
        );
    }
}
