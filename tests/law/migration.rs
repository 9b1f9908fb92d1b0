//! Migrated manifests render to the documents that the manifests rendered to in their
//! dialect, as an independent reader reads them.

use landfall::{Config, Configuration, Content, File, Migration, Origin, Request, Sources, splice};
use landfall_test_needs::needs;
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::choices::Choices;
use crate::corpora::files;
use crate::generated::cases;
use crate::oracle::output_name;
use crate::render::{document, outputs, request};
use crate::template::{Names, Reference};
use crate::{hostile, skip, tree};

/// Outputs that one manifest may name.
const OUTPUTS: usize = 4;

/// Returns a request that renders in a dialect, and keeps references without an output.
fn in_dialect(request: &Request, dialect: &str) -> Request {
    Request {
        application: Configuration {
            policy: Some(Config {
                path: String::new(),
                content: format!("dialect: {dialect}\nmissing: keep\nempty: allow\n").into_bytes(),
            }),
            ..Configuration::default()
        }
        .into(),
        ..request.clone()
    }
}

fn migrated(files: &[File], migration: &Migration) -> Vec<File> {
    let migrated = files.iter().zip(&migration.changes).map(|(file, changes)| {
        let edits: Vec<_> = changes.iter().map(|change| change.edit.clone()).collect();
        File {
            path: file.path.clone(),
            content: splice(&file.content, &edits).unwrap(),
        }
    });
    migrated.collect()
}

/// Returns the rendered text of each file; `None` if they have errors.
fn rendered(files: &[File], request: &Request) -> Option<Vec<String>> {
    let answer = Sources::new(files.to_vec()).generate(request).ok()?;
    let contents = files.iter().zip(answer.sources);
    let contents = contents.map(|(file, content)| match content {
        Content::Unchanged => file.content.clone(),
        Content::Edited(edits) => splice(&file.content, &edits).unwrap(),
    });
    let texts = contents.map(|bytes| String::from_utf8(bytes).unwrap());
    Some(texts.collect())
}

/// Migrates one manifest. Returns how many changes it has, and how much is left. If nothing
/// is, both must render to the same.
fn check(manifest: &str, request: &Request, from: &str) -> Result<(usize, usize), TestCaseError> {
    let files = [File {
        path: "a.yaml".into(),
        content: manifest.into(),
    }];
    let Some(before) = rendered(&files, &in_dialect(request, from)) else {
        return Err(TestCaseError::reject("it does not render"));
    };
    let migration = Sources::new(files.to_vec()).migrate(request, from).unwrap();
    let migrated = migrated(&files, &migration);
    let text = String::from_utf8_lossy(&migrated[0].content);
    let left = migration.left.len();
    if left == 0 {
        let after = rendered(&migrated, &in_dialect(request, "landfall"));
        prop_assert!(after.is_some(), "{manifest}\nmigrated: {text}");
        let after = after.unwrap_or_default();
        let [before, after] = [&before[0], &after[0]].map(|text| tree::read(text));
        prop_assert!(
            before == after,
            "{manifest}\nmigrated: {text}\nbefore: {before:?}\nafter: {after:?}"
        );
    }
    Ok((migration.changes[0].len(), left))
}

