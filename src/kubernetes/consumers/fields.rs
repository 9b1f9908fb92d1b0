//! The table of fields whose text a program reads again, by the resources that have them.

use super::set_value::SetValue;
use crate::kubernetes::resources::{Field, FieldStep};
use crate::report::ResourceRef;

/// How the text of a field is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Syntax {
    /// `$` begins a variable, and `$$` is a `$`.
    pub(crate) dollars: bool,
    /// It is the value of an option of Helm.
    pub(crate) set_value: Option<SetValue>,
}

/// What reads `$` in it.
const VARIABLES: Syntax = Syntax {
    dollars: true,
    set_value: None,
};
const PARAMETER: Syntax = Syntax {
    dollars: true,
    set_value: Some(SetValue::Parameter),
};
const FILE_PARAMETER: Syntax = Syntax {
    dollars: true,
    set_value: Some(SetValue::FileParameter),
};
const PARAMETER_NAME: Syntax = Syntax {
    dollars: false,
    set_value: Some(SetValue::Name),
};
const JSONNET: Syntax = Syntax {
    dollars: true,
    set_value: Some(SetValue::Jsonnet),
};
const HELM_CHART_SET: Syntax = Syntax {
    dollars: false,
    set_value: Some(SetValue::HelmChart),
};
const RELEASE_SET: Syntax = Syntax {
    dollars: false,
    set_value: Some(SetValue::Release),
};

/// Resources with the same fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    /// Any kind: its pods have their fields where Kubernetes' kinds have them.
    Pods,
    /// Argo Workflows and Argo Events, which make pods of single containers.
    Argo,
    /// The OpenTelemetry operator.
    OpenTelemetry,
    /// Argo CD: the source of an Application, also in an ApplicationSet.
    ArgoCd,
    /// The Helm controller of k3s and RKE2.
    HelmController,
    /// The Helm provider of Crossplane, for clusters or in namespaces.
    Crossplane,
}

/// The groups of a Release of Crossplane.
const CROSSPLANE_GROUPS: [&str; 2] = ["helm.crossplane.io", "helm.m.crossplane.io"];

impl Owner {
    fn of(resource: &ResourceRef) -> Self {
        match (resource.group_version().0, resource.kind.as_str()) {
            ("argoproj.io", "Application" | "ApplicationSet") => Self::ArgoCd,
            ("argoproj.io", _) => Self::Argo,
            ("opentelemetry.io", _) => Self::OpenTelemetry,
            ("helm.cattle.io", "HelmChart") => Self::HelmController,
            (group, "Release") if CROSSPLANE_GROUPS.contains(&group) => Self::Crossplane,
            _ => Self::Pods,
        }
    }

    /// Returns what owns a field: its resource, or the one that a patch applies to.
    pub(super) fn of_field(field: &Field) -> Self {
        let Some(patch) = &field.patch else {
            let resource = field.resource.as_deref();
            return resource.map_or(Self::Pods, Self::of);
        };
        let is_of = |group: &str, kinds: &[&str]| kinds.iter().any(|kind| patch.is_of(group, kind));
        let argo = [
            "Workflow",
            "WorkflowTemplate",
            "ClusterWorkflowTemplate",
            "CronWorkflow",
            "Sensor",
            "EventSource",
        ];
        if is_of("argoproj.io", &["Application", "ApplicationSet"]) {
            Self::ArgoCd
        } else if is_of("argoproj.io", &argo) {
            Self::Argo
        } else if is_of(
            "opentelemetry.io",
            &["OpenTelemetryCollector", "Instrumentation"],
        ) {
            Self::OpenTelemetry
        } else if is_of("helm.cattle.io", &["HelmChart"]) {
            Self::HelmController
        } else if CROSSPLANE_GROUPS
            .iter()
            .any(|group| is_of(group, &["Release"]))
        {
            Self::Crossplane
        } else {
            Self::Pods
        }
    }

    /// Returns the fields, besides those of [`Owner::Pods`] if the resource makes pods.
    const fn fields(self) -> &'static [(&'static str, Syntax)] {
        match self {
            Self::Pods => &[],
            Self::Argo => ARGO,
            Self::OpenTelemetry => OPEN_TELEMETRY,
            Self::ArgoCd => ARGO_CD,
            Self::HelmController => HELM_CONTROLLER,
            Self::Crossplane => CROSSPLANE,
        }
    }

    const fn has_pods(self) -> bool {
        !matches!(self, Self::ArgoCd | Self::HelmController | Self::Crossplane)
    }
}

/// The last steps of a path: `#` is an index, `*` any key, and `|` separates keys.
type Path = &'static str;

/// Fields of containers in `spec` or `template`, which the kubelet expands
/// (`k8s.io/kubernetes/third_party/forked/golang/expansion`): it does so in probes
/// (`pkg/kubelet/prober`), but not in `lifecycle`.
const PODS: &[(Path, Syntax)] = &[
    (
        "containers|initContainers|ephemeralContainers # args|command #",
        VARIABLES,
    ),
    (
        "containers|initContainers|ephemeralContainers # env # value",
        VARIABLES,
    ),
    (
        "containers|initContainers|ephemeralContainers # volumeMounts # subPathExpr",
        VARIABLES,
    ),
    (
        "containers|initContainers # livenessProbe|readinessProbe|startupProbe exec command #",
        VARIABLES,
    ),
];

