//! Which outputs of one side of a comparison are sensitive, whether or not manifests render
//! with them.

use std::collections::BTreeMap;

/// Which of the outputs of one side are sensitive.
#[derive(Clone, Debug)]
pub struct SensitiveMarks {
    /// None if nothing is known.
    marks: Option<BTreeMap<Name, bool>>,
    /// Whether there may be other outputs, which may be sensitive.
    is_incomplete: bool,
}

/// A bound name, and the name of one of its outputs.
type Name = (String, String);

impl SensitiveMarks {
    /// The marks of outputs of which nothing is known.
    pub const UNKNOWN: Self = Self {
        marks: None,
        is_incomplete: true,
    };

    /// Creates the marks of outputs: the bound name and the output's own, and whether it is
    /// sensitive. `is_incomplete`: whether there may be others.
    pub fn new(marks: impl Iterator<Item = (String, String, bool)>, is_incomplete: bool) -> Self {
        let marks = marks.map(|(name, output, sensitive)| ((name, output), sensitive));
        Self {
            marks: Some(marks.collect()),
            is_incomplete,
        }
    }

    /// Returns whether an output may be sensitive. `output` is its name in reports:
    /// `infra.vpc_id`.
    #[must_use]
    pub fn may_be_sensitive(&self, output: &str) -> bool {
        name_of(output).is_none_or(|name| self.may_mark(&name))
    }

    fn may_mark(&self, name: &Name) -> bool {
        let mark = self.marks.as_ref().map(|marks| marks.get(name));
        mark.is_none_or(|mark| mark.copied().unwrap_or(self.is_incomplete))
    }

    /// Returns an output that may be sensitive here, and has a value on the other side that
    /// is not.
    #[must_use]
    pub fn only_here(&self, other: &Self) -> OnlyHere {
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

/// An output that may be sensitive on one side, and is public on the other one.
#[derive(Debug, PartialEq, Eq)]
pub enum OnlyHere {
    /// There is none.
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
    use super::{OnlyHere, SensitiveMarks};

    /// Returns marks of outputs that are bound to `infra`.
    fn of(marks: &[(&str, bool)]) -> SensitiveMarks {
        let infra = |output: &str| ("infra".to_owned(), output.to_owned());
        let marks = marks.iter().map(|(output, sensitive)| {
            let (name, output) = infra(output);
            (name, output, *sensitive)
        });
        SensitiveMarks::new(marks, false)
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
