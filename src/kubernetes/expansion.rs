//! Fields in which a consumer expands `$`: Kubernetes in the arguments, command and
//! environment of containers, Argo CD in the parameters of an Application. Every `$` of a
//! value is doubled there, so that the consumer receives the value itself.
//!
//! Kubernetes (`k8s.io/kubernetes/third_party/forked/golang/expansion`) expands
//! `$(NAME)` and reads `$$` as `$`; Argo CD (`util/env` and `Env.Envsubst` of its
//! API types) expands `$NAME` and `${NAME}` and reads `$$` as `$`.

use std::borrow::Cow;

use crate::kubernetes::resources::{Field, FieldStep};
use crate::outputs::Value;

/// The part of a field that decides where in its value `$` is expanded. Fields with equal
/// parts double every value alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Expansion {
    argo_cd: bool,
    /// The first step and the last ones, with irrelevant steps made equal.
    steps: Vec<FieldStep>,
}

/// How many of the last steps matter: `containers[0].env[0].value`.
const LAST: usize = 5;

impl Expansion {
    /// Returns the expansion in this field.
    pub(crate) fn of(field: &Field) -> Self {
        let Some(resource) = &field.resource else {
            let steps = Vec::new();
            return Self {
                argo_cd: false,
                steps,
            };
        };
        let argo_cd = matches!(resource.kind.as_str(), "Application" | "ApplicationSet")
            && resource.group_version().0 == "argoproj.io";
        let last = field.steps.len().saturating_sub(LAST).max(1);
        let other = FieldStep::Key("".into());
        let known = |step: &FieldStep| match step {
            FieldStep::Key(key) if KNOWN.contains(&key.as_ref()) => step.clone(),
            FieldStep::Key(_) => other.clone(),
            FieldStep::Index(_) => FieldStep::Index(0),
        };
        let steps = field.steps.iter().take(1);
        let steps = steps.chain(field.steps.get(last..).unwrap_or_default());
        Self {
            argo_cd,
            steps: steps.map(known).collect(),
        }
    }

    /// Returns the value with each `$` doubled where it is expanded; borrowed if nothing
    /// changes.
    pub(crate) fn doubled<'v>(&self, value: &'v Value) -> Cow<'v, Value> {
        if self.steps.is_empty() || !contains_dollar(value) {
            return Cow::Borrowed(value);
        }
        match double(&mut self.steps.clone(), value, self.argo_cd) {
            Some(value) => Cow::Owned(value),
            None => Cow::Borrowed(value),
        }
    }
}

/// Returns the value with each `$` doubled if the field is expanded; borrowed if nothing
/// changes.
pub(crate) fn doubled<'v>(field: &Field, value: &'v Value) -> Cow<'v, Value> {
    Expansion::of(field).doubled(value)
}

/// Returns whether the value contains a `$` that is doubled in this field.
pub(crate) fn is_doubled(field: &Field, value: &Value) -> bool {
    matches!(doubled(field, value), Cow::Owned(_))
}

