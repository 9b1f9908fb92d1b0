//! Renders the groups of a job.

use std::borrow::Cow;

use landfall_sandbox::Sources;
use landfall_sandbox::types::{
    BuiltInCeiling, Content, Diagnostic, File, Findings, Origin, OutputsDocument, Severity, Topic,
};

use crate::discovery::Group;
use crate::draw::{Document, Documents};
use crate::engine::{Answer, Engine, Halted, Plugin, Request, has_errors};
use crate::files::Budget;
use crate::loading::{FlagInputs, Job, Repository, secrets_in_git};
use crate::problem::Problem;
use crate::rendered::{Application, Rendered};
use crate::reporter::{Failed, Reporter};
use crate::terraform::{Declared, DeclaredContract};
use crate::tools::{Build, BuiltBy, SourcesOf, Templated, build_all};

use super::charts::render_charts;
use super::groups::{Groups, LoadedGroup};
use super::other_bindings::{known_names, new_names};
use super::repeated_resources::find_repeated;
use super::{flag_hints, parts};

/// Renders all groups of `job` and adds their diagnostics to `reporter`.
///
/// # Errors
/// An error was reported: one in one group fails all of them. Or the module was stopped, or its
/// answer is invalid.
pub(crate) fn render_all(
    job: &Job<'_>,
    problems: Vec<Problem>,
    engine: &Engine,
    reporter: &mut Reporter,
) -> Result<Vec<Rendered>, Failed> {
    let sources = render_sources(job, problems, engine, reporter)?.into_iter();
    Ok(sources.map(|sources| sources.rendered).collect())
}

/// A rendered application.
pub(crate) struct RenderedSources {
    pub(crate) rendered: Rendered,
    pub(crate) sources: SourcesOf,
}

/// As [`render_all`], with the tools that are not run.
///
/// # Errors
/// As [`render_all`].
pub(crate) fn render_sources(
    job: &Job<'_>,
    mut problems: Vec<Problem>,
    engine: &Engine,
    reporter: &mut Reporter,
) -> Result<Vec<RenderedSources>, Failed> {
    let mut budget = Budget::new(job.limits.input);
    let mut flag_inputs = FlagInputs::of_job(job, &mut budget, &mut problems);
    flag_inputs.bound_otherwise = job.declared.iter().map(|it| it.name.clone()).collect();
    let mut groups = Groups::new(job, engine, flag_inputs, budget, problems, reporter);
    render_groups(job, &mut groups, engine, reporter)
}

/// Renders groups as [`render_sources`] does.
///
/// # Errors
/// As [`render_all`].
pub(crate) fn render_groups(
    job: &Job<'_>,
    groups: &mut Groups<'_>,
    engine: &Engine,
    reporter: &mut Reporter,
) -> Result<Vec<RenderedSources>, Failed> {
    let contracts: Vec<_> = job.declared.iter().map(Declared::contract).collect();
    let watch = engine.watch();
    let mut all = RenderedGroups::default();
    while let Some(loaded) = groups.next(reporter)? {
        let flag_outputs = groups.take_outputs();
        all.render(job, loaded, flag_outputs, &contracts, engine, reporter)?;
    }
    // The tools have limits of their own.
    drop(watch);
    let RenderedGroups {
        mut rendered,
        sources,
        builds,
        charts,
    } = all;
    let is_ready = reporter.check().is_ok();
    if is_ready {
        build_all(job, builds, &mut rendered, engine, reporter)?;
    }
    render_charts(job, &charts, is_ready, &mut rendered, engine, reporter)?;
    reporter.check()?;
    let rendered = std::iter::zip(rendered, sources);
    let rendered: Vec<RenderedSources> = rendered
        .map(|(rendered, sources)| RenderedSources { rendered, sources })
        .collect();
    // A patch names the resource that it changes.
    for one in rendered.iter().filter(|one| one.sources.built_by.is_none()) {
        report_repeated(job, &one.rendered, reporter);
    }
    reporter.check()?;
    Ok(rendered)
}

/// The groups that were rendered, and what tools have yet to build from them.
#[derive(Default)]
struct RenderedGroups<'g> {
    rendered: Vec<Rendered>,
    /// Those of each of `rendered`.
    sources: Vec<SourcesOf>,
    /// Each with its position among `rendered`.
    builds: Vec<(usize, Build)>,
    charts: Vec<Templated<'g>>,
}

