//! A renamed output: the renamed manifests render with the renamed outputs document to the same
//! bytes as before, and exactly the references have changed.

use landfall::{Config, Configuration, Content, File, Origin, Request, Sources, Subject, splice};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::choices::Choices;
use crate::generated::cases;
use crate::oracle::output_name;
use crate::render::{outputs, request};
use crate::template::{Names, Reference};
use crate::{document, hostile};

/// Outputs that one manifest may name.
const OUTPUTS: usize = 4;

/// New names. The first can be written everywhere.
const NAMES: &[&str] = &[
    "vpc_id",
    "a-b",
    "a b",
    "a.b",
    "true",
    "0",
    "it's",
    "say \"x\"",
    "it's \"x\"",
    "a\\b",
    "é😀",
    "}",
    "]",
    "${infra.v1}",
    "#x",
    " #x",
    "a: b",
    "- a",
    "{{ x }}",
    "a\tb",
    "a\nb",
    "\u{85}",
    "",
];

/// Entries of a ConfigMap with references to `v0`.
const PLACES: &[&str] = &[
    "a: ${infra.v0}",
    "a: \"${infra['v0']} ${ infra . v0 }\"",
    "${infra.v1}: '${infra.v0} ''x'''",
    "${infra.v0}: ${infra.v0}",
    "a: |\n    say \"${infra.v0}\" or '${infra.v0}'\n    $${infra.v1}",
    "a: >-\n    ${infra.v0} ${infra.v1\n    | default(infra.v0)}",
    "a: \"\\x41${infra['v0']} \\\n    ${infra[\\\"v0\\\"]}\"",
    "a: ${infra.v1 | default(infra.v0) | replace(\"infra.v0\", \"x\") | upper}",
    "a: x # ${infra.v0}",
    "a: x # landfall: ${infra.v0}-${infra.v1 | default(infra.v0)}",
    "a.yaml: |\n    a: x # landfall: ${infra.v0}",
    "a: &a ${infra.v0}\n  b: *a",
    "a.json: '{\"a\": \"${infra.v0}\", \"b\": [\"${infra[''v0'']}\"]}'",
    "a.yaml: |\n    a: ${infra.v0}\n    b: \"x ${infra.v0}\"\n    c: 'x ${infra.v0}'",
    "a.yaml: \"a: ${infra.v0}\\nb: \\\"${infra.v0}\\\"\\n\"",
    "a.yaml: 'a: ''${infra.v0}'''",
    "a.yaml: |\n    a.yaml: |\n      a: '${infra.v0}'",
    "a.conf: \"x = ${infra.v0}\"",
];

/// Begins a setter comment.
const SETTER: &str = "# landfall:";

/// Returns a Binding with this `spec`.
fn configured(spec: &str) -> Configuration {
    let content = format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {spec}\n");
    Configuration {
        binding: Some(Config {
            path: "landfall.yaml".into(),
            content: content.into_bytes(),
        }),
        ..Configuration::default()
    }
}

fn sources(content: &[u8]) -> Sources {
    Sources::new(vec![File {
        path: "manifest.yaml".into(),
        content: content.to_vec(),
    }])
}

fn rendered(content: &[u8], request: &Request) -> Option<Vec<u8>> {
    let answer = sources(content).generate(request).ok()?;
    Some(match &answer.sources[0] {
        Content::Unchanged => content.to_vec(),
        Content::Edited(edits) => splice(content, edits).unwrap(),
    })
}

