//! The fields of documents whose only resource is their root: almost all fields. They are
//! found without building paths, and consecutive ones share the objects around them.

use crate::kubernetes::resources::Resources;
use crate::kubernetes::types::constraint::Constraint;
use crate::kubernetes::types::{
    CustomKinds, FieldType, differing_kinds, exact_kind_type, table, versions,
};
use yaml::{NodeId, Role};

/// The deepest object whose fields are found this way.
const MAX_DEPTH: usize = 24;

/// What a node's own field accepts.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnField {
    pub(crate) takes: FieldType,
    /// What the API server enforces beyond the type.
    pub(crate) constraint: Option<Constraint>,
}

impl OwnField {
    /// Returns whether the field takes any text as it is. If it is not `untyped`, it is a
    /// string: `string` if the author wrote no tag.
    pub(crate) const fn takes_any_text(&self, untyped: bool, string: bool) -> bool {
        self.constraint.is_none()
            && (!untyped || self.takes.takes_text())
            && !(string && self.takes.refuses_text())
    }
}

/// Finds what the fields of one document accept.
pub(crate) struct OwnFields<'a> {
    resources: &'a Resources<'a>,
    /// The kinds that manifests define; `None` if only those of Kubernetes matter.
    custom: Option<&'a CustomKinds<'a>>,
    /// The objects and lists around the last field, the root first.
    around: Vec<Container>,
}

/// An object or list.
struct Container {
    id: NodeId,
    /// Whether it is the metadata of the resource.
    is_metadata: bool,
    /// `None` if its members are not found this way.
    takes: Option<FieldType>,
}

impl<'a> OwnFields<'a> {
    /// Finds fields of the kinds that Kubernetes defines: no manifest does then.
    pub(crate) const fn built_in(resources: &'a Resources<'a>) -> Self {
        Self {
            resources,
            custom: None,
            around: Vec::new(),
        }
    }

    /// Finds fields of all kinds.
    pub(crate) const fn new(resources: &'a Resources<'a>, custom: &'a CustomKinds<'a>) -> Self {
        Self {
            resources,
            custom: Some(custom),
            around: Vec::new(),
        }
    }

    /// Returns what the field of a node accepts. `None` if it is a key, if only another
    /// version of its kind is known, if its definitions differ, or if aliases, merge keys, other
    /// resources or patches may be involved.
    pub(crate) fn get(&mut self, node: NodeId) -> Option<OwnField> {
        let parent = self.resources.parent(node)?;
        if self.resources.has_aliases() || !self.enter(parent) {
            return None;
        }
        let around = self.around.last()?;
        let (takes, constraint) = match self.resources.role(node) {
            Role::Value(key) => {
                let key = self.key(key)?;
                self.object(around, key)?.constrained_field(key)
            }
            Role::Item(_) => {
                let list = around.takes.as_ref()?;
                (list.item(), list.item_constraint())
            }
            Role::Key | Role::Root => return None,
        };
        let constraint = constraint.and_then(|constraint| {
            let kind = self.resources.root_kind();
            constraint.of_kind(kind, around.is_metadata)
        });
        Some(OwnField { takes, constraint })
    }

    /// Makes an object or list the innermost one around the field. Returns `false` if it is
    /// too deep.
    fn enter(&mut self, container: NodeId) -> bool {
        self.enter_from(container, MAX_DEPTH)
    }

    /// `left` is how many more objects and lists around it may be entered.
    fn enter_from(&mut self, container: NodeId, left: usize) -> bool {
        if let Some(nth) = self
            .around
            .iter()
            .rposition(|around| around.id == container)
        {
            self.around.truncate(nth + 1);
            return true;
        }
        match (self.resources.parent(container), left.checked_sub(1)) {
            (Some(parent), Some(left)) if self.enter_from(parent, left) => {}
            (Some(_), _) => return false,
            (None, _) => self.around.clear(),
        }
        if self.around.len() > MAX_DEPTH {
            return false;
        }
        let container = match self.around.last() {
            Some(around) => self.member(around, container),
            None => self.root(container),
        };
        self.around.push(container);
        true
    }

