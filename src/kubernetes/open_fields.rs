//! Fields that select everything instead of nothing if they are empty or absent.

use crate::kubernetes::resources::{Field, FieldStep};
use crate::outputs::Value;
use yaml::{NodeId, Tree};

/// Fields of some kinds that select everything.
struct OpenFields {
    group: &'static str,
    kinds: &'static [&'static str],
    fields: &'static [OpenField],
}

struct OpenField {
    when: When,
    /// What it selects.
    what: &'static str,
    /// The last steps of each such field; [`ITEM`] is any index.
    ends: &'static [&'static [&'static str]],
    /// Fields beside it that restrict too, if they are written and not empty.
    beside: &'static [&'static str],
}

const fn open(
    when: When,
    what: &'static str,
    ends: &'static [&'static [&'static str]],
) -> OpenField {
    OpenField {
        when,
        what,
        ends,
        beside: &[],
    }
}

impl OpenField {
    const fn beside(self, beside: &'static [&'static str]) -> Self {
        Self { beside, ..self }
    }
}

/// How a field that selects everything is left.
#[derive(Clone, Copy, PartialEq)]
enum When {
    Empty,
    /// It has a text or a number, which cannot be left empty.
    Absent,
    Either,
}

const ITEM: &str = "[]";

const NETWORK: &str = "networking.k8s.io";
const ADMISSION: &str = "admissionregistration.k8s.io";
const ISTIO: &str = "security.istio.io";

/// The halves of a selector: both restrict.
const SELECTOR: &[&str] = &["matchLabels", "matchExpressions"];
/// What a policy of Istio applies to.
const SELECTED: &[&str] = &["selector", "targetRefs", "targetRef"];

/// What decides whether a policy restricts a direction.
const DIRECTIONS: &[&str] = &[
    "ingress",
    "ingressDeny",
    "egress",
    "egressDeny",
    "policyTypes",
];

const MATCHES: &[&[&str]] = &[&["matchLabels"], &["matchExpressions"]];

