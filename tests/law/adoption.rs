//! Adopted manifests render to what the manifests rendered to before.

use landfall::{Adoption, AdoptionOutcome, Content, File, Request, Sources, splice};
use landfall_test_needs::needs;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::choices::Choices;
use crate::corpora::files;
use crate::generated::cases;
use crate::oracle::{Verdict, check, output_name};
use crate::render::{document, outputs, request};
use crate::{hostile, skip};

/// Outputs that one manifest may name.
const OUTPUTS: usize = 4;

/// Returns the rendered bytes of each file.
fn rendered(files: &[File], request: &Request) -> Vec<Vec<u8>> {
    let answer = Sources::new(files.to_vec()).generate(request).unwrap();
    let contents = files.iter().zip(answer.sources);
    contents
        .map(|(file, content)| match content {
            Content::Unchanged => file.content.clone(),
            Content::Edited(edits) => splice(&file.content, &edits).unwrap(),
        })
        .collect()
}

/// Adopts files, and checks that this does not change what they render to, nor adopts
/// anything when it is done again.
fn adopt(files: &[File], request: &Request) -> Adoption {
    let adoption = Sources::new(files.to_vec()).adopt(request).unwrap();
    let adopted: Vec<File> = files
        .iter()
        .zip(&adoption.edits)
        .map(|(file, edits)| File {
            path: file.path.clone(),
            content: splice(&file.content, edits).unwrap(),
        })
        .collect();
    let expected = rendered(files, request);
    for (file, (actual, expected)) in files
        .iter()
        .zip(rendered(&adopted, request).iter().zip(&expected))
    {
        assert!(
            actual == expected,
            "{}: {:?} instead of {:?}",
            file.path,
            String::from_utf8_lossy(actual),
            String::from_utf8_lossy(expected)
        );
    }
    adoption
}

/// A value that is distinct enough, or any scalar.
fn value(choices: &mut Choices<'_>) -> Json {
    match choices.below(4) {
        0 => hostile::scalar(choices),
        1 => json!(choices.pick(&["vpc-0ab1c2d3", "eu-west-1", "db.internal.example.com"])),
        2 => json!(choices.pick(&[
            "it's a-b",
            "a-b: b # c",
            "\"quoted-1\"",
            "012345678",
            "1e123456"
        ])),
        _ => json!(123_456_789_012_u64),
    }
}

proptest! {
    #![proptest_config(cases(300))]

    /// The manifests are rendered ones, so that values of outputs are in all their places.
    #[test]
    fn adopted_manifests_render_to_the_same_bytes(
        numbers in prop::collection::vec(any::<u16>(), 8..160),
    ) {
        let choices = &mut Choices::new(&numbers);
        let values: Vec<Json> = (0..OUTPUTS).map(|_| value(choices)).collect();
        let template = crate::document::manifest(choices, OUTPUTS);
        let Ok(Verdict::Held(proved)) = check(&template, &values) else {
            return Err(TestCaseError::reject("it does not render"));
        };
        let manifest = File { path: "a.yaml".into(), content: proved.output.into_bytes() };
        let document = outputs((0..values.len()).map(output_name).zip(&values));
        let request = request(document);
        let files = [manifest];
        // Text of a value may read as a reference, which then fails to render.
        if Sources::new(files.to_vec()).generate(&request).is_err() {
            return Err(TestCaseError::reject("the manifest itself has references"));
        }
        adopt(&files, &request);
    }
}

/// Adopts the manifests of a repository with its own settings as outputs. Returns how many
/// values are replaced, and how many are not.
fn adopt_flux(repository: &str) -> (usize, usize) {
    let corpora = skip::needed_corpora();
    let settings = corpora.join(format!("outputs/terraform-output/{repository}.json"));
    let content = std::fs::read(settings).unwrap();
    let request = Request {
        outputs: vec![document("infra", content)],
        ..Request::default()
    };
    let folder = corpora.join(repository);
    let manifests: Vec<File> = files(&folder)
        .into_iter()
        .filter(|path| {
            path.extension()
                .is_some_and(|it| it == "yaml" || it == "yml")
        })
        .map(|path| File {
            path: path.display().to_string(),
            content: std::fs::read(&path).unwrap(),
        })
        .collect();
    let adoption = adopt(&manifests, &request);
    let adopted = |value: &&landfall::HardCodedValue| value.outcome == AdoptionOutcome::Adopted;
    let replaced = adoption.values.iter().filter(adopted).count();
    (replaced, adoption.values.len() - replaced)
}

#[needs(corpora)]
#[test]
fn adopts_the_settings_of_flux_xunholy() {
    assert_eq!(adopt_flux("flux-xunholy"), (59, 0));
}

#[needs(corpora)]
#[test]
fn adopts_the_settings_of_flux_toboshii() {
    assert_eq!(adopt_flux("flux-toboshii"), (34, 0));
}
