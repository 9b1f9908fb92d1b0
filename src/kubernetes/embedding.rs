//! Kubernetes fields that contain a document: entries named like YAML or JSON files, or known
//! by their names, the Helm values of Argo CD and of k3s, and patches for kustomize.

use crate::kubernetes::annotations::may_be_json;
use crate::kubernetes::consumers::is_source;
use crate::kubernetes::go_template;
use crate::kubernetes::resources::{Field, FieldStep, Resources};
use yaml::{NodeId, Role};

/// How the text of a scalar is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Yaml,
    Json,
    /// YAML with the actions of a Go template in it.
    Template,
    /// Plain text, although its name suggests otherwise.
    Text,
}

/// The list of patches in which kustomize looks for both texts and paths.
const MERGED: &str = "patchesStrategicMerge";

/// The names of fields that contain a document, apart from those of entries.
const NAMES: &[&str] = &[
    "values",
    "valuesContent",
    "patch",
    "patches",
    "jsonOp",
    "templatePatch",
    "elementsYaml",
];

/// Entries that programs parse as YAML although their names have no extension: the users of EKS,
/// the sign-in of Argo CD.
const ENTRIES: &[&str] = &[
    "kubeconfig",
    "mapRoles",
    "mapUsers",
    "mapAccounts",
    "dex.config",
];

/// The kinds with documents in their fields, any of which a patch without a kind may change. Those
/// whose fields are templates precede others with the same fields.
const KINDS: &[&str] = &[
    "ConfigMap",
    "Secret",
    "ApplicationSet",
    "Application",
    "Kustomization",
    "HelmRelease",
    "HelmChart",
    "ExternalSecret",
    "ClusterExternalSecret",
    "SealedSecret",
];

/// Returns what a scalar embeds, by the name of its entry or the field of its kind.
pub(crate) fn by_name(resources: &Resources<'_>, id: NodeId) -> Option<Format> {
    // Most scalars have another name, so their resource need not be determined.
    let is_named = match resources.role(id) {
        Role::Value(key) => {
            let name = resources.text(key)?;
            by_entry(name).is_some() || NAMES.contains(&name) || resources.is_value_of_operation(id)
        }
        // A patch, and not the path of one.
        Role::Item(_) => {
            let text = resources.text(id)?;
            text.contains('\n') || text.contains(": ") || text.starts_with('{')
        }
        Role::Key | Role::Root => false,
    };
    if is_named {
        by_field(&resources.field(id))
    } else {
        None
    }
}

/// Returns what the text of a field embeds, or that of the field which a patch sets.
pub(crate) fn by_field(field: &Field) -> Option<Format> {
    field.find_set_among(KINDS, by_set_field)
}

