//! Numbers in the values of a Helm chart. Helm reads all of them as 64-bit floats, and its
//! templates write them as Go does: `8.388608e+06`.

use super::fields::is_source;
use crate::kubernetes::resources::{Field, FieldStep, Occurrence};
use crate::outputs::{Value, has_exponent_as_float, is_inexact_as_float};
use crate::report::{Diagnostic, Rule};
use yaml::{Kind, Style, is_number};

/// What Helm makes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HelmNumber {
    /// It has other digits.
    Changed,
    /// It has an exponent where a template inserts it as text.
    WithExponent,
}

impl HelmNumber {
    /// Returns what Helm makes of a number, alone or in a list or an object; `None` if it
    /// stays as it is.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        if value.digits(&is_inexact_as_float).is_some() {
            return Some(Self::Changed);
        }
        let with_exponent = value.digits(&has_exponent_as_float);
        with_exponent.map(|_| Self::WithExponent)
    }

    /// Returns what Helm makes of the numbers in a text that is YAML or JSON.
    pub(crate) fn in_text(text: &str) -> Option<Self> {
        let mut worst = None;
        for document in yaml::split(text) {
            let Ok(tree) = yaml::locate(document.text) else {
                continue;
            };
            for (id, node) in tree.nodes() {
                let is_plain = matches!(
                    node.kind(),
                    Kind::Scalar {
                        style: Style::Plain,
                        ..
                    }
                );
                let digits = tree.text(id).filter(|text| is_plain && is_number(text));
                match digits.and_then(|digits| Self::of(&Value::Number(digits.to_owned()))) {
                    Some(Self::Changed) => return Some(Self::Changed),
                    Some(Self::WithExponent) => worst = Some(Self::WithExponent),
                    None => {}
                }
            }
        }
        worst
    }

    /// Returns the diagnostic about an output, without its location.
    pub(crate) fn diagnostic(self, output: &dyn std::fmt::Display) -> Diagnostic {
        match self {
            Self::Changed => Diagnostic::error(
                Rule::InexactNumber,
                format!(
                    "Helm would change the digits of `{output}`: it reads numbers as 64-bit floats"
                ),
            )
            .help("make it a string: add `| string`"),
            Self::WithExponent => Diagnostic::warning(
                Rule::InexactNumber,
                format!(
                    "Helm writes `{output}` with an exponent where a template inserts it as text"
                ),
            )
            .help("make it a string with `| string`, or use `int64` in the template"),
        }
    }
}

/// Returns whether a position is in the values of a chart.
pub(crate) fn is_in_values(occurrence: &Occurrence) -> bool {
    let mut containers = occurrence.containers.iter();
    is_of_values(&occurrence.field) || containers.any(|outer| is_of_values(&outer.field))
}

/// Returns whether a field is the values of a chart, or in them.
fn is_of_values(field: &Field) -> bool {
    if let Some(patch) = &field.patch {
        let steps = patch.steps(&field.steps);
        let mut kinds = KINDS.iter();
        return kinds.any(|(group, kind)| patch.is_of(group, kind) && is_in(group, kind, &steps));
    }
    let resource = field.resource.as_deref();
    resource.is_some_and(|resource| is_in(resource.group_version().0, &resource.kind, &field.steps))
}

/// The kinds with values of charts that patches may apply to.
const KINDS: &[(&str, &str)] = &[
    ("argoproj.io", "Application"),
    ("argoproj.io", "ApplicationSet"),
    ("helm.toolkit.fluxcd.io", "HelmRelease"),
    ("helm.cattle.io", "HelmChart"),
    ("helm.cattle.io", "HelmChartConfig"),
    ("helm.crossplane.io", "Release"),
    ("fleet.cattle.io", "HelmOp"),
];

