//! The path to a node whose only resource is the root of its document: almost every node.
//! It is found without allocating names.

use crate::kubernetes::resources::Resources;
use yaml::{Kind, NodeId, Role};

/// The longest path that is found this way.
const MAX_STEPS: usize = 24;

/// The resource at the root of a document, and the nodes from there to one of its fields.
pub(crate) struct RootPath<'a> {
    resources: &'a Resources<'a>,
    pub(crate) api_version: &'a str,
    pub(crate) kind: &'a str,
    /// The innermost first; only `length` are in use.
    nodes: [NodeId; MAX_STEPS],
    length: usize,
}

/// One step of a [`RootPath`].
pub(crate) enum RootPathStep<'a> {
    Key(&'a str),
    Item,
}

impl Resources<'_> {
    /// Returns the path to a node that is not a key. `None` if aliases, merge keys or other
    /// resources may be involved: [`Self::occurrences`] knows all of them.
    pub(crate) fn root_path(&self, node: NodeId) -> Option<RootPath<'_>> {
        if self.index.has_aliases() {
            return None;
        }
        let mut path = RootPath {
            resources: self,
            api_version: "",
            kind: "",
            nodes: [0; MAX_STEPS],
            length: 0,
        };
        let mut at = node;
        while let Some(parent) = self.tree[at].parent() {
            let is_key = self.tree[at].role() == Role::Key;
            // A mapping may be a resource itself.
            if is_key || (at != node && self.is_identified(at)) {
                return None;
            }
            *path.nodes.get_mut(path.length)? = at;
            path.length += 1;
            at = parent;
        }
        let header = self.index.header(at)?;
        path.api_version = self.value(header.api_version)?;
        path.kind = self.value(header.kind)?;
        let is_odd = |step| matches!(step, RootPathStep::Key("<<"));
        let is_in_list = matches!(path.steps().next(), Some(RootPathStep::Key("items")));
        (!is_in_list && !path.steps().any(is_odd)).then_some(path)
    }

    /// Returns whether a mapping has an apiVersion and a kind.
    pub(crate) fn is_identified(&self, id: NodeId) -> bool {
        let is_mapping = matches!(self.tree[id].kind(), Kind::Mapping { .. });
        let header = self.index.header(id).filter(|_| is_mapping);
        header.is_some_and(|header| header.api_version.is_some() && header.kind.is_some())
    }
}

impl<'a> RootPath<'a> {
    /// Returns whether the field is in an operation of Flux's `patchesJson6902`.
    pub(crate) fn is_in_patch(&self) -> bool {
        let is_flux = matches!(self.kind, "Kustomization" | "HelmRelease");
        is_flux
            && self
                .steps()
                .any(|step| matches!(step, RootPathStep::Key("patchesJson6902")))
    }

    /// Returns the steps from the resource to the field.
    pub(crate) fn steps(&self) -> impl Iterator<Item = RootPathStep<'a>> {
        let resources = self.resources;
        let nodes = self.nodes.get(..self.length).unwrap_or_default();
        nodes
            .iter()
            .rev()
            .map(move |node| match resources.tree[*node].role() {
                Role::Value(key) => RootPathStep::Key(resources.text(key).unwrap_or_default()),
                _ => RootPathStep::Item,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::RootPathStep;
    use crate::kubernetes::resources::Resources;

    /// Returns the path of the scalar `HERE`, after its kind.
    fn path(source: &str) -> Option<String> {
        let tree = yaml::locate(source).unwrap();
        let resources = Resources::new(&tree);
        let here = (0..tree.len()).find(|id| tree.text(*id) == Some("HERE"));
        let path = resources.root_path(here.unwrap())?;
        let steps = path.steps().map(|step| match step {
            RootPathStep::Key(key) => format!(" {key}"),
            RootPathStep::Item => " *".to_owned(),
        });
        Some(format!("{}{}", path.kind, steps.collect::<String>()))
    }

    #[test]
    fn finds_the_field_of_the_root_resource() {
        let pod = "apiVersion: v1\nkind: Pod\nspec: {containers: [{args: [a, HERE]}]}\n";
        assert_eq!(path(pod).as_deref(), Some("Pod spec containers * args *"));
    }

    #[test]
    fn other_resources_aliases_and_keys_take_the_whole_search() {
        for source in [
            "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod, a: HERE}]\n",
            "apiVersion: v1\nkind: PodList\nitems: [{a: HERE}]\n",
            "apiVersion: v1\nkind: A\nspec: {apiVersion: v1, kind: Pod, a: HERE}\n",
            "apiVersion: v1\nkind: A\na: &a HERE\nb: *a\n",
            "apiVersion: v1\nkind: A\nspec: {<<: {a: HERE}}\n",
            "apiVersion: v1\nkind: A\nHERE: a\n",
            "a: HERE\n",
        ] {
            assert_eq!(path(source), None, "{source}");
        }
        let deep = format!(
            "apiVersion: v1\nkind: A\na: {}HERE{}\n",
            "[".repeat(30),
            "]".repeat(30)
        );
        assert_eq!(path(&deep), None);
    }
}
