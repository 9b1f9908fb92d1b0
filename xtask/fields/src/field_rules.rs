//! The fields of Kubernetes' types for which the API server has a rule (k8s.io/kubernetes
//! v1.34.2, `pkg/apis/*/validation/validation.go`).

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};

#[path = "../../../src/kubernetes/validity/rules.rs"]
#[allow(
    dead_code,
    reason = "the module reads the table, and this only writes it"
)]
mod rules;

use super::types::{Scalar, Type};
use rules::{Base, FIRST_RULE, FieldRule};

/// The last part of a type's name in all groups and versions, a field, and its rule: that of a
/// list or map is the rule of its members.
const FIELDS: &[(&str, &str, FieldRule)] = &[
    // Every resource
    ("ObjectMeta", "name", FieldRule::Name),
    ("ObjectMeta", "generateName", FieldRule::GenerateName),
    ("ObjectMeta", "namespace", FieldRule::DnsLabel),
    ("ObjectMeta", "labels", FieldRule::LabelValue),
    ("ObjectMeta", "annotations", FieldRule::Annotation),
    ("LabelSelector", "matchLabels", FieldRule::LabelValue),
    ("LabelSelectorRequirement", "key", FieldRule::LabelKey),
    ("LabelSelectorRequirement", "values", FieldRule::LabelValue),
    // ConfigMaps and Secrets
    ("ConfigMap", "data", FieldRule::Data),
    ("ConfigMap", "binaryData", FieldRule::BinaryData),
    ("Secret", "data", FieldRule::Data),
    ("Secret", "stringData", FieldRule::Data),
    ("ConfigMapKeySelector", "key", FieldRule::DataKey),
    ("SecretKeySelector", "key", FieldRule::DataKey),
    // Pods
    ("Container", "name", FieldRule::DnsLabel),
    ("ContainerPort", "containerPort", FieldRule::Port),
    ("ContainerPort", "hostPort", FieldRule::PortOrZero),
    ("ContainerPort", "name", FieldRule::PortName),
    ("EnvVar", "name", FieldRule::EnvName),
    ("EphemeralContainer", "name", FieldRule::DnsLabel),
    ("GRPCAction", "port", FieldRule::Port),
    ("HTTPGetAction", "port", FieldRule::PortOrName),
    ("HostAlias", "hostnames", FieldRule::DnsSubdomain),
    ("HostAlias", "ip", FieldRule::Ip),
    ("NodeSelectorRequirement", "key", FieldRule::LabelKey),
    ("PodAffinityTerm", "topologyKey", FieldRule::LabelKey),
    ("PodDNSConfig", "nameservers", FieldRule::Ip),
    ("PodSpec", "hostname", FieldRule::DnsLabel),
    ("PodSpec", "nodeName", FieldRule::DnsSubdomain),
    ("PodSpec", "nodeSelector", FieldRule::LabelValue),
    ("PodSpec", "priorityClassName", FieldRule::DnsSubdomain),
    ("PodSpec", "runtimeClassName", FieldRule::DnsSubdomain),
    ("PodSpec", "serviceAccountName", FieldRule::DnsSubdomain),
    ("PodSpec", "subdomain", FieldRule::DnsLabel),
    (
        "PodSpec",
        "terminationGracePeriodSeconds",
        FieldRule::NotNegative,
    ),
    ("TCPSocketAction", "port", FieldRule::PortOrName),
    ("Toleration", "key", FieldRule::LabelKey),
    (
        "TopologySpreadConstraint",
        "topologyKey",
        FieldRule::LabelKey,
    ),
    ("Volume", "name", FieldRule::DnsLabel),
    // Workloads
    ("DaemonSetSpec", "minReadySeconds", FieldRule::NotNegative),
    ("DeploymentSpec", "minReadySeconds", FieldRule::NotNegative),
    ("DeploymentSpec", "replicas", FieldRule::NotNegative),
    ("ReplicaSetSpec", "replicas", FieldRule::NotNegative),
    (
        "ReplicationControllerSpec",
        "replicas",
        FieldRule::NotNegative,
    ),
    (
        "ReplicationControllerSpec",
        "selector",
        FieldRule::LabelValue,
    ),
    ("StatefulSetSpec", "replicas", FieldRule::NotNegative),
    // Networks
    ("IPBlock", "cidr", FieldRule::Cidr),
    ("IPBlock", "except", FieldRule::Cidr),
    ("IngressRule", "host", FieldRule::IngressHost),
    ("IngressSpec", "ingressClassName", FieldRule::DnsSubdomain),
    ("IngressTLS", "hosts", FieldRule::IngressHost),
    ("NetworkPolicyPort", "endPort", FieldRule::Port),
    ("NetworkPolicyPort", "port", FieldRule::PortOrName),
    ("ServiceBackendPort", "number", FieldRule::PortOrZero),
    ("ServicePort", "name", FieldRule::DnsLabel),
    ("ServicePort", "nodePort", FieldRule::PortOrZero),
    ("ServicePort", "port", FieldRule::Port),
    ("ServicePort", "targetPort", FieldRule::PortOrName),
    ("ServiceSpec", "clusterIP", FieldRule::ClusterIp),
    ("ServiceSpec", "clusterIPs", FieldRule::ClusterIp),
    ("ServiceSpec", "externalIPs", FieldRule::Ip),
    ("ServiceSpec", "externalName", FieldRule::DnsName),
    ("ServiceSpec", "loadBalancerSourceRanges", FieldRule::Cidr),
    ("ServiceSpec", "selector", FieldRule::LabelValue),
    // Storage, access
    (
        "PersistentVolumeClaimSpec",
        "storageClassName",
        FieldRule::DnsSubdomain,
    ),
    (
        "PersistentVolumeSpec",
        "storageClassName",
        FieldRule::DnsSubdomain,
    ),
    ("RoleRef", "name", FieldRule::PathSegment),
    // Counts
    ("JobSpec", "activeDeadlineSeconds", FieldRule::NotNegative),
    ("JobSpec", "backoffLimit", FieldRule::NotNegative),
    ("JobSpec", "completions", FieldRule::NotNegative),
    ("JobSpec", "parallelism", FieldRule::NotNegative),
    ("JobSpec", "ttlSecondsAfterFinished", FieldRule::NotNegative),
    (
        "PodDisruptionBudgetSpec",
        "maxUnavailable",
        FieldRule::CountOrPercent,
    ),
    (
        "PodDisruptionBudgetSpec",
        "minAvailable",
        FieldRule::CountOrPercent,
    ),
    (
        "RollingUpdateDaemonSet",
        "maxSurge",
        FieldRule::CountOrPercent,
    ),
    (
        "RollingUpdateDaemonSet",
        "maxUnavailable",
        FieldRule::CountOrPercent,
    ),
    (
        "RollingUpdateDeployment",
        "maxSurge",
        FieldRule::CountOrPercent,
    ),
    (
        "RollingUpdateDeployment",
        "maxUnavailable",
        FieldRule::CountOrPercent,
    ),
    (
        "RollingUpdateStatefulSetStrategy",
        "maxUnavailable",
        FieldRule::CountOrPercent,
    ),
    // Choices
    ("Container", "imagePullPolicy", FieldRule::PullPolicy),
    ("ContainerPort", "protocol", FieldRule::Protocol),
    (
        "CronJobSpec",
        "concurrencyPolicy",
        FieldRule::ConcurrencyPolicy,
    ),
    ("DaemonSetUpdateStrategy", "type", FieldRule::UpdateStrategy),
    ("DeploymentStrategy", "type", FieldRule::DeploymentStrategy),
    ("HTTPGetAction", "scheme", FieldRule::Scheme),
    ("HTTPIngressPath", "pathType", FieldRule::PathType),
    ("NetworkPolicyPort", "protocol", FieldRule::Protocol),
    ("NetworkPolicySpec", "policyTypes", FieldRule::PolicyType),
    (
        "PersistentVolumeClaimSpec",
        "accessModes",
        FieldRule::AccessMode,
    ),
    (
        "PersistentVolumeClaimSpec",
        "volumeMode",
        FieldRule::VolumeMode,
    ),
    ("PersistentVolumeSpec", "accessModes", FieldRule::AccessMode),
    (
        "PersistentVolumeSpec",
        "persistentVolumeReclaimPolicy",
        FieldRule::ReclaimPolicy,
    ),
    ("PersistentVolumeSpec", "volumeMode", FieldRule::VolumeMode),
    ("PodSpec", "dnsPolicy", FieldRule::DnsPolicy),
    ("PodSpec", "restartPolicy", FieldRule::RestartPolicy),
    ("ServicePort", "protocol", FieldRule::Protocol),
    (
        "ServiceSpec",
        "externalTrafficPolicy",
        FieldRule::TrafficPolicy,
    ),
    (
        "ServiceSpec",
        "internalTrafficPolicy",
        FieldRule::TrafficPolicy,
    ),
    ("ServiceSpec", "ipFamilies", FieldRule::IpFamily),
    ("ServiceSpec", "ipFamilyPolicy", FieldRule::IpFamilyPolicy),
    ("ServiceSpec", "sessionAffinity", FieldRule::SessionAffinity),
    ("ServiceSpec", "type", FieldRule::ServiceType),
    (
        "StatefulSetSpec",
        "podManagementPolicy",
        FieldRule::PodManagement,
    ),
    (
        "StatefulSetUpdateStrategy",
        "type",
        FieldRule::UpdateStrategy,
    ),
    ("StorageClass", "reclaimPolicy", FieldRule::ReclaimPolicy),
    ("StorageClass", "volumeBindingMode", FieldRule::BindingMode),
    ("Toleration", "effect", FieldRule::TaintEffect),
    (
        "TopologySpreadConstraint",
        "whenUnsatisfiable",
        FieldRule::Unsatisfiable,
    ),
];

