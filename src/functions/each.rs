//! Calls a function on each item of a list, or on each value of an object.

use std::borrow::Cow;

use crate::functions::call::{ITEM, MAX_VALUE, run, size};
use crate::functions::{Arguments, Body, FailedMember, Failure, Function, concat};
use crate::outputs::Value;
use crate::reference::Call;

/// Returns the list or object with the results of the function that `call` calls.
/// `arguments` are those of the innermost call: `each(each(prefix("x")))` calls `prefix` on
/// the items of items.
///
/// # Errors
/// The function fails on an item, or as in [`run`].
pub(crate) fn each(
    value: &Value,
    call: &Call,
    arguments: &Arguments<'_>,
    may_work: &dyn Fn(usize) -> bool,
) -> Result<Value, Failure> {
    let nested = call.nested();
    let called = nested.and_then(|call| Some((Function::of_name(&call.function)?, call)));
    let Some((function, nested)) = called else {
        return Err(Failure::Argument(0, "it is not a function".to_owned()));
    };
    let limit = MAX_VALUE.max(size(value));
    let mut made: usize = 0;
    let mut member = |value: &Value, name: &dyn Fn() -> String| {
        let result = on_member(value, function, nested, arguments, may_work)
            .map_err(|failure| in_member(failure, name(), value))?;
        made = made.saturating_add(size(&result) + ITEM);
        if made > limit {
            Err(Failure::TooLarge)
        } else {
            Ok(result)
        }
    };
    match value {
        Value::List(items) => {
            let mut results = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                results.push(member(item, &|| format!("item {index} of"))?);
            }
            Ok(Value::List(results))
        }
        Value::Object(entries) => {
            let mut results = Vec::with_capacity(entries.len());
            for (key, value) in entries {
                let result = member(value, &|| format!("the value of `{}` in", key.name))?;
                results.push((key.clone(), result));
            }
            Ok(Value::Object(results))
        }
        _ => Err(Failure::Type("a list or an object")),
    }
}

fn on_member(
    value: &Value,
    function: &Function,
    call: &Call,
    arguments: &Arguments<'_>,
    may_work: &dyn Fn(usize) -> bool,
) -> Result<Value, Failure> {
    match function.body {
        Body::Value(body) => run(body, value, arguments, may_work),
        Body::Each => each(value, call, arguments, may_work),
        Body::Concat => {
            let mut value = Cow::Borrowed(value);
            concat(&mut value, None, arguments, may_work)?;
            Ok(value.into_owned())
        }
        Body::Default => {
            let value = match arguments.0.first() {
                Some(fallback) if value.is_empty() => fallback,
                _ => value,
            };
            if may_work(size(value)) {
                Ok(value.clone())
            } else {
                Err(Failure::TooMuchWork)
            }
        }
        // The check of the call refuses them.
        Body::Required | Body::Nonsensitive | Body::Spread => Ok(value.clone()),
    }
}

/// Adds the item to the failure, unless it concerns more than the item.
fn in_member(failure: Failure, name: String, value: &Value) -> Failure {
    match failure {
        Failure::Argument(..) | Failure::TooLarge | Failure::TooMuchWork => failure,
        failure => Failure::Member(Box::new(FailedMember {
            name,
            value: value.clone(),
            failure,
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::literal_value;
    use crate::outputs::value_of_json;
    use crate::reference::LANDFALL;

    #[track_caller]
    fn check(value: &str, call: &str, expected: &str) {
        check_within(value, call, usize::MAX, expected);
    }

    #[track_caller]
    fn check_within(value: &str, call: &str, work: usize, expected: &str) {
        let reference = LANDFALL.parse(&format!("${{a.b | {call}}}"), 0).unwrap();
        let call = &reference.calls[0];
        let innermost = call.with_nested().last().unwrap();
        let arguments: Vec<_> = innermost
            .arguments
            .iter()
            .map(|argument| Cow::Owned(literal_value(&argument.value).unwrap()))
            .collect();
        let left = std::cell::Cell::new(work);
        let may_work = |bytes: usize| match left.get().checked_sub(bytes) {
            Some(rest) => {
                left.set(rest);
                true
            }
            None => false,
        };
        let value = value_of_json(value);
        match each(&value, call, &Arguments(&arguments), &may_work) {
            Ok(made) => assert_eq!(made.to_json(), expected),
            Err(failure) => {
                let mut shown = format!("{failure:?}");
                if let Failure::Member(member) = failure {
                    shown = format!("{}: {:?}", member.name, member.failure);
                }
                assert_eq!(shown, expected);
            }
        }
    }

    #[test]
    fn calls_a_function_on_items_and_values() {
        check(
            r#"["a",80]"#,
            "each(prefix(\"--x=\"))",
            r#"["--x=a","--x=80"]"#,
        );
        check(
            r#"{"b":"x","a":"y"}"#,
            "each(upper)",
            r#"{"b":"X","a":"Y"}"#,
        );
        check("[]", "each(upper)", "[]");
        check("{}", "each(upper)", "{}");
        check(r#"[["a"],[]]"#, "each(each(upper))", r#"[["A"],[]]"#);
        check(r#"["a",null,""]"#, "each(default(0))", r#"["a",0,0]"#);
        check(
            r#"["a"]"#,
            "each(object(\"ipBlock\", \"cidr\"))",
            r#"[{"ipBlock":{"cidr":"a"}}]"#,
        );
    }

    #[test]
    fn reports_the_item_that_fails() {
        check(
            r#"["a",null]"#,
            "each(upper)",
            "item 1 of: Type(\"a string\")",
        );
        check(
            r#"{"k":["a"]}"#,
            "each(upper)",
            "the value of `k` in: Type(\"a string\")",
        );
        check("\"a\"", "each(upper)", "Type(\"a list or an object\")");
        check(
            "[1]",
            "each(each(upper))",
            "item 0 of: Type(\"a list or an object\")",
        );
    }

    #[test]
    fn the_result_and_the_work_are_limited() {
        let items = format!("[{}\"a\"]", "\"a\",".repeat(1000));
        let call = format!("each(prefix(\"{}\"))", "x".repeat(MAX_VALUE / 900));
        check(&items, &call, "TooLarge");
        check_within(&items, "each(prefix(\"x\"))", 2000, "TooMuchWork");
    }
}
