//! Kinds as policies name them: `Secret` in the core group, `example.com/Vault`.

use std::fmt;

use crate::config::reader::Reader;
use crate::report::ResourceRef;
use yaml::NodeId;

/// A kind in any version of its group. The core group has no name and one version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GroupKind {
    pub(crate) group: String,
    pub(crate) kind: String,
}

impl GroupKind {
    pub(crate) fn core(kind: &str) -> Self {
        Self {
            group: String::new(),
            kind: kind.to_owned(),
        }
    }

    /// Returns the kind of a resource.
    pub(crate) fn of(resource: &ResourceRef) -> Self {
        Self {
            group: resource.group_version().0.to_owned(),
            kind: resource.kind.clone(),
        }
    }

    /// Describes the group: `in the core group`.
    pub(crate) fn described(&self) -> String {
        match self.group.as_str() {
            "" => "in the core group".to_owned(),
            group => format!("in the group `{group}`"),
        }
    }

    /// Reads a list of kinds, and reports every item that isn't one.
    pub(crate) fn read_list(reader: &mut Reader<'_>, id: NodeId, what: &str) -> Vec<Self> {
        let mut list = Vec::new();
        for (item, text) in reader.texts(id, what) {
            match Self::parse(&text) {
                Ok(kind) => list.push(kind),
                Err(help) => {
                    let message = format!("`{text}` in `{what}` is not a kind");
                    reader.error(item, message, help);
                }
            }
        }
        list
    }

    /// Reads `Kind` or `group/Kind`.
    ///
    /// # Errors
    /// The text to write instead.
    fn parse(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split('/').collect();
        let (group, kind) = match parts[..] {
            [kind] => ("", kind),
            // A version isn't a group: the groups of custom resources contain a dot, and
            // Kubernetes' own are words.
            [version, kind] if is_version(version) => {
                return Err(format!("the core group has no name: write `{kind}`"));
            }
            [group, kind] => (group, kind),
            [group, version, kind] if is_version(version) => {
                return Err(format!(
                    "a kind is listed without its version: write `{group}/{kind}`"
                ));
            }
            _ => return Err(HELP.to_owned()),
        };
        let is_group = |group: &str| {
            group.split('.').all(|part| {
                !part.is_empty()
                    && part
                        .bytes()
                        .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
            })
        };
        let is_kind = kind.starts_with(|c: char| c.is_ascii_uppercase())
            && kind.bytes().all(|b| b.is_ascii_alphanumeric());
        if !is_kind || !((group.is_empty() && parts.len() == 1) || is_group(group)) {
            return Err(HELP.to_owned());
        }
        Ok(Self {
            group: group.to_owned(),
            kind: kind.to_owned(),
        })
    }

    /// Returns whether a resource is of this kind.
    pub(crate) fn is(&self, resource: &ResourceRef) -> bool {
        let (group, version) = resource.group_version();
        let is_version = match group {
            "" => version == "v1" && resource.api_version == "v1",
            _ => is_version(version),
        };
        self.kind == resource.kind && self.group == group && is_version
    }
}

const HELP: &str = "write a kind of the core group, such as `Secret`, or group and kind, such as `example.com/Vault`";

/// Returns whether a string is a version: `v1`, `v1alpha2`.
fn is_version(text: &str) -> bool {
    let rest = text.strip_prefix('v').unwrap_or_default();
    rest.starts_with(|c: char| c.is_ascii_digit())
        && rest
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

impl fmt::Display for GroupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.group.as_str() {
            "" => f.write_str(&self.kind),
            group => write!(f, "{group}/{}", self.kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let found = GroupKind::parse(text).map(|kind| kind.to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{text}");
    }

    #[test]
    fn a_bare_kind_belongs_to_the_core_group() {
        check("Secret", Ok("Secret"));
        check("example.com/Vault", Ok("example.com/Vault"));
        check("apps/Deployment", Ok("apps/Deployment"));
        check(
            "v1/Secret",
            Err("the core group has no name: write `Secret`"),
        );
        check(
            "example.com/v1alpha1/Vault",
            Err("a kind is listed without its version: write `example.com/Vault`"),
        );
        for text in [
            "secret",
            "/Secret",
            "example.com/",
            "Example.com/Vault",
            "a..b/Vault",
            "*",
            "Secret ",
            "a/b/c/D",
        ] {
            check(text, Err(HELP));
        }
    }

    #[test]
    fn kinds_of_different_groups_differ() {
        let is = |text: &str, api_version: &str, kind: &str| {
            GroupKind::parse(text).unwrap().is(&ResourceRef {
                api_version: api_version.to_owned(),
                kind: kind.to_owned(),
                ..ResourceRef::default()
            })
        };
        assert!(is("Secret", "v1", "Secret"));
        for api_version in [
            "foo.example.com/v1",
            "v1beta1",
            "/v1",
            "",
            "v1/",
            "V1",
            "(sensitive)",
        ] {
            assert!(!is("Secret", api_version, "Secret"), "{api_version}");
        }
        assert!(!is("Secret", "v1", "secret"));
        assert!(is("example.com/Vault", "example.com/v1", "Vault"));
        assert!(is("example.com/Vault", "example.com/v1alpha1", "Vault"));
        assert!(!is("example.com/Vault", "example.com/v1/v1", "Vault"));
        assert!(!is("example.com/Vault", "example.org/v1", "Vault"));
        assert!(!is("Vault", "example.com/v1", "Vault"));
    }
}
