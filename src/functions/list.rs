//! Functions on lists.

use crate::collections::OrderedSet;
use crate::functions::call::check_growth;
use crate::functions::{Absent, Arguments, Failure};
use crate::outputs::Value;

fn list(value: &Value) -> Result<&[Value], Failure> {
    match value {
        Value::List(items) => Ok(items),
        _ => Err(Failure::Type("a list")),
    }
}

pub(crate) fn join(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    let separator = arguments.text(0);
    let items = list(value)?;
    let texts = items
        .iter()
        .map(|item| {
            item.text()
                .ok_or(Failure::Item("scalars", item.value_type()))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let length: usize = texts.iter().map(|text| text.len()).sum();
    check_growth(length, items.len().saturating_mul(separator.len()))?;
    Ok(Value::String(texts.join(separator)))
}

pub(crate) fn first(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    nth(list(value)?, 0, "no item")
}

pub(crate) fn last(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    nth(list(value)?, -1, "no item")
}

pub(crate) fn at(value: &Value, arguments: &Arguments<'_>) -> Result<Value, Failure> {
    nth(
        list(value)?,
        arguments.whole(0).unwrap_or(0),
        "no such item",
    )
}

/// Returns the item `nth`; negative numbers count from the end.
fn nth(items: &[Value], nth: i128, what: &str) -> Result<Value, Failure> {
    let length = i128::try_from(items.len()).unwrap_or(i128::MAX);
    let index = if nth < 0 {
        nth.saturating_add(length)
    } else {
        nth
    };
    usize::try_from(index)
        .ok()
        .and_then(|index| items.get(index))
        .cloned()
        .ok_or_else(|| {
            let counted = match items.len() {
                0 => "the list is empty".to_owned(),
                1 => "the list has 1 item: `at(0)`".to_owned(),
                length => format!(
                    "the list has {length} items: `at(0)` to `at({})`",
                    length - 1
                ),
            };
            Failure::Missing(Absent {
                what: what.to_owned(),
                help: Some(counted),
                ..Absent::default()
            })
        })
}

/// Sorts like Terraform's sort: strings, by code point.
pub(crate) fn sort(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    let mut texts = list(value)?
        .iter()
        .map(|item| match item {
            Value::String(text) => Ok(text.as_str()),
            other => Err(Failure::Item("strings", other.value_type())),
        })
        .collect::<Result<Vec<_>, _>>()?;
    texts.sort_unstable();
    let sorted = texts.into_iter().map(|text| Value::String(text.to_owned()));
    Ok(Value::List(sorted.collect()))
}

/// Removes duplicates like Terraform's distinct: the first of equal items is kept.
pub(crate) fn unique(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    let mut seen = OrderedSet::new();
    let items = list(value)?
        .iter()
        .filter(|item| seen.insert(item.to_json()));
    Ok(Value::List(items.cloned().collect()))
}

/// Removes null and empty strings, like Terraform's compact.
pub(crate) fn compact(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    let items = list(value)?.iter().filter(|item| !item.is_empty());
    Ok(Value::List(items.cloned().collect()))
}

/// Returns the length like Terraform's length, but counts the Unicode code points of a
/// string, not its grapheme clusters.
pub(crate) fn length(value: &Value, _: &Arguments<'_>) -> Result<Value, Failure> {
    let length = match value {
        Value::String(text) => text.chars().count(),
        Value::List(items) => items.len(),
        Value::Object(entries) => entries.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            return Err(Failure::Type("a string, a list or an object"));
        }
    };
    Ok(Value::Number(length.to_string()))
}

#[cfg(test)]
mod tests {
    use super::super::call::check_function as check;

    #[test]
    fn joins() {
        check(
            "join",
            r#"["a",1.50,true]"#,
            &["\", \""],
            "\"a, 1.50, true\"",
        );
        check("join", "[]", &["\",\""], "\"\"");
        check(
            "join",
            r#"["a",null]"#,
            &["\",\""],
            "Item(\"scalars\", Null)",
        );
        check("join", r#"[["a"]]"#, &["\",\""], "Item(\"scalars\", List)");
    }

    #[test]
    fn items_are_counted_from_both_ends() {
        for (nth, expected) in [("0", "1"), ("2", "3"), ("-1", "3"), ("-3", "1")] {
            check("at", "[1,2,3]", &[nth], expected);
        }
    }

    #[test]
    fn equal_items_have_equal_json() {
        check(
            "unique",
            r#"[1,"1",1.0,1,{"a":[]},{"a":[]},null]"#,
            &[],
            r#"[1,"1",1.0,{"a":[]},null]"#,
        );
    }

    #[test]
    fn strings_sort_by_code_point() {
        check(
            "sort",
            r#"["b","a10","a2","B","é","😀","\uffee"]"#,
            &[],
            r#"["B","a10","a2","b","é","ﾮ","😀"]"#.replace('ﾮ', "\u{ffee}").as_str(),
        );
        check("sort", "[2,10]", &[], "Item(\"strings\", Number)");
    }

    #[test]
    fn lengths() {
        check("length", "\"hé😀\"", &[], "3");
        check("length", "[1,[2,3]]", &[], "2");
        check("length", "{}", &[], "0");
    }
}
