//! The effective policies of one render: the Binding's, overridden by flags, limited by the
//! ceiling.

mod ceiling;
mod choice;
mod declared;
mod group_kind;
mod in_force;
mod sensitive;
#[cfg(test)]
mod triples;

use ceiling::Authority;
pub(crate) use ceiling::Refusal;
#[cfg(test)]
pub(crate) use choice::POLICY;
pub(crate) use choice::{
    Choices, Empty, Missing, NoResources, Nonsensitive, Overridden, SensitiveContract, Unbound,
    Unpublished, Unused,
};
pub(crate) use declared::{Flags, Policies};

use crate::config::BuiltInCeiling;
use crate::kubernetes::resources::Occurrence;
use crate::report::{Diagnostic, Rule};
use sensitive::SensitiveKinds;

/// The effective policies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Policy {
    pub(crate) choices: Choices,
    sensitive: SensitiveKinds,
    /// Whether someone other than the manifests' author decides what is allowed: warnings
    /// may reach nobody.
    is_under_ceiling: bool,
}

impl Policy {
    /// Returns the effective policies, and an error for every value that is set and looser
    /// than the ceiling. A policy that isn't set has its default, or the ceiling if that is
    /// stricter.
    ///
    /// The ceiling applies key by key: `operator` sets the keys that it contains, and
    /// `built_in` all others.
    pub(crate) fn in_force(
        binding: &Policies,
        flags: &Policies,
        operator: &Policies,
        built_in: BuiltInCeiling,
    ) -> (Self, Vec<Diagnostic>) {
        let mut refused = Vec::new();
        let choices = Choices::in_force(
            &binding.choices,
            &flags.choices,
            &operator.choices,
            built_in,
            &mut refused,
        );
        let sensitive = SensitiveKinds::in_force(binding, flags, operator, built_in);
        refused.sort_by_key(|refusal| {
            let label = refusal.labels.first();
            label.map(|label| (label.origin, label.span))
        });
        let policy = Self {
            choices,
            sensitive,
            is_under_ceiling: false,
        };
        (policy, refused)
    }

    /// Applies what holds under any ceiling, an operator's too: text that is probably a
    /// reference is an error, unless the operator, the Binding or a flag decides otherwise.
    pub(crate) fn be_under_ceiling(&mut self, operator: &Policies) {
        self.is_under_ceiling = true;
        let unbound = &mut self.choices.unbound;
        if unbound.by == Authority::Author && operator.choices.unbound.is_none() {
            unbound.value = Unbound::Error;
        }
    }

    /// Returns the diagnostic of a value that its consumer would read as another one: an
    /// error under a ceiling, else a warning.
    pub(crate) fn misread(&self, message: String) -> Diagnostic {
        if self.is_under_ceiling {
            Diagnostic::error(Rule::MisreadValue, message)
        } else {
            Diagnostic::warning(Rule::MisreadValue, message)
        }
    }

    /// Returns why the function `nonsensitive` is not allowed, or `None` if it is allowed.
    pub(crate) fn refuses_nonsensitive(&self) -> Option<Refusal> {
        let policy = &self.choices.nonsensitive;
        (policy.value == Nonsensitive::Refuse).then(|| policy.refusal())
    }

    /// Returns why a contract may not restrict the values of sensitive outputs, or `None`
    /// if it may.
    pub(crate) fn refuses_sensitive_contract(&self) -> Option<Refusal> {
        let policy = &self.choices.sensitive_contract;
        (policy.value == SensitiveContract::Refuse).then(|| policy.refusal())
    }

    /// Returns whether a sensitive value is allowed at this position.
    pub(crate) fn allows_sensitive(&self, occurrence: &Occurrence) -> bool {
        !occurrence.patches_other_kinds && self.sensitive.allows(occurrence)
    }

    /// Returns whether a sensitive value is allowed anywhere.
    pub(crate) const fn allows_any_sensitive(&self) -> bool {
        self.sensitive.allows_any()
    }

    /// Returns whether a document that is embedded at this position may contain a resource
    /// with sensitive values.
    pub(crate) fn nests_sensitive(&self, occurrence: &Occurrence) -> bool {
        !occurrence.patches_other_kinds && self.sensitive.nests(occurrence)
    }

    /// Returns why the value is not allowed.
    pub(crate) fn sensitive_rule(&self, occurrence: &Occurrence) -> String {
        if occurrence.patches_other_kinds && self.sensitive.allows(occurrence) {
            if !occurrence.containers.is_empty() {
                return "a patch would write this resource into another one".to_owned();
            }
            return "the `target` of this patch may select resources of other kinds".to_owned();
        }
        self.sensitive.reason(occurrence)
    }

    /// Returns the help.
    pub(crate) fn sensitive_help(&self, occurrence: &Occurrence) -> String {
        if let Some(own) = occurrence.field.resource.as_deref()
            && occurrence.patches_other_kinds
            && self.sensitive.allows(occurrence)
        {
            if !occurrence.containers.is_empty() {
                return "write it as a separate manifest".to_owned();
            }
            return format!(
                "the `target` must name the kind of the patch and no other: `target: {{kind: {}}}`",
                own.kind
            );
        }
        self.sensitive.help(occurrence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn declared(text: &str) -> Policies {
        Policies::of_flags(&Config {
            path: String::new(),
            content: text.into(),
        })
        .unwrap()
    }

    fn check(binding: &str, flags: &str, operator: &str, expected: &str) {
        let (policy, refused) = Policy::in_force(
            &declared(binding),
            &declared(flags),
            &declared(operator),
            BuiltInCeiling::None,
        );
        let words = policy
            .choices
            .words()
            .into_iter()
            .filter(|(key, _)| ["missing", "empty", "unused", "noResources"].contains(key));
        let mut reported = words.map(|(_, word)| word).collect::<Vec<_>>().join(" ");
        for refusal in refused {
            reported.push_str("; ");
            reported.push_str(refusal.message.split(": its limit is").next().unwrap());
        }
        assert_eq!(reported, expected);
    }

    #[test]
    fn flags_override_the_binding_key_by_key() {
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
    fn the_ceiling_tightens_defaults_without_an_error() {
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
    fn a_binding_cannot_exceed_the_ceiling() {
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
        // Not even if a stricter flag overrides it.
        check(
            "{unused: ignore}",
            "{unused: error}",
            "{unused: note}",
            "error error error error; the operator's policy does not allow `unused: ignore`",
        );
    }
}
