//! Distributes the clusters of a fleet across threads, each with an instance of the module. The
//! result does not depend on the number of threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use landfall_sandbox::types::{Counts, Diagnostic, Findings, KnownName, OutputsDocument};
use landfall_sandbox::{Sources, Watch};

use crate::application::{
    Queue, add_hints, find_repeated, into_inner, is_about_unwritten_file, is_unused_note_for_flags,
    known_names, locked, new_names, run_in,
};
use crate::discovery::Group;
use crate::engine::{Answer, Engine, Halted, Plugin, Request, errors, has_errors};
use crate::files::Budget;
use crate::loading::{FlagInputs, Job, Loader};
use crate::problem;
use crate::rendered::Application;

use super::clusters::Cluster;
use super::grouped::GroupedDiagnostics;
use super::progress::Progress;
use super::{Outcome, name_parameter};

/// The work on one group of manifests.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(crate) job: &'a Job<'a>,
    pub(crate) group: &'a Group,
    pub(super) flag_inputs: &'a FlagInputs,
    pub(crate) application: &'a Application,
    /// What is left after all other files were read. Each cluster has as much.
    pub(crate) budget: &'a Budget,
    pub(super) clusters: &'a [Cluster],
    pub(super) engine: &'a Engine,
    /// None: the clusters are not counted.
    pub(super) progress: Option<&'a Progress>,
}

/// What the threads share.
struct Shared {
    /// The clusters after the first. Cleared if the work was stopped.
    queue: Queue,
    /// Whether there is an error, so that no answer is needed.
    has_errors: AtomicBool,
    answers: Mutex<Vec<Option<Answer>>>,
    grouped: Mutex<GroupedDiagnostics>,
    /// The names that other Bindings bind, once they are needed.
    known_names: Mutex<Option<Vec<KnownName>>>,
    /// Why the work was stopped, with the index of the cluster.
    halted: Mutex<Option<(usize, Halted)>>,
}

/// The result of one cluster.
struct OfCluster {
    answer: Option<Answer>,
    diagnostics: Vec<Diagnostic>,
    omitted: Counts,
    outputs: Vec<OutputsDocument>,
}

impl Work<'_> {
    /// Renders all clusters, in this thread and in others. `plugin` and `watch` are those of
    /// this thread.
    ///
    /// # Errors
    /// The module was stopped, or its answer is invalid.
    pub(super) fn run(self, plugin: Plugin, watch: &Watch, jobs: usize) -> Result<Outcome, Halted> {
        let shared = Shared {
            queue: Queue::new(1..self.clusters.len()),
            has_errors: AtomicBool::new(false),
            answers: Mutex::new(self.clusters.iter().map(|_| None).collect()),
            grouped: Mutex::default(),
            known_names: Mutex::default(),
            halted: Mutex::default(),
        };
        // The first cluster decides whether the names of other Bindings are part of all
        // requests: most unbound references are the same for all clusters, and other names
        // make the module analyse the manifests again.
        let mut worker = Worker {
            work: self,
            shared: &shared,
            request: self.application.request.clone(),
            plugin,
        };
        let sources = worker.plugin.sources(self.application.files())?;
        watch.restart();
        worker.cluster(0, &sources)?;
        let request = worker.request.clone();
        let other = || self.start(&shared, request.clone());
        run_in(jobs, "fleet", other, || worker.run(&sources, watch));
        if let Some((_, halted)) = into_inner(shared.halted) {
            return Err(halted);
        }
        let grouped = into_inner(shared.grouped);
        let answers = if grouped.has_errors {
            Vec::new()
        } else {
            into_inner(shared.answers).into_iter().flatten().collect()
        };
        Ok((answers, grouped))
    }

    /// Works in another thread.
    fn start(self, shared: &Shared, request: Request) {
        // Without clusters left, an instance would be of no use.
        if shared.queue.is_empty() {
            return;
        }
        let watch = self.engine.watch();
        let started = self.engine.start().and_then(|mut plugin| {
            let sources = plugin.sources(self.application.files())?;
            Ok((plugin, sources))
        });
        match started {
            Ok((plugin, sources)) => Worker {
                work: self,
                shared,
                request,
                plugin,
            }
            .run(&sources, &watch),
            Err(halted) => shared.halt(self.clusters.len(), halted),
        }
    }
}

impl Shared {
    /// Stops all threads. The error of the first cluster is kept.
    fn halt(&self, cluster: usize, halted: Halted) {
        self.queue.clear();
        let mut first = locked(&self.halted);
        if first.as_ref().is_none_or(|(other, _)| cluster < *other) {
            *first = Some((cluster, halted));
        }
    }

    /// Returns the names that other Bindings bind, which are read once for all clusters.
    fn known_names(
        &self,
        job: &Job<'_>,
        group: &Group,
        plugin: &mut Plugin,
    ) -> Result<Vec<KnownName>, Halted> {
        let mut known = locked(&self.known_names);
        if let Some(names) = &*known {
            return Ok(names.clone());
        }
        let names = known_names(job, group, plugin)?;
        Ok(known.insert(names).clone())
    }
}

/// A thread with its instance of the module.
struct Worker<'a> {
    work: Work<'a>,
    shared: &'a Shared,
    /// The request without the outputs documents of a cluster.
    request: Request,
    plugin: Plugin,
}