/// From the reference of each API. What is refused there if it is left so is not listed.
static FIELDS: &[OpenFields] = &[
    OpenFields {
        group: NETWORK,
        kinds: &["NetworkPolicy"],
        fields: &[
            open(When::Either, "every peer", &[&["from"], &["to"]]),
            open(When::Either, "every port", &[&["ports"]]),
            open(When::Empty, "every port", &[&["ports", ITEM]]),
            open(When::Absent, "every port", &[&["ports", ITEM, "port"]]),
            open(
                When::Empty,
                "every peer and port",
                &[&["ingress", ITEM], &["egress", ITEM]],
            ),
            open(
                When::Either,
                "every address of the block",
                &[&["ipBlock", "except"]],
            ),
            open(
                When::Either,
                "everything",
                &[&["podSelector"], &["matchLabels"], &["matchExpressions"]],
            )
            .beside(SELECTOR),
            // A peer without it is in the namespace of the policy.
            open(When::Empty, "everything", &[&["namespaceSelector"]]),
            // Without types, a policy always has `Ingress`, and `Egress` only if it has rules.
            open(
                When::Either,
                "every destination",
                &[&["spec", "egress"], &["spec", "policyTypes"]],
            )
            .beside(&["egress", "policyTypes"]),
        ],
    },
    OpenFields {
        group: "policy.networking.k8s.io",
        kinds: &["AdminNetworkPolicy", "BaselineAdminNetworkPolicy"],
        fields: &[open(
            When::Either,
            "everything",
            &[
                &["ports"],
                &["namespaces"],
                &["namespaceSelector"],
                &["podSelector"],
                &["matchLabels"],
                &["matchExpressions"],
            ],
        )
        .beside(SELECTOR)],
    },
    OpenFields {
        group: "cilium.io",
        kinds: &["CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy"],
        fields: &[
            open(
                When::Empty,
                "everything",
                &[
                    &["endpointSelector"],
                    &["nodeSelector"],
                    &["fromEndpoints", ITEM],
                    &["toEndpoints", ITEM],
                    &["fromNodes", ITEM],
                    &["toNodes", ITEM],
                ],
            ),
            open(When::Either, "everything", MATCHES).beside(SELECTOR),
            open(
                When::Either,
                "every port",
                &[&["toPorts"], &["toPorts", ITEM, "ports"]],
            ),
            // A direction without rules is not restricted, unless the policy denies by default.
            open(
                When::Either,
                "every source",
                &[
                    &["spec", "ingress"],
                    &["spec", "ingressDeny"],
                    &["specs", ITEM, "ingress"],
                    &["specs", ITEM, "ingressDeny"],
                ],
            )
            .beside(&["ingress", "ingressDeny", "enableDefaultDeny.ingress"]),
            open(
                When::Either,
                "every destination",
                &[
                    &["spec", "egress"],
                    &["spec", "egressDeny"],
                    &["specs", ITEM, "egress"],
                    &["specs", ITEM, "egressDeny"],
                ],
            )
            .beside(&["egress", "egressDeny", "enableDefaultDeny.egress"]),
            open(
                When::Absent,
                "every peer",
                &[
                    &["fromEndpoints"],
                    &["fromCIDR"],
                    &["fromCIDRSet"],
                    &["fromEntities"],
                ],
            )
            .beside(&["fromEndpoints", "fromCIDR", "fromCIDRSet", "fromEntities"]),
            open(
                When::Absent,
                "every peer",
                &[
                    &["toEndpoints"],
                    &["toCIDR"],
                    &["toCIDRSet"],
                    &["toEntities"],
                    &["toFQDNs"],
                    &["toServices"],
                ],
            )
            .beside(&[
                "toEndpoints",
                "toCIDR",
                "toCIDRSet",
                "toEntities",
                "toFQDNs",
                "toServices",
            ]),
        ],
    },
    OpenFields {
        group: ISTIO,
        kinds: &[
            "AuthorizationPolicy",
            "PeerAuthentication",
            "RequestAuthentication",
        ],
        fields: &[open(
            When::Either,
            "every workload",
            &[
                &["spec", "selector"],
                &["spec", "targetRefs"],
                &["spec", "targetRef"],
                &["selector", "matchLabels"],
            ],
        )
        .beside(SELECTED)],
    },
    OpenFields {
        group: ISTIO,
        kinds: &["AuthorizationPolicy"],
        fields: &[
            open(When::Empty, "every request", &[&["rules", ITEM]]),
            open(
                When::Either,
                "every request that the other fields allow",
                &[
                    &["rules", ITEM, "from"],
                    &["rules", ITEM, "to"],
                    &["rules", ITEM, "when"],
                    &["from", ITEM, "source"],
                    &["to", ITEM, "operation"],
                    &["source", "principals"],
                    &["source", "notPrincipals"],
                    &["source", "requestPrincipals"],
                    &["source", "notRequestPrincipals"],
                    &["source", "namespaces"],
                    &["source", "notNamespaces"],
                    &["source", "ipBlocks"],
                    &["source", "notIpBlocks"],
                    &["source", "remoteIpBlocks"],
                    &["source", "notRemoteIpBlocks"],
                    &["operation", "hosts"],
                    &["operation", "notHosts"],
                    &["operation", "ports"],
                    &["operation", "notPorts"],
                    &["operation", "methods"],
                    &["operation", "notMethods"],
                    &["operation", "paths"],
                    &["operation", "notPaths"],
                ],
            ),
        ],
    },
    OpenFields {
        group: "rbac.authorization.k8s.io",
        kinds: &["Role", "ClusterRole"],
        fields: &[open(When::Either, "every name", &[&["resourceNames"]])],
    },
    OpenFields {
        group: "rbac.authorization.k8s.io",
        kinds: &["ClusterRole"],
        fields: &[
            open(
                When::Empty,
                "every ClusterRole",
                &[&["clusterRoleSelectors", ITEM]],
            ),
            open(When::Either, "every ClusterRole", MATCHES).beside(SELECTOR),
        ],
    },
    OpenFields {
        group: "",
        kinds: &["Service"],
        fields: &[open(
            When::Either,
            "every source",
            &[&["loadBalancerSourceRanges"]],
        )],
    },
    OpenFields {
        group: "policy",
        kinds: &["PodDisruptionBudget"],
        fields: &[
            // Without it, a budget selects no pods.
            open(When::Empty, "every pod", &[&["selector"]]),
            open(When::Either, "every pod", MATCHES).beside(SELECTOR),
        ],
    },
    OpenFields {
        group: ADMISSION,
        kinds: &[
            "ValidatingWebhookConfiguration",
            "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
        ],
        fields: &[open(
            When::Either,
            "everything",
            &[
                &["namespaceSelector"],
                &["objectSelector"],
                &["matchLabels"],
                &["matchExpressions"],
                &["matchResources"],
            ],
        )
        .beside(SELECTOR)],
    },
    OpenFields {
        group: ADMISSION,
        kinds: &[
            "ValidatingWebhookConfiguration",
            "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "MutatingAdmissionPolicy",
        ],
        fields: &[open(When::Either, "every request", &[&["matchConditions"]])],
    },
    OpenFields {
        group: ADMISSION,
        kinds: &[
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding",
        ],
        fields: &[open(When::Either, "every name", &[&["resourceNames"]])],
    },
    OpenFields {
        group: "gateway.networking.k8s.io",
        kinds: &["ReferenceGrant"],
        fields: &[open(When::Absent, "every name", &[&["to", ITEM, "name"]])],
    },
    OpenFields {
        group: "argoproj.io",
        kinds: &["AppProject"],
        fields: &[open(
            When::Absent,
            "every kind",
            &[&["namespaceResourceWhitelist"]],
        )],
    },
];

