//! The configuration of both renders, and the edit of the Binding.

use std::ops::Range;

use crate::config::Config;
use crate::contract::Request;
use crate::reference::{Dialect, LANDFALL};
use yaml::{Edit, NodeId, Span, Tree, locate, splice};

/// Policies for both renders: what is missing is not a problem of the migration. They are the
/// same whatever flags say.
const POLICIES: &[(&str, &str)] = &[
    ("missing", "keep"),
    ("empty", "allow"),
    ("unused", "ignore"),
    ("unbound", "warn"),
];

/// Returns a request that renders manifests in a dialect, whatever the Binding says.
pub(super) fn in_dialect(request: &Request, dialect: &dyn Dialect) -> Request {
    let policy = request.configuration().policy.as_ref();
    let flags = policy.and_then(|flags| str::from_utf8(&flags.content).ok());
    let mut content = String::new();
    // Flags that cannot be read are an error of the first render.
    if let Some(tree) = flags.and_then(|content| locate(content.to_owned()).ok())
        && !tree.is_empty()
    {
        for (key, value) in tree.entries(0) {
            let bytes = |id: NodeId| tree.source().get(tree[id].extent()).unwrap_or_default();
            let name = tree.text(key).unwrap_or_default();
            let is_replaced =
                name == "dialect" || POLICIES.iter().any(|(policy, _)| *policy == name);
            if !is_replaced {
                content.push_str(&format!("{name}: {}\n", bytes(value).trim()));
            }
        }
    }
    for (policy, value) in POLICIES {
        content.push_str(&format!("{policy}: {value}\n"));
    }
    content.push_str(&format!("dialect: {}\n", dialect.notation().id));
    let mut request = request.clone();
    request.configure(|configuration| {
        configuration.policy = Some(Config {
            path: String::new(),
            content: content.into_bytes(),
        });
    });
    request
}

/// Returns a request without the field bindings of its Binding.
pub(super) fn without_field_bindings(mut request: Request) -> Request {
    if let Some(binding) = &request.configuration().binding
        && let Some((key, value)) = entry_of_spec(&binding.content, "substitutions")
    {
        let edit = Edit {
            span: Span::new(key.end, value.end),
            text: b": []".to_vec(),
        };
        if let Ok(content) = splice(&binding.content, &[edit]) {
            let path = binding.path.clone();
            request.configure(|changed| changed.binding = Some(Config { path, content }));
        }
    }
    request
}

/// Returns the edit after which the Binding's manifests are in landfall's own dialect.
pub(super) fn dialect_edit(binding: Option<&Config>, from: &dyn Dialect) -> Vec<Edit> {
    let Some(binding) = binding else {
        return Vec::new();
    };
    let range = entry_of_spec(&binding.content, "dialect").map(|(_, value)| value);
    let names = |range: &Range<usize>| {
        let value = binding.content.get(range.clone()).unwrap_or_default();
        let value = str::from_utf8(value).unwrap_or_default();
        value.trim_matches(['"', '\'']) == from.notation().id
    };
    let edit = range.filter(names).map(|range| Edit {
        span: Span::from(range),
        text: LANDFALL.notation().id.as_bytes().to_vec(),
    });
    edit.into_iter().collect()
}

/// Returns the bytes of a key in the `spec` of a Binding, and those of its value.
fn entry_of_spec(content: &[u8], name: &str) -> Option<(Range<usize>, Range<usize>)> {
    let tree = locate(str::from_utf8(content).ok()?.to_owned()).ok()?;
    let (_, spec) = entry(&tree, (!tree.is_empty()).then_some(0)?, "spec")?;
    let (key, value) = entry(&tree, spec, name)?;
    Some((tree[key].range(), tree[value].extent()))
}

fn entry(tree: &Tree, mapping: NodeId, name: &str) -> Option<(NodeId, NodeId)> {
    let mut entries = tree.entries(mapping);
    entries.find(|(key, _)| tree.text(*key) == Some(name))
}
