//! Setter comments: what they replace becomes their value, nothing else changes, and
//! rendering is idempotent.

use landfall::{Rule, Severity};
use serde_json::{Value as Json, json};

use crate::choices::{Choices, Sequence};
use crate::generated::cases;
use crate::oracle::output_name;
use crate::render::{Rendered, outputs, render, request};
use crate::tree::{self, Tree};
use crate::{document, hostile};

/// Manifests that the property checks.
const MANIFESTS: u32 = 6_000;

/// Multiplied by `LANDFALL_CASES`, as for every property.
fn manifest_count() -> usize {
    usize::try_from(cases(MANIFESTS).cases).unwrap()
}

/// The rules that may refuse a setter: a node that cannot be replaced, and a value that
/// is not allowed there.
const REFUSALS: &[Rule] = &[
    Rule::InvalidSetter,
    Rule::ConflictingSubstitutions,
    Rule::TypeMismatch,
    Rule::EmptyOutput,
];

fn values() -> Json {
    json!({
        "id": "vpc-0ab1", "n": 4, "list": ["a", "b"], "none": [], "map": {"team": "web"},
        "truthy": {"true": "a"}, "nul": "a\u{0}b", "break": "\n", "lines": "a\nb\n", "null": [null],
    })
}

fn rendered(manifest: &str, keep_references: bool) -> Result<Rendered, Vec<Rule>> {
    let values = values();
    let named = values.as_object().unwrap().iter();
    let mut request = request(outputs(named.map(|(name, value)| (name.clone(), value))));
    request.keep_references = keep_references;
    render(manifest.as_bytes(), &request)
        .map_err(|found| found.iter().map(|diagnostic| diagnostic.rule).collect())
}

/// Renders, and renders the result again.
fn check(manifest: &str, expected: &str) {
    for text in [manifest, expected] {
        let output = rendered(text, false).map(|rendered| rendered.output);
        let output = output.map(|output| String::from_utf8(output).unwrap());
        assert_eq!(output.as_deref(), Ok(expected), "{manifest:?}");
    }
    let again = rendered(expected, false).unwrap();
    assert!(again.edits.is_empty(), "{expected:?}: {:?}", again.edits);
}

fn assert_rejects(manifest: &str, rule: Rule) {
    let found = rendered(manifest, false).map(|rendered| rendered.output);
    assert_eq!(found, Err(vec![rule]), "{manifest:?}");
}

#[test]
fn sets_items_after_dashes_anchors_and_block_headers() {
    check(
        "- | # landfall: ${infra.lines}\n  old\n- >- # landfall: ${infra.id}\n  old\n- &a # landfall: ${infra.id}\n- - # landfall: ${infra.id}\n- - b # landfall: ${infra.id}\n",
        "- | # landfall: ${infra.lines}\n  a\n  b\n- >- # landfall: ${infra.id}\n  vpc-0ab1\n- &a vpc-0ab1 # landfall: ${infra.id}\n- - vpc-0ab1 # landfall: ${infra.id}\n- - vpc-0ab1 # landfall: ${infra.id}\n",
    );
}

#[test]
fn fills_empty_blocks() {
    check(
        "a: | # landfall: ${infra.lines}\nb: 1\nc: | # landfall: ${infra.lines}\n",
        "a: | # landfall: ${infra.lines}\n  a\n  b\nb: 1\nc: | # landfall: ${infra.lines}\n  a\n  b\n",
    );
    check(
        "a:\n- |- # landfall: ${infra.n}\n\n- b\nc: >2 # landfall: ${infra.n}",
        "a:\n- |- # landfall: ${infra.n}\n  4\n\n- b\nc: \"4\" # landfall: ${infra.n}",
    );
}

#[test]
fn values_that_do_not_fit_a_block_are_written_as_scalars() {
    check(
        "a: | # landfall: ${infra.nul}\n  x\nb: | # landfall: ${infra.break}\n  x\n",
        "a: \"a\\u0000b\" # landfall: ${infra.nul}\nb: \"\\n\" # landfall: ${infra.break}\n",
    );
}

