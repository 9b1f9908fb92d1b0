//! Fields that do not exist: the API server drops what the schema of an object does not name,
//! or rejects it.

use crate::kubernetes::resources::{Field, FieldStep, Occurrences};
use crate::kubernetes::types::{CustomKinds, FieldType, field_type};
use crate::outputs::Value;
use crate::report::ResourceRef;
use crate::report::suggest::closest;

/// A field that its object does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnknownField {
    /// The path to it, from where it was looked for.
    pub(crate) steps: Vec<FieldStep>,
    /// The field with the most similar name.
    pub(crate) nearest: Option<String>,
}

impl UnknownField {
    /// Returns the help of the diagnostic.
    pub(crate) fn help(&self) -> String {
        let schemas =
            "fields of a newer CustomResourceDefinition are known if `spec.schemas` names it";
        match &self.nearest {
            Some(near) => format!("did you mean `{near}`? {schemas}"),
            None => format!("check its name: {schemas}"),
        }
    }
}

impl FieldType {
    /// Returns the error of a key that is not one of the fields of an object.
    fn unknown(&self, key: &str) -> Option<UnknownField> {
        let names = self.only_fields()?;
        // Directives of strategic merge patches are no fields, and the status of a resource is
        // not in the table.
        let is_known = names.contains(&key)
            || key.starts_with('$')
            || (key == "status" && names.contains(&"apiVersion"));
        (!is_known).then(|| UnknownField {
            steps: vec![FieldStep::Key(key.into())],
            nearest: closest(key, names.iter().copied()).map(str::to_owned),
        })
    }
}

/// Returns the first member of a value, at any depth, that does not exist in this type.
pub(super) fn unknown_member(value: &Value, takes: &FieldType) -> Option<UnknownField> {
    let within = |step: FieldStep, member: &Value, takes: &FieldType| {
        let mut found = unknown_member(member, takes)?;
        found.steps.insert(0, step);
        Some(found)
    };
    match value {
        Value::List(items) => {
            let takes = takes.item();
            let mut items = items.iter().enumerate();
            items.find_map(|(nth, item)| within(FieldStep::Index(nth), item, &takes))
        }
        Value::Object(entries) => entries.iter().find_map(|(key, member)| {
            let unknown = takes.unknown(&key.name);
            unknown.or_else(|| {
                let step = FieldStep::Key(key.name.as_str().into());
                within(step, member, &takes.field(&key.name))
            })
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Returns the error of a key that is not one of the fields of the object in this field.
pub(crate) fn unknown_field(
    field: &Field,
    key: &str,
    custom: &CustomKinds<'_>,
) -> Option<UnknownField> {
    // A mapping with apiVersion and kind but without a name of its own refers to a resource:
    // the `healthChecks` of Flux, a rule of Kyverno.
    let is_named = |resource: &ResourceRef| !resource.name.is_empty();
    if field.steps.is_empty() && !field.resource.as_deref().is_some_and(is_named) {
        return None;
    }
    field_type(field, custom).unknown(key)
}

/// Returns the first of the last `steps` steps of a field that does not exist, with the field
/// that it leads to.
pub(super) fn unknown_step(
    occurrences: &Occurrences,
    steps: usize,
    custom: &CustomKinds<'_>,
) -> Option<(Field, UnknownField)> {
    occurrences.all().find_map(|occurrence| {
        let field = &occurrence.field;
        let first = field.steps.len().saturating_sub(steps);
        (first..field.steps.len()).find_map(|length| {
            let FieldStep::Key(key) = &field.steps[length] else {
                return None;
            };
            let found = unknown_field(&field.upto(length), key, custom)?;
            Some((field.upto(length + 1), found))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kubernetes::types::DefinedKinds;

    const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  group: example.com\n  names: {kind: Widget}\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n        properties:\n          spec: {type: object, properties: {size: {type: integer}, map: {type: object, additionalProperties: {type: string}}, open: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}}}\n";

    /// Checks the last step of a path, written like `spec.ports.0.port`.
    fn check(api_version: &str, kind: &str, path: &str, expected: Option<&str>) {
        let custom = CustomKinds::new(vec![DEFINITION], DefinedKinds::default());
        let mut field = Field::of(api_version, kind, path);
        let resource = field.resource.as_deref().cloned().unwrap();
        let name = "a".to_owned();
        field.resource = Some(ResourceRef { name, ..resource }.into());
        let around = field.upto(field.steps.len() - 1);
        let key = field.key(field.steps.len() - 1).unwrap();
        let found =
            unknown_field(&around, key, &custom).map(|found| found.nearest.unwrap_or_default());
        assert_eq!(found.as_deref(), expected, "{kind} {path}");
    }

    #[test]
    fn finds_fields_that_do_not_exist() {
        let deployment = |path: &str, expected| check("apps/v1", "Deployment", path, expected);
        deployment("spec.replcas", Some("replicas"));
        deployment(
            "spec.template.spec.containers.0.imagePulPolicy",
            Some("imagePullPolicy"),
        );
        deployment("metadata.label", Some("labels"));
        deployment("data", Some(""));
        check("example.com/v1", "Widget", "spec.sise", Some("size"));
        check("example.com/v1", "Widget", "spce", Some("spec"));
        check(
            "argoproj.io/v1alpha1",
            "Application",
            "spec.projekt",
            Some("project"),
        );
        // The metadata is known of every kind.
        check(
            "example.com/v1",
            "Other",
            "metadata.anotations",
            Some("annotations"),
        );
    }

    #[test]
    fn a_reference_to_a_resource_has_other_fields() {
        let custom = CustomKinds::new(Vec::new(), DefinedKinds::default());
        let reference = Field::of("apps/v1", "Deployment", "name").upto(0);
        assert_eq!(unknown_field(&reference, "name", &custom), None);
    }

    #[test]
    fn accepts_fields_that_exist_or_may_exist() {
        let deployment = |path: &str| check("apps/v1", "Deployment", path, None);
        for path in [
            "spec.replicas",
            "status",
            "spec.$patch",
            "metadata.labels.any",
            "metadata.managedFields",
            "spec.template.spec.containers.0.resources.limits.any",
            "spec.template.spec.volumes.0.emptyDir",
        ] {
            deployment(path);
        }
        for path in ["spec.map.any", "spec.open.any", "spec.size", "status"] {
            check("example.com/v1", "Widget", path, None);
        }
        check("example.com/v1", "Other", "spec", None);
        check("v1", "ConfigMap", "data.any", None);
        for path in [
            "spec.source.helm.valuesObject",
            "spec.source.helm.valuesObject.any",
        ] {
            check("argoproj.io/v1alpha1", "Application", path, None);
        }
        check(
            "helm.toolkit.fluxcd.io/v2",
            "HelmRelease",
            "spec.values.any",
            None,
        );
        check(
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            "spec.versions.0.schema.openAPIV3Schema.properties.any",
            None,
        );
    }
}
