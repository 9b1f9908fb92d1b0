//! The configuration that a host hands over: documents, ceilings, names.

use yaml::Span;

/// A configuration document with the path that diagnostics show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Shown in diagnostics.
    pub path: String,
    /// The document's bytes.
    pub content: Vec<u8>,
}

/// The loosest policies that a render may have. What the Binding or a flag states
/// and is looser is an error; what is not stated is tightened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ceiling {
    /// What holds for every key that the operator's policy does not state.
    pub built_in: BuiltInCeiling,
    /// The operator's policy: each key that it states replaces the built-in one.
    pub operator_policy: Option<Config>,
}

impl Ceiling {
    /// Whether someone other than the manifests' author decides what is allowed.
    pub(crate) fn is_set(&self) -> bool {
        self.built_in != BuiltInCeiling::None || self.operator_policy.is_some()
    }
}

/// landfall's own ceiling for the place where it runs.
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

/// Where a document that the Binding asks for is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// Inside the one root, relative to the folder of the Binding.
    Root,
    /// Inside the folder that the operator mounts.
    Mounted,
}

/// An outputs document that the Binding asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The name it is bound to.
    pub name: String,
    /// Where it is looked for.
    pub location: Location,
    /// Its path there, `/` between segments.
    pub path: String,
    /// A format's id; none: recognised by content.
    pub format: Option<String>,
    /// Who publishes the document, in the author's words.
    pub published_by: Option<String>,
    /// That it is not there is no error: its references stay as they are.
    pub optional: bool,
    /// Where the Binding asks for it.
    pub span: Span,
}

/// A name that the host knows of although it gives no document for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownName {
    /// The name, as references use it.
    pub name: String,
    /// The path of another Binding that binds it, which makes a reference to it an
    /// error here. None: it is bound, its document is not published, and the policy
    /// `unpublished` keeps its references.
    pub bound_by: Option<String>,
}