    fn root(&self, id: NodeId) -> Container {
        let takes = self.resources.root_kind().and_then(|(api_version, kind)| {
            // Its `templatePatch` has the type of another field.
            if kind == "ApplicationSet" {
                return None;
            }
            let Some(custom) = self.custom else {
                return table::built_in(api_version, kind).map(FieldType::of);
            };
            // Their fields are compared.
            if differing_kinds(api_version, kind, custom).is_some() {
                return None;
            }
            let exact = exact_kind_type(api_version, kind, custom);
            exact.or_else(|| {
                let has_other = versions::search(api_version, kind, custom).is_some();
                (!has_other).then(FieldType::any)
            })
        });
        Container {
            id,
            is_metadata: false,
            takes,
        }
    }

    /// Returns an object or list in another one.
    fn member(&self, around: &Container, id: NodeId) -> Container {
        let key = match self.resources.role(id) {
            Role::Value(key) => Some(self.key(key)),
            _ => None,
        };
        let takes = match key {
            _ if self.resources.is_identified(id) => None,
            Some(None) => None,
            Some(Some(key)) => self.object(around, key).map(|object| object.field(key)),
            None => around.takes.as_ref().map(FieldType::item),
        };
        Container {
            id,
            is_metadata: self.around.len() == 1 && key == Some(Some("metadata")),
            takes,
        }
    }

    /// Returns the type of an object that has this key: metadata is the same in all kinds.
    fn object(&self, around: &Container, key: &str) -> Option<FieldType> {
        match (self.around.len(), key) {
            (1, "items") => None,
            (1, "metadata") if self.is_resource() => Some(FieldType::any()),
            _ => around.takes.clone(),
        }
    }

    fn is_resource(&self) -> bool {
        let kind = self.resources.root_kind();
        kind.is_some_and(|(_, kind)| kind != "ApplicationSet")
    }

    /// Returns the text of a key, unless what it leads to has types of its own.
    fn key(&self, key: NodeId) -> Option<&'a str> {
        let key = self.resources.text(key)?;
        let is_patch = key == "patchesJson6902"
            && (self.resources.root_kind())
                .is_some_and(|(_, kind)| matches!(kind, "Kustomization" | "HelmRelease"));
        (key != "<<" && !is_patch).then_some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::OwnFields;
    use crate::kubernetes::resources::Resources;
    use crate::kubernetes::types::FieldType;

    /// Returns the type of each scalar `HERE` that is found this way.
    fn types(source: &str) -> Vec<Option<FieldType>> {
        let tree = yaml::locate(source).unwrap();
        let resources = Resources::new(&tree);
        let mut fields = OwnFields::built_in(&resources);
        let here = (0..tree.len()).filter(|id| tree.text(*id) == Some("HERE"));
        here.map(|id| fields.get(id).map(|own| own.takes)).collect()
    }

    #[test]
    fn finds_the_fields_of_the_root_resource() {
        let pod = "\
apiVersion: v1
kind: Pod
metadata: {generation: HERE, name: HERE}
spec:
  containers: [{args: [a, HERE], stdin: HERE}, {ports: [{containerPort: HERE}], args: [HERE]}]
  priority: HERE
";
        let expected = [
            FieldType::Integer,
            FieldType::String,
            FieldType::String,
            FieldType::Boolean,
            FieldType::Integer,
            FieldType::String,
            FieldType::Integer,
        ];
        assert_eq!(types(pod), expected.map(Some));
    }

    #[test]
    fn other_resources_aliases_and_keys_take_the_whole_search() {
        for source in [
            "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod, a: HERE}]\n",
            "apiVersion: v1\nkind: PodList\nitems: [{a: HERE}]\n",
            "apiVersion: v1\nkind: Pod\nspec: {apiVersion: v1, kind: Pod, a: HERE}\n",
            "apiVersion: v1\nkind: Pod\na: &a HERE\nb: *a\n",
            "apiVersion: v1\nkind: Pod\nspec: {<<: {a: HERE}}\n",
            "apiVersion: v1\nkind: Pod\nHERE: a\n",
            "a: HERE\n",
        ] {
            assert!(types(source).iter().all(Option::is_none), "{source}");
        }
        let nested = |depth| {
            let (open, close) = ("[".repeat(depth), "]".repeat(depth));
            format!("apiVersion: v1\nkind: Pod\na: {open}HERE{close}\nspec: {{hostname: HERE}}\n")
        };
        assert_eq!(
            types(&nested(30)),
            [None, Some(FieldType::String)],
            "what is deep does not hide the next"
        );
    }
}