fn by_set_field(field: &Field) -> Option<Format> {
    let resource = field.resource.as_deref()?;
    let (group, _) = resource.group_version();
    let yaml = |is_yaml: bool| is_yaml.then_some(Format::Yaml);
    if let Some(name) = entry(field, false) {
        return by_entry(name);
    }
    if let [.., data, FieldStep::Key(name)] = &field.steps[..]
        && data.is_key("data")
        && resource.kind != "ApplicationSet"
        && go_template::is_expanded(field)
    {
        return by_entry(name).map(|_| Format::Template);
    }
    match (group, resource.kind.as_str(), &field.steps[..]) {
        ("argoproj.io", "Application", steps) => yaml(is_in_source(steps)),
        // All its strings are templates, of Applications and of generators.
        ("argoproj.io", "ApplicationSet", steps) => {
            let is_own = match steps {
                [spec, patch] => spec.is_key("spec") && patch.is_key("templatePatch"),
                [.., list, elements] => list.is_key("list") && elements.is_key("elementsYaml"),
                _ => false,
            };
            (is_own || is_in_source(steps)).then_some(Format::Template)
        }
        ("kustomize.toolkit.fluxcd.io", "Kustomization", [spec, patch @ ..]) => {
            yaml(spec.is_key("spec") && is_patch(patch))
        }
        ("helm.toolkit.fluxcd.io", "HelmRelease", [spec, renderers, _, kustomize, patch @ ..]) => {
            let is_renderer = renderers.is_key("postRenderers") && kustomize.is_key("kustomize");
            yaml(spec.is_key("spec") && is_renderer && is_patch(patch))
        }
        ("helm.cattle.io", "HelmChart" | "HelmChartConfig", [spec, name]) => {
            yaml(spec.is_key("spec") && name.is_key("valuesContent"))
        }
        (
            "kustomize.config.k8s.io",
            "Kustomization" | "Component",
            [list, FieldStep::Index(_), patch],
        ) => {
            let is_list = list.is_key("patches") || list.is_key("patchesJson6902");
            (is_list && patch.is_key("patch")).then_some(Format::Yaml)
        }
        ("kustomize.config.k8s.io", "Kustomization" | "Component", [list, FieldStep::Index(_)]) => {
            yaml(list.is_key(MERGED))
        }
        ("", "PatchTransformer", [patch]) => yaml(patch.is_key("patch")),
        ("", "PatchJson6902Transformer", [patch]) => yaml(patch.is_key("jsonOp")),
        ("", "PatchStrategicMergeTransformer", [patch]) => yaml(patch.is_key("patches")),
        _ => None,
    }
}

/// Returns what this text is in a field: what the field embeds, or JSON in an entry. `encoded`:
/// whether the text is written as base64.
pub(crate) fn by_text(field: &Field, encoded: bool, text: &str) -> Option<Format> {
    let in_entry = |field: &Field| {
        let name = entry(field, encoded)?;
        by_entry(name).or_else(|| may_be_json(text).then_some(Format::Json))
    };
    by_field(field).or_else(|| field.find_set_among(KINDS, in_entry))
}

/// Returns whether a field is an entry of a ConfigMap or Secret, whose text is not in base64.
pub(crate) fn is_entry(field: &Field) -> bool {
    let is_entry = |field: &Field| entry(field, false).map(|_| ());
    field.find_set_among(KINDS, is_entry).is_some()
}

/// Returns the name of an entry of a ConfigMap or Secret. `encoded`: also one in base64.
fn entry(field: &Field, encoded: bool) -> Option<&str> {
    let resource = field.resource.as_deref()?;
    let [text, base64] = match (resource.group_version().0, resource.kind.as_str()) {
        ("", "ConfigMap") => ["data", "binaryData"],
        ("", "Secret") => ["stringData", "data"],
        _ => return None,
    };
    match &field.steps[..] {
        [entries, FieldStep::Key(name)]
            if entries.is_key(text) || encoded && entries.is_key(base64) =>
        {
            Some(name)
        }
        _ => None,
    }
}

/// Returns whether a field is a patch, or part of one, that another tool applies.
pub(crate) fn is_in_patch(field: &Field) -> bool {
    const PATCHES: [&str; 4] = ["patch", "patches", "jsonOp", "templatePatch"];
    let is_patch = |step: &FieldStep| PATCHES.iter().any(|name| step.is_key(name));
    let mut steps = field.steps.iter().enumerate();
    steps.any(|(at, step)| {
        let own = || Field {
            resource: field.resource.clone(),
            steps: field.steps[..=at].to_vec(),
            patch: None,
        };
        step.is_key(MERGED) || is_patch(step) && by_field(&own()).is_some()
    })
}

/// Returns whether a source of an Application has a document in this field: the values of a
/// chart, or a patch for kustomize.
fn is_in_source(steps: &[FieldStep]) -> bool {
    match steps {
        [source @ .., helm, values] if helm.is_key("helm") && values.is_key("values") => {
            is_source(source)
        }
        [source @ .., kustomize, _, _, _] if kustomize.is_key("kustomize") => {
            is_source(source) && is_patch(&steps[source.len() + 1..])
        }
        _ => false,
    }
}

