//! The policies whose value is one of a few words: one table, for the Binding, the flags
//! and the ceiling alike. A row determines how a policy is read, limited, documented and
//! put into the JSON Schemas; nothing about a policy is listed anywhere else.

use crate::collections::OrderedMap;
use crate::config::BuiltInCeiling;
use crate::config::Spanned;
use crate::config::keys::{Keys, keys};
#[cfg(test)]
use crate::config::keys::{Row, Shape, Words};
use crate::config::policy::ceiling::Limit;
use crate::config::policy::declared::{DIALECT, SENSITIVE, choice};
use crate::config::policy::in_force::{InForce, chosen};
use crate::config::reader::Reader;
use crate::report::{Diagnostic, Severity};
use yaml::NodeId;

/// The keys of `sensitive`.
pub(crate) static SENSITIVE_KEYS: Keys = keys! {
    /// The kinds whose resources may hold sensitive values: a Secret in its data, any
    /// other kind outside its metadata. A bare kind belongs to the core group, others are
    /// written `group/Kind`; `[]` allows none.
    "kinds" => List(&Text),
    /// The kinds in which such a resource may be nested, in addition to lists of resources.
    "inside" => List(&Text),
};

/// A policy with one word for each of its values.
pub(crate) trait Choice: Copy + Default + Ord + 'static {
    /// The policy's key.
    const KEY: &'static str;
    /// Its values, the strictest first.
    const VALUES: &'static [Self];
    /// The words of the values, in their order.
    const WORDS: &'static [&'static str];
    /// The loosest value under Argo CD, unless the operator sets one; `None`: any.
    const UNDER_ARGO_CD: Option<Self>;

    /// Returns the word of this value.
    fn word(self) -> &'static str {
        let mut rows = Self::VALUES.iter().zip(Self::WORDS);
        rows.find(|(value, _)| **value == self)
            .map_or("", |(_, word)| *word)
    }
}

