//! The law, checked on one template with one set of values.

use std::collections::BTreeSet;
use std::ops::Range;

use landfall::{Diagnostic, Diagnostics, Edit, Rule, Severity, Substitution};
use serde_json::Value as Json;

use crate::render::{Rendered, outputs, render, request};
use crate::template::{Member, Names, Reference, Spelled, Template, tokens};
use crate::tree::{self, Tree};

/// The result of a check that did not fail.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// The law holds.
    Held(Proved),
    /// The render refused the values, as it should.
    Refused,
    /// The independent parser does not read the template, so nothing was checked.
    NotRead(String),
}

/// A manifest for which the law holds.
#[derive(Debug)]
pub(crate) struct Proved {
    pub(crate) output: String,
    pub(crate) expected: Vec<Tree>,
}

/// Returns the name of the output that the reference with this number names.
pub(crate) fn output_name(number: usize) -> String {
    format!("v{number}")
}

/// Checks one template; `values` are the outputs `v0`, `v1`, ….
///
/// # Errors
/// How the law is broken.
pub(crate) fn check(template: &Template, values: &[Json]) -> Result<Verdict, String> {
    check_by(template, values, |manifest, outputs| {
        render(manifest, &request(outputs))
    })
}

/// Does the same with another way of rendering a manifest with an outputs document.
pub(crate) fn check_by(
    template: &Template,
    values: &[Json],
    render: impl Fn(&[u8], Vec<u8>) -> Result<Rendered, Diagnostics>,
) -> Result<Verdict, String> {
    let with_tokens = template.with_tokens();
    let trees = match tree::read(&with_tokens) {
        Ok(trees) => trees,
        Err(error) => return Ok(Verdict::NotRead(error)),
    };
    let mut seen = BTreeSet::new();
    for tree in &trees {
        tree.texts(&mut |text| seen.extend(tokens(text).into_iter().map(|(_, number)| number)));
    }
    if seen.len() != template.references().len() {
        return Ok(Verdict::NotRead(
            "a reference is not part of a scalar".into(),
        ));
    }
    let references = template.references();
    let keys = Keys::of(&trees);
    let expected: Vec<Tree> = trees
        .iter()
        .map(|tree| {
            let tree = with_members(tree, references, values);
            tree.map_texts(&mut |text| substituted(text, references, &keys, values))
        })
        .collect();
    let mut refusals = refusals(&trees, &keys, &expected, references, values);
    refuse_members(&trees, references, values, &with_tokens, &mut refusals);

    let spelled = template.spelled();
    let document = outputs((0..values.len()).map(output_name).zip(values));
    let reported = |what: String| {
        let values: Vec<_> = values.iter().map(shortened).collect();
        format!(
            "{what}\n  template: {:?}\n  values: {}",
            spelled.text,
            values.join(" · ")
        )
    };
    let rendered = match render(spelled.text.as_bytes(), document) {
        Ok(rendered) => rendered,
        Err(diagnostics) => {
            return check_refusal(&diagnostics, &refusals)
                .map(|()| Verdict::Refused)
                .map_err(reported);
        }
    };
    if refusals.must {
        return Err(reported(format!(
            "rendered, and should be refused for one of {:?}: {:?}",
            refusals.rules,
            String::from_utf8_lossy(&rendered.output)
        )));
    }
    if let Some(substitutions) = &rendered.substitutions {
        check_report(substitutions, &spelled, references).map_err(reported)?;
    }
    let output = String::from_utf8(rendered.output)
        .map_err(|_| reported("the output is not UTF-8".into()))?;
    check_edits(&rendered.edits, &spelled, references.iter().any(is_member))
        .map_err(|what| reported(format!("{what}\n  output: {output:?}")))?;
    let read = tree::read(&output).map_err(|error| {
        reported(format!(
            "the output is not YAML: {error}\n  output: {}",
            cut(&output)
        ))
    })?;
    if read != expected {
        return Err(reported(format!(
            "another tree\n  output: {}\n  is:     {read:?}\n  should: {expected:?}",
            cut(&output)
        )));
    }
    Ok(Verdict::Held(Proved { output, expected }))
}

