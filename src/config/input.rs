//! The configuration that a host passes in: documents, ceilings, names.

use yaml::Span;

/// A configuration document with the path that diagnostics show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Shown in diagnostics.
    pub path: String,
    /// The document's bytes.
    pub content: Vec<u8>,
}

/// The loosest policies that a render may have. It is an error if the Binding or a flag
/// sets a looser value; a policy that isn't set is tightened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ceiling {
    /// The ceiling of every key that the operator's policy doesn't set.
    pub built_in: BuiltInCeiling,
    /// The operator's policy: each key that it sets replaces the built-in ceiling.
    pub operator_policy: Option<Config>,
}

impl Ceiling {
    /// Returns whether someone other than the manifests' author decides what is allowed.
    pub(crate) fn is_set(&self) -> bool {
        self.built_in != BuiltInCeiling::None || self.operator_policy.is_some()
    }
}

/// landfall's built-in ceiling for the environment that it runs in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BuiltInCeiling {
    /// Every policy is allowed: the caller owns the manifests and the outputs.
    #[default]
    None,
    /// Manifests are rendered for their authors by someone else, and kept in plain
    /// text: Argo CD keeps them in Redis, and in Git under the source hydrator.
    /// No sensitive value reaches a manifest, and nothing is skipped.
    ArgoCd,
}

/// Where a document is that the Binding binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// Inside the root, relative to the folder of the Binding.
    Root,
    /// Inside the folder that the operator mounts.
    Mounted,
    /// It is no file: its content is in the Binding, or the value of a parameter.
    Held(Vec<u8>),
    /// It is a resource among the manifests, which [`crate::Sources::resource_documents`] finds.
    Resource,
}

/// An outputs document that the Binding binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The name it is bound to.
    pub name: String,
    /// Where it is.
    pub location: Location,
    /// Its path there, with `/` between segments. What is no file has a path that says what it
    /// is: `<parameter cluster>`.
    pub path: String,
    /// A format's id; `None`: recognised by content.
    pub format: Option<String>,
    /// Who publishes the document, in the author's words.
    pub published_by: Option<String>,
    /// It isn't an error if the document is missing: its references are kept, or have their
    /// defaults.
    pub optional: bool,
    /// The Binding declares it `optional`: a missing document is one without outputs.
    pub may_be_absent: bool,
    /// The Binding declares outputs of the document sensitive.
    pub declares_sensitive: bool,
    /// The location of the entry in the Binding.
    pub span: Span,
}

/// A name that the host knows but passes no document for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownName {
    /// The name, as references use it.
    pub name: String,
    /// The path of another Binding that binds it, which makes a reference to it an error
    /// here. `None`: the name is bound but its document isn't published, and the policy
    /// `unpublished` keeps its references.
    pub bound_by: Option<String>,
}