pub(crate) fn contains_dollar(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('$'),
        Value::List(items) => items.iter().any(contains_dollar),
        Value::Object(entries) => entries.iter().any(|(_, value)| contains_dollar(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns the value with each `$` doubled where it is expanded; `None` if nothing
/// changes.
fn double(steps: &mut Vec<FieldStep>, value: &Value, argo_cd: bool) -> Option<Value> {
    match value {
        Value::String(text) if text.contains('$') && is_expanded(steps, argo_cd) => {
            Some(Value::String(text.replace('$', "$$")))
        }
        Value::List(items) => {
            let mut doubled = items.clone();
            let mut changed = false;
            for (nth, item) in doubled.iter_mut().enumerate() {
                steps.push(FieldStep::Index(nth));
                if let Some(other) = double(steps, item, argo_cd) {
                    *item = other;
                    changed = true;
                }
                steps.pop();
            }
            changed.then_some(Value::List(doubled))
        }
        Value::Object(entries) => {
            let mut doubled = entries.clone();
            let mut changed = false;
            for (key, entry) in &mut doubled {
                steps.push(FieldStep::Key(key.name.as_str().into()));
                if let Some(other) = double(steps, entry, argo_cd) {
                    *entry = other;
                    changed = true;
                }
                steps.pop();
            }
            changed.then_some(Value::Object(doubled))
        }
        _ => None,
    }
}

const CONTAINERS: &[&str] = &["containers", "initContainers", "ephemeralContainers"];

/// The keys that [`is_expanded`] checks.
const KNOWN: &[&str] = &[
    "spec",
    "template",
    "containers",
    "initContainers",
    "ephemeralContainers",
    "args",
    "command",
    "env",
    "value",
    "helm",
    "parameters",
    "plugin",
];

fn is_expanded(steps: &[FieldStep], argo_cd: bool) -> bool {
    use FieldStep::{Index, Key};
    let is = |step: &FieldStep, names: &[&str]| matches!(step, Key(key) if names.contains(&key.as_ref()));
    if argo_cd {
        return match steps {
            [.., helm, parameters, Index(_), value] if is(helm, &["helm"]) => {
                is(parameters, &["parameters"]) && is(value, &["value"])
            }
            [.., plugin, env, Index(_), value] if is(plugin, &["plugin"]) => {
                is(env, &["env"]) && is(value, &["value"])
            }
            _ => false,
        };
    }
    if !steps
        .first()
        .is_some_and(|step| is(step, &["spec", "template"]))
    {
        return false;
    }
    match steps {
        [.., list, Index(_), arguments, Index(_)] if is(list, CONTAINERS) => {
            is(arguments, &["args", "command"])
        }
        [.., list, Index(_), env, Index(_), value] if is(list, CONTAINERS) => {
            is(env, &["env"]) && is(value, &["value"])
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::ResourceRef;

    /// Checks a field, written like `spec.containers.0.args.1`: numeric steps are indices.
    fn check(api_version: &str, kind: &str, path: &str, expected: bool) {
        let field = Field::of(api_version, kind, path);
        let value = Value::String("a$b".to_owned());
        let found = doubled(&field, &value);
        let is_doubled = found.text() == Some("a$$b");
        assert_eq!(is_doubled, expected, "{kind} {path}");
    }

    #[test]
    fn finds_the_fields_that_kubernetes_expands() {
        let pod = |path: &str, expected| {
            check("v1", "Pod", &format!("spec.{path}"), expected);
            check(
                "apps/v1",
                "Deployment",
                &format!("spec.template.spec.{path}"),
                expected,
            );
            check(
                "example.com/v1",
                "Rollout",
                &format!("spec.template.spec.{path}"),
                expected,
            );
        };
        pod("containers.0.args.1", true);
        pod("initContainers.0.command.0", true);
        pod("ephemeralContainers.2.env.0.value", true);
        pod("containers.0.env.0.name", false);
        pod("containers.0.image", false);
        pod("containers.0.livenessProbe.exec.command.0", false);
        pod("containers.0.lifecycle.preStop.exec.command.0", false);
        check("v1", "ConfigMap", "data.args", false);
    }

    #[test]
    fn finds_the_fields_that_argo_cd_expands() {
        let application =
            |path: &str, expected| check("argoproj.io/v1alpha1", "Application", path, expected);
        application("spec.source.helm.parameters.0.value", true);
        application("spec.sources.1.plugin.env.0.value", true);
        application("spec.source.helm.values", false);
        application("spec.source.helm.parameters.0.name", false);
        check(
            "example.com/v1",
            "Application",
            "spec.source.helm.parameters.0.value",
            false,
        );
    }

    #[test]
    fn expands_only_the_matching_members_of_lists_and_objects() {
        let field = |steps: &[FieldStep]| Field {
            resource: Some(ResourceRef::default().into()),
            steps: steps.to_vec(),
        };
        let key = |key: &str| FieldStep::Key(key.into());
        let args = field(&[
            key("spec"),
            key("containers"),
            FieldStep::Index(0),
            key("args"),
        ]);
        let list = Value::List(vec![Value::String("$".into()), Value::String("x".into())]);
        assert!(doubled(&args, &list).to_json() == r#"["$$","x"]"#);
        let other = field(&[key("spec"), key("list")]);
        assert!(doubled(&other, &list).to_json() == r#"["$","x"]"#);
    }
}