/// The references in keys.
struct Keys(BTreeSet<usize>);

impl Keys {
    fn of(trees: &[Tree]) -> Self {
        let mut keys = BTreeSet::new();
        for tree in trees {
            tree.keys(&mut |key| keys.extend(tokens(key).into_iter().map(|(_, number)| number)));
        }
        Self(keys)
    }
}

/// Returns what a text of the template becomes.
fn substituted(text: &str, references: &[Reference], keys: &Keys, values: &[Json]) -> Tree {
    let found = tokens(text);
    let Some((_, first)) = found.first() else {
        return Tree::Text(text.to_owned());
    };
    let properties = references[*first].properties;
    if let ([(range, number)], true) = (
        found.as_slice(),
        properties.plain && !keys.0.contains(first),
    ) && *range == (0..text.len())
        && let Some(value) = value_of(&references[*number].names, values)
        && !(properties.tagged_text && (value.is_number() || value.is_boolean()))
    {
        return Tree::from(&value);
    }
    let mut result = String::new();
    let mut at = 0;
    for (range, number) in found {
        result.push_str(&text[at..range.start]);
        result.push_str(&text_of(&references[number].names, values));
        at = range.end;
    }
    result.push_str(&text[at..]);
    Tree::Text(match properties.chomping {
        Some(chomping) => chomping.chomp(&result),
        None => result,
    })
}

/// Returns the value of a reference, or `None` for an escape.
fn value_of(names: &Names, values: &[Json]) -> Option<Json> {
    match names {
        Names::Text(_) => None,
        Names::Member { number, .. } => Some(values[*number].clone()),
        Names::Output { number, default } => match (&values[*number], default) {
            (value, Some(default)) if is_empty(value) => Some(Json::String(default.clone())),
            (value, _) => Some(value.clone()),
        },
    }
}

fn text_of(names: &Names, values: &[Json]) -> String {
    match (names, value_of(names, values)) {
        (Names::Text(text), _) => text.clone(),
        (_, Some(Json::String(text))) => text,
        (_, value) => value.unwrap_or_default().to_string(),
    }
}

fn is_empty(value: &Json) -> bool {
    value.is_null() || value.as_str() == Some("")
}

/// The errors that a render is allowed to report.
struct Refusals {
    rules: Vec<Rule>,
    /// Whether it must report one of them.
    must: bool,
}

/// Single-line keys have at most 1024 characters in source form, and one character takes
/// at most six.
const MAX_SAFE_KEY_LEN: usize = 1024 / 6 - 2;

fn refusals(
    trees: &[Tree],
    keys: &Keys,
    expected: &[Tree],
    references: &[Reference],
    values: &[Json],
) -> Refusals {
    let (mut rules, mut unwritten) = (Vec::new(), Vec::new());
    for (nth, reference) in references.iter().enumerate() {
        if matches!(reference.names, Names::Member { .. }) {
            continue;
        }
        let Some(value) = value_of(&reference.names, values) else {
            continue;
        };
        let default = matches!(
            &reference.names,
            Names::Output {
                default: Some(_),
                ..
            }
        );
        if is_empty(&value) && !default {
            rules.push(Rule::EmptyOutput);
        }
        let properties = reference.properties;
        let alone = properties.plain && !keys.0.contains(&nth) && is_whole_scalar(trees, nth);
        if (value.is_array() || value.is_object()) && (!alone || properties.tagged_text) {
            // That of an entry that is removed is not written.
            if properties.key && references.iter().any(is_member) {
                unwritten.push(Rule::TypeMismatch);
            } else {
                rules.push(Rule::TypeMismatch);
            }
        }
    }
    let twice = |same| expected.iter().any(|tree| tree.has_duplicate_keys(same));
    if twice(Tree::eq) {
        rules.push(Rule::DuplicateKey);
    }
    let must = !rules.is_empty();
    rules.append(&mut unwritten);
    // Keys that lost a part of their text, or their quotes, may be equal.
    if must || twice(Tree::same_in_json) {
        rules.push(Rule::DuplicateKey);
    }
    if expected.iter().any(has_long_key) {
        rules.push(Rule::TypeMismatch);
    }
    Refusals { rules, must }
}

