//! The law on manifests that are made up, with hostile values.

use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, RngSeed};
use serde_json::Value as Json;

use crate::choices::{Choices, Sequence};
use crate::oracle::{Proved, Verdict, check};
use crate::readers::{Record, differences, read_by_all, told};
use crate::{document, hostile, tree};

/// Outputs that one manifest may name.
const OUTPUTS: usize = 4;

/// Cases of each property, the same ones in every run; `LANDFALL_CASES=n` makes
/// n times as many.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    let factor = std::env::var("LANDFALL_CASES").map_or(1, |factor| {
        factor.parse().expect("LANDFALL_CASES is a number")
    });
    ProptestConfig {
        cases: cases * factor,
        rng_seed: RngSeed::Fixed(0x1a4d_fa11),
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    }
}

/// Checks one manifest; `value` makes the values.
fn law(numbers: &[u16], value: fn(&mut Choices<'_>) -> Json) -> Result<(), TestCaseError> {
    let choices = &mut Choices::new(numbers);
    let values: Vec<Json> = (0..OUTPUTS).map(|_| value(choices)).collect();
    let template = document::manifest(choices, OUTPUTS);
    match check(&template, &values) {
        Ok(Verdict::NotRead(why)) => Err(TestCaseError::reject(why)),
        Ok(Verdict::Held(_) | Verdict::Refused) => Ok(()),
        Err(broken) => Err(TestCaseError::fail(broken)),
    }
}

fn numbers() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 8..160)
}

proptest! {
    #![proptest_config(cases(50_000))]

    /// Values that can stand anywhere: hardly any render is refused.
    #[test]
    fn scalars_keep_the_law(numbers in numbers()) {
        law(&numbers, hostile::scalar)?;
    }
}

proptest! {
    #![proptest_config(cases(50_000))]

    /// Lists, objects, nulls and empty strings too.
    #[test]
    fn any_values_keep_the_law(numbers in numbers()) {
        law(&numbers, hostile::any)?;
    }
}

/// What one parser confirms, all six readers do: each output reads as expected
/// wherever its template, with words for the references, reads as it does here.
#[test]
fn six_readers_confirm_the_law() {
    let whole = |text: String, tree: tree::Tree| Record {
        parts: vec![text],
        expected: vec![tree],
        whole: true,
    };
    let mut sequence = Sequence::new(4);
    let (mut templates, mut outputs) = (Vec::new(), Vec::new());
    while outputs.len() < 6_000 {
        let numbers: Vec<u16> = (0..8 + sequence.below(150))
            .map(|_| u16::try_from(sequence.below(1 << 16)).unwrap())
            .collect();
        let choices = &mut Choices::new(&numbers);
        let values: Vec<Json> = (0..OUTPUTS).map(|_| hostile::any(choices)).collect();
        let template = document::manifest(choices, OUTPUTS);
        let Ok(Verdict::Held(Proved { output, expected })) = check(&template, &values) else {
            // The properties tell of what does not hold.
            continue;
        };
        let with_tokens = template.with_tokens();
        let (Ok(mut trees), Ok([tree])) = (tree::read(&with_tokens), <[_; 1]>::try_from(expected))
        else {
            continue;
        };
        templates.push(whole(with_tokens, trees.remove(0)));
        outputs.push(whole(output, tree));
    }
    let agreed = read_by_all(&templates);
    let outputs: Vec<Record> = agreed
        .iter()
        .map(|(nth, _)| outputs[*nth].clone())
        .collect();
    let found = differences(&outputs);
    assert!(found.is_empty(), "{}", told(&outputs, &found));
    assert!(
        outputs.len() > 4_000,
        "{} templates that all readers read alike",
        outputs.len()
    );
}
