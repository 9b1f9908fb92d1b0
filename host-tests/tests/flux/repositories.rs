//! Two real Flux repositories, with their settings and with hostile values in their place.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use landfall_test_needs::needs;
use landfall_test_support::skip;
use serde_json::Value as Json;

use crate::case::Case;
use crate::peer::Variables;
use crate::tally::Tally;
use crate::values::HOSTILE;

/// The size in bytes of a manifest that takes long to compare.
const LONG: usize = 8_000;

/// A manifest of a repository: where it is, and its text.
type Manifest = (String, String);

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "yaml")
    });
    found.sort();
    found
}

/// Returns every document of a repository.
fn manifests(repository: &Path) -> Vec<Manifest> {
    let mut manifests = Vec::new();
    for path in files(repository) {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(repository).unwrap().display().to_string();
        let mut document = String::new();
        let mut begin = 1;
        for (nth, line) in text.split_inclusive('\n').enumerate() {
            if line.trim_end() == "---" {
                manifests.push((format!("{name}:{begin}"), std::mem::take(&mut document)));
                begin = nth + 2;
            } else {
                document.push_str(line);
            }
        }
        manifests.push((format!("{name}:{begin}"), document));
    }
    manifests.retain(|(_, text)| !text.trim().is_empty());
    manifests
}

/// Returns the settings of a repository and of its secrets.
fn settings(corpora: &Path, repository: &str) -> Variables {
    let path = corpora.join(format!("outputs/terraform-output/{repository}.json"));
    let document: Json = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let outputs = document.as_object().unwrap().iter();
    outputs
        .map(|(name, output)| {
            let text = match &output["value"] {
                Json::String(text) => text.clone(),
                other => other.to_string(),
            };
            (name.clone(), text)
        })
        .collect()
}

/// Returns every name that a manifest may refer to.
fn names(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for rest in text.split("${").skip(1) {
        let name: String = (rest.chars())
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        if !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) {
            names.insert(name);
        }
    }
    names
}

fn check(repository: &str, least: usize) {
    let corpora = skip::needed_corpora();
    let manifests = manifests(&corpora.join(repository));
    let settings = settings(&corpora, repository);
    let case = |(name, manifest): &Manifest, variables: &Arc<Variables>, strict| Case {
        name: format!("{repository}/{name}"),
        manifest: manifest.clone(),
        variables: Arc::clone(variables),
        strict,
    };

    // As its author runs it.
    let real = Arc::new(settings.clone());
    let cases = manifests
        .iter()
        .flat_map(|manifest| [true, false].map(|strict| case(manifest, &real, strict)));
    let tally = Tally::of(cases);
    tally.report(&format!("{repository}, its settings"));
    assert!(tally.equal >= least, "{} equal", tally.equal);

    // Every name has every second hostile value once, and its neighbour the others; in a long
    // manifest, which has many names, every eighth.
    let all: BTreeSet<_> = manifests.iter().flat_map(|(_, text)| names(text)).collect();
    let used = manifests
        .iter()
        .map(|manifest| (manifest, names(&manifest.1)))
        .filter(|(_, names)| !names.is_empty());
    let cases = used.flat_map(|(manifest, used)| {
        let numbered = all.iter().enumerate();
        let used: Vec<_> = numbered.filter(|(_, name)| used.contains(*name)).collect();
        let step = if manifest.1.len() > LONG { 8 } else { 2 };
        (0..HOSTILE.len()).step_by(step).map(move |round| {
            let value = |nth: usize| HOSTILE[(nth + round) % HOSTILE.len()].to_owned();
            let variables = used
                .iter()
                .map(|(nth, name)| ((*name).clone(), value(*nth)));
            let variables = Arc::new(variables.collect::<Variables>());
            case(manifest, &variables, round % 16 == 0 || round % 4 == 2)
        })
    });
    Tally::of(cases).report(&format!("{repository}, hostile values"));
}

#[needs(corpora, tools)]
#[test]
fn xunholy_renders_to_what_flux_applies() {
    check("flux-xunholy", 500);
}

#[needs(corpora, tools)]
#[test]
fn toboshii_renders_to_what_flux_applies() {
    check("flux-toboshii", 200);
}
