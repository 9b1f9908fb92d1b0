//! Field bindings and kustomize's `replacements` on the same documents, targets and
//! values: equal documents or equal refusals, or one of the differences that
//! docs/language/field-bindings.md lists.
//!
//! `LANDFALL_SEED` repeats a run; `LANDFALL_CASES=10` generates ten times as many.

mod difference;
mod triple;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use landfall::{Config, Configuration, Content, File, OutputsDocument, Request, Sources, splice};
use landfall_host_tests::program;
use landfall_host_tests::scratch::Scratch;
use landfall_test_support::seed::{Sequence, factor};
use serde_json::{Value, json};

use self::difference::{Outcome, class};
use self::triple::Triple;
use crate::manifests::documents;

/// Triples per run; kustomize takes 13 ms of CPU time for each.
const TRIPLES: usize = 2_000;

#[test(tools)]
fn field_bindings_agree_with_replacements() {
    let kustomize = program::tool("kustomize");
    let count = TRIPLES * usize::try_from(factor()).unwrap();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
        let mut unknown = Vec::new();
        let folder = Scratch::new();
        loop {
            let nth = next.fetch_add(1, Ordering::Relaxed);
            if nth >= count {
                return (classes, unknown);
            }
            // Every difference of these triples is classified; others may not be yet.
            let mut sequence = Sequence::fixed(u64::try_from(nth).unwrap());
            let (triple, ours) = triple(&mut sequence);
            let theirs = theirs(&triple, &folder, &kustomize);
            match class(&triple, &ours, &theirs) {
                Ok(class) => {
                    *classes.entry(class).or_default() += 1;
                }
                Err(difference) => {
                    unknown.push(describe(nth, &difference, &triple, &ours, &theirs));
                }
            }
        }
    };
    let (mut classes, mut unknown) = (BTreeMap::new(), Vec::new());
    std::thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        for thread in threads {
            let (found, others) = thread.join().unwrap();
            for (class, count) in found {
                *classes.entry(class).or_insert(0) += count;
            }
            unknown.extend(others);
        }
    });
    println!("{count} triples: {classes:#?}");
    assert!(
        unknown.is_empty(),
        "{} of {count} differ in an undocumented way:\n{}",
        unknown.len(),
        unknown[..unknown.len().min(12)].join("\n")
    );
    let of = |class: &str| classes.get(class).copied().unwrap_or(0);
    let share = |class: &str| of(class) * 100 / count;
    let equal = of("equal") + of("equal inside");
    assert!(equal * 100 / count >= 30, "{classes:#?}");
    assert!(share("equal refusal") >= 5, "{classes:#?}");
    for class in classes.keys().filter(|class| !class.starts_with("equal")) {
        assert!(share(class) <= 15, "{class}: {classes:#?}");
    }
}

/// Errors of which most are skipped: kustomize does nothing if it selects nothing, knows no types
/// and rules of the API server, and writes a part of a document as text.
const SKIPPED: &[&str] = &[
    "no resource matches",
    "type-mismatch",
    "refused-value",
    "unknown-field",
    "misread-value",
];

/// Returns a triple and landfall's outcome.
fn triple(sequence: &mut Sequence) -> (Triple, Outcome) {
    loop {
        let triple = Triple::new(sequence);
        let ours = ours(&triple);
        let is_skipped = |error: &String| SKIPPED.iter().any(|skipped| error.contains(skipped));
        if !ours.as_ref().is_err_and(is_skipped) || sequence.one_in(10) {
            return (triple, ours);
        }
    }
}

fn describe(
    nth: usize,
    difference: &str,
    triple: &Triple,
    ours: &Outcome,
    theirs: &Outcome,
) -> String {
    let documents: Vec<String> = triple.documents.iter().map(Value::to_string).collect();
    let targets: Vec<String> = triple
        .targets
        .iter()
        .map(|target| target.written().to_string())
        .collect();
    let outcome = |outcome: &Outcome| match outcome {
        Ok(documents) => documents
            .iter()
            .map(Value::to_string)
            .collect::<Vec<_>>()
            .join("\n  "),
        Err(error) => format!("refused: {error}"),
    };
    format!(
        "#{nth} {difference}\n value {:?}\n targets\n  {}\n documents\n  {}\n ours\n  {}\n theirs\n  {}\n",
        triple.value,
        targets.join("\n  "),
        documents.join("\n  "),
        outcome(ours),
        outcome(theirs),
    )
}

/// Returns landfall's outcome.
fn ours(triple: &Triple) -> Outcome {
    let targets: Vec<Value> = triple.targets.iter().map(triple::Target::written).collect();
    let binding = json!({
        "apiVersion": "landfall.dev/v1alpha1",
        "kind": "Binding",
        "spec": {"substitutions": [{"value": "${infra.x}", "targets": targets}]},
    });
    let outputs = json!({"x": {"sensitive": false, "type": "string", "value": triple.value}});
    let request = Request {
        outputs: vec![OutputsDocument {
            name: "infra".into(),
            content: outputs.to_string().into(),
            ..OutputsDocument::default()
        }],
        application: Configuration {
            binding: Some(Config {
                path: "landfall.yaml".into(),
                content: binding.to_string().into(),
            }),
            ..Configuration::default()
        }
        .into(),
        ..Request::default()
    };
    let manifest = stream(triple);
    let file = File {
        path: "manifests.yaml".into(),
        content: manifest.clone().into(),
    };
    let answer = Sources::new(vec![file])
        .generate(&request)
        .map_err(|found| {
            let found = found.iter();
            let messages = found.map(|error| format!("{}: {}", error.rule.id(), error.message));
            messages.collect::<Vec<_>>().join("; ")
        })?;
    Ok(match &answer.sources[0] {
        Content::Edited(edits) => {
            let output = splice(manifest.as_bytes(), edits).unwrap();
            documents(&String::from_utf8(output).unwrap())
        }
        _ => documents(&manifest),
    })
}

/// Returns kustomize's outcome.
fn theirs(triple: &Triple, folder: &Scratch, kustomize: &std::path::Path) -> Outcome {
    let targets: Vec<Value> = triple.targets.iter().map(triple::Target::written).collect();
    let kustomization = json!({
        "resources": ["manifests.yaml"],
        "sortOptions": {"order": "fifo"},
        "replacements": [{"sourceValue": triple.value, "targets": targets}],
    });
    folder.write("kustomization.yaml", &kustomization.to_string());
    folder.write("manifests.yaml", &stream(triple));
    let output = std::process::Command::new(kustomize)
        .arg("build")
        .arg(folder.path())
        .output()
        .unwrap();
    if output.status.success() {
        Ok(documents(&String::from_utf8(output.stdout).unwrap()))
    } else {
        Err(String::from_utf8(output.stderr)
            .unwrap()
            .trim_end()
            .to_owned())
    }
}

/// Returns the documents as a YAML stream.
fn stream(triple: &Triple) -> String {
    let documents = triple.documents.iter();
    let written =
        documents.map(|document| format!("---\n{}", serde_yaml::to_string(document).unwrap()));
    written.collect()
}
