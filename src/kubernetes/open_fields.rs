//! Fields in which an empty list or object selects everything instead of nothing.

use crate::kubernetes::resources::{Field, FieldStep};

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
pub(crate) fn selects_if_empty(field: &Field) -> Option<&'static str> {
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
pub(crate) fn selects_if_absent(field: &Field) -> Option<&'static str> {
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
