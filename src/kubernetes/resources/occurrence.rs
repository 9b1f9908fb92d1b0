//! All positions of a node's data once aliases and merge keys are resolved.
//!
//! A value that is written once can appear in many fields: through an alias of it, or of a
//! collection around it, which may itself be inside another repeated node. Any check of a
//! value by its field uses this module to get all of them.

use std::cell::Cell;
use std::rc::Rc;

use crate::kubernetes::resources::index::Header;
use crate::kubernetes::resources::{Field, FieldStep, PatchedField, Resources, item_kind};
use crate::report::{Diagnostic, Origin, ResourceRef, Rule};
use yaml::{Kind, NodeId, Role, Span};

/// The steps that any document may take to follow its aliases, and how many more for each
/// of its nodes. Aliases of aliases repeat a value exponentially often in the size of a
/// document; real ones take a few steps per node.
const FREE_STEPS: usize = 250_000;
const STEPS_PER_NODE: usize = 32;

/// One position of a node's data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Occurrence {
    pub(crate) field: Field,
    /// The mapping that is the field's resource.
    pub(crate) mapping: Option<NodeId>,
    /// The containers of that resource, from the document inwards.
    pub(crate) containers: Vec<Container>,
    /// Whether it is a key, or part of one.
    pub(crate) is_key: bool,
    /// The alias that repeats the node here; `None` at its own position.
    pub(crate) alias: Option<NodeId>,
    /// The outermost collection around it that has a tag.
    pub(crate) tagged: Option<NodeId>,
    /// Whether it is in a patch that may apply to resources of other kinds than its own, or that
    /// has none.
    pub(crate) patches_other_kinds: bool,
}

/// What contains a resource: another one, or a document that is not a resource.
#[derive(Clone, Debug)]
pub(crate) struct Container {
    pub(crate) mapping: Option<NodeId>,
    /// The path from it to its content.
    pub(crate) field: Field,
}

impl Container {
    /// Returns whether it only lists resources.
    pub(crate) fn is_list(&self) -> bool {
        let [items, FieldStep::Index(_)] = &self.field.steps[..] else {
            return false;
        };
        let list = self.field.resource.as_deref();
        items.is_key("items")
            && list.is_some_and(|list| match list.kind.as_str() {
                "List" | "SecretList" => list.api_version == "v1",
                "ResourceList" => list.group_version().0 == "config.kubernetes.io",
                _ => false,
            })
    }
}

/// A node's own position and those that aliases add.
#[derive(Clone, Debug, Default)]
pub(crate) struct Occurrences {
    pub(crate) own: Occurrence,
    pub(crate) repeated: Vec<Occurrence>,
}

impl Occurrences {
    /// Returns all of them, its own first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Occurrence> {
        std::iter::once(&self.own).chain(&self.repeated)
    }
}

/// Why the occurrences of a node cannot be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unbounded {
    /// This alias repeats a collection that contains it.
    Cycle(NodeId),
    /// The aliases, including this one, repeat each other too often.
    TooMany(NodeId),
}

impl Unbounded {
    /// Returns the error of a document in which the occurrences of `node` are unbounded.
    pub(crate) fn diagnostic(
        self,
        origin: Origin,
        node: NodeId,
        span_of: &dyn Fn(NodeId) -> Span,
    ) -> Diagnostic {
        let (alias, message, help) = match self {
            Self::Cycle(alias) => (
                alias,
                "an alias refers to the collection that contains it",
                "a manifest cannot contain itself: move the anchor to the intended part",
            ),
            Self::TooMany(alias) => (
                alias,
                "the aliases in this document repeat its values too often",
                "write the values where they are needed instead of nesting aliases",
            ),
        };
        Diagnostic::error(Rule::TooManyAliases, message)
            .at(origin, span_of(alias), "this alias")
            .at(origin, span_of(node), "a value that it repeats")
            .help(help)
    }
}

/// The remaining steps to follow aliases in one document.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    left: Cell<usize>,
    /// Why aliases are no longer followed: the next value fails immediately, too.
    exhausted: Cell<Option<Unbounded>>,
}

