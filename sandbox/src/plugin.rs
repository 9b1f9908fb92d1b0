//! Running modules.

use std::fmt;

use wasmtime::Store;
use wasmtime::component::{Instance, ResourceAny};

use crate::Stopped;
use crate::bindings::exports::landfall::config_management::{krm_function, rendering};
use crate::interfaces::Interfaces;
use crate::limits::Meter;
use crate::types::{
    Answer, Ceiling, Config, Configuration, Diagnostic, Expanded, Exported, File, Findings, Folder,
    Inputs, KnownName, Migrated, Need, OutputsDocument, Parameter, Plan, Processed, Proposal,
    ReadOutputs, RenderedPart, ResourceDocument, SchemaFile, StandIn, StandInBuild,
};

/// A running module with its own memory. Arguments are copied once, from the slices of the
/// caller to the memory of the module.
///
/// After a [`Stopped`], every further call returns [`Stopped::Trap`]; start a new instance.
pub struct Plugin {
    store: Store<Meter>,
    exports: Exports,
}

/// The exports of an instance.
pub(crate) struct Exports {
    pub(crate) instance: Instance,
    pub(crate) rendering: rendering::Guest,
    pub(crate) krm_function: krm_function::Guest,
    /// The others, which are loaded when they are called.
    pub(crate) interfaces: Interfaces,
}

/// Source manifests that a [`Plugin`] has parsed. They live as long as the plugin.
#[derive(Clone, Copy, Debug)]
pub struct Sources(ResourceAny);

/// An application's configuration that a [`Plugin`] has read. It lives as long as the plugin.
#[derive(Clone, Copy, Debug)]
pub struct Application(ResourceAny);

/// Calls a function of an interface that a module need not have.
macro_rules! call {
    ($plugin:ident, $interface:ident, $function:ident($($argument:expr),*)) => {{
        let Self { store, exports } = $plugin;
        let indices = exports.interfaces.$interface()?;
        let called = (indices.load(&mut *store, &exports.instance))
            .and_then(|interface| interface.$function($crate::plugin::armed(store), $($argument),*));
        stopped(store, called)
    }};
}

mod assist;

/// The result of a call: a value, or all problems.
type Outcome<T> = Result<Result<T, Findings>, Stopped>;

impl Plugin {
    pub(crate) fn new(store: Store<Meter>, exports: Exports) -> Self {
        Self { store, exports }
    }

