//! References, setter comments and field bindings that would decide which files are patches, which
//! kinds a patch applies to, or which operations it has: all are found before any value is known.

use super::scalars::PendingScalar;
use super::{Analyser, AssignedNode, NodeTarget};
use crate::config::substitutions::PathStep;
use crate::kubernetes::resources::{FieldStep, Occurrences, Resources};
use crate::kubernetes::types::is_patch_transformer;
use crate::report::{Diagnostic, Origin, Rule};
use yaml::{NodeId, Role, Tree};

impl Analyser<'_> {
    /// Reports what would set the path of a patch in a kustomization or in a transformer of patches,
    /// or would add to what a patch says of itself.
    pub(super) fn report_patch_paths(
        &mut self,
        tree: &Tree,
        resources: &Resources<'_>,
        scalars: &[PendingScalar<'_>],
        assignments: &mut [AssignedNode],
    ) {
        let names_patches =
            !self.source.is_embedded() && (self.is_kustomization() || is_patch_transformer(tree));
        let is_named = |scalar: &&PendingScalar<'_>| names_patches && scalar.format.is_none();
        for scalar in scalars.iter().filter(is_named) {
            if let Some(found) = scalar.references.first()
                && let Some(occurrences) = self.occurrences(tree, resources, scalar.id)
                && decides(&occurrences, Decides::Path)
            {
                let error = error(Decides::Path).at(found.origin, found.span, "");
                self.findings.push(Some(scalar.id), error);
            }
        }
        for assigned in assignments {
            let node = assigned.node();
            let added = self.added(assigned);
            let occurrences = || resources.occurrences(node, added.as_deref()).ok();
            let what = if sets_target(tree, resources, node, added.as_deref()) {
                Decides::Target
            } else if adds_to_operation(resources, node, added.as_deref()) {
                Decides::Operation
            } else if let Some(occurrences) = names_patches.then(occurrences).flatten() {
                if decides(&occurrences, Decides::Path) {
                    Decides::Path
                } else if decides(&occurrences, Decides::Kind) && is_of_file(tree, resources, node)
                {
                    Decides::Kind
                } else {
                    continue;
                }
            } else {
                continue;
            };
            match assigned {
                AssignedNode::Comment { span, errors, .. } => {
                    let error = error(what).at(self.source.origin, *span, "");
                    if self.scope.heads.dialect().only_in_setters() {
                        errors.push(error);
                    } else {
                        self.findings.push(Some(node), error);
                    }
                }
                AssignedNode::Binding { path, .. } => {
                    let (_, _, path) = self.scope.field_bindings.path(*path);
                    let error = error(what).at(Origin::Binding, path.span, "").at(
                        self.source.origin,
                        self.span(&tree[node].range()),
                        "here",
                    );
                    self.findings.push(Some(node), error);
                }
            }
        }
    }

    /// Returns the steps that an assignment adds to its node.
    fn added(&self, assigned: &AssignedNode) -> Option<Vec<FieldStep>> {
        let AssignedNode::Binding {
            path,
            target: NodeTarget::New { rest, .. },
            ..
        } = assigned
        else {
            return None;
        };
        let (_, _, path) = self.scope.field_bindings.path(*path);
        let step = |step: &PathStep| match step {
            PathStep::Key(key) => FieldStep::Key(key.as_str().into()),
            _ => FieldStep::Index(0),
        };
        Some(path.steps.iter().skip(*rest).map(step).collect())
    }
}

/// What a field decides about patches.
#[derive(Clone, Copy)]
enum Decides {
    /// Which files are patches.
    Path,
    /// Which kinds a patch in a file applies to.
    Kind,
    /// Whether a patch beside it has a target, and which.
    Target,
    /// What an operation of a JSON patch does.
    Operation,
}

/// Returns whether a field does this at any of its positions.
fn decides(occurrences: &Occurrences, what: Decides) -> bool {
    let of_root = |steps: &[FieldStep]| match what {
        Decides::Path => is_path(steps),
        _ => is_kind(steps),
    };
    let mut all = occurrences.all();
    all.any(|occurrence| occurrence.containers.is_empty() && of_root(&occurrence.field.steps))
}

