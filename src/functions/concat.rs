//! Appends lists to a list.

use std::borrow::Cow;

use crate::functions::call::{ITEM, check_growth, size};
use crate::functions::{Arguments, Failure};
use crate::outputs::Value;

/// Appends the lists among the arguments to a list. `known` is the size of the list if an
/// earlier call has computed it: the time of a call is then linear in what it appends, and
/// that of a chain of calls in the resulting list.
///
/// # Errors
/// As in [`super::run`]; the value is unchanged.
pub(crate) fn concat(
    value: &mut Cow<'_, Value>,
    known: Option<usize>,
    arguments: &Arguments<'_>,
    may_work: &dyn Fn(usize) -> bool,
) -> Result<usize, Failure> {
    if !matches!(**value, Value::List(_)) {
        return Err(Failure::Type("a list"));
    }
    let appended = arguments
        .items()
        .fold(0_usize, |all, item| all.saturating_add(size(item) + ITEM));
    let before = known.unwrap_or_else(|| size(value));
    let copied = if known.is_some() { 0 } else { before };
    // Each byte is read and written.
    if !may_work(copied.saturating_add(appended).saturating_mul(2)) {
        return Err(Failure::TooMuchWork);
    }
    check_growth(before, appended)?;
    if let Value::List(items) = value.to_mut() {
        items.extend(arguments.items().cloned());
    }
    Ok(before.saturating_add(appended))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::value_of_json;

    fn check(value: &str, arguments: &[&str], may_work: usize, expected: &str) {
        let read = |json: &str| Cow::<Value>::Owned(value_of_json(json));
        let arguments: Vec<_> = arguments.iter().map(|json| read(json)).collect();
        let mut value = read(value);
        let before = value.to_json();
        let work = |bytes| bytes <= may_work;
        match concat(&mut value, None, &Arguments(&arguments), &work) {
            Ok(made) => {
                assert_eq!(value.to_json(), expected);
                assert_eq!(made, size(&value));
            }
            Err(failure) => {
                assert_eq!(format!("{failure:?}"), expected);
                assert!(value.to_json() == before, "it has changed");
            }
        }
    }

    #[test]
    fn concatenates_lists() {
        check(
            "[1]",
            &["[\"a\",[]]", "[]", "[null]"],
            1000,
            r#"[1,"a",[],null]"#,
        );
        check("[]", &["[]"], 0, "[]");
        check("{}", &["[]"], 0, "Type(\"a list\")");
        check("[1]", &["[2]"], 100, "TooMuchWork");
        let items = format!(
            "[{}\"\"]",
            "\"\",".repeat(super::super::call::MAX_VALUE / ITEM / 2)
        );
        check(&items, &[&items], usize::MAX, "TooLarge");
        check(&items, &["[]"], usize::MAX, &items);
    }

    /// The chain counts only what it appends, not the existing items.
    #[test]
    fn the_work_of_a_chain_is_linear_in_its_result() {
        let item = [Cow::<Value>::Owned(value_of_json("[\"a\"]"))];
        let worked = std::cell::Cell::new(0);
        let mut value = Cow::<Value>::Owned(value_of_json("[]"));
        let mut known = None;
        for _ in 0..1000 {
            let work = |bytes| {
                worked.set(worked.get() + bytes);
                true
            };
            known = Some(concat(&mut value, known, &Arguments(&item), &work).unwrap());
        }
        assert_eq!(known, Some(size(&value)));
        assert_eq!(worked.get(), 2 * size(&value));
    }
}
