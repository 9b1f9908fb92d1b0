//! The property of each generated case, which the fuzz target `unbound` checks too.

use landfall::{Diagnostic, File, Origin, Rule, Severity, Sources};

use super::case::Case;
use super::model::Finding;
use crate::choices::Choices;

const RULES: &[Rule] = &[
    Rule::NearMiss,
    Rule::BoundElsewhere,
    Rule::NothingBound,
    Rule::UnboundReference,
    Rule::SetterLookAlike,
];

/// Checks that a render reports what the model finds, and nothing else of these rules.
/// Returns the rules and severities that it found.
pub fn reported_as_the_model_says(choices: &mut Choices<'_>) -> Vec<(Rule, Severity)> {
    let case = Case::generate(choices);
    let sources = Sources::new(vec![File {
        path: "manifest.yaml".to_owned(),
        content: case.manifest.clone().into_bytes(),
    }]);
    let diagnostics = match sources.generate(&case.request()) {
        Ok(answer) => answer.diagnostics,
        Err(diagnostics) => diagnostics,
    };
    let reported = || format!("{:#?}\nof\n{}", case.names, case.manifest);
    let invalid = diagnostics
        .iter()
        .find(|found| found.rule == Rule::InvalidBinding);
    assert!(invalid.is_none(), "{invalid:?}\n{}", reported());
    let found = diagnostics
        .iter()
        .filter(|found| RULES.contains(&found.rule))
        // The syntax and the setters of other tools with a bound name are those of `near_miss`.
        .filter(|found| !found.message.contains("is not a reference"))
        .filter(|found| !found.message.contains("setter comment of the dialect"));
    let mut found: Vec<Finding> = found.map(|found| finding(&case, found)).collect();
    let mut expected = case.names.findings(&case.occurrences);
    expected.extend(case.look_alikes.iter().map(|at| Finding {
        start: *at,
        end: *at,
        rule: Rule::SetterLookAlike,
        severity: case.names.severity(),
        count: 1,
    }));
    found.sort_unstable();
    expected.sort_unstable();
    if found != expected {
        let only = |these: &[Finding], those: &[Finding]| -> String {
            let only = these.iter().filter(|one| !those.contains(one));
            only.map(|one| {
                let line = case.manifest[..one.start].matches('\n').count() + 1;
                format!("  line {line} {one:?}\n")
            })
            .collect()
        };
        panic!(
            "only the model finds\n{}only landfall finds\n{}with {}",
            only(&expected, &found),
            only(&found, &expected),
            reported()
        );
    }
    found.iter().map(|one| (one.rule, one.severity)).collect()
}

/// Converts a diagnostic to the model's form.
fn finding(case: &Case, found: &Diagnostic) -> Finding {
    let label = found.labels.first().expect("a label");
    assert_eq!(label.origin, Origin::Manifest(0));
    let (mut start, mut end) = (label.span.start, label.span.end);
    if found.rule == Rule::SetterLookAlike {
        // The beginning of the comment.
        let line = case.manifest[..start].rfind('\n').map_or(0, |at| at + 1);
        let comment = case.manifest[..start]
            .rfind(" #")
            .map_or(line, |at| (at + 1).max(line));
        let text = &case.manifest[line..start];
        start = if text.trim_start().starts_with('#') {
            line + text.len() - text.trim_start().len()
        } else {
            comment
        };
        end = start;
    }
    if found.rule == Rule::NearMiss {
        let near = case.names.near(&case.manifest[start..end]);
        let edit = found.fixes.first().and_then(|fix| fix.edits.first());
        let fixed = edit.map(|edit| String::from_utf8_lossy(&edit.text).into_owned());
        let is_near = fixed
            .as_ref()
            .is_some_and(|fixed| near.contains(&fixed.as_str()));
        assert!(
            is_near,
            "{fixed:?} is offered where these are near: {near:?}"
        );
    }
    let after = found.message.rsplit_once('(');
    let count = after.and_then(|(_, rest)| rest.strip_suffix(" occurrences)")?.parse().ok());
    Finding {
        start,
        end,
        rule: found.rule,
        severity: found.severity,
        count: count.unwrap_or(1),
    }
}
