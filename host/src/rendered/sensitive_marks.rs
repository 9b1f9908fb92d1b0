//! Which outputs of one side of a comparison are sensitive, whether or not manifests render
//! with them.

use std::collections::BTreeMap;

use landfall_sandbox::types::{Configuration, OutputsDocument, ReadOutputs};

use crate::engine::{Halted, Plugin, has_errors};

/// The outputs of one side, and which of them are sensitive.
#[derive(Debug)]
pub(crate) struct SensitiveMarks {
    /// None if nothing is known.
    marks: Option<BTreeMap<Name, bool>>,
    /// Whether there may be other outputs, which may be sensitive.
    is_incomplete: bool,
}

/// A bound name, and the name of one of its outputs.
type Name = (String, String);

impl SensitiveMarks {
    /// The marks of outputs of which nothing is known.
    pub(crate) const UNKNOWN: Self = Self {
        marks: None,
        is_incomplete: true,
    };

    /// Asks the module for the marks in `documents`, and in the Binding.
    ///
    /// # Errors
    /// The module was stopped.
    pub(crate) fn of(
        documents: &[OutputsDocument],
        is_incomplete: bool,
        configuration: &Configuration,
        plugin: &mut Plugin,
    ) -> Result<Self, Halted> {
        let read = plugin.read_outputs(documents, configuration)?;
        Ok(Self::read(read, is_incomplete))
    }

    fn read(read: ReadOutputs, is_incomplete: bool) -> Self {
        let outputs = read.outputs.into_iter();
        let marks = outputs.map(|read| ((read.name, read.output), read.sensitive.is_some()));
        Self {
            marks: (!has_errors(&read.findings.diagnostics)).then(|| marks.collect()),
            is_incomplete,
        }
    }

    /// Returns whether any output of `documents` may be sensitive. `trusts_unmarked`: whether
    /// those of a format without marks are not.
    ///
    /// # Errors
    /// The module was stopped.
    pub(crate) fn may_be_in(
        documents: &[OutputsDocument],
        trusts_unmarked: bool,
        configuration: &Configuration,
        plugin: &mut Plugin,
    ) -> Result<bool, Halted> {
        let read = plugin.read_outputs(documents, configuration)?;
        let is_unmarked = !trusts_unmarked && !read.formats.iter().all(|it| it.marks_sensitive);
        Ok(is_unmarked || may_be_marked(&read))
    }

    /// Returns whether an output may be sensitive. `output` is its name in reports:
    /// `infra.vpc_id`.
    pub(crate) fn may_be_sensitive(&self, output: &str) -> bool {
        name_of(output).is_none_or(|name| self.may_mark(&name))
    }

    fn may_mark(&self, name: &Name) -> bool {
        let mark = self.marks.as_ref().map(|marks| marks.get(name));
        mark.is_none_or(|mark| mark.copied().unwrap_or(self.is_incomplete))
    }

    /// Returns an output that may be sensitive here, and has a value on the other side that
    /// is not.
    pub(super) fn only_here(&self, other: &Self) -> OnlyHere {
        match &other.marks {
            None => OnlyHere::Unknown,
            Some(marks) => {
                let mut public = marks.iter().filter(|(_, sensitive)| !**sensitive);
                let found = public.find(|(name, _)| self.may_mark(name));
                found.map_or(OnlyHere::None, |((bound, output), _)| {
                    OnlyHere::Output(format!("{bound}.{output}"))
                })
            }
        }
    }
}

/// Returns whether an output is known to be sensitive, or may be one that cannot be read.
pub(crate) fn may_be_marked(read: &ReadOutputs) -> bool {
    let mut outputs = read.outputs.iter();
    outputs.any(|it| it.sensitive.is_some()) || has_errors(&read.findings.diagnostics)
}

/// An output that may be sensitive on one side, and is public on the other one.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OnlyHere {
    None,
    /// The name of the first one.
    Output(String),
    /// Which outputs there are is not known.
    Unknown,
}

/// Returns the names in `infra.vpc_id` or `infra["vpc id"]`.
fn name_of(output: &str) -> Option<Name> {
    let (bound, name) = output.split_at_checked(output.find(['.', '['])?)?;
    let name = match name.strip_prefix('.') {
        Some(name) => name.to_owned(),
        None => serde_json::from_str(name.strip_prefix('[')?.strip_suffix(']')?).ok()?,
    };
    Some((bound.to_owned(), name))
}

#[cfg(test)]
mod tests {
    use super::{Name, OnlyHere, SensitiveMarks};

    /// Returns marks of outputs that are bound to `infra`.
    fn of(marks: &[(&str, bool)]) -> SensitiveMarks {
        let name = |output: &str| -> Name { ("infra".to_owned(), output.to_owned()) };
        let marks = marks
            .iter()
            .map(|(output, sensitive)| (name(output), *sensitive));
        SensitiveMarks {
            marks: Some(marks.collect()),
            is_incomplete: false,
        }
    }

    #[test]
    fn names_of_reports_are_read() {
        let marks = of(&[("a: {b\"", true), ("id", false), ("key", true)]);
        assert!(marks.may_be_sensitive("infra.key"));
        assert!(marks.may_be_sensitive("infra[\"a: {b\\\"\"]"));
        assert!(!marks.may_be_sensitive("infra.id"));
        assert!(!marks.may_be_sensitive("infra.other"));
        // A name that cannot be read may be any of them.
        assert!(marks.may_be_sensitive("infra[x"));
        assert!(SensitiveMarks::UNKNOWN.may_be_sensitive("infra.a"));
    }

    #[test]
    fn compares_the_marks_of_two_sides() {
        let output = OnlyHere::Output("infra.a".to_owned());
        let sensitive = of(&[("a", true)]);
        let public = of(&[("a", false)]);
        assert_eq!(sensitive.only_here(&public), output);
        assert_eq!(public.only_here(&sensitive), OnlyHere::None);
        // Removed outputs have no value on the other side.
        let mut empty = of(&[]);
        assert_eq!(sensitive.only_here(&empty), OnlyHere::None);
        assert_eq!(empty.only_here(&public), OnlyHere::None);
        empty.is_incomplete = true;
        assert_eq!(empty.only_here(&public), output);
        let unknown = SensitiveMarks::UNKNOWN;
        assert_eq!(unknown.only_here(&public), output);
        assert_eq!(public.only_here(&unknown), OnlyHere::Unknown);
    }
}
