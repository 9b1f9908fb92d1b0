//! Fields in which an empty list or object selects everything instead of nothing.

use crate::kubernetes::resources::{Field, FieldStep};
use crate::outputs::Value;

/// The groups and kinds with such a field, its name, and what it selects if it is empty.
static FIELDS: &[(&str, &[&str], &[&str], &str)] = &[
    (
        "networking.k8s.io",
        &["NetworkPolicy"],
        &["from", "to"],
        "every peer",
    ),
    (
        "networking.k8s.io",
        &["NetworkPolicy"],
        &["ports"],
        "every port",
    ),
    (
        "networking.k8s.io",
        &["NetworkPolicy"],
        &[
            "podSelector",
            "namespaceSelector",
            "matchLabels",
            "matchExpressions",
        ],
        "everything",
    ),
    (
        "rbac.authorization.k8s.io",
        &["Role", "ClusterRole"],
        &["resourceNames"],
        "every name",
    ),
    (
        "",
        &["Service"],
        &["loadBalancerSourceRanges"],
        "every source",
    ),
    (
        "policy",
        &["PodDisruptionBudget"],
        &["selector", "matchLabels", "matchExpressions"],
        "every pod",
    ),
    (
        "admissionregistration.k8s.io",
        &[
            "ValidatingWebhookConfiguration",
            "MutatingWebhookConfiguration",
        ],
        &[
            "namespaceSelector",
            "objectSelector",
            "matchLabels",
            "matchExpressions",
        ],
        "everything",
    ),
];

/// Returns what a field selects if its list or object is empty, unless that is nothing.
fn selects_if_empty(field: &Field) -> Option<&'static str> {
    field.find_set(|field| {
        let resource = field.resource.as_deref()?;
        let (group, _) = resource.group_version();
        let last = field.steps.last()?;
        let is_it = |(of, kinds, names, _): &&(&str, &[&str], &[&str], &str)| {
            *of == group
                && kinds.contains(&resource.kind.as_str())
                && names.iter().any(|name| last.is_key(name))
        };
        FIELDS.iter().find(is_it).map(|(_, _, _, what)| *what)
    })
}

/// Returns what a field selects if it is absent: what it does if it is empty, unless that is less.
/// A budget without a selector selects no pods, and a peer without a selector of namespaces is in
/// that of the policy.
fn selects_if_absent(field: &Field) -> Option<&'static str> {
    let is_less = |field: &Field| {
        let kind = field.resource.as_deref().map(|resource| &*resource.kind);
        let is = |name: &str| field.steps.last().is_some_and(|step| step.is_key(name));
        match kind {
            Some("PodDisruptionBudget") => is("selector"),
            Some("NetworkPolicy") => is("namespaceSelector"),
            _ => false,
        }
    };
    selects_if_empty(field).filter(|_| !field.any_set(is_less))
}

/// A field that selects everything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opened {
    /// How it is left: `empty` or `absent`.
    pub(crate) state: &'static str,
    /// What it selects then.
    pub(crate) what: &'static str,
}

impl Opened {
    /// Returns what a field is that is left empty, if it selects everything then.
    pub(crate) fn if_empty(field: &Field) -> Option<Self> {
        let state = "empty";
        selects_if_empty(field).map(|what| Self { state, what })
    }

    /// Returns what a field is that is left absent, if it selects everything then.
    pub(crate) fn if_absent(field: &Field) -> Option<Self> {
        let state = "absent";
        selects_if_absent(field).map(|what| Self { state, what })
    }
}

/// Returns how a value opens its field, or else a field inside the value, at which `field` is
/// left. Inside, a selector that is null is a choice, as a peer has only some.
pub(crate) fn opened_by(field: &mut Field, value: &Value) -> Option<Opened> {
    let is_empty = |value: &Value| *value == Value::Null || value.is_empty_collection();
    let has_none = match value {
        Value::Object(entries) => entries.iter().all(|(_, member)| is_empty(member)),
        value => value.is_empty_collection(),
    };
    let opened = match value {
        Value::Null => Opened::if_absent(field),
        _ if has_none => Opened::if_empty(field),
        _ => None,
    };
    let members: Vec<(FieldStep, &Value)> = match value {
        _ if opened.is_some() => return opened,
        Value::List(items) => (items.iter().enumerate())
            .map(|(nth, item)| (FieldStep::Index(nth), item))
            .collect(),
        Value::Object(entries) => (entries.iter())
            .filter(|(key, member)| match key.name.as_str() {
                // Without any, the selector around them is empty.
                "matchLabels" | "matchExpressions" => false,
                name => *member != Value::Null || !name.ends_with("Selector"),
            })
            .map(|(key, member)| (FieldStep::Key(key.name.as_str().into()), member))
            .collect(),
        _ => return None,
    };
    members.into_iter().find_map(|(step, member)| {
        field.steps.push(step);
        let opened = opened_by(field, member);
        if opened.is_none() {
            field.steps.pop();
        }
        opened
    })
}

/// Returns whether a resource keeps its own value of a field that is absent in a patch which is
/// merged into it: the field is in no list that is replaced as a whole. The webhooks of a
/// configuration are merged by their names.
pub(crate) fn keeps_if_absent(field: &Field) -> bool {
    let set = field.patch.as_ref().map(|patch| patch.steps(&field.steps));
    let steps = set.as_ref().unwrap_or(&field.steps);
    let mut indices = steps
        .iter()
        .filter(|step| matches!(step, FieldStep::Index(_)));
    indices.next().is_none() || steps.first().is_some_and(|step| step.is_key("webhooks"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_open_field_in_a_value() {
        for (value, expected) in [
            (r#"{"ports": [], "from": []}"#, "spec.ingress[0].ports"),
            (
                r#"{"ports": [{"port": 80}], "from": null}"#,
                "spec.ingress[0].from",
            ),
            (
                r#"{"from": [{"podSelector": {}}]}"#,
                "spec.ingress[0].from[0].podSelector",
            ),
            (
                r#"{"from": [{"ipBlock": {"except": []}, "podSelector": null}]}"#,
                "",
            ),
            (r#"{"ports": [{"port": 80}]}"#, ""),
        ] {
            let mut field = Field::of("networking.k8s.io/v1", "NetworkPolicy", "spec.ingress.0");
            let value = crate::outputs::value_of_json(value);
            let found = opened_by(&mut field, &value).map(|_| field.to_string());
            assert_eq!(found.unwrap_or_default(), expected);
        }
    }
}
