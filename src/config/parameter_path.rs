//! Paths with parameters: `clusters/{cluster}/network.json`.

use crate::collections::OrderedSet;

/// The maximum number of parts of a path that other paths are compared with.
const MAX_PARTS: usize = 9;

/// A path that contains parameters in braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParameterPath<'p> {
    parts: Vec<Part<'p>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'p> {
    Text(&'p str),
    Parameter(&'p str),
}

/// Why a path has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathError<'p> {
    /// The parameter is not set.
    NotSet(&'p str),
    /// The value of the parameter is not one segment of a path.
    NotASegment(&'p str),
}

impl<'p> ParameterPath<'p> {
    /// Parses a path. `None`: a brace is not part of a parameter, or the name of a
    /// parameter is invalid.
    pub(crate) fn parse(path: &'p str) -> Option<Self> {
        let mut parts = Vec::new();
        let mut rest = path;
        while let Some((text, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}')?;
            if text.contains('}') || !is_segment(name) {
                return None;
            }
            parts.push(Part::Text(text));
            parts.push(Part::Parameter(name));
            rest = after;
        }
        if rest.contains('}') {
            return None;
        }
        parts.push(Part::Text(rest));
        Some(Self { parts })
    }

    /// Returns the names of the parameters, without duplicates.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'p str> {
        let names = self.parts.iter().filter_map(|part| match part {
            Part::Parameter(name) => Some(*name),
            Part::Text(_) => None,
        });
        let mut seen = OrderedSet::new();
        names.filter(move |name| seen.insert(*name))
    }

    /// Returns whether the path is `path` for some values of its parameters.
    pub(crate) fn can_be(&self, path: &str) -> bool {
        fn matches(parts: &[Part<'_>], path: &str) -> bool {
            match parts {
                [] => path.is_empty(),
                [Part::Text(text), rest @ ..] => path
                    .strip_prefix(text)
                    .is_some_and(|after| matches(rest, after)),
                [Part::Parameter(_), rest @ ..] => {
                    let longest = path.find('/').unwrap_or(path.len());
                    let ends = (1..=longest).filter(|end| path.is_char_boundary(*end));
                    ends.rev()
                        .any(|end| matches(rest, path.get(end..).unwrap_or_default()))
                }
            }
        }
        // With more parameters in a segment, the number of ways to divide it would explode.
        self.parts.len() <= MAX_PARTS && matches(&self.parts, path)
    }

    /// Returns the path with the values of its parameters. A value is one segment of a path
    /// or a part of one, so that it cannot lead to another folder.
    ///
    /// # Errors
    /// Every parameter without such a value.
    pub(crate) fn with_values<'v>(
        &self,
        value: impl Fn(&str) -> Option<&'v str>,
    ) -> Result<String, Vec<PathError<'p>>> {
        let mut path = String::new();
        let mut errors = Vec::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => path.push_str(text),
                Part::Parameter(name) => match value(name) {
                    None => errors.push(PathError::NotSet(name)),
                    Some(value) if !is_segment(value) => errors.push(PathError::NotASegment(name)),
                    Some(value) => path.push_str(value),
                },
            }
        }
        if errors.is_empty() {
            Ok(path)
        } else {
            Err(errors)
        }
    }
}

/// Returns whether a text is one segment of a path, in every file system.
fn is_segment(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    text.bytes().all(allowed) && text.bytes().any(|byte| byte != b'.')
}

#[cfg(test)]
mod tests {
    use super::{ParameterPath, PathError};

    #[track_caller]
    fn check(path: &str, value: &str, expected: Result<&str, &[PathError<'_>]>) {
        let parsed = ParameterPath::parse(path).unwrap();
        let values = parsed.with_values(|name| (name == "cluster").then_some(value));
        assert_eq!(values.as_deref().map_err(Vec::as_slice), expected);
    }

    #[test]
    fn replaces_parameters() {
        check("infra.json", "prod", Ok("infra.json"));
        check("{cluster}/infra.json", "prod-1", Ok("prod-1/infra.json"));
        check("x/{cluster}.{cluster}.json", "a", Ok("x/a.a.json"));
        check(
            "{region}/{cluster}.json",
            "a",
            Err(&[PathError::NotSet("region")]),
        );
    }

    #[test]
    fn a_value_cannot_lead_to_another_folder() {
        for value in [
            "", ".", "..", "...", "a/b", "../a", "a\\b", "a b", "a\n", "{b}", "ä",
        ] {
            let expected: &[_] = &[PathError::NotASegment("cluster")];
            check("{cluster}/infra.json", value, Err(expected));
            check(".{cluster}/infra.json", value, Err(expected));
        }
    }

    #[test]
    fn a_path_can_be_that_of_any_cluster() {
        let check = |path: &str, other: &str| ParameterPath::parse(path).unwrap().can_be(other);
        assert!(check(
            "clusters/{cluster}/infra.json",
            "clusters/prod/infra.json"
        ));
        assert!(check("{region}-{cluster}.json", "eu-west-1-prod.json"));
        assert!(check("infra.json", "infra.json"));
        assert!(!check(
            "clusters/{cluster}/infra.json",
            "clusters/a/b/infra.json"
        ));
        assert!(!check(
            "clusters/{cluster}/infra.json",
            "clusters//infra.json"
        ));
        assert!(!check("{cluster}.json", "a.yaml"));
    }

    #[test]
    fn every_brace_belongs_to_a_parameter() {
        for path in [
            "{", "}", "a}", "{a", "{}", "{a{b}}", "{a/b}", "{..}", "{a}}",
        ] {
            assert_eq!(ParameterPath::parse(path), None, "{path}");
        }
    }
}