/// Gives the fields their rules.
///
/// # Errors
/// A field does not exist, or holds something else.
pub(crate) fn apply(types: &mut BTreeMap<String, Type>) -> Result<()> {
    for (type_name, field, rule) in FIELDS {
        let scalar = Scalar::Ruled(number(*rule)?);
        let mut found = false;
        for (name, members) in &mut *types {
            let is_it = name.starts_with("io.k8s.") && name.rsplit('.').next() == Some(type_name);
            let (Type::Struct(fields) | Type::Open(fields)) = members else {
                continue;
            };
            if let Some(member) = fields.get_mut(*field).filter(|_| is_it) {
                set(member, rule.base(), scalar).with_context(|| format!("{name}.{field}"))?;
                found = true;
            }
        }
        if !found {
            bail!("no type {type_name} has a field {field}");
        }
    }
    let quantity = "io.k8s.apimachinery.pkg.api.resource.Quantity".to_owned();
    let scalar = Scalar::Ruled(number(FieldRule::Quantity)?);
    types.insert(quantity, Type::Scalar(scalar));
    Ok(())
}

fn number(rule: FieldRule) -> Result<u16> {
    let nth = FieldRule::ALL.iter().position(|other| *other == rule);
    let nth = u16::try_from(nth.context("the rule is not listed")?)?;
    Ok(FIRST_RULE + nth)
}

fn set(field: &mut Type, base: Base, ruled: Scalar) -> Result<()> {
    match field {
        Type::List(members) | Type::Map(members) => set(members, base, ruled),
        Type::Scalar(scalar) => {
            let fits = matches!(
                (base, &scalar),
                (Base::String, Scalar::String)
                    | (Base::Integer, Scalar::Integer)
                    | (Base::Either, Scalar::Either)
            );
            if !fits {
                bail!("it is {scalar:?}, and not {base:?}");
            }
            *scalar = ruled;
            Ok(())
        }
        Type::Named(name) if name.ends_with(".IntOrString") && base == Base::Either => {
            *field = Type::Scalar(ruled);
            Ok(())
        }
        Type::Named(_) | Type::Struct(_) | Type::Open(_) => bail!("it is no scalar"),
    }
}