#[test]
fn an_empty_last_member_goes_with_its_colon_or_dash() {
    check(
        "a: # landfall: ${infra.map}\n  k:\nb: # landfall: ${infra.list}\n- x\n-\nc: # landfall: ${infra.none}\n  ? x\n  :\nd: 1\n",
        "a: # landfall: ${infra.map}\n  team: web\nb: # landfall: ${infra.list}\n- a\n- b\nc: [] # landfall: ${infra.none}\nd: 1\n",
    );
}

#[test]
fn replaces_trailing_unicode_spaces_with_the_value() {
    for space in ["\u{a0}", "\u{3000}", "\u{2003}"] {
        let before = format!("a: # landfall: ${{infra.map}}\n  k: x{space}\nb: 1\n");
        check(&before, "a: # landfall: ${infra.map}\n  team: web\nb: 1\n");
        let before = format!("a: # landfall: ${{infra.list}}\n- x\n- {space}\n");
        check(&before, "a: # landfall: ${infra.list}\n- a\n- b\n");
    }
}

#[test]
fn anchors_and_tags_in_flow_end_at_commas() {
    check(
        "{a: !x, # landfall: ${infra.id}\n b: &y, # landfall: ${infra.id}\n c: !<x,y>, # landfall: ${infra.id}\n}\n",
        "{a: !x vpc-0ab1, # landfall: ${infra.id}\n b: &y vpc-0ab1, # landfall: ${infra.id}\n c: !<x,y> vpc-0ab1, # landfall: ${infra.id}\n}\n",
    );
}

#[test]
fn a_tag_must_fit_the_value() {
    assert_rejects(
        "a: !!seq # landfall: ${infra.map}\n  - a\n",
        Rule::TypeMismatch,
    );
    assert_rejects(
        "a: !!map # landfall: ${infra.id}\n  a: b\n",
        Rule::TypeMismatch,
    );
    assert_rejects(
        "a: !!int \"1\" # landfall: ${infra.id}\n",
        Rule::TypeMismatch,
    );
}

#[test]
fn rejects_an_anchor_on_its_own_line() {
    assert_rejects("a: # landfall: ${infra.id}\n  &a\n", Rule::TypeMismatch);
    assert_rejects(
        "a: # landfall: ${infra.id}\n  &a\n  - b\n",
        Rule::TypeMismatch,
    );
}

#[test]
fn keys_that_are_not_strings_differ_from_strings() {
    check(
        "a: # landfall: ${infra.truthy}\n  true: a\n",
        "a: # landfall: ${infra.truthy}\n  \"true\": a\n",
    );
}

#[test]
fn an_equal_value_is_not_an_edit() {
    check(
        "a: [] # landfall: ${infra.none}\nb: # landfall: ${infra.null}\n  - null\n",
        "a: [] # landfall: ${infra.none}\nb: # landfall: ${infra.null}\n  - null\n",
    );
}

#[test]
fn a_comment_must_mark_one_value() {
    // It would disappear with the value that it replaces.
    assert_rejects(
        "a: [ # landfall: ${infra.list}\n  x]\n",
        Rule::InvalidSetter,
    );
    assert_rejects(
        "a: [x, { # landfall: ${infra.list}\n  x: y}]\n",
        Rule::InvalidSetter,
    );
    assert_rejects(
        "a: x # landfall: ${infra.id} # landfall: ${infra.n}\n",
        Rule::InvalidSetter,
    );
    assert_rejects(
        "a: x # landfall: ${infra.id}  # the VPC\n",
        Rule::InvalidSetter,
    );
    assert_rejects("--- # landfall: ${infra.id}\na: x\n", Rule::InvalidSetter);
}

#[test]
fn reports_a_setter_in_invalid_yaml() {
    assert_rejects("a: [ # landfall: ${infra.list}\n", Rule::DocumentIsNotYaml);
}