impl Worker<'_> {
    /// Renders clusters until none is left.
    fn run(&mut self, sources: &Sources, watch: &Watch) {
        while let Some(cluster) = self.shared.queue.take() {
            watch.restart();
            if let Err(halted) = self.cluster(cluster, sources) {
                return self.shared.halt(cluster, halted);
            }
        }
        // Other threads may still render theirs.
        watch.pause();
    }

    /// Renders one cluster and adds the result to what is shared.
    fn cluster(&mut self, nth: usize, sources: &Sources) -> Result<(), Halted> {
        let Some(cluster) = self.work.clusters.get(nth) else {
            return Ok(());
        };
        let OfCluster {
            answer,
            diagnostics,
            omitted,
            outputs,
        } = self.render(nth, cluster, sources)?;
        match answer {
            Some(answer) if !self.shared.has_errors.load(Ordering::Relaxed) => {
                if let Some(slot) = locked(&self.shared.answers).get_mut(nth) {
                    *slot = Some(answer);
                }
            }
            Some(_) => {}
            None => {
                self.shared.has_errors.store(true, Ordering::Relaxed);
                locked(&self.shared.answers).clear();
            }
        }
        locked(&self.shared.grouped).add(nth, diagnostics, omitted, outputs);
        if let Some(progress) = self.work.progress {
            progress.add();
        }
        Ok(())
    }

    fn render(
        &mut self,
        nth: usize,
        cluster: &Cluster,
        sources: &Sources,
    ) -> Result<OfCluster, Halted> {
        let (documents, of_binding, found) = self.documents(cluster)?;
        let failed = |diagnostics, omitted, outputs| OfCluster {
            answer: None,
            diagnostics,
            omitted,
            outputs,
        };
        if has_errors(&found.diagnostics) {
            return Ok(failed(found.diagnostics, found.omitted, documents));
        }
        let mut diagnostics = found.diagnostics;
        self.request.inputs.documents = documents;
        self.set_name(cluster);
        let outcome = self.generate(nth, sources);
        let outputs = std::mem::take(&mut self.request.inputs.documents);
        let Work {
            job, application, ..
        } = self.work;
        match outcome? {
            Ok(mut answer) => {
                answer.check(application.files())?;
                let is_kept = |found: &Diagnostic| {
                    let of_others = job.groups.len() > 1;
                    !(of_others && is_unused_note_for_flags(found, of_binding)
                        || is_about_unwritten_file(found, application))
                };
                diagnostics.extend(std::mem::take(&mut answer.findings.diagnostics));
                let (repeated, omitted) = find_repeated(job, application, &answer);
                let has_errors = has_errors(&repeated) || omitted.errors > 0;
                diagnostics.extend(repeated);
                diagnostics.retain(is_kept);
                let omitted = Counts {
                    errors: answer.findings.omitted.errors + omitted.errors,
                    warnings: answer.findings.omitted.warnings + omitted.warnings,
                    notes: answer.findings.omitted.notes + omitted.notes,
                };
                Ok(OfCluster {
                    answer: (!has_errors).then_some(answer),
                    diagnostics,
                    omitted,
                    outputs,
                })
            }
            Err(found) => {
                let found = errors(found)?;
                diagnostics.extend(found.diagnostics);
                Ok(failed(diagnostics, found.omitted, outputs))
            }
        }
    }

    /// Sets the parameter with the name of the cluster.
    fn set_name(&mut self, cluster: &Cluster) {
        let parameter = name_parameter(cluster);
        let parameters = &mut self.request.parameters;
        parameters.retain(|other| other.name != parameter.name);
        parameters.push(parameter);
    }

    /// Loads the outputs documents of a cluster: those of the Binding, which come first and
    /// whose number is returned, those of `-b`, and those of `--each`.
    fn documents(
        &mut self,
        cluster: &Cluster,
    ) -> Result<(Vec<OutputsDocument>, usize, Findings), Halted> {
        let Work {
            job,
            group,
            flag_inputs,
            budget,
            ..
        } = self.work;
        let mut budget = budget.clone();
        self.set_name(cluster);
        let mut written = std::collections::BTreeSet::new();
        let mut loader = Loader::new(
            job,
            flag_inputs,
            &mut budget,
            &mut written,
            &mut self.plugin,
        );
        let request = &mut loader.loaded.application.request;
        request
            .configuration
            .binding
            .clone_from(&self.request.configuration.binding);
        request.parameters.clone_from(&self.request.parameters);
        let result = loader.only_outputs(group);
        loader.settle(result)?;
        let mut loaded = loader.loaded;
        let mut documents = std::mem::take(&mut loaded.application.request.inputs.documents);
        // The resources among the manifests.
        let common = &self.work.application.request.inputs.documents;
        documents.extend(common.iter().cloned());
        documents.sort_by_key(|document| document.declared_at);
        let of_binding = documents.len();
        documents.extend(flag_inputs.outputs.iter().cloned());
        documents.extend(cluster.documents(&job.root, &mut budget, &mut loaded.problems));
        let mut found = loaded.findings;
        found
            .diagnostics
            .extend(problem::diagnostics(loaded.problems));
        Ok((documents, of_binding, found))
    }

    /// Calls the module for the request of the cluster with the index `nth`, as
    /// `application/render.rs` does for that of an application.
    fn generate(
        &mut self,
        nth: usize,
        sources: &Sources,
    ) -> Result<Result<Answer, Findings>, Halted> {
        let Work {
            job,
            group,
            application,
            ..
        } = self.work;
        let mut outcome = self.plugin.generate(sources, &self.request)?;
        let base = application.request.inputs.known_names.len();
        let has_names = self.request.inputs.known_names.len() > base;
        if !has_names {
            let (shared, plugin) = (self.shared, &mut self.plugin);
            let all = || shared.known_names(job, group, plugin);
            let names = new_names(&outcome, application, &self.request, all)?;
            if !names.is_empty() {
                self.request.inputs.known_names.extend(names);
                outcome = self.plugin.generate(sources, &self.request)?;
                if nth > 0 {
                    self.request.inputs.known_names.truncate(base);
                }
            }
        }
        add_hints(job, application, &self.request, &mut outcome);
        Ok(outcome)
    }
}
