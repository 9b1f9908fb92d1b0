//! Patches of kustomize: the resource that each field of one changes. A patch does not say so
//! itself, but the `target` beside it does.

use std::rc::Rc;
use std::sync::Arc;

use crate::collections::OrderedSet;
use crate::kubernetes::resources::{Field, FieldStep, Resources};
use crate::report::ResourceRef;
use yaml::{Kind, NodeId, Role};

/// How many members of an operation, of the mapping around a patch, or of a `target` are
/// read: real ones have fewer, and all others are ignored (RFC 6902).
const MAX_MEMBERS: usize = 32;

/// How many kinds a `target` may list: each operation of its patch looks at all of them.
const MAX_KINDS: usize = 64;

/// The kinds of resources that a patch applies to. Without any, it does not say, and may apply to
/// resources of all kinds.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PatchTarget {
    pub(crate) selectors: Vec<KindSelector>,
    /// Whether a `target` may select resources of kinds that `selectors` does not list. Without a
    /// `target`, kustomize patches the resource that the patch itself names.
    may_select_others: bool,
}

/// A `target` that names its kind. Whatever else it selects by has no types.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct KindSelector {
    /// `None` for any.
    pub(crate) group: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) kind: String,
}

impl PatchTarget {
    /// Returns the kinds that a `target` with these texts selects, if it says so: kustomize reads
    /// each text as a regular expression that matches all of a name, and only alternatives of names
    /// are understood here.
    fn of(group: &str, version: &str, kind: &str) -> Self {
        let has_group = !group.is_empty();
        let one = |text: &str| match alternatives(text).as_deref() {
            Some([name]) => Some((*name).to_owned()),
            _ => None,
        };
        let (group, version) = (one(group), one(version));
        let kinds: OrderedSet<&str> = alternatives(kind).unwrap_or_default().into_iter().collect();
        if kinds.is_empty() || kinds.len() > MAX_KINDS {
            return Self::of_any_kind();
        }
        let selectors = kinds.into_iter().map(|kind| KindSelector {
            group: group.clone(),
            version: version.clone(),
            kind: kind.to_owned(),
        });
        Self {
            selectors: selectors.collect(),
            may_select_others: has_group && group.is_none(),
        }
    }

    /// Returns what a `target` selects that does not say which kinds.
    const fn of_any_kind() -> Self {
        Self {
            selectors: Vec::new(),
            may_select_others: true,
        }
    }

    /// Returns a resource of each kind that it applies to.
    pub(crate) fn resources(&self) -> Vec<ResourceRef> {
        self.selectors.iter().map(KindSelector::resource).collect()
    }

    /// Returns whether it does not say which kinds it applies to.
    pub(crate) fn is_unknown(&self) -> bool {
        self.selectors.is_empty()
    }

    /// Returns whether it applies to this kind, among others or alone.
    fn selects(&self, group: &str, kind: &str) -> bool {
        let is_it = |selector: &KindSelector| {
            let is_group = |one: &String| one == group;
            selector.kind == kind && selector.group.as_ref().is_none_or(is_group)
        };
        self.selectors.iter().any(is_it)
    }

    /// Returns whether it patches no resource of another kind than this patch has: the `target`
    /// names exactly that kind, or there is none.
    pub(crate) fn selects_only(&self, own: &ResourceRef) -> bool {
        let (group, _) = own.group_version();
        let is_own = |selector: &KindSelector| {
            selector.kind == own.kind && selector.group.as_ref().is_none_or(|one| one == group)
        };
        !self.may_select_others && self.selectors.iter().all(is_own)
    }

    /// Adds what another patch with the same text applies to.
    pub(crate) fn and(mut self, other: &Self) -> Self {
        self.may_select_others |= other.may_select_others;
        if self.is_unknown() || other.is_unknown() {
            // What a `target` lists may be another kind than that of the patch.
            self.may_select_others |= !(self.is_unknown() && other.is_unknown());
            self.selectors.clear();
            return self;
        }
        self.selectors.extend_from_slice(&other.selectors);
        self.selectors.sort();
        self.selectors.dedup();
        self
    }
}

