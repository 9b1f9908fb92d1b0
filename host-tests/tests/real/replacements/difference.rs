//! Where landfall and kustomize differ: the classes that docs/language/field-bindings.md
//! lists, each with its predicate.

use serde_json::Value;

use super::triple::{Target, Triple};

/// The result of one of the programs for a triple.
pub(super) type Outcome = Result<Vec<Value>, String>;

/// Classifies how the outcomes compare. The error is the first difference that belongs to
/// no class.
pub(super) fn class(
    triple: &Triple,
    ours: &Outcome,
    theirs: &Outcome,
) -> Result<&'static str, String> {
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => {
            let mut class = "equal";
            for ((before, ours), theirs) in triple.documents.iter().zip(ours).zip(theirs) {
                for difference in differences(before, ours, theirs) {
                    class = of_difference(triple, before, &difference)
                        .ok_or_else(|| format!("{difference:?}"))?;
                }
            }
            if ours.len() == theirs.len() {
                Ok(class)
            } else {
                Err("another number of documents".to_owned())
            }
        }
        (Err(_), Err(_)) => Ok("equal refusal"),
        (Ok(_), Err(theirs)) => refused_by_kustomize(triple, theirs)
            .ok_or_else(|| format!("only kustomize refuses: {theirs}")),
        (Err(ours), Ok(theirs)) => refused_by_us(triple, ours, theirs)
            .ok_or_else(|| format!("only landfall refuses: {ours}")),
    }
}

/// A value that differs between the documents.
#[derive(Debug)]
struct Difference {
    path: Vec<String>,
    before: Option<Value>,
    ours: Value,
    theirs: Value,
}

/// Returns where two results for one document differ.
fn differences(before: &Value, ours: &Value, theirs: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(&mut Vec::new(), Some(before), ours, theirs, &mut found);
    found
}

fn compare(
    path: &mut Vec<String>,
    before: Option<&Value>,
    ours: &Value,
    theirs: &Value,
    differences: &mut Vec<Difference>,
) {
    match (ours, theirs) {
        (Value::Object(our), Value::Object(their)) if our.keys().eq(their.keys()) => {
            for (key, ours) in our {
                path.push(key.clone());
                let before = before.and_then(|before| before.get(key));
                compare(path, before, ours, &their[key], differences);
                path.pop();
            }
        }
        (Value::Array(our), Value::Array(their)) if our.len() == their.len() => {
            for (nth, (ours, theirs)) in our.iter().zip(their).enumerate() {
                path.push(nth.to_string());
                let before = before.and_then(|before| before.get(nth));
                compare(path, before, ours, theirs, differences);
                path.pop();
            }
        }
        _ if ours == theirs => {}
        _ => differences.push(Difference {
            path: path.clone(),
            before: before.cloned(),
            ours: ours.clone(),
            theirs: theirs.clone(),
        }),
    }
}

fn of_difference(
    triple: &Triple,
    document: &Value,
    difference: &Difference,
) -> Option<&'static str> {
    let Difference {
        path,
        before,
        ours,
        theirs,
    } = difference;
    if one_after_the_other(triple) {
        return Some("targets are found in the manifest as it was");
    }
    if theirs.as_str().is_some_and(|text| text.contains(": !!")) {
        return Some("kustomize writes a tag inside");
    }
    if let (Some(Value::String(before)), Value::String(ours), Value::String(theirs)) =
        (before, ours, theirs)
        && let (Some(read), Some(our), Some(their)) =
            (structure(before), structure(ours), structure(theirs))
        && triple
            .targets
            .iter()
            .any(|target| steps(target).len() > path.len())
    {
        let unselected = || {
            let one_selects = before == theirs || before == ours;
            selection(triple, document).filter(|_| one_selects)
        };
        return inside(triple, before, theirs, &read, &our, &their).or_else(unselected);
    }
    let by_us = before.as_ref() != Some(ours);
    let by_them = before.as_ref() != Some(theirs);
    if *before == Some(Value::Null) && !by_them {
        return Some("null takes every value");
    }
    if by_us && by_them {
        return typed(triple, before.as_ref(), ours, theirs)
            .or_else(|| last_break(before.as_ref(), ours, theirs));
    }
    if by_them
        && triple
            .targets
            .iter()
            .any(|target| finds_more(target, document))
    {
        return Some("[key=value] is anchored");
    }
    selection(triple, document)
}

