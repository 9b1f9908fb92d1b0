//! What holds for one render: the Binding's policies, those of flags in their
//! place, all of them under the operator's ceiling.

mod choice;
mod sensitive;
mod stated;

pub(crate) use choice::{Choice, Empty, Missing, NoResources, Nonsensitive, Unpublished, Unused};
pub(crate) use stated::{Policies, Stated};

use super::place::Field;
use crate::report::{Diagnostic, Origin, Rule, Span};
use sensitive::SensitiveKinds;

/// The policies in force.
#[derive(Clone, Debug, Default)]
pub(crate) struct Policy {
    pub(crate) missing: Missing,
    pub(crate) empty: Empty,
    pub(crate) unused: Unused,
    pub(crate) no_resources: NoResources,
    /// Where the operator refuses `nonsensitive`, if that is so.
    pub(crate) nonsensitive_refused: Option<(Origin, Span)>,
    sensitive: SensitiveKinds,
}

impl Policy {
    /// What comes of three documents, and every policy that the operator refuses.
    /// One that is not stated is its default, or the ceiling where that is
    /// stricter.
    pub(crate) fn in_force(
        binding: &Policies,
        flags: &Policies,
        operator: &Policies,
    ) -> (Self, Vec<Diagnostic>) {
        let mut refused = Vec::new();
        let kinds = [&flags.sensitive_kinds, &binding.sensitive_kinds]
            .into_iter()
            .find_map(Option::as_ref)
            .map(|stated| stated.value.as_slice());
        let ceiling = operator.sensitive_kinds.as_ref();
        // Nobody but hosts acts on it; here it is only held under the ceiling.
        let _: Unpublished = chosen(
            [&binding.unpublished, &flags.unpublished],
            operator.unpublished.as_ref(),
            &mut refused,
        );
        let policy = Self {
            missing: chosen(
                [&binding.missing, &flags.missing],
                operator.missing.as_ref(),
                &mut refused,
            ),
            empty: chosen(
                [&binding.empty, &flags.empty],
                operator.empty.as_ref(),
                &mut refused,
            ),
            unused: chosen(
                [&binding.unused, &flags.unused],
                operator.unused.as_ref(),
                &mut refused,
            ),
            no_resources: chosen(
                [&binding.no_resources, &flags.no_resources],
                operator.no_resources.as_ref(),
                &mut refused,
            ),
            nonsensitive_refused: operator
                .nonsensitive
                .as_ref()
                .filter(|stated| stated.value == Nonsensitive::Refuse)
                .map(|stated| (stated.origin, stated.span)),
            sensitive: SensitiveKinds::new(kinds, ceiling.map(|stated| stated.value.as_slice())),
        };
        refused.sort_by_key(|refusal| {
            let place = refusal.labels.first();
            place.map(|label| (label.origin, label.span))
        });
        (policy, refused)
    }

    /// Whether a sensitive value may stand in this field.
    pub(crate) fn allows_sensitive(&self, field: &Field, is_key: bool) -> bool {
        self.sensitive.allows(field, is_key)
    }

    /// Why not.
    pub(crate) fn sensitive_rule(&self, field: &Field, is_key: bool) -> String {
        self.sensitive.reason(field, is_key)
    }

    /// What to do about it.
    pub(crate) fn sensitive_help(&self) -> String {
        self.sensitive.help()
    }
}

/// One policy: the later of those that ask wins.
fn chosen<T: Choice>(
    asking: [&Option<Stated<T>>; 2],
    ceiling: Option<&Stated<T>>,
    refused: &mut Vec<Diagnostic>,
) -> T {
    let asking = || asking.into_iter().filter_map(Option::as_ref);
    let asked = asking().last().map_or(T::default(), |stated| stated.value);
    let Some(ceiling) = ceiling else { return asked };
    let looser = asking().filter(|stated| stated.value > ceiling.value);
    refused.extend(looser.map(|stated| refusal(stated, ceiling)));
    asked.min(ceiling.value)
}

/// A policy that is looser than the operator allows.
fn refusal<T: Choice>(stated: &Stated<T>, ceiling: &Stated<T>) -> Diagnostic {
    let (key, asked, allowed) = (T::KEY, stated.value.word(), ceiling.value.word());
    let message = format!(
        "the operator's policy does not allow `{key}: {asked}`: it says `{key}: {allowed}`"
    );
    Diagnostic::error(Rule::RefusedByOperator, message)
        .in_config(stated.origin, stated.span, "asked for here")
        .in_config(ceiling.origin, ceiling.span, "the loosest that is allowed")
        .help(format!(
            "write `{key}: {allowed}`, or leave it out; whoever runs landfall here can allow more with `--operator-policy`"
        ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Config;

    fn stated(text: &str) -> Policies {
        Policies::of_flags(&Config {
            path: String::new(),
            content: text.into(),
        })
        .unwrap()
    }

    fn check(binding: &str, flags: &str, operator: &str, expected: &str) {
        let (policy, refused) =
            Policy::in_force(&stated(binding), &stated(flags), &stated(operator));
        let mut told = format!(
            "{} {} {} {}",
            policy.missing.word(),
            policy.empty.word(),
            policy.unused.word(),
            policy.no_resources.word()
        );
        for refusal in refused {
            told.push_str("; ");
            told.push_str(refusal.message.split(": it says").next().unwrap());
        }
        assert_eq!(told, expected);
    }

    #[test]
    fn flags_stand_in_for_the_binding_key_by_key() {
        check("{}", "{}", "{}", "error error note error");
        check(
            "{missing: keep, empty: allow}",
            "{}",
            "{}",
            "keep allow note error",
        );
        check(
            "{missing: keep, empty: allow, unused: ignore}",
            "{missing: error, noResources: allow}",
            "{}",
            "error allow ignore allow",
        );
    }

    #[test]
    fn the_ceiling_tightens_in_silence_what_nobody_asked_for() {
        check(
            "{}",
            "{}",
            "{unused: error, missing: keep}",
            "error error error error",
        );
        check(
            "{missing: keep}",
            "{}",
            "{missing: keep}",
            "keep error note error",
        );
    }

    #[test]
    fn a_hostile_binding_gets_nothing_looser() {
        let all =
            "{missing: keep, empty: allow, unpublished: keep, unused: ignore, noResources: allow}";
        let ceiling =
            "{missing: error, empty: error, unpublished: error, unused: error, noResources: error}";
        let refused = |key: &str| format!("; the operator's policy does not allow `{key}`");
        let all_refused: String = [
            "missing: keep",
            "empty: allow",
            "unpublished: keep",
            "unused: ignore",
            "noResources: allow",
        ]
        .map(refused)
        .concat();
        let strict = "error error error error";
        check(all, "{}", ceiling, &format!("{strict}{all_refused}"));
        check("{}", all, ceiling, &format!("{strict}{all_refused}"));
        // Not even where a stricter flag stands in for it.
        check(
            "{unused: ignore}",
            "{unused: error}",
            "{unused: note}",
            "error error error error; the operator's policy does not allow `unused: ignore`",
        );
    }
}