/// Returns the names that a regular expression matches, if it only lists them: `A`, `A|B`,
/// `^(A|B)$`. `None` if it is empty, which matches any name, or has other syntax.
fn alternatives(text: &str) -> Option<Vec<&str>> {
    let unanchored = text.strip_prefix('^').unwrap_or(text);
    let text = unanchored.strip_suffix('$').unwrap_or(unanchored);
    let inner = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    let is_name = |name: &&str| {
        let mut bytes = name.bytes();
        !name.is_empty() && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'))
    };
    let names: Vec<&str> = inner.unwrap_or(text).split('|').collect();
    names.iter().all(is_name).then_some(names)
}

/// The field that a patch sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PatchedField {
    pub(crate) target: Arc<PatchTarget>,
    /// The `path` of the operation, a JSON pointer (RFC 6901). It is empty in a strategic
    /// merge patch, whose fields are those of the resource.
    pub(crate) pointer: Rc<str>,
    /// How many steps of the [`Field`] lead to the operation's `value`, or to the patch.
    pub(crate) inside: usize,
}

impl PatchedField {
    /// Returns the steps from the patched resource to a field of which `steps` are those in
    /// the patch. Numbers in the pointer are indices.
    pub(crate) fn steps(&self, steps: &[FieldStep]) -> Vec<FieldStep> {
        let step = |token: &str| match token.parse() {
            Ok(index) => FieldStep::Index(index),
            // The end of a list.
            Err(_) if token == "-" => FieldStep::Index(0),
            Err(_) => FieldStep::Key(unescaped(token).into()),
        };
        let inside = steps.get(self.inside..).unwrap_or_default();
        self.tokens()
            .map(step)
            .chain(inside.iter().cloned())
            .collect()
    }

    /// Returns the tokens of the pointer, each as it is written.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = &str> {
        self.pointer.split('/').skip(1)
    }

    /// Returns whether an operation of a JSON patch sets the field at the end of these steps: a null
    /// is written then, and removes nothing. A `templatePatch` that it sets is merged.
    pub(crate) fn is_operation(&self, steps: &[FieldStep]) -> bool {
        !self.pointer.is_empty() && in_template_patch(&self.steps(steps)).is_none()
    }

    /// Returns whether the patched resource is of this kind, as far as the target says.
    pub(crate) fn is_of(&self, group: &str, kind: &str) -> bool {
        self.target.selects(group, kind)
    }
}

/// Returns the steps from the template of an ApplicationSet to a field of its `templatePatch`, which
/// Argo CD merges into the template.
pub(crate) fn in_template_patch(steps: &[FieldStep]) -> Option<&[FieldStep]> {
    match steps {
        [spec, patch, inside @ ..] if spec.is_key("spec") && patch.is_key("templatePatch") => {
            Some(inside).filter(|inside| !inside.is_empty())
        }
        _ => None,
    }
}

