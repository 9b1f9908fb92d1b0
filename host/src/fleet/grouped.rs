//! The diagnostics of all clusters of a fleet. Those that clusters have in common are
//! reported once, with the names of the clusters.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use landfall_sandbox::types::{Counts, Diagnostic, Label, Origin, OutputsDocument, Severity, Span};

use crate::rendered::Application;
use crate::reporter::Reporter;

use super::clusters::Cluster;
use super::progress::thousands;

/// How many clusters a diagnostic names.
const MAX_NAMES: usize = 10;

/// The diagnostics of clusters, added in any order.
#[derive(Debug, Default)]
pub(super) struct GroupedDiagnostics {
    groups: BTreeMap<Key, Group>,
    /// The diagnostics that the module did not return, of the cluster with the most: other
    /// clusters probably have the same.
    omitted: Counts,
    pub(super) has_errors: bool,
}

/// Everything that a diagnostic has besides what is in outputs documents, and how many
/// diagnostics of the same cluster before it have the same.
type Key = (String, usize);

#[derive(Debug)]
struct Group {
    /// The first cluster, and the position among its diagnostics.
    first: (usize, usize),
    /// That of the first cluster, with the outputs documents that its spans point into.
    diagnostic: Diagnostic,
    outputs: Arc<Vec<OutputsDocument>>,
    clusters: Vec<usize>,
}

impl GroupedDiagnostics {
    /// Adds the diagnostics of a cluster, which has an index among all clusters.
    pub(crate) fn add(
        &mut self,
        cluster: usize,
        diagnostics: Vec<Diagnostic>,
        omitted: Counts,
        outputs: Vec<OutputsDocument>,
    ) {
        let Counts {
            errors,
            warnings,
            notes,
        } = &mut self.omitted;
        *errors = (*errors).max(omitted.errors);
        *warnings = (*warnings).max(omitted.warnings);
        *notes = (*notes).max(omitted.notes);
        self.has_errors |= omitted.errors > 0;
        if diagnostics.is_empty() {
            return;
        }
        let outputs = Arc::new(outputs);
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for (position, diagnostic) in diagnostics.into_iter().enumerate() {
            self.has_errors |= diagnostic.severity == Severity::Error;
            let text = without_outputs(&diagnostic);
            let before = seen.entry(text.clone()).or_default();
            let key = (text, *before);
            *before += 1;
            let first = (cluster, position);
            let group = self.groups.entry(key).or_insert_with(|| Group {
                first,
                diagnostic: diagnostic.clone(),
                outputs: Arc::clone(&outputs),
                clusters: Vec::new(),
            });
            group.clusters.push(cluster);
            if first < group.first {
                group.first = first;
                group.diagnostic = diagnostic;
                group.outputs = Arc::clone(&outputs);
            }
        }
    }

    /// Reports the diagnostics in the order of the clusters, whatever the order in which they
    /// were added.
    pub(crate) fn report(
        self,
        application: &Application,
        clusters: &[Cluster],
        reporter: &mut Reporter,
    ) {
        let mut groups: Vec<Group> = self.groups.into_values().collect();
        groups.sort_by_key(|group| group.first);
        // The documents are located once for all diagnostics of a cluster.
        for of_cluster in groups.chunk_by(|one, next| one.first.0 == next.first.0) {
            let diagnostics: Vec<_> = of_cluster
                .iter()
                .map(|group| with_names(&group.diagnostic, &group.clusters, clusters))
                .collect();
            if let Some(group) = of_cluster.first() {
                reporter.add(&application.documents_with(&group.outputs), &diagnostics);
            }
        }
        reporter.omit(self.omitted);
    }
}

/// Returns the text of everything that a diagnostic has besides what is in outputs documents.
pub(super) fn without_outputs(diagnostic: &Diagnostic) -> String {
    let is_outputs = |origin| matches!(origin, Origin::Outputs(_));
    let mut text = String::new();
    let Diagnostic {
        rule,
        topic: _,
        severity,
        message,
        labels,
        help,
        fixes,
        resource,
        field,
    } = diagnostic;
    let labels = labels.iter().filter(|label| !is_outputs(label.span.origin));
    let fixes = fixes.iter().filter(|fix| !is_outputs(fix.target));
    let (labels, fixes): (Vec<_>, Vec<_>) = (labels.collect(), fixes.collect());
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "{severity:?} {rule:?} {message:?} {labels:?} {help:?} {fixes:?} {resource:?} {field:?}"
    );
    text
}

