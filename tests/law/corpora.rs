//! Real files: nothing changes without a reference, and Flux's placeholders become what
//! the law says.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use landfall::{BuiltInCeiling, Ceiling, Configuration, Content, File, Request, Rule, Sources};
use landfall_test_needs::needs;
use serde_json::{Value as Json, json};

use crate::oracle::{Verdict, check, output_name};
use crate::render::{document, outputs, render};
use crate::scalars::scalars;
use crate::skip;
use crate::template::{Names, Reference, Template, token, tokens};
use crate::tree;

/// Returns every file below a folder, sorted by path.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
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
    found.sort();
    found
}

fn read_all(folder: &Path) -> Vec<File> {
    files(folder)
        .into_iter()
        .map(|path| File {
            path: path.strip_prefix(folder).unwrap().display().to_string(),
            content: std::fs::read(&path).unwrap(),
        })
        .collect()
}

/// Whether a file is an outputs document that is detected by content and no Kubernetes
/// object, which is refused among the manifests. `invalid.json` has unbalanced braces, so it
/// is not JSON.
fn is_outputs_document(path: &str) -> bool {
    const FOLDERS: &[&str] = &[
        "terraform-output",
        "terraform-show",
        "tfstate",
        "azure",
        "gcp-infra-manager",
        "cloudformation",
    ];
    let is_in = |format: &&str| path.starts_with(&format!("outputs/{format}/"));
    FOLDERS.iter().any(is_in) && !path.ends_with("/invalid.json")
        || path == "outputs/pulumi/stack-export.json"
}

/// Returns every file except outputs documents and the recorded ResourceLists: those
/// have references that nothing resolves here, and kpt's have the Binding among the
/// items.
fn manifests(corpora: &Path) -> Vec<File> {
    let mut files = read_all(corpora);
    files.retain(|file| !file.path.starts_with("krm/") && !is_outputs_document(&file.path));
    assert!(files.len() > 3_000, "{} files", files.len());
    files
}

/// Renders all files at once, and checks that none changes.
fn check_unchanged(files: Vec<File>, request: &Request) {
    let paths: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
    let answer = match Sources::new(files).generate(request) {
        Ok(answer) => answer,
        Err(diagnostics) => panic!("{:?}", diagnostics.first()),
    };
    assert_eq!(answer.sources.len(), paths.len());
    for (path, content) in paths.iter().zip(answer.sources) {
        assert_eq!(content, Content::Unchanged, "{path}");
    }
}

#[needs(corpora)]
#[test]
fn rejects_outputs_documents_among_manifests() {
    let corpora = skip::needed_corpora();
    let mut files = read_all(&corpora);
    files.retain(|file| is_outputs_document(&file.path));
    assert!(files.len() > 15, "{} files", files.len());
    for file in files {
        let path = file.path.clone();
        let refused = Sources::new(vec![file]).generate(&Request::default());
        let found: Vec<_> = refused.unwrap_err().into_iter().collect();
        let [found] = found.as_slice() else {
            panic!("{path}: {found:?}");
        };
        assert_eq!(found.rule, Rule::OutputsAsManifest, "{path}");
    }
}

#[needs(corpora)]
#[test]
fn without_a_binding_no_file_changes() {
    let corpora = skip::needed_corpora();
    check_unchanged(manifests(&corpora), &Request::default());
}

#[needs(corpora)]
#[test]
fn with_an_unused_binding_no_file_changes() {
    let corpora = skip::needed_corpora();
    let value = json!("x");
    let request = Request {
        outputs: vec![document("unheard_of", outputs([("vpc_id".into(), &value)]))],
        ..Request::default()
    };
    check_unchanged(manifests(&corpora), &request);
}