impl Steps {
    pub(crate) fn for_nodes(nodes: usize) -> Self {
        Self {
            left: Cell::new(FREE_STEPS + STEPS_PER_NODE.saturating_mul(nodes)),
            exhausted: Cell::new(None),
        }
    }

    fn take(&self, steps: usize) -> bool {
        let left = self.left.get().checked_sub(steps);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    fn exhaust(&self, why: Unbounded) -> Unbounded {
        self.exhausted.set(Some(why));
        why
    }
}

/// A node, or the alias that repeats it, on the path from a node to the root.
struct Link {
    member: NodeId,
    /// The link of its content.
    inside: Option<usize>,
}

impl Resources<'_> {
    /// Returns the field of a node at its own position: the innermost resource around it,
    /// and the path from there. A key has the path of its value.
    pub(crate) fn field(&self, node: NodeId) -> Field {
        self.own(node, None).field
    }

    /// Returns all positions of a node. With `added`, those of a field that these steps add
    /// inside it.
    ///
    /// # Errors
    /// There are infinitely many, or too many.
    pub(crate) fn occurrences(
        &self,
        node: NodeId,
        added: Option<&[FieldStep]>,
    ) -> Result<Occurrences, Unbounded> {
        Ok(Occurrences {
            own: self.own(node, added),
            repeated: self.repeated(node, added)?,
        })
    }

    fn own(&self, node: NodeId, added: Option<&[FieldStep]>) -> Occurrence {
        let mut path = Vec::with_capacity(8);
        path.extend(self.with_ancestors(node));
        self.occurrence(path.iter().rev().copied(), added)
    }

