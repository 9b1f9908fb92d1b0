//! Fields in which a consumer expands `$`: Kubernetes in the arguments, command and
//! environment of containers, Argo CD in the sources of an Application. Every `$` of a value
//! is doubled there, so that the consumer receives the value itself.
//!
//! Kubernetes (`k8s.io/kubernetes/third_party/forked/golang/expansion`) expands
//! `$(NAME)` and reads `$$` as `$`; Argo CD (`Env.Envsubst` of its API types, which
//! reposerver/repository/repository.go and util/kustomize/kustomize.go call, argo-cd v3.2.12)
//! expands `$NAME` and `${NAME}` and reads `$$` as `$`.

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

/// How many of the last steps matter: `sources[0].directory.jsonnet.tlas[0].value`.
const LAST: usize = 7;

impl Expansion {
    /// Returns the expansion in this field.
    pub(crate) fn of(field: &Field) -> Self {
        let patched;
        let (steps, argo_cd) = match (&field.patch, &field.resource) {
            (Some(patch), _) => {
                patched = patch.steps(&field.steps);
                let mut argo_cd = ["Application", "ApplicationSet"].into_iter();
                (
                    &patched,
                    argo_cd.any(|kind| patch.is_of("argoproj.io", kind)),
                )
            }
            (None, Some(resource)) => {
                let argo_cd = matches!(resource.kind.as_str(), "Application" | "ApplicationSet")
                    && resource.group_version().0 == "argoproj.io";
                (&field.steps, argo_cd)
            }
            (None, None) => {
                let steps = Vec::new();
                return Self {
                    argo_cd: false,
                    steps,
                };
            }
        };
        let last = steps.len().saturating_sub(LAST).max(1);
        let other = FieldStep::Key("".into());
        let known = |step: &FieldStep| match step {
            FieldStep::Key(key) if KNOWN.contains(&key.as_ref()) => step.clone(),
            FieldStep::Key(_) => other.clone(),
            FieldStep::Index(_) => FieldStep::Index(0),
        };
        let first = steps.iter().take(1);
        let steps = first.chain(steps.get(last..).unwrap_or_default());
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
    "source",
    "sources",
    "helm",
    "parameters",
    "fileParameters",
    "path",
    "valueFiles",
    "plugin",
    "kustomize",
    "images",
    "commonLabels",
    "directory",
    "jsonnet",
    "tlas",
    "extVars",
];

/// The fields of a source of an Application that Argo CD expands: `#` is an index, `*` any key.
/// It expands `commonAnnotations` only with `commonAnnotationsEnvsubst: true`.
const SOURCE_FIELDS: &[&[&str]] = &[
    &["helm", "parameters", "#", "value"],
    &["helm", "fileParameters", "#", "path"],
    &["helm", "valueFiles", "#"],
    &["plugin", "env", "#", "value"],
    &["kustomize", "images", "#"],
    &["kustomize", "commonLabels", "*"],
    &["directory", "jsonnet", "tlas", "#", "value"],
    &["directory", "jsonnet", "extVars", "#", "value"],
];

fn is_expanded(steps: &[FieldStep], argo_cd: bool) -> bool {
    use FieldStep::{Index, Key};
    let is = |step: &FieldStep, names: &[&str]| matches!(step, Key(key) if names.contains(&key.as_ref()));
    if argo_cd {
        let in_source = |steps: &[FieldStep]| match steps {
            [.., source] if is(source, &["source"]) => true,
            [.., sources, Index(_)] => is(sources, &["sources"]),
            _ => false,
        };
        return SOURCE_FIELDS.iter().any(|keys| {
            let start = steps.len().saturating_sub(keys.len());
            let (source, inside) = steps.split_at(start);
            let mut pairs = std::iter::zip(*keys, inside);
            let is_key = |(key, step): (&&str, &FieldStep)| match step {
                Index(_) => *key == "#",
                Key(_) => *key == "*" || is(step, &[key]),
            };
            in_source(source) && pairs.all(is_key)
        });
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
    use crate::kubernetes::resources::PatchedField;
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
        for path in [
            "helm.parameters.0.value",
            "helm.fileParameters.0.path",
            "helm.valueFiles.1",
            "plugin.env.0.value",
            "kustomize.images.0",
            "kustomize.commonLabels.team",
            "directory.jsonnet.tlas.0.value",
            "directory.jsonnet.extVars.2.value",
        ] {
            application(&format!("spec.source.{path}"), true);
            application(&format!("spec.sources.1.{path}"), true);
            application(&format!("spec.source.helm.valuesObject.{path}"), false);
        }
        for path in [
            "helm.values",
            "helm.parameters.0.name",
            "helm.fileParameters.0.name",
            "kustomize.commonAnnotations.team",
            "kustomize.namePrefix",
            "directory.jsonnet.libs.0",
            "plugin.parameters.0.string",
        ] {
            application(&format!("spec.source.{path}"), false);
        }
        check(
            "example.com/v1",
            "Application",
            "spec.source.helm.parameters.0.value",
            false,
        );
    }

    #[test]
    fn finds_the_fields_that_a_json_patch_sets() {
        let check = |pointer: &str, path: &str, expected| {
            let field = Field {
                resource: None,
                patch: Some(PatchedField {
                    target: None,
                    pointer: pointer.into(),
                    inside: 2,
                }),
                ..Field::of("", "", path)
            };
            let value = Value::String("$".to_owned());
            assert_eq!(is_doubled(&field, &value), expected, "{pointer} {path}");
        };
        let container = "/spec/template/spec/containers/0";
        check(&format!("{container}/args/1"), "0.value", true);
        check(&format!("{container}/command/-"), "0.value", true);
        check(&format!("{container}/env/0/value"), "0.value", true);
        check(&format!("{container}/env/0"), "0.value.value", true);
        check(&format!("{container}/args"), "0.value.0", true);
        check(&format!("{container}/image"), "0.value", false);
        check(&format!("{container}/env/0"), "0.value.name", false);
        check("/data/args/0", "0.value", false);
        check("", "0.value.spec.containers.0.args.0", true);
    }

    #[test]
    fn expands_only_the_matching_members_of_lists_and_objects() {
        let field = |steps: &[FieldStep]| Field {
            resource: Some(ResourceRef::default().into()),
            steps: steps.to_vec(),
            patch: None,
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