/// Returns a diagnostic with a label that names the clusters which have it.
pub(super) fn with_names(
    diagnostic: &Diagnostic,
    of_group: &[usize],
    clusters: &[Cluster],
) -> Diagnostic {
    let mut of_group = of_group.to_vec();
    of_group.sort_unstable();
    let names: Vec<_> = of_group
        .iter()
        .filter_map(|&cluster| clusters.get(cluster))
        .map(|cluster| cluster.name.as_str())
        .collect();
    let mut diagnostic = diagnostic.clone();
    diagnostic.labels.push(Label {
        span: Span {
            origin: Origin::Parameters,
            start: 0,
            end: 0,
        },
        message: named(&names, clusters.len()),
        conceal: false,
    });
    diagnostic
}

/// Formats `in 12 of 50 clusters: a, b, …`.
fn named(names: &[&str], all: usize) -> String {
    if names.len() == all && all > 1 {
        return format!("in all {} clusters", thousands(all));
    }
    let shown = names.get(..MAX_NAMES).unwrap_or(names).join(", ");
    let more = if names.len() > MAX_NAMES { ", …" } else { "" };
    let plural = if all == 1 { "" } else { "s" };
    format!(
        "in {} of {} cluster{plural}: {shown}{more}",
        thousands(names.len()),
        thousands(all)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostic(message: &str, outputs_at: u32) -> Diagnostic {
        let label = |origin, start| Label {
            span: Span {
                origin,
                start,
                end: start + 1,
            },
            message: String::new(),
            conceal: false,
        };
        Diagnostic {
            rule: "unknown-output".to_owned(),
            topic: None,
            severity: Severity::Error,
            message: message.to_owned(),
            labels: vec![
                label(Origin::Manifest(0), 5),
                label(Origin::Outputs(0), outputs_at),
            ],
            help: None,
            fixes: Vec::new(),
            resource: None,
            field: None,
        }
    }

    fn added(order: &[usize]) -> Vec<(String, Vec<usize>, (usize, usize))> {
        let of_cluster = [
            vec![diagnostic("a", 1), diagnostic("b", 2)],
            vec![diagnostic("b", 7), diagnostic("b", 9)],
            vec![diagnostic("a", 3)],
        ];
        let mut all = GroupedDiagnostics::default();
        for &cluster in order {
            let found = of_cluster[cluster].clone();
            all.add(cluster, found, Counts::default(), Vec::new());
        }
        assert!(all.has_errors);
        let mut groups: Vec<_> = all.groups.into_values().collect();
        groups.sort_by_key(|group| group.first);
        let groups = groups.into_iter().map(|mut group| {
            group.clusters.sort_unstable();
            (group.diagnostic.message, group.clusters, group.first)
        });
        groups.collect()
    }

    #[test]
    fn groups_do_not_depend_on_the_order_of_the_clusters() {
        let expected = vec![
            ("a".to_owned(), vec![0, 2], (0, 0)),
            ("b".to_owned(), vec![0, 1], (0, 1)),
            ("b".to_owned(), vec![1], (1, 1)),
        ];
        assert_eq!(added(&[0, 1, 2]), expected);
        assert_eq!(added(&[2, 1, 0]), expected);
        assert_eq!(added(&[1, 2, 0]), expected);
    }

    #[test]
    fn names_some_of_the_clusters() {
        assert_eq!(named(&["a"], 1), "in 1 of 1 cluster: a");
        assert_eq!(named(&["a", "b"], 3), "in 2 of 3 clusters: a, b");
        assert_eq!(named(&["a", "b"], 2), "in all 2 clusters");
        assert_eq!(
            named(&["a"; 12], 1000),
            "in 12 of 1,000 clusters: a, a, a, a, a, a, a, a, a, a, …"
        );
    }
}
