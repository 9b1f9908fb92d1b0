//! The law on generated manifests, with hostile values.

use landfall_test_support::property;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::choices::{Choices, Sequence};
use crate::oracle::{Proved, Verdict, check, check_by, output_name};
use crate::readers::{Record, differences, read_by_all, reported};
use crate::render::{outputs, render, render_items, request};
use crate::template::Names;
use crate::{document, hostile, tree};

/// Outputs that one manifest may name.
const OUTPUTS: usize = 4;

/// The minimum number of manifests that an ordinary run generates for the law.
const MIN_CASES: u32 = 100_000;

/// The share of each property.
const SCALARS: u32 = 42_000;
const ANY_VALUES: u32 = 42_000;
const RESOURCE_LISTS: u32 = 10_000;
const SENSITIVE: u32 = 6_000;
const MEMBERS: u32 = 8_000;

/// Returns a config for that many cases, different in each run:
/// `landfall_test_support::seed`.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    let config = property::cases(cases);
    ProptestConfig {
        // Cases that the independent parser does not read are rejected.
        max_global_rejects: config.cases / 10,
        max_shrink_iters: 20_000,
        ..config
    }
}

/// Checks one manifest; `value` generates the values.
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

#[test]
fn an_ordinary_run_is_large_enough() {
    let properties = [SCALARS, ANY_VALUES, RESOURCE_LISTS, SENSITIVE];
    // proptest counts a case only when it was not rejected.
    let run: u32 = properties.map(|share| cases(share).cases).iter().sum();
    assert!(
        run >= MIN_CASES,
        "{run} cases, and the law wants {MIN_CASES}"
    );
}

fn numbers() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 8..160)
}

proptest! {
    #![proptest_config(cases(SCALARS))]

    /// Values that are allowed anywhere: hardly any render is refused.
    #[test]
    fn scalars_keep_the_law(numbers in numbers()) {
        law(&numbers, hostile::scalar)?;
    }
}

proptest! {
    #![proptest_config(cases(ANY_VALUES))]

    /// Lists, objects, nulls and empty strings too.
    #[test]
    fn any_values_keep_the_law(numbers in numbers()) {
        law(&numbers, hostile::any)?;
    }
}

proptest! {
    #![proptest_config(cases(RESOURCE_LISTS))]

    /// A KRM function obeys the law in the items of its list, and changes nothing else in
    /// it.
    #[test]
    fn resource_lists_keep_the_law(numbers in numbers()) {
        let choices = &mut Choices::new(&numbers);
        // A warning would become part of the list: its `results`.
        let values: Vec<Json> = (0..OUTPUTS)
            .map(|_| hostile::any(choices))
            .map(without_largest)
            .collect();
        let template = document::resource_list(choices, OUTPUTS);
        match check_by(&template, &values, render_items) {
            Ok(Verdict::NotRead(why)) => return Err(TestCaseError::reject(why)),
            Ok(Verdict::Held(_) | Verdict::Refused) => {}
            Err(broken) => return Err(TestCaseError::fail(broken)),
        }
    }
}

proptest! {
    #![proptest_config(cases(MEMBERS))]

    /// Outputs that remove entries and items, or become several.
    #[test]
    fn members_keep_the_law(numbers in numbers()) {
        let choices = &mut Choices::new(&numbers);
        let values: Vec<Json> = (0..OUTPUTS).map(|_| member_value(choices)).collect();
        let template = document::manifest_with_members(choices, OUTPUTS);
        match check(&template, &values) {
            Ok(Verdict::NotRead(why)) => return Err(TestCaseError::reject(why)),
            Ok(Verdict::Held(_) | Verdict::Refused) => {}
            Err(broken) => return Err(TestCaseError::fail(broken)),
        }
    }
}

/// Returns a value that often removes or multiplies an item.
fn member_value(choices: &mut Choices<'_>) -> Json {
    match choices.below(4) {
        0 => {
            if choices.one_in(2) {
                json!(null)
            } else {
                json!("")
            }
        }
        1 => json!([]),
        2 => (0..1 + choices.below(3))
            .map(|_| hostile::any(choices))
            .collect(),
        _ => hostile::any(choices),
    }
}