impl<'g> RenderedGroups<'g> {
    /// Renders a group, and reports its errors.
    fn render(
        &mut self,
        job: &Job<'_>,
        loaded: LoadedGroup<'g>,
        mut flag_outputs: Vec<OutputsDocument>,
        contracts: &[DeclaredContract],
        engine: &Engine,
        reporter: &mut Reporter,
    ) -> Result<(), Halted> {
        let LoadedGroup {
            group,
            mut application,
            built_by,
            mut plugin,
            ..
        } = loaded;
        let outputs = &mut application.request.inputs.documents;
        let binding_outputs = outputs.len();
        outputs.append(&mut flag_outputs);
        let call = Call {
            job,
            group,
            built_by: built_by.as_ref(),
            contracts,
        };
        let mut outcome = call.generate_in_parts(&mut plugin, &mut application, engine)?;
        let (Ok(Answer { findings, .. }) | Err(findings)) = &outcome;
        report_secrets_in_git(job, &application, findings, binding_outputs, reporter);
        relocate(&mut outcome, &application, job.declared, contracts);
        if let Some(built_by) = &built_by {
            let (Ok(Answer { findings, .. }) | Err(findings)) = &mut outcome;
            built_by.relocate(&mut findings.diagnostics);
        }
        // Outputs that are only declared are not in the request.
        if let Some(BuiltBy::Kustomize(kustomization)) = &built_by
            && contracts.is_empty()
        {
            let (files, request) = (application.files(), &application.request);
            outcome = kustomization.add_unbound(&mut plugin, files, request, outcome)?;
        }
        match outcome {
            Ok(answer) => {
                let group = RenderedGroup {
                    group,
                    binding_outputs,
                    application,
                    built_by,
                    answer,
                    // Outputs that are only declared have no values: nothing is rendered.
                    is_rendered: contracts.is_empty(),
                };
                self.keep(job, group, &mut plugin, reporter)
            }
            Err(found) => {
                let documents = with_declared(application.documents(), job.declared);
                reporter.fail(&documents, found)?;
                Ok(())
            }
        }
    }

    /// Keeps what was rendered, with what a tool builds from it.
    fn keep(
        &mut self,
        job: &Job<'_>,
        group: RenderedGroup<'g>,
        plugin: &mut Plugin,
        reporter: &mut Reporter,
    ) -> Result<(), Halted> {
        let RenderedGroup {
            group,
            binding_outputs,
            mut application,
            mut built_by,
            mut answer,
            is_rendered,
        } = group;
        let mut left_to = None;
        if let Some(built_by) = built_by.take_if(|_| job.is_about_sources) {
            built_by.explain(&application, &mut answer)?;
            left_to = Some(built_by);
        }
        self.sources.push(SourcesOf::new(job, group, left_to));
        // The values of a chart are reported together with its manifests.
        let is_templated = matches!(built_by, Some(BuiltBy::Helm(_))) && is_rendered;
        if !is_templated {
            report(job, &application, &mut answer, binding_outputs, reporter);
        }
        let position = self.rendered.len();
        match built_by {
            Some(BuiltBy::Kustomize(kustomization)) => {
                if is_rendered {
                    match kustomization.rendered(plugin, &application, &answer)? {
                        Ok(build) => self.builds.push((position, build)),
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
                    self.charts.push(Templated {
                        position,
                        group,
                        chart,
                        binding_outputs,
                    });
                }
            }
            None => {}
        }
        self.rendered.push(Rendered::new(application, answer)?);
        Ok(())
    }
}

/// A group that the module rendered without errors.
struct RenderedGroup<'g> {
    group: &'g Group,
    /// The number of outputs documents that its Binding binds.
    binding_outputs: usize,
    application: Application,
    built_by: Option<BuiltBy>,
    answer: Answer,
    is_rendered: bool,
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
    reporter.add_findings(&documents, &answer.findings);
}

/// Reports the secrets that a Git repository holds. `binding_outputs`: as [`report`].
fn report_secrets_in_git(
    job: &Job<'_>,
    application: &Application,
    findings: &Findings,
    binding_outputs: usize,
    reporter: &mut Reporter,
) {
    let Some(repository) = job.repository else {
        return;
    };
    let documents = &application.request.inputs.documents;
    let counted = match repository {
        Repository::WorkTree => documents,
        // The operator's flags name files of the plugin.
        Repository::Extracted => &documents[..binding_outputs],
    };
    let mut counted = Cow::Borrowed(counted);
    if !application.resources.is_empty() {
        for document in counted.to_mut() {
            let at = document.declared_at.as_ref();
            let file = at.and_then(|at| application.resources.get(at));
            if let Some(source) = file.and_then(|file| application.sources().get(*file)) {
                document.path.clone_from(&source.display_path);
            }
        }
    }
    let found = secrets_in_git(
        &counted,
        &findings.readable_secrets,
        &application.request.configuration,
        repository,
    );
    reporter.add(&application.documents(), &found);
}

/// Reports the resources that an application emits twice.
fn report_repeated(job: &Job<'_>, rendered: &Rendered, reporter: &mut Reporter) {
    let Rendered {
        application,
        answer,
    } = rendered;
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

    /// As [`Call::generate`], in threads if the manifests are large.
    fn generate_in_parts(
        &self,
        plugin: &mut Plugin,
        application: &mut Application,
        engine: &Engine,
    ) -> Result<Result<Answer, Findings>, Halted> {
        let in_parts = match self.built_by {
            None => parts::render(self.job, engine, plugin, application).map(Ok),
            Some(_) => None,
        };
        if let Some(mut outcome) = in_parts
            && !learns_names(self.job, self.group, &outcome, plugin, application)?
        {
            add_hints(self.job, application, &application.request, &mut outcome);
            return Ok(outcome);
        }
        let sources = plugin.sources(self.sources(application))?;
        self.generate(plugin, &sources, application)
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
    let all = || known_names(job, group, plugin);
    let names = new_names(outcome, application, &application.request, all)?;
    let has_new = !names.is_empty();
    application.request.inputs.known_names.extend(names);
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