macro_rules! choices {
    (@ceiling) => { None };
    (@ceiling $value:ident) => { Some(Self::$value) };
    ($(
        $(#[doc = $doc:literal])+
        $field:ident: $name:ident => $key:literal, default $default:ident
        $(, under Argo CD $ceiling:ident)? {
            $($(#[doc = $value_doc:literal])+ $value:ident => $word:literal,)+
        }
    )+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
            pub(crate) enum $name { $($(#[doc = $value_doc])+ $value,)+ }

            impl Default for $name {
                fn default() -> Self {
                    Self::$default
                }
            }

            impl Choice for $name {
                const KEY: &'static str = $key;
                const VALUES: &'static [Self] = &[$($name::$value,)+];
                const WORDS: &'static [&'static str] = &[$($word,)+];
                const UNDER_ARGO_CD: Option<Self> = choices!(@ceiling $($ceiling)?);
            }
        )+

        /// The keys of `spec.policy` in a Binding and of `spec` in an operator's policy.
        pub(crate) static POLICY: Keys = Keys {
            known: &[$($key,)+ SENSITIVE],
            #[cfg(test)]
            rows: &[
                $(Row {
                    name: $key,
                    doc: &[$($doc,)+],
                    required: false,
                    shape: Shape::Choice(&Words {
                        words: &[$(($word, &[$($value_doc,)+]),)+],
                        default: || $name::default().word(),
                        under_argo_cd: || $name::UNDER_ARGO_CD.map(Choice::word),
                    }),
                },)+
                Row {
                    name: SENSITIVE,
                    doc: &[" Where sensitive values may go."],
                    required: false,
                    shape: Shape::Mapping(&SENSITIVE_KEYS),
                },
            ],
        };

        /// The keys of the document made from flags.
        pub(crate) static FLAGS: Keys = Keys {
            known: &[$($key,)+ SENSITIVE, DIALECT],
            #[cfg(test)]
            rows: &[],
        };

        /// The choices that one document sets.
        #[derive(Clone, Debug, Default)]
        pub(crate) struct DeclaredChoices {
            $($(#[doc = $doc])+ pub(crate) $field: Option<Spanned<$name>>,)+
        }

        impl DeclaredChoices {
            pub(crate) fn read(reader: &mut Reader<'_>, fields: &OrderedMap<&str, NodeId>) -> Self {
                Self { $($field: choice(reader, fields),)+ }
            }

            /// Returns each key with the word that is set.
            #[cfg(test)]
            pub(crate) fn words(&self) -> Vec<(&'static str, Option<&'static str>)> {
                vec![$(($key, self.$field.as_ref().map(|declared| declared.value.word())),)+]
            }
        }

        /// The effective choices.
        #[derive(Clone, Copy, Debug, Default)]
        #[allow(dead_code, reason = "hosts act on some of them, which are only limited here")]
        pub(crate) struct Choices {
            $($(#[doc = $doc])+ pub(crate) $field: InForce<$name>,)+
        }

        impl Choices {
            /// Limits the requested choices, key by key. Appends to `refused` an error for
            /// each value that is set and looser than the ceiling.
            pub(crate) fn in_force(
                binding: &DeclaredChoices,
                flags: &DeclaredChoices,
                operator: &DeclaredChoices,
                built_in: BuiltInCeiling,
                refused: &mut Vec<Diagnostic>,
            ) -> Self {
                Self {
                    $($field: chosen(
                        [&binding.$field, &flags.$field],
                        Limit::of_choice(operator.$field.as_ref(), built_in),
                        refused,
                    ),)+
                }
            }

            /// Returns each key with its effective word.
            #[cfg(test)]
            pub(crate) fn words(&self) -> Vec<(&'static str, &'static str)> {
                vec![$(($key, self.$field.value.word()),)+]
            }
        }
    };
}

choices! {
    /// A reference to an output that its binding does not have.
    missing: Missing => "missing", default Error, under Argo CD Error {
        /// An error.
        Error => "error",
        /// The reference stays in the text, with a warning.
        Keep => "keep",
        /// It is an empty string, with a warning.
        Empty => "empty",
    }

    /// An output that is null or an empty string.
    empty: Empty => "empty", default Error {
        /// An error, unless the reference has a default.
        Error => "error",
        /// It is used like any other value.
        Allow => "allow",
    }

    /// A bound outputs document that does not exist. Applied by hosts, which open the
    /// documents.
    unpublished: Unpublished => "unpublished", default Error, under Argo CD Error {
        /// An error.
        Error => "error",
        /// The name is treated as unbound: its references stay.
        Keep => "keep",
    }

    /// Text that parses as a reference to a name that is not bound.
    unbound: Unbound => "unbound", default Warn, under Argo CD Error {
        /// An error.
        Error => "error",
        /// A warning.
        Warn => "warn",
    }

    /// Bound outputs that nothing uses.
    unused: Unused => "unused", default Note {
        /// An error.
        Error => "error",
        /// A note.
        Note => "note",
        /// Nothing is reported.
        Ignore => "ignore",
    }

    /// Outputs that a later document of the same name overrides.
    overridden: Overridden => "overridden", default Note {
        /// An error.
        Error => "error",
        /// A warning.
        Warn => "warn",
        /// A note.
        Note => "note",
        /// Nothing is reported.
        Ignore => "ignore",
    }

    /// A folder that renders no resources.
    no_resources: NoResources => "noResources", default Error, under Argo CD Error {
        /// An error.
        Error => "error",
        /// An empty result.
        Allow => "allow",
    }

    /// The function `nonsensitive` on a sensitive value.
    nonsensitive: Nonsensitive => "nonsensitive", default Allow, under Argo CD Refuse {
        /// An error.
        Refuse => "refuse",
        /// The value is no longer sensitive.
        Allow => "allow",
    }

    /// A contract that restricts the value of a sensitive output: whether the value
    /// satisfies it reveals something about the value.
    sensitive_contract: SensitiveContract => "sensitiveContract", default Allow, under Argo CD Refuse {
        /// An error.
        Refuse => "refuse",
        /// The value is checked, and the message reveals nothing about it.
        Allow => "allow",
    }
}

impl Unbound {
    /// Returns the severity of text that is probably a reference and is not replaced, where
    /// no other tool reads it.
    pub(crate) const fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warn => Severity::Warning,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Choice + std::fmt::Debug>(expected: &str) {
        let words: Vec<_> = T::VALUES.iter().map(|value| value.word()).collect();
        let ceiling = T::UNDER_ARGO_CD.map_or("any", Choice::word);
        let row = format!(
            "{}: {} ({}; {ceiling} under Argo CD)",
            T::KEY,
            words.join(" < "),
            T::default().word()
        );
        assert_eq!(row, expected);
        assert_eq!(words, T::WORDS);
        assert!(T::VALUES.is_sorted());
        assert!(POLICY.known.contains(&T::KEY));
    }

    #[test]
    fn values_are_ordered_from_strict_to_loose() {
        check::<Missing>("missing: error < keep < empty (error; error under Argo CD)");
        check::<Empty>("empty: error < allow (error; any under Argo CD)");
        check::<Unpublished>("unpublished: error < keep (error; error under Argo CD)");
        check::<Unbound>("unbound: error < warn (warn; error under Argo CD)");
        check::<Unused>("unused: error < note < ignore (note; any under Argo CD)");
        check::<Overridden>("overridden: error < warn < note < ignore (note; any under Argo CD)");
        check::<NoResources>("noResources: error < allow (error; error under Argo CD)");
        check::<Nonsensitive>("nonsensitive: refuse < allow (allow; refuse under Argo CD)");
        check::<SensitiveContract>(
            "sensitiveContract: refuse < allow (allow; refuse under Argo CD)",
        );
    }
}
