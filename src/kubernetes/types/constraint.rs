//! What fields accept beyond their types, for a value and each of its members.

use std::sync::Arc;

use crate::kubernetes::resources::{Field, FieldStep, Occurrence, Occurrences};
use crate::kubernetes::types::{FieldType, FieldTypes, Members, field_type, patched};
use crate::kubernetes::validity::{FieldRule, Limits, Refusal};
use crate::outputs::Value;
use crate::report::ResourceRef;
use yaml::NodeId;

/// What the API server enforces for a value.
#[derive(Clone, Debug)]
pub(crate) enum Constraint {
    /// A rule of Kubernetes' own types.
    Rule(FieldRule),
    /// What the schema of a custom resource says.
    Schema(Arc<Limits>),
}

/// A value that the API server refuses.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) constraint: Constraint,
    pub(crate) refusal: Refusal,
    /// The text that is refused.
    pub(crate) text: String,
    /// The field of the value, or of the member that is refused.
    pub(crate) field: Field,
    /// The alias that repeats the value there.
    pub(crate) alias: Option<NodeId>,
    /// Whether it is the value itself, and neither a member nor a key.
    pub(crate) is_whole: bool,
}

impl PartialEq for Constraint {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Rule(rule), Self::Rule(other)) => rule == other,
            (Self::Schema(limits), Self::Schema(other)) => Arc::ptr_eq(limits, other),
            _ => false,
        }
    }
}

impl Constraint {
    /// Checks one value, but not its members.
    ///
    /// # Errors
    /// The API server refuses it.
    pub(crate) fn check(&self, value: &Value) -> Result<(), Refusal> {
        match (self, value) {
            (Self::Schema(limits), _) => limits.check(value),
            (Self::Rule(rule), Value::String(text)) => rule.check(text, false),
            (Self::Rule(rule), Value::Number(text)) => rule.check(text, true),
            (Self::Rule(_), _) => Ok(()),
        }
    }

    /// Names what is accepted: `label value`.
    pub(crate) const fn described(&self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.described(),
            Self::Schema(_) => "value for its schema",
        }
    }

    /// Returns the constraint of a field of a resource: the name of each kind has its own.
    /// `kind` is its apiVersion and kind.
    pub(crate) fn of_kind(self, kind: Option<(&str, &str)>, is_own: bool) -> Option<Self> {
        match (self, kind) {
            (Self::Rule(rule), Some((api_version, kind))) => {
                let rule = rule.of_kind(api_version, kind, is_own)?;
                rule.is_of_values().then_some(Self::Rule(rule))
            }
            (Self::Rule(_), None) => None,
            (schema, _) => Some(schema),
        }
    }
}

impl FieldType {
    /// Returns the type of the value of a key, with its constraint.
    pub(crate) fn constrained_field(&self, key: &str) -> (Self, Option<Constraint>) {
        match self {
            Self::Object(Members::Kubernetes(id)) => match id.field(key) {
                Some(id) => (Self::of(id), id.rule().map(Constraint::Rule)),
                None => (Self::Unknown, None),
            },
            _ => (self.field(key), self.field_constraint(key)),
        }
    }

    /// Returns the constraint of the value of a key.
    pub(crate) fn field_constraint(&self, key: &str) -> Option<Constraint> {
        match self {
            Self::Object(Members::Kubernetes(id)) => id.field(key)?.rule().map(Constraint::Rule),
            Self::Object(Members::Custom(schema)) => {
                schema.limits_of(key).cloned().map(Constraint::Schema)
            }
            _ => None,
        }
    }

    /// Returns the constraint of the items of a list.
    pub(crate) fn item_constraint(&self) -> Option<Constraint> {
        match self {
            Self::List(Members::Kubernetes(id)) => id.item()?.rule().map(Constraint::Rule),
            Self::List(Members::Custom(schema)) => {
                schema.limits_of_others().cloned().map(Constraint::Schema)
            }
            _ => None,
        }
    }

    fn step_constraint(&self, step: &FieldStep) -> Option<Constraint> {
        match step {
            FieldStep::Key(key) => self.field_constraint(key),
            FieldStep::Index(_) => self.item_constraint(),
        }
    }

    /// Returns the rule for a key, from that of its value.
    fn key_rule(&self, key: &str) -> Option<FieldRule> {
        match self.field_constraint(key)? {
            Constraint::Rule(rule) => rule.of_keys(),
            Constraint::Schema(_) => None,
        }
    }
}