/// The kinds with patches for kustomize. Their `target` selects what it does not restrict.
static PATCHING: &[(&str, &[&str])] = &[
    ("kustomize.config.k8s.io", &["Kustomization", "Component"]),
    ("kustomize.toolkit.fluxcd.io", &["Kustomization"]),
    ("helm.toolkit.fluxcd.io", &["HelmRelease"]),
    ("argoproj.io", &["Application", "ApplicationSet"]),
    ("", &["PatchTransformer"]),
];

/// What each member of a `target` restricts.
static TARGET: &[(&str, &str)] = &[
    ("kind", "resources of every kind"),
    ("name", "resources with any name"),
    ("namespace", "resources in every namespace"),
    ("labelSelector", "resources with any labels"),
    ("annotationSelector", "resources with any annotations"),
];

/// Returns what a field selects if it is left so, unless that is nothing, and the fields beside it
/// that restrict too.
fn selects(field: &Field, left: When) -> Option<(&'static str, &'static [&'static str])> {
    field.find_set(|field| {
        let resource = field.resource.as_deref()?;
        let (group, version) = resource.group_version();
        // In this version, an empty selector selects no pods.
        if (group, version) == ("policy", "v1beta1") {
            return None;
        }
        let kind = resource.kind.as_str();
        let of_kind = |open: &&OpenFields| open.group == group && open.kinds.contains(&kind);
        let mut fields = FIELDS.iter().filter(of_kind).flat_map(|open| open.fields);
        let is_it = |open: &&OpenField| {
            (open.when == When::Either || open.when == left)
                && open.ends.iter().any(|end| ends_with(&field.steps, end))
        };
        let is_patching =
            |patching: &(&str, &[&str])| patching.0 == group && patching.1.contains(&kind);
        match fields.find(is_it) {
            Some(open) => Some((open.what, open.beside)),
            None if PATCHING.iter().any(is_patching) => {
                selects_as_target(&field.steps, left).map(|what| (what, &[][..]))
            }
            None => None,
        }
    })
}

/// Returns what the `target` of a patch, or a member of it, selects if it is left so.
fn selects_as_target(steps: &[FieldStep], left: When) -> Option<&'static str> {
    let is_target = |steps: &[FieldStep]| match steps {
        [target] => target.is_key("target"),
        steps => {
            ends_with(steps, &["patches", ITEM, "target"])
                || ends_with(steps, &["patchesJson6902", ITEM, "target"])
        }
    };
    let (last, around) = steps.split_last()?;
    match left {
        When::Absent if is_target(around) => {
            let found = TARGET.iter().find(|(name, _)| last.is_key(name));
            found.map(|(_, what)| *what)
        }
        When::Empty if is_target(steps) => Some("every resource"),
        _ => None,
    }
}

/// Returns whether the last steps are these.
fn ends_with(steps: &[FieldStep], end: &[&str]) -> bool {
    let Some(first) = steps.len().checked_sub(end.len()) else {
        return false;
    };
    let mut pairs = std::iter::zip(&steps[first..], end);
    pairs.all(|(step, wanted)| match step {
        FieldStep::Index(_) => *wanted == ITEM,
        step => step.is_key(wanted),
    })
}

/// A field that selects everything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opened {
    /// How it is left: `empty` or `absent`.
    pub(crate) state: &'static str,
    /// What it selects then.
    pub(crate) what: &'static str,
    /// Fields beside it that restrict too, if they are written and not empty; those of `a.b` if
    /// the field `b` in `a` is not false.
    beside: &'static [&'static str],
}

