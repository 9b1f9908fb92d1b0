//! The types of Kubernetes' fields, and values converted to fit them: the API server
//! rejects a number where it expects a string, and vice versa.

mod coercion;
mod constraint;
mod conversion;
#[cfg(test)]
mod corpora;
mod crd;
mod existence;
mod null_members;
mod own_field;
mod patched;
mod table;
#[cfg(test)]
mod tests;
mod versions;

pub(crate) use coercion::{Coercion, FieldTypes, Refusal};
pub(crate) use constraint::{Constraint, Refused};
pub(crate) use crd::{CustomKinds, DefinedKinds, Definition, may_define_kinds};
pub(crate) use existence::{UnknownField, unknown_field};
pub(crate) use own_field::{OwnField, OwnFields};
pub(crate) use patched::{PatchFiles, is_kustomization, is_patch_transformer, may_name_patches};
pub(crate) use versions::nearest as nearest_version;

use std::sync::Arc;

use crate::kubernetes::resources::{Field, FieldStep, in_template_patch};
use crate::kubernetes::types::crd::Schema;
use crate::kubernetes::types::table::{TypeId, TypeKind};
use crate::outputs::Value;
use crate::report::ResourceRef;

/// The type of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum FieldType {
    /// Anything, or unknown.
    #[default]
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

/// Returns the type of a field; that of a patch has the type of the field that it sets.
pub(crate) fn field_type(field: &Field, custom: &CustomKinds<'_>) -> FieldType {
    match (&field.patch, &field.resource) {
        (Some(patch), _) => patched::field_type(patch, &field.steps, custom),
        (None, Some(resource)) => resource_field_type(resource, &field.steps, custom),
        (None, None) => FieldType::Unknown,
    }
}

/// Returns the type of the field at the end of these steps.
fn resource_field_type(
    resource: &ResourceRef,
    steps: &[FieldStep],
    custom: &CustomKinds<'_>,
) -> FieldType {
    let ResourceRef {
        api_version, kind, ..
    } = resource;
    let root = match steps.first() {
        // It is the same in all kinds, and most values are in it.
        Some(FieldStep::Key(key)) if **key == *"metadata" => FieldType::any(),
        _ => kind_type(api_version, kind, custom),
    };
    match in_template_patch(steps) {
        Some(inside) if kind == "ApplicationSet" => {
            root.field("spec").field("template").after(inside)
        }
        _ => root.after(steps),
    }
}

/// Returns the type of a resource of this kind, as Kubernetes or the manifests define it, or
/// that of the [nearest version](versions) that one of them defines.
fn kind_type(api_version: &str, kind: &str, custom: &CustomKinds<'_>) -> FieldType {
    let exact = exact_kind_type(api_version, kind, custom);
    let nearest = || Some(versions::search(api_version, kind, custom)?.fields);
    exact.or_else(nearest).unwrap_or_else(FieldType::any)
}

/// Returns the type of a resource, in a version that is known. Of any other, only the metadata
/// is.
pub(crate) fn kind_type_of(resource: &ResourceRef, custom: &CustomKinds<'_>) -> FieldType {
    let exact = exact_kind_type(&resource.api_version, &resource.kind, custom);
    exact.unwrap_or_else(FieldType::any)
}

/// Returns the type of a resource of this kind in exactly this version, if it is known.
fn exact_kind_type(api_version: &str, kind: &str, custom: &CustomKinds<'_>) -> Option<FieldType> {
    match table::built_in(api_version, kind) {
        Some(id) => Some(FieldType::of(id)),
        None => custom.kind(api_version, kind),
    }
}

/// Returns the definition of a kind that is used, and one that gives this field another type for
/// a value, each with the type.
pub(crate) fn differing_definitions(
    resource: &ResourceRef,
    steps: &[FieldStep],
    value: Option<&Value>,
    custom: &CustomKinds<'_>,
) -> Option<[(Definition, FieldType); 2]> {
    let [used, other] =
        differing_kinds(&resource.api_version, &resource.kind, custom)?.map(|definition| {
            let takes = definition.fields.clone().after(steps);
            (definition, takes)
        });
    (!used.1.is_same_for(&other.1, value)).then_some([used, other])
}

/// Returns the definition of a kind that is used, and the first one that has other types.
fn differing_kinds(
    api_version: &str,
    kind: &str,
    custom: &CustomKinds<'_>,
) -> Option<[Definition; 2]> {
    match table::built_in(api_version, kind) {
        Some(_) => None,
        None => custom.differing(api_version, kind),
    }
}

/// Returns the type of a resource of this kind, as Kubernetes or its controller defines it.
pub(crate) fn resource_type(api_version: &str, kind: &str) -> FieldType {
    let built_in = table::built_in(api_version, kind).map(FieldType::of);
    let custom = || table::custom(api_version, kind).map(FieldType::of);
    built_in.or_else(custom).unwrap_or_else(FieldType::any)
}

impl FieldType {
    /// Returns whether the field takes any text as it is.
    pub(crate) const fn takes_text(&self) -> bool {
        matches!(self, Self::Unknown | Self::String)
    }

    /// Returns whether the API server refuses any text in the field, also that of a number.
    pub(crate) const fn refuses_text(&self) -> bool {
        !matches!(self, Self::Unknown | Self::String | Self::Either)
    }

    /// Returns whether the field takes only a string, a number or a bool.
    pub(crate) const fn is_scalar(&self) -> bool {
        !matches!(self, Self::Unknown | Self::List(_) | Self::Object(_))
    }

    /// Returns the type of a resource of unknown kind.
    fn any() -> Self {
        Self::of(table::any())
    }

    fn of(id: TypeId) -> Self {
        match id.type_kind() {
            TypeKind::Unknown => Self::Unknown,
            TypeKind::String => Self::String,
            TypeKind::Integer => Self::Integer,
            TypeKind::Number => Self::Number,
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

    /// Returns the type of a field of an object.
    pub(crate) fn field(&self, key: &str) -> Self {
        match self {
            Self::Object(Members::Kubernetes(id)) => id.field(key).map_or(Self::Unknown, Self::of),
            Self::Object(Members::Custom(schema)) => schema.field(key).clone(),
            _ => Self::Unknown,
        }
    }

    /// Returns the names of an object's fields, if it has no others.
    pub(crate) fn only_fields(&self) -> Option<Vec<&str>> {
        match self {
            Self::Object(Members::Kubernetes(id)) => id.only_fields(),
            Self::Object(Members::Custom(schema)) => schema.only_fields(),
            _ => None,
        }
    }

    /// Returns the type of the items of a list.
    pub(crate) fn item(&self) -> Self {
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
