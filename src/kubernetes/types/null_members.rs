//! Nulls in lists and objects: where Kubernetes expects a string, number or bool, it reads an
//! empty string, 0 or false instead, without an error.

use crate::kubernetes::resources::FieldStep;
use crate::kubernetes::types::conversion::Mismatch;
use crate::kubernetes::types::{Constraint, FieldType};
use crate::outputs::{Type, Value};

/// Returns the first null inside a list or an object where its type has a string, number or
/// bool.
pub(crate) fn null_member(value: &Value, takes: &FieldType) -> Option<Mismatch> {
    let mut inside = Vec::new();
    let takes = match value {
        Value::Null => refuses_null(takes.clone(), None)?,
        _ => find(value, takes, &mut inside)?,
    };
    inside.reverse();
    Some(Mismatch {
        inside,
        takes,
        found: Type::Null,
    })
}

/// Returns the type at the first null, and its path from the inside outwards.
fn find(value: &Value, takes: &FieldType, path: &mut Vec<FieldStep>) -> Option<FieldType> {
    match (takes, value) {
        (FieldType::List(_), Value::List(items)) => {
            for (nth, item) in items.iter().enumerate() {
                let found = match item {
                    Value::Null => refuses_null(takes.item(), takes.item_constraint()),
                    _ => find(item, &takes.item(), path),
                };
                if found.is_some() {
                    path.push(FieldStep::Index(nth));
                    return found;
                }
            }
        }
        (FieldType::Object(_), Value::Object(entries)) => {
            for (key, member) in entries {
                let (key, member_type) = (key.name.as_str(), takes.field(&key.name));
                let found = match member {
                    Value::Null => refuses_null(member_type, takes.field_constraint(key)),
                    _ => find(member, &member_type, path),
                };
                if found.is_some() {
                    path.push(FieldStep::Key(key.into()));
                    return found;
                }
            }
        }
        _ => {}
    }
    None
}

/// Returns the type of a member if it does not accept null.
fn refuses_null(takes: FieldType, constraint: Option<Constraint>) -> Option<FieldType> {
    let is_nullable = match constraint {
        Some(Constraint::Schema(limits)) => limits.nullable,
        _ => false,
    };
    (takes.is_scalar() && !is_nullable).then_some(takes)
}
