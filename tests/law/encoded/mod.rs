//! References that were encoded before landfall saw them: they are found wherever a
//! cluster decodes base64, however it is written, and nowhere else.

mod case;
mod property;

use proptest::prelude::*;

use crate::choices::{Choices, Sequence};
use crate::generated::cases;

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn encoded_references_are_found_and_nothing_else(
        numbers in prop::collection::vec(any::<u16>(), 10..200),
    ) {
        property::found_and_nothing_else(&mut Choices::new(&numbers));
    }
}

#[test]
fn the_generator_makes_entries_with_references_and_without() {
    let mut sequence = Sequence::new(8);
    let (mut found, mut all) = (0, 0);
    for _ in 0..300 {
        let numbers = sequence.numbers(200);
        let (with, entries) = property::found_and_nothing_else(&mut Choices::new(&numbers));
        found += with;
        all += entries;
    }
    assert!(found > all / 10 && found < all / 2, "{found} of {all}");
}
