//! Kinds whose controllers read placeholders of their own: `${schema.spec.name}`,
//! `{{inputs.parameters.x}}`, `$(params.x)`. Such text is not a reference to an outputs
//! document that was forgotten.

use crate::kubernetes::resources::Resources;
use yaml::{NodeId, Role};

/// What a controller reads in the text of its resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Placeholders {
    /// Only text.
    Nothing,
    /// Names alone: `${host}`.
    Names,
    /// And templates: `{{ $labels.host }}`, `$(headers.x)`.
    Templates,
    /// And paths that look like references: `${data.host}`.
    Paths,
}

use Placeholders::{Names, Nothing, Paths, Templates};

/// The API groups, each with its kinds; all of the group and of its subdomains if there are
/// none. Beside each: what reads the text, and where that is documented.
static OWNERS: &[(&str, &[&str], Placeholders)] = &[
    // `${kubernetes.pod.name}`: https://www.elastic.co/guide/en/fleet/current/dynamic-input-configuration.html
    ("agent.k8s.elastic.co", &[], Paths),
    // Go templates: https://docs.crossplane.io/latest/composition/compositions/
    (
        "apiextensions.crossplane.io",
        &["Composition", "CompositionRevision"],
        Templates,
    ),
    // nginx's variables: https://apisix.apache.org/docs/apisix/plugins/redirect/
    ("apisix.apache.org", &[], Names),
    // https://argo-workflows.readthedocs.io/en/latest/variables/; Argo CD's Applications and
    // Argo's Rollouts have none.
    (
        "argoproj.io",
        &[
            "AnalysisRun",
            "AnalysisTemplate",
            "ApplicationSet",
            "ClusterAnalysisTemplate",
            "ClusterWorkflowTemplate",
            "CronWorkflow",
            "EventSource",
            "Experiment",
            "Sensor",
            "Workflow",
            "WorkflowEventBinding",
            "WorkflowTemplate",
        ],
        Paths,
    ),
    // `${data.host}`: https://www.elastic.co/guide/en/beats/filebeat/current/configuration-autodiscover.html
    ("beat.k8s.elastic.co", &[], Paths),
    // https://github.com/bitnami-labs/sealed-secrets#sealedsecrets-as-templates-for-secrets
    ("bitnami.com", &["SealedSecret"], Templates),
    // `${body}`: https://camel.apache.org/components/latest/languages/simple-language.html
    ("camel.apache.org", &[], Paths),
    // `${CLUSTER_NAME}`: https://cluster-api.sigs.k8s.io/clusterctl/provider-contract
    ("cluster.x-k8s.io", &[], Names),
    // https://docs.konghq.com/hub/kong-inc/request-transformer/
    ("configuration.konghq.com", &[], Templates),
    // https://external-secrets.io/latest/guides/templating/
    ("external-secrets.io", &[], Paths),
    // `{{ namespace }}`: https://docs.flagger.app/usage/metrics
    ("flagger.app", &[], Templates),
    // `${ .ClusterLabels.x }`: https://fleet.rancher.io/ref-fleet-yaml
    ("fleet.cattle.io", &[], Templates),
    // https://docs.fluentbit.io/manual/administration/configuring-fluent-bit
    ("fluentbit.fluent.io", &[], Paths),
    // `${tag}`: https://docs.fluentd.org/filter/record_transformer
    ("fluentd.fluent.io", &[], Paths),
    // https://docs.crossplane.io/latest/composition/
    ("fn.crossplane.io", &[], Templates),
    // nginx's variables: https://docs.nginx.com/nginx-gateway-fabric/
    ("gateway.nginx.org", &[], Names),
    // https://grafana.com/docs/grafana/latest/dashboards/variables/
    ("grafana.com", &[], Paths),
    ("grafana.integreatly.org", &[], Paths),
    // The groups of a pattern: https://fluxcd.io/flux/components/image/imagepolicies/
    ("image.toolkit.fluxcd.io", &[], Names),
    // nginx's variables: https://docs.nginx.com/nginx-ingress-controller/configuration/
    ("k8s.nginx.org", &[], Names),
    // `${topic}` of connectors: https://strimzi.io/docs/operators/latest/
    (
        "kafka.strimzi.io",
        &["KafkaConnect", "KafkaConnector", "KafkaMirrorMaker2"],
        Names,
    ),
    // https://kro.run/docs/concepts/resource-group-definitions
    ("kro.run", &[], Paths),
    // https://kyverno.io/docs/policy-types/cluster-policy/variables/
    ("kyverno.io", &[], Paths),
    // logging-operator: https://kube-logging.dev/docs/configuration/
    ("logging-extensions.banzaicloud.io", &[], Paths),
    ("logging.banzaicloud.io", &[], Paths),
    // `${NODE_NAME}`: https://www.elastic.co/guide/en/logstash/current/environment-variables.html
    ("logstash.k8s.elastic.co", &[], Names),
    // Templates of alerts:
    // https://prometheus.io/docs/prometheus/latest/configuration/template_reference/
    (
        "monitoring.coreos.com",
        &["AlertmanagerConfig", "PrometheusRule"],
        Templates,
    ),
    // The groups of a pattern:
    // https://prometheus.io/docs/prometheus/latest/configuration/configuration/#relabel_config
    (
        "monitoring.coreos.com",
        &["PodMonitor", "Probe", "ScrapeConfig", "ServiceMonitor"],
        Names,
    ),
    // `${env:NAME}`: https://opentelemetry.io/docs/collector/configuration/#environment-variables
    ("opentelemetry.io", &["OpenTelemetryCollector"], Names),
    // The same as in monitoring.coreos.com: https://docs.victoriametrics.com/operator/
    (
        "operator.victoriametrics.com",
        &["VMAlertmanagerConfig", "VMRule"],
        Templates,
    ),
    (
        "operator.victoriametrics.com",
        &[
            "VMNodeScrape",
            "VMPodScrape",
            "VMProbe",
            "VMScrapeConfig",
            "VMServiceScrape",
            "VMStaticScrape",
        ],
        Names,
    ),
    // `{{hub … hub}}`: https://open-cluster-management.io/docs/getting-started/integration/policy-controllers/
    ("policy.open-cluster-management.io", &[], Templates),
    // https://projectsveltos.github.io/sveltos/template/intro_template/
    ("projectsveltos.io", &[], Templates),
    // `${{ parameters.x }}`: https://backstage.io/docs/features/software-templates/
    ("scaffolder.backstage.io", &[], Templates),
    // https://developer.hashicorp.com/vault/docs/deploy/kubernetes/vso/secret-transformation
    ("secrets.hashicorp.com", &[], Templates),
    // https://tekton.dev/docs/pipelines/variables/
    ("tekton.dev", &[], Paths),
    // Fluent Bit's: https://kyma-project.io/external-content/telemetry-manager/docs/user/
    ("telemetry.kyma-project.io", &[], Paths),
    // `${NAME}`, `${{NAME}}`: https://docs.redhat.com/en/documentation/openshift_container_platform/
    ("template.openshift.io", &[], Names),
    // The groups of a pattern: https://doc.traefik.io/traefik/middlewares/http/redirectregex/
    ("traefik.containo.us", &["Middleware"], Names),
    ("traefik.io", &["Middleware"], Names),
];