#[test]
fn in_place_references_stay() {
    let kept = |manifest: &str| {
        let found = rendered(manifest, true);
        found.map(|rendered| String::from_utf8(rendered.output).unwrap())
    };
    let unchanged = [
        "a: ${infra.id}\nb: $${infra.id} ${infra.id\nc: ${infra.nope | nope}\n",
        // Nothing in it is rendered, so it may be anything.
        "a: [ ${infra.id}\n",
        "a: &${infra.id} b\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a.yaml: |\n    [ ${infra.id}\n",
    ];
    for manifest in unchanged {
        assert_eq!(kept(manifest).as_deref(), Ok(manifest));
    }
    assert_eq!(
        kept("a: ${infra.id}\nb: x # landfall: ${infra.id}\n").as_deref(),
        Ok("a: ${infra.id}\nb: vpc-0ab1 # landfall: ${infra.id}\n")
    );
    let conflicts = [
        "a: ${infra.id} # landfall: ${infra.id}\n",
        "a: # landfall: ${infra.list}\n- ${infra.id}\n",
        // The result would be a reference in the next render.
        "a: x # landfall: ${infra.id}$${infra.id}\n",
    ];
    for manifest in conflicts {
        assert_eq!(
            kept(manifest),
            Err(vec![Rule::ConflictingSubstitutions]),
            "{manifest:?}"
        );
    }
}

/// Setters after random lines of generated manifests.
#[test]
fn setters_set_their_values_and_nothing_else() {
    let mut sequence = Sequence::new(21);
    let mut held = 0;
    for _ in 0..manifest_count() {
        let numbers: Vec<u16> = (0..8 + sequence.below(150))
            .map(|_| u16::try_from(sequence.below(1 << 16)).unwrap())
            .collect();
        let choices = &mut Choices::new(&numbers);
        let values: Vec<Json> = (0..2).map(|_| hostile::any(choices)).collect();
        let manifest = document::manifest(choices, 2).with_tokens();
        let Ok(before) = tree::read(&manifest) else {
            continue;
        };
        let mut with_setters = manifest;
        let setters = 1 + sequence.below(values.len());
        for number in 0..setters {
            let lines = with_setters.matches('\n').count() + 1;
            let line = sequence.below(lines);
            with_setters = with_setter(&with_setters, line, number);
        }
        // In a scalar it is text, and after another comment it is part of that.
        let comments = (0..setters).all(|number| !in_comment(&with_setters, number));
        if !comments || tree::read(&with_setters).as_ref() != Ok(&before) {
            continue;
        }
        held += usize::from(check_render(&with_setters, &before, &values[..setters]));
    }
    assert!(
        held > manifest_count() / 8,
        "only {held} of {} rendered",
        manifest_count()
    );
}

#[test]
fn a_list_beside_its_comment_is_written_in_brackets() {
    check(
        "a:\n  x # landfall: ${infra.list}\nb: 1\n",
        "a:\n  [a, b] # landfall: ${infra.list}\nb: 1\n",
    );
    check(
        "--- x # landfall: ${infra.map}\n",
        "--- {team: web} # landfall: ${infra.map}\n",
    );
    check(
        "- ? k\n  : x # landfall: ${infra.list}\n",
        "- ? k\n  : # landfall: ${infra.list}\n    - a\n    - b\n",
    );
}

fn comment(number: usize) -> String {
    format!("# landfall: ${{infra.{}}}", output_name(number))
}

fn with_setter(manifest: &str, line: usize, number: usize) -> String {
    let ends = manifest.match_indices('\n').map(|(at, _)| at);
    let at = ends.chain([manifest.len()]).nth(line).unwrap();
    let at = at - usize::from(manifest[..at].ends_with('\r'));
    format!("{} {}{}", &manifest[..at], comment(number), &manifest[at..])
}