/// Classifies the same text written as values of different types.
fn typed(
    triple: &Triple,
    before: Option<&Value>,
    ours: &Value,
    theirs: &Value,
) -> Option<&'static str> {
    let is_text = *ours == Value::String(triple.value.clone());
    if !is_text || !(theirs.is_number() || theirs.is_boolean()) {
        return None;
    }
    match before {
        Some(Value::Number(_) | Value::Bool(_)) => {
            Some("only canonical numbers and booleans stay some")
        }
        Some(Value::String(_)) => None,
        _ => Some("a new value has the type of the output"),
    }
}

fn last_break(before: Option<&Value>, ours: &Value, theirs: &Value) -> Option<&'static str> {
    let ends = before?.as_str()?.ends_with('\n');
    let text = |value: &Value| value.as_str().map(|text| text.replace('\n', ""));
    (ends && text(ours) == text(theirs)).then_some("the last line break stays")
}

/// Classifies what differs inside a string that contains YAML or JSON.
fn inside(
    triple: &Triple,
    text: &str,
    theirs_text: &str,
    before: &Value,
    ours: &Value,
    theirs: &Value,
) -> Option<&'static str> {
    let differences = differences(before, ours, theirs);
    if differences.is_empty() {
        return Some("equal inside");
    }
    if triple.targets.iter().any(Target::has_delimiter) {
        return Some("kustomize ignores delimiter inside");
    }
    if text == theirs_text {
        // kustomize has changed a copy and dropped it.
        let goes_through_all = triple
            .targets
            .iter()
            .any(|target| target.path.contains('*'));
        let is_json = text.starts_with('{');
        return (goes_through_all || is_json).then_some("kustomize changes nothing inside");
    }
    let mut class = None;
    for Difference {
        before,
        ours,
        theirs,
        ..
    } in &differences
    {
        let mut paths = triple.targets.iter().map(|target| &target.path);
        if before.as_ref() != Some(ours) {
            class = Some(typed(triple, before.as_ref(), ours, theirs)?);
        } else if paths.any(|path| path.contains("[name=")) {
            class = Some("[key=value] is anchored");
        } else {
            return None;
        }
    }
    class
}

/// Classifies a difference in which resources are selected, this document among them.
fn selection(triple: &Triple, document: &Value) -> Option<&'static str> {
    let metadata = &document["metadata"];
    for target in &triple.targets {
        let selectors = || std::iter::once(&target.select).chain(&target.reject);
        if metadata.get("namespace").is_none()
            && selectors().any(|selector| selector.contains_key("namespace"))
        {
            return Some("no namespace is the one called default");
        }
        let both = |reject: &serde_json::Map<String, Value>| {
            reject.contains_key("labelSelector") && reject.len() > 1
        };
        if target.reject.as_ref().is_some_and(both) {
            return Some("a reject is met as a whole");
        }
        if metadata["name"] == "a-b"
            && selectors().any(|selector| selector.get("name") == Some(&Value::from("a.b")))
        {
            return Some("a dot alone is literal");
        }
    }
    None
}

fn refused_by_kustomize(triple: &Triple, theirs: &str) -> Option<&'static str> {
    if theirs.starts_with("panic: runtime error") {
        return Some("kustomize panics");
    }
    if theirs.contains("as a !!null") || theirs.ends_with("got : node contents:\nnull") {
        return Some("null takes every value");
    }
    if theirs.contains("yaml: cannot decode !!") {
        return Some("a number becomes a string");
    }
    if theirs.contains("expected SequenceNode but got MappingNode") {
        let is_ours = |step: &String| step == "*" || step.bytes().all(|b| b.is_ascii_digit());
        let ours = triple
            .targets
            .iter()
            .any(|target| steps(target).iter().any(is_ours));
        return ours.then_some("* and digits are steps of maps too");
    }
    let documents = triple.documents.iter();
    documents
        .filter_map(|document| selection(triple, document))
        .next()
}

