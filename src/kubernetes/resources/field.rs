//! A field of a resource, as the API server writes its path.

use std::rc::Rc;

use crate::report::{Diagnostic, ResourceRef};

/// A field of a resource. It shares its names with the other fields of its document: long
/// ones are stored once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) resource: Option<Rc<ResourceRef>>,
    /// From the resource (or the document) inwards.
    pub(crate) steps: Vec<FieldStep>,
    /// The field that is set, if this is the value of a JSON patch or in it.
    pub(crate) patch: Option<PatchedField>,
}

/// The field that an operation of a JSON patch (RFC 6902) sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PatchedField {
    /// The operation's `path`, a JSON pointer (RFC 6901).
    pub(crate) pointer: Rc<str>,
    /// How many steps of the [`Field`] lead to the operation's `value`.
    pub(crate) inside: usize,
}

impl PatchedField {
    /// Returns the steps from the patched resource to a field of which `steps` are those in
    /// the patch.
    pub(crate) fn steps(&self, steps: &[FieldStep]) -> Vec<FieldStep> {
        let step = |token: &str| match token.parse() {
            Ok(index) => FieldStep::Index(index),
            // The end of a list.
            Err(_) if token == "-" => FieldStep::Index(0),
            Err(_) => FieldStep::Key(token.replace("~1", "/").replace("~0", "~").into()),
        };
        let to_value = self.pointer.split('/').skip(1).map(step);
        let inside = steps.get(self.inside..).unwrap_or_default();
        to_value.chain(inside.iter().cloned()).collect()
    }
}

/// One step of a field path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FieldStep {
    Key(Rc<str>),
    Index(usize),
}

impl FieldStep {
    /// Returns whether it is this key.
    pub(crate) fn is_key(&self, wanted: &str) -> bool {
        matches!(self, Self::Key(key) if **key == *wanted)
    }
}

impl Field {
    /// Returns whether it is a field of a Secret.
    pub(crate) fn is_of_secret(&self) -> bool {
        let resource = self.resource.as_deref();
        resource.is_some_and(|resource| resource.kind == "Secret")
    }

    /// Returns whether it is the `data` of a core Secret, or one of its entries: the API
    /// server accepts only base64 there.
    pub(crate) fn holds_base64(&self) -> bool {
        let resource = self.resource.as_deref();
        resource.is_some_and(|resource| resource.kind == "Secret" && resource.api_version == "v1")
            && self.key(0) == Some("data")
            && self.steps.len() <= 2
    }

    /// Returns the name of step `nth`, if it is a key.
    pub(crate) fn key(&self, nth: usize) -> Option<&str> {
        match self.steps.get(nth) {
            Some(FieldStep::Key(key)) => Some(key),
            _ => None,
        }
    }
}

#[cfg(test)]
impl Field {
    /// Returns a field of a resource by its path, written like `spec.containers.0.args`:
    /// numeric steps are indices.
    pub(crate) fn of(api_version: &str, kind: &str, path: &str) -> Self {
        let resource = ResourceRef {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            ..ResourceRef::default()
        };
        let steps = path.split('.').map(|step| match step.parse() {
            Ok(index) => FieldStep::Index(index),
            Err(_) => FieldStep::Key(step.into()),
        });
        Self {
            resource: Some(resource.into()),
            steps: steps.collect(),
            patch: None,
        }
    }
}

/// Writes the path as the API server does, with quotes around keys that contain dots:
/// `spec.containers[0].args`, `metadata.annotations["a.b/c"]`.
impl std::fmt::Display for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (nth, step) in self.steps.iter().enumerate() {
            match step {
                FieldStep::Index(index) => write!(f, "[{index}]")?,
                FieldStep::Key(key)
                    if key.is_empty() || key.contains(['.', '[', ']', '"', ' ']) =>
                {
                    let quoted = crate::outputs::Value::String(key.to_string()).to_json();
                    write!(f, "[{quoted}]")?;
                }
                FieldStep::Key(key) if nth == 0 => f.write_str(key)?,
                FieldStep::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}
impl Diagnostic {
    /// Adds the resource and the path of the field to the diagnostic.
    pub(crate) fn in_field(mut self, field: Option<&Field>) -> Self {
        if let Some(field) = field {
            self.resource = field.resource.as_deref().cloned();
            self.field = (!field.steps.is_empty()).then(|| field.to_string());
        }
        self
    }
}
