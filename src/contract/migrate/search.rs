//! The changes of a file that would migrate it, and what cannot be migrated.

use std::ops::Range;

use crate::analysis::source::{Finding, SourceAnalyser, SourceScope};
use crate::collections::OrderedSet;
use crate::contract::migrate::candidate::Candidate;
use crate::contract::migrate::levels::visit;
use crate::contract::migrate::references::add_literals;
use crate::outputs::Bindings;
use crate::reference::{Dialect, Heads};
use crate::report::{Diagnostic, Origin, Rule};
use yaml::Span;

/// Why a reference is not migrated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// No bound document has this output.
    Unbound(String),
    /// landfall has no function for this operator with these arguments.
    Operator(String),
    /// Its fallback has several texts and references.
    Fallback,
    /// A `$` precedes it.
    AfterDollar,
    /// It is quoted more than once, with quotes in it.
    Quotes,
    /// Nothing in this setter comment is bound.
    NothingBound,
    /// The string that sets a list is YAML.
    ListInString(String),
    /// A setter comment cannot hold the part of the value that stays.
    Part,
    /// No text renders to the same.
    Differs,
    /// A field binding is written in the dialect.
    FieldBinding,
}

impl Left {
    /// Returns the reason, and what to do about it.
    fn described(&self) -> (String, String) {
        let (why, help) = match self {
            Self::Unbound(name) => (
                format!("no bound document has an output `{name}`"),
                format!("bind a document with `{name}`, or replace the reference with its value"),
            ),
            Self::Operator(operator) => (
                format!("landfall has no function for `{operator}` with these arguments"),
                "publish the result as an output of its own".to_owned(),
            ),
            Self::Fallback => (
                "its fallback is more than one value".to_owned(),
                "publish the fallback as an output of its own".to_owned(),
            ),
            Self::AfterDollar => (
                "a `$` before a reference escapes it in landfall".to_owned(),
                "publish the value with its `$` as an output of its own".to_owned(),
            ),
            Self::Quotes => (
                "it needs quotes that are escaped more than once".to_owned(),
                "put the document that it is in into a block scalar".to_owned(),
            ),
            Self::NothingBound => (
                "nothing in this setter comment is bound".to_owned(),
                "bind a document with its outputs, or remove the comment".to_owned(),
            ),
            Self::ListInString(name) => (
                format!("`{name}` is a string, which landfall does not read as a list"),
                "publish it as a list".to_owned(),
            ),
            Self::Part => (
                "the part of the value that stays cannot be written in a comment".to_owned(),
                "bind its outputs too".to_owned(),
            ),
            Self::Differs => (
                "the migrated manifest would not render to the same".to_owned(),
                "migrate it by hand".to_owned(),
            ),
            Self::FieldBinding => (
                "a field binding is written in the dialect".to_owned(),
                "write its value as `${name.output}`, together with the dialect of the Binding"
                    .to_owned(),
            ),
        };
        (why, help)
    }

    /// Returns the warning about something that is not migrated.
    pub(super) fn warning(&self, origin: Origin, span: Span, subject: &str) -> Diagnostic {
        let (why, help) = self.described();
        Diagnostic::warning(
            Rule::NotMigrated,
            format!("`{subject}` is not migrated: {why}"),
        )
        .at_concealed(origin, span, "")
        .help(help)
    }
}

/// The search of all files for what the other dialect reads.
pub(super) struct Search<'s> {
    pub(super) dialect: &'static dyn Dialect,
    pub(super) bindings: &'s Bindings,
    /// The bound names in landfall's own dialect.
    pub(super) heads: &'s Heads,
    /// The position of the file.
    pub(super) file: usize,
    pub(super) candidates: Vec<Candidate>,
    pub(super) left: Vec<LeftText>,
    /// The bytes of this file where landfall's own dialect would read a reference, and that
    /// need no escape.
    pub(super) known: OrderedSet<usize>,
}

/// Something that is not migrated.
pub(super) struct LeftText {
    pub(super) file: usize,
    pub(super) range: Range<usize>,
    pub(super) subject: String,
    pub(super) why: Left,
}

impl Search<'_> {
    /// Searches one file; `own` is the scope of landfall's own dialect.
    pub(super) fn add_file(
        &mut self,
        file: usize,
        text: &str,
        scope: &SourceScope,
        own: &SourceScope,
    ) {
        self.file = file;
        self.known = OrderedSet::new();
        let first = (self.candidates.len(), self.left.len());
        each_document(file, text, scope, &mut |finding| {
            if let Finding::Document(analysis) = finding {
                visit(&analysis, &mut |level| {
                    self.add_references(level);
                    self.add_setters(level, text);
                });
            }
        });
        let candidates = self.candidates.iter().skip(first.0).map(|it| &it.range);
        let left = self.left.iter().skip(first.1).map(|it| &it.range);
        (self.known).extend(candidates.chain(left).map(|range| range.start));
        each_document(file, text, own, &mut |finding| {
            if let Finding::Document(analysis) = finding {
                visit(&analysis, &mut |level| {
                    add_literals(level, file, &self.known, &mut self.candidates);
                });
            }
        });
        if let Some(added) = self.candidates.get_mut(first.0..) {
            added.sort_by_key(|candidate| (candidate.range.start, candidate.range.end));
        }
    }

    pub(super) fn leave(&mut self, range: Range<usize>, subject: String, why: Left) {
        self.left.push(LeftText {
            file: self.file,
            range,
            subject,
            why,
        });
    }
}

fn each_document<'t>(
    file: usize,
    text: &'t str,
    scope: &SourceScope,
    each: &mut dyn FnMut(Finding<'t>),
) {
    SourceAnalyser::new(scope).analyse_file(file, text, each);
}
