//! Reports field paths that match nothing: where they end, and what exists there.

use crate::analysis::targets::{Members, PathEnd, PathId};
use crate::bind::document::Renderer;
use crate::config::substitutions::{FieldPath, Options, PathStep};
use crate::kubernetes::resources::{Field, Resources};
use crate::kubernetes::types::{UnknownField, unknown_field};
use crate::report::suggest::{closest, listed};
use crate::report::{Diagnostic, ResourceRef, Rule};
use yaml::Span;
use yaml::{Kind, NodeId};

impl Renderer<'_, '_> {
    /// Returns the error of a field path that ends at `end`.
    pub(crate) fn not_found(
        &self,
        id: PathId,
        end: PathEnd,
        members: &Members<'_>,
        resources: &Resources<'_>,
    ) -> Diagnostic {
        let bindings = self.context.scope.field_bindings;
        let (_, target, path) = bindings.path(id);
        let (node, rest) = match end {
            PathEnd::Node(node) => (node, path.steps.len()),
            PathEnd::Inside { node, rest } => (node, rest),
            PathEnd::Missing { parent, rest } | PathEnd::Unfit { parent, rest } => (parent, rest),
        };
        let mut field = resources.field(node);
        let is_resource = resources.resource(node).is_some();
        if let Some(resource) = resources.resource(node) {
            field.resource = Some(resource.into());
        }
        let rest = path.steps.get(rest..).unwrap_or_default();
        let mut around = field.clone();
        if is_resource {
            around.steps.clear();
        }
        let unknown = match rest.first() {
            Some(PathStep::Key(key)) => unknown_field(&around, key, self.context.custom),
            _ => None,
        };
        let hint = Hint {
            options: &target.options,
            unknown: unknown.as_ref(),
        };
        let name = name_of(field.resource.as_deref());
        let message = match rest {
            [] => format!("`{}` of {name} cannot be set this way", path.text),
            _ => format!("{name} has no field `{}`", path.text),
        };
        let error = Diagnostic::error(Rule::TargetNotFound, message)
            .at(
                self.context.scope.field_bindings.origin,
                path.span,
                "this path matches nothing",
            )
            .at(
                self.origin(),
                self.span(&members.tree()[node].range()),
                if is_resource {
                    "in this resource"
                } else {
                    "the path ends here"
                },
            )
            .help(help(members, node, rest, &hint));
        self.of_resource(error, field)
    }

    /// Returns the error of a field path that cannot continue in a text.
    pub(crate) fn not_found_in_text(
        &self,
        path: &FieldPath,
        message: &str,
        span: Span,
        help: &str,
    ) -> Diagnostic {
        let message = format!("`{}` cannot continue in this text: {message}", path.text);
        let error = Diagnostic::error(Rule::TargetNotFound, message)
            .at(
                self.context.scope.field_bindings.origin,
                path.span,
                "this path matches nothing",
            )
            .at(self.origin(), span, "the path ends here")
            .help(help);
        let field = self.source.field().cloned().unwrap_or_default();
        self.of_resource(error, field)
    }

    fn of_resource(&self, error: Diagnostic, mut field: Field) -> Diagnostic {
        field.steps.clear();
        self.with_field(error, &field)
    }
}

fn name_of(resource: Option<&ResourceRef>) -> String {
    match resource {
        Some(resource) if resource.name.is_empty() => resource.kind.clone(),
        Some(resource) => format!("{} `{}`", resource.kind, resource.name),
        None => "the resource".to_owned(),
    }
}

/// What the help for a path depends on besides the nodes.
struct Hint<'h> {
    options: &'h Options,
    /// The field that is missing, if its object cannot have it.
    unknown: Option<&'h UnknownField>,
}

impl Hint<'_> {
    /// Returns what would make the path match.
    const fn create(&self) -> &'static str {
        match self.options {
            _ if self.unknown.is_some() => "check the path",
            Options { create: true, .. } => {
                "`create` can only add keys, items selected by `[key=value]` with further fields, and the item after the last one"
            }
            // There is no text to split.
            Options {
                delimiter: Some(_), ..
            } => {
                "check the path, or select only resources and items that have the field, such as `[name=web]`"
            }
            Options { .. } => {
                "check the path, or set `options: {create: true}` to create what is missing"
            }
        }
    }
}

/// Returns the key that the first steps are together, if a name has dots.
fn dotted<'n>(steps: &[PathStep], names: &[&'n str]) -> Option<&'n str> {
    let mut joined = String::new();
    for step in steps {
        let (PathStep::Key(key) | PathStep::Index { key, .. }) = step else {
            return None;
        };
        if !joined.is_empty() {
            joined.push('.');
        }
        joined.push_str(key);
        if let Some(name) = names.iter().find(|name| **name == joined) {
            return Some(name);
        }
    }
    None
}

/// Returns the help for a path that ends at the node `end`, before the steps `rest`.
fn help(members: &Members<'_>, end: NodeId, rest: &[PathStep], hint: &Hint<'_>) -> String {
    let (options, create) = (hint.options, hint.create());
    let nearest = hint.unknown.and_then(|unknown| unknown.nearest.as_deref());
    let tree = members.tree();
    match (tree[end].kind(), rest.first()) {
        (_, None) if options.key => {
            "`key: true` replaces a key, but a list item has none".to_owned()
        }
        (Kind::Alias(_), None) => "the field is an alias: use the path of its anchor".to_owned(),
        (Kind::Scalar { .. }, None) => {
            "`delimiter` splits a string, but the field is null".to_owned()
        }
        (_, None) => "`delimiter` splits a string, but the field is a list or map".to_owned(),
        (Kind::Alias(_), _) => {
            "the path passes through an alias: use the path of its anchor".to_owned()
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
            if let Some(name) = dotted(rest, &names) {
                return format!("did you mean `[{name}]`? put brackets around a key with dots");
            }
            match closest(wanted, names.iter().copied()).or(nearest) {
                Some(near) => format!("did you mean `{near}`? {create}"),
                None if names.is_empty() => create.to_owned(),
                None => format!("available: {}; {create}", listed(names.iter().copied())),
            }
        }
        (Kind::Sequence { .. }, Some(PathStep::Match { key, .. })) if key == "name" => {
            let name = |item: &NodeId| tree.text(members.child(*item, key)?);
            let names: Vec<&str> = members.of(end).iter().filter_map(name).collect();
            if names.is_empty() {
                create.to_owned()
            } else {
                format!("available: {}; {create}", listed(names.iter().copied()))
            }
        }
        (Kind::Sequence { .. }, Some(PathStep::Index { .. })) => match members.of(end).len() {
            0 => "the list is empty".to_owned(),
            1 => "the list has one item, at index 0".to_owned(),
            length => format!("the list has {length} items, counted from 0"),
        },
        (Kind::Sequence { .. }, Some(PathStep::Key(_))) => {
            "the field is a list: select an item by index or `[name=web]`, or all items with `*`"
                .to_owned()
        }
        (Kind::Mapping { .. }, Some(PathStep::Match { .. } | PathStep::Append)) => {
            "the field is a map, but `[key=value]` and `-` select list items".to_owned()
        }
        (Kind::Scalar { .. }, _) if !tree[end].range().is_empty() => {
            "the value has no fields".to_owned()
        }
        _ => create.to_owned(),
    }
}