/// Renames `v0` in a manifest and in the configuration. Returns whether the new name can be
/// written everywhere.
fn check(
    manifest: &str,
    values: &[Json],
    to: &str,
    configuration: Configuration,
) -> Result<bool, TestCaseError> {
    let with_names = |name: &dyn Fn(usize) -> String, configuration: Configuration| Request {
        application: configuration.into(),
        ..request(outputs((0..values.len()).map(name).zip(values)))
    };
    let before = with_names(&output_name, configuration.clone());
    let content = manifest.as_bytes();
    let Some(expected) = rendered(content, &before) else {
        return Err(TestCaseError::reject("it does not render"));
    };
    let subject = Subject {
        name: "infra".into(),
        path: vec!["v0".into()],
    };
    let sources = sources(content);
    // The setter comments are in the rendered manifests.
    let expected = if manifest.contains(SETTER) {
        let rendered = self::sources(&expected);
        let rename = rendered.rename(&before, &[], &subject, to);
        let Ok(rename) = rename else {
            return Ok(false);
        };
        splice(&expected, &rename.sources[0]).unwrap()
    } else {
        expected
    };
    let Ok(rename) = sources.rename(&before, &[], &subject, to) else {
        return Ok(false);
    };
    let renamed = splice(content, &rename.sources[0]).unwrap();
    let mut after = configuration;
    if let Some(binding) = &mut after.binding {
        binding.content = splice(&binding.content, &rename.binding).unwrap();
    }
    let name = |number: usize| match number {
        0 => to.to_owned(),
        other => output_name(other),
    };
    let found = rendered(&renamed, &with_names(&name, after));
    prop_assert!(
        found.as_ref() == Some(&expected),
        "{manifest}\nrenamed to {to:?}: {}\nrendered: {:?}\nexpected: {:?}",
        String::from_utf8_lossy(&renamed),
        found.as_deref().map(String::from_utf8_lossy),
        String::from_utf8_lossy(&expected)
    );
    let references = sources.references(&before, &[], &subject);
    for (origin, edits) in [
        (Origin::Manifest(0), &rename.sources[0]),
        (Origin::Binding, &rename.binding),
    ] {
        let of_origin = references.iter().filter(|at| at.origin == origin);
        let found: Vec<_> = of_origin.map(|at| at.span).collect();
        let changes = edits.iter().map(|edit| edit.span);
        let is_changed = found
            .iter()
            .zip(changes)
            .all(|(at, change)| change.start <= at.end && at.start <= change.end);
        prop_assert!(
            is_changed && found.len() == edits.len(),
            "{manifest}\n{found:?}\n{edits:?}"
        );
    }
    Ok(true)
}

/// Returns documents with these entries.
fn config_maps(places: impl Iterator<Item = String>) -> String {
    let document =
        |place: String| format!("---\napiVersion: v1\nkind: ConfigMap\ndata:\n  {place}\n");
    places.map(document).collect()
}

/// Returns a reference that may also name `v0`.
fn spelled(choices: &mut Choices<'_>, reference: Reference) -> Reference {
    let Names::Output {
        number,
        default: None,
    } = reference.names
    else {
        return reference;
    };
    let spelled = match choices.below(4) {
        1 => format!("${{ infra .v{number} }}"),
        2 => format!("${{infra.v{number} | default(infra.v0)}}"),
        _ => return reference,
    };
    Reference {
        spelled,
        ..reference
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 20_000, ..cases(600) })]

    #[test]
    fn renamed_manifests_render_the_same(numbers in prop::collection::vec(any::<u16>(), 8..120)) {
        let choices = &mut Choices::new(&numbers);
        let to = choices.pick(NAMES);
        let values: Vec<Json> = (0..OUTPUTS).map(|_| hostile::scalar(choices)).collect();
        let template = document::manifest(choices, OUTPUTS);
        let mut choices = Choices::new(&numbers);
        let template = template.map_references(|reference| spelled(&mut choices, reference));
        let manifest = template.spelled().text;
        let is_renamed = check(&manifest, &values, to, Configuration::default())?;
        prop_assert!(is_renamed || to != NAMES[0], "{manifest}");
    }

    #[test]
    fn every_place_is_renamed(
        places in prop::collection::vec(prop::sample::select(PLACES), 1..6),
        to in prop::sample::select(NAMES),
    ) {
        let mut manifest = config_maps(places.into_iter().map(str::to_owned));
        manifest.push_str("---\napiVersion: v1\nkind: Other\ndata: {a: b}\n");
        let configuration = configured(
            "{outputs: [{name: infra, from: {file: a.json}, notSensitive: [v0, v1]}], contract: {infra: {v0: {}, v1: {}}}, substitutions: [{value: 'x-${infra.v0}', targets: [{select: {kind: Other}, fieldPaths: [data.a]}]}]}",
        );
        let is_renamed = check(&manifest, &[json!("x"), json!("y")], to, configuration)?;
        prop_assert!(is_renamed || to != NAMES[0], "{manifest}");
    }

    #[test]
    fn variables_are_renamed(
        places in prop::collection::vec(prop::sample::select(PLACES), 1..6),
        to in prop::sample::select(NAMES),
    ) {
        let places = places.into_iter().map(|place| place.replace("infra.", ""));
        let is_variable = |place: &String| ![SETTER, "infra", "v1 |"].iter().any(|own| place.contains(own));
        let manifest = config_maps(places.filter(is_variable));
        let configuration = configured("{dialect: flux}");
        let is_renamed = check(&manifest, &[json!("x"), json!("y")], to, configuration)?;
        prop_assert!(is_renamed || to != NAMES[0], "{manifest}");
    }
}