impl Opened {
    fn of(field: &Field, left: When, state: &'static str) -> Option<Self> {
        selects(field, left).map(|(what, beside)| Self {
            state,
            what,
            beside,
        })
    }

    /// Returns whether a field beside this node restricts too. `removed` are the members that are
    /// removed, and `filled` the scalars that get members; both ascending.
    pub(crate) fn is_restricted(
        self,
        tree: &Tree,
        node: NodeId,
        removed: &[NodeId],
        filled: &[NodeId],
    ) -> bool {
        let Some(parent) = tree[node].parent() else {
            return false;
        };
        let is_left = |member: NodeId| removed.binary_search(&member).is_err();
        let is_filled = |other: NodeId| filled.binary_search(&other).is_ok();
        let has_members = |other: NodeId| tree.members(tree.target(other)).any(is_left);
        let has_member = |other: NodeId, name: &str| {
            let mut members = tree.entries(tree.target(other));
            members.any(|(key, value)| {
                tree.text(key) == Some(name) && is_left(value) && tree.text(value) != Some("false")
            })
        };
        let mut entries = tree.entries(parent).filter(|(_, other)| *other != node);
        entries.any(|(key, other)| {
            let key = tree.text(key);
            self.beside
                .iter()
                .any(|beside| match beside.split_once('.') {
                    None => key == Some(beside) && (is_filled(other) || has_members(other)),
                    Some((name, member)) => {
                        key == Some(name) && (is_filled(other) || has_member(other, member))
                    }
                })
        })
    }

    /// Returns what a field is that is left empty, if it selects everything then.
    pub(crate) fn if_empty(field: &Field) -> Option<Self> {
        Self::of(field, When::Empty, "empty")
    }

    /// Returns what a field is that is left absent, if it selects everything then.
    pub(crate) fn if_absent(field: &Field) -> Option<Self> {
        Self::of(field, When::Absent, "absent")
    }
}

/// Returns how a value opens its field, or else a field inside the value, at which `field` is
/// left. Inside, a selector that is null is a choice, as a peer has only some, and so is a
/// direction of a policy.
pub(crate) fn opened_by(field: &mut Field, value: &Value) -> Option<Opened> {
    let is_empty = |value: &Value| *value == Value::Null || value.is_empty_collection();
    let has_none = match value {
        Value::Object(entries) => entries.iter().all(|(_, member)| is_empty(member)),
        value => value.is_empty_collection(),
    };
    let opened = match value {
        Value::Null => Opened::if_absent(field),
        // A text without characters restricts nothing, too.
        Value::String(text) if text.is_empty() => Opened::if_absent(field).map(|opened| Opened {
            state: "empty",
            ..opened
        }),
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
                name if *member == Value::Null => {
                    !name.ends_with("Selector") && !DIRECTIONS.contains(&name)
                }
                _ => true,
            })
            .map(|(key, member)| (FieldStep::Key(key.name.as_str().into()), member))
            .collect(),
        _ => return None,
    };
    let length = field.steps.len();
    members.into_iter().find_map(|(step, member)| {
        let is_own = |key: &str| step.is_key(key);
        let restricts = |opened: Opened| match value {
            Value::Object(entries) => entries.iter().any(|(key, other)| {
                let name = key.name.as_str();
                opened.beside.contains(&name) && !is_own(name) && !is_empty(other)
            }),
            _ => false,
        };
        field.steps.push(step.clone());
        let opened = opened_by(field, member)
            .filter(|opened| field.steps.len() > length + 1 || !restricts(*opened));
        if opened.is_none() {
            field.steps.truncate(length);
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
            (r#"{}"#, "spec.ingress[0]"),
            (r#"{"ports": [], "from": []}"#, "spec.ingress[0]"),
            (
                r#"{"ports": [{"port": null}], "from": []}"#,
                "spec.ingress[0].ports[0]",
            ),
            (
                r#"{"ports": [{"protocol": "TCP", "port": null}]}"#,
                "spec.ingress[0].ports[0].port",
            ),
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
                "spec.ingress[0].from[0].ipBlock.except",
            ),
            (
                r#"{"from": [{"ipBlock": {"cidr": "10.0.0.0/8"}, "podSelector": null}]}"#,
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
