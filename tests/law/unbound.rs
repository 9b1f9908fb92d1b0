//! Text that reads as a reference and whose name is not bound: a render reports each as
//! docs/language/references.md says, by an independent model.

use std::collections::BTreeMap;

use landfall_test_cases::unbound::reported_as_the_model_says;
use proptest::prelude::*;

use crate::choices::{Choices, Sequence};
use crate::generated::cases;

proptest! {
    #![proptest_config(cases(3_000))]

    #[test]
    fn reports_of_unbound_names_agree_with_the_model(
        numbers in prop::collection::vec(any::<u16>(), 20..300),
    ) {
        reported_as_the_model_says(&mut Choices::new(&numbers));
    }
}

/// Checks that every rule occurs with every severity that it has.
#[test]
fn the_generator_covers_every_row_of_the_table() {
    let mut sequence = Sequence::new(3);
    let mut met: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for _ in 0..800 {
        let numbers = sequence.numbers(300);
        for (rule, severity) in reported_as_the_model_says(&mut Choices::new(&numbers)) {
            *met.entry((rule.id(), format!("{severity:?}"))).or_default() += 1;
        }
    }
    let rows = [
        ("near-miss", "Error"),
        ("near-miss", "Warning"),
        ("bound-elsewhere", "Error"),
        ("bound-elsewhere", "Warning"),
        ("nothing-bound", "Error"),
        ("nothing-bound", "Warning"),
        ("unbound-reference", "Error"),
        ("unbound-reference", "Warning"),
        ("setter-look-alike", "Warning"),
    ];
    for (rule, severity) in rows {
        let count = met.get(&(rule, severity.to_owned()));
        assert!(
            count.is_some_and(|count| *count > 20),
            "{rule} {severity}: {met:?}"
        );
    }
}
