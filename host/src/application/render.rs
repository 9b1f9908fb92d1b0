//! Renders the groups of a job.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use landfall_sandbox::Sources;
use landfall_sandbox::types::{
    BuiltInCeiling, Content, Diagnostic, File, Findings, Origin, Severity, Topic,
};

use crate::discovery::Group;
use crate::draw::{Document, Documents};
use crate::engine::{Answer, Engine, Halted, Plugin, Request, errors, has_errors};
use crate::files::{Budget, FileId};
use crate::loading::{FlagInputs, Job, Loaded, Loader, Repository, secrets_in_git};
use crate::problem::{self, Problem};
use crate::rendered::{Application, Rendered};
use crate::reporter::Reporter;
use crate::terraform::{Declared, DeclaredContract};
use crate::tools::{self, BuiltBy, Templated, build_all};

use super::charts::render_charts;
use super::repeated_resources::find_repeated;
use super::{flag_hints, other_bindings, parts};

/// Renders all groups of `job` and adds their diagnostics to `reporter`. The result must
/// not be used when [`Reporter::has_errors`]: an error in one group fails all of them.
///
/// # Errors
/// The module was stopped, or its answer is invalid.
pub(crate) fn render_all(
    job: &Job<'_>,
    mut problems: Vec<Problem>,
    engine: &Engine,
    reporter: &mut Reporter,
) -> Result<Vec<Rendered>, Halted> {
    let mut budget = Budget::new(job.limits.input);
    let mut flag_inputs = FlagInputs::of_job(job, &mut budget, &mut problems);
    flag_inputs.bound_otherwise = job.declared.iter().map(|it| it.name.clone()).collect();
    let contracts: Vec<_> = job.declared.iter().map(Declared::contract).collect();
    let ControlFlow::Continue(is_ready) = report_flag_inputs(problems, reporter) else {
        return Ok(Vec::new());
    };

    let watch = engine.watch();
    let mut written = BTreeSet::<FileId>::new();
    let mut rendered = Vec::with_capacity(job.groups.len());
    let (mut builds, mut charts) = (Vec::new(), Vec::new());
    for (position, group) in job.groups.iter().enumerate() {
        let mut plugin = engine.start()?;
        let mut loader = Loader::new(job, &flag_inputs, &mut budget, &mut written, &mut plugin);
        let built_by = match loader.group(group)? {
            Some(folder) => tools::load(&mut loader, folder)?,
            None => None,
        };
        let mut application = match report_loaded(loader.loaded, reporter) {
            ControlFlow::Break(()) => break,
            ControlFlow::Continue(Some(application)) if is_ready => application,
            ControlFlow::Continue(_) => continue,
        };
        let outputs = &mut application.request.inputs.documents;
        let binding_outputs = outputs.len();
        if position + 1 == job.groups.len() {
            outputs.append(&mut flag_inputs.outputs);
        } else {
            outputs.extend(flag_inputs.outputs.iter().cloned());
        }
        let call = Call {
            job,
            group,
            built_by: built_by.as_ref(),
            contracts: &contracts,
        };
        let in_parts = match &built_by {
            None => parts::render(job, engine, &mut plugin, &application).map(Ok),
            Some(_) => None,
        };
        let mut outcome = match in_parts {
            Some(mut outcome)
                if !learns_names(job, group, &outcome, &mut plugin, &mut application)? =>
            {
                add_hints(job, &application, &application.request, &mut outcome);
                outcome
            }
            _ => {
                let sources = plugin.sources(call.sources(&application))?;
                call.generate(&mut plugin, &sources, &mut application)?
            }
        };
        if let Some(repository) = job.repository {
            let documents = &application.request.inputs.documents;
            let counted = match repository {
                Repository::WorkTree => documents,
                // The operator's flags name files of the plugin.
                Repository::Extracted => &documents[..binding_outputs],
            };
            let (Ok(Answer { findings, .. }) | Err(findings)) = &outcome;
            let found = secrets_in_git(
                counted,
                &findings.readable_secrets,
                &application.request.configuration,
                repository,
            );
            reporter.add(&application.documents(), &found);
        }
        relocate(&mut outcome, &application, job.declared, &contracts);
        if let (
            Some(BuiltBy::Kustomize(kustomization)),
            Ok(Answer {
                findings: Findings { diagnostics, .. },
                ..
            })
            | Err(Findings { diagnostics, .. }),
        ) = (&built_by, &mut outcome)
        {
            kustomization.relocate(diagnostics);
        }
        // Outputs that are only declared are not in the request.
        if let Some(BuiltBy::Kustomize(kustomization)) = &built_by
            && contracts.is_empty()
        {
            let (files, request) = (application.files(), &application.request);
            outcome = kustomization.add_unbound(&mut plugin, files, request, outcome)?;
        }
        match outcome {
            Ok(mut answer) => {
                // Outputs that are only declared have no values: nothing is rendered.
                let is_rendered = contracts.is_empty();
                let is_templated = matches!(built_by, Some(BuiltBy::Helm(_))) && is_rendered;
                // The values of a chart are reported together with its manifests.
                if !is_templated {
                    report(job, &application, &mut answer, binding_outputs, reporter);
                }
                match built_by {
                    Some(BuiltBy::Kustomize(kustomization)) => {
                        if is_rendered {
                            match kustomization.rendered(&mut plugin, &application, &answer)? {
                                Ok(build) => builds.push((rendered.len(), build)),
                                Err(found) => reporter.add(&application.documents(), &found),
                            }
                        }
                        leave_unwritten(&mut application, &mut answer);
                    }
                    Some(BuiltBy::Helm(chart)) => {
                        // Files that define types come after the values.
                        let unchanged = application.files().len();
                        answer.sources.resize(unchanged, Content::Unchanged);
                        if is_rendered {
                            charts.push(Templated {
                                position: rendered.len(),
                                group,
                                chart,
                                binding_outputs,
                            });
                        }
                    }
                    None => {}
                }
                rendered.push(Rendered::new(application, answer)?);
            }
            Err(found) => {
                let found = errors(found)?;
                let documents = with_declared(application.documents(), job.declared);
                reporter.add(&documents, &found.diagnostics);
                reporter.omit(found.omitted);
            }
        }
    }
    // The tools have limits of their own.
    drop(watch);
    let is_ready = !reporter.has_errors();
    if is_ready {
        build_all(job, builds, &mut rendered, engine, reporter)?;
    }
    render_charts(job, &charts, is_ready, &mut rendered, engine, reporter)?;
    if !reporter.has_errors() {
        for Rendered {
            application,
            answer,
        } in &rendered
        {
            report_repeated(job, application, answer, reporter);
        }
    }
    Ok(rendered)
}

