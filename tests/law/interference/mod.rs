//! Nothing that is shown depends on a sensitive value: each case is rendered twice,
//! with two values, and what hosts show must be the same.

mod case;
mod compare;

use std::collections::BTreeMap;

use case::Case;
use compare::{Way, compare};

use crate::choices::{Choices, Sequence};
use crate::generated::cases;

/// Cases of an ordinary run.
const CASES: u32 = 3_000;

#[test]
fn nothing_that_is_shown_depends_on_a_sensitive_value() {
    let mut sequence = Sequence::new(5);
    let mut ways: BTreeMap<(bool, Way), u32> = BTreeMap::new();
    let count = cases(CASES).cases;
    for nth in 0..count {
        let numbers = sequence.numbers(400);
        let case = Case::new(&mut Choices::new(&numbers));
        match compare(&case) {
            Ok(way) => *ways.entry((case.is_strict, way)).or_default() += 1,
            Err(what) => panic!("case {nth}: {what}"),
        }
    }
    let least = count / 500;
    let taken = |is_strict, way| {
        ways.get(&(is_strict, way))
            .is_some_and(|taken| *taken > least)
    };
    assert!(
        taken(true, Way::Rendered)
            && taken(true, Way::Failed)
            && taken(false, Way::Rendered)
            && taken(false, Way::Differs),
        "{ways:?} of {count}"
    );
}