fn is_whole_scalar(trees: &[Tree], number: usize) -> bool {
    let token = crate::template::token(number);
    let mut alone = true;
    for tree in trees {
        tree.texts(&mut |text| alone &= text == token || !text.contains(&token));
    }
    alone
}

fn has_long_key(tree: &Tree) -> bool {
    match tree {
        Tree::List(items) => items.iter().any(has_long_key),
        Tree::Map(entries) => entries.iter().any(|(key, value)| {
            matches!(key, Tree::Text(text) if text.chars().count() > MAX_SAFE_KEY_LEN)
                || has_long_key(value)
        }),
        Tree::Tagged(_, inner) => has_long_key(inner),
        _ => false,
    }
}

fn check_refusal(diagnostics: &[Diagnostic], refusals: &Refusals) -> Result<(), String> {
    let errors: Vec<_> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .collect();
    match errors
        .iter()
        .find(|error| !refusals.rules.contains(&error.rule))
    {
        Some(error) => Err(format!(
            "refused: {}: {} at {:?}",
            error.rule.id(),
            error.message,
            error.labels.first().map(|label| label.span)
        )),
        None if errors.is_empty() => Err("refused without an error".into()),
        None => Ok(()),
    }
}

/// Checks that the report lists every reference with its position, and nothing else.
fn check_report(
    substitutions: &[Substitution],
    spelled: &Spelled,
    references: &[Reference],
) -> Result<(), String> {
    let reported: Vec<_> = substitutions
        .iter()
        .map(|substitution| (substitution.span().range(), substitution.output.clone()))
        .collect();
    let expected: Vec<_> = spelled
        .references
        .iter()
        .zip(references)
        .filter_map(|(range, reference)| match &reference.names {
            Names::Output { number, .. } => {
                Some((range.clone(), format!("infra.{}", output_name(*number))))
            }
            Names::Member { number, .. } => {
                Some((range.clone(), format!("infra.{}", output_name(*number))))
            }
            Names::Text(_) => None,
        })
        .collect();
    // A key whose entry is removed has no result.
    let has_members = spelled.references.iter().zip(references);
    let in_keys: Vec<_> = has_members.filter(|(_, one)| one.properties.key).collect();
    let without_keys = |all: &[(Range<usize>, String)]| -> Vec<(Range<usize>, String)> {
        let is_key = |range: &Range<usize>| in_keys.iter().any(|(key, _)| *key == range);
        let others = all.iter().filter(|(range, _)| !is_key(range));
        others.cloned().collect()
    };
    let (reported, expected) = if references.iter().any(is_member) {
        let mut reported = without_keys(&reported);
        reported.sort_by_key(|(range, _)| range.start);
        (reported, without_keys(&expected))
    } else {
        (reported, expected)
    };
    if reported == expected {
        Ok(())
    } else {
        Err(format!("reported: {reported:?}\n  should be: {expected:?}"))
    }
}

