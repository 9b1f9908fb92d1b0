//! The keys whose values decide what is selected.

use crate::collections::OrderedSet;
use crate::config::substitutions::{Fields, PathStep};

/// The keys whose values selectors and `[key=value]` steps compare, collected once because
/// a document looks them up for each of its references. The empty key means the items
/// themselves.
#[derive(Debug, Default)]
pub(super) struct ComparedKeys(OrderedSet<String>);

impl ComparedKeys {
    pub(super) fn new<'f>(fields: impl Iterator<Item = &'f Fields>) -> Self {
        let mut keys = OrderedSet::new();
        for fields in fields {
            keys.extend(["name", "namespace"].map(str::to_owned));
            for selector in std::iter::once(&fields.select).chain(&fields.reject) {
                let required = selector.labels.iter().chain(&selector.annotations);
                keys.extend(required.map(|requirement| requirement.key.clone()));
            }
            let steps = fields.paths.iter().flat_map(|path| &path.steps);
            keys.extend(steps.filter_map(|step| match step {
                PathStep::Match { key, .. } => Some(key.clone()),
                _ => None,
            }));
        }
        Self(keys)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.0.contains(key)
    }
}