    /// Returns a node and the collections around it, the innermost first.
    fn with_ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(node), |at| self.tree[*at].parent())
    }

    fn repeated(
        &self,
        node: NodeId,
        added: Option<&[FieldStep]>,
    ) -> Result<Vec<Occurrence>, Unbounded> {
        if !self.index.has_aliases()
            || !self
                .with_ancestors(node)
                .any(|at| self.aliases_of(at).is_some())
        {
            return Ok(Vec::new());
        }
        if let Some(exhausted) = self.steps.exhausted.get() {
            return Err(exhausted);
        }
        let mut found = Vec::new();
        let mut links: Vec<Link> = Vec::new();
        // The pending nodes, with the link to their content, the length of the path so
        // far, and the last alias on it.
        let mut pending = vec![(node, None, 1, None)];
        while let Some((member, inside, length, through)) = pending.pop() {
            for alias in self.aliases_of(member).into_iter().flatten().rev() {
                if self.is_inside(*alias, member) {
                    return Err(self.steps.exhaust(Unbounded::Cycle(*alias)));
                }
                pending.push((*alias, inside, length, Some(*alias)));
            }
            let link = links.len();
            links.push(Link { member, inside });
            if let Some(parent) = self.tree[member].parent() {
                pending.push((parent, Some(link), length + 1, through));
            } else if let Some(alias) = through {
                if !self.steps.take(length) {
                    return Err(self.steps.exhaust(Unbounded::TooMany(alias)));
                }
                let path = std::iter::successors(Some(link), |link| links[*link].inside)
                    .map(|link| links[link].member);
                found.push(self.occurrence(path, added));
            }
        }
        Ok(found)
    }

    /// Returns the aliases of the anchor on this node.
    fn aliases_of(&self, node: NodeId) -> Option<&[NodeId]> {
        if !self.tree[node].has_anchor() {
            return None;
        }
        Some(self.index.aliases(node)).filter(|aliases| !aliases.is_empty())
    }

    /// Returns whether an alias is inside the node that it repeats.
    fn is_inside(&self, alias: NodeId, node: NodeId) -> bool {
        alias > node && self.tree[alias].range().start < self.tree[node].end()
    }

    /// Builds one occurrence from the path to it, the root first.
    fn occurrence(
        &self,
        path: impl Iterator<Item = NodeId>,
        added: Option<&[FieldStep]>,
    ) -> Occurrence {
        let mut found = Occurrence::default();
        // The first alias inside the innermost resource, else the innermost one.
        let (mut inside, mut last) = (None, None);
        let mut path = path.peekable();
        // The members of this collection belong to the mapping around it.
        let mut merged = false;
        while let Some(member) = path.next() {
            let steps = &mut found.field.steps;
            merged = match self.tree[member].role() {
                Role::Root => false,
                Role::Item(_) if merged => true,
                Role::Item(index) => {
                    steps.push(FieldStep::Index(index));
                    false
                }
                role => {
                    let key = match role {
                        Role::Value(key) => key,
                        _ => member,
                    };
                    let text = self.text(key).unwrap_or_default();
                    let merges = text == "<<" && key != member;
                    if !merges {
                        found.is_key |= key == member;
                        steps.push(FieldStep::Key(self.names.key(key, text)));
                    }
                    if text == "value" && found.field.patch.is_none() {
                        let inside = steps.len();
                        found.field.patch = self.patched(member, inside);
                    }
                    merges
                }
            };
            let node = self.target(member);
            if node != member {
                inside = inside.or(Some(member));
                last = Some(member);
            }
            if path.peek().is_none() && added.is_none() {
                break;
            }
            if found.tagged.is_none() && self.tree[node].tag().is_some() {
                found.tagged = Some(member);
            }
            if !matches!(self.tree[node].kind(), Kind::Mapping { .. }) {
                continue;
            }
            let is_merged = std::mem::replace(&mut merged, false);
            let resource = if is_merged {
                None
            } else {
                self.resource_at(node, &found.field)
            };
            if let Some(resource) = resource {
                let steps = Vec::with_capacity(4);
                let resource = Some(resource);
                let field = Field {
                    resource,
                    steps,
                    patch: None,
                };
                let outer = std::mem::replace(&mut found.field, field);
                let mapping = found.mapping.replace(node);
                if mapping.is_some() || !outer.steps.is_empty() {
                    found.containers.push(Container {
                        mapping,
                        field: outer,
                    });
                }
                inside = None;
            }
        }
        found
            .field
            .steps
            .extend(added.into_iter().flatten().cloned());
        found.alias = inside.or(last);
        let fields = found.containers.iter().map(|around| &around.field);
        let in_operation = fields
            .chain([&found.field])
            .any(|field| field.patch.is_some());
        // Outside its resources, the document is part of the field that contains it.
        let outermost = match found.containers.first_mut() {
            Some(container) => &mut container.field,
            None => &mut found.field,
        };
        let own = outermost.resource.as_deref();
        found.patches_other_kinds = (self.patch_target.as_deref())
            .is_some_and(|target| own.is_none_or(|own| !target.selects_only(own)))
            || in_operation;
        if let Some(patch) = self.merged_field(outermost) {
            outermost.patch = Some(patch);
        }
        if let (None, Some(outer)) = (&outermost.resource, &self.outer) {
            let mut field = outer.clone();
            // Without one of its own, it is in the field that a patch around it sets.
            if let Some(patch) = outermost.patch.take() {
                field.patch = Some(PatchedField {
                    inside: patch.inside + field.steps.len(),
                    ..patch
                });
            }
            field.steps.append(&mut outermost.steps);
            *outermost = field;
        }
        found
    }

    /// Returns the resource that the mapping `id` is in this field.
    fn resource_at(&self, id: NodeId, field: &Field) -> Option<Rc<ResourceRef>> {
        let none = (0, &Header::default());
        let (at, header) = self.index.header_at(id).unwrap_or(none);
        let written = (self.value(header.api_version), self.value(header.kind));
        let (api_version, kind) = match written {
            (Some(api_version), Some(kind)) => {
                let named = || self.named(header, api_version, kind);
                return Some(self.names.resource(at, named));
            }
            _ if let Some(implied) = self.index.implied(id, written.0, written.1) => implied,
            (_, None) => match (&field.resource, &field.steps[..]) {
                (Some(list), [items, FieldStep::Index(_)]) if items.is_key("items") => {
                    item_kind(&list.api_version, &list.kind)?
                }
                _ => return None,
            },
            _ => return None,
        };
        Some(Rc::new(self.named(header, api_version, kind)))
    }
}
