//! ApplicationSets expanded by landfall and by Argo CD's own packages
//! (`applicationset/controllers/template`, 3.2.12): equal Applications, or an error where
//! Argo CD fails or writes something that nobody meant, or a difference of a listed class.
//!
//! `LANDFALL_SEED` repeats a run; `LANDFALL_CASES=10` generates ten times as many.

mod comparison;
mod generated;
mod written;

use std::collections::BTreeMap;
use std::path::Path;

use landfall_host_tests::{program, scratch};
use landfall_test_support::seed::{Sequence, factor};

use self::comparison::{Case, compare};

/// Generated cases per run.
const CASES: usize = 4_000;

/// Compares all cases, prints how many there are of each class, and fails for those of none.
#[allow(clippy::print_stdout, reason = "the counts are a result of the test")]
fn check(what: &str, cases: &[Case]) -> BTreeMap<&'static str, usize> {
    let outcomes = compare(cases);
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unexplained = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok(class) => *classes.entry(class).or_default() += 1,
            Err(difference) => unexplained.push(difference),
        }
    }
    println!(
        "{what}: {} cases, unexplained: {}",
        cases.len(),
        unexplained.len()
    );
    for (class, count) in &classes {
        println!("  {count} {class}");
    }
    for difference in unexplained.iter().take(40) {
        println!("  {}", difference.lines().next().unwrap_or_default());
    }
    let shown: Vec<_> = unexplained.iter().take(3).map(String::as_str).collect();
    assert!(
        unexplained.is_empty(),
        "{} unexplained:\n{}",
        unexplained.len(),
        shown.join("\n\n")
    );
    classes
}

#[test(tools)]
fn generated_application_sets_become_equal_applications() {
    let count = CASES * usize::try_from(factor()).unwrap();
    let cases: Vec<Case> = (0..count)
        .map(|nth| generated::case(&mut Sequence::new(u64::try_from(nth).unwrap()), nth))
        .collect();
    let classes = check("generated ApplicationSets", &cases);
    // Cases that are all refused would prove nothing.
    let equal = classes
        .get("equal Applications")
        .copied()
        .unwrap_or_default();
    assert!(equal * 4 > count, "{classes:?}");
}

#[test(tools)]
fn written_application_sets_become_equal_applications() {
    check("written ApplicationSets", &written::cases());
}

#[test(tools)]
fn the_fleet_becomes_equal_applications() {
    let fleet = program::example("fleet");
    let secrets = ["prod-eu", "prod-us", "staging"].map(|cluster| {
        let path = fleet.join(format!("clusters/{cluster}.yaml"));
        scratch::read(&path)
    });
    let case = |set: &str| Case {
        what: set.to_owned(),
        sets: scratch::read(&fleet.join(format!("argocd/{set}.yaml"))),
        secrets: secrets.join("---\n"),
    };
    check("examples/fleet", &[case("promtail"), case("worker")]);
}

/// The examples in Argo CD's own module.
#[test(go, tools)]
fn argo_cds_examples_become_equal_applications() {
    let module = "github.com/argoproj/argo-cd/v3";
    let file = "applicationset/examples/merge/merge-clusters-and-list.yaml";
    let found = program::go_module_file(module, "applicationset-expand", file);
    let examples = found.ancestors().nth(2).unwrap();
    let mut cases = Vec::new();
    add_sets(examples, &mut cases);
    assert!(cases.len() > 20, "{}", examples.display());
    check("Argo CD's examples", &cases);
}

/// Adds the files with ApplicationSets below a folder.
fn add_sets(folder: &Path, cases: &mut Vec<Case>) {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            add_sets(&path, cases);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            let sets = scratch::read(&path);
            if sets.contains("kind: ApplicationSet") {
                let what = path.display().to_string();
                let secrets = written::CLUSTERS.to_owned();
                cases.push(Case {
                    what,
                    sets,
                    secrets,
                });
            }
        }
    }
}