/// Replaces the number that not all readers represent exactly.
fn without_largest(value: Json) -> Json {
    match value {
        value if value == json!(u64::MAX) => json!(1),
        Json::Array(items) => items.into_iter().map(without_largest).collect(),
        Json::Object(entries) => entries
            .into_iter()
            .map(|(key, value)| (key, without_largest(value)))
            .collect(),
        value => value,
    }
}

/// A word that occurs in no template.
const SECRET: &str = "S3cr3t-4711";

proptest! {
    #![proptest_config(cases(SENSITIVE))]

    /// Sensitive outputs are rendered only into Secrets, and diagnostics don't reveal
    /// them.
    #[test]
    fn sensitive_values_never_show(numbers in numbers()) {
        let choices = &mut Choices::new(&numbers);
        let value = match choices.below(4) {
            1 => json!([SECRET, {"k": SECRET}]),
            2 => json!({SECRET: SECRET}),
            3 => json!(format!("{SECRET}\n- {SECRET}: #")),
            _ => json!(SECRET),
        };
        let template = document::manifest(choices, OUTPUTS);
        let document = outputs((0..OUTPUTS).map(|number| (output_name(number), &value)));
        let mut request = request(document);
        request.outputs[0].sensitive = true;
        let manifest = template.spelled().text;
        let references = template
            .references()
            .iter()
            .any(|reference| matches!(reference.names, Names::Output { .. }));
        match render(manifest.as_bytes(), &request) {
            Ok(_) => prop_assert!(!references, "rendered: {manifest:?}"),
            Err(diagnostics) => {
                prop_assert!(references, "{manifest:?}: {diagnostics:?}");
                let reported = format!("{diagnostics:?}");
                prop_assert!(!reported.contains(SECRET), "{manifest:?}: {reported}");
            }
        }
    }
}

/// What one parser confirms, all readers do: each output reads as expected whenever its
/// template, with words for the references, reads the same in all of them.
#[test]
fn all_readers_confirm_the_law() {
    let whole = |text: String, tree: tree::Tree| Record {
        parts: vec![text],
        expected: vec![tree],
        whole: true,
    };
    let mut sequence = Sequence::new(4);
    let (mut templates, mut rendered) = (Vec::new(), Vec::new());
    while rendered.len() < 6_000 {
        let numbers: Vec<u16> = (0..8 + sequence.below(150))
            .map(|_| u16::try_from(sequence.below(1 << 16)).unwrap())
            .collect();
        let choices = &mut Choices::new(&numbers);
        let has_members = rendered.len() % 3 == 0;
        let value = if has_members {
            member_value
        } else {
            hostile::any
        };
        let values: Vec<Json> = (0..OUTPUTS).map(|_| value(choices)).collect();
        let template = if has_members {
            document::manifest_with_members(choices, OUTPUTS)
        } else {
            document::manifest(choices, OUTPUTS)
        };
        let Ok(Verdict::Held(Proved { output, expected })) = check(&template, &values) else {
            // The properties report what breaks the law.
            continue;
        };
        // Node's yaml reads no second item of a list that begins right after a byte order mark,
        // as one does whose first item was omitted.
        if has_members && output.starts_with("\u{feff}-") {
            continue;
        }
        let with_tokens = template.with_tokens();
        let (Ok(mut trees), Ok([tree])) = (tree::read(&with_tokens), <[_; 1]>::try_from(expected))
        else {
            continue;
        };
        templates.push(whole(with_tokens, trees.remove(0)));
        rendered.push(whole(output, tree));
    }
    let agreed = read_by_all(&templates);
    let rendered: Vec<Record> = agreed
        .iter()
        .map(|(nth, _)| rendered[*nth].clone())
        .collect();
    let found = differences(&rendered);
    assert!(found.is_empty(), "{}", reported(&rendered, &found));
    assert!(
        rendered.len() > 4_000,
        "{} templates that all readers read alike",
        rendered.len()
    );
}
