//! The records that are passed between a host and the plugin.

use crate::config::KnownName;
use crate::contract::{Application, Configuration};
use crate::outputs::OutputsDocument;
use crate::report::{Diagnostics, SubstitutionsReport};
use yaml::{Edit, splice};

/// The maximum number of bytes that all edits together may write if a request sets no
/// limit: 256 MiB.
pub(crate) const DEFAULT_ANSWER_LIMIT: u64 = 256 << 20;

/// A source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Relative to the root, with `/`, without `.` or `..` segments.
    pub path: String,
    /// The unmodified content, including a byte order mark and carriage returns.
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

/// The three types of a parameter in Argo CD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterValue {
    /// `string`
    Text(String),
    /// `array`
    Items(Vec<String>),
    /// `map`
    Entries(Vec<(String, String)>),
}

/// How much to report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Diagnostics only.
    #[default]
    Diagnostics,
    /// Diagnostics and the substitutions report.
    Substitutions,
}

/// Everything that one render depends on, besides the sources. Equal requests have equal
/// answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The application's configuration.
    pub application: Application,
    /// The bound outputs documents. Several may share a name: outputs of later ones
    /// override those of earlier ones, with a note.
    pub outputs: Vec<OutputsDocument>,
    /// Names that the host knows but passes no document for.
    pub known_names: Vec<KnownName>,
    /// Whether every document must have an apiVersion and a kind.
    pub resources_only: bool,
    /// Whether to render only setter comments: references are left unchanged, and field
    /// bindings are not applied.
    pub keep_references: bool,
    /// How much to report.
    pub detail: Detail,
    /// The maximum number of bytes that all edits together may write. `None`: 256 MiB.
    pub answer_limit: Option<u64>,
}

/// The result for one source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The same bytes as the source.
    Unchanged,
    /// The source with these edits applied, ascending and disjoint.
    Edited(Vec<Edit>),
}

impl Request {
    /// Changes the application's configuration, which is read again.
    pub fn configure(&mut self, change: impl FnOnce(&mut Configuration)) {
        self.application = self.application.with(change);
    }

    /// Returns the application's configuration.
    #[must_use]
    pub fn configuration(&self) -> &Configuration {
        self.application.configuration()
    }
}

impl Content {
    /// Returns the bytes of the rendered file. The edits of a render are always valid.
    pub(crate) fn of(&self, source: &[u8]) -> Vec<u8> {
        match self {
            Self::Unchanged => source.to_vec(),
            Self::Edited(edits) => splice(source, edits).unwrap_or_default(),
        }
    }
}

/// A render that succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// One for each source file, in their order.
    pub sources: Vec<Content>,
    /// Notes and warnings, and how many were omitted.
    pub diagnostics: Diagnostics,
    /// `Some` if [`Detail::Substitutions`] was requested.
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

/// A parameter of a Binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// Its name.
    pub name: String,
    /// The title in user interfaces.
    pub title: String,
    /// The explanation in user interfaces.
    pub tooltip: String,
    /// Whether a render fails without it.
    pub required: bool,
    /// The kind of value it takes.
    pub value_kind: ValueKind,
    /// The effective value.
    pub current: Option<ParameterValue>,
}
