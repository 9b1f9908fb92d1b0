//! References that were encoded before landfall saw them: they are found wherever a
//! cluster decodes base64, however it is written, and nowhere else.

use landfall_test_cases::encoded::found_and_nothing_else;
use proptest::prelude::*;
use serde_json::json;

use crate::choices::{Choices, Sequence};
use crate::generated::cases;
use crate::render::{outputs, render, request};

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn encoded_references_are_found_and_nothing_else(
        numbers in prop::collection::vec(any::<u16>(), 10..200),
    ) {
        found_and_nothing_else(&mut Choices::new(&numbers));
    }
}

#[test]
fn the_generator_makes_entries_with_references_and_without() {
    let mut sequence = Sequence::new(8);
    let (mut found, mut all) = (0, 0);
    for _ in 0..300 {
        let numbers = sequence.numbers(200);
        let (with, entries) = found_and_nothing_else(&mut Choices::new(&numbers));
        found += with;
        all += entries;
    }
    assert!(found > all / 10 && found < all / 2, "{found} of {all}");
}

#[test]
fn the_name_of_the_resource_is_the_one_in_the_manifest() {
    // The base64 of `${infra.a}`.
    let manifest = "apiVersion: v1\nkind: Secret\nmetadata: {name: \"${infra.a}-b\"}\ndata: {x: JHtpbmZyYS5hfQ==}\n";
    let request = request(outputs([("a".to_owned(), &json!("x"))]));
    let found = render(manifest.as_bytes(), &request).unwrap_err();
    let resource = found[0].resource.as_ref().map(|resource| &*resource.name);
    assert_eq!(resource, Some("${infra.a}-b"));
}
