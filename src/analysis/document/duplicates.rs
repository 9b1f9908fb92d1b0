//! Keys that the author wrote twice in one mapping.

use super::{Analyser, Located};
use crate::kubernetes::Format;
use crate::report::{Diagnostic, Rule};
use yaml::NodeId;

impl Analyser<'_> {
    /// Reports equal keys of one mapping. Those with a reference in them are compared when
    /// their values are known.
    pub(super) fn report_duplicate_keys(&mut self, located: &Located, format: Format) {
        // The branches of a template may have the same keys.
        if format == Format::Template {
            return;
        }
        let Located { tree, masks, .. } = located;
        let is_written = |id: NodeId| {
            let range = tree[id].range();
            let next = masks.partition_point(|mask| mask.range.end <= range.start);
            masks
                .get(next)
                .is_none_or(|mask| range.end <= mask.range.start)
        };
        for pair in tree.duplicate_keys() {
            if !pair.into_iter().all(is_written) {
                continue;
            }
            let [key, earlier] = pair.map(|id| self.span(&tree[id].range()));
            let warning = Diagnostic::warning(
                Rule::DuplicateKey,
                "this map has the key twice: most readers take the last one, others refuse the file",
            )
            .at(self.source.origin, key, "this key")
            .at(self.source.origin, earlier, "first defined here")
            .help("remove the one that is not meant");
            self.findings.push(Some(pair[0]), warning);
        }
    }
}
