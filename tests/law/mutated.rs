//! Real files in which every scalar in turn becomes a reference, whole or in part, to
//! hostile values.

use std::ops::Range;
use std::path::Path;

use landfall_test_needs::needs;
use serde_json::{Value as Json, json};

use crate::choices::Sequence;
use crate::corpora::files;
use crate::oracle::{Verdict, check, output_name};
use crate::scalars::{Scalar, scalars};
use crate::skip;
use crate::strings::STRINGS;
use crate::template::{Names, Reference, Template};
use crate::tree::{self, Tree};

/// The results for all changed files.
#[derive(Debug, Default)]
struct Tally {
    files: usize,
    passed: usize,
    refused: usize,
    /// Files that the independent parser cannot read after the change.
    unread: usize,
    broken: Vec<String>,
}

impl Tally {
    /// Checks that everything passed, and that there were enough cases.
    fn assert(self, files: usize, passed: usize) {
        assert!(self.broken.is_empty(), "{}", self.broken.join("\n"));
        assert!(self.files >= files && self.passed >= passed, "{self:?}");
    }

    /// Checks each value in place of `range` of one scalar.
    fn check(
        &mut self,
        path: &Path,
        text: &str,
        scalar: &Scalar,
        range: Range<usize>,
        values: &[Json],
    ) {
        // A reference after a `$` would be an escape.
        if text[..range.start].ends_with('$') {
            return;
        }
        let reference = Reference {
            names: Names::Output {
                number: 0,
                default: None,
            },
            spelled: format!("${{infra.{}}}", output_name(0)),
            properties: scalar.properties,
        };
        let template = Template::of_text(text, [(range, scalar.range.clone(), reference)]);
        for value in values {
            match check(&template, std::slice::from_ref(value)) {
                Ok(Verdict::Held(_)) => self.passed += 1,
                Ok(Verdict::Refused) => self.refused += 1,
                Ok(Verdict::NotRead(_)) => {
                    self.unread += 1;
                    return;
                }
                Err(broken) => {
                    self.broken.push(format!("{}: {broken}", path.display()));
                    return;
                }
            }
        }
    }

    /// Changes up to `limit` scalars of one file.
    fn change(&mut self, path: &Path, text: &str, limit: usize, sequence: &mut Sequence) {
        // A tag changes a text's type, and an alias repeats a key as a value: only
        // strings are compared there.
        let typed = !text.contains(['!', '*', '<']);
        let Some(scalars) = scalars(text) else {
            return;
        };
        self.files += 1;
        let every = scalars.len().div_ceil(limit).max(1);
        let first = sequence.below(every);
        for scalar in scalars.iter().skip(first).step_by(every) {
            let mut values: Vec<Json> = (0..4)
                .map(|_| json!(STRINGS[sequence.below(STRINGS.len())]))
                .collect();
            if let Some(part) = part(text, scalar, sequence) {
                self.check(path, text, scalar, part, &values);
            }
            if scalar.properties.chomping.is_some() {
                continue;
            }
            if typed && scalar.properties.plain {
                values.extend([
                    json!(["a", {"b: c": [1, "- d"]}, []]),
                    json!({"k": "v\\n", "yes": null}),
                    json!(8080),
                    json!(true),
                ]);
            }
            self.check(path, text, scalar, scalar.inner.clone(), &values);
        }
    }
}

/// Returns a range of characters inside a scalar, on one line.
fn part(text: &str, scalar: &Scalar, sequence: &mut Sequence) -> Option<Range<usize>> {
    let inner = &text[scalar.inner.clone()];
    let starts: Vec<usize> = inner
        .char_indices()
        .filter(|(_, c)| !c.is_whitespace())
        .map(|(at, _)| at)
        .collect();
    let start = *starts.get(sequence.below(starts.len()))?;
    let word = inner[start..]
        .find(char::is_whitespace)
        .unwrap_or(inner.len() - start);
    let length = inner[start..start + word]
        .char_indices()
        .map(|(at, c)| at + c.len_utf8())
        .nth(sequence.below(word.min(8)))
        .unwrap_or(word);
    let start = scalar.inner.start + start;
    Some(start..start + length)
}

/// Cases that prove nothing, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "DK95/05",
        "libyaml reads a line of a space and a tab as part of the plain scalar before it, and rejects it after a quoted one",
    ),
    ("P76L", "the document gives `!!int` another meaning"),
];

/// Whether the independent parser reads a case of the suite as the suite specifies: YAML
/// 1.1 gives some of them another meaning. Cases without a JSON form have non-string
/// keys, or tags that JSON cannot represent.
fn is_read_as_the_suite_specifies(path: &Path, text: &str) -> bool {
    let Ok(json) = std::fs::read_to_string(path.with_file_name("in.json")) else {
        return true;
    };
    let specified: Result<Vec<Json>, _> = serde_json::Deserializer::from_str(&json)
        .into_iter()
        .collect();
    let specified: Vec<_> = specified.unwrap().iter().map(Tree::from).collect();
    tree::read(text).is_ok_and(|read| {
        let plain = |trees: &[Tree]| trees.iter().map(Tree::as_in_json).collect::<Vec<_>>();
        plain(&read) == plain(&specified)
    })
}

#[needs(corpora)]
#[test]
fn every_scalar_of_the_yaml_test_suite() {
    let corpora = skip::needed_corpora();
    let mut tally = Tally::default();
    let mut sequence = Sequence::new(1);
    for path in files(&corpora.join("yaml-test-suite")) {
        let valid = !path.with_file_name("error").exists();
        let excepted = EXCEPTIONS
            .iter()
            .any(|(case, _)| path.parent().is_some_and(|folder| folder.ends_with(case)));
        if path.file_name().is_some_and(|name| name == "in.yaml") && valid && !excepted {
            let text = std::fs::read_to_string(&path).unwrap();
            if is_read_as_the_suite_specifies(&path, &text) {
                tally.change(&path, &text, usize::MAX, &mut sequence);
            }
        }
    }
    tally.assert(250, 8_500);
}

/// Returns the beginning of a file, in whole lines, that is no longer a Kubernetes
/// resource, and whose patches have no target: the fields of resources have their own types.
fn beginning(text: &str, bytes: usize) -> String {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = if text[end..].is_empty() {
        end
    } else {
        text[..end].rfind('\n').map_or(0, |line| line + 1)
    };
    text[..end]
        .replace("apiVersion", "apiVersiox")
        .replace("target:", "targex:")
}

#[needs(corpora)]
#[test]
fn scalars_of_real_manifests() {
    let corpora = skip::needed_corpora();
    let mut tally = Tally::default();
    let mut sequence = Sequence::new(2);
    for (set, every) in [
        ("kube-prometheus", 3),
        ("argo-cd", 1),
        ("cert-manager", 1),
        ("istio", 1),
        ("flux-xunholy", 12),
        ("flux-toboshii", 6),
    ] {
        let yaml = |path: &std::path::PathBuf| {
            path.extension()
                .is_some_and(|ending| ending == "yaml" || ending == "yml")
        };
        for path in files(&corpora.join(set))
            .into_iter()
            .filter(yaml)
            .step_by(every)
        {
            let text = std::fs::read_to_string(&path).unwrap();
            if !text.contains("\nsops:") {
                tally.change(&path, &beginning(&text, 4_000), 8, &mut sequence);
            }
        }
    }
    tally.assert(140, 6_000);
}
