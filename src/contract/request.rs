//! The records that cross between a host and the plugin.

use crate::config::{Ceiling, Config, KnownName};
use crate::outputs::OutputsDocument;
use crate::report::{Diagnostics, SubstitutionsReport};
use yaml::Edit;

/// A source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Relative to the root, with `/`, without `.` or `..` segments.
    pub path: String,
    /// As it is, a byte order mark and carriage returns included.
    pub content: Vec<u8>,
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
    /// The effective value.
    pub current: Option<ParameterValue>,
}
