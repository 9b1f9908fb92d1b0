//! What is wrong with a document whatever the values are.

use crate::report::{Counts, Diagnostic, MAX_DIAGNOSTICS};
use yaml::NodeId;

/// Diagnostics with the nodes whose fields they belong to. Their fields are known when
/// values are: a reference can be in a key.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<(Option<NodeId>, Diagnostic)>,
    kept: Counts,
    omitted: Counts,
}

impl Findings {
    pub(crate) const fn empty() -> Self {
        Self {
            list: Vec::new(),
            kept: Counts::none(),
            omitted: Counts::none(),
        }
    }

    /// Adds a diagnostic, or counts it where so many are kept that it would never be shown.
    pub(crate) fn push(&mut self, node: Option<NodeId>, diagnostic: Diagnostic) {
        let severity = diagnostic.severity;
        if self.kept.get(severity) < MAX_DIAGNOSTICS as u64 {
            self.kept.add(severity, 1);
            self.list.push((node, diagnostic));
        } else {
            self.omitted.add(severity, 1);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Option<NodeId>, Diagnostic)> {
        self.list.iter()
    }

    /// Returns how many diagnostics were only counted.
    pub(crate) const fn omitted(&self) -> Counts {
        self.omitted
    }
}
