//! What must hold of each made-up case; the fuzz target `ceilings` asks for it too.

use landfall::Rule;

use super::case::{Case, Said, operator};
use super::hostile::{as_libyaml_reads, hostile};
use crate::choices::Choices;

/// The render does what its documents allow, and nothing that the ceiling does not.
pub(crate) fn within_the_ceiling(choices: &mut Choices<'_>) {
    let case = Case::made_up(choices);
    let said = Said::made_up(choices);
    match choices.one_in(4) {
        true => case.holds(&Said::default(), None),
        false => case.holds(&said, Some(&operator(&said))),
    }
}

/// A hostile operator's policy is refused, or does what libyaml reads in it. Whether it
/// is refused.
pub(crate) fn read_alike(choices: &mut Choices<'_>) -> bool {
    let case = Case::made_up(choices);
    let text = hostile(choices);
    let is_refused = matches!(
        case.render(Some(&text)),
        Err(rules) if rules.contains(&Rule::InvalidPolicy)
    );
    if !is_refused {
        case.holds(&as_libyaml_reads(&text), Some(&text));
    }
    is_refused
}
