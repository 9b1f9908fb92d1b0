//! Requirements that may be missing where `CI=true`: all others are mandatory.

use crate::skip::Requirement;

/// A requirement that is allowed to be missing in CI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exemption {
    /// What may be missing.
    pub requirement: Requirement,
    /// The variable that is `true` where this applies; `None` if it applies everywhere.
    pub only_where: Option<&'static str>,
    /// Why it cannot be available.
    pub reason: &'static str,
}

/// Every exemption. `cargo xtask test` reports those that nothing needed.
pub const EXEMPTIONS: &[Exemption] = &[
    Exemption {
        requirement: Requirement::Terraform,
        only_where: Some("GITHUB_ACTIONS"),
        reason: "its image ubuntu-24.04 has none (github.com/actions/runner-images/issues/9848)",
    },
    Exemption {
        requirement: Requirement::Root,
        only_where: Some("GITHUB_ACTIONS"),
        reason: "its runners run steps as another user",
    },
    Exemption {
        requirement: Requirement::Corpora,
        only_where: Some("GITHUB_ACTIONS"),
        reason: "3,000 files of other people's repositories, which this one does not carry",
    },
];

/// Returns the exemption that allows `requirement` to be missing, where `is_true` reports
/// whether an environment variable is `true`.
#[must_use]
pub fn exemption(
    requirement: Requirement,
    is_true: impl Fn(&str) -> bool,
) -> Option<&'static Exemption> {
    applicable(is_true).find(|exemption| exemption.requirement == requirement)
}

/// Returns the exemptions that apply in this environment.
pub fn applicable(is_true: impl Fn(&str) -> bool) -> impl Iterator<Item = &'static Exemption> {
    EXEMPTIONS
        .iter()
        .filter(move |exemption| exemption.only_where.is_none_or(&is_true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exemption_holds_only_where_its_variable_is_true() {
        let on_github = |name: &str| name == "GITHUB_ACTIONS";
        assert!(exemption(Requirement::Corpora, on_github).is_some());
        assert!(exemption(Requirement::Corpora, |_| false).is_none());
        assert!(exemption(Requirement::Kubectl, on_github).is_none());
    }

    #[test]
    fn own_artifacts_have_no_exemption() {
        for requirement in [Requirement::Dist, Requirement::Tools, Requirement::Browser] {
            assert!(exemption(requirement, |_| true).is_none(), "{requirement}");
        }
    }
}
