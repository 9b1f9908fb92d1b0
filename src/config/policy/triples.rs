//! Checks every ceiling with every Binding and every flag against rules that are written
//! here independently.

use proptest::prelude::*;

use crate::config::policy::{Policies, Policy};
use crate::config::{BuiltInCeiling, Config};

/// A key, its values from strict to loose, its default and its ceiling under Argo CD.
type Row = (
    &'static str,
    &'static [&'static str],
    &'static str,
    Option<&'static str>,
);

const ROWS: &[Row] = &[
    ("missing", &["error", "keep"], "error", Some("error")),
    ("empty", &["error", "allow"], "error", None),
    ("unpublished", &["error", "keep"], "error", Some("error")),
    ("unbound", &["error", "warn"], "warn", Some("error")),
    ("unused", &["error", "note", "ignore"], "note", None),
    (
        "overridden",
        &["error", "warn", "note", "ignore"],
        "note",
        None,
    ),
    ("noResources", &["error", "allow"], "error", Some("error")),
    (
        "nonsensitive",
        &["refuse", "allow"],
        "allow",
        Some("refuse"),
    ),
    (
        "sensitiveContract",
        &["refuse", "allow"],
        "allow",
        Some("refuse"),
    ),
];

const BUILT_IN: [BuiltInCeiling; 2] = [BuiltInCeiling::None, BuiltInCeiling::ArgoCd];

/// For each row the value that a document sets, if any.
type Settings = Vec<Option<&'static str>>;

fn policies(settings: &Settings) -> Policies {
    let declared = std::iter::zip(ROWS, settings).filter_map(|(row, word)| Some((row.0, (*word)?)));
    let content: String = declared
        .map(|(key, word)| format!("{key}: {word}\n"))
        .collect();
    let content = if content.is_empty() {
        "{}".to_owned()
    } else {
        content
    };
    let config = Config {
        path: String::new(),
        content: content.into_bytes(),
    };
    Policies::of_flags(&config).unwrap()
}

fn check(binding: &Settings, flags: &Settings, operator: &Settings, built_in: BuiltInCeiling) {
    let (policy, refused) = Policy::in_force(
        &policies(binding),
        &policies(flags),
        &policies(operator),
        built_in,
    );
    let mut looser = 0;
    for (at, (row, (key, in_force))) in std::iter::zip(ROWS, policy.choices.words()).enumerate() {
        let (name, words, default, argo_cd) = *row;
        assert_eq!(name, key);
        let rank = |word: &str| words.iter().position(|it| *it == word).unwrap();
        let built_in = match built_in {
            BuiltInCeiling::ArgoCd => argo_cd,
            _ => None,
        };
        let ceiling = operator[at].or(built_in).unwrap_or(words[words.len() - 1]);
        let asked = flags[at].or(binding[at]).unwrap_or(default);
        let case = format!(
            "{key}: {:?} {:?} {:?} {built_in:?}",
            binding[at], flags[at], operator[at]
        );
        assert!(
            rank(in_force) <= rank(ceiling),
            "looser than the ceiling: {case}"
        );
        assert!(rank(in_force) <= rank(asked), "looser than asked: {case}");
        let expected = if rank(asked) <= rank(ceiling) {
            asked
        } else {
            ceiling
        };
        assert_eq!(in_force, expected, "{case}");
        let declared = [binding[at], flags[at]].into_iter().flatten();
        looser += declared.filter(|word| rank(word) > rank(ceiling)).count();
    }
    assert_eq!(refused.len(), looser, "{binding:?} {flags:?} {operator:?}");
}

/// Returns a document that sets one key, or none.
fn setting(at: usize, word: Option<&'static str>) -> Settings {
    let mut settings = vec![None; ROWS.len()];
    settings[at] = word;
    settings
}

/// Returns the values that a key may be set to.
fn words(row: &Row) -> Vec<Option<&'static str>> {
    std::iter::once(None)
        .chain(row.1.iter().copied().map(Some))
        .collect()
}

#[test]
fn no_choice_is_looser_than_its_ceiling() {
    for built_in in BUILT_IN {
        for (at, row) in ROWS.iter().enumerate() {
            for operator in words(row) {
                for binding in words(row) {
                    for flag in words(row) {
                        check(
                            &setting(at, binding),
                            &setting(at, flag),
                            &setting(at, operator),
                            built_in,
                        );
                    }
                }
            }
        }
    }
}

/// Whatever the operator sets for one key, all others keep their ceiling.
#[test]
fn limiting_one_key_keeps_the_ceilings_of_the_others() {
    let loosest: Settings = ROWS.iter().map(|row| row.1.last().copied()).collect();
    let nothing: Settings = vec![None; ROWS.len()];
    for built_in in BUILT_IN {
        for (at, row) in ROWS.iter().enumerate() {
            for operator in words(row) {
                check(&loosest, &nothing, &setting(at, operator), built_in);
                check(&nothing, &loosest, &setting(at, operator), built_in);
            }
        }
    }
}

fn settings() -> impl Strategy<Value = Settings> {
    ROWS.iter()
        .map(|row| prop::sample::select(words(row)))
        .collect::<Vec<_>>()
}

proptest! {
    #![proptest_config(landfall_test_support::property::cases(2_000))]

    #[test]
    fn holds_for_all_keys_at_once(
        binding in settings(),
        flags in settings(),
        operator in settings(),
        argo_cd: bool,
    ) {
        check(&binding, &flags, &operator, BUILT_IN[usize::from(argo_cd)]);
    }
}