    /// Returns how many times the module was called.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.store.data().calls()
    }

    /// Passes source files to the plugin.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn sources(&mut self, files: &[File]) -> Result<Sources, Stopped> {
        let sources = self.exports.rendering.sources();
        let called = sources.call_constructor(armed(&mut self.store), files);
        stopped(&self.store, called).map(Sources)
    }

    /// Replaces the content of the file at a position in the sources; the others are not parsed
    /// again. Returns false if there is no such file.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn replace(
        &mut self,
        sources: &Sources,
        position: u32,
        content: &[u8],
    ) -> Result<bool, Stopped> {
        let exports = self.exports.rendering.sources();
        let called = exports.call_replace(armed(&mut self.store), sources.0, position, content);
        stopped(&self.store, called)
    }

    /// Reads an application's configuration.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn application(&mut self, configuration: &Configuration) -> Result<Application, Stopped> {
        let application = self.exports.rendering.application();
        let called = application.call_constructor(armed(&mut self.store), configuration);
        stopped(&self.store, called).map(Application)
    }

    /// Returns what a host does before it renders.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn plan(
        &mut self,
        application: &Application,
        parameters: &[Parameter],
        folder: Option<&Folder>,
    ) -> Result<Plan, Stopped> {
        let exports = self.exports.rendering.application();
        let called = exports.call_plan(armed(&mut self.store), application.0, parameters, folder);
        stopped(&self.store, called)
    }

    /// Renders the sources.
    ///
    /// # Errors
    /// [`Stopped`]; the inner error contains all errors, and nothing was rendered.
    pub fn generate(
        &mut self,
        application: &Application,
        sources: &Sources,
        inputs: &Inputs,
    ) -> Outcome<Answer> {
        let exports = self.exports.rendering.application();
        let called =
            exports.call_generate(armed(&mut self.store), application.0, sources.0, inputs);
        stopped(&self.store, called)
    }

    /// Renders files from which a tool builds the manifests.
    ///
    /// # Errors
    /// As [`Self::generate`].
    pub fn generate_values(
        &mut self,
        application: &Application,
        sources: &Sources,
        inputs: &Inputs,
    ) -> Outcome<Answer> {
        let exports = self.exports.rendering.application();
        let called =
            exports.call_generate_values(armed(&mut self.store), application.0, sources.0, inputs);
        stopped(&self.store, called)
    }

    /// Returns what is wrong with files that define types.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn check_schemas(
        &mut self,
        application: &Application,
        files: &[SchemaFile],
    ) -> Result<Findings, Stopped> {
        let exports = self.exports.rendering.application();
        let called = exports.call_check_schemas(armed(&mut self.store), application.0, files);
        stopped(&self.store, called)
    }

    /// Returns what a tool must not have left in the manifests that it built from rendered
    /// files.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn check_built(
        &mut self,
        application: &Application,
        built: &[File],
        rendered: &[File],
        inputs: &Inputs,
    ) -> Result<Findings, Stopped> {
        let exports = self.exports.rendering.application();
        let called = exports.call_check_built(
            armed(&mut self.store),
            application.0,
            built,
            rendered,
            inputs,
        );
        stopped(&self.store, called)
    }

    /// Returns the references that are left in rendered sources.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn unrendered(
        &mut self,
        application: &Application,
        sources: &Sources,
        inputs: &Inputs,
        allowed: &[String],
    ) -> Result<Findings, Stopped> {
        let exports = self.exports.rendering.application();
        let called = exports.call_unrendered(
            armed(&mut self.store),
            application.0,
            sources.0,
            inputs,
            allowed,
        );
        stopped(&self.store, called)
    }

    /// Returns the outputs documents that the functionConfig of a ResourceList requires.
    ///
    /// # Errors
    /// [`Stopped`]; the inner error contains all problems with the ResourceList.
    pub fn krm_needs(&mut self, resource_list: &[u8]) -> Outcome<Vec<Need>> {
        let function = &self.exports.krm_function;
        let called = function.call_needs(armed(&mut self.store), resource_list);
        stopped(&self.store, called)
    }

    /// Renders the items of a ResourceList.
    ///
    /// # Errors
    /// [`Stopped`]; the inner error reports why the input is not a ResourceList.
    pub fn process(
        &mut self,
        resource_list: &[u8],
        outputs: &[OutputsDocument],
        ceiling: &Ceiling,
        policy: Option<&Config>,
        known_names: &[KnownName],
    ) -> Outcome<Processed> {
        let function = &self.exports.krm_function;
        let called = function.call_process(
            armed(&mut self.store),
            resource_list,
            outputs,
            ceiling,
            policy,
            known_names,
        );
        stopped(&self.store, called)
    }

    /// Returns every problem with outputs documents. `contract` replaces that of the Binding.
    ///
    /// # Errors
    /// [`Stopped`], with [`Stopped::NoInterface`] if the module cannot answer this.
    pub fn check_outputs(
        &mut self,
        application: &Application,
        documents: &[OutputsDocument],
        contract: Option<&Config>,
    ) -> Result<Findings, Stopped> {
        call!(
            self,
            outputs,
            call_check(application.0, documents, contract)
        )
    }

    /// Returns the contract that outputs documents satisfy.
    ///
    /// # Errors
    /// As [`Self::check_outputs`]; the inner error contains all problems with the documents.
    pub fn outputs_contract(
        &mut self,
        application: &Application,
        documents: &[OutputsDocument],
        contract: Option<&Config>,
    ) -> Outcome<Vec<u8>> {
        call!(
            self,
            outputs,
            call_contract(application.0, documents, contract)
        )
    }

    /// Returns outputs documents with placeholder values that satisfy a contract.
    ///
    /// # Errors
    /// As [`Self::check_outputs`]; the inner error contains all problems with the contract.
    pub fn sample_outputs(&mut self, contract: &Config) -> Outcome<Vec<OutputsDocument>> {
        call!(self, outputs, call_sample(contract))
    }

    /// Returns the problems that rendering these files would have if the outputs of these
    /// contracts existed.
    ///
    /// # Errors
    /// As [`Self::check_outputs`].
    pub fn check_references(
        &mut self,
        application: &Application,
        files: &[File],
        inputs: &Inputs,
        declared: &[Config],
    ) -> Result<Findings, Stopped> {
        call!(
            self,
            outputs,
            call_check_references(application.0, files, inputs, declared)
        )
    }

    /// Returns which formats documents have, and which of their outputs are sensitive.
    ///
    /// # Errors
    /// As [`Self::check_outputs`].
    pub fn read_outputs(
        &mut self,
        application: &Application,
        documents: &[OutputsDocument],
    ) -> Result<ReadOutputs, Stopped> {
        call!(self, outputs, call_read(application.0, documents))
    }

    /// Returns the outputs documents that are resources in these files.
    ///
    /// # Errors
    /// As [`Self::check_outputs`]; the inner error contains all problems with the resources.
    pub fn resource_outputs(
        &mut self,
        application: &Application,
        files: &[File],
    ) -> Outcome<Vec<ResourceDocument>> {
        call!(self, resource_outputs, call_find(application.0, files))
    }

    /// Returns outputs in the form that the tool of a target reads.
    ///
    /// # Errors
    /// As [`Self::check_outputs`]; the inner error contains all problems with the documents
    /// and the options.
    pub fn export_outputs(
        &mut self,
        application: &Application,
        documents: &[OutputsDocument],
        contract: Option<&Config>,
        target: &str,
        options: &[Parameter],
    ) -> Outcome<Exported> {
        call!(
            self,
            exports,
            call_export(application.0, documents, contract, target, options)
        )
    }

    /// Returns the hard-coded values in files that equal outputs, and the edits that replace
    /// them by references.
    ///
    /// # Errors
    /// As [`Self::check_outputs`]; the inner error contains all problems of rendering the
    /// files.
    pub fn adopt(
        &mut self,
        application: &Application,
        files: &[File],
        inputs: &Inputs,
    ) -> Outcome<Proposal> {
        call!(self, adoption, call_adopt(application.0, files, inputs))
    }

    /// Returns the edits that rewrite the references of another dialect in landfall's own.
    ///
    /// # Errors
    /// As [`Self::check_outputs`]; the inner error contains all problems of rendering the
    /// files, if some are not about a file.
    pub fn migrate(
        &mut self,
        application: &Application,
        files: &[File],
        inputs: &Inputs,
        dialect: &str,
    ) -> Outcome<Migrated> {
        call!(
            self,
            migration,
            call_migrate(application.0, files, inputs, dialect)
        )
    }

    /// Returns the Applications of the ApplicationSets in these files.
    ///
    /// # Errors
    /// As [`Self::check_outputs`]; the inner error contains all problems.
    pub fn expand(&mut self, files: &[File], clusters: &[File]) -> Outcome<Expanded> {
        call!(self, application_sets, call_expand(files, clusters))
    }

    /// Renders a part of the sources, one of `parts`. None: the answer for the whole sources
    /// may differ from that of their parts.
    ///
    /// # Errors
    /// As [`Self::check_outputs`].
    pub fn render_part(
        &mut self,
        application: &Application,
        files: &[File],
        inputs: &Inputs,
        parts: u32,
    ) -> Result<Option<RenderedPart>, Stopped> {
        call!(
            self,
            parts,
            call_render(application.0, files, inputs, parts)
        )
    }

    /// Returns what a render reports about unused outputs if those with these numbers are
    /// unused.
    ///
    /// # Errors
    /// As [`Self::check_outputs`].
    pub fn report_unused(
        &mut self,
        application: &Application,
        inputs: &Inputs,
        unused: &[u32],
    ) -> Result<Vec<Diagnostic>, Stopped> {
        call!(
            self,
            parts,
            call_report_unused(application.0, inputs, unused)
        )
    }

    /// Renders files from which a tool builds the manifests, with texts instead of sensitive
    /// values.
    ///
    /// # Errors
    /// As [`Self::check_outputs`]; the inner error contains all diagnostics.
    pub fn render_stand_ins(
        &mut self,
        application: &Application,
        files: &[File],
        inputs: &Inputs,
        stand_in: StandIn,
    ) -> Outcome<Answer> {
        call!(
            self,
            stand_ins,
            call_render(application.0, files, inputs, stand_in)
        )
    }

    /// Returns the manifests of the first of two builds with the sensitive values; `rendered`
    /// are the files with them.
    ///
    /// # Errors
    /// As [`Self::check_outputs`]; the inner error says what depends on a sensitive value.
    pub fn restore_sensitive(
        &mut self,
        application: &Application,
        [first, second]: [&StandInBuild; 2],
        rendered: &[File],
        inputs: &Inputs,
    ) -> Outcome<Vec<u8>> {
        call!(
            self,
            stand_ins,
            call_restore(application.0, first, second, rendered, inputs)
        )
    }
}

/// Returns the store for a call, whose time begins now.
pub(crate) fn armed(store: &mut Store<Meter>) -> &mut Store<Meter> {
    if let Some(ticks) = store.data().ticks() {
        store.set_epoch_deadline(ticks);
    }
    store
}

fn stopped<T>(store: &Store<Meter>, called: wasmtime::Result<T>) -> Result<T, Stopped> {
    store.data().count_call();
    called.map_err(|error| Stopped::from_error(&error, store.data()))
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugin").finish_non_exhaustive()
    }
}
