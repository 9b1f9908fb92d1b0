//! Kinds in versions that nothing defines: most fields of a kind have the same types in all
//! of its versions, so those of the nearest one are better than none.

use crate::kubernetes::types::{CustomKinds, FieldType, exact_kind_type, table};

/// The types of a kind in another version.
pub(crate) struct Nearest {
    pub(crate) api_version: String,
    pub(crate) fields: FieldType,
}

/// Returns the nearest version of a kind whose own version is unknown, if any is known.
pub(crate) fn nearest(api_version: &str, kind: &str, custom: &CustomKinds<'_>) -> Option<Nearest> {
    match exact_kind_type(api_version, kind, custom) {
        Some(_) => None,
        None => search(api_version, kind, custom),
    }
}

/// Returns the nearest version of a kind whose own version is not one that is known.
pub(super) fn search(api_version: &str, kind: &str, custom: &CustomKinds<'_>) -> Option<Nearest> {
    let (prefix, wanted) = match api_version.split_once('/') {
        Some((group, version)) => (format!("{group}/"), version),
        None => (String::new(), api_version),
    };
    let wanted = Version::read(wanted)?;
    let own = table::kinds_of(&prefix)
        .filter(|known| known.kind == kind)
        .map(|known| (known.api_version.to_owned(), FieldType::of(known.id)));
    let mut found: Option<(Distance, Nearest)> = None;
    for (api_version, fields) in custom.versions(kind).into_iter().chain(own) {
        let version = match api_version.strip_prefix(&prefix) {
            Some(version) if !version.contains('/') => Version::read(version),
            _ => None,
        };
        let Some(distance) = version.map(|version| wanted.distance(version)) else {
            continue;
        };
        if found
            .as_ref()
            .is_none_or(|(nearest, _)| distance < *nearest)
        {
            found = Some((
                distance,
                Nearest {
                    api_version,
                    fields,
                },
            ));
        }
    }
    Some(found?.1)
}

/// A version of Kubernetes: `v1`, `v2beta1`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Version {
    major: u32,
    /// 0 is alpha, 1 beta, 2 stable.
    stability: u32,
    minor: u32,
}

/// The difference of the majors, the stabilities and the minors.
type Distance = (u32, u32, u32);

impl Version {
    fn read(text: &str) -> Option<Self> {
        let text = text.strip_prefix('v')?;
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (major, rest) = text.split_at_checked(digits)?;
        let (stability, minor) = match (rest.strip_prefix("alpha"), rest.strip_prefix("beta")) {
            (Some(minor), _) => (0, minor.parse().ok()?),
            (_, Some(minor)) => (1, minor.parse().ok()?),
            _ if rest.is_empty() => (2, 0),
            _ => return None,
        };
        Some(Self {
            major: major.parse().ok()?,
            stability,
            minor,
        })
    }

    const fn distance(self, other: Self) -> Distance {
        (
            self.major.abs_diff(other.major),
            self.stability.abs_diff(other.stability),
            self.minor.abs_diff(other.minor),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kubernetes::types::DefinedKinds;

    fn check(api_version: &str, kind: &str, expected: Option<&str>) {
        let custom = CustomKinds::new(Vec::new(), DefinedKinds::default());
        let found = nearest(api_version, kind, &custom).map(|nearest| nearest.api_version);
        assert_eq!(found.as_deref(), expected, "{api_version} {kind}");
    }

    #[test]
    fn finds_the_nearest_version_of_a_kind() {
        check("apps/v2", "Deployment", Some("apps/v1"));
        check("apps/v1beta9", "Deployment", Some("apps/v1beta2"));
        check("v2", "Service", Some("v1"));
        check(
            "autoscaling/v3",
            "HorizontalPodAutoscaler",
            Some("autoscaling/v2"),
        );
        check("karpenter.sh/v1beta1", "NodePool", Some("karpenter.sh/v1"));
    }

    #[test]
    fn other_groups_and_kinds_have_no_nearest_version() {
        check("apps/v1", "Deployment", None);
        check("example.com/v1", "Deployment", None);
        check("apps/v2", "Widget", None);
        check("app/v1", "Deployment", None);
        check("apps/latest", "Deployment", None);
        check("v1", "Deployment", None);
    }
}
