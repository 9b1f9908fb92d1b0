//! KRM functions: a ResourceList in, a ResourceList out
//! (kubernetes-sigs/kustomize, cmd/config/docs/api-conventions/functions-spec.md).

use super::{Ceiling, Config, KnownName, Need, OutputsDocument};
use crate::binding::config::{self, Binding};
use crate::binding::unbound::{self, UnboundReferences};
use crate::binding::{Budget, Context, CustomKinds, Terms, encoded_references, render};
use crate::manifest::{
    Document, Granit, Kind, Locator, NodeId, Place, Role, Tree, block, flow, mask_others,
    mask_shapes, masked,
};
use crate::outputs::{Bindings, Key, Value};
use crate::reference::Heads;
use crate::report::{Diagnostic, Diagnostics, Edit, Origin, Rule, Severity, Span};

/// The annotations by which kustomize and kpt know an item again.
const IDS: &[&str] = &["internal.config.kubernetes.io/id", "config.k8s.io/id"];

/// What all edits together may write.
const ANSWER_LIMIT: u64 = 256 << 20;

/// A ResourceList that was processed: the answer is the list with these edits
/// made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processed {
    /// Ascending and disjoint.
    pub edits: Vec<Edit>,
    /// An error is among the diagnostics, and among the list's `results`; the
    /// items are as they were.
    pub failed: bool,
    /// All that was found.
    pub diagnostics: Diagnostics,
}

/// What the ResourceList's functionConfig, a Binding, asks for.
///
/// # Errors
/// Everything that is wrong with the ResourceList or its functionConfig.
pub fn krm_needs(resource_list: &[u8]) -> Result<Vec<Need>, Diagnostics> {
    let list = List::read(resource_list)?;
    list.with_tree(|tree, root| match binding_of(tree, root) {
        Some(binding) => binding.map(|binding| binding.outputs),
        None => Ok(Vec::new()),
    })
}

/// The Binding that the functionConfig is, if there is one.
fn binding_of(tree: &Tree<'_>, root: NodeId) -> Option<Result<Binding, Diagnostics>> {
    let id = value_of(tree, root, "functionConfig")?;
    Some(config::read_node(tree, id, Origin::Manifest(0)))
}

/// Renders the items of a ResourceList. Its functionConfig, a Binding, stays as it
/// is; `policy` holds policies by flags, which replace the Binding's; `known_names` as in
/// [`crate::Request`].
///
/// # Errors
/// The input is no ResourceList.
pub fn process(
    resource_list: &[u8],
    outputs: &[OutputsDocument],
    ceiling: &Ceiling,
    policy: Option<&Config>,
    known_names: &[KnownName],
) -> Result<Processed, Diagnostics> {
    let list = List::read(resource_list)?;
    let (mut bindings, mut diagnostics) = Bindings::read(outputs);
    bindings.limit_work(ANSWER_LIMIT);
    let binding = list.with_tree(|tree, root| Ok(binding_of(tree, root)))?;
    let (mut terms, found) = Terms::new(binding, policy, ceiling);
    diagnostics.append(found);
    let violations = terms.violations(&bindings);
    let is_violated = !violations.is_empty();
    diagnostics.append(violations);
    let heads = Heads::new(bindings.names());
    let field_bindings = terms.field_bindings(&heads, Origin::Manifest(0), &mut diagnostics);
    let mut unbound = UnboundReferences::new(terms.names(known_names, &heads, &mut diagnostics));
    let budget = Budget::new(ANSWER_LIMIT);
    let context = Context {
        bindings: &bindings,
        heads: &heads,
        policy: &terms.policy,
        custom: &CustomKinds::new(vec![list.text]),
        field_bindings: &field_bindings,
        embedded: &terms.embedded,
        keep_references: false,
        file: 0,
        only_under: Some("items"),
        wants_substitutions: false,
        budget: &budget,
    };
    let mut edits = Vec::new();
    // What follows from a contract that is not kept would only hide it.
    if !is_violated {
        let view = terms.view(context.only_under);
        let document = Document {
            text: list.text,
            offset: 0,
        };
        diagnostics.extend(encoded_references(document, 0, view, &|name| {
            heads.is_bound(name)
        }));
        unbound.read(
            list.text,
            0,
            unbound::Terms {
                heads: &heads,
                view,
                policy: terms.policy.choices.unbound.value,
                setters_only: false,
            },
        );
        if heads.any(list.text) || field_bindings.may_select(list.text) {
            edits = list.rendered(&context, &mut diagnostics)?;
        }
        // Without its Binding nobody knows what is bound.
        if diagnostics
            .iter()
            .all(|found| found.rule != Rule::InvalidBinding)
        {
            diagnostics.extend(unbound.finish());
        }
        diagnostics.append(field_bindings.unmatched());
    }
    diagnostics.extend(terms.unused(&bindings, &diagnostics));
    let failed = diagnostics.has_errors();
    if failed {
        edits.clear();
    }
    let told: Vec<_> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity >= Severity::Warning)
        .collect();
    if !told.is_empty() {
        edits.extend(list.with_tree(|tree, root| Ok(results(list.text, tree, root, &told)))?);
    }
    edits.sort_by_key(|edit| edit.span);
    Ok(Processed {
        edits,
        failed,
        diagnostics,
    })
}

