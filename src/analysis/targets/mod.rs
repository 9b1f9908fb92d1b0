//! The fields that the Binding names, found in manifests: targets of field bindings, and
//! embedded documents.

mod candidates;
mod compared;
mod find;
mod members;
mod missing;
mod select;
mod steps;

pub(crate) use find::{Found, find, is_nothing};
pub(crate) use members::Members;
pub(crate) use missing::{Missing, PathId};
pub(crate) use steps::Steps;

use std::ops::Range;

use candidates::Candidates;
use compared::ComparedKeys;

use crate::analysis::document::FoundReference;
use crate::collections::OrderedMap;
use crate::config::substitutions::{
    EmbeddedFields, FieldBinding, FieldPath, Fields, Selector, SpannedText, Target,
};
use crate::kubernetes::Format;
use crate::kubernetes::resources::Resources;
use crate::reference::{Heads, Template, not_a_reference};
use crate::report::{Diagnostic, Diagnostics, Origin, ResourceRef, Rule, suggest};
use yaml::{NodeId, Span, Tree};

/// The embedded documents that the Binding lists.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    list: Vec<EmbeddedFields>,
    candidates: Candidates,
    compared: ComparedKeys,
}

impl Listed {
    pub(crate) fn new(list: Vec<EmbeddedFields>) -> Self {
        Self {
            candidates: Candidates::new(list.iter().map(|listed| &listed.fields.select)),
            compared: ComparedKeys::new(list.iter().map(|listed| &listed.fields)),
            list,
        }
    }

    /// Whether a selector or a path compares the values of this key; those of items where
    /// it is empty.
    pub(crate) fn compares(&self, key: &str) -> bool {
        self.compared.has(key)
    }

    /// The listed scalars of a document.
    pub(crate) fn find(
        &self,
        tree: &Tree,
        resources: &Resources<'_>,
        steps: &Steps,
    ) -> OrderedMap<NodeId, Format> {
        let mut listed = OrderedMap::new();
        if self.list.is_empty() {
            return listed;
        }
        let members = Members::new(tree);
        let mut selected = Vec::new();
        for (id, resource) in selectable(resources) {
            for nth in self.candidates.of(&resource.kind, &resource.name) {
                let fields = &self.list[nth].fields;
                if fields.selects(&members, resources, id, &resource, steps) {
                    selected.push((nth, id));
                }
            }
        }
        // Of two that list a scalar the last one counts.
        selected.sort_unstable();
        for (nth, id) in selected {
            let EmbeddedFields { fields, format } = &self.list[nth];
            for path in &fields.paths {
                let mut found = Vec::new();
                find(&members, id, &path.steps, 0, steps, &mut found);
                listed.extend(found.into_iter().filter_map(|found| match found {
                    Found::Node(id) => Some((id, *format)),
                    _ => None,
                }));
            }
        }
        listed
    }
}

/// The resources that selectors are compared with: those of a document and of the
/// lists in it, as kustomize reads them. What a field of another resource holds is
/// reached by a path through that resource.
fn selectable<'p>(
    resources: &'p Resources<'_>,
) -> impl Iterator<Item = (NodeId, ResourceRef)> + 'p {
    resources
        .resources()
        .filter(|(id, _)| resources.is_whole_resource(*id))
}

impl Fields {
    /// Whether this resource is meant.
    fn selects(
        &self,
        members: &Members<'_>,
        resources: &Resources<'_>,
        id: NodeId,
        resource: &ResourceRef,
        steps: &Steps,
    ) -> bool {
        let is = |selector: &Selector| selector.matches(members, id, resource, steps);
        // A list is meant only where its kind is named: kustomize has taken it apart.
        (self.select.kind() == Some(&resource.kind) || !resources.is_list(id))
            && is(&self.select)
            && !self.reject.iter().any(is)
            && !steps.exceeded()
    }
}

/// The field bindings of one render.
#[derive(Debug)]
pub(crate) struct FieldBindings {
    pub(crate) list: Vec<Prepared>,
    /// The document that holds them.
    pub(crate) origin: Origin,
    /// Every target, by its binding and its position in that.
    targets: Vec<(usize, usize)>,
    candidates: Candidates,
    compared: ComparedKeys,
}

/// A field binding with its references found.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) template: Template,
    /// The template's references.
    pub(crate) references: Vec<FoundReference>,
    pub(crate) value: SpannedText,
    pub(crate) targets: Vec<Target>,
}

