//! Manifests generated for landfall's own dialect, with each reference written in the
//! other one.

use landfall::{Configuration, Request};
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::choices::Choices;
use crate::generated::cases;
use crate::oracle::{Verdict, check_by};
use crate::render::{render, request};
use crate::template::{Names, Reference};
use crate::{document, hostile};

/// Outputs that one manifest may name.
const OUTPUTS: usize = 4;

/// Manifests that each property checks.
const MANIFESTS: u32 = 6_000;

/// Returns the same reference in the other dialect.
fn translated(choices: &mut Choices<'_>, reference: Reference) -> Reference {
    let Names::Output { number, default } = &reference.names else {
        return Reference {
            names: Names::Text("<<v0>>".into()),
            spelled: "~<<v0>>".into(),
            ..reference
        };
    };
    // A line break, with the indentation of the next line.
    let spelled = &reference.spelled;
    let blank = spelled.find(['\n', '\r']).map_or(" ", |at| {
        let rest = &spelled[at..];
        &rest[..rest.len() - rest.trim_start().len()]
    });
    let path = format!("v{number}");
    let spelled = match (default, choices.below(4)) {
        (None, 1) => format!("<<{blank}{path}{blank}>>"),
        (None, _) => format!("<<{path}>>"),
        (Some(text), 1) => format!("<<{path}{blank}?? <<missing{blank}?? `{text}`>>>>"),
        (Some(text), 2) => format!("<<{path} ??{blank}<<v9 ?? <<v8 ?? `{text}`>>>>>>"),
        (Some(text), _) => format!("<<{path}{blank}?? `{text}`>>"),
    };
    Reference {
        spelled,
        ..reference
    }
}

fn law(numbers: &[u16], value: fn(&mut Choices<'_>) -> Json) -> Result<(), TestCaseError> {
    let choices = &mut Choices::new(numbers);
    let values: Vec<Json> = (0..OUTPUTS).map(|_| value(choices)).collect();
    let template = document::manifest(choices, OUTPUTS);
    let mut choices = Choices::new(numbers);
    let template = template.map_references(|reference| translated(&mut choices, reference));
    let render = |manifest: &[u8], outputs| {
        let request = Request {
            application: Configuration {
                binding: Some(super::binding()),
                ..Configuration::default()
            }
            .into(),
            ..request(outputs)
        };
        render(manifest, &request)
    };
    match check_by(&template, &values, render) {
        Ok(Verdict::NotRead(why)) => Err(TestCaseError::reject(why)),
        Ok(Verdict::Held(_) | Verdict::Refused) => Ok(()),
        Err(broken) => Err(TestCaseError::fail(broken)),
    }
}

fn numbers() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 8..160)
}

proptest! {
    #![proptest_config(cases(MANIFESTS))]

    #[test]
    fn scalars_keep_the_law_in_another_dialect(numbers in numbers()) {
        law(&numbers, hostile::scalar)?;
    }
}

proptest! {
    #![proptest_config(cases(MANIFESTS))]

    #[test]
    fn any_values_keep_the_law_in_another_dialect(numbers in numbers()) {
        law(&numbers, hostile::any)?;
    }
}
