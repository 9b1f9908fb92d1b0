//! Field paths in the notations of other tools, and how they are written here.

use crate::config::substitutions::PathStep;

/// The maps of Kubernetes whose keys have dots and slashes, and whose values are text.
const MAPS: &[&str] = &[
    "labels",
    "annotations",
    "matchLabels",
    "nodeSelector",
    "commonLabels",
    "commonAnnotations",
];

/// Returns how a path is written if it is a JSON pointer (`/spec/replicas`), a JSONPath
/// (`$.spec.replicas`), or has a key with dots without brackets. No field of a resource is
/// named like that.
pub(super) fn respelled(path: &str, steps: &[PathStep]) -> Option<String> {
    let PathStep::Key(first) = steps.first()? else {
        return None;
    };
    if let Some(rest) = path.strip_prefix('$') {
        let rest = rest.strip_prefix('.').unwrap_or(rest);
        return (!rest.is_empty()).then(|| rest.to_owned());
    }
    if first.contains('/') {
        let tokens = path.strip_prefix('/').unwrap_or(path).split('/');
        let steps: Vec<String> = tokens
            .map(|token| step(&token.replace("~1", "/").replace("~0", "~")))
            .collect();
        return Some(steps.join("."));
    }
    let keys: Vec<&str> = steps
        .iter()
        .map_while(|step| match step {
            PathStep::Key(key) | PathStep::Index { key, .. } => Some(key.as_str()),
            PathStep::Match { .. } | PathStep::Any | PathStep::Append => None,
        })
        .collect();
    let map = keys.iter().rposition(|key| MAPS.contains(key))?;
    let inside = keys.get(map + 1..)?;
    let slash = inside
        .iter()
        .position(|key| key.contains('/') || key.contains("~1"))?;
    if slash == 0 && !inside[0].contains("~1") {
        return None;
    }
    let key = inside[..=slash].join(".").replace("~1", "/");
    let before = path.split('.').take(map + 1).collect::<Vec<_>>().join(".");
    Some(format!("{before}.[{key}]"))
}

/// Returns a step as it is written: keys with dots in brackets.
fn step(key: &str) -> String {
    if key.contains(['.', '/', '[', ']']) {
        return format!("[{key}]");
    }
    key.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::substitutions::path::parse;

    #[test]
    fn respells_the_paths_of_other_tools() {
        for (path, expected) in [
            ("/spec/replicas", Some("spec.replicas")),
            ("spec/replicas", Some("spec.replicas")),
            (
                "/metadata/annotations/example.com~1vpc",
                Some("metadata.annotations.[example.com/vpc]"),
            ),
            (
                "/spec/containers/0/args/-",
                Some("spec.containers.0.args.-"),
            ),
            ("$.spec.replicas", Some("spec.replicas")),
            ("$['spec'].replicas", Some("['spec'].replicas")),
            (
                "metadata.annotations.app.kubernetes.io/name",
                Some("metadata.annotations.[app.kubernetes.io/name]"),
            ),
            (
                "spec.template.metadata.labels.example~1vpc",
                Some("spec.template.metadata.labels.[example/vpc]"),
            ),
            ("spec.replicas", None),
            ("metadata.labels.vpc", None),
            ("metadata.annotations.example/vpc", None),
            ("metadata.annotations.[example.com/vpc]", None),
            ("metadata.annotations.[example.com/config].a.b/c", None),
            ("data.config.server.a/b", None),
        ] {
            let found = parse(path).ok().and_then(|steps| respelled(path, &steps));
            assert_eq!(found.as_deref(), expected, "{path}");
            if let Some(found) = found {
                assert_eq!(respelled(&found, &parse(&found).unwrap()), None, "{found}");
            }
        }
    }
}