/// Returns the token of a JSON pointer for a key.
pub(crate) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Returns the key that a token of a JSON pointer is.
pub(crate) fn unescaped(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

impl KindSelector {
    /// Returns a resource of the kind.
    fn resource(&self) -> ResourceRef {
        resource_of_kind(&self.kind, self.group.as_deref(), self.version.as_deref())
    }
}

/// Returns a resource of a kind. Without a group, it is of the one that has a field which another
/// program reads.
pub(crate) fn resource_of_kind(
    kind: &str,
    group: Option<&str>,
    version: Option<&str>,
) -> ResourceRef {
    let group = group.unwrap_or(match kind {
        "Application" | "ApplicationSet" => "argoproj.io",
        "Kustomization" => "kustomize.toolkit.fluxcd.io",
        "HelmRelease" => "helm.toolkit.fluxcd.io",
        "HelmChart" | "HelmChartConfig" => "helm.cattle.io",
        "NetworkPolicy" | "Ingress" => "networking.k8s.io",
        "Role" | "ClusterRole" => "rbac.authorization.k8s.io",
        "ExternalSecret" | "ClusterExternalSecret" | "PushSecret" => "external-secrets.io",
        "SealedSecret" => "bitnami.com",
        "PodDisruptionBudget" => "policy",
        "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration" => {
            "admissionregistration.k8s.io"
        }
        _ => "",
    });
    let version = version.unwrap_or("v1");
    let api_version = match group {
        "" => version.to_owned(),
        group => format!("{group}/{version}"),
    };
    ResourceRef {
        api_version,
        kind: kind.to_owned(),
        ..ResourceRef::default()
    }
}

impl Field {
    /// Returns the first result for the field that is set: this one or, if it is one of a patch,
    /// that of each resource which the patch changes.
    pub(crate) fn find_set<T>(&self, find: impl Fn(&Self) -> Option<T>) -> Option<T> {
        self.find_set_among(&[], find)
    }

    /// Returns the same as [`Self::find_set`]. A patch that does not say what it applies to may
    /// change a resource of these kinds.
    pub(crate) fn find_set_among<T>(
        &self,
        kinds: &[&str],
        find: impl Fn(&Self) -> Option<T>,
    ) -> Option<T> {
        let Some(patch) = &self.patch else {
            return find(self);
        };
        let field = |resource| Self {
            resource,
            steps: patch.steps(&self.steps),
            patch: None,
        };
        let of = |resource: ResourceRef| find(&field(Some(Rc::new(resource))));
        let mut selectors = patch.target.selectors.iter();
        match (patch.target.is_unknown(), kinds) {
            (true, []) => find(&field(None)),
            (true, kinds) => kinds
                .iter()
                .find_map(|kind| of(resource_of_kind(kind, None, None))),
            (false, _) => selectors.find_map(|selector| of(selector.resource())),
        }
    }

    /// Returns whether the field that is set is one of these: see [`Self::find_set`].
    pub(crate) fn any_set(&self, is_one: impl Fn(&Self) -> bool) -> bool {
        self.find_set(|field| is_one(field).then_some(())).is_some()
    }
}

/// Returns whether the kind of a strategic merge patch counts: its target does not say another, and
/// it is no word like `any` or `not-used`.
fn keeps_kind(target: &PatchTarget, own: Option<&ResourceRef>) -> bool {
    let is_meant = |own: &ResourceRef| own.kind.starts_with(|c: char| c.is_uppercase());
    target.is_unknown() && own.is_some_and(is_meant)
}

impl Resources<'_> {
    /// Sets what the document applies to, if it is a patch.
    pub(crate) fn patching(mut self, target: Option<Arc<PatchTarget>>) -> Self {
        self.patch_target = target;
        self
    }

    /// Returns whether the document is a patch of this kind.
    pub(crate) fn patches(&self, group: &str, kind: &str) -> bool {
        let target = self.patch_target.as_ref();
        target.is_some_and(|target| target.selects(group, kind))
    }

    /// Returns what the patch in this scalar applies to: what the `target` beside it says, or
    /// those beside its aliases. `None` if it is no patch.
    pub(crate) fn target_of(&self, scalar: NodeId) -> Option<Arc<PatchTarget>> {
        let targets: Vec<Option<PatchTarget>> = (self.appearances(scalar))
            .map(|at| Some(self.target_in(self.patch_around(at)?)))
            .collect();
        if targets.iter().all(Option::is_none) {
            return None;
        }
        // Where an alias repeats it as another text, it has no target.
        let mut targets = targets.into_iter().map(Option::unwrap_or_default);
        let first = targets.next()?;
        Some(Arc::new(targets.fold(first, |all, one| all.and(&one))))
    }

    /// Returns the mapping in which this node is a patch.
    fn patch_around(&self, at: NodeId) -> Option<NodeId> {
        let Role::Value(key) = self.role(at) else {
            return None;
        };
        match self.text(key)? {
            "patch" | "jsonOp" => self.tree[at].parent(),
            _ => None,
        }
    }

    /// Returns the patches in files that a kustomization or a transformer of patches names,
    /// each with its target. As in kustomize, the case of a key does not matter.
    pub(crate) fn patch_files(&self) -> Vec<(&str, PatchTarget)> {
        let mut files = Vec::new();
        if self.tree.is_empty() {
            return files;
        }
        for (key, value) in self.tree.entries(0) {
            let value = self.target(value);
            let items = || self.tree.children(value).map(|item| self.target(item));
            let name = self.text(key).map(str::to_ascii_lowercase);
            match name.as_deref() {
                Some("patches" | "patchesjson6902") => {
                    let of_item = |item| Some((self.member_text(item, "path")?, item));
                    let named = items().filter_map(of_item);
                    files.extend(named.map(|(path, item)| (path, self.target_in(item))));
                }
                Some("patchesstrategicmerge" | "paths") => {
                    let paths = items().filter_map(|item| self.text(item));
                    files.extend(paths.map(|path| (path, PatchTarget::default())));
                }
                Some("path") => {
                    let path = self.text(value).into_iter();
                    files.extend(path.map(|path| (path, self.target_in(0))));
                }
                _ => {}
            }
        }
        files
    }

    /// Returns the texts of a kustomization's `transformers` that are not paths.
    pub(crate) fn inline_transformers(&self) -> Vec<&str> {
        if self.tree.is_empty() {
            return Vec::new();
        }
        let is_list =
            |key| (self.text(key)).is_some_and(|key| key.eq_ignore_ascii_case("transformers"));
        let lists = self.tree.entries(0).filter(|(key, _)| is_list(*key));
        let items = lists.flat_map(|(_, list)| self.tree.children(self.target(list)));
        let texts = items.filter_map(|item| self.text(item));
        texts.filter(|text| text.contains('\n')).collect()
    }

    /// Returns what the `target` of this mapping selects.
    fn target_in(&self, mapping: NodeId) -> PatchTarget {
        if self.is_ambiguous(mapping, &["target"]) {
            return PatchTarget::of_any_kind();
        }
        let Some(target) = self.member(mapping, "target") else {
            return match self.member(mapping, "<<") {
                // What it merges may have one.
                Some(_) => PatchTarget::of_any_kind(),
                None => PatchTarget::default(),
            };
        };
        let target = self.target(target);
        if self.is_ambiguous(target, &["group", "version", "kind"]) {
            return PatchTarget::of_any_kind();
        }
        let text = |name| self.member_text(target, name).unwrap_or_default();
        PatchTarget::of(text("group"), text("version"), text("kind"))
    }

    /// Returns whether a mapping has one of these keys twice, or more members than are read.
    fn is_ambiguous(&self, mapping: NodeId, names: &[&str]) -> bool {
        let entries = || self.tree.entries(mapping).take(MAX_MEMBERS + 1);
        let is_twice = |name: &&str| {
            let is_it = |text: &str| text.eq_ignore_ascii_case(name);
            let is_named = |(key, _): &(NodeId, NodeId)| self.text(*key).is_some_and(is_it);
            entries().filter(is_named).count() > 1
        };
        entries().count() > MAX_MEMBERS || names.iter().any(is_twice)
    }

    fn member_text(&self, mapping: NodeId, name: &str) -> Option<&str> {
        self.text(self.member(mapping, name)?)
    }

    /// Returns whether a mapping has this key.
    pub(crate) fn has_member(&self, mapping: NodeId, name: &str) -> bool {
        self.member(mapping, name).is_some()
    }

    fn member(&self, mapping: NodeId, name: &str) -> Option<NodeId> {
        let mut entries = self.tree.entries(mapping).take(MAX_MEMBERS);
        let is_it = |text: &str| text.eq_ignore_ascii_case(name);
        let found = entries.find(|(key, _)| self.text(*key).is_some_and(is_it));
        found.map(|(_, member)| member)
    }

    /// Returns whether a scalar is the `value` of an operation of a JSON patch.
    pub(crate) fn is_value_of_operation(&self, id: NodeId) -> bool {
        matches!(self.role(id), Role::Value(key) if self.text(key) == Some("value"))
            && self.patched(id, 0).is_some()
    }

    /// Returns whether a scalar is the `op` or the `path` of an operation of a JSON patch, which
    /// decide what its `value` is.
    pub(crate) fn is_operation_header(&self, id: NodeId) -> bool {
        let is_one = |key: NodeId| matches!(self.text(key), Some("op" | "path"));
        matches!(self.role(id), Role::Value(key) if is_one(key)) && self.operation_of(id).is_some()
    }

    /// Returns whether a node is the list of operations of a JSON patch.
    pub(crate) fn is_list_of_operations(&self, list: NodeId) -> bool {
        let is_list = matches!(self.tree[list].kind(), Kind::Sequence { .. });
        is_list
            && match self.role(list) {
                Role::Root => self.patch_target.is_some(),
                Role::Value(key) => self.text(key) == Some("patch"),
                _ => false,
            }
    }

    /// Returns the operation of a JSON patch that has this member, and what the patch applies to.
    /// The operation is a member of the root list, or of a list that is the `patch` of Flux's
    /// `patchesJson6902`.
    fn operation_of(&self, member: NodeId) -> Option<(NodeId, Arc<PatchTarget>)> {
        let operation = self.tree[member].parent()?;
        let Role::Item(_) = self.role(operation) else {
            return None;
        };
        let list = self.tree[operation].parent()?;
        let target = match (self.tree[list].parent(), self.role(list)) {
            (None, _) => self.patch_target.clone().unwrap_or_default(),
            (Some(around), Role::Value(key)) if self.text(key) == Some("patch") => {
                Arc::new(self.target_in(around))
            }
            _ => return None,
        };
        Some((operation, target))
    }

    /// Returns the values of all operations of JSON patches, each with the field that it sets.
    pub(crate) fn values_of_operations(&self) -> Vec<(NodeId, PatchedField)> {
        let is_value = |id: &NodeId| match self.role(*id) {
            Role::Value(key) => self.text(key) == Some("value"),
            _ => false,
        };
        let values = (0..self.tree.len()).filter(is_value);
        let patched = values.filter_map(|id| Some((id, self.patched(id, 0)?)));
        patched.collect()
    }

    /// Returns the field that the document as a whole sets, if it is a strategic merge patch with a
    /// target.
    pub(crate) fn merged_patch(&self) -> Option<PatchedField> {
        let root = self.tree.get(0)?;
        let is_mapping = matches!(root.kind(), Kind::Mapping { .. });
        let target = self.patch_target.as_ref()?;
        let is_patch = is_mapping && !keeps_kind(target, self.resource(0).as_ref());
        is_patch.then(|| PatchedField {
            target: Arc::clone(target),
            pointer: Rc::from(""),
            inside: 0,
        })
    }

    /// Returns the field that the `value` of an operation of a JSON patch sets. `inside` is how
    /// many steps lead to the value. `None` if the path is not known, such as one that a template
    /// writes.
    pub(super) fn patched(&self, value: NodeId, inside: usize) -> Option<PatchedField> {
        let (operation, target) = self.operation_of(value)?;
        let (mut path, mut has_value) = (None, false);
        for (key, member) in self.tree.entries(operation).take(MAX_MEMBERS) {
            match self.text(key) {
                Some("path") => path = self.text(member),
                Some("op") => {
                    has_value = matches!(self.text(member), Some("add" | "replace" | "test"));
                }
                _ => {}
            }
        }
        if !has_value {
            return None;
        }
        let pointer = path.filter(|path| path.is_empty() || path.starts_with('/'))?;
        Some(PatchedField {
            target,
            pointer: Rc::from(pointer),
            inside,
        })
    }

    /// Returns the patched resource's field for one of a strategic merge patch with a target:
    /// kustomize ignores the kind that the patch itself has then. If the target does not say
    /// another, it is what the author means: see [`keeps_kind`].
    pub(super) fn merged_field(&self, field: &Field) -> Option<PatchedField> {
        let is_own = field.patch.is_none();
        let is_key = matches!(field.steps.first(), Some(FieldStep::Key(_)));
        let target = self.patch_target.as_ref()?;
        if !is_own || !is_key || keeps_kind(target, field.resource.as_deref()) {
            return None;
        }
        Some(PatchedField {
            target: Arc::clone(target),
            pointer: Rc::from(""),
            inside: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::alternatives;

    #[test]
    fn reads_the_names_that_a_pattern_lists() {
        for (text, expected) in [
            ("Deployment", Some(&["Deployment"][..])),
            (
                "Deployment|StatefulSet",
                Some(&["Deployment", "StatefulSet"]),
            ),
            ("^(Deployment|Job)$", Some(&["Deployment", "Job"])),
            ("networking.k8s.io", Some(&["networking.k8s.io"])),
            ("", None),
            (".*", None),
            ("Deployment|", None),
            ("(A|B", None),
            ("{{kind}}", None),
        ] {
            assert_eq!(alternatives(text).as_deref(), expected, "{text}");
        }
    }
}