impl FieldBindings {
    /// Prepares what the Binding says. What is wrong with the references in it
    /// is told.
    pub(crate) fn new(
        list: Vec<FieldBinding>,
        heads: &Heads,
        origin: Origin,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let mut prepared = Vec::with_capacity(list.len());
        for FieldBinding { value, targets } in list {
            let (template, broken) = Template::parse(&value.text, heads);
            for wrong in &broken {
                let span_of = |range: &Range<usize>| value.span_of(range);
                diagnostics.push(not_a_reference(
                    heads.dialect(),
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
                    [] => "nothing is bound: add an outputs document to `spec.outputs`".to_owned(),
                    names => format!(
                        "bound names: {}; write `{}`",
                        suggest::listed(names.iter().copied()),
                        heads.example().unwrap_or_default()
                    ),
                };
                diagnostics.push(
                    Diagnostic::error(
                        Rule::InvalidBinding,
                        "the value of this field binding contains no reference to a bound name",
                    )
                    .at(origin, value.span, "")
                    .help(help),
                );
            }
            let references = template.references.iter().map(|reference| FoundReference {
                reference: reference.clone(),
                raw: 0..0,
                origin,
                span: value.span_of(&reference.range),
            });
            prepared.push(Prepared {
                references: references.collect(),
                template,
                value,
                targets,
            });
        }
        let targets = prepared
            .iter()
            .enumerate()
            .flat_map(|(nth, binding)| (0..binding.targets.len()).map(move |target| (nth, target)));
        let fields = prepared.iter().flat_map(|binding| &binding.targets);
        let fields = fields.map(|target| &target.fields);
        Self {
            targets: targets.collect(),
            candidates: Candidates::new(fields.clone().map(|fields| &fields.select)),
            compared: ComparedKeys::new(fields),
            list: prepared,
            origin,
        }
    }

    /// Returns a path with the binding and the target that it belongs to.
    pub(crate) fn path(&self, id: PathId) -> (&Prepared, &Target, &FieldPath) {
        let binding = &self.list[id.0];
        let target = &binding.targets[id.1];
        (binding, target, &target.paths()[id.2])
    }

    /// Whether a selector or a path compares the values of this key; those of items where
    /// it is empty.
    pub(crate) fn compares(&self, key: &str) -> bool {
        self.compared.has(key)
    }

    /// Whether a document with this text may hold a target.
    pub(crate) fn may_select(&self, text: &str) -> bool {
        self.candidates.may_select_in(text)
    }

    /// The resources of a document that are meant, with the positions of a binding
    /// and of its target, in the order of the resources.
    pub(crate) fn selected(
        &self,
        members: &Members<'_>,
        resources: &Resources<'_>,
        steps: &Steps,
    ) -> Vec<(NodeId, usize, usize)> {
        let mut selected = Vec::new();
        for (id, resource) in selectable(resources) {
            for nth in self.candidates.of(&resource.kind, &resource.name) {
                let (binding, target) = self.targets[nth];
                let fields = &self.list[binding].targets[target].fields;
                if !steps.take(steps::SELECTOR) {
                    return selected;
                }
                if fields.selects(members, resources, id, &resource, steps) {
                    selected.push((id, binding, target));
                }
            }
        }
        selected
    }

    /// Reports what is only known about targets when the whole render is
    /// over: paths that led nowhere, and targets that no resource has met.
    pub(crate) fn unmatched(&self, missing: &Missing, exceeded: bool) -> Diagnostics {
        if exceeded {
            // What was not looked at is not missing.
            return self.too_many_steps().into();
        }
        let mut diagnostics = Diagnostics::from(missing.take());
        diagnostics.append(self.unmet(missing));
        diagnostics
    }

    fn too_many_steps(&self) -> Diagnostic {
        let targets = self.list.iter().flat_map(|binding| &binding.targets);
        let first = targets.map(|target| target.fields.select_span).next();
        let message = format!(
            "finding the targets of field bindings exceeds {} steps",
            Steps::limit()
        );
        Diagnostic::error(Rule::TooManySteps, message)
            .at(self.origin, first.unwrap_or(Span::point(0)), "the first target")
            .help("select resources by exact kind and name instead of regular expressions, and use fewer `*` in field paths")
    }

    /// The targets that no resource of the whole render has met.
    fn unmet(&self, missing: &Missing) -> Diagnostics {
        self.targets
            .iter()
            .filter(|target| !missing.is_met(**target))
            .map(|(binding, target)| {
                let fields = &self.list[*binding].targets[*target].fields;
                let message = format!(
                    "no resource matches {}",
                    match fields.select.described() {
                        described if described.is_empty() => "an empty selector".to_owned(),
                        described => described,
                    }
                );
                Diagnostic::error(Rule::TargetNotFound, message)
                    .at(self.origin, fields.select_span, "")
                    .help(match fields.reject.is_empty() {
                        true => "every target must match a resource: check its names, and that the manifest is rendered",
                        false => "every target must match a resource that `reject` does not exclude: check its names",
                    })
            })
            .collect()
    }
}
