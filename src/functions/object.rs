//! Functions on objects.

use crate::functions::call::{check_growth, size};
use crate::functions::look_up::{StepError, try_member};
use crate::functions::{Absent, Arguments, Failure};
use crate::outputs::{Key, Value};
use crate::reference::Step;

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
    fn a_list_has_no_keys() {
        check("get", "[1]", &["\"0\""], "Type(\"an object\")");
    }
}
