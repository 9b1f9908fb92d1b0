//! Field bindings, `spec.substitutions` of the Binding: values for fields of
//! manifests that nobody wants to edit. And `spec.embedded`, which names fields
//! in the same way.

mod find;
mod path;
mod read;
mod select;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

pub(crate) use self::find::{Found, child, find, members};
pub(crate) use self::path::PathStep;
pub(super) use self::read::{embedded, substitutions};
use self::select::Selector;

use super::document::{Format, not_a_reference};
use super::place::Places;
use super::template::Template;
use crate::manifest::{NodeId, Tree};
use crate::reference::Heads;
use crate::report::{Diagnostic, Origin, Rule, Span};

/// One item of `spec.substitutions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldBinding {
    pub(crate) value: Sited,
    pub(crate) targets: Vec<Target>,
}

/// A text of the Binding, with the way back to its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sited {
    pub(crate) text: String,
    /// Where the text begins in the Binding; none where escapes or line breaks
    /// make it another text than stands there.
    pub(super) at: Option<usize>,
    pub(crate) span: Span,
}

impl Sited {
    /// Bytes of the text as bytes of the Binding.
    pub(crate) fn span_of(&self, range: &Range<usize>) -> Span {
        match self.at {
            Some(at) => Span::new(at + range.start, at + range.end),
            None => self.span,
        }
    }
}

/// Where the value goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(super) fields: Fields,
    pub(crate) options: Options,
}

/// Fields of selected resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fields {
    pub(super) select: Selector,
    pub(super) reject: Vec<Selector>,
    pub(super) select_span: Span,
    pub(super) paths: Vec<FieldPath>,
}

/// A field path with its place in the Binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldPath {
    pub(crate) text: String,
    pub(crate) steps: Vec<PathStep>,
    pub(crate) span: Span,
}

/// How the value goes there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The field's text is a list with this between its parts.
    pub(crate) delimiter: Option<String>,
    /// Which part is replaced: one before the first is put before it, one behind
    /// the last behind it.
    pub(crate) index: i64,
    /// The value is written as base64.
    pub(crate) base64: bool,
    /// What the path names is made where it is missing.
    pub(crate) create: bool,
    /// The key is replaced, not the value under it.
    pub(crate) key: bool,
}

/// One item of `spec.embedded`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EmbeddedFields {
    pub(super) fields: Fields,
    pub(super) format: Format,
}

/// The embedded documents that the Binding lists.
#[derive(Debug, Default)]
pub(crate) struct Listed(pub(crate) Vec<EmbeddedFields>);

impl Listed {
    /// The listed scalars of a document.
    pub(crate) fn find(&self, tree: &Tree<'_>, places: &Places<'_>) -> BTreeMap<NodeId, Format> {
        let mut listed = BTreeMap::new();
        for EmbeddedFields { fields, format } in &self.0 {
            for resource in fields.select(tree, places) {
                for path in &fields.paths {
                    let mut found = Vec::new();
                    find(tree, places, resource, &path.steps, 0, &mut found);
                    listed.extend(found.into_iter().filter_map(|found| match found {
                        Found::Node(id) => Some((id, *format)),
                        Found::Missing { .. } => None,
                    }));
                }
            }
        }
        listed
    }
}

impl Fields {
    /// The resources of a document that are meant.
    pub(crate) fn select(&self, tree: &Tree<'_>, places: &Places<'_>) -> Vec<NodeId> {
        places
            .resources()
            .filter(|(id, resource)| {
                let is = |selector: &Selector| selector.matches(tree, places, *id, resource);
                places.is_whole_resource(*id)
                    && (self.select.names_a_kind() || !places.is_list(*id))
                    && is(&self.select)
                    && !self.reject.iter().any(is)
            })
            .map(|(id, _)| id)
            .collect()
    }
}

/// The field bindings of one render.
#[derive(Debug)]
pub(crate) struct FieldBindings {
    pub(crate) list: Vec<Prepared>,
    /// The document that holds them.
    pub(crate) origin: Origin,
}

/// A field binding with its references found, and what it has met so far.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) template: Rc<Template>,
    pub(crate) value: Sited,
    pub(crate) targets: Vec<(Target, Cell<bool>)>,
}

impl FieldBindings {
    /// Prepares what the Binding says. What is wrong with the references in it
    /// is told.
    pub(crate) fn new(
        list: Vec<FieldBinding>,
        heads: &Heads,
        origin: Origin,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut prepared = Vec::with_capacity(list.len());
        for FieldBinding { value, targets } in list {
            let (template, broken) = Template::parse(&value.text, heads);
            for wrong in &broken {
                let span_of = |range: &Range<usize>| value.span_of(range);
                diagnostics.push(not_a_reference(
                    &wrong.error,
                    &value.text,
                    &wrong.range,
                    origin,
                    &span_of,
                ));
            }
            if template.references.is_empty() && broken.is_empty() {
                let names: Vec<&str> = heads.names().collect();
                let help = match &names[..] {
                    [] => "nothing is bound: name an outputs document in `spec.outputs`".to_owned(),
                    names => format!(
                        "bound here: {}; a reference is ${{{}.output}}",
                        super::suggest::listed(names.iter().copied()),
                        names[0]
                    ),
                };
                diagnostics.push(
                    Diagnostic::error(
                        Rule::InvalidBinding,
                        "the value of a field binding holds no reference to a bound name",
                    )
                    .at(origin, value.span, "")
                    .help(help),
                );
            }
            prepared.push(Prepared {
                template: Rc::new(template),
                value,
                targets: targets
                    .into_iter()
                    .map(|target| (target, Cell::new(false)))
                    .collect(),
            });
        }
        Self {
            list: prepared,
            origin,
        }
    }

    /// Whether a document with this text may hold a target.
    pub(crate) fn may_select(&self, text: &str) -> bool {
        let targets = self.list.iter().flat_map(|binding| &binding.targets);
        targets
            .into_iter()
            .any(|(target, _)| target.fields.select.may_stand_in(text))
    }

    /// The targets that no resource of the whole render has met.
    pub(crate) fn unmatched(&self) -> Vec<Diagnostic> {
        let targets = self.list.iter().flat_map(|binding| &binding.targets);
        targets
            .filter(|(_, met)| !met.get())
            .map(|(target, _)| {
                let fields = &target.fields;
                let message = format!(
                    "no resource is selected: {}",
                    match fields.select.described() {
                        described if described.is_empty() => "there is none".to_owned(),
                        described => described,
                    }
                );
                Diagnostic::error(Rule::TargetNotFound, message)
                    .at(self.origin, fields.select_span, "")
                    .help(match fields.reject.is_empty() {
                        true => "a target must meet a resource: see whether its names are right, and whether the manifest is among those that are rendered",
                        false => "a target must meet a resource that `reject` leaves: see whether its names are right",
                    })
            })
            .collect()
    }
}

impl Target {
    /// The resources of a document that are meant, and the paths into them.
    pub(crate) const fn fields(&self) -> &Fields {
        &self.fields
    }
}

impl Fields {
    pub(crate) fn paths(&self) -> &[FieldPath] {
        &self.paths
    }
}