fn in_comment(manifest: &str, number: usize) -> bool {
    let wanted = comment(number);
    manifest.lines().any(|line| {
        line.find(&wanted)
            .is_some_and(|at| line[..at].contains('#') || line[at + wanted.len()..].contains('#'))
    })
}

fn check_render(manifest: &str, before: &[Tree], values: &[Json]) -> bool {
    let named = (0..values.len()).map(output_name).zip(values);
    let request = request(outputs(named));
    let rendered = match render(manifest.as_bytes(), &request) {
        Ok(rendered) => rendered,
        Err(found) => {
            let stray = found
                .iter()
                .find(|error| error.severity == Severity::Error && !REFUSALS.contains(&error.rule));
            assert!(stray.is_none(), "{manifest:?} {values:?}: {stray:?}");
            return false;
        }
    };
    let output = String::from_utf8(rendered.output).unwrap();
    let reported = format!("{manifest:?}\n{output:?}\n{values:?}");
    for number in 0..values.len() {
        let comment = comment(number);
        assert_eq!(
            output.matches(&comment).count(),
            1,
            "a comment is gone: {reported}"
        );
    }
    let after = tree::read(&output).unwrap_or_else(|error| panic!("{error}: {reported}"));
    let mut found = vec![false; values.len()];
    assert_eq!(before.len(), after.len(), "{reported}");
    for (before, after) in before.iter().zip(&after) {
        if let Err(stray) = set(before, after, values, &mut found) {
            panic!("{stray} changed: {reported}");
        }
    }
    if values
        .iter()
        .any(|value| value.to_string().contains("${infra"))
    {
        // In a second render it would be a reference.
        return true;
    }
    let again = render(output.as_bytes(), &request);
    let again = again.unwrap_or_else(|found| panic!("refused again: {reported}\n{found:?}"));
    assert!(again.edits.is_empty(), "{:?}: {reported}", again.edits);
    found.iter().any(|found| *found)
}

/// Marks the values that replaced nodes. The error is any other change.
fn set(before: &Tree, after: &Tree, values: &[Json], found: &mut [bool]) -> Result<(), String> {
    if before == after {
        return Ok(());
    }
    if let Some(nth) = values
        .iter()
        .position(|value| becomes(before, after, value))
    {
        found[nth] = true;
        return Ok(());
    }
    match (before, after) {
        (Tree::List(before), Tree::List(after)) if before.len() == after.len() => before
            .iter()
            .zip(after)
            .try_for_each(|(before, after)| set(before, after, values, found)),
        (Tree::Map(before), Tree::Map(after)) if before.len() == after.len() => {
            before.iter().zip(after).try_for_each(|(before, after)| {
                if before.0 != after.0 {
                    return Err(format!("the key {:?}", before.0));
                }
                set(&before.1, &after.1, values, found)
            })
        }
        (Tree::Tagged(own, before), Tree::Tagged(tag, after)) if own == tag => {
            set(before, after, values, found)
        }
        _ => Err(format!("{before:?} to {after:?}")),
    }
}

/// Whether a node has become a value, in the author's quotes or block.
pub(crate) fn becomes(before: &Tree, after: &Tree, value: &Json) -> bool {
    let text = match value {
        Json::String(text) => text.clone(),
        Json::Number(_) | Json::Bool(_) => value.to_string(),
        _ => return *after == Tree::from(value),
    };
    let in_block = |before: &str, after: &str| {
        let own = &before[before.trim_end_matches('\n').len()..];
        after.strip_suffix(own) == Some(text.trim_end_matches('\n'))
            // An empty block keeps its first line break.
            || after.strip_suffix('\n') == Some(text.trim_end_matches('\n'))
    };
    match (before, after) {
        _ if *after == Tree::from(value) => true,
        (Tree::Text(before), Tree::Text(after)) => *after == text || in_block(before, after),
        (_, Tree::Text(after)) => *after == text,
        _ => false,
    }
}