/// Reports the notes and warnings of an answer, except those about other applications.
/// `binding_outputs`: the number of outputs documents that the Binding binds.
pub(crate) fn report(
    job: &Job<'_>,
    application: &Application,
    answer: &mut Answer,
    binding_outputs: usize,
    reporter: &mut Reporter,
) {
    if job.groups.len() > 1 {
        // Another application may use the outputs that flags bind.
        answer
            .findings
            .diagnostics
            .retain(|found| !is_unused_note_for_flags(found, binding_outputs));
    }
    answer
        .findings
        .diagnostics
        .retain(|found| !is_about_unwritten_file(found, application));
    let documents = with_declared(application.documents(), job.declared);
    reporter.add(&documents, &answer.findings.diagnostics);
    reporter.omit(answer.findings.omitted);
}

/// Reports the resources that an application emits twice.
fn report_repeated(
    job: &Job<'_>,
    application: &Application,
    answer: &Answer,
    reporter: &mut Reporter,
) {
    let (mut found, omitted) = find_repeated(job, application, answer);
    found.retain(|found| !is_about_unwritten_file(found, application));
    reporter.add(&application.documents(), &found);
    reporter.omit(omitted);
}

/// Leaves no file to write: kustomize builds the manifests.
fn leave_unwritten(application: &mut Application, answer: &mut Answer) {
    let sources = application.sources_mut();
    answer.sources = vec![Content::Unchanged; sources.len()];
    sources.iter_mut().for_each(|source| source.target = None);
}

/// Checks references to outputs that are only declared. The answer changes no file.
fn check_references(
    plugin: &mut Plugin,
    sources: &[File],
    request: &Request,
    contracts: &[DeclaredContract],
) -> Result<Result<Answer, Findings>, Halted> {
    let documents: Vec<_> = contracts.iter().map(|it| it.document.clone()).collect();
    let found = plugin.check_references(sources, request, &documents)?;
    if has_errors(&found.diagnostics) {
        return Ok(Err(found));
    }
    Ok(Ok(Answer {
        sources: vec![Content::Unchanged; sources.len()],
        built: Vec::new(),
        findings: found,
        substitutions: None,
    }))
}

/// Moves labels about declared outputs to the code that declares them, the files of which
/// follow the outputs documents of the request.
fn relocate(
    outcome: &mut Result<Answer, Findings>,
    application: &Application,
    declared: &[Declared],
    contracts: &[DeclaredContract],
) {
    let first = application.request.inputs.documents.len();
    let diagnostics = match outcome {
        Ok(answer) => &mut answer.findings.diagnostics,
        Err(found) => &mut found.diagnostics,
    };
    for found in diagnostics {
        for label in &mut found.labels {
            let Origin::Outputs(position) = label.span.origin else {
                continue;
            };
            let nth = (position as usize).checked_sub(first);
            let Some((nth, contract)) = nth.and_then(|nth| Some((nth, contracts.get(nth)?))) else {
                continue;
            };
            let files_before: usize = declared.iter().take(nth).map(|it| it.files.len()).sum();
            contract.relocate(label, first + files_before);
        }
    }
}

/// Adds the code that declares outputs to the documents.
fn with_declared<'a>(mut documents: Documents<'a>, declared: &'a [Declared]) -> Documents<'a> {
    let files = declared.iter().flat_map(|declared| &declared.files);
    documents.outputs.extend(files.map(Document::from));
    documents
}

