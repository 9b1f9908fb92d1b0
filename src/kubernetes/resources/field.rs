//! A field of a resource, as the API server writes its path.

use std::rc::Rc;

use crate::kubernetes::resources::PatchedField;
use crate::report::{Diagnostic, ResourceRef};

/// A field of a resource. It shares its names with the other fields of its document: long
/// ones are stored once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) resource: Option<Rc<ResourceRef>>,
    /// From the resource (or the document) inwards.
    pub(crate) steps: Vec<FieldStep>,
    /// The field of another resource that is set, if this is one of a patch.
    pub(crate) patch: Option<PatchedField>,
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
    /// Returns whether it is a field of a Secret, or of a patch of one.
    pub(crate) fn is_of_secret(&self) -> bool {
        let resource = self.resource.as_deref();
        // Who does not say what it applies to may mean a Secret.
        let may_be_of_secret = |patch: &PatchedField| {
            let steps = patch.steps(&self.steps);
            let is_data = |step: &FieldStep| step.is_key("data") || step.is_key("stringData");
            patch.target.is_unknown() && steps.first().is_some_and(is_data)
        };
        resource.is_some_and(|resource| resource.kind == "Secret")
            || self.patches("", "Secret")
            || self.patch.as_ref().is_some_and(may_be_of_secret)
    }

    /// Returns whether it is a field of a patch of this kind.
    pub(crate) fn patches(&self, group: &str, kind: &str) -> bool {
        let patch = self.patch.as_ref();
        patch.is_some_and(|patch| patch.is_of(group, kind))
    }

    /// Returns whether it is the `data` of a core Secret, or one of its entries: the API
    /// server accepts only base64 there.
    pub(crate) fn holds_base64(&self) -> bool {
        if let Some(patch) = &self.patch {
            let steps = patch.steps(&self.steps);
            let is_data = steps.first().is_some_and(|step| step.is_key("data"));
            return is_data && steps.len() <= 2 && patch.is_of("", "Secret");
        }
        let resource = self.resource.as_deref();
        resource.is_some_and(|resource| resource.kind == "Secret" && resource.api_version == "v1")
            && self.key(0) == Some("data")
            && self.steps.len() <= 2
    }

    /// Returns the field around it that is `length` steps from the resource.
    pub(crate) fn upto(&self, length: usize) -> Self {
        Self {
            resource: self.resource.clone(),
            steps: self.steps.iter().take(length).cloned().collect(),
            patch: self.patch.clone(),
        }
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
impl Field {
    /// Returns the resource, and the path in it, as diagnostics have them.
    pub(crate) fn reported(&self) -> (Option<ResourceRef>, Option<String>) {
        let path = (!self.steps.is_empty()).then(|| self.to_string());
        (self.resource.as_deref().cloned(), path)
    }
}

impl Diagnostic {
    /// Adds the resource and the path of the field to the diagnostic.
    pub(crate) fn in_field(mut self, field: Option<&Field>) -> Self {
        if let Some(field) = field {
            (self.resource, self.field) = field.reported();
        }
        self
    }
}
