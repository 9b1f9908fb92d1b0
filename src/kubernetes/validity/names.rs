//! The rule for the name of a resource, by its kind.

use super::FieldRule;
use crate::report::group_version;

/// The kinds whose names follow another rule than that of a DNS subdomain; all kinds of a
/// group have the empty name.
const NAMES: &[(&str, &str, FieldRule)] = &[
    ("", "Namespace", FieldRule::DnsLabel),
    ("", "Service", FieldRule::DnsLabel1035),
    ("batch", "CronJob", FieldRule::CronJobName),
    ("apps", "StatefulSet", FieldRule::DnsLabel),
    ("certificates.k8s.io", "", FieldRule::PathSegment),
    ("apiregistration.k8s.io", "", FieldRule::PathSegment),
    ("internal.apiserver.k8s.io", "", FieldRule::PathSegment),
    ("networking.k8s.io", "IPAddress", FieldRule::Ip),
    ("policy", "PodDisruptionBudget", FieldRule::PathSegment),
    ("rbac.authorization.k8s.io", "", FieldRule::PathSegment),
    // Documents that no API server reads.
    ("backstage.io", "", FieldRule::PathSegment),
];

/// Returns the rule for the names of a kind.
pub(super) fn rule_of_kind(api_version: &str, kind: &str) -> FieldRule {
    let (group, _) = group_version(api_version);
    let is_row =
        |row: &&(&str, &str, FieldRule)| row.0 == group && (row.1.is_empty() || row.1 == kind);
    match NAMES.iter().find(is_row) {
        Some((_, _, rule)) => *rule,
        // Its API server is another one, with rules of its own.
        None if group.ends_with(".openshift.io") => FieldRule::PathSegment,
        None => FieldRule::DnsSubdomain,
    }
}
