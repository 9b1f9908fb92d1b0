//! Expands ApplicationSets: the Applications that Argo CD's ApplicationSet controller would
//! make for registered clusters (read in Argo CD 3.2.12).

mod application;
mod application_set;
mod clusters;
mod document;
mod generators;
mod helm_numbers;
mod parameters;
mod problems;
mod selector;
mod template_patch;
mod templates;
#[cfg(test)]
mod tests;

use crate::collections::OrderedMap;
use crate::contract::expand::application::{Application, merged_template, render};
use crate::contract::expand::application_set::{ApplicationSet, KIND, is_application_set};
use crate::contract::expand::clusters::Cluster;
use crate::contract::expand::document::{Document, Reading, Wanted};
use crate::contract::expand::generators::{Generators, MAX_ITEMS};
use crate::contract::expand::problems::Problems;
use crate::contract::request::{DEFAULT_ANSWER_LIMIT, File};
use crate::report::{Diagnostic, Diagnostics, Origin, Rule};
use yaml::block;

/// The Applications of ApplicationSets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expanded {
    /// In the order of the ApplicationSets and of their generators; those of a cluster
    /// generator are sorted by the names of the clusters.
    pub applications: Vec<ExpandedApplication>,
    /// Warnings. Their origins are those of [`expand`].
    pub diagnostics: Diagnostics,
}

/// An Application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpandedApplication {
    /// `metadata.name`
    pub name: String,
    /// `metadata.namespace`, or an empty string.
    pub namespace: String,
    /// The name of its ApplicationSet.
    pub set: String,
    /// The manifest, a YAML document.
    pub content: Vec<u8>,
}

const READING: Reading = Reading {
    rule: Rule::InvalidApplicationSet,
    what: "the file",
    wanted: Some(Wanted {
        text: KIND,
        kinds: &[KIND],
    }),
    conceals: false,
};

/// Returns the Applications that Argo CD makes for the ApplicationSets in these files, with
/// the clusters whose Secrets are in the files `clusters`. Other documents are ignored. The
/// origin of labels in `files` is `Manifest`, in `clusters` it is `Outputs`.
///
/// The credentials in the Secrets are not read, and nothing of these files is shown.
///
/// # Errors
/// Every problem with the files and the clusters, and everything for which Argo CD would make
/// no Application, or a wrong one: parameters that a cluster lacks, generators that depend on
/// more than files, and functions of Go templates other than `index` and `default`.
///
/// # Examples
/// ```
/// use landfall::{File, expand};
///
/// let set = b"apiVersion: argoproj.io/v1alpha1
/// kind: ApplicationSet
/// metadata: {name: web}
/// spec:
///   generators: [{list: {elements: [{name: dev}]}}]
///   template:
///     metadata: {name: 'web-{{name}}'}
///     spec: {project: default}
/// ";
/// let file = File { path: "web.yaml".into(), content: set.to_vec() };
/// let expanded = expand(&[file], &[]).unwrap();
/// assert_eq!(expanded.applications[0].name, "web-dev");
/// ```
pub fn expand(files: &[File], clusters: &[File]) -> Result<Expanded, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let clusters = clusters::read(clusters, &mut diagnostics);
    let mut expansion = Expansion {
        clusters: &clusters,
        expanded: Expanded::default(),
        diagnostics,
        names: OrderedMap::new(),
        bytes: 0,
    };
    let mut has_sets = false;
    for (nth, file) in files.iter().enumerate() {
        let origin = Origin::Manifest(nth);
        for document in READING.documents(&file.content, origin, &mut expansion.diagnostics) {
            if is_application_set(&document.root) {
                has_sets = true;
                expansion.document(&document);
            }
        }
    }
    if !has_sets && !expansion.diagnostics.has_errors() {
        let error = Diagnostic::error(
            Rule::NoManifests,
            "there is no ApplicationSet in these files",
        );
        let help =
            "an ApplicationSet has `apiVersion: argoproj.io/v1alpha1` and `kind: ApplicationSet`";
        expansion.diagnostics.push(error.help(help));
    }
    if expansion.diagnostics.has_errors() {
        Err(expansion.diagnostics)
    } else {
        Ok(Expanded {
            diagnostics: expansion.diagnostics,
            ..expansion.expanded
        })
    }
}

