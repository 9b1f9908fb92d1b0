//! `merge`: the items of its first generator, each with the parameters of those items of the
//! others that have the same values of the merge keys (`applicationset/generators/merge.go`).

use crate::collections::OrderedMap;
use crate::contract::expand::document::Node;
use crate::contract::expand::generators::{Generators, Level};
use crate::contract::expand::parameters::{Parameters, Unmergeable, merge_into, merge_key};
use crate::contract::expand::templates::{Mode, subject};

const FIELDS: [&str; 3] = ["generators", "mergeKeys", "template"];

impl Generators<'_, '_> {
    pub(super) fn merge(&mut self, generator: &Node, level: Level) -> Vec<Parameters> {
        self.problems
            .check_fields(generator, &FIELDS, "the generator `merge`");
        let generators = generator
            .field("generators")
            .map(Node::items)
            .unwrap_or_default();
        let mut keys: Vec<String> = generator
            .field("mergeKeys")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(Node::text)
            .map(str::to_owned)
            .collect();
        keys.sort();
        keys.dedup();
        if keys.is_empty() {
            let message = "`merge` has no `mergeKeys`";
            self.problems.error(
                generator.id,
                message,
                "name the parameters by which items belong together: `mergeKeys: [server]`",
            );
        }
        let [base, overrides @ ..] = generators else {
            self.too_few(generator);
            return Vec::new();
        };
        if overrides.is_empty() {
            self.too_few(generator);
        }
        let mut items = self.nested(base, level, None);
        self.positions(&items, &keys, base);
        for node in overrides {
            let others = self.nested(node, level, None);
            let positions = self.positions(&others, &keys, node);
            for item in &mut items {
                // The key of an item that was merged before stays the same.
                let Some(other) = positions
                    .get(&merge_key(item, &keys))
                    .and_then(|nth| others.get(*nth))
                else {
                    continue;
                };
                match self.mode {
                    // Argo CD fails here: it has no map to add to.
                    Mode::Plain if item.is_empty() && !other.is_empty() => {
                        let message = "an item without parameters cannot be merged";
                        let help = "remove it from the first generator, or give it a parameter";
                        self.problems.error(base.id, message, help);
                    }
                    Mode::Plain => {
                        for (key, value) in other.iter() {
                            item.insert(key.clone(), value.clone());
                        }
                    }
                    Mode::Go(_) => {
                        if let Err(found) = merge_into(item, other) {
                            self.unmergeable(&found, node);
                        }
                    }
                }
            }
        }
        items
    }

    /// Returns the position of each item by its merge key. Reports two with the same.
    fn positions(
        &mut self,
        items: &[Parameters],
        keys: &[String],
        node: &Node,
    ) -> OrderedMap<String, usize> {
        let mut positions = OrderedMap::new();
        for (nth, item) in items.iter().enumerate() {
            if let Some(first) = positions.insert(merge_key(item, keys), nth) {
                let first = items.get(first).map(subject).unwrap_or_default();
                let keys: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
                let message = format!(
                    "two items of a generator in `merge` have the same {}: `{first}` and `{}`",
                    keys.join(", "),
                    subject(item)
                );
                let help = "name parameters in `mergeKeys` whose values differ; one that is missing counts as null";
                self.problems.error(node.id, message, help);
            }
        }
        positions
    }

    fn too_few(&mut self, generator: &Node) {
        let message = "`merge` takes at least two generators";
        self.problems.error(
            generator.id,
            message,
            "add a generator whose items override those of the first",
        );
    }

    /// Reports parameters that Argo CD cannot merge.
    pub(super) fn unmergeable(&mut self, found: &Unmergeable, node: &Node) {
        let message = format!(
            "`{}` of `clusters` and of another generator cannot be merged",
            found.path
        );
        let help = "Argo CD 3.2 fails here with `goTemplate: true`: only strings fit into labels, annotations and `values` of `clusters`; name the parameters differently";
        self.problems.error(node.id, message, help);
    }
}
