//! Kubernetes fields that contain a document: entries named like YAML or JSON files, and
//! the Helm values of Argo CD and of k3s.

use crate::kubernetes::resources::{Field, FieldStep, Resources};
use yaml::{NodeId, Role};

/// How the text of a scalar is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Yaml,
    Json,
    /// Plain text, although its name suggests otherwise.
    Text,
}

/// Returns what a scalar embeds, by the name of its entry or the field of its kind.
pub(crate) fn by_name(resources: &Resources<'_>, id: NodeId) -> Option<Format> {
    // Most scalars have another name, so their resource need not be determined.
    let Role::Value(key) = resources.role(id) else {
        return None;
    };
    let name = resources.text(key)?;
    if by_extension(name).is_none() && !matches!(name, "values" | "valuesContent") {
        return None;
    }
    by_field(&resources.field(id))
}

pub(crate) fn by_field(field: &Field) -> Option<Format> {
    let resource = field.resource.as_deref()?;
    let (group, _) = resource.group_version();
    match (group, resource.kind.as_str(), &field.steps[..]) {
        ("", "ConfigMap", [FieldStep::Key(part), FieldStep::Key(name)]) if **part == *"data" => {
            by_extension(name)
        }
        ("", "Secret", [FieldStep::Key(part), FieldStep::Key(name)]) if **part == *"stringData" => {
            by_extension(name)
        }
        ("argoproj.io", "Application" | "ApplicationSet", [.., source, helm, values]) => {
            let source = match source {
                FieldStep::Index(_) => true,
                key => key.is_key("source"),
            };
            (source && helm.is_key("helm") && values.is_key("values")).then_some(Format::Yaml)
        }
        ("helm.cattle.io", "HelmChart" | "HelmChartConfig", [spec, name]) => {
            (spec.is_key("spec") && name.is_key("valuesContent")).then_some(Format::Yaml)
        }
        _ => None,
    }
}

fn by_extension(name: &str) -> Option<Format> {
    let (_, extension) = name.rsplit_once('.')?;
    match extension {
        "yaml" | "yml" => Some(Format::Yaml),
        "json" => Some(Format::Json),
        _ => None,
    }
}
