//! Programs that read the text of a field again, after the API server: `$` in it, or the
//! syntax of Helm's `--set`. Values are written so that such a program receives the output's
//! text: each `$` is doubled, and characters with a meaning get a `\`.
//!
//! [`fields`] has the table.

mod fields;
pub(crate) mod numbers;
pub(crate) mod set_value;

use std::borrow::Cow;
use std::ops::Range;

use self::fields::{LAST, Owner, Syntax, is_known, syntax};
use self::set_value::{SetValue, ValueInText};
use crate::kubernetes::resources::{Field, FieldStep, Resources};
use crate::outputs::{Key, Value};
use yaml::{NodeId, Role};

pub(crate) use fields::is_source;

/// The part of a field that decides how its text is read again. Values are written alike in
/// fields with equal parts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reading {
    owner: Owner,
    /// The first step and the last ones, with irrelevant steps made equal.
    steps: Vec<FieldStep>,
}

/// A text in which a value is written for its consumer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    /// The positions before which a byte is inserted, ascending, and which one.
    inserted: Vec<(usize, char)>,
}

/// A value for its consumer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ForConsumer<'v> {
    pub(crate) value: Cow<'v, Value>,
    /// The positions of the value's text before which a byte is inserted, ascending.
    pub(crate) inserted: Vec<usize>,
}

impl ForConsumer<'_> {
    /// Returns where bytes of the value's text are in the written one.
    pub(crate) fn located(&self, bytes: Range<usize>) -> Range<usize> {
        let before = |end: usize| self.inserted.partition_point(|at| *at < end);
        bytes.start + before(bytes.start)..bytes.end + before(bytes.end)
    }
}

impl Reading {
    /// Returns how this field is read.
    pub(crate) fn of(field: &Field) -> Self {
        let owner = Owner::of_field(field);
        let patched;
        let steps = match (&field.patch, &field.resource) {
            (Some(patch), _) => {
                patched = patch.steps(&field.steps);
                &patched
            }
            (None, Some(_)) => &field.steps,
            (None, None) => {
                let steps = Vec::new();
                return Self { owner, steps };
            }
        };
        let last = steps.len().saturating_sub(LAST).max(1);
        let other = FieldStep::Key("".into());
        let known = |step: &FieldStep| match step {
            FieldStep::Key(key) if is_known(key) => step.clone(),
            FieldStep::Key(_) => other.clone(),
            FieldStep::Index(_) => FieldStep::Index(0),
        };
        let first = steps.iter().take(1);
        let steps = first.chain(steps.get(last..).unwrap_or_default());
        Self {
            owner,
            steps: steps.map(known).collect(),
        }
    }

    /// Returns how the text of the field itself is read.
    pub(crate) fn set_value(&self) -> Option<SetValue> {
        syntax(self.owner, &self.steps)?.set_value
    }

    /// Returns the bytes that are inserted into the text of the field with these values.
    pub(crate) fn written(&self, text: &str, values: &[ValueInText]) -> Written {
        match syntax(self.owner, &self.steps) {
            Some(syntax) => Written::new(syntax, text, values),
            None => Written::default(),
        }
    }

