//! Whether documents emit resources: a list emits its items, and an empty one nothing.
//!
//! Argo CD replaces a list by its items, and drops one whose items are null
//! (`GenerateManifests` in reposerver/repository/repository.go, argo-cd v3.2.12).

use crate::analysis::resource_check::first_content;
use yaml::{Kind, NodeId, Tree, locate, split};

/// What a rendered text emits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Emitted {
    /// It has only comments.
    Nothing,
    /// It also has lists without items.
    EmptyList,
    /// At least one resource, or something else that is not known to be none.
    Something,
}

/// Returns what the documents of a rendered text emit.
pub(crate) fn of_text(text: &str) -> Emitted {
    let mut emitted = Emitted::Nothing;
    for document in split(text) {
        emitted = emitted.max(of_document(document.text));
        if emitted == Emitted::Something {
            break;
        }
    }
    emitted
}

fn of_document(text: &str) -> Emitted {
    if first_content(text).is_none() {
        return Emitted::Nothing;
    }
    if is_certain(text) {
        return Emitted::Something;
    }
    match locate(text) {
        Ok(tree) if is_list(&tree, 0) && has_no_items(&tree, 0) => Emitted::EmptyList,
        _ => Emitted::Something,
    }
}

/// Whether the lines of a document show that it emits a resource, whatever is rendered: its
/// kind is written there and is no list, or its first item is a mapping.
pub(crate) fn is_certain(text: &str) -> bool {
    let Some(kind) = line_value(text, "kind:") else {
        return false;
    };
    let kind = kind.trim_ascii();
    is_written(kind) && (!kind.ends_with(LIST) || starts_with_a_mapping(text))
}

const LIST: &str = "List";

/// Whether an item of a list is a resource whatever its references are replaced by.
pub(crate) fn is_certain_item(tree: &Tree, item: NodeId) -> bool {
    let kind = value_of(tree, item, "kind").and_then(|kind| tree.text(kind));
    kind.is_some_and(|kind| is_written(kind) && !kind.ends_with(LIST))
}

/// Whether a kind is written as it is, without a reference.
fn is_written(kind: &str) -> bool {
    !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether a list has no resources in its items, at any depth.
pub(crate) fn has_no_items(tree: &Tree, root: NodeId) -> bool {
    let mut lists = vec![root];
    while let Some(list) = lists.pop() {
        let Some(items) = value_of(tree, list, "items") else {
            continue;
        };
        for item in tree.members(tree.target(items)) {
            let item = tree.target(item);
            // An alias may be inside its own anchor, which is before it.
            if is_list(tree, item) && item > list {
                lists.push(item);
            } else if is_mapping(tree, item) {
                return false;
            }
        }
    }
    true
}

/// Whether a mapping is a `List`, or a list of one kind such as a `ConfigMapList`. The kind of
/// a custom resource can have such a name, too.
fn is_list(tree: &Tree, mapping: NodeId) -> bool {
    let kind = value_of(tree, mapping, "kind").and_then(|id| tree.text(tree.target(id)));
    match kind {
        Some(LIST) => true,
        Some(kind) => kind.ends_with(LIST) && value_of(tree, mapping, "items").is_some(),
        None => false,
    }
}

fn is_mapping(tree: &Tree, id: NodeId) -> bool {
    let node = tree.get(id);
    node.is_some_and(|node| matches!(node.kind(), Kind::Mapping { .. }))
}

/// Returns the rest of the first line that starts with `key`.
fn line_value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let start = line_start_of(text, key)? + key.len();
    let end = memchr::memchr(b'\n', &text.as_bytes()[start..]);
    Some(&text[start..end.map_or(text.len(), |end| start + end)])
}

/// Returns the start of the first line that starts with `key`.
fn line_start_of(text: &str, key: &str) -> Option<usize> {
    memchr::memmem::find_iter(text.as_bytes(), key)
        .find(|at| *at == 0 || text.as_bytes()[at - 1] == b'\n')
}

