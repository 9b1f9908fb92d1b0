//! Field paths that lead nowhere: how far they lead, and what stands there.

use super::Renderer;
use crate::binding::field_binding::{FieldPath, Found, Options, PathStep, child, members};
use crate::binding::place::Places;
use crate::binding::suggest::{closest, listed};
use crate::manifest::{Kind, NodeId, Role, Tree};
use crate::report::{Diagnostic, Rule};

impl Renderer<'_, '_> {
    /// Tells of a field path that leads nowhere in a resource that its target
    /// selects. `found` is where it leads instead.
    pub(super) fn not_found(
        &mut self,
        path: &FieldPath,
        options: &Options,
        resource: NodeId,
        found: &[Found],
        tree: &Tree<'_>,
        places: &Places<'_>,
    ) {
        let name = match places.resource(resource) {
            Some(resource) => match resource.name.as_str() {
                "" => resource.kind,
                name => format!("{} `{name}`", resource.kind),
            },
            None => "the resource".to_owned(),
        };
        // The place that the path comes closest to.
        let reached = |found: &Found| match *found {
            Found::Node(node) => (node, path.steps.len()),
            Found::Missing { parent, rest } => (parent, rest),
        };
        let (end, rest) = found
            .iter()
            .map(reached)
            .max_by_key(|(_, rest)| *rest)
            .unwrap_or((resource, 0));
        let rest = path.steps.get(rest..).unwrap_or_default();
        let message = match rest {
            [] => format!("`{}` of {name} is no place for this", path.text),
            _ => format!("{name} has no field `{}`", path.text),
        };
        let error = Diagnostic::error(Rule::TargetNotFound, message)
            .at(
                self.context.field_bindings.origin,
                path.span,
                "this path leads nowhere",
            )
            .at(
                self.origin(),
                self.span(&tree.nodes[end].range),
                match end == resource {
                    true => "in this resource",
                    false => "it leads here and no further",
                },
            )
            .help(help(tree, places, end, rest, options));
        let mut field = places.field(resource);
        field.resource = places.resource(resource);
        field.steps.clear();
        self.tell(error, &field);
    }
}

/// What to do about a path that ends at the node `end`, before the steps `rest`.
fn help(
    tree: &Tree<'_>,
    places: &Places<'_>,
    end: NodeId,
    rest: &[PathStep],
    options: &Options,
) -> String {
    let create = match options.create {
        true => {
            "only keys, items found by `[key=value]` and items behind the last one can be created"
        }
        false => "see whether the path is right; `options: {create: true}` makes what is missing",
    };
    match (&tree.nodes[end].kind, rest.first()) {
        (_, None) if options.key => {
            "`key: true` replaces a key: an item of a list has none".to_owned()
        }
        (Kind::Alias(_), None) => {
            "an alias stands there: name the field with its anchor".to_owned()
        }
        (_, None) => "`delimiter` parts a text: a list or a map stands there".to_owned(),
        (Kind::Alias(_), _) => {
            "an alias stands there: let the path go through the field with its anchor".to_owned()
        }
        (Kind::Mapping { .. }, Some(PathStep::Key(wanted))) => {
            let names: Vec<&str> = members(tree, end)
                .filter_map(|id| match tree.nodes[id].role {
                    Role::Value(key) => places.text(key),
                    _ => None,
                })
                .collect();
            match closest(wanted, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`? {create}"),
                None if names.is_empty() => create.to_owned(),
                None => format!("there are {}; {create}", listed(names.iter().copied())),
            }
        }
        (Kind::Sequence { .. }, Some(PathStep::Match { key, .. })) if key == "name" => {
            let names: Vec<&str> = members(tree, end)
                .filter_map(|item| places.text(child(tree, places, item, key)?))
                .collect();
            match names.is_empty() {
                true => create.to_owned(),
                false => format!("there are {}; {create}", listed(names.iter().copied())),
            }
        }
        (Kind::Sequence { .. }, Some(PathStep::Key(step))) => {
            match (members(tree, end).count(), step.parse::<usize>()) {
                (0, Ok(_)) => "the list is empty".to_owned(),
                (length, Ok(_)) => {
                    format!("the list has {length} items, which count from 0")
                }
                _ => {
                    "a list stands there: name an item by its index, by `[name=web]`, or all by `*`"
                        .to_owned()
                }
            }
        }
        (Kind::Mapping { .. }, Some(PathStep::Match { .. })) => {
            "a map stands there, and `[key=value]` finds items of a list".to_owned()
        }
        (Kind::Scalar { .. }, _) if !tree.nodes[end].range.is_empty() => {
            "a value stands there that has no fields".to_owned()
        }
        _ => create.to_owned(),
    }
}
