//! Hostile authors under a ceiling: no render does what the ceiling forbids, whatever the
//! Binding and the flags ask for. And operator's policies that two YAML readers read
//! differently: each is refused, or does what libyaml reads in it.

use landfall_test_cases::ceilings::{read_alike, within_the_ceiling};
use proptest::prelude::*;

use crate::choices::{Choices, Sequence};
use crate::generated::cases;

fn decisions() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 0..60)
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn renders_stay_within_the_ceiling(numbers in decisions()) {
        within_the_ceiling(&mut Choices::new(&numbers));
    }

    #[test]
    fn operator_policies_are_rejected_or_read_as_libyaml_reads_them(numbers in decisions()) {
        read_alike(&mut Choices::new(&numbers));
    }
}

/// Checks that the generator makes policies of both kinds.
#[test]
fn some_hostile_policies_are_rejected_and_some_are_read() {
    let mut sequence = Sequence::new(12);
    let refused = (0..200)
        .filter(|_| {
            let numbers = sequence.numbers(60);
            read_alike(&mut Choices::new(&numbers))
        })
        .count();
    assert!((20..180).contains(&refused), "{refused} of 200 are refused");
}
