//! Nothing visible depends on a sensitive value: each case is rendered twice, with two
//! values, and what hosts show must be the same.

use std::collections::BTreeMap;

use landfall_test_cases::interference::{Case, Outcome, compare};

use crate::choices::{Choices, Sequence};
use crate::generated::cases;

/// Cases per ordinary run.
const CASES: u32 = 3_000;

#[test]
fn visible_results_do_not_depend_on_sensitive_values() {
    let mut sequence = Sequence::new(5);
    let mut outcomes: BTreeMap<(bool, Outcome), u32> = BTreeMap::new();
    let count = cases(CASES).cases;
    for nth in 0..count {
        let numbers = sequence.numbers(400);
        let case = Case::new(&mut Choices::new(&numbers));
        match compare(&case) {
            Ok(outcome) => *outcomes.entry((case.is_strict, outcome)).or_default() += 1,
            Err(what) => panic!("case {nth}: {what}"),
        }
    }
    let minimum = count / 500;
    let occurs = |is_strict, outcome| {
        outcomes
            .get(&(is_strict, outcome))
            .is_some_and(|count| *count > minimum)
    };
    assert!(
        occurs(true, Outcome::Rendered)
            && occurs(true, Outcome::Failed)
            && occurs(false, Outcome::Rendered)
            && occurs(false, Outcome::Differs),
        "{outcomes:?} of {count}"
    );
}
