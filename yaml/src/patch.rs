//! Changes a document by paths, for callers that need no more than that.

use crate::edit::{Edit, Misfit, NodeEditor, NotRemoved, Value, decode_node, remove_members};
use crate::locate::{LocateError, locate};
use crate::tree::{Kind, NodeId, Role, Style, Tree};

/// One change of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch<'p> {
    /// The keys and the positions of items (`"0"`) that lead from the root to a node.
    pub path: &'p [&'p str],
    /// What happens to the node.
    pub operation: Operation,
}

/// What happens to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// It gets this value. If only the last key of the path is missing, an entry is added at
    /// the end of its mapping.
    Set(Value),
    /// These items are added at the end of it, a sequence or an empty value.
    Append(Vec<Value>),
    /// It is removed with its key and the comment after it.
    Remove,
}

/// Why a document was not patched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchError {
    /// The position of the patch that failed.
    pub patch: usize,
    /// The byte of the original text where it did: of the last node that its path reaches.
    pub at: usize,
    /// Why it failed.
    pub why: NotPatched,
}

/// Why a patch is not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotPatched {
    /// The text is not one YAML document.
    Invalid(LocateError),
    /// The path has this key or position, and the document has not.
    Missing(String),
    /// A mapping has this key more than once: readers differ in which entry they take.
    Repeated(String),
    /// The path leads through an alias: the node would change in two places.
    Alias,
    /// The node is no sequence.
    NotASequence,
    /// An alias elsewhere repeats the anchor of this node, which would be gone.
    Anchor(NodeId),
    /// The value cannot be written there.
    Misfit(Misfit),
    /// The node cannot be removed.
    NotRemoved(NotRemoved),
}

impl std::fmt::Display for PatchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "patch {} at byte {}: ", self.patch, self.at)?;
        match &self.why {
            NotPatched::Invalid(error) => error.fmt(f),
            NotPatched::Missing(step) => write!(f, "there is no `{step}`"),
            NotPatched::Repeated(key) => write!(f, "the key `{key}` is there more than once"),
            NotPatched::Alias => f.write_str("an alias repeats another node"),
            NotPatched::NotASequence => f.write_str("this is no sequence"),
            NotPatched::Anchor(_) => f.write_str("an alias repeats an anchor inside"),
            NotPatched::Misfit(_) => f.write_str("the value cannot be written here"),
            NotPatched::NotRemoved(_) => f.write_str("edits do not remove this form"),
        }
    }
}

impl std::error::Error for PatchError {}