/// The text of a ResourceList and what of it YAML needs masked.
struct List<'l> {
    text: &'l str,
    scratch: String,
}

impl<'l> List<'l> {
    fn read(resource_list: &'l [u8]) -> Result<Self, Diagnostics> {
        let wrong = |message: &str, at: usize| {
            let diagnostic = Diagnostic::error(Rule::InvalidResourceList, message)
                .at_concealed(Origin::Manifest(0), Span::point(at), "")
                .help("a KRM function reads a ResourceList (config.kubernetes.io/v1) on standard input; kustomize and kpt write one. For plain manifests there is `landfall render`");
            Diagnostics::from(diagnostic)
        };
        let text = std::str::from_utf8(resource_list)
            .map_err(|error| wrong("the input is not UTF-8", error.valid_up_to()))?;
        let references = masked(text, mask_shapes(text).iter());
        let placeholders = masked(&references, mask_others(&references).iter());
        let mut list = Self {
            text,
            scratch: String::new(),
        };
        for scratch in [text.to_owned(), references, placeholders] {
            list.scratch = scratch;
            if let Ok(tree) = Granit.locate(&list.scratch) {
                let kind = value_of(&tree, 0, "kind").and_then(|id| tree.text(id));
                return match kind {
                    Some("ResourceList") => Ok(list),
                    _ => Err(wrong("the input is no ResourceList", 0)),
                };
            }
        }
        let at = Granit
            .locate(&list.scratch)
            .err()
            .map_or(0, |error| error.at);
        Err(wrong("the input is not YAML", at))
    }