impl FieldTypes<'_> {
    /// Returns the first part of a value that the API server refuses in one of its fields.
    pub(crate) fn refused(&self, value: &Value, occurrences: &Occurrences) -> Option<Refused> {
        let mut seen: Vec<(FieldType, Option<Constraint>)> = Vec::new();
        for occurrence in occurrences.all() {
            let field = &occurrence.field;
            let (last, parents) = field.steps.split_last()?;
            let patch = field.patch.as_ref();
            let set_by_patch = patch.filter(|patch| parents.len() < patch.inside);
            let within = match set_by_patch {
                // The value of a JSON patch is where its path says.
                Some(patch) => patched::parent_type(patch, &field.steps, self.custom()),
                None => {
                    let parent = field_type(&field.upto(parents.len()), self.custom());
                    Some((parent, last.clone()))
                }
            };
            let Some((parent, last)) = within else {
                continue;
            };
            let constraint = match (&last, occurrence.is_key) {
                (FieldStep::Key(key), true) => parent.key_rule(key).map(Constraint::Rule),
                (_, true) => None,
                (step, false) => parent.step_constraint(step),
            };
            let takes = match (&last, occurrence.is_key) {
                (_, true) => FieldType::Unknown,
                (FieldStep::Key(key), false) => parent.field(key),
                (FieldStep::Index(_), false) => parent.item(),
            };
            let known = (takes, constraint);
            if seen.contains(&known) {
                continue;
            }
            let mut walk = Walk {
                occurrence,
                steps: field.steps.clone(),
                depth: 0,
            };
            if let Some(found) = walk.value(value, &known.0, known.1.clone()) {
                return Some(found);
            }
            seen.push(known);
        }
        None
    }
}

/// A walk through the members of a value in one of its fields.
struct Walk<'o> {
    occurrence: &'o Occurrence,
    /// From the resource to the member.
    steps: Vec<FieldStep>,
    /// How many of them lead from the value to the member.
    depth: usize,
}

impl Walk<'_> {
    fn value(
        &mut self,
        value: &Value,
        takes: &FieldType,
        constraint: Option<Constraint>,
    ) -> Option<Refused> {
        let Field {
            resource, patch, ..
        } = &self.occurrence.field;
        let (kind, is_own) = match patch {
            // Its target may be of several kinds, and their names have different rules.
            Some(_) => (Some(("", "")), false),
            None => {
                let is_own =
                    matches!(&self.steps[..], [metadata, _] if metadata.is_key("metadata"));
                let resource = resource.as_deref();
                (resource.map(ResourceRef::api_version_and_kind), is_own)
            }
        };
        let constraint = constraint.and_then(|found| found.of_kind(kind, is_own));
        if let Some(constraint) = constraint
            && let Err(refusal) = constraint.check(value)
        {
            let text = value.text().unwrap_or_default();
            return Some(self.refused(constraint, refusal, text));
        }
        match (value, takes) {
            (Value::List(items), FieldType::List(_)) => {
                items.iter().enumerate().find_map(|(nth, item)| {
                    let constraint = takes.item_constraint();
                    self.member(FieldStep::Index(nth), item, &takes.item(), constraint)
                })
            }
            (Value::Object(entries), FieldType::Object(_)) => {
                entries.iter().find_map(|(key, value)| {
                    let key = key.name.as_str();
                    let step = FieldStep::Key(key.into());
                    if let Some(rule) = takes.key_rule(key)
                        && let Err(refusal) = rule.check(key, false)
                    {
                        self.steps.push(step);
                        self.depth += 1;
                        return Some(self.refused(Constraint::Rule(rule), refusal, key));
                    }
                    let constraint = takes.field_constraint(key);
                    self.member(step, value, &takes.field(key), constraint)
                })
            }
            _ => None,
        }
    }

    fn member(
        &mut self,
        step: FieldStep,
        value: &Value,
        takes: &FieldType,
        constraint: Option<Constraint>,
    ) -> Option<Refused> {
        if constraint.is_none() && *takes == FieldType::Unknown {
            return None;
        }
        self.steps.push(step);
        self.depth += 1;
        let found = self.value(value, takes, constraint);
        self.steps.pop();
        self.depth -= 1;
        found
    }

    fn refused(&self, constraint: Constraint, refusal: Refusal, text: &str) -> Refused {
        Refused {
            constraint,
            refusal,
            text: text.to_owned(),
            field: Field {
                steps: self.steps.clone(),
                ..self.occurrence.field.clone()
            },
            alias: self.occurrence.alias,
            is_whole: self.depth == 0,
        }
    }
}