/// Returns whether a file has the Secret of a cluster that is registered in Argo CD.
///
/// # Examples
/// ```
/// let content = b"apiVersion: v1
/// kind: Secret
/// metadata: {name: dev, labels: {argocd.argoproj.io/secret-type: cluster}}
/// stringData: {name: dev, server: 'https://dev.example.com'}
/// ";
/// let file = landfall::File { path: "dev.yaml".into(), content: content.to_vec() };
/// assert!(landfall::has_clusters(&file));
/// ```
#[must_use]
pub fn has_clusters(file: &File) -> bool {
    let found = clusters::read(std::slice::from_ref(file), &mut Diagnostics::default());
    found.iter().any(|cluster| cluster.has_secret)
}

struct Expansion<'c> {
    clusters: &'c [Cluster],
    expanded: Expanded,
    diagnostics: Diagnostics,
    /// The Applications by namespace and name, with the names of their sets.
    names: OrderedMap<(String, String), String>,
    bytes: u64,
}

impl Expansion<'_> {
    fn document(&mut self, document: &Document) {
        let mut problems = Problems::new(document);
        if let Some(set) = ApplicationSet::read(document, &mut problems) {
            self.check_namespace(&set, &mut problems);
            self.set(&set, &mut problems);
        }
        self.diagnostics.append(problems.finish());
    }

    /// Notes that Argo CD may run in another namespace than that of the clusters.
    fn check_namespace(&self, set: &ApplicationSet<'_>, problems: &mut Problems<'_>) {
        let (Some(own), Some(of_clusters)) = (set.namespace, clusters::namespace(self.clusters))
        else {
            return;
        };
        if own != of_clusters {
            let at = problems.document.root.id;
            let message = format!(
                "the cluster Secrets are in the namespace `{of_clusters}`, and the ApplicationSet is in `{own}`"
            );
            let help = "Argo CD reads only the Secrets in its own namespace: pass those";
            problems.note(at, Rule::MisreadApplicationSet, message, help);
        }
    }

    fn set<'d>(&mut self, set: &ApplicationSet<'d>, problems: &mut Problems<'d>) {
        let mut count = 0;
        for item in set.generators {
            let mut generators = Generators {
                mode: set.mode,
                clusters: self.clusters,
                problems: &mut *problems,
            };
            for generated in generators.top(item) {
                let template = merged_template(generated.template, set.template);
                for parameters in &generated.items {
                    if problems.is_exhausted() {
                        return;
                    }
                    count += 1;
                    if count > MAX_ITEMS {
                        let message = format!("more than {MAX_ITEMS} Applications");
                        problems.error(item.id, message, "select fewer clusters");
                        return;
                    }
                    if let Some(application) = render(set, &template, parameters, problems) {
                        self.add(set, application, item.id, problems);
                    }
                }
            }
        }
        if count == 0
            && !problems.has_errors()
            && let Some(first) = set.generators.first()
        {
            problems.empty(first.id, set.name);
        }
    }

    fn add<'d>(
        &mut self,
        set: &ApplicationSet<'d>,
        application: Application,
        generator: yaml::NodeId,
        problems: &mut Problems<'d>,
    ) {
        let namespace = set.namespace.unwrap_or_default().to_owned();
        let key = (namespace.clone(), application.name.clone());
        if let Some(other) = self.names.insert(key, set.name.to_owned()) {
            let message = if other == set.name {
                format!("two Applications have the name `{}`", application.name)
            } else {
                format!(
                    "the Application `{}` is also one of the ApplicationSet `{other}`",
                    application.name
                )
            };
            let help = "make the name in the template different for every item of the generators";
            problems.error(generator, message, help);
            return;
        }
        if !is_resource_name(&application.name) {
            let message = format!(
                "`{}` cannot be the name of an Application",
                application.name
            );
            let help = "a name has at most 253 characters: lowercase letters, digits, `-` and `.`, with a letter or digit at both ends; `nameNormalized` is the name of the cluster in these characters";
            problems.warn(generator, message, help);
        }
        let mut content = block(&application.value, 0, "\n");
        content.push('\n');
        self.bytes = self.bytes.saturating_add(content.len() as u64);
        if self.bytes > DEFAULT_ANSWER_LIMIT {
            let message = "the Applications are too large";
            problems.error(generator, message, "expand fewer ApplicationSets at once");
            return;
        }
        self.expanded.applications.push(ExpandedApplication {
            name: application.name,
            namespace,
            set: set.name.to_owned(),
            content: content.into_bytes(),
        });
    }
}

/// Returns whether the API server accepts a name of a resource.
fn is_resource_name(name: &str) -> bool {
    let is_edge = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_label = |label: &str| {
        let bytes = label.as_bytes();
        bytes.first().is_some_and(is_edge)
            && bytes.last().is_some_and(is_edge)
            && bytes.iter().all(|byte| is_edge(byte) || *byte == b'-')
    };
    name.len() <= 253 && name.split('.').all(is_label)
}
