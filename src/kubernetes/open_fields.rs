//! Fields in which an empty list or object selects everything instead of nothing.

use crate::kubernetes::resources::Field;

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