/// Checks that edits change only scalars with references. A list that replaces a scalar
/// also replaces the whitespace before it, and may begin at the end of the line.
fn check_edits(edits: &[Edit], spelled: &Spelled, has_members: bool) -> Result<(), String> {
    let text = &spelled.text;
    let may_take = |scalar: &Range<usize>, edit: &Edit| {
        let start = text[..scalar.start].trim_end_matches([' ', '\t']).len();
        start <= edit.span.start && edit.span.end <= scalar.end
    };
    let may_insert = |scalar: &Range<usize>, edit: &Edit| {
        let line_end = text[scalar.end..]
            .find(['\n', '\r'])
            .map_or(text.len(), |at| scalar.end + at);
        edit.span.start == edit.span.end && edit.span.start == line_end
    };
    if has_members {
        return check_member_edits(edits, spelled);
    }
    let stray = edits.iter().find(|edit| {
        !spelled
            .scalars
            .iter()
            .any(|scalar| may_take(scalar, edit) || may_insert(scalar, edit))
    });
    match stray {
        Some(edit) => Err(format!(
            "the edit of {:?} ({:?}) leaves the scalars with references",
            edit.span,
            text.get(edit.span.range())
        )),
        None => Ok(()),
    }
}

/// Checks that edits change nothing but the lines of scalars with references, the comma
/// before one that is removed, and what is written for a collection without members.
fn check_member_edits(edits: &[Edit], spelled: &Spelled) -> Result<(), String> {
    let text = &spelled.text;
    let is_in_lines = |scalar: &Range<usize>, edit: &Edit| {
        let start = text[..scalar.start].rfind('\n').unwrap_or(0);
        let start = start - usize::from(text[..start].ends_with('\r'));
        let end = text[scalar.end..]
            .find('\n')
            .map_or(text.len(), |at| scalar.end + at + 1);
        // What follows on the next line takes the place of a first member.
        let end = end + text[end..].len() - text[end..].trim_start_matches(' ').len();
        // The key, a dash and a comment may be on lines of their own.
        let lines = text[edit.span.range()].matches('\n').count();
        (start <= edit.span.start || lines < 4)
            && scalar.start < edit.span.end
            && edit.span.end <= end
    };
    let is_separator = |edit: &Edit| {
        let removed = &text[edit.span.range()];
        matches!(&edit.text[..], b" {}" | b" []") && removed.is_empty()
            || edit.text.is_empty()
                && removed
                    .trim_start_matches(',')
                    .trim_matches([' ', '\n', '\r'])
                    .is_empty()
    };
    // A flow collection that becomes empty may have several lines.
    let is_emptied = |edit: &Edit| edit.text.is_empty() && !text[edit.span.range()].contains('#');
    let stray = edits.iter().find(|edit| {
        let mut scalars = spelled.scalars.iter();
        let is_of_scalar = scalars.any(|scalar| is_in_lines(scalar, edit));
        !(is_of_scalar || is_separator(edit) || is_emptied(edit))
    });
    match stray {
        Some(edit) => Err(format!(
            "the edit of {:?} ({:?}) leaves the lines of scalars with references",
            edit.span,
            text.get(edit.span.range())
        )),
        None => Ok(()),
    }
}

fn is_member(reference: &Reference) -> bool {
    matches!(reference.names, Names::Member { .. })
}

/// What becomes of an entry or item.
enum Becomes {
    Removed,
    Items(Vec<Json>),
    Value,
    Refused(Rule),
}

fn becomes(member: Member, value: &Json) -> Becomes {
    let items = |all: &[Json]| match member {
        Member::EachSpread => {
            let or_zero = |item: &Json| {
                if is_empty(item) {
                    Json::from(0)
                } else {
                    item.clone()
                }
            };
            all.iter().map(or_zero).collect()
        }
        _ => all.to_vec(),
    };
    match (member, value) {
        (Member::Omit | Member::OmitSpread, value) if is_empty(value) => Becomes::Removed,
        (Member::Omit, _) => Becomes::Value,
        (_, Json::Array(all)) => Becomes::Items(items(all)),
        (_, value) if is_empty(value) => Becomes::Refused(Rule::EmptyOutput),
        _ => Becomes::Refused(Rule::TypeMismatch),
    }
}

/// Returns the reference that is all of a node, if it removes or multiplies it.
fn member_of(tree: &Tree, references: &[Reference]) -> Option<(usize, Member)> {
    match tree {
        Tree::Text(text) => match tokens(text).as_slice() {
            [(range, nth)] if *range == (0..text.len()) => match references[*nth].names {
                Names::Member { number, member } => Some((number, member)),
                _ => None,
            },
            _ => None,
        },
        Tree::Tagged(_, inner) => member_of(inner, references),
        _ => None,
    }
}