fn is_path(steps: &[FieldStep]) -> bool {
    match steps {
        [all] | [all, FieldStep::Index(_)] => {
            is_any_of(all, &["path", "paths", "patchesStrategicMerge"]) || is_list(all)
        }
        [list, FieldStep::Index(_), path] => is_list(list) && is_any_of(path, &["path"]),
        _ => false,
    }
}

fn is_kind(steps: &[FieldStep]) -> bool {
    let target = match steps {
        [list, FieldStep::Index(_), target @ ..] if is_list(list) => target,
        steps => steps,
    };
    match target {
        [target] => is_any_of(target, &["target"]),
        [target, name] => is_any_of(target, &["target"]) && is_any_of(name, &["group", "kind"]),
        _ => false,
    }
}

fn is_list(step: &FieldStep) -> bool {
    is_any_of(step, &["patches", "patchesJson6902"])
}

/// Returns whether a step is one of these keys. As in kustomize, their case does not matter.
fn is_any_of(step: &FieldStep, names: &[&str]) -> bool {
    let is = |key: &str| names.iter().any(|name| key.eq_ignore_ascii_case(name));
    matches!(step, FieldStep::Key(key) if is(key))
}

/// Returns whether a node is beside the path of a patch, or inside of what is.
fn is_of_file(tree: &Tree, resources: &Resources<'_>, node: NodeId) -> bool {
    let mut around = std::iter::successors(Some(node), |at| resources.parent(*at));
    around.any(|at| {
        tree[at].style().is_none()
            && (resources.has_member(at, "path") || resources.has_member(at, "paths"))
    })
}

/// Returns whether an assignment writes the `target` beside a patch as a whole, or adds it or its kind.
fn sets_target(
    tree: &Tree,
    resources: &Resources<'_>,
    node: NodeId,
    added: Option<&[FieldStep]>,
) -> bool {
    let has_patch = |at: NodeId| {
        let mut names = ["patch", "jsonOp"].into_iter();
        tree[at].style().is_none() && names.any(|name| resources.has_member(at, name))
    };
    let is_target = |at: NodeId| {
        let key = match resources.role(at) {
            Role::Value(key) => resources.text(key),
            _ => None,
        };
        key.is_some_and(|key| key.eq_ignore_ascii_case("target"))
            && resources.parent(at).is_some_and(has_patch)
    };
    match added {
        None => resources.appearances(node).any(is_target),
        Some([target]) if is_any_of(target, &["target"]) => has_patch(node),
        Some([target, name, ..]) if is_any_of(target, &["target"]) => {
            has_patch(node) && is_any_of(name, &["group", "kind"])
        }
        Some([name]) if is_any_of(name, &["group", "kind"]) => {
            resources.appearances(node).any(is_target)
        }
        Some(_) => false,
    }
}

/// Returns whether an assignment adds the `op`, the `path` or the `value` of an operation.
fn adds_to_operation(resources: &Resources<'_>, node: NodeId, added: Option<&[FieldStep]>) -> bool {
    let is_part = |step: &FieldStep| is_any_of(step, &["op", "path", "value"]);
    let mut appearances = resources.appearances(node);
    match added {
        Some([FieldStep::Index(_), part, ..]) => {
            is_part(part) && appearances.any(|list| resources.is_list_of_operations(list))
        }
        Some([part, ..]) => {
            let list = |at| resources.parent(at);
            let mut lists = appearances.filter_map(list);
            is_part(part) && lists.any(|list| resources.is_list_of_operations(list))
        }
        _ => false,
    }
}

fn error(what: Decides) -> Diagnostic {
    let (message, help) = match what {
        Decides::Path => (
            "which files are patches cannot depend on outputs: the types and the kinds of their fields would not be checked",
            "write the path of the patch",
        ),
        Decides::Kind => (
            "which kind a patch in a file applies to cannot depend on outputs: the types of its fields would not be checked",
            "write the kind",
        ),
        Decides::Target => (
            "what a patch applies to cannot be added or replaced: its fields would not be checked",
            "write the `target` of the patch, with a reference as its `kind` if necessary",
        ),
        Decides::Operation => (
            "what an operation of a JSON patch does cannot be added: its value would not be checked",
            "write the key in the patch, with a reference as its value",
        ),
    };
    Diagnostic::error(Rule::MisplacedReference, message).help(help)
}
