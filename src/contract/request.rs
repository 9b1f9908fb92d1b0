//! The records that cross between a host and the plugin.

use crate::report::{Diagnostics, SubstitutionsReport};
use yaml::{Edit, Span};

/// A source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Relative to the root, with `/`, without `.` or `..` segments.
    pub path: String,
    /// As it is, a byte order mark and carriage returns included.
    pub content: Vec<u8>,
}

/// A file of infra outputs under the name that references use.
///
/// Its `Debug` form shows no content: values may be sensitive.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct OutputsDocument {
    /// The bound name: `infra` in `${infra.vpc_id}`.
    pub name: String,
    /// Shown in diagnostics; never opened by the plugin.
    pub path: String,
    /// The document's bytes.
    pub content: Vec<u8>,
    /// A format's id, such as `terraform`; none: recognised by content.
    pub format: Option<String>,
    /// The document came out of a Secret: every output in it is sensitive.
    pub sensitive: bool,
}

impl std::fmt::Debug for OutputsDocument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            name,
            path,
            content,
            format,
            sensitive,
        } = self;
        f.debug_struct("OutputsDocument")
            .field("name", name)
            .field("path", path)
            .field("bytes", &content.len())
            .field("format", format)
            .field("sensitive", sensitive)
            .finish_non_exhaustive()
    }
}

/// A configuration document with the path that diagnostics show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Shown in diagnostics.
    pub path: String,
    /// The document's bytes.
    pub content: Vec<u8>,
}

/// The loosest policies that a render may have. What the Binding or a flag states
/// and is looser is an error; what nobody states is tightened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ceiling {
    /// What holds for every key that the operator's policy does not state.
    pub built_in: BuiltInCeiling,
    /// The operator's policy: each key that it states replaces the built-in one.
    pub operator_policy: Option<Config>,
}

impl Ceiling {
    /// Whether somebody else than the manifests' author decides what is allowed.
    pub(crate) fn is_set(&self) -> bool {
        self.built_in != BuiltInCeiling::None || self.operator_policy.is_some()
    }
}

/// landfall's own ceiling for the place where it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BuiltInCeiling {
    /// Every policy is allowed: whoever renders owns the manifests and the outputs.
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

/// One plugin parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: ParameterValue,
}

/// The three forms that Argo CD gives a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterValue {
    /// `string`
    Text(String),
    /// `array`
    Items(Vec<String>),
    /// `map`
    Entries(Vec<(String, String)>),
}

/// How much report is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Diagnostics only.
    #[default]
    Diagnostics,
    /// And the substitutions report.
    Substitutions,
}

/// Everything that one render depends on, beside the sources. Equal requests
/// have equal answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The bound outputs documents. Several may share a name: later ones win
    /// for each output, and a note says so.
    pub outputs: Vec<OutputsDocument>,
    /// The Binding.
    pub binding: Option<Config>,
    /// The loosest policies that are allowed.
    pub ceiling: Ceiling,
    /// Policies by flags: a mapping with the keys of the Binding's `spec.policy`.
    /// Each one replaces the Binding's.
    pub policy: Option<Config>,
    /// Names without a document here that the host knows of all the same.
    pub known_names: Vec<KnownName>,
    /// Plugin parameters.
    pub parameters: Vec<Parameter>,
    /// Every document must have an apiVersion and a kind.
    pub resources_only: bool,
    /// Render setter comments only: references stay as they are, and field
    /// bindings do nothing.
    pub keep_references: bool,
    /// How much report is wanted.
    pub detail: Detail,
    /// The most bytes that all edits together may write; none: 256 MiB.
    pub answer_limit: Option<u64>,
}

/// What became of one source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Its bytes are the answer.
    Unchanged,
    /// Its bytes with these edits made: ascending and disjoint.
    Edited(Vec<Edit>),
    /// Other bytes altogether.
    Replaced(Vec<u8>),
}

/// A render that succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// One for each source file, in their order.
    pub sources: Vec<Content>,
    /// Files that had no source.
    pub generated: Vec<File>,
    /// Notes and warnings; and how many more of them there were.
    pub diagnostics: Diagnostics,
    /// When [`Detail::Substitutions`] was asked for.
    pub substitutions: Option<SubstitutionsReport>,
}

/// The kind of value that a parameter takes, for user interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// A string.
    Text,
    /// A number, written as a string.
    Number,
    /// `true` or `false`, written as a string.
    Boolean,
    /// A list of strings.
    Items,
    /// A map from strings to strings.
    Entries,
}

/// A parameter that a Binding understands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// Its name.
    pub name: String,
    /// Shown to people.
    pub title: String,
    /// Explained to people.
    pub tooltip: String,
    /// Whether a render fails without it.
    pub required: bool,
    /// The kind of value it takes.
    pub value_kind: ValueKind,
    /// The value in force.
    pub current: Option<ParameterValue>,
}
