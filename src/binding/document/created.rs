//! Fields that a field binding makes: the values of all that are missing in one
//! collection, together.

use crate::binding::field_binding::PathStep;
use crate::binding::place::FieldStep;
use crate::outputs::{Key, Value};
use crate::report::Span;

/// Puts a value at the end of these steps from `held`, where null is nothing yet.
/// False when something else stands there already.
pub(super) fn put(held: &mut Value, steps: &[PathStep], value: Value) -> bool {
    let Some((first, rest)) = steps.split_first() else {
        let free = matches!(held, Value::Null);
        if free {
            *held = value;
        }
        return free;
    };
    if matches!(held, Value::Null) {
        *held = match first {
            PathStep::Key(_) | PathStep::Any => Value::Object(Vec::new()),
            PathStep::Append | PathStep::Match { .. } => Value::List(Vec::new()),
        };
    }
    match (held, first) {
        (Value::Object(entries), PathStep::Key(name)) => put_key(entries, name, rest, value),
        (Value::List(items), step) => put_item(items, step, rest, value),
        _ => false,
    }
}

fn put_key(entries: &mut Vec<(Key, Value)>, name: &str, rest: &[PathStep], value: Value) -> bool {
    if let Some((_, held)) = entries.iter_mut().find(|(key, _)| key.name == name) {
        return put(held, rest, value);
    }
    let mut made = Value::Null;
    let fits = put(&mut made, rest, value);
    entries.push((key(name), made));
    fits
}

fn put_item(items: &mut Vec<Value>, step: &PathStep, rest: &[PathStep], value: Value) -> bool {
    let mut made = Value::Null;
    if let PathStep::Match {
        key: name,
        value: is,
    } = step
    {
        let identity = |item: &Value| match item {
            Value::Object(entries) => entries
                .iter()
                .any(|(key, value)| key.name == *name && value.text() == Some(is)),
            _ => false,
        };
        if let Some(held) = items.iter_mut().find(|item| identity(item)) {
            return put(held, rest, value);
        }
        made = Value::Object(vec![(key(name), Value::String(is.clone()))]);
        if rest.is_empty() {
            return false;
        }
    }
    let fits = put(&mut made, rest, value);
    items.push(made);
    fits
}

fn key(name: &str) -> Key {
    Key {
        name: name.to_owned(),
        span: Span::point(0),
    }
}

/// The field steps of what is made.
pub(super) fn steps_of(steps: &[PathStep]) -> impl Iterator<Item = FieldStep> + '_ {
    steps.iter().map(|step| match step {
        PathStep::Key(name) => FieldStep::Key(name.clone()),
        PathStep::Append | PathStep::Match { .. } | PathStep::Any => FieldStep::Index(0),
    })
}
