//! Kinds whose controllers read placeholders of their own: `${schema.spec.name}`,
//! `{{inputs.parameters.x}}`, `$(params.x)`. Such text is not a reference to an outputs
//! document that was forgotten.

use crate::kubernetes::resources::Resources;
use yaml::NodeId;

/// The API groups, each with its kinds; all of the group and of its subdomains if there are
/// none.
static OWNERS: &[(&str, &[&str])] = &[
    // Argo CD's Applications and Argo's Rollouts have none.
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
    ),
    ("external-secrets.io", &[]),
    ("grafana.com", &[]),
    ("grafana.integreatly.org", &[]),
    ("kro.run", &[]),
    ("kyverno.io", &[]),
    // logging-operator.
    ("logging-extensions.banzaicloud.io", &[]),
    ("logging.banzaicloud.io", &[]),
    ("tekton.dev", &[]),
];

/// Whether the resources of a kind contain placeholders of their controller.
fn owns_placeholders(group: &str, kind: &str) -> bool {
    OWNERS.iter().any(|(owner, kinds)| match kinds {
        [] => (group.strip_suffix(owner))
            .is_some_and(|domain| domain.is_empty() || domain.ends_with('.')),
        kinds => group == *owner && kinds.contains(&kind),
    })
}

impl Resources<'_> {
    /// Whether a node is in a resource whose controller reads placeholders of its own, also
    /// in one that such a resource contains: the templates of a ResourceGraphDefinition.
    pub(crate) fn has_own_placeholders(&self, node: NodeId) -> bool {
        let mut at = Some(node);
        while let Some(id) = at {
            if let Some(found) = self.resource(id)
                && owns_placeholders(found.group_version().0, &found.kind)
            {
                return true;
            }
            at = self.parent(id);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_kinds_with_placeholders_of_their_own() {
        for (group, kind, expected) in [
            ("kro.run", "ResourceGraphDefinition", true),
            ("argoproj.io", "ApplicationSet", true),
            ("argoproj.io", "Application", false),
            ("argoproj.io", "Rollout", false),
            ("x.argoproj.io", "Workflow", false),
            (
                "generators.external-secrets.io",
                "ECRAuthorizationToken",
                true,
            ),
            ("triggers.tekton.dev", "TriggerTemplate", true),
            ("policies.kyverno.io", "ValidatingPolicy", true),
            ("logging.banzaicloud.io", "Flow", true),
            ("notkro.run", "X", false),
            ("", "ConfigMap", false),
        ] {
            assert_eq!(owns_placeholders(group, kind), expected, "{group}/{kind}");
        }
        assert!(OWNERS.is_sorted_by_key(|(owner, _)| *owner));
        assert!(OWNERS.iter().all(|(_, kinds)| kinds.is_sorted()));
    }
}