const ARGO: &[(Path, Syntax)] = &[
    ("container|script args|command #", VARIABLES),
    ("container|script env # value", VARIABLES),
    ("container|script volumeMounts # subPathExpr", VARIABLES),
    (
        "container|script livenessProbe|readinessProbe|startupProbe exec command #",
        VARIABLES,
    ),
    ("sidecars # args|command #", VARIABLES),
    ("sidecars # env # value", VARIABLES),
    ("sidecars # volumeMounts # subPathExpr", VARIABLES),
    (
        "sidecars # livenessProbe|readinessProbe|startupProbe exec command #",
        VARIABLES,
    ),
];

/// `spec.args` of a collector are options by name. An Instrumentation has variables for each
/// language.
const OPEN_TELEMETRY: &[(Path, Syntax)] = &[
    ("spec env # value", VARIABLES),
    ("spec args *", VARIABLES),
    ("spec volumeMounts # subPathExpr", VARIABLES),
    ("additionalContainers # args|command #", VARIABLES),
    ("additionalContainers # env # value", VARIABLES),
    (
        "java|nodejs|python|dotnet|go|apacheHttpd|nginx env # value",
        VARIABLES,
    ),
];

/// Argo CD expands these in each source (`Env.Envsubst` of its API types, which
/// reposerver/repository/repository.go and util/kustomize/kustomize.go call, argo-cd v3.2.12),
/// `commonAnnotations` only with `commonAnnotationsEnvsubst: true`. Parameters become options
/// of Helm after that.
const ARGO_CD: &[(Path, Syntax)] = &[
    ("helm parameters # value", PARAMETER),
    ("helm fileParameters # path", FILE_PARAMETER),
    ("helm parameters|fileParameters # name", PARAMETER_NAME),
    ("helm valueFiles #", VARIABLES),
    ("plugin env # value", VARIABLES),
    ("kustomize images #", VARIABLES),
    ("kustomize commonLabels *", VARIABLES),
    ("directory jsonnet tlas|extVars # value", JSONNET),
];

const HELM_CONTROLLER: &[(Path, Syntax)] = &[("spec set *", HELM_CHART_SET)];

/// `composeValuesFromSpec` in pkg/controller/*/release/values.go of provider-helm.
const CROSSPLANE: &[(Path, Syntax)] = &[
    ("forProvider set # value", RELEASE_SET),
    ("forProvider set # name", PARAMETER_NAME),
];

/// How many of the last steps matter: `sources[0].directory.jsonnet.tlas[0].value`.
pub(super) const LAST: usize = 7;

/// Returns whether a key occurs in the table.
pub(super) fn is_known(key: &str) -> bool {
    let is_in = |fields: &[(Path, Syntax)]| {
        let mut words = fields.iter().flat_map(|(path, _)| path.split([' ', '|']));
        words.any(|word| word == key)
    };
    matches!(key, "template" | "source" | "sources" | "drySource")
        || [
            PODS,
            ARGO,
            OPEN_TELEMETRY,
            ARGO_CD,
            HELM_CONTROLLER,
            CROSSPLANE,
        ]
        .iter()
        .any(|fields| is_in(fields))
}

/// Returns how the text at the end of these steps is read again, if it is. The first of them
/// is the first from the resource.
pub(super) fn syntax(owner: Owner, steps: &[FieldStep]) -> Option<Syntax> {
    let first = steps.first()?;
    let found = |fields: &[(Path, Syntax)]| {
        let mut fields = fields.iter();
        let found = fields.find(|(path, _)| ends_with(steps, path, owner == Owner::ArgoCd));
        found.map(|(_, syntax)| *syntax)
    };
    let of_pods = || {
        let is_spec = first.is_key("spec") || first.is_key("template");
        if owner.has_pods() && is_spec {
            found(PODS)
        } else {
            None
        }
    };
    found(owner.fields()).or_else(of_pods)
}

/// Returns whether the steps end with a path; in a source of Argo CD if `in_source`.
fn ends_with(steps: &[FieldStep], path: &str, in_source: bool) -> bool {
    let mut rest = steps;
    for words in path.rsplit(' ') {
        let Some((step, before)) = rest.split_last() else {
            return false;
        };
        let is_equal = match step {
            FieldStep::Index(_) => words == "#",
            FieldStep::Key(key) => words == "*" || words.split('|').any(|word| *word == **key),
        };
        if !is_equal {
            return false;
        }
        rest = before;
    }
    !in_source || is_source(rest)
}

/// Returns whether the steps end at a source of an Application.
pub(crate) fn is_source(steps: &[FieldStep]) -> bool {
    match steps {
        [.., source] if source.is_key("source") || source.is_key("drySource") => true,
        [.., sources, FieldStep::Index(_)] => sources.is_key("sources"),
        _ => false,
    }
}
