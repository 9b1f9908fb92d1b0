//! The problems of a document that do not depend on values.

use crate::report::{Counts, Diagnostic, MAX_DIAGNOSTICS};
use yaml::NodeId;

/// Diagnostics with the nodes whose fields they are about. The fields are only known once
/// values are, because a key may contain a reference.
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

    /// Adds a diagnostic, or only counts it if so many are kept that it would never be
    /// shown.
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