fn refused_by_us(triple: &Triple, ours: &str, theirs: &[Value]) -> Option<&'static str> {
    if ours.contains("conflicting-substitutions") {
        return (triple.targets.len() > 1).then_some("two values for one field are an error");
    }
    if ours.contains("several documents") {
        return Some("several documents in a string");
    }
    let of_schema = ["type-mismatch", "refused-value", "unknown-field"];
    if of_schema.iter().any(|rule| ours.contains(rule)) {
        return Some("the field's schema refuses the value");
    }
    if ours.contains("misread-value") {
        return Some("no part of a document is written as text");
    }
    if ours.contains("no resource matches") {
        return Some("a target selects something");
    }
    if one_after_the_other(triple) {
        return Some("targets are found in the manifest as it was");
    }
    let mut documents = triple.documents.iter();
    if let Some(class) = documents.find_map(|document| selection(triple, document)) {
        return Some(class);
    }
    if theirs == triple.documents
        && triple
            .targets
            .iter()
            .any(|target| is_inside(triple, target))
    {
        // kustomize has changed a copy of the string's document, and dropped it.
        return Some("kustomize changes nothing inside");
    }
    let targets = triple.targets.iter();
    targets
        .filter_map(|target| refused_target(triple, target))
        .next()
}

/// Classifies a target that only landfall refuses.
fn refused_target(triple: &Triple, target: &Target) -> Option<&'static str> {
    let steps = steps(target);
    if target.creates() && steps.last().is_some_and(|step| step.starts_with("[name=")) {
        return Some("an item with a key is no value");
    }
    let mut before_last = steps.iter().rev().skip(1);
    if before_last.any(|step| step.starts_with("[=")) {
        return Some("kustomize ignores steps after [=value]");
    }
    if target.has_delimiter() && is_inside(triple, target) {
        return Some("kustomize ignores delimiter inside");
    }
    let mut documents = triple.documents.iter();
    documents
        .any(|document| finds_more(target, document))
        .then_some("[key=value] is anchored")
}

/// Whether one target changes what the other one selects by, or what its path matches.
fn one_after_the_other(triple: &Triple) -> bool {
    let [first, second] = &triple.targets[..] else {
        return false;
    };
    let (first, second) = (steps(first), steps(second));
    let identity = format!("[{}=", first[first.len() - 1]);
    let finds_by_it = second.iter().any(|step| step.starts_with(&identity));
    first[0] == "metadata"
        || finds_by_it
        || first.iter().zip(&second).all(|(one, other)| one == other)
}

/// Whether a document has a string that contains a list or map, in which the path could
/// continue.
fn is_inside(triple: &Triple, target: &Target) -> bool {
    let held = |document: &Value| {
        strings(document)
            .iter()
            .any(|text| structure(text).is_some())
    };
    steps(target).len() > 2 && triple.documents.iter().any(held)
}

/// Whether some `[key=value]` of the path matches more items when it is not anchored.
fn finds_more(target: &Target, document: &Value) -> bool {
    let texts = strings(document);
    steps(target).iter().any(|step| {
        let inner = step
            .strip_prefix('[')
            .and_then(|step| step.strip_suffix(']'));
        inner
            .and_then(|inner| inner.split_once('='))
            .is_some_and(|(_, value)| {
                let value = value.trim_end_matches(".*");
                texts
                    .iter()
                    .any(|text| text.contains(value) && text != value)
            })
    })
}

/// Returns every string in a value, and in the structures inside strings.
fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => {
            let mut strings = vec![text.clone()];
            strings.extend(structure(text).iter().flat_map(strings_of));
            strings
        }
        other => strings_of(other),
    }
}

fn strings_of(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(entries) => entries.values().flat_map(strings).collect(),
        Value::String(text) => vec![text.clone()],
        _ => Vec::new(),
    }
}

/// Parses the list or map inside a string.
fn structure(text: &str) -> Option<Value> {
    let first = text.split("\n---\n").next()?;
    let value: Value = serde_yaml::from_str(first).ok()?;
    (value.is_object() || value.is_array()).then_some(value)
}

/// Splits a path into steps, approximately: text in brackets stays together.
fn steps(target: &Target) -> Vec<String> {
    let mut steps = Vec::new();
    let mut step = String::new();
    let mut depth = 0_usize;
    let mut escaped = false;
    for c in target.path.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c == '.' && depth == 0 && !escaped {
            steps.push(std::mem::take(&mut step));
        } else if c != '\\' {
            step.push(c);
        }
        escaped = c == '\\';
    }
    steps.push(step);
    steps
}
