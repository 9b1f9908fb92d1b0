//! Documents of landfall's own kinds among the manifests: a Binding that is not used as
//! one, such as a `binding.yaml` or a second document of a file. Its author expects it to
//! take effect.

use crate::collections::OrderedMap;
use crate::config::binding::API_VERSION;
use crate::reference::Heads;
use crate::reference::{locate, mask_references};
use crate::report::{Diagnostic, Origin, Rule};
use yaml::Span;
use yaml::{Document, Kind, NodeId, Role, Tree, masked};

/// A document without this text is not one of landfall's.
const GROUP: &str = "landfall.dev";

/// Whether a text may contain a document of one of landfall's own kinds.
pub(crate) fn may_hold(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), GROUP.as_bytes()).is_some()
}

/// Reports the Bindings and operator's policies in one document: the document
/// itself, and items of Lists.
pub(crate) fn find(document: Document<'_>, heads: &Heads, file: usize) -> Vec<Diagnostic> {
    let masks = mask_references(document.text, heads, &OrderedMap::new());
    let scratch = masked(document.text, masks.iter().map(|mask| &mask.range));
    let Ok(tree) = locate(scratch) else {
        return Vec::new();
    };
    let mut headers: OrderedMap<NodeId, [Option<NodeId>; 2]> = OrderedMap::new();
    for (id, node) in tree.nodes() {
        let Role::Value(key) = node.role() else {
            continue;
        };
        let part = match tree.text(key) {
            Some("apiVersion") => 0,
            Some("kind") => 1,
            _ => continue,
        };
        if let Some(parent) = node.parent() {
            headers.entry(parent).or_default()[part] = Some(id);
        }
    }
    headers
        .into_iter()
        .filter(|(id, _)| is_resource(&tree, *id))
        .filter_map(|(_, [version, kind])| {
            let kind = kind?;
            let (group, _) = tree.text(version?)?.split_once('/')?;
            let name = tree.text(kind).filter(|_| group == GROUP)?;
            let range = &tree[kind].range();
            let span = Span::new(range.start, range.end).shifted(document.offset);
            found(name, Origin::Manifest(file), span)
        })
        .collect()
}

fn found(kind: &str, origin: Origin, span: Span) -> Option<Diagnostic> {
    let help = match kind {
        "Binding" => format!(
            "a folder's Binding must be the only document in its `landfall.yaml`: move it there or remove it; a Binding (`{API_VERSION}`) is never deployed"
        ),
        "OperatorPolicy" => {
            "remove it: the operator passes it to landfall, and it is never deployed".to_owned()
        }
        _ => return None,
    };
    let message = format!("unused {kind} among the manifests");
    Some(
        Diagnostic::error(Rule::StrayBinding, message)
            .at(origin, span, "has no effect here")
            .help(help),
    )
}

/// Whether a mapping is a document or an item of a List.
fn is_resource(tree: &Tree, mut id: NodeId) -> bool {
    loop {
        let node = &tree[id];
        if node.role() == Role::Root {
            return true;
        }
        let list = match (node.role(), node.parent()) {
            (Role::Item(_), Some(list)) => &tree[list],
            _ => return false,
        };
        match (list.role(), list.parent(), list.kind()) {
            (Role::Value(key), Some(parent), Kind::Sequence { .. })
                if tree.text(key) == Some("items") =>
            {
                id = parent;
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yaml::split;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert!(may_hold(text) || expected.is_empty());
        let found: Vec<_> = split(text)
            .into_iter()
            .flat_map(|document| find(document, &Heads::new(["infra"]), 0))
            .map(|found| text[found.labels[0].span.range()].to_owned())
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn finds_bindings_in_any_style() {
        for text in [
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\n",
            "kind: Binding\nspec: {x: [${infra.a}]}\napiVersion: landfall.dev/v2\n",
            "a: 1\n---\napiVersion: 'landfall.dev/v1'\n? kind\n: Binding\n",
            "kind: List\nitems:\n- {apiVersion: landfall.dev/v1alpha1, kind: Binding}\n",
            "{items: [{items: [{apiVersion: landfall.dev/v1, kind: Binding}]}]}\n",
        ] {
            check(text, &["Binding"]);
        }
        check(
            "apiVersion: \"landfall.dev/v1\"\nkind: \"OperatorPolicy\"\n",
            &["\"OperatorPolicy\""],
        );
    }

    #[test]
    fn ignores_other_documents() {
        for text in [
            "apiVersion: v1\nkind: Binding\nmetadata: {annotations: {landfall.dev/x: y}}\n",
            "apiVersion: xlandfall.dev/v1\nkind: Binding\n",
            "apiVersion: landfall.dev/v1\nkind: Other\n",
            "kind: ConfigMap\ndata:\n  a: |\n    apiVersion: landfall.dev/v1\n    kind: Binding\n",
            "kind: X\nspec: {template: {apiVersion: landfall.dev/v1, kind: Binding}}\n",
            "# apiVersion: landfall.dev/v1\n# kind: Binding\na: [\n",
        ] {
            check(text, &[]);
        }
    }
}