/// Under Argo CD, text of other tools is an error only where it reads as a reference and no
/// known kind contains it.
#[needs(corpora)]
#[test]
fn argo_cd_refuses_no_text_of_other_tools() {
    let corpora = skip::needed_corpora();
    let value = json!("x");
    let request = Request {
        outputs: vec![document("unheard_of", outputs([("vpc_id".into(), &value)]))],
        application: Configuration {
            ceiling: Ceiling {
                built_in: BuiltInCeiling::ArgoCd,
                ..Ceiling::default()
            },
            ..Configuration::default()
        }
        .into(),
        ..Request::default()
    };
    let mut refused = BTreeSet::new();
    for file in manifests(&corpora) {
        let path = file.path.clone();
        if let Err(found) = Sources::new(vec![file]).generate(&request) {
            let found: Vec<_> = found.iter().map(|found| &found.message).collect();
            refused.insert(format!("{path}: {found:?}"));
        }
    }
    let expected: &[&str] = &[];
    assert!(refused.iter().eq(expected), "{refused:#?}");
}

/// Vendors' manifests are resources and nothing else, however their files begin, end and
/// separate documents.
#[needs(corpora)]
#[test]
fn published_manifests_are_resources() {
    let corpora = skip::needed_corpora();
    let request = Request {
        resources_only: true,
        ..Request::default()
    };
    for set in ["kube-prometheus", "argo-cd", "cert-manager", "istio"] {
        let mut files = read_all(&corpora.join(set));
        files.retain(|file| file.path.ends_with(".yaml"));
        assert!(!files.is_empty(), "{set}");
        check_unchanged(files, &request);
    }
}

/// Returns where each `${NAME…` in a text begins and where its name ends.
fn placeholders(text: &str) -> Vec<(usize, usize)> {
    text.match_indices("${")
        .map(|(start, _)| {
            let name = text[start + 2..]
                .bytes()
                .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
                .count();
            (start, start + 2 + name)
        })
        .filter(|(start, end)| end - start > 2 && !text.as_bytes()[start + 2].is_ascii_digit())
        .collect()
}

/// Every name that a file writes as `${NAME}`, `${NAME:…}` etc. is bound: none of these
/// is a reference, so nothing changes.
#[needs(corpora)]
#[test]
fn keeps_placeholders_of_other_tools() {
    let corpora = skip::needed_corpora();
    let (mut bound_files, mut bound_names) = (0, BTreeSet::new());
    for file in read_all(&corpora) {
        let Ok(text) = std::str::from_utf8(&file.content) else {
            continue;
        };
        let mut names = BTreeSet::new();
        let mut heads = BTreeSet::new();
        for (start, end) in placeholders(text) {
            let name = &text[start + 2..end];
            if text[end..].trim_start().starts_with(['.', '[']) {
                heads.insert(name);
            }
            names.insert(name);
        }
        let names: Vec<_> = names.difference(&heads).copied().collect();
        if names.is_empty() {
            continue;
        }
        let value = json!("x");
        let request = Request {
            outputs: names
                .iter()
                .map(|name| document(name, outputs([("x".to_owned(), &value)])))
                .collect(),
            ..Request::default()
        };
        let rendered = render(text.as_bytes(), &request)
            .unwrap_or_else(|diagnostics| panic!("{}: {:?}", file.path, diagnostics.first()));
        assert!(rendered.edits.is_empty(), "{}", file.path);
        bound_files += 1;
        bound_names.extend(names.into_iter().map(str::to_owned));
    }
    assert!(
        bound_files > 100 && bound_names.len() > 80,
        "{bound_files} files, {} names",
        bound_names.len()
    );
}

/// A file of a Flux repository with its placeholders written as references, if there are
/// outputs of those names.
struct Rewritten {
    template: Template,
    /// The outputs, by number.
    values: Vec<Json>,
    /// The number of references outside scalars: in comments.
    commented: usize,
}

/// Returns where `${NAME}` or `${NAME:=default}` ends, if it is nothing else.
fn closing(text: &str, name_end: usize) -> Option<usize> {
    let inner = &text[name_end..name_end + text[name_end..].find('}')?];
    let simple = inner.is_empty() || inner.starts_with(":=") || inner.starts_with(":-");
    (simple && !inner.contains(['$', '\n'])).then_some(name_end + inner.len() + 1)
}