/// Whether the line after `items:` begins a mapping that is no list itself: `- apiVersion: v1`.
fn starts_with_a_mapping(text: &str) -> bool {
    let Some(start) = line_start_of(text, "items:") else {
        return false;
    };
    let mut lines = text[start..].lines();
    let is_alone = lines
        .next()
        .is_some_and(|line| line.trim_ascii_end() == "items:");
    let item = lines.next().map(str::trim_ascii_start);
    let Some(item) = item.and_then(|line| line.strip_prefix("- ")) else {
        return false;
    };
    let key = item.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let is_mapping = key > 0 && item[key..].starts_with(": ");
    let mut lists = memchr::memmem::find_iter(text.as_bytes(), LIST);
    is_alone && is_mapping && lists.nth(1).is_none()
}

/// Returns the value of a key; the last one, as in Kubernetes' own readers.
fn value_of(tree: &Tree, mapping: NodeId, key: &str) -> Option<NodeId> {
    if !is_mapping(tree, mapping) {
        return None;
    }
    let values = tree
        .entries(mapping)
        .filter(|(name, _)| tree.text(*name) == Some(key));
    values.last().map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &[&str] = &[
        "apiVersion: v1\nkind: List\nitems: []\n",
        "apiVersion: v1\nkind: List\nitems: null\n",
        "apiVersion: v1\nkind: List\nitems:\n",
        "apiVersion: v1\nkind: List\nitems: [null, ~]\n",
        "apiVersion: v1\nkind: List\nitems: {}\n",
        "apiVersion: v1\nkind: List\n",
        "apiVersion: v1\nkind: \"List\"\nitems: []\n",
        "apiVersion: v1\nkind: List # all\nitems: []\n",
        "apiVersion: v1\r\nkind: ConfigMapList\r\nitems: []\r\n",
        "apiVersion: apps/v1\nkind: DeploymentList\nmetadata: {resourceVersion: \"1\"}\nitems: []\n",
        "{\"apiVersion\": \"v1\", \"items\": [], \"kind\": \"List\"}\n",
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items: []\n",
    ];

    const FILLED: &[&str] = &[
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n",
        "apiVersion: v1\nkind: List\nitems:\n  - {kind: Pod}\n",
        "apiVersion: v1\nkind: List\nitems:\n# first\n- kind: Pod\n",
        "{\"apiVersion\": \"v1\", \"items\": [{\"kind\": \"Pod\"}], \"kind\": \"List\"}\n",
        // The kind of a custom resource.
        "apiVersion: example.com/v1\nkind: AllowList\nmetadata: {name: a}\nspec: {}\n",
        "apiVersion: v1\nkind: ConfigMap\n",
        "vpc: vpc-0ab1\n",
        "a: [\n",
    ];

    #[test]
    fn an_empty_list_is_no_resource() {
        for text in EMPTY {
            assert!(!is_certain(text), "{text}");
            assert_eq!(of_text(text), Emitted::EmptyList, "{text}");
            let twice = format!("{text}---\n# nothing\n---\n{text}");
            assert_eq!(of_text(&twice), Emitted::EmptyList, "{twice}");
            let more = format!("{text}---\nkind: Pod\napiVersion: v1\n");
            assert_eq!(of_text(&more), Emitted::Something, "{more}");
        }
    }

    #[test]
    fn a_list_with_an_item_is_a_resource() {
        for text in FILLED {
            assert_eq!(of_text(text), Emitted::Something, "{text}");
        }
    }

    #[test]
    fn lines_decide_about_ordinary_documents() {
        for (text, expected) in [
            ("kind: Pod\n", true),
            ("a: b\nkind: ConfigMap  \nc: d\n", true),
            ("kind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n", true),
            (
                "items:\n  - metadata: {}\n    kind: Pod\nkind: PodList\n",
                true,
            ),
            ("kind: ${infra.kind}\n", false),
            ("kind: Pod # landfall: ${infra.kind}\n", false),
            ("kind: List\nitems: ${infra.items}\n", false),
            ("kind: List\nitems:\n- ${infra.item}\n", false),
            ("kind: List\nitems:\n- kind: List\n", false),
        ] {
            assert_eq!(is_certain(text), expected, "{text}");
        }
    }
}
