//! The properties of each generated case, which the fuzz target `ceilings` checks too.

use landfall::Rule;

use super::case::{Case, PolicySettings, operator};
use super::hostile::{as_libyaml_reads, hostile};
use crate::choices::Choices;

/// Checks that the render does what its documents allow, within the ceiling.
pub fn within_the_ceiling(choices: &mut Choices<'_>) {
    let case = Case::generate(choices);
    let settings = PolicySettings::generate(choices);
    if choices.one_in(4) {
        case.assert_renders_what_is_allowed(&PolicySettings::default(), None);
    } else {
        case.assert_renders_what_is_allowed(&settings, Some(&operator(&settings)));
    }
}

/// Checks that a hostile operator's policy is refused, or does what libyaml reads in it.
/// Returns whether it is refused.
pub fn read_alike(choices: &mut Choices<'_>) -> bool {
    let case = Case::generate(choices);
    let text = hostile(choices);
    let is_refused = matches!(
        case.render(Some(&text)),
        Err(rules) if rules.contains(&Rule::InvalidPolicy)
    );
    if !is_refused {
        case.assert_renders_what_is_allowed(&as_libyaml_reads(&text), Some(&text));
    }
    is_refused
}
