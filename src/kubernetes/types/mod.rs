//! The types of Kubernetes' fields, and values converted to fit them: the API server
//! rejects a number where it expects a string, and vice versa.

mod coercion;
mod conversion;
#[cfg(test)]
mod corpora;
mod crd;
mod table;

pub(crate) use coercion::{Coercion, FieldTypes, Refusal};
pub(crate) use crd::{CustomKinds, DefinedKinds};

use std::sync::Arc;

use crate::kubernetes::resources::FieldStep;
use crate::kubernetes::types::crd::Schema;
use crate::kubernetes::types::table::{TypeId, TypeKind};
use crate::report::ResourceRef;

/// The type of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldType {
    /// Anything, or unknown.
    Unknown,
    String,
    Integer,
    Number,
    Boolean,
    /// A number or a string, as the author writes it: IntOrString, Quantity.
    Either,
    List(Members),
    Object(Members),
}

/// The types of the members of a list or object.
#[derive(Clone, Debug)]
pub(crate) enum Members {
    Kubernetes(TypeId),
    Custom(Arc<Schema>),
}

impl PartialEq for Members {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Kubernetes(id), Self::Kubernetes(other)) => id == other,
            (Self::Custom(schema), Self::Custom(other)) => Arc::ptr_eq(schema, other),
            _ => false,
        }
    }
}

impl Eq for Members {}

/// Returns the type of the field at the end of these steps.
pub(crate) fn field_type(
    resource: Option<&ResourceRef>,
    steps: &[FieldStep],
    custom: &CustomKinds<'_>,
) -> FieldType {
    let Some(ResourceRef {
        api_version, kind, ..
    }) = resource
    else {
        return FieldType::Unknown;
    };
    let root = match steps.first() {
        // It is the same in all kinds, and most values are in it.
        Some(FieldStep::Key(key)) if **key == *"metadata" => FieldType::any(),
        _ => match table::kind(api_version, kind) {
            Some(id) => FieldType::of(id),
            None => custom.kind(api_version, kind),
        },
    };
    root.after(steps)
}

impl FieldType {
    /// Returns the type of a resource of unknown kind.
    fn any() -> Self {
        Self::of(table::any())
    }

    fn of(id: TypeId) -> Self {
        match id.type_kind() {
            TypeKind::Unknown => Self::Unknown,
            TypeKind::String => Self::String,
            TypeKind::Integer => Self::Integer,
            TypeKind::Boolean => Self::Boolean,
            TypeKind::Either => Self::Either,
            TypeKind::List => Self::List(Members::Kubernetes(id)),
            TypeKind::Object => Self::Object(Members::Kubernetes(id)),
        }
    }

    /// Returns the type of the field at the end of these steps from this type.
    fn after(self, steps: &[FieldStep]) -> Self {
        steps.iter().fold(self, |at, step| match step {
            FieldStep::Key(key) => at.field(key),
            FieldStep::Index(_) => at.item(),
        })
    }

    fn field(&self, key: &str) -> Self {
        match self {
            Self::Object(Members::Kubernetes(id)) => id.field(key).map_or(Self::Unknown, Self::of),
            Self::Object(Members::Custom(schema)) => schema.field(key).clone(),
            _ => Self::Unknown,
        }
    }

    fn item(&self) -> Self {
        match self {
            Self::List(Members::Kubernetes(id)) => id.item().map_or(Self::Unknown, Self::of),
            Self::List(Members::Custom(schema)) => schema.item().clone(),
            _ => Self::Unknown,
        }
    }

