//! The module's calls, as the command makes them.

use std::fmt;

use landfall_sandbox::types::{
    self, Ceiling, Config, Configuration, Diagnostic, Expanded, Exported, File, Findings, Folder,
    KnownName, Migrated, Need, OutputsDocument, Parameter, Plan, Processed, Proposal, ReadOutputs,
    RenderedPart, ResourceDocument, SchemaFile, StandIn, StandInBuild,
};
use landfall_sandbox::{Application, Sources, Stopped};

use super::{Answer, OutputsInputs, Request, has_errors};

/// A running module. It reads a configuration once, however often it is asked about it in a row.
pub(crate) struct Plugin {
    module: landfall_sandbox::Plugin,
    /// The last configuration.
    read: Option<Read>,
}

/// A configuration that the module has read.
struct Read {
    configuration: Configuration,
    application: Application,
    /// The plan without a folder, if no parameter changes it.
    plan: Option<Plan>,
}

#[cfg(test)]
thread_local! {
    /// The number of calls by the plugins that this thread has dropped.
    pub(crate) static CALLS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
impl Drop for Plugin {
    fn drop(&mut self) {
        CALLS.set(CALLS.get() + self.module.calls());
    }
}

/// The result of a call: a value, or all problems.
type Outcome<T> = Result<Result<T, Findings>, Stopped>;

impl Plugin {
    pub(super) const fn new(module: landfall_sandbox::Plugin) -> Self {
        Self { module, read: None }
    }

    /// Returns the application with this configuration.
    fn application(&mut self, configuration: &Configuration) -> Result<Application, Stopped> {
        if let Some(read) = &self.read
            && read.configuration == *configuration
        {
            return Ok(read.application);
        }
        let application = self.module.application(configuration)?;
        self.read = Some(Read {
            configuration: configuration.clone(),
            application,
            plan: None,
        });
        Ok(application)
    }

    /// Returns what to do before rendering. Without a folder, no manifests are selected.
    pub(crate) fn plan(
        &mut self,
        configuration: &Configuration,
        parameters: &[Parameter],
        folder: Option<&Folder>,
    ) -> Result<Plan, Stopped> {
        let application = self.application(configuration)?;
        if let (
            Some(Read {
                plan: Some(plan), ..
            }),
            None,
        ) = (&self.read, folder)
        {
            return Ok(plan.clone());
        }
        let plan = self.module.plan(&application, parameters, folder)?;
        if plan.announcements.is_empty()
            && !has_errors(&plan.findings.diagnostics)
            && let Some(read) = &mut self.read
        {
            // What it says about the folder was about that one.
            read.plan = Some(Plan {
                manifests: Vec::new(),
                findings: Findings::default(),
                ..plan.clone()
            });
        }
        Ok(plan)
    }

    /// Passes source files to the module.
    pub(crate) fn sources(&mut self, files: &[File]) -> Result<Sources, Stopped> {
        self.module.sources(files)
    }

    /// Renders the sources.
    pub(crate) fn generate(&mut self, sources: &Sources, request: &Request) -> Outcome<Answer> {
        let application = self.application(&request.configuration)?;
        let answer = (self.module).generate(&application, sources, &request.inputs)?;
        Ok(answer.map(Answer::from))
    }

    /// Renders files from which a tool builds the manifests.
    pub(crate) fn generate_values(&mut self, files: &[File], request: &Request) -> Outcome<Answer> {
        let application = self.application(&request.configuration)?;
        let sources = self.module.sources(files)?;
        let answer = (self.module).generate_values(&application, &sources, &request.inputs)?;
        Ok(answer.map(Answer::from))
    }

    /// Returns what is wrong with the files of `spec.schemas`.
    pub(crate) fn check_schemas(
        &mut self,
        files: &[SchemaFile],
        configuration: &Configuration,
    ) -> Result<Findings, Stopped> {
        let application = self.application(configuration)?;
        self.module.check_schemas(&application, files)
    }

    /// Returns what a tool must not have left in the manifests that it built from `rendered`.
    pub(crate) fn check_built(
        &mut self,
        built: &[File],
        rendered: &[File],
        request: &Request,
    ) -> Result<Findings, Stopped> {
        let application = self.application(&request.configuration)?;
        (self.module).check_built(&application, built, rendered, &request.inputs)
    }

    /// Returns the references that are left in rendered files.
    pub(crate) fn unrendered(
        &mut self,
        files: &[File],
        request: &Request,
        allowed: &[String],
    ) -> Result<Findings, Stopped> {
        let application = self.application(&request.configuration)?;
        let sources = self.module.sources(files)?;
        (self.module).unrendered(&application, &sources, &request.inputs, allowed)
    }

    /// Returns every problem with outputs documents.
    pub(crate) fn check_outputs(&mut self, inputs: &OutputsInputs) -> Result<Findings, Stopped> {
        let application = self.application(&inputs.configuration)?;
        (self.module).check_outputs(&application, &inputs.documents, inputs.contract.as_ref())
    }

    /// Returns the contract that outputs documents satisfy.
    pub(crate) fn outputs_contract(&mut self, inputs: &OutputsInputs) -> Outcome<Vec<u8>> {
        let application = self.application(&inputs.configuration)?;
        (self.module).outputs_contract(&application, &inputs.documents, inputs.contract.as_ref())
    }

    /// Returns outputs in the form that the tool of a target reads.
    pub(crate) fn export_outputs(
        &mut self,
        inputs: &OutputsInputs,
        target: &str,
        options: &[Parameter],
    ) -> Outcome<Exported> {
        let application = self.application(&inputs.configuration)?;
        let contract = inputs.contract.as_ref();
        (self.module).export_outputs(&application, &inputs.documents, contract, target, options)
    }

    /// Returns outputs documents with placeholder values that satisfy a contract.
    pub(crate) fn sample_outputs(&mut self, contract: &Config) -> Outcome<Vec<OutputsDocument>> {
        self.module.sample_outputs(contract)
    }

    /// Returns the problems that rendering files would have if the outputs of contracts existed.
    pub(crate) fn check_references(
        &mut self,
        files: &[File],
        request: &Request,
        declared: &[Config],
    ) -> Result<Findings, Stopped> {
        let application = self.application(&request.configuration)?;
        (self.module).check_references(&application, files, &request.inputs, declared)
    }

    /// Returns which formats documents have, and which of their outputs are sensitive.
    pub(crate) fn read_outputs(
        &mut self,
        documents: &[OutputsDocument],
        configuration: &Configuration,
    ) -> Result<ReadOutputs, Stopped> {
        let application = self.application(configuration)?;
        self.module.read_outputs(&application, documents)
    }

    /// Returns the outputs documents that are resources in files.
    pub(crate) fn resource_outputs(
        &mut self,
        files: &[File],
        configuration: &Configuration,
    ) -> Outcome<Vec<ResourceDocument>> {
        let application = self.application(configuration)?;
        self.module.resource_outputs(&application, files)
    }

    /// Returns the hard-coded values in files that equal outputs.
    pub(crate) fn adopt(&mut self, files: &[File], request: &Request) -> Outcome<Proposal> {
        let application = self.application(&request.configuration)?;
        self.module.adopt(&application, files, &request.inputs)
    }

    /// Returns the edits that rewrite the references of another dialect.
    pub(crate) fn migrate(
        &mut self,
        files: &[File],
        request: &Request,
        dialect: &str,
    ) -> Outcome<Migrated> {
        let application = self.application(&request.configuration)?;
        (self.module).migrate(&application, files, &request.inputs, dialect)
    }

    /// Returns the Applications of the ApplicationSets in files.
    pub(crate) fn expand(&mut self, files: &[File], clusters: &[File]) -> Outcome<Expanded> {
        self.module.expand(files, clusters)
    }

    /// Renders a part of the sources, one of `parts`.
    pub(crate) fn render_part(
        &mut self,
        files: &[File],
        request: &Request,
        parts: u32,
    ) -> Result<Option<RenderedPart>, Stopped> {
        let application = self.application(&request.configuration)?;
        (self.module).render_part(&application, files, &request.inputs, parts)
    }

    /// Returns what a render reports about unused outputs.
    pub(crate) fn report_unused(
        &mut self,
        request: &Request,
        unused: &[u32],
    ) -> Result<Vec<Diagnostic>, Stopped> {
        let application = self.application(&request.configuration)?;
        (self.module).report_unused(&application, &request.inputs, unused)
    }

    /// Renders files with texts instead of sensitive values.
    pub(crate) fn render_stand_ins(
        &mut self,
        files: &[File],
        request: &Request,
        stand_in: StandIn,
    ) -> Outcome<Answer> {
        let application = self.application(&request.configuration)?;
        let answer =
            (self.module).render_stand_ins(&application, files, &request.inputs, stand_in)?;
        Ok(answer.map(Answer::from))
    }

    /// Returns the manifests of the first of two builds with the sensitive values.
    pub(crate) fn restore_sensitive(
        &mut self,
        builds: [&StandInBuild; 2],
        rendered: &[File],
        request: &Request,
    ) -> Outcome<Vec<u8>> {
        let application = self.application(&request.configuration)?;
        (self.module).restore_sensitive(&application, builds, rendered, &request.inputs)
    }

    /// Returns the outputs documents that the functionConfig of a ResourceList requires.
    pub(crate) fn krm_needs(&mut self, resource_list: &[u8]) -> Outcome<Vec<Need>> {
        self.module.krm_needs(resource_list)
    }

    /// Renders the items of a ResourceList.
    pub(crate) fn process(
        &mut self,
        resource_list: &[u8],
        documents: &[OutputsDocument],
        ceiling: &Ceiling,
        policy: Option<&Config>,
        known_names: &[KnownName],
    ) -> Outcome<Processed> {
        (self.module).process(resource_list, documents, ceiling, policy, known_names)
    }
}

impl From<types::Answer> for Answer {
    fn from(answer: types::Answer) -> Self {
        let types::Answer {
            sources,
            findings,
            substitutions,
        } = answer;
        Self {
            sources,
            built: Vec::new(),
            findings,
            substitutions,
        }
    }
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.module.fmt(f)
    }
}
