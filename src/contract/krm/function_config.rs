//! The functionConfig of a ResourceList: a Binding, or what kustomize and kpt pass to a
//! function that has none.

use crate::config::binding::{self, API_VERSION, Binding};
use crate::config::generated::{self, Generated};
use crate::config::written_values;
use crate::contract::members::value_of;
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};
use yaml::Span;
use yaml::{Kind, NodeId, Style, Tree};

/// Parses the functionConfig as a Binding. `None` if there is no functionConfig, or only
/// the ConfigMap without data that kpt writes for a function without arguments (kpt
/// 23c57d7, `kpt fn eval`).
pub(super) fn binding(tree: &Tree, root: NodeId) -> Option<Result<Binding, Diagnostics>> {
    let id = value_of(tree, root, "functionConfig").filter(|id| !is_null(tree, *id))?;
    let text = |key| value_of(tree, id, key).and_then(|id| tree.text(id));
    if (text("apiVersion"), text("kind")) != (Some("v1"), Some("ConfigMap")) {
        let origin = Origin::Manifest(0);
        let is_own = text("apiVersion").is_some_and(|version| version.starts_with("landfall.dev/"));
        let (binding, mut found) = binding::read_node(tree, id, origin);
        if found.is_empty() {
            return Some(Ok(binding));
        }
        written_values::conceal(tree, origin, &mut found);
        if !is_own {
            found = binding::concealed(found, origin);
        }
        return Some(Err(found));
    }
    let is_filled = |key| value_of(tree, id, key).is_some_and(|data| !is_empty(tree, data));
    let filled = ["data", "binaryData"]
        .into_iter()
        .find(|key| is_filled(key))?;
    let range = &tree[value_of(tree, id, filled)?].range();
    let error = Diagnostic::error(
        Rule::InvalidBinding,
        "the functionConfig is a ConfigMap, but landfall reads no arguments from one",
    );
    let span = Span::new(range.start, range.end);
    let error = error.in_config(Origin::Manifest(0), span, "");
    Some(Err(error.help(what_to_write()).into()))
}

/// Returns the resources that a function's Binding adds.
///
/// # Errors
/// All mistakes in them.
pub(super) fn generated(tree: &Tree, binding: &Binding) -> Result<Vec<Generated>, Diagnostics> {
    match binding.generate {
        Some((id, _)) => generated::read(tree, id, Origin::Manifest(0)),
        None => Ok(Vec::new()),
    }
}

/// Returns the error for a function without a Binding if nothing is bound otherwise.
pub(super) fn missing() -> Diagnostic {
    Diagnostic::error(
        Rule::InvalidBinding,
        "no Binding: the ResourceList has no `functionConfig`",
    )
    .help(what_to_write())
}

/// Returns the error for a function that is called without resources: kustomize calls its
/// generators that way, and drops their results (kustomize 5.8.1, `FnPlugin.Generate`).
pub(super) fn no_items() -> Diagnostic {
    Diagnostic::error(
        Rule::NoManifests,
        "the ResourceList has no resources, and the Binding generates none",
    )
    .help("in a kustomization, list the Binding under `transformers:`, or write `spec.generate` for `generators:`; if there may be no resources, set `policy: {noResources: allow}` in the Binding")
}

/// Returns the error for a validator without resources.
pub(super) fn nothing_to_validate() -> Diagnostic {
    Diagnostic::error(
        Rule::NoManifests,
        "the ResourceList has no resources to validate",
    )
    .help("if there may be no resources, set `policy: {noResources: allow}` in the Binding")
}

/// Returns the error for items that are nothing but empty lists once they are rendered.
pub(super) fn no_resources() -> Diagnostic {
    Diagnostic::error(
        Rule::NoManifests,
        "the ResourceList has no resources: its items are empty lists",
    )
    .help("an empty result would delete what was applied before; if there may be no resources, set `policy: {noResources: allow}` in the Binding")
}

/// Whether the list has no resources at all. Without any, kustomize passes the functionConfig as
/// the only item (5.8.1).
pub(super) fn is_without_items(tree: &Tree, root: NodeId) -> bool {
    let is_binding = |item: NodeId| {
        let text = |key| value_of(tree, item, key).and_then(|id| tree.text(id));
        text("kind") == Some("Binding") && text("apiVersion") == Some(API_VERSION)
    };
    value_of(tree, root, "items").is_none_or(|items| match tree[items].kind() {
        Kind::Sequence { .. } => tree.members(items).all(is_binding),
        _ => is_empty(tree, items),
    })
}

fn what_to_write() -> String {
    format!(
        "write a Binding, `{{apiVersion: {API_VERSION}, kind: Binding, metadata: {{name: bind}}, spec: {{outputs: [{{name: infra, from: {{file: infra.json}}}}]}}}}`, and name its file: `transformers: [landfall.yaml]` in a kustomization, `configPath: landfall.yaml` in a Kptfile, `--fn-config landfall.yaml` for `kpt fn eval`"
    )
}

/// Whether a node is null, or a collection without members.
fn is_empty(tree: &Tree, id: NodeId) -> bool {
    match tree[id].kind() {
        Kind::Mapping { .. } | Kind::Sequence { .. } => tree.members(id).next().is_none(),
        _ => is_null(tree, id),
    }
}

fn is_null(tree: &Tree, id: NodeId) -> bool {
    tree[id].style() == Some(Style::Plain)
        && matches!(tree.text(id), Some("" | "~" | "null" | "Null" | "NULL"))
}
