//! Field bindings on decoded documents: what is selected, what a path matches and what is
//! written there are as docs/language/field-bindings.md says, by an independent model.
//! (host-tests compares with kustomize itself.)

use std::collections::BTreeMap;

use landfall_test_cases::replacements::{Outcome, does_as_the_model_does};
use proptest::prelude::*;

use crate::choices::{Choices, Sequence};
use crate::generated::cases;

proptest! {
    #![proptest_config(cases(6_000))]

    #[test]
    fn field_bindings_agree_with_the_model(
        numbers in prop::collection::vec(any::<u16>(), 20..250),
    ) {
        does_as_the_model_does(&mut Choices::new(&numbers));
    }
}

/// Checks that the generator makes cases of all kinds, and few that the model leaves
/// open.
#[test]
fn the_model_decides_most_cases() {
    let mut sequence = Sequence::new(4);
    let mut outcomes: BTreeMap<Outcome, usize> = BTreeMap::new();
    for _ in 0..1_500 {
        let numbers = sequence.numbers(250);
        let outcome = does_as_the_model_does(&mut Choices::new(&numbers));
        *outcomes.entry(outcome).or_default() += 1;
    }
    let count = |outcome| outcomes.get(&outcome).copied().unwrap_or(0);
    assert!(
        count(Outcome::Changed) > 300
            && count(Outcome::Refused) > 300
            && count(Outcome::Open) < 350,
        "{outcomes:?}"
    );
}