/// Returns whether these steps from a resource of this kind lead to the values of a chart.
fn is_in(group: &str, kind: &str, steps: &[FieldStep]) -> bool {
    let starts_with = |keys: &[&str]| {
        let steps = steps.iter();
        steps.len() >= keys.len() && std::iter::zip(keys, steps).all(|(key, step)| step.is_key(key))
    };
    match (group, kind) {
        ("argoproj.io", "Application" | "ApplicationSet") => {
            let mut pairs = steps.windows(2).enumerate();
            pairs.any(|(nth, pair)| {
                let is_values =
                    |step: &FieldStep| step.is_key("values") || step.is_key("valuesObject");
                pair[0].is_key("helm")
                    && is_values(&pair[1])
                    && is_source(steps.get(..nth).unwrap_or_default())
            })
        }
        ("helm.toolkit.fluxcd.io", "HelmRelease") => starts_with(&["spec", "values"]),
        ("helm.cattle.io", "HelmChart" | "HelmChartConfig") => {
            starts_with(&["spec", "valuesContent"]) || starts_with(&["spec", "values"])
        }
        ("helm.crossplane.io", "Release") => starts_with(&["spec", "forProvider", "values"]),
        ("fleet.cattle.io", "Bundle" | "HelmOp") => starts_with(&["spec", "helm", "values"]),
        ("kustomize.config.k8s.io", "Kustomization" | "Component") => {
            matches!(steps, [charts, FieldStep::Index(_), values, ..]
                if charts.is_key("helmCharts") && values.is_key("valuesInline"))
        }
        (_, "HelmChartInflationGenerator") => starts_with(&["valuesInline"]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_values_of_charts() {
        let argo = "argoproj.io/v1alpha1";
        let flux = "helm.toolkit.fluxcd.io/v2";
        let rancher = "helm.cattle.io/v1";
        for (api_version, kind, path) in [
            (argo, "Application", "spec.source.helm.valuesObject.a.0"),
            (argo, "Application", "spec.sources.1.helm.values.a"),
            (argo, "Application", "operation.sync.source.helm.values"),
            (
                argo,
                "ApplicationSet",
                "spec.template.spec.source.helm.valuesObject.a",
            ),
            (
                argo,
                "ApplicationSet",
                "spec.templatePatch.spec.sources.0.helm.values.a",
            ),
            (flux, "HelmRelease", "spec.values.a.0.b"),
            (rancher, "HelmChart", "spec.valuesContent.a"),
            (rancher, "HelmChartConfig", "spec.valuesContent.a"),
            (
                "helm.crossplane.io/v1beta1",
                "Release",
                "spec.forProvider.values.a",
            ),
            ("fleet.cattle.io/v1alpha1", "HelmOp", "spec.helm.values.a"),
            (
                "kustomize.config.k8s.io/v1beta1",
                "Kustomization",
                "helmCharts.0.valuesInline.a",
            ),
            ("builtin", "HelmChartInflationGenerator", "valuesInline.a"),
        ] {
            assert!(
                is_of_values(&Field::of(api_version, kind, path)),
                "{kind} {path}"
            );
        }
        for (api_version, kind, path) in [
            (argo, "Application", "spec.source.helm.parameters.0.value"),
            (argo, "Application", "spec.helm.values.a"),
            (flux, "HelmRelease", "spec.timeout"),
            ("example.com/v1", "HelmRelease", "spec.values.a"),
            (rancher, "HelmChart", "spec.set.a"),
            ("v1", "ConfigMap", "data.values"),
        ] {
            assert!(
                !is_of_values(&Field::of(api_version, kind, path)),
                "{kind} {path}"
            );
        }
    }

    #[test]
    fn finds_numbers_in_a_text() {
        for (text, expected) in [
            ("a: 8388608\n", Some(HelmNumber::WithExponent)),
            ("{\"a\": [1, 1048576]}", Some(HelmNumber::WithExponent)),
            (
                "a: 1048576\nb: 9007199254740993\n",
                Some(HelmNumber::Changed),
            ),
            ("a: \"8388608\"\nb: 5\n", None),
            ("a: |\n  8388608\n", None),
            ("{ not YAML 8388608", None),
        ] {
            assert_eq!(HelmNumber::in_text(text), expected, "{text}");
        }
    }
}
