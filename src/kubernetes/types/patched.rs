//! The types of fields in patches of kustomize: those of the resources that a patch changes,
//! wherever its target is named.

use std::sync::Arc;

use crate::collections::OrderedMap;
use crate::kubernetes::resources::{
    FieldStep, PatchTarget, PatchedField, Resources, in_template_patch, unescaped,
};
use crate::kubernetes::types::{CustomKinds, FieldType, table};
use crate::reference::{Heads, locate, mask_references};
use yaml::{NodeId, Tree, masked, split};

/// The names that kustomize reads a kustomization from, in its order.
const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// How the kind of a transformer of patches ends.
const TRANSFORMER: &[u8] = b"Transformer";

/// Returns the type of the field at the end of these steps of a patch. If its targets are of
/// several kinds, all that have the field must agree.
pub(super) fn field_type(
    patch: &PatchedField,
    steps: &[FieldStep],
    custom: &CustomKinds<'_>,
) -> FieldType {
    let set = patch.steps(steps);
    let in_template = if patch.is_of("argoproj.io", "ApplicationSet") {
        in_template_patch(&set)
    } else {
        None
    };
    let after = |root: FieldType| {
        if let Some(inside) = in_template {
            return root.field("spec").field("template").after(inside);
        }
        let at = patch.tokens().fold(root, FieldType::after_token);
        at.after(steps.get(patch.inside..).unwrap_or_default())
    };
    if set.first().is_some_and(|step| step.is_key("metadata")) {
        return after(FieldType::any());
    }
    let mut found = FieldType::Unknown;
    for root in kinds(&patch.target, custom) {
        match after(root) {
            FieldType::Unknown => {}
            takes if found == FieldType::Unknown || found == takes => found = takes,
            _ => return FieldType::Unknown,
        }
    }
    found
}

/// Returns the type of what contains the field that an operation sets, and the last step of its
/// path. `None` if it sets the whole resource.
pub(super) fn parent_type(
    patch: &PatchedField,
    steps: &[FieldStep],
    custom: &CustomKinds<'_>,
) -> Option<(FieldType, FieldStep)> {
    let (parents, token) = patch.pointer.rsplit_once('/')?;
    let patch = PatchedField {
        pointer: parents.into(),
        ..patch.clone()
    };
    let parent = field_type(&patch, steps, custom);
    let step = match parent {
        FieldType::List(_) => FieldStep::Index(token.parse().unwrap_or_default()),
        _ => FieldStep::Key(unescaped(token).into()),
    };
    Some((parent, step))
}

/// Returns the types of the kinds that a target selects.
fn kinds(target: &PatchTarget, custom: &CustomKinds<'_>) -> Vec<FieldType> {
    let mut found = Vec::new();
    for selector in &target.selectors {
        let is_selected = |api_version: &str| {
            let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
            let is = |wanted: &Option<String>, name: &str| {
                wanted.as_ref().is_none_or(|wanted| wanted == name)
            };
            is(&selector.group, group) && is(&selector.version, version)
        };
        let defined = custom
            .versions(&selector.kind)
            .into_iter()
            .filter(|(api_version, _)| is_selected(api_version));
        found.extend(defined.map(|(_, fields)| fields));
        let prefix = match &selector.group {
            Some(group) => format!("{group}/"),
            None => String::new(),
        };
        let known = table::kinds_of(&prefix)
            .filter(|known| known.kind == selector.kind && is_selected(known.api_version));
        found.extend(known.map(|known| FieldType::of(known.id)));
    }
    found
}

impl FieldType {
    /// Returns the type after a token of a JSON pointer.
    fn after_token(self, token: &str) -> Self {
        match self {
            Self::List(_) => self.item(),
            _ => self.field(&unescaped(token)),
        }
    }
}

/// The patches that kustomizations, and transformers of patches, name by their paths.
#[derive(Debug, Default)]
pub(crate) struct PatchFiles {
    /// By the position of the file.
    targets: OrderedMap<usize, Arc<PatchTarget>>,
}

impl PatchFiles {
    /// Finds the patches among these files: their positions, paths and texts.
    pub(crate) fn find(files: &[(usize, &str, &str)], heads: &Heads) -> Self {
        let mut found = Self::default();
        let names_patches = |(_, path, text): &&(usize, &str, &str)| may_name_patches(path, text);
        let kustomizations = files.iter().filter(names_patches);
        let mut positions: Option<OrderedMap<String, usize>> = None;
        for (_, kustomization, text) in kustomizations {
            let folder = kustomization
                .rsplit_once('/')
                .map_or("", |(folder, _)| folder);
            for (path, target) in named_in(text, is_kustomization(kustomization), heads) {
                let positions = positions.get_or_insert_with(|| {
                    let all = files.iter();
                    all.filter_map(|(nth, path, _)| Some((joined("", path)?, *nth)))
                        .collect()
                });
                let file = joined(folder, &path);
                if let Some(nth) = file.and_then(|file| positions.get(&file).copied()) {
                    found.add(nth, target);
                }
            }
        }
        found
    }

    /// Returns whether the file at this position is a patch.
    pub(super) fn contains(&self, file: usize) -> bool {
        self.targets.get(&file).is_some()
    }

    /// Returns what the patch in this file applies to, if it is one.
    pub(crate) fn target(&self, file: usize) -> Option<Arc<PatchTarget>> {
        self.targets.get(&file).cloned()
    }

