//! Field bindings on decoded documents: what is selected, where a path leads and what
//! is written there is what docs/language/field-bindings.md says, by a model that is
//! written down here once more. (host-tests compares with kustomize itself.)

mod case;
mod model;
mod property;
mod select;

use std::collections::BTreeMap;

use proptest::prelude::*;

use self::property::Way;
use crate::choices::{Choices, Sequence};
use crate::generated::cases;

proptest! {
    #![proptest_config(cases(6_000))]

    #[test]
    fn field_bindings_do_as_the_page_says(
        numbers in prop::collection::vec(any::<u16>(), 20..250),
    ) {
        property::does_as_the_model_does(&mut Choices::new(&numbers));
    }
}

/// The generator makes cases of all kinds, and few that the model leaves open.
#[test]
fn the_model_decides_most_cases() {
    let mut sequence = Sequence::new(4);
    let mut ways: BTreeMap<Way, usize> = BTreeMap::new();
    for _ in 0..1_500 {
        let numbers = sequence.numbers(250);
        let way = property::does_as_the_model_does(&mut Choices::new(&numbers));
        *ways.entry(way).or_default() += 1;
    }
    let count = |way| ways.get(&way).copied().unwrap_or(0);
    assert!(
        count(Way::Changed) > 300 && count(Way::Refused) > 300 && count(Way::Open) < 350,
        "{ways:?}"
    );
}