/// Returns a reference as Flux writes it.
fn in_flux(choices: &mut Choices<'_>, reference: Reference) -> Reference {
    let spelled = match (&reference.names, choices.below(8)) {
        (Names::Text(_), 0) => "$${infra.v0}".to_owned(),
        (Names::Text(_), 1) => "$$$${infra.v0}".to_owned(),
        (Names::Text(_), 2) => "$$(A) $$$${v0}".to_owned(),
        (Names::Text(_), 3) => "$$${v1}".to_owned(),
        (Names::Text(_), _) => "$${v0}".to_owned(),
        (Names::Output { number, .. }, 0) => format!("${{v{number}:=${{v1:=${{v2}}}}}}"),
        (Names::Output { number, .. }, 1) => format!("${{v{number}:-a{number}-b}}"),
        (Names::Output { number, .. }, 2) => format!("${{v{number}:-80}}"),
        (Names::Output { number, .. }, 3) => format!("${{v{number}//a/b}}"),
        (Names::Output { number, .. }, 4) => format!("${{missing:=${{v{number}}}}}"),
        (Names::Output { number, .. } | Names::Member { number, .. }, _) => {
            format!("${{v{number}}}")
        }
    };
    Reference {
        spelled,
        ..reference
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 20_000, ..cases(600) })]

    #[test]
    fn variables_of_flux_migrate(numbers in prop::collection::vec(any::<u16>(), 8..120)) {
        let choices = &mut Choices::new(&numbers);
        let values: Vec<Json> = (0..OUTPUTS).map(|_| hostile::scalar(choices)).collect();
        let template = crate::document::manifest(choices, OUTPUTS);
        let mut choices = Choices::new(&numbers);
        let template = template.map_references(|reference| in_flux(&mut choices, reference));
        let request = request(outputs((0..values.len()).map(output_name).zip(&values)));
        check(&template.spelled().text, &request, "flux")?;
    }

    #[test]
    fn setters_of_kpt_migrate(numbers in prop::collection::vec(any::<u16>(), 8..60)) {
        let (manifest, values) = crate::kpt_set::generated(&numbers);
        let named = values.iter().map(|(name, value)| (name.clone(), value));
        check(&manifest, &request(outputs(named)), "kpt-set")?;
    }
}

/// Migrates the manifests of a repository with its own settings as outputs. Returns how many
/// changes there are, how many references are left because their names are not bound, how many
/// others, and how many problems there are with files that cannot be rendered.
fn migrate_flux(repository: &str) -> [usize; 4] {
    let corpora = skip::needed_corpora();
    let settings = corpora.join(format!("outputs/terraform-output/{repository}.json"));
    let content = std::fs::read(settings).unwrap();
    let request = Request {
        outputs: vec![document("infra", content)],
        ..Request::default()
    };
    let manifests: Vec<File> = files(&corpora.join(repository))
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
    let migration = Sources::new(manifests.clone())
        .migrate(&request, "flux")
        .unwrap();
    let changes = migration.changes.iter().map(Vec::len).sum();
    let (left, errors): (Vec<_>, Vec<_>) = migration
        .left
        .iter()
        .partition(|found| found.rule == landfall::Rule::NotMigrated);
    // Names of shell scripts and Grafana, which the settings do not have, and others.
    let is_unbound =
        |found: &&&landfall::Diagnostic| found.message.contains("no bound document has");
    let unbound = left.iter().filter(is_unbound).count();
    let others = left.len() - unbound;
    // Each file by itself, with outputs that are allowed anywhere: what is not left renders to
    // the same bytes.
    let public = Request {
        outputs: vec![document(
            "infra",
            without_marks(&request.outputs[0].content),
        )],
        ..Request::default()
    };
    let is_left = |file: usize| {
        let labels = migration.left.iter().flat_map(|found| found.labels.first());
        labels
            .into_iter()
            .any(|label| label.origin == Origin::Manifest(file))
    };
    let all = migrated(&manifests, &migration);
    for (nth, (before, after)) in manifests.iter().zip(&all).enumerate() {
        if is_left(nth) {
            continue;
        }
        let one = |file: &File, dialect| {
            rendered(std::slice::from_ref(file), &in_dialect(&public, dialect))
        };
        let (expected, actual) = (one(before, "flux"), one(after, "landfall"));
        assert!(expected.is_some() && expected == actual, "{}", before.path);
    }
    [changes, unbound, others, errors.len()]
}

/// Returns outputs of which none is sensitive.
fn without_marks(outputs: &[u8]) -> Vec<u8> {
    let mut json: Json = serde_json::from_slice(outputs).unwrap();
    for output in json.as_object_mut().unwrap().values_mut() {
        output["sensitive"] = false.into();
    }
    serde_json::to_vec(&json).unwrap()
}

#[needs(corpora)]
#[test]
fn migrates_flux_xunholy() {
    assert_eq!(migrate_flux("flux-xunholy"), [232, 213, 0, 0]);
}

#[needs(corpora)]
#[test]
fn migrates_flux_toboshii() {
    // `${SECRET_DOMAIN/./-}` has no equivalent.
    assert_eq!(migrate_flux("flux-toboshii"), [175, 42, 3, 0]);
}
