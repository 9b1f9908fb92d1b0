use super::*;
use crate::kubernetes::resources::Field;

/// Checks the type of a field, written like `spec.ports.0.port`: numeric steps are
/// indices.
fn check(api_version: &str, kind: &str, path: &str, expected: &str) {
    let field = Field::of(api_version, kind, path);
    let custom = CustomKinds::new(Vec::new(), DefinedKinds::default());
    let found = field_type(&field, &custom);
    assert_eq!(found.described(), expected, "{api_version}/{kind} {path}");
}

#[test]
fn fields_of_known_kinds() {
    let deployment = |path: &str, expected| check("apps/v1", "Deployment", path, expected);
    deployment("spec.replicas", "an integer");
    deployment("spec.paused", "a bool");
    deployment("spec.selector.matchLabels.app", "a string");
    deployment(
        "spec.strategy.rollingUpdate.maxSurge",
        "a number or a string",
    );
    let container = |path: &str, expected| {
        deployment(&format!("spec.template.spec.containers.0.{path}"), expected);
    };
    container("args", "a list");
    container("args.0", "a string");
    container("env.3.value", "a string");
    container("env.3.valueFrom", "an object");
    container("ports.0.containerPort", "an integer");
    container("resources.limits.cpu", "a number or a string");
    container("livenessProbe.httpGet.port", "a number or a string");
    container("securityContext.readOnlyRootFilesystem", "a bool");
    container("nothing.like.it", "anything");
    check("v1", "ConfigMap", "data.port", "a string");
    check("v1", "ConfigMap", "immutable", "a bool");
    check("v1", "Secret", "stringData.port", "a string");
    check(
        "v1",
        "Service",
        "spec.ports.0.targetPort",
        "a number or a string",
    );
    check(
        "batch/v1",
        "CronJob",
        "spec.jobTemplate.spec.ttlSecondsAfterFinished",
        "an integer",
    );
    check(
        "networking.k8s.io/v1",
        "Ingress",
        "spec.rules.0.http.paths.0.backend.service.port.number",
        "an integer",
    );
    check(
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        "spec.metrics.0.resource.target.averageUtilization",
        "an integer",
    );
    check(
        "rbac.authorization.k8s.io/v1",
        "Role",
        "rules.0.verbs.0",
        "a string",
    );
    check(
        "storage.k8s.io/v1",
        "StorageClass",
        "parameters.iops",
        "a string",
    );
    check("v1", "Lease", "spec.x", "anything");
    check(
        "coordination.k8s.io/v1",
        "Lease",
        "spec.renewTime",
        "a string",
    );
}

#[test]
fn every_kind_has_metadata() {
    for (api_version, kind) in [
        ("apps/v1", "Deployment"),
        ("argoproj.io/v1alpha1", "Application"),
        ("", ""),
    ] {
        check(api_version, kind, "metadata.labels.a", "a string");
        check(api_version, kind, "metadata.annotations", "an object");
        check(api_version, kind, "metadata.generation", "an integer");
        check(
            api_version,
            kind,
            "metadata.ownerReferences.0.controller",
            "a bool",
        );
        check(api_version, kind, "kind", "a string");
    }
    check(
        "argoproj.io/v1alpha1",
        "Rollout",
        "spec.replicas",
        "anything",
    );
}

#[test]
fn fields_of_custom_resources() {
    let application =
        |path: &str, expected| check("argoproj.io/v1alpha1", "Application", path, expected);
    application("spec.project", "a string");
    application("spec.source.helm.parameters.0.value", "a string");
    application("spec.sources.0.helm.parameters.0.forceString", "a bool");
    application("spec.syncPolicy.retry.limit", "an integer");
    application(
        "spec.source.kustomize.replicas.0.count",
        "a number or a string",
    );
    check(
        "argoproj.io/v1alpha1",
        "ApplicationSet",
        "spec.generators.0.matrix.generators.1.git.template.spec.source.path",
        "a string",
    );
    let patch = |path: &str, expected| {
        let path = format!("spec.templatePatch.{path}");
        check("argoproj.io/v1alpha1", "ApplicationSet", &path, expected);
    };
    patch("metadata.annotations.port", "a string");
    patch("spec.syncPolicy.automated.prune", "a bool");
    patch("spec.source.helm.values.port", "anything");
    check(
        "kustomize.toolkit.fluxcd.io/v1",
        "Kustomization",
        "spec.postBuild.substitute.replicas",
        "a string",
    );
    check(
        "karpenter.sh/v1",
        "NodePool",
        "spec.template.spec.requirements.0.values.0",
        "a string",
    );
    check(
        "karpenter.k8s.aws/v1",
        "EC2NodeClass",
        "spec.subnetSelectorTerms.0.tags.env",
        "a string",
    );
    check(
        "cert-manager.io/v1",
        "ClusterIssuer",
        "spec.acme.solvers.0.http01.ingress.podTemplate.spec.priorityClassName",
        "a string",
    );
    check(
        "external-secrets.io/v1beta1",
        "ExternalSecret",
        "spec.data.0.remoteRef.key",
        "a string",
    );
    check(
        "gateway.networking.k8s.io/v1",
        "HTTPRoute",
        "spec.rules.0.backendRefs.0.port",
        "an integer",
    );
    check(
        "monitoring.coreos.com/v1",
        "Prometheus",
        "spec.resources.limits.cpu",
        "a number or a string",
    );
    check(
        "monitoring.coreos.com/v1alpha1",
        "AlertmanagerConfig",
        "spec.receivers.0.pushoverConfigs.0.retry",
        "a string",
    );
    check(
        "keda.sh/v1alpha1",
        "ScaledObject",
        "spec.triggers.0.metadata.queueLength",
        "a string",
    );
}

#[test]
fn what_a_definition_leaves_open_has_no_type() {
    for (api_version, kind, path) in [
        (
            "argoproj.io/v1alpha1",
            "Application",
            "spec.source.helm.valuesObject",
        ),
        (
            "argoproj.io/v1alpha1",
            "ApplicationSet",
            "spec.template.spec.sources.0.helm.valuesObject.replicas",
        ),
        ("argoproj.io/v1alpha1", "Application", "status.sync.status"),
        ("helm.toolkit.fluxcd.io/v2", "HelmRelease", "spec.values"),
        (
            "helm.toolkit.fluxcd.io/v2",
            "HelmRelease",
            "spec.values.port",
        ),
        (
            "cert-manager.io/v1",
            "Issuer",
            "spec.acme.solvers.0.dns01.webhook.config.zone",
        ),
        (
            "karpenter.sh/v1",
            "NodePool",
            "spec.template.spec.nothing.like.it",
        ),
    ] {
        check(api_version, kind, path, "anything");
    }
}

#[test]
fn unknown_steps_have_an_unknown_type() {
    check("v1", "ConfigMap", "data.0", "anything");
    check("v1", "ConfigMap", "data.a.b", "anything");
    check("v1", "Pod", "spec.containers.name", "anything");
    check("v1", "Pod", "spec.overhead.cpu", "a number or a string");
}