    /// The edits that render the items, in any order.
    fn rendered(
        &self,
        context: &Context<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<Vec<Edit>, Diagnostics> {
        let document = Document {
            text: self.text,
            offset: 0,
        };
        let rendered = render(document, context);
        diagnostics.append(rendered.diagnostics);
        let mut edits = rendered.edits;
        if rendered.reshaped.is_empty() {
            return Ok(edits);
        }
        let mut gone = self
            .with_tree(|tree, root| Ok(without_ids(self.text, tree, root, &rendered.reshaped)))?;
        // Where something is put behind an id in braces, the id stays: its comma is
        // needed.
        let touches = |gone: &Edit| {
            edits.iter().any(|edit| {
                edit.span.end > gone.span.start && edit.span.start < gone.span.end
                    || edit.span.start == gone.span.end && edit.text.starts_with(b", ")
            })
        };
        gone.retain(|gone| !touches(gone));
        edits.append(&mut gone);
        Ok(edits)
    }

    fn with_tree<T>(
        &self,
        read: impl FnOnce(&Tree<'_>, NodeId) -> Result<T, Diagnostics>,
    ) -> Result<T, Diagnostics> {
        match Granit.locate(&self.scratch) {
            Ok(tree) => read(&tree, 0),
            // It parsed when the list was read.
            Err(_) => Err(Diagnostics::default()),
        }
    }
}

/// The value under a key of a mapping.
fn value_of(tree: &Tree<'_>, mapping: NodeId, key: &str) -> Option<NodeId> {
    tree.nodes.iter().position(|node| {
        node.parent == Some(mapping)
            && matches!(node.role, Role::Value(id) if tree.text(id) == Some(key))
    })
}

/// Takes the ids off every item in which a scalar became a list or object.
///
/// kustomize and kpt give each item an id, and afterwards copy the comments of
/// the item with that id back (kyaml 0.21.1, `comments.CopyComments`). That walk
/// fails with "wrong node kind" where a scalar has become a collection. Without
/// its ids an item is matched by nothing and keeps what it has; our bytes still
/// hold its comments.
fn without_ids(text: &str, tree: &Tree<'_>, root: NodeId, reshaped: &[usize]) -> Vec<Edit> {
    let Some(items) = value_of(tree, root, "items") else {
        return Vec::new();
    };
    let starts: Vec<NodeId> = (items + 1..tree.nodes.len())
        .filter(|id| tree.nodes[*id].parent == Some(items))
        .collect();
    let mut edits: Vec<Edit> = Vec::new();
    for (nth, item) in starts.iter().enumerate() {
        let end = starts
            .get(nth + 1)
            .map_or(text.len(), |next| tree.nodes[*next].range.start);
        let bytes = tree.nodes[*item].range.start..end;
        if !reshaped.iter().any(|place| bytes.contains(place)) {
            continue;
        }
        let annotations = value_of(tree, *item, "metadata")
            .and_then(|metadata| value_of(tree, metadata, "annotations"));
        if let Some(annotations) = annotations {
            edits.extend(IDS.iter().filter_map(|id| {
                let value = value_of(tree, annotations, id)?;
                let Role::Value(key) = tree.nodes[value].role else {
                    return None;
                };
                let gone = if tree.in_flow(key) {
                    flow_entry(
                        text,
                        tree.nodes[key].range.start,
                        tree.nodes[value].range.end,
                    )
                } else {
                    lines(
                        text,
                        tree.nodes[key].range.start,
                        tree.nodes[value].range.end,
                    )
                };
                Some(Edit {
                    span: gone,
                    text: Vec::new(),
                })
            }));
        }
    }
    edits
}

/// The whole lines that hold bytes `start..end`, each with the line break before
/// it: what is put behind the last of them stays.
fn lines(text: &str, start: usize, end: usize) -> Span {
    let from = memchr::memrchr(b'\n', &text.as_bytes()[..start]).unwrap_or(0);
    let to = memchr::memchr(b'\n', &text.as_bytes()[end..]).map_or(text.len(), |at| end + at);
    Span::new(from, to)
}

/// An entry of a flow mapping with the comma behind it; YAML lets the one before
/// it stand.
fn flow_entry(text: &str, start: usize, end: usize) -> Span {
    let behind = &text[end..];
    let blanks = behind.len() - behind.trim_start().len();
    match behind.trim_start().starts_with(',') {
        true => Span::new(start, end + blanks + 1),
        false => Span::new(start, end),
    }
}

/// The diagnostics as the list's `results`, behind everything else in it.
fn results(text: &str, tree: &Tree<'_>, root: NodeId, diagnostics: &[&Diagnostic]) -> Option<Edit> {
    // Results of an earlier function are not ours to change.
    if value_of(tree, root, "results").is_some() {
        return None;
    }
    let results = Value::List(
        diagnostics
            .iter()
            .map(|diagnostic| result(diagnostic))
            .collect(),
    );
    match tree.nodes.get(root)?.kind {
        Kind::Mapping { flow: true, .. } => {
            let end = text.rfind('}')?;
            let json = flow(
                &results,
                Place {
                    flow: true,
                    json: true,
                },
            );
            Some(Edit {
                span: Span::point(end),
                text: format!(",\"results\":{json}").into_bytes(),
            })
        }
        Kind::Mapping { column, .. } => {
            let pad = " ".repeat(column);
            let before = if text.ends_with('\n') { "" } else { "\n" };
            let list = block(&results, column, "\n");
            Some(Edit {
                span: Span::point(text.len()),
                text: format!("{before}{pad}results:\n{pad}{list}\n").into_bytes(),
            })
        }
        _ => None,
    }
}

fn result(diagnostic: &Diagnostic) -> Value {
    let object = |entries: Vec<(&str, Value)>| {
        Value::Object(
            entries
                .into_iter()
                .map(|(name, value)| {
                    (
                        Key {
                            name: name.to_owned(),
                            span: Span::point(0),
                        },
                        value,
                    )
                })
                .collect(),
        )
    };
    let text = |text: &str| Value::String(text.to_owned());
    let message = match &diagnostic.help {
        Some(help) => format!("{} [{}]; {help}", diagnostic.message, diagnostic.rule.id()),
        None => format!("{} [{}]", diagnostic.message, diagnostic.rule.id()),
    };
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "info",
    };
    let mut entries = vec![
        ("message", Value::String(message)),
        ("severity", text(severity)),
    ];
    if let Some(resource) = &diagnostic.resource {
        let mut reference = vec![
            ("apiVersion", text(&resource.api_version)),
            ("kind", text(&resource.kind)),
            ("name", text(&resource.name)),
        ];
        if !resource.namespace.is_empty() {
            reference.push(("namespace", text(&resource.namespace)));
        }
        entries.push(("resourceRef", object(reference)));
    }
    if let Some(field) = &diagnostic.field {
        entries.push(("field", object(vec![("path", text(field))])));
    }
    object(entries)
}