    /// Returns a value for its consumer; `written` is what is inserted into its text.
    pub(crate) fn for_consumer<'v>(&self, value: &'v Value, written: Written) -> ForConsumer<'v> {
        let of_consumer = match value.text() {
            Some(text) if !written.inserted.is_empty() => {
                Cow::Owned(Value::String(written.text(text)))
            }
            Some(_) => Cow::Borrowed(value),
            None => self.members(value),
        };
        ForConsumer {
            value: of_consumer,
            inserted: written.inserted.into_iter().map(|(at, _)| at).collect(),
        }
    }

    /// Returns a list or an object for the consumers of its members; borrowed if nothing
    /// changes.
    pub(crate) fn members<'v>(&self, value: &'v Value) -> Cow<'v, Value> {
        if self.steps.is_empty() {
            return Cow::Borrowed(value);
        }
        match self.changed(&mut self.steps.clone(), value) {
            Some(value) => Cow::Owned(value),
            None => Cow::Borrowed(value),
        }
    }

    /// Returns the value for the consumers of the steps' field; `None` if nothing changes.
    fn changed(&self, steps: &mut Vec<FieldStep>, value: &Value) -> Option<Value> {
        match value {
            Value::String(text) => {
                let all = ValueInText {
                    bytes: 0..text.len(),
                    is_joined: false,
                };
                let written = Written::new(syntax(self.owner, steps)?, text, &[all]);
                (!written.inserted.is_empty()).then(|| Value::String(written.text(text)))
            }
            Value::List(items) => {
                let mut all = items.clone();
                let mut is_changed = false;
                for (nth, item) in all.iter_mut().enumerate() {
                    steps.push(FieldStep::Index(nth));
                    if let Some(other) = self.changed(steps, item) {
                        *item = other;
                        is_changed = true;
                    }
                    steps.pop();
                }
                is_changed.then_some(Value::List(all))
            }
            Value::Object(entries) => {
                let mut all = entries.clone();
                let mut is_changed = false;
                for (key, entry) in &mut all {
                    steps.push(FieldStep::Key(key.name.as_str().into()));
                    if let Some(other) = self.changed(steps, entry) {
                        *entry = other;
                        is_changed = true;
                    }
                    steps.pop();
                }
                is_changed.then_some(Value::Object(all))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    /// Returns the first type that Helm gives to a text in a list or an object, if it isn't a
    /// string.
    pub(crate) fn misread_member(&self, value: &Value) -> Option<(&'static str, SetValue)> {
        self.misread(&mut self.steps.clone(), value, &[])
    }

    fn misread(
        &self,
        steps: &mut Vec<FieldStep>,
        value: &Value,
        around: &[(Key, Value)],
    ) -> Option<(&'static str, SetValue)> {
        match value {
            Value::String(text) => {
                let set_value = syntax(self.owner, steps)?.set_value?;
                let has = |name: &str| {
                    let mut entries = around.iter();
                    entries.any(|(key, value)| key.name == name && *value == Value::Bool(true))
                };
                let read_as = match set_value {
                    SetValue::Jsonnet => has(CODE).then_some("code"),
                    _ if has(FORCE_STRING) => None,
                    _ => set_value.type_of(text),
                };
                Some((read_as?, set_value))
            }
            Value::List(items) => items.iter().enumerate().find_map(|(nth, item)| {
                steps.push(FieldStep::Index(nth));
                let found = self.misread(steps, item, &[]);
                steps.pop();
                found
            }),
            Value::Object(entries) => entries.iter().find_map(|(key, entry)| {
                steps.push(FieldStep::Key(key.name.as_str().into()));
                let found = self.misread(steps, entry, entries);
                steps.pop();
                found
            }),
            _ => None,
        }
    }
}

/// Returns whether a program that knows more than `$` reads text in this field, or in a member
/// of it.
pub(crate) fn may_set_values(field: &Field) -> bool {
    matches!(
        Owner::of_field(field),
        Owner::ArgoCd | Owner::HelmController | Owner::Crossplane
    )
}

/// Returns whether a program that knows more than `$` may read the text of a node, by its key
/// and the kinds in its document: most nodes are decided by their key.
pub(crate) fn may_read_text(resources: &Resources<'_>, id: NodeId) -> bool {
    let Role::Value(key) = resources.role(id) else {
        return false;
    };
    let key = resources.text(key);
    let is_of_application = matches!(key, Some("value" | "path" | "values" | "name"));
    is_of_application && (resources.has_kind("Application") || resources.has_kind("Release"))
        || key == Some("valuesContent")
        || resources.has_kind("HelmChart")
}

/// The key next to the `value` of a parameter by which Helm reads a string.
pub(crate) const FORCE_STRING: &str = "forceString";

/// The key next to the `value` of a variable by which Jsonnet evaluates it.
pub(crate) const CODE: &str = "code";

impl Written {
    fn new(syntax: Syntax, text: &str, values: &[ValueInText]) -> Self {
        let mut inserted = Vec::new();
        if let Some(set_value) = syntax.set_value {
            let escapes = set_value.escapes(text, values).into_iter();
            inserted.extend(escapes.map(|at| (at, '\\')));
        }
        if syntax.dollars {
            for value in values {
                let own = text.get(value.bytes.clone()).unwrap_or_default();
                let dollars = memchr::memchr_iter(b'$', own.as_bytes());
                inserted.extend(dollars.map(|at| (value.bytes.start + at, '$')));
            }
        }
        inserted.sort_unstable();
        Self { inserted }
    }

    /// Returns the part of it that is in these bytes of the text.
    pub(crate) fn within(&self, bytes: Range<usize>) -> Self {
        let is_in = |(at, _): &&(usize, char)| bytes.contains(at);
        let inserted = self.inserted.iter().filter(is_in);
        Self {
            inserted: inserted.map(|(at, c)| (at - bytes.start, *c)).collect(),
        }
    }

    /// Returns the text with the bytes inserted.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut written = String::with_capacity(text.len() + self.inserted.len());
        let mut at = 0;
        for (position, inserted) in &self.inserted {
            written.push_str(text.get(at..*position).unwrap_or_default());
            written.push(*inserted);
            at = *position;
        }
        written.push_str(text.get(at..).unwrap_or_default());
        written
    }
}

/// Returns whether each `$` of the value is doubled in this field.
pub(crate) fn doubles(field: &Field, value: &Value) -> bool {
    contains_dollar(value)
        && match value {
            Value::String(text) => {
                let all = ValueInText {
                    bytes: 0..text.len(),
                    is_joined: false,
                };
                let written = Reading::of(field).written(text, &[all]);
                written
                    .inserted
                    .iter()
                    .any(|(_, inserted)| *inserted == '$')
            }
            _ => matches!(Reading::of(field).members(value), Cow::Owned(_)),
        }
}

pub(crate) fn contains_dollar(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('$'),
        Value::List(items) => items.iter().any(contains_dollar),
        Value::Object(entries) => entries.iter().any(|(_, value)| contains_dollar(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
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
        assert_eq!(doubles(&field, &value), expected, "{kind} {path}");
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
        for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
            pod(&format!("containers.0.{probe}.exec.command.0"), true);
            pod(&format!("containers.0.{probe}.httpGet.path"), false);
        }
        pod("containers.0.volumeMounts.0.subPathExpr", true);
        pod("containers.0.volumeMounts.0.subPath", false);
        pod("container.args.0", false);
        pod("containers.0.lifecycle.preStop.exec.command.0", false);
        check("v1", "ConfigMap", "data.args", false);
    }

    #[test]
    fn finds_the_fields_that_operators_copy() {
        let workflow = |path: &str, expected| {
            for (kind, before) in [
                ("Workflow", "spec.templates.0"),
                ("WorkflowTemplate", "spec.templateDefaults"),
                ("CronWorkflow", "spec.workflowSpec.templates.1"),
                ("ClusterWorkflowTemplate", "spec.templates.0"),
                ("Sensor", "spec.template"),
            ] {
                let path = format!("{before}.{path}");
                check("argoproj.io/v1alpha1", kind, &path, expected);
                check(
                    "example.com/v1",
                    kind,
                    &path,
                    expected && path.contains("containers"),
                );
            }
        };
        for container in [
            "container",
            "script",
            "sidecars.0",
            "containerSet.containers.0",
        ] {
            for field in [
                "args.0",
                "command.1",
                "env.0.value",
                "volumeMounts.0.subPathExpr",
            ] {
                workflow(&format!("{container}.{field}"), true);
            }
            workflow(&format!("{container}.readinessProbe.exec.command.0"), true);
            workflow(&format!("{container}.image"), false);
            workflow(&format!("{container}.env.0.name"), false);
        }
        workflow("script.source", false);
        workflow("inputs.parameters.0.value", false);
        let open_telemetry = |kind: &str, path: &str, expected| {
            check("opentelemetry.io/v1beta1", kind, path, expected);
            check("example.com/v1", kind, path, false);
        };
        for path in [
            "spec.env.0.value",
            "spec.args.a",
            "spec.volumeMounts.0.subPathExpr",
            "spec.additionalContainers.0.args.0",
        ] {
            open_telemetry("OpenTelemetryCollector", path, true);
        }
        open_telemetry("OpenTelemetryCollector", "spec.config.args.a", false);
        open_telemetry("OpenTelemetryCollector", "spec.image", false);
        open_telemetry("Instrumentation", "spec.java.env.0.value", true);
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
                    target: std::sync::Arc::default(),
                    pointer: pointer.into(),
                    inside: 2,
                }),
                ..Field::of("", "", path)
            };
            let value = Value::String("$".to_owned());
            assert_eq!(doubles(&field, &value), expected, "{pointer} {path}");
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
        let written = |field: &Field| Reading::of(field).members(&list).to_json();
        assert_eq!(written(&args), r#"["$$","x"]"#);
        let other = field(&[key("spec"), key("list")]);
        assert_eq!(written(&other), r#"["$","x"]"#);
    }
}
