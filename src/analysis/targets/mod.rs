//! Finds the fields that the Binding names in manifests: targets of field bindings, and
//! embedded documents.

mod absent;
mod candidates;
mod compared;
mod find;
mod members;
mod patched;
mod select;
mod steps;
mod unbound;
mod unmatched;

pub(crate) use find::{PathEnd, find, is_null};
pub(crate) use members::Members;
pub(crate) use steps::Steps;
pub(crate) use unmatched::{PathId, TargetId, UnmatchedPaths};

use std::ops::Range;
use std::sync::Arc;

use candidates::Candidates;
use compared::ComparedKeys;
use patched::PatchedNode;

use crate::analysis::document::FoundReference;
use crate::collections::OrderedMap;
use crate::config::substitutions::{
    EmbeddedFields, FieldBinding, FieldPath, Fields, PathStep, Selector, SpannedText, Target,
};
use crate::kubernetes::Format;
use crate::kubernetes::resources::{PatchTarget, Resources};
use crate::reference::{Heads, Template, invalid_reference};
use crate::report::{Diagnostic, Diagnostics, Origin, ResourceRef, Rule, Severity, suggest};
use yaml::{Kind, NodeId, Span, Tree};

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

    /// Returns a diagnostic for each path that no manifest with one of these texts has.
    pub(crate) fn absent(&self, texts: &[&str], severity: Severity) -> Vec<Diagnostic> {
        absent::fields(&self.list, texts, severity)
    }

    /// Whether the Binding lists none.
    pub(crate) const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether a selector or a path compares the values of this key, or items if it is
    /// empty.
    pub(crate) fn compares(&self, key: &str) -> bool {
        self.compared.has(key)
    }

    /// Returns the listed fields of a document.
    pub(crate) fn find(
        &self,
        tree: &Tree,
        resources: &Resources<'_>,
        steps: &Steps,
    ) -> ListedFields<'_> {
        let mut listed = ListedFields::default();
        if self.list.is_empty() {
            return listed;
        }
        let members = Members::new(tree);
        let mut selected = Vec::new();
        for (id, resource) in selectable(resources) {
            for nth in self.candidates.of(&resource.kind, &resource.name) {
                let fields = &self.list[nth].fields;
                if fields.selects(&members, resources, id, &resource, steps) {
                    selected.push((nth, id, None));
                }
            }
        }
        let patched = patched::find(resources);
        for (at, PatchedNode { id, patch }) in patched.iter().enumerate() {
            let of_target = self.of_target(&patch.target, steps);
            selected.extend(of_target.into_iter().map(|nth| (nth, *id, Some(at))));
        }
        // If several list the same scalar, the last one counts.
        selected.sort_unstable();
        for (nth, id, at) in selected {
            let EmbeddedFields { fields, format } = &self.list[nth];
            let patched = at.and_then(|at| patched.get(at));
            for path in &fields.paths {
                let first = match patched {
                    Some(patched) => patched.first_inside(&path.steps, steps),
                    None => Some(0),
                };
                let Some(first) = first else { continue };
                let mut found = Vec::new();
                find(&members, id, &path.steps, first, steps, &mut found);
                let is_any = path.steps.last() == Some(&PathStep::Any);
                for end in found {
                    let PathEnd::Node(id) = end else { continue };
                    listed.formats.insert(id, *format);
                    if !is_any && !matches!(tree[tree.target(id)].kind(), Kind::Scalar { .. }) {
                        listed.without_text.push((id, path));
                    }
                }
            }
            listed.selected.push((id, &self.list[nth]));
        }
        listed
    }

    /// Returns the positions of what may be listed for a patch. A name or a label says nothing
    /// about the format of a field, so the kind decides; all are listed for any kind.
    fn of_target(&self, target: &PatchTarget, steps: &Steps) -> Vec<usize> {
        if target.is_unknown() {
            return (0..self.list.len())
                .take_while(|_| steps.take(steps::SELECTOR))
                .collect();
        }
        let resources = target.resources();
        let mut found: Vec<usize> = (resources.iter())
            .flat_map(|resource| {
                let candidates = self.candidates.of_kind(&resource.kind).into_iter();
                candidates.filter(|nth| {
                    let select = &self.list[*nth].fields.select;
                    steps.take(steps::SELECTOR) && select.matches_kind(resource, steps)
                })
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The fields of one document that the Binding lists.
#[derive(Default)]
pub(crate) struct ListedFields<'l> {
    formats: OrderedMap<NodeId, Format>,
    /// The lists and maps at which paths end.
    pub(crate) without_text: Vec<(NodeId, &'l FieldPath)>,
    /// The selected resources, in the order of the list.
    selected: Vec<(NodeId, &'l EmbeddedFields)>,
}

impl ListedFields<'_> {
    /// Returns the format of a node.
    pub(crate) fn get(&self, node: NodeId) -> Option<Format> {
        self.formats.get(&node).copied()
    }

    /// Returns the format of a field of a resource that is about to be created.
    pub(crate) fn of_created(&self, resource: NodeId, steps: &[PathStep]) -> Option<Format> {
        let is_listed = |path: &FieldPath| {
            let mut pairs = std::iter::zip(&path.steps, steps);
            path.steps.len() == steps.len()
                && pairs.all(|(listed, step)| listed == step || *listed == PathStep::Any)
        };
        let mut latest = self.selected.iter().rev();
        let (_, found) = latest
            .find(|(id, listed)| *id == resource && listed.fields.paths.iter().any(is_listed))?;
        Some(found.format)
    }
}

/// Returns the resources that selectors are compared with: those of a document and of the
/// lists in it, as kustomize reads them. A resource in a field of another one is reached
/// only by a path through that one.
fn selectable<'p>(
    resources: &'p Resources<'_>,
) -> impl Iterator<Item = (NodeId, ResourceRef)> + 'p {
    resources
        .resources()
        .filter(|(id, _)| resources.is_whole_resource(*id))
}

impl Fields {
    /// Whether this resource is selected and not rejected.
    fn selects(
        &self,
        members: &Members<'_>,
        resources: &Resources<'_>,
        id: NodeId,
        resource: &ResourceRef,
        steps: &Steps,
    ) -> bool {
        let is = |selector: &Selector| selector.matches(members, id, resource, steps);
        // A list is selected only by its kind: kustomize has split it into its items.
        (self.select.kind() == Some(&resource.kind) || !resources.is_list(id))
            && is(&self.select)
            && !self.reject.iter().any(is)
            && !steps.exceeded()
    }
}

/// The field bindings of one render.
#[derive(Debug)]
pub(crate) struct FieldBindings {
    pub(crate) list: Vec<PreparedBinding>,
    /// The document that holds them.
    pub(crate) origin: Origin,
    /// Every target, in the order of `candidates`.
    targets: Vec<TargetId>,
    candidates: Candidates,
    compared: ComparedKeys,
}

/// A field binding with its references found.
#[derive(Debug)]
pub(crate) struct PreparedBinding {
    pub(crate) template: Template,
    /// The template's references.
    pub(crate) references: Vec<FoundReference>,
    pub(crate) value: SpannedText,
    pub(crate) targets: Vec<Target>,
}

impl FieldBindings {
    /// Parses the references in the field bindings, and reports invalid ones.
    pub(crate) fn new(
        list: Vec<FieldBinding>,
        heads: &Heads,
        origin: Origin,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let mut prepared = Vec::with_capacity(list.len());
        for FieldBinding { value, targets } in list {
            let (template, broken) = Template::parse(&value.text, heads);
            for broken_reference in &broken {
                let span_of = |range: &Range<usize>| value.span_of(range);
                diagnostics.push(invalid_reference(
                    heads.dialect(),
                    &broken_reference.error,
                    &value.text,
                    &broken_reference.range,
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
                reference: Arc::new(reference.clone()),
                number: None,
                raw: 0..0,
                origin,
                span: value.span_of(&reference.range),
            });
            prepared.push(PreparedBinding {
                references: references.collect(),
                template,
                value,
                targets,
            });
        }
        let targets = prepared.iter().enumerate().flat_map(|(nth, binding)| {
            let targets = 0..binding.targets.len();
            targets.map(move |target| TargetId {
                binding: nth,
                target,
            })
        });
        let fields = prepared
            .iter()
            .flat_map(|binding| &binding.targets)
            .map(|target| &target.fields);
        Self {
            targets: targets.collect(),
            candidates: Candidates::new(fields.clone().map(|fields| &fields.select)),
            compared: ComparedKeys::new(fields),
            list: prepared,
            origin,
        }
    }

    /// Returns a path with the binding and the target that it belongs to.
    pub(crate) fn path(&self, id: PathId) -> (&PreparedBinding, &Target, &FieldPath) {
        let binding = &self.list[id.target.binding];
        let target = self.target(id.target);
        (binding, target, &target.paths()[id.path])
    }

    /// Returns a target.
    pub(crate) fn target(&self, id: TargetId) -> &Target {
        &self.list[id.binding].targets[id.target]
    }

    /// Whether a selector or a path compares the values of this key, or items if it is
    /// empty.
    pub(crate) fn compares(&self, key: &str) -> bool {
        self.compared.has(key)
    }

    /// Whether a document with this text may hold a target.
    pub(crate) fn may_select(&self, text: &str) -> bool {
        self.candidates.may_select_in(text)
    }

    /// Returns the selected resources of a document, with the targets that select them, in
    /// the order of the resources.
    pub(crate) fn selected(
        &self,
        members: &Members<'_>,
        resources: &Resources<'_>,
        steps: &Steps,
    ) -> Vec<(NodeId, TargetId)> {
        let mut selected = Vec::new();
        for (id, resource) in selectable(resources) {
            for nth in self.candidates.of(&resource.kind, &resource.name) {
                let target = self.targets[nth];
                let fields = &self.target(target).fields;
                if !steps.take(steps::SELECTOR) {
                    return selected;
                }
                if fields.selects(members, resources, id, &resource, steps) {
                    selected.push((id, target));
                }
            }
        }
        selected
    }

    /// Reports what is only known at the end of a render: paths that match nothing, and
    /// targets that select no resource.
    pub(crate) fn unmatched(&self, paths: &UnmatchedPaths, exceeded: bool) -> Diagnostics {
        if exceeded {
            // Fields that were not visited are not missing.
            return self.too_many_steps().into();
        }
        let mut diagnostics = Diagnostics::from(paths.take_diagnostics());
        diagnostics.append(self.unselected(paths));
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

    /// Reports the targets that select no resource of the whole render.
    fn unselected(&self, paths: &UnmatchedPaths) -> Diagnostics {
        self.targets
            .iter()
            .filter(|target| !paths.is_selected(**target))
            .map(|target| {
                let fields = &self.target(*target).fields;
                let message = format!(
                    "no resource matches {}",
                    match fields.select.described() {
                        described if described.is_empty() => "an empty selector".to_owned(),
                        described => described,
                    }
                );
                Diagnostic::error(Rule::TargetNotFound, message)
                    .at(self.origin, fields.select_span, "")
                    .help(if fields.reject.is_empty() {
                        "every target must match a resource: check its names, and that the manifest is rendered"
                    } else {
                        "every target must match a resource that `reject` does not exclude: check its names"
                    })
            })
            .collect()
    }
}