/// Replaces the ranges of `text` by the results of `replacement`.
fn replaced(text: &str, ranges: &[Range<usize>], replacement: impl Fn(usize) -> String) -> String {
    let mut result = String::new();
    let mut at = 0;
    for (nth, range) in ranges.iter().enumerate() {
        result.push_str(&text[at..range.start]);
        result.push_str(&replacement(nth));
        at = range.end;
    }
    result.push_str(&text[at..]);
    result
}

/// Returns `None` if there is nothing to rewrite.
fn rewritten(text: &str, outputs: &BTreeMap<String, Json>) -> Option<Rewritten> {
    let (ranges, names): (Vec<_>, Vec<_>) = placeholders(text)
        .into_iter()
        .map(|(start, name_end)| (start, name_end, &text[start + 2..name_end]))
        .filter(|(start, _, name)| outputs.contains_key(*name) && !text[..*start].ends_with('$'))
        .filter_map(|(start, name_end, name)| Some((start..closing(text, name_end)?, name)))
        .unzip();
    if ranges.is_empty() {
        return None;
    }
    // What the parser does not see is in comments.
    let with_tokens = replaced(text, &ranges, token);
    let mut seen = BTreeSet::new();
    for tree in tree::read(&with_tokens).expect("a file that the independent parser reads") {
        tree.texts(&mut |text| seen.extend(tokens(text).into_iter().map(|(_, nth)| nth)));
    }
    let spelled = |nth: usize| format!("${{infra.{}}}", output_name(nth));
    let with_tokens = replaced(text, &ranges, |nth| {
        if seen.contains(&nth) {
            token(nth)
        } else {
            spelled(nth)
        }
    });
    let scalars = scalars(&with_tokens).expect("a file that the plugin's parser reads");
    let references = tokens(&with_tokens).into_iter().map(|(range, nth)| {
        let scalar = scalars
            .iter()
            .find(|scalar| scalar.range.start <= range.start && range.end <= scalar.range.end)
            .expect("a scalar around every token");
        let reference = Reference {
            names: Names::Output {
                number: nth,
                default: None,
            },
            spelled: spelled(nth),
            properties: scalar.properties,
        };
        (range, scalar.range.clone(), reference)
    });
    Some(Rewritten {
        template: Template::of_text(&with_tokens, references),
        values: names.iter().map(|name| outputs[*name].clone()).collect(),
        commented: ranges.len() - seen.len(),
    })
}

/// Renders every file of a repository with its outputs. Returns how many
/// references were in scalars, and how many in comments.
fn check_flux(repository: &str) -> (usize, usize) {
    let corpora = skip::needed_corpora();
    let path = corpora.join(format!("outputs/terraform-output/{repository}.json"));
    let document: BTreeMap<String, Json> =
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let outputs: BTreeMap<String, Json> = document
        .into_iter()
        .map(|(name, output)| (name, output["value"].clone()))
        .collect();
    let (mut references, mut commented) = (0, 0);
    for file in read_all(&corpora.join(repository)) {
        let Some(rewritten) = std::str::from_utf8(&file.content)
            .ok()
            .and_then(|text| rewritten(text, &outputs))
        else {
            continue;
        };
        match check(&rewritten.template, &rewritten.values) {
            Ok(Verdict::Held(_)) => {}
            Ok(other) => panic!("{}: {other:?}", file.path),
            Err(broken) => panic!("{}: {broken}", file.path),
        }
        references += rewritten.template.references().len();
        commented += rewritten.commented;
    }
    (references, commented)
}

#[needs(corpora)]
#[test]
fn flux_xunholy_as_references() {
    assert_eq!(check_flux("flux-xunholy"), (143, 4));
}

#[needs(corpora)]
#[test]
fn flux_toboshii_as_references() {
    assert_eq!(check_flux("flux-toboshii"), (175, 4));
}