/// The beginnings of annotations whose controllers read placeholders.
static ANNOTATIONS: &[(&str, Placeholders)] = &[
    // `${data.host}`: https://www.elastic.co/guide/en/beats/filebeat/current/configuration-autodiscover-hints.html
    ("co.elastic.", Paths),
    // nginx's variables: https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/annotations/
    ("nginx.ingress.kubernetes.io/", Names),
    // https://docs.nginx.com/nginx-ingress-controller/configuration/ingress-resources/advanced-configuration-with-annotations/
    ("nginx.org/", Names),
    // https://developer.hashicorp.com/vault/docs/deploy/kubernetes/injector/annotations
    ("vault.hashicorp.com/", Templates),
];

/// Returns the placeholders in resources of a kind.
fn of_kind(group: &str, kind: &str) -> Placeholders {
    let is_owner = |(owner, kinds): (&str, &[&str])| match kinds {
        [] => (group.strip_suffix(owner))
            .is_some_and(|domain| domain.is_empty() || domain.ends_with('.')),
        kinds => group == owner && kinds.contains(&kind),
    };
    let mut owners = OWNERS.iter();
    let found = owners.find(|(owner, kinds, _)| is_owner((owner, kinds)));
    found.map_or(Nothing, |(_, _, found)| *found)
}

/// Returns the placeholders in an annotation.
fn of_annotation(key: &str) -> Placeholders {
    let mut prefixes = ANNOTATIONS.iter();
    let found = prefixes.find(|(prefix, _)| key.starts_with(prefix));
    found.map_or(Nothing, |(_, found)| *found)
}

impl Resources<'_> {
    /// Returns the placeholders that the controllers of a node's resource and of those around
    /// it read themselves: also in the templates of a ResourceGraphDefinition.
    pub(crate) fn placeholders(&self, node: NodeId) -> Placeholders {
        let mut found = Nothing;
        let mut at = Some(node);
        while let Some(id) = at {
            if let Some(resource) = self.resource(id) {
                found = found.max(of_kind(resource.group_version().0, &resource.kind));
            }
            if let Role::Value(key) = self.role(id)
                && let Some(key) = self.text(key)
            {
                found = found.max(of_annotation(key));
            }
            at = self.parent(id);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_kinds_with_placeholders_of_their_own() {
        for (group, kind, expected) in [
            ("kro.run", "ResourceGraphDefinition", Paths),
            ("argoproj.io", "ApplicationSet", Paths),
            ("argoproj.io", "Application", Nothing),
            ("argoproj.io", "Rollout", Nothing),
            ("x.argoproj.io", "Workflow", Nothing),
            (
                "generators.external-secrets.io",
                "ECRAuthorizationToken",
                Paths,
            ),
            ("triggers.tekton.dev", "TriggerTemplate", Paths),
            ("policies.kyverno.io", "ValidatingPolicy", Paths),
            ("logging.banzaicloud.io", "Flow", Paths),
            ("notkro.run", "X", Nothing),
            ("bootstrap.cluster.x-k8s.io", "KubeadmConfigTemplate", Names),
            ("apps.kruise.io", "CloneSet", Nothing),
            ("monitoring.coreos.com", "Prometheus", Nothing),
            ("traefik.io", "IngressRoute", Nothing),
            ("", "ConfigMap", Nothing),
        ] {
            assert_eq!(of_kind(group, kind), expected, "{group}/{kind}");
        }
        assert!(OWNERS.is_sorted_by_key(|(owner, _, _)| *owner));
        assert!(OWNERS.iter().all(|(_, kinds, _)| kinds.is_sorted()));
        assert!(ANNOTATIONS.is_sorted());
    }
}
