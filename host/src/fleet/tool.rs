//! Applications that another tool builds: it is run for one cluster after the other.

use std::collections::BTreeMap;
use std::rc::Rc;

use landfall_sandbox::types::{Counts, Diagnostic};

use crate::application::{Groups, render_groups};
use crate::discovery::Group;
use crate::draw::{Documents, OwnedDocuments};
use crate::engine::{Engine, Halted};
use crate::loading::Job;
use crate::problem;
use crate::rendered::Rendered;
use crate::reporter::{Failed, Recorded, Reporter};

use super::clusters::Cluster;
use super::grouped::{with_names, without_outputs};
use super::progress::Progress;
use super::{RenderedFleet, name_parameter};

/// The work on one application.
pub(super) struct ToolWork<'a> {
    pub(super) job: &'a Job<'a>,
    pub(super) group: &'a Group,
    pub(super) clusters: &'a [Cluster],
    pub(super) engine: &'a Engine,
    /// None: the clusters are not counted.
    pub(super) progress: Option<&'a Progress>,
}

impl<'a> ToolWork<'a> {
    /// Builds the application for all clusters, and adds their diagnostics to `reporter`. None: it
    /// has errors. `groups` have what is common to the clusters.
    ///
    /// # Errors
    /// The module was stopped, or its answer is invalid.
    pub(super) fn run(
        self,
        groups: &mut Groups<'a>,
        reporter: &mut Reporter,
    ) -> Result<Option<RenderedFleet>, Halted> {
        let mut found = Found::default();
        let mut application = None;
        let mut answers = Vec::with_capacity(self.clusters.len());
        for (nth, cluster) in self.clusters.iter().enumerate() {
            let mut recorder = reporter.recorder();
            if let Some(rendered) = self.cluster(cluster, groups, &mut recorder)? {
                let built = rendered.into_built()?;
                application.get_or_insert(built.application);
                answers.push(built.answer);
            }
            let (recorded, omitted) = recorder.into_recorded();
            found.add(nth, recorded, omitted);
            if let Some(progress) = self.progress {
                progress.add();
            }
        }
        found.report(self.clusters, reporter);
        let is_complete = answers.len() == self.clusters.len();
        let application = application.filter(|_| is_complete);
        Ok(application.map(|application| RenderedFleet {
            application,
            answers,
        }))
    }

    /// Builds the application for one cluster. None: there are errors.
    fn cluster(
        &self,
        cluster: &Cluster,
        groups: &mut Groups<'a>,
        reporter: &mut Reporter,
    ) -> Result<Option<Rendered>, Halted> {
        let job = self.job;
        let (mut flag_inputs, mut budget) = (groups.flag_inputs.clone(), groups.budget.clone());
        let mut problems = Vec::new();
        let documents = cluster.documents(&job.root, &mut budget, &mut problems);
        flag_inputs.outputs.extend(documents);
        let has_problems = !problems.is_empty();
        reporter.add(&Documents::default(), &problem::diagnostics(problems));
        if has_problems {
            return Ok(None);
        }
        let name = name_parameter(cluster);
        let mut parameters = job.parameters.clone();
        parameters.retain(|other| other.name != name.name);
        parameters.push(name);
        let mut of_cluster = Groups::again(
            job,
            self.engine,
            self.group,
            flag_inputs,
            budget,
            parameters,
        );
        let rendered = render_groups(job, &mut of_cluster, self.engine, reporter);
        groups.add_cluster(of_cluster);
        match rendered {
            Ok(mut all) => Ok(all.pop().map(|sources| sources.rendered)),
            Err(Failed::Reported(_)) => Ok(None),
            Err(Failed::Halted(halted)) => Err(halted),
        }
    }
}

/// The diagnostics of all clusters. Those that clusters have in common are reported once.
#[derive(Default)]
struct Found {
    /// In the order in which they are found.
    all: Vec<OfClusters>,
    /// The position of each, by its text and by how many of the same cluster before it have the
    /// same.
    positions: BTreeMap<(String, usize), usize>,
    /// As those of [`super::grouped::GroupedDiagnostics`].
    omitted: Counts,
}

struct OfClusters {
    diagnostic: Diagnostic,
    documents: Rc<OwnedDocuments>,
    clusters: Vec<usize>,
}

impl Found {
    fn add(&mut self, cluster: usize, recorded: Vec<Recorded>, omitted: Counts) {
        let Counts {
            errors,
            warnings,
            notes,
        } = &mut self.omitted;
        *errors = (*errors).max(omitted.errors);
        *warnings = (*warnings).max(omitted.warnings);
        *notes = (*notes).max(omitted.notes);
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for Recorded {
            documents,
            diagnostics,
        } in recorded
        {
            let documents = Rc::new(documents);
            for diagnostic in diagnostics {
                let text = without_outputs(&diagnostic);
                let before = seen.entry(text.clone()).or_default();
                let next = self.all.len();
                let position = *self.positions.entry((text, *before)).or_insert(next);
                *before += 1;
                if position == next {
                    self.all.push(OfClusters {
                        diagnostic,
                        documents: Rc::clone(&documents),
                        clusters: Vec::new(),
                    });
                }
                self.all[position].clusters.push(cluster);
            }
        }
    }

    fn report(self, clusters: &[Cluster], reporter: &mut Reporter) {
        for one in self.all {
            let found = with_names(&one.diagnostic, &one.clusters, clusters);
            reporter.add(&one.documents.get(), &[found]);
        }
        reporter.omit(self.omitted);
    }
}