    /// Describes what it accepts, with its article.
    pub(crate) const fn described(&self) -> &'static str {
        match self {
            Self::Unknown => "anything",
            Self::String => "a string",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::Boolean => "a bool",
            Self::Either => "a number or a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the type of a field, written like `spec.ports.0.port`: numeric steps are
    /// indices.
    fn check(api_version: &str, kind: &str, path: &str, expected: &str) {
        let resource = ResourceRef {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            ..ResourceRef::default()
        };
        let steps: Vec<FieldStep> = path
            .split('.')
            .map(|step| match step.parse() {
                Ok(index) => FieldStep::Index(index),
                Err(_) => FieldStep::Key(step.into()),
            })
            .collect();
        let custom = CustomKinds::new(Vec::new(), DefinedKinds::default());
        let found = field_type(Some(&resource), &steps, &custom);
        assert_eq!(found.described(), expected, "{api_version}/{kind} {path}");
    }

    #[test]
    fn fields_of_known_kinds() {
        let deployment = |path: &str, expected| check("apps/v1", "Deployment", path, expected);
        deployment("spec.replicas", "an integer");
        deployment("spec.paused", "a bool");
        deployment("spec.selector.matchLabels.app", "a string");
        deployment(
            "spec.strategy.rollingUpdate.maxSurge",
            "a number or a string",
        );
        let container = |path: &str, expected| {
            deployment(&format!("spec.template.spec.containers.0.{path}"), expected);
        };
        container("args", "a list");
        container("args.0", "a string");
        container("env.3.value", "a string");
        container("env.3.valueFrom", "an object");
        container("ports.0.containerPort", "an integer");
        container("resources.limits.cpu", "a number or a string");
        container("livenessProbe.httpGet.port", "a number or a string");
        container("securityContext.readOnlyRootFilesystem", "a bool");
        container("nothing.like.it", "anything");
        check("v1", "ConfigMap", "data.port", "a string");
        check("v1", "ConfigMap", "immutable", "a bool");
        check("v1", "Secret", "stringData.port", "a string");
        check(
            "v1",
            "Service",
            "spec.ports.0.targetPort",
            "a number or a string",
        );
        check(
            "batch/v1",
            "CronJob",
            "spec.jobTemplate.spec.ttlSecondsAfterFinished",
            "an integer",
        );
        check(
            "networking.k8s.io/v1",
            "Ingress",
            "spec.rules.0.http.paths.0.backend.service.port.number",
            "an integer",
        );
        check(
            "autoscaling/v2",
            "HorizontalPodAutoscaler",
            "spec.metrics.0.resource.target.averageUtilization",
            "an integer",
        );
        check(
            "rbac.authorization.k8s.io/v1",
            "Role",
            "rules.0.verbs.0",
            "a string",
        );
        check(
            "storage.k8s.io/v1",
            "StorageClass",
            "parameters.iops",
            "a string",
        );
        check("v1", "Lease", "spec.x", "anything");
        check(
            "coordination.k8s.io/v1",
            "Lease",
            "spec.renewTime",
            "a string",
        );
    }

    #[test]
    fn every_kind_has_metadata() {
        for (api_version, kind) in [
            ("apps/v1", "Deployment"),
            ("argoproj.io/v1alpha1", "Application"),
            ("", ""),
        ] {
            check(api_version, kind, "metadata.labels.a", "a string");
            check(api_version, kind, "metadata.annotations", "an object");
            check(api_version, kind, "metadata.generation", "an integer");
            check(
                api_version,
                kind,
                "metadata.ownerReferences.0.controller",
                "a bool",
            );
            check(api_version, kind, "kind", "a string");
        }
        check(
            "argoproj.io/v1alpha1",
            "Application",
            "spec.project",
            "anything",
        );
    }

    #[test]
    fn unknown_steps_have_an_unknown_type() {
        check("v1", "ConfigMap", "data.0", "anything");
        check("v1", "ConfigMap", "data.a.b", "anything");
        check("v1", "Pod", "spec.containers.name", "anything");
        check("v1", "Pod", "spec.overhead.cpu", "a number or a string");
    }

    #[test]
    fn reports_quotes_that_kustomize_may_have_dropped() {
        let list = "apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: example.com/v1
  kind: Widget
  metadata:
    labels: {port: ${infra.port}}
  spec:
    port: ${infra.port}
    on: ${infra.on}
    text: ${infra.text}
    url: http://x:${infra.port}
    quoted: \"${infra.port}\"
- apiVersion: apps/v1
  kind: Deployment
  spec:
    replicas: ${infra.text}
";
        let outputs = r#"{"port": {"value": 80, "type": "number", "sensitive": false},
            "on": {"value": true, "type": "bool", "sensitive": false},
            "text": {"value": "3", "type": "string", "sensitive": false}}"#;
        let document = crate::outputs::OutputsDocument {
            name: "infra".to_owned(),
            content: outputs.into(),
            ..crate::outputs::OutputsDocument::default()
        };
        let processed = crate::process(
            list.as_bytes(),
            &[document],
            &crate::Ceiling::default(),
            None,
            &[],
        )
        .unwrap();
        let reported: Vec<_> = processed
            .diagnostics
            .iter()
            .map(|note| format!("{} {:?}", note.rule.id(), note.field))
            .collect();
        assert_eq!(
            reported,
            [
                "quotes-unknown Some(\"spec.port\")",
                "quotes-unknown Some(\"spec.on\")"
            ]
        );
        let rendered = crate::splice(list.as_bytes(), &processed.edits).unwrap();
        let rendered = String::from_utf8(rendered).unwrap();
        for line in [
            "labels: {port: \"80\"}",
            "    port: 80\n",
            "on: true",
            "text: \"3\"",
            "url: http://x:80",
            "quoted: \"80\"",
            "replicas: 3\n",
        ] {
            assert!(rendered.contains(line), "{line} is not in\n{rendered}");
        }
    }
}