/// Returns the tree with entries and items removed. Items that several take the place of
/// are written as they are in the output.
fn with_members(tree: &Tree, references: &[Reference], values: &[Json]) -> Tree {
    let becomes = |tree: &Tree| {
        let (number, member) = member_of(tree, references)?;
        Some(becomes(member, &values[number]))
    };
    let inside = |tree: &Tree| with_members(tree, references, values);
    match tree {
        Tree::List(items) => {
            let mut all = Vec::new();
            for item in items {
                match becomes(item) {
                    Some(Becomes::Removed) => {}
                    Some(Becomes::Items(items)) => all.extend(items.iter().map(Tree::from)),
                    _ => all.push(inside(item)),
                }
            }
            Tree::List(all)
        }
        Tree::Map(entries) => {
            let kept = entries
                .iter()
                .filter(|(_, value)| !matches!(becomes(value), Some(Becomes::Removed)));
            let entries = kept.map(|(key, value)| (inside(key), inside(value)));
            Tree::Map(entries.collect())
        }
        Tree::Tagged(tag, inner) => Tree::Tagged(tag.clone(), Box::new(inside(inner))),
        other => other.clone(),
    }
}

/// Adds the errors for references that cannot remove or multiply anything.
fn refuse_members(
    trees: &[Tree],
    references: &[Reference],
    values: &[Json],
    text: &str,
    refusals: &mut Refusals,
) {
    /// Collects what each token is: an item or another value, or neither.
    fn places(tree: &Tree, place: &str, found: &mut Vec<(usize, String)>) {
        match tree {
            Tree::Text(text) => {
                for (range, nth) in tokens(text) {
                    let whole = range == (0..text.len());
                    found.push((nth, if whole { place } else { "part" }.to_owned()));
                }
            }
            Tree::List(items) => items.iter().for_each(|item| places(item, "item", found)),
            Tree::Map(entries) => {
                for (key, value) in entries {
                    places(key, "key", found);
                    places(value, "value", found);
                }
            }
            Tree::Tagged(_, inner) => places(inner, &format!("tagged {place}"), found),
            _ => {}
        }
    }
    let mut found = Vec::new();
    for tree in trees {
        places(tree, "root", &mut found);
    }
    for (nth, reference) in references.iter().enumerate() {
        let Names::Member { number, member } = reference.names else {
            continue;
        };
        let properties = reference.properties;
        let mut own = found
            .iter()
            .filter(|(one, _)| *one == nth)
            .map(|(_, place)| &place[..]);
        let first = own.next().unwrap_or("part");
        let is_allowed = match member {
            Member::Omit => first.ends_with("item") || first.ends_with("value"),
            _ => first == "item" && properties.plain && !properties.tagged_text,
        };
        if !is_allowed || properties.chomping.is_some() {
            refusals.rules.push(Rule::MisplacedReference);
            refusals.must = true;
            continue;
        }
        match becomes(member, &values[number]) {
            Becomes::Refused(rule) => {
                refusals.rules.push(rule);
                refusals.must = true;
            }
            Becomes::Value => {
                let value = &values[number];
                let is_collection = value.is_array() || value.is_object();
                if is_collection && (!properties.plain || properties.tagged_text) {
                    refusals.rules.push(Rule::TypeMismatch);
                    refusals.must = true;
                }
            }
            Becomes::Removed | Becomes::Items(_) => {}
        }
        // Anchors, entries after `?`, and lines after block scalars.
        if text.contains(['&', '?', '|', '>']) {
            refusals.rules.push(Rule::MisplacedReference);
        }
    }
}

fn shortened(value: &Json) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    let short: String = text.chars().take(1500).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("{short:?}{more}")
}