/// Reports what is wrong with the files that flags name. Breaks if nothing more may be read,
/// and otherwise returns whether those files can be used: if not, what is wrong with the
/// applications is still reported.
pub(crate) fn report_flag_inputs(
    problems: Vec<Problem>,
    reporter: &mut Reporter,
) -> ControlFlow<(), bool> {
    let is_full = problems.iter().any(Problem::stops_reading);
    let found = problem::diagnostics(problems);
    reporter.add(&Documents::default(), &found);
    if is_full {
        return ControlFlow::Break(());
    }
    ControlFlow::Continue(!has_errors(&found))
}

/// Adds the problems with a group to `reporter` and returns the application to render. None:
/// there is none, or it has errors. Break: no more files can be read.
pub(crate) fn report_loaded(
    loaded: Loaded,
    reporter: &mut Reporter,
) -> ControlFlow<(), Option<Application>> {
    let Loaded {
        application,
        problems,
        findings:
            Findings {
                diagnostics: mut found,
                omitted,
                ..
            },
        has_duplicates,
    } = loaded;
    let is_full = problems.iter().any(Problem::stops_reading);
    found.extend(problem::diagnostics(problems));
    reporter.add(&application.documents(), &found);
    reporter.omit(omitted);
    if is_full {
        return ControlFlow::Break(());
    }
    let is_written = !has_duplicates || application.written() > 0;
    ControlFlow::Continue((is_written && !has_errors(&found)).then_some(application))
}

/// How the module is called for the manifests of a group.
pub(super) struct Call<'c> {
    pub(crate) job: &'c Job<'c>,
    pub(crate) group: &'c Group,
    pub(super) built_by: Option<&'c BuiltBy>,
    /// The contracts of outputs that are only declared.
    pub(super) contracts: &'c [DeclaredContract],
}

impl Call<'_> {
    /// Returns the sources that the module renders first.
    fn sources<'f>(&'f self, application: &'f Application) -> &'f [File] {
        let files = application.files();
        self.built_by
            .map_or(files, |built_by| built_by.sources(files))
    }

    /// Calls the module for the request of an application. A render that has found unbound
    /// references is repeated with the names that other Bindings bind.
    pub(super) fn generate(
        &self,
        plugin: &mut Plugin,
        sources: &Sources,
        application: &mut Application,
    ) -> Result<Result<Answer, Findings>, Halted> {
        let mut outcome = self.call(plugin, sources, application)?;
        if learns_names(self.job, self.group, &outcome, plugin, application)? {
            outcome = self.call(plugin, sources, application)?;
        }
        add_hints(self.job, application, &application.request, &mut outcome);
        Ok(outcome)
    }

    fn call(
        &self,
        plugin: &mut Plugin,
        sources: &Sources,
        application: &Application,
    ) -> Result<Result<Answer, Findings>, Halted> {
        let request = &application.request;
        match self.contracts {
            [] if matches!(self.built_by, Some(BuiltBy::Helm(_))) => {
                Ok(plugin.generate_values(self.sources(application), request)?)
            }
            [] => Ok(plugin.generate(sources, request)?),
            contracts => check_references(plugin, self.sources(application), request, contracts),
        }
    }
}

/// Adds the names of other Bindings to a request, if they may change what was found. Returns
/// whether there are any.
fn learns_names(
    job: &Job<'_>,
    group: &Group,
    outcome: &Result<Answer, Findings>,
    plugin: &mut Plugin,
    application: &mut Application,
) -> Result<bool, Halted> {
    if !other_bindings::may_need_known_names(outcome) {
        return Ok(false);
    }
    let mut names = other_bindings::known_names(job, group, plugin)?;
    let documents = &application.request.inputs.documents;
    other_bindings::retain_relevant(&mut names, &application.texts(), documents);
    let inputs = &mut application.request.inputs;
    names.retain(|name| !inputs.known_names.contains(name));
    let has_new = !names.is_empty();
    inputs.known_names.extend(names);
    Ok(has_new)
}

/// Adds the flags that would help to the diagnostics of a request, where the user can set
/// them.
pub(crate) fn add_hints(
    job: &Job<'_>,
    application: &Application,
    request: &Request,
    outcome: &mut Result<Answer, Findings>,
) {
    if job.ceiling.built_in == BuiltInCeiling::None {
        flag_hints::add(outcome, request, application.sources());
    }
}

/// Returns whether this is a note about unused outputs of documents that flags bind.
/// They come after the first `binding_outputs` documents of a request.
pub(crate) fn is_unused_note_for_flags(found: &Diagnostic, binding_outputs: usize) -> bool {
    found.topic == Some(Topic::UnusedOutput)
        && found.severity == Severity::Note
        && found.labels.iter().all(|label| match label.span.origin {
            Origin::Outputs(position) => position as usize >= binding_outputs,
            _ => false,
        })
}

/// Returns whether this is a warning or note about a file that is not written.
pub(crate) fn is_about_unwritten_file(found: &Diagnostic, application: &Application) -> bool {
    let origin = found.labels.first().map(|label| label.span.origin);
    match origin {
        Some(Origin::Manifest(position)) if found.severity != Severity::Error => {
            let source = application.sources().get(position as usize);
            source.is_some_and(|source| source.target.is_none())
        }
        _ => false,
    }
}
