//! `matrix`: every combination of the items of two generators. The second one is a template
//! with the parameters of the first (`applicationset/generators/matrix.go`).

use crate::contract::expand::document::Node;
use crate::contract::expand::generators::{Generators, Level};
use crate::contract::expand::parameters::{Parameters, merge_into, size};
use crate::contract::expand::templates::Mode;

const FIELDS: [&str; 2] = ["generators", "template"];

impl Generators<'_, '_> {
    pub(super) fn matrix(&mut self, generator: &Node, level: Level) -> Vec<Parameters> {
        self.problems
            .check_fields(generator, &FIELDS, "the generator `matrix`");
        let [first, second] = generator
            .field("generators")
            .map(Node::items)
            .unwrap_or_default()
        else {
            let message = "`matrix` takes exactly two generators";
            self.problems
                .error(generator.id, message, "nest another `matrix` for a third");
            return Vec::new();
        };
        let mut combined = Vec::new();
        for outer in self.nested(first, level, None) {
            let inner = self.nested(second, level, Some(&outer));
            if !self.allows(combined.len() + inner.len(), generator) {
                break;
            }
            for inner in inner {
                let bytes = size(&outer).saturating_add(size(&inner));
                if !self.problems.may_work(generator.id, bytes) {
                    return Vec::new();
                }
                combined.extend(self.combine(&outer, inner, generator));
            }
        }
        combined
    }

    /// Combines an item of each generator. In Go templates the first one's values replace
    /// those of the second; plain templates do not allow different ones.
    fn combine(
        &mut self,
        outer: &Parameters,
        inner: Parameters,
        generator: &Node,
    ) -> Option<Parameters> {
        let mut combined = inner;
        if self.mode == Mode::Plain {
            for (key, value) in outer.iter() {
                match combined.get(key) {
                    Some(other) if other != value => {
                        let message = format!(
                            "both generators of `matrix` have `{key}`, with different values"
                        );
                        let help = "rename one of them: plain templates cannot choose";
                        self.problems.error(generator.id, message, help);
                        return None;
                    }
                    _ => {
                        combined.insert(key.clone(), value.clone());
                    }
                }
            }
            return Some(combined);
        }
        match merge_into(&mut combined, outer) {
            Ok(()) => Some(combined),
            Err(found) => {
                self.unmergeable(&found, generator);
                None
            }
        }
    }
}
