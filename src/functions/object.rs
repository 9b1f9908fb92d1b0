//! Functions on objects.

use crate::functions::call::{check_growth, size};
use crate::functions::look_up::{StepError, try_member};
use crate::functions::{Absent, Arguments, Failure};
use crate::outputs::{Key, MAX_DEPTH, Value};
use crate::reference::Step;
use yaml::Span;

fn object(value: &Value) -> Result<&[(Key, Value)], Failure> {
    match value {
        Value::Object(entries) => Ok(entries),
        _ => Err(Failure::Type("an object")),
    }
}

pub(crate) fn get(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    object(value)?;
    let key = Step::Key(arguments.text(0).to_owned());
    match try_member(value, &key) {
        Ok(found) => Ok(found.clone()),
        Err(StepError::Key { near, typo, names }) => Err(Failure::Missing(Absent {
            what: "no such key".to_owned(),
            help: Some(match names.as_str() {
                "" => "the object is empty".to_owned(),
                names => format!("available keys: {names}"),
            }),
            near,
            typo,
        })),
        Err(_) => Err(Failure::missing("no such key")),
    }
}

/// Returns the entries in the order of Terraform's maps: sorted by key.
fn sorted(value: &Value) -> Result<Vec<&(Key, Value)>, Failure> {
    let mut entries: Vec<_> = object(value)?.iter().collect();
    entries.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    Ok(entries)
}

pub(crate) fn keys(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    let keys = sorted(value)?
        .into_iter()
        .map(|(key, _)| Value::String(key.name.clone()));
    Ok(Value::List(keys.collect()))
}

pub(crate) fn values(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    let values = sorted(value)?.into_iter().map(|(_, value)| value.clone());
    Ok(Value::List(values.collect()))
}

/// Returns the entries as strings, in the order of the outputs document. A key that
/// contains the separator is an error: it would end somewhere else for its reader.
pub(crate) fn pairs(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    let separator = arguments.text(0);
    let entries = object(value)?;
    check_growth(size(value), entries.len().saturating_mul(separator.len()))?;
    let pair = |(key, value): &(Key, Value)| {
        let key = &key.name;
        let text = value
            .text()
            .ok_or_else(|| Failure::Entry(key.clone(), value.value_type()))?;
        if !separator.is_empty() && key.contains(separator) {
            let message = format!("the key `{key}` contains the separator");
            return Err(Failure::Argument(0, message));
        }
        Ok(Value::String(format!("{key}{separator}{text}")))
    };
    let pairs: Result<_, _> = entries.iter().map(pair).collect();
    pairs.map(Value::List)
}

/// Returns an object with the value under this key; each further key nests it one level
/// deeper. Objects are not nested deeper than outputs documents may nest them.
pub(crate) fn object_of(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    let keys = arguments.texts();
    if keys.len().saturating_add(depth(value)) > MAX_DEPTH {
        let message = format!("objects would be nested more than {MAX_DEPTH} levels deep");
        return Err(Failure::Argument(0, message));
    }
    let nested = keys.into_iter().rev().fold(value.clone(), |value, name| {
        let key = Key {
            name: name.to_owned(),
            span: Span::point(0),
        };
        Value::Object(vec![(key, value)])
    });
    Ok(nested)
}

/// Returns how deep lists and objects are nested in a value.
fn depth(value: &Value) -> usize {
    let inside = match value {
        Value::List(items) => items.iter().map(depth).max(),
        Value::Object(entries) => entries.iter().map(|(_, value)| depth(value)).max(),
        _ => return 0,
    };
    inside.unwrap_or(0) + 1
}

#[cfg(test)]
mod tests {
    use super::super::call::check_function as check;

    #[test]
    fn keys_and_values_are_in_the_same_order() {
        let object = r#"{"b":1,"a":[2],"B":null}"#;
        check("keys", object, &[], r#"["B","a","b"]"#);
        check("values", object, &[], "[null,[2],1]");
    }

    #[test]
    fn pairs_keep_their_order_and_digits() {
        let object = r#"{"b":1.50,"a":"x=y","c":"","B":true}"#;
        check(
            "pairs",
            object,
            &["\"=\""],
            r#"["b=1.50","a=x=y","c=","B=true"]"#,
        );
        check("pairs", "{}", &["\"=\""], "[]");
        check("pairs", r#"{"a=b":"c"}"#, &["\"\""], r#"["a=bc"]"#);
    }

    #[test]
    fn pairs_are_unambiguous_and_of_scalars() {
        check(
            "pairs",
            r#"{"a=b":"c"}"#,
            &["\"=\""],
            "Argument(0, \"the key `a=b` contains the separator\")",
        );
        check("pairs", r#"{"a":null}"#, &["\"=\""], "Entry(\"a\", Null)");
        check("pairs", r#"{"a":[1]}"#, &["\"=\""], "Entry(\"a\", List)");
        check("pairs", "[]", &["\"=\""], "Type(\"an object\")");
    }

    #[test]
    fn keys_nest_a_value() {
        check("object", "[1]", &["\"id\""], r#"{"id":[1]}"#);
        check("object", "null", &["\"a\"", "\"b\""], r#"{"a":{"b":null}}"#);
        check("object", "true", &["\"\""], r#"{"":true}"#);
    }

    #[test]
    fn the_depth_of_an_object_is_limited() {
        let list = |levels| "[".repeat(levels) + &"]".repeat(levels);
        let deep = |levels| format!("{{\"a\":{}}}", list(levels));
        check("object", &list(127), &["\"a\""], &deep(127));
        check(
            "object",
            &list(127),
            &["\"a\"", "\"b\""],
            "Argument(0, \"objects would be nested more than 128 levels deep\")",
        );
    }

    #[test]
    fn a_list_has_no_keys() {
        check("get", "[1]", &["\"0\""], "Type(\"an object\")");
    }
}