/// Returns whether the steps are those of a patch, as in a kustomization:
/// `patches[0].patch`.
fn is_patch(steps: &[FieldStep]) -> bool {
    matches!(steps, [patches, FieldStep::Index(_), patch]
        if patches.is_key("patches") && patch.is_key("patch"))
}

/// Returns what an entry with this name is.
fn by_entry(name: &str) -> Option<Format> {
    if ENTRIES.contains(&name) {
        return Some(Format::Yaml);
    }
    let (_, extension) = name.rsplit_once('.')?;
    let is = |known: &str| extension.eq_ignore_ascii_case(known);
    if is("yaml") || is("yml") {
        return Some(Format::Yaml);
    }
    is("json").then_some(Format::Json)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a field, written like `spec.sources.0.helm.values`: numeric steps are indices.
    fn check(api_version: &str, kind: &str, path: &str, expected: Option<Format>) {
        let field = Field::of(api_version, kind, path);
        assert_eq!(by_field(&field), expected, "{kind} {path}");
    }

    #[test]
    fn documents_in_applications() {
        let application =
            |path: &str, expected| check("argoproj.io/v1alpha1", "Application", path, expected);
        for path in [
            "spec.source.helm.values",
            "spec.sources.1.helm.values",
            "spec.source.kustomize.patches.0.patch",
            "spec.sources.1.kustomize.patches.0.patch",
            "operation.sync.source.helm.values",
            "operation.sync.sources.0.helm.values",
        ] {
            application(path, Some(Format::Yaml));
        }
        for path in [
            "spec.source.helm.valuesObject.values",
            "spec.source.helm.parameters.0.value",
            "spec.source.kustomize.patches.patch",
            "spec.source.plugin.values",
            "spec.others.0.helm.values",
            "spec.templatePatch",
            "helm.values",
        ] {
            application(path, None);
        }
    }

    #[test]
    fn documents_in_application_sets_are_templates() {
        let set =
            |path: &str, expected| check("argoproj.io/v1alpha1", "ApplicationSet", path, expected);
        for path in [
            "spec.template.spec.source.helm.values",
            "spec.template.spec.sources.0.helm.values",
            "spec.template.spec.source.kustomize.patches.0.patch",
            "spec.generators.0.git.template.spec.source.helm.values",
            "spec.generators.0.matrix.generators.1.list.template.spec.sources.0.helm.values",
            "spec.generators.0.list.elementsYaml",
            "spec.templatePatch",
        ] {
            set(path, Some(Format::Template));
        }
        set("spec.template.spec.templatePatch", None);
        set("metadata.elementsYaml", None);
    }

    #[test]
    fn patches_in_resources_of_flux() {
        let kustomization = "kustomize.toolkit.fluxcd.io/v1";
        let release = "helm.toolkit.fluxcd.io/v2";
        for (api_version, kind, path, expected) in [
            (kustomization, "Kustomization", "spec.patches.0.patch", true),
            (
                kustomization,
                "Kustomization",
                "spec.patches.0.target",
                false,
            ),
            (kustomization, "Kustomization", "patches.0.patch", false),
            (
                release,
                "HelmRelease",
                "spec.postRenderers.0.kustomize.patches.1.patch",
                true,
            ),
            (release, "HelmRelease", "spec.values.patches.0.patch", false),
            (
                "example.com/v1",
                "Kustomization",
                "spec.patches.0.patch",
                false,
            ),
        ] {
            check(api_version, kind, path, expected.then_some(Format::Yaml));
        }
    }

    #[test]
    fn patches_of_transformers() {
        for (kind, path) in [
            ("PatchTransformer", "patch"),
            ("PatchJson6902Transformer", "jsonOp"),
            ("PatchStrategicMergeTransformer", "patches"),
        ] {
            check("builtin", kind, path, Some(Format::Yaml));
            check("builtin", kind, "path", None);
            check("example.com/v1", kind, path, None);
            let inside = format!("{path}.spec");
            assert!(is_in_patch(&Field::of("builtin", kind, &inside)), "{kind}");
        }
    }
}