    fn add(&mut self, file: usize, target: PatchTarget) {
        let target = match self.targets.get(&file) {
            Some(known) => target.and(known),
            None => target,
        };
        self.targets.insert(file, Arc::new(target));
    }
}

/// Returns the paths of patches in a kustomization, or in transformers of patches, each with what
/// it applies to.
fn named_in(text: &str, is_kustomization: bool, heads: &Heads) -> Vec<(String, PatchTarget)> {
    let mut named = Vec::new();
    for document in split(text) {
        let masks = mask_references(document.text, heads, &OrderedMap::new());
        let ranges: Vec<_> = masks.into_iter().map(|mask| mask.range).collect();
        // What is not YAML is reported where it is rendered.
        let Ok(tree) = locate(masked(document.text, ranges.iter())) else {
            continue;
        };
        // A reference is not the name of a kind.
        let tree = match &ranges[..] {
            [] => tree,
            ranges => tree.unmasked(document.text, ranges),
        };
        if !is_kustomization && !is_patch_transformer(&tree) {
            continue;
        }
        let resources = Resources::new(&tree);
        let files = resources.patch_files().into_iter();
        named.extend(files.map(|(path, target)| (path.to_owned(), target)));
        if is_kustomization {
            for transformer in resources.inline_transformers() {
                named.extend(named_in(transformer, false, heads));
            }
        }
    }
    named
}

/// Returns whether a file may name patches in other files.
pub(crate) fn may_name_patches(path: &str, text: &str) -> bool {
    is_kustomization(path) || memchr::memmem::find(text.as_bytes(), TRANSFORMER).is_some()
}

/// Returns whether a document configures a transformer of patches: `PatchTransformer`,
/// `PatchJson6902Transformer` or `PatchStrategicMergeTransformer`.
pub(crate) fn is_patch_transformer(tree: &Tree) -> bool {
    let is_kind = |(key, value): (NodeId, NodeId)| {
        let is_transformer =
            |kind: &str| kind.starts_with("Patch") && kind.as_bytes().ends_with(TRANSFORMER);
        tree.text(key) == Some("kind") && tree.text(value).is_some_and(is_transformer)
    };
    !tree.is_empty() && tree.entries(0).any(is_kind)
}

/// Returns whether kustomize reads a file as a kustomization.
pub(crate) fn is_kustomization(path: &str) -> bool {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    KUSTOMIZATIONS.contains(&name)
}

/// Returns a path in a folder without `.` and `..`. `None` if it leads out of the root.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for name in folder.split('/').chain(path.split('/')) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_paths() {
        assert_eq!(
            joined("apps/web", "p.yaml").as_deref(),
            Some("apps/web/p.yaml")
        );
        assert_eq!(
            joined("apps/web", "./../p.yaml").as_deref(),
            Some("apps/p.yaml")
        );
        assert_eq!(joined("", "./p.yaml").as_deref(), Some("p.yaml"));
        assert_eq!(joined("apps", "../../p.yaml"), None);
    }

    #[test]
    fn finds_the_patches_that_kustomizations_name() {
        let files = [
            (
                "web/kustomization.yaml",
                "patches:\n- path: ../p.yaml\n  target: {kind: Deployment}\n- path: own.yaml\n- path: absent.yaml\n  target: {kind: Job}\n",
            ),
            ("p.yaml", ""),
            ("web/own.yaml", ""),
            (
                "web/transformer.yaml",
                "kind: PatchTransformer\npath: in.yaml\ntarget: {kind: Service}\n---\nkind: PatchStrategicMergeTransformer\npaths: [merged.yaml]\n---\nkind: Other\npath: other.yaml\n# Transformer\n",
            ),
            ("web/in.yaml", ""),
            ("web/merged.yaml", ""),
            ("web/other.yaml", ""),
            ("api/any.yaml", ""),
            ("api/inline.yaml", ""),
            (
                "api/kustomization.yml",
                "patchesJson6902:\n- {path: ../p.yaml, target: {group: batch, version: v1, kind: \"Job|CronJob\"}}\n- {path: any.yaml, target: {kind: '${infra.kind}'}}\ntransformers:\n- file.yaml\n- |\n  kind: PatchTransformer\n  path: inline.yaml\n  target: {kind: Ingress}\n",
            ),
        ];
        let numbered = files.iter().enumerate();
        let files: Vec<_> = numbered
            .map(|(nth, (path, text))| (nth, *path, *text))
            .collect();
        let found = PatchFiles::find(&files, &Heads::new(["infra"]));
        let patches: Vec<usize> = found.targets.keys().copied().collect();
        assert_eq!(patches, [1, 2, 4, 5, 7, 8]);
        let target = found.target(1).unwrap();
        let kinds: Vec<&str> = target
            .selectors
            .iter()
            .map(|one| one.kind.as_str())
            .collect();
        assert_eq!(kinds, ["Deployment", "CronJob", "Job"]);
        assert!(found.target(2).unwrap().is_unknown());
        let target = found.target(4).unwrap();
        assert_eq!(target.selectors[0].kind, "Service");
        assert!(found.target(5).unwrap().is_unknown());
        assert!(found.target(7).unwrap().is_unknown());
        assert_eq!(found.target(8).unwrap().selectors[0].kind, "Ingress");
    }
}
