//! Field paths that lead nowhere: how far they lead, and what is there.

use crate::analysis::targets::{Found, Members, PathId};
use crate::bind::document::Renderer;
use crate::config::substitutions::{FieldPath, Options, PathStep};
use crate::kubernetes::resources::{Field, Places};
use crate::report::suggest::{closest, listed};
use crate::report::{Diagnostic, ResourceRef, Rule};
use yaml::Span;
use yaml::{Kind, NodeId};

impl Renderer<'_, '_> {
    /// What is said of a field path that ends at `end`.
    pub(crate) fn not_found(
        &self,
        id: PathId,
        end: Found,
        members: &Members<'_>,
        places: &Places<'_>,
    ) -> Diagnostic {
        let bindings = self.context.scope.field_bindings;
        let (_, target, path) = bindings.path(id);
        let (node, rest) = match end {
            Found::Node(node) => (node, path.steps.len()),
            Found::Inside { node, rest } => (node, rest),
            Found::Missing { parent, rest } | Found::Unfit { parent, rest } => (parent, rest),
        };
        let mut field = places.field(node);
        let is_resource = places.resource(node).is_some();
        if let Some(resource) = places.resource(node) {
            field.resource = Some(resource.into());
        }
        let rest = path.steps.get(rest..).unwrap_or_default();
        let name = name_of(field.resource.as_deref());
        let message = match rest {
            [] => format!("`{}` of {name} is no place for this", path.text),
            _ => format!("{name} has no field `{}`", path.text),
        };
        let error = Diagnostic::error(Rule::TargetNotFound, message)
            .at(
                self.context.scope.field_bindings.origin,
                path.span,
                "this path leads nowhere",
            )
            .at(
                self.origin(),
                self.span(&members.tree()[node].range()),
                match is_resource {
                    true => "in this resource",
                    false => "it leads here and no further",
                },
            )
            .help(help(members, node, rest, &target.options));
        self.of_resource(error, field)
    }

    /// What is said of a field path that cannot go on in a text.
    pub(crate) fn ends_in_text(
        &self,
        path: &FieldPath,
        message: &str,
        span: Span,
        help: &str,
    ) -> Diagnostic {
        let message = format!("`{}` leads into a text: {message}", path.text);
        let error = Diagnostic::error(Rule::TargetNotFound, message)
            .at(
                self.context.scope.field_bindings.origin,
                path.span,
                "this path leads nowhere",
            )
            .at(self.origin(), span, "it leads here and no further")
            .help(help);
        let field = self.ground.field().cloned().unwrap_or_default();
        self.of_resource(error, field)
    }

    fn of_resource(&self, error: Diagnostic, mut field: Field) -> Diagnostic {
        field.steps.clear();
        self.placed(error, &field)
    }
}

fn name_of(resource: Option<&ResourceRef>) -> String {
    match resource {
        Some(resource) if resource.name.is_empty() => resource.kind.clone(),
        Some(resource) => format!("{} `{}`", resource.kind, resource.name),
        None => "the resource".to_owned(),
    }
}

/// What to do about a path that ends at the node `end`, before the steps `rest`.
fn help(members: &Members<'_>, end: NodeId, rest: &[PathStep], options: &Options) -> String {
    let create = match options.create {
        true => {
            "only keys, items found by `[key=value]` with fields of their own, and items right after the last one can be created"
        }
        false => "see whether the path is right; `options: {create: true}` makes what is missing",
    };
    let tree = members.tree();
    match (tree[end].kind(), rest.first()) {
        (_, None) if options.key => {
            "`key: true` replaces a key: an item of a list has none".to_owned()
        }
        (Kind::Alias(_), None) => "an alias is there: name the field with its anchor".to_owned(),
        (Kind::Scalar { .. }, None) => "`delimiter` splits a string: the field is null".to_owned(),
        (_, None) => "`delimiter` splits a string: a list or a map is there".to_owned(),
        (Kind::Alias(_), _) => {
            "an alias is there: let the path go through the field with its anchor".to_owned()
        }
        (
            Kind::Mapping { .. },
            Some(PathStep::Key(wanted) | PathStep::Index { key: wanted, .. }),
        ) => {
            let names: Vec<&str> = members
                .of(end)
                .iter()
                .filter_map(|id| members.key(*id))
                .collect();
            match closest(wanted, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`? {create}"),
                None if names.is_empty() => create.to_owned(),
                None => format!("there are {}; {create}", listed(names.iter().copied())),
            }
        }
        (Kind::Sequence { .. }, Some(PathStep::Match { key, .. })) if key == "name" => {
            let name = |item: &NodeId| tree.text(members.child(*item, key)?);
            let names: Vec<&str> = members.of(end).iter().filter_map(name).collect();
            match names.is_empty() {
                true => create.to_owned(),
                false => format!("there are {}; {create}", listed(names.iter().copied())),
            }
        }
        (Kind::Sequence { .. }, Some(PathStep::Index { .. })) => match members.of(end).len() {
            0 => "the list is empty".to_owned(),
            1 => "the list has one item, with the index 0".to_owned(),
            length => format!("the list has {length} items, which count from 0"),
        },
        (Kind::Sequence { .. }, Some(PathStep::Key(_))) => {
            "a list is there: name an item by its index, by `[name=web]`, or all by `*`".to_owned()
        }
        (Kind::Mapping { .. }, Some(PathStep::Match { .. } | PathStep::Append)) => {
            "a map is there: `[key=value]` finds items of a list, and `-` adds one".to_owned()
        }
        (Kind::Scalar { .. }, _) if !tree[end].range().is_empty() => {
            "the value there has no fields".to_owned()
        }
        _ => create.to_owned(),
    }
}