/// Returns a document with patches applied, each to the result of those before it. Every byte
/// that they do not concern stays as it is.
///
/// # Errors
/// The first patch that cannot be applied, and the place.
///
/// # Examples
/// ```
/// use landfall_yaml::{NotPatched, Operation, Patch, patch};
///
/// let text = "a: 1   # one\nb: [x]\n";
/// let append = Patch { path: &["b"], operation: Operation::Append(vec![true.into()]) };
/// assert_eq!(patch(text, &[append]).unwrap(), "a: 1   # one\nb: [x, true]\n");
///
/// let missing = Patch { path: &["b", "1"], operation: Operation::Remove };
/// let error = patch(text, &[missing]).unwrap_err();
/// assert_eq!((error.at, error.why), (16, NotPatched::Missing("1".to_owned())));
/// ```
pub fn patch(text: &str, patches: &[Patch<'_>]) -> Result<String, PatchError> {
    let mut patched = text.to_owned();
    let mut steps: Vec<Vec<Edit>> = Vec::with_capacity(patches.len());
    for (nth, patch) in patches.iter().enumerate() {
        let failed = |(at, why)| PatchError {
            patch: nth,
            at: steps.iter().rfold(at, |at, edits| original(at, edits)),
            why,
        };
        let edits = edits(&patched, patch).map_err(failed)?;
        for edit in edits.iter().rev() {
            let written = String::from_utf8_lossy(&edit.text);
            patched.replace_range(edit.span.range(), &written);
        }
        steps.push(edits);
    }
    Ok(patched)
}

/// Why a patch failed, and at which byte of the text that it was applied to.
type Failure = (usize, NotPatched);

/// Returns the byte of a text that byte `at` of the text with these edits comes from.
fn original(at: usize, edits: &[Edit]) -> usize {
    let (mut added, mut removed) = (0, 0);
    for edit in edits {
        let written = edit.span.start + added - removed;
        if at < written {
            break;
        }
        if at < written + edit.text.len() {
            return edit.span.start;
        }
        added += edit.text.len();
        removed += edit.span.range().len();
    }
    at + removed - added
}

fn edits(text: &str, patch: &Patch<'_>) -> Result<Vec<Edit>, Failure> {
    let tree = locate(text).map_err(|error| (error.at, NotPatched::Invalid(error)))?;
    let place = find(&tree, patch.path)?;
    let id = place.node;
    let failed = |why| (tree[id].range().start, why);
    let keeps = |nodes: std::ops::Range<NodeId>| {
        let others = tree.nodes().filter(|(id, _)| !nodes.contains(id));
        let mut targets = others.filter_map(|(_, node)| node.alias_target());
        match targets.find(|target| nodes.contains(target)) {
            Some(anchored) => Err(failed(NotPatched::Anchor(anchored))),
            None => Ok(()),
        }
    };
    let decoded = decode_node(text, &tree, id);
    let Some(decoded) = &decoded else {
        return Err(failed(NotPatched::NotRemoved(NotRemoved::Form(id))));
    };
    let editor = NodeEditor {
        source: text,
        tree: &tree,
        id,
        decoded,
        json: is_json(&tree),
    };
    let misfit = |misfit| failed(NotPatched::Misfit(misfit));
    match (&patch.operation, place.missing) {
        (Operation::Set(value), Some(key)) => {
            let entry = Value::Map(vec![(key.to_owned(), value.clone())]);
            editor.append(&entry).map_err(misfit)
        }
        (_, Some(key)) => Err(failed(NotPatched::Missing(key.to_owned()))),
        (Operation::Set(value), None) => {
            keeps(tree.inside(id))?;
            editor.set(value).map_err(misfit)
        }
        (Operation::Append(items), None) => {
            if !matches!(tree[id].kind(), Kind::Sequence { .. }) && !is_unset(&tree, id) {
                return Err(failed(NotPatched::NotASequence));
            }
            if items.is_empty() {
                return Ok(Vec::new());
            }
            editor.append(&Value::List(items.clone())).map_err(misfit)
        }
        (Operation::Remove, None) => {
            let first = match tree[id].role() {
                Role::Value(key) => key,
                _ => id,
            };
            keeps(first..tree.inside(id).end)?;
            let removed = remove_members(text, &tree, &[id]);
            removed.map_err(|errors| {
                let error = errors.into_iter().next().unwrap_or(NotRemoved::Form(id));
                failed(NotPatched::NotRemoved(error))
            })
        }
    }
}

/// Where a path leads.
struct Place<'p> {
    /// The last node that it reaches.
    node: NodeId,
    /// The key that this node, a mapping or an empty value, lacks.
    missing: Option<&'p str>,
}

fn find<'p>(tree: &Tree, path: &[&'p str]) -> Result<Place<'p>, Failure> {
    let mut node = 0;
    if tree.is_empty() {
        let step = path.first().copied().unwrap_or_default();
        return Err((0, NotPatched::Missing(step.to_owned())));
    }
    let mut steps = path.iter().copied();
    while let Some(step) = steps.next() {
        let failed =
            |why: fn(String) -> NotPatched| (tree[node].range().start, why(step.to_owned()));
        let next = match tree[node].kind() {
            Kind::Alias(_) => return Err((tree[node].range().start, NotPatched::Alias)),
            Kind::Sequence { .. } => {
                let nth = step.parse().ok();
                nth.and_then(|nth| tree.members(node).nth(nth))
            }
            Kind::Mapping { .. } => {
                let mut entries = tree
                    .entries(node)
                    .filter(|(key, _)| tree.text(*key) == Some(step));
                let entry = entries.next();
                if entries.next().is_some() {
                    return Err(failed(NotPatched::Repeated));
                }
                entry.map(|(_, value)| value)
            }
            Kind::Scalar { .. } => None,
        };
        let holds_keys = matches!(tree[node].kind(), Kind::Mapping { .. }) || is_unset(tree, node);
        node = match next {
            Some(next) => next,
            None if holds_keys && steps.len() == 0 => {
                return Ok(Place {
                    node,
                    missing: Some(step),
                });
            }
            None => return Err(failed(NotPatched::Missing)),
        };
    }
    Ok(Place {
        node,
        missing: None,
    })
}

/// Returns whether nothing is written at a node.
fn is_unset(tree: &Tree, id: NodeId) -> bool {
    tree[id].style() == Some(Style::Plain) && tree[id].range().is_empty()
}

/// Returns whether a document is JSON, as far as one can tell: then it stays JSON.
fn is_json(tree: &Tree) -> bool {
    let is_literal = |text: &str| {
        matches!(text, "true" | "false" | "null")
            || text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
    };
    let mut nodes = tree.nodes();
    tree.source().trim_ascii_start().starts_with(['{', '['])
        && tree.comments().is_empty()
        && nodes.all(|(id, node)| match node.style() {
            Some(Style::Plain) => tree.text(id).is_some_and(is_literal),
            Some(style) => style == Style::DoubleQuoted,
            None => !matches!(node.kind(), Kind::Alias(_)),
        })
}
