//! Running modules.

use std::fmt;

use wasmtime::Store;
use wasmtime::component::{Instance, ResourceAny};

use crate::Stopped;
use crate::bindings::exports::landfall::config_management::{generator, krm_function};
use crate::interfaces::Interfaces;
use crate::limits::Meter;
use crate::types::{
    Announcement, Answer, BoundDocument, Ceiling, ChartOptions, Config, Diagnostic, Expanded,
    Exported, File, Findings, Folder, KnownName, Migrated, Need, OutputsDocument, OutputsInputs,
    Parameter, Plan, Processed, Proposal, RenderedPart, Request, SchemaFile, StandIn, StandInBuild,
    Tool,
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
    pub(crate) generator: generator::Guest,
    pub(crate) krm_function: krm_function::Guest,
    /// The others, which are loaded when they are called.
    pub(crate) interfaces: Interfaces,
}

/// Source manifests that a [`Plugin`] has parsed. They live as long as the plugin.
#[derive(Clone, Copy, Debug)]
pub struct Sources(ResourceAny);

/// Calls a function of an interface that a module need not have.
macro_rules! call {
    ($plugin:ident, $interface:ident, $function:ident($($argument:expr),*)) => {{
        let Self { store, exports } = $plugin;
        let indices = exports.interfaces.$interface()?;
        let called = (indices.load(&mut *store, &exports.instance))
            .and_then(|interface| interface.$function(&mut *store, $($argument),*));
        stopped(store, called)
    }};
}

/// The result of a call: a value, or all problems.
type Outcome<T> = Result<Result<T, Findings>, Stopped>;

impl Plugin {
    pub(crate) fn new(store: Store<Meter>, exports: Exports) -> Self {
        Self { store, exports }
    }

    /// Returns whether a folder with these paths has a Binding.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn discover(&mut self, paths: &[String]) -> Result<bool, Stopped> {
        let generator = &self.exports.generator;
        let called = generator.call_discover(&mut self.store, paths);
        stopped(&self.store, called)
    }

    /// Returns the files that must be opened.
    ///
    /// # Errors
    /// [`Stopped`]; the inner error contains all problems with the Binding and the folder.
    pub fn needs(
        &mut self,
        binding: Option<&Config>,
        parameters: &[Parameter],
        folder: Option<&Folder>,
    ) -> Outcome<Plan> {
        let generator = &self.exports.generator;
        let called = generator.call_needs(&mut self.store, binding, parameters, folder);
        stopped(&self.store, called)
    }

    /// Passes source manifests to the plugin.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn sources(&mut self, files: &[File]) -> Result<Sources, Stopped> {
        let sources = self.exports.generator.sources();
        let called = sources.call_constructor(&mut self.store, files);
        stopped(&self.store, called).map(Sources)
    }

    /// Returns the parameters of the request's Binding.
    ///
    /// # Errors
    /// [`Stopped`]; the inner error contains all problems with the Binding.
    pub fn parameters(
        &mut self,
        sources: &Sources,
        request: &Request,
    ) -> Outcome<Vec<Announcement>> {
        let exports = self.exports.generator.sources();
        let called = exports.call_parameters(&mut self.store, sources.0, request);
        stopped(&self.store, called)
    }

    /// Renders the sources.
    ///
    /// # Errors
    /// [`Stopped`]; the inner error contains all errors, and nothing was rendered.
    pub fn generate(&mut self, sources: &Sources, request: &Request) -> Outcome<Answer> {
        let exports = self.exports.generator.sources();
        let called = exports.call_generate(&mut self.store, sources.0, request);
        stopped(&self.store, called)
    }

    /// Returns the references that are left in rendered sources.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn unrendered(
        &mut self,
        sources: &Sources,
        request: &Request,
        allowed: &[String],
    ) -> Result<Findings, Stopped> {
        let exports = self.exports.generator.sources();
        let called = exports.call_unrendered(&mut self.store, sources.0, request, allowed);
        stopped(&self.store, called)
    }

    /// Returns the outputs documents that the functionConfig of a ResourceList requires.
    ///
    /// # Errors
    /// [`Stopped`]; the inner error contains all problems with the ResourceList.
    pub fn krm_needs(&mut self, resource_list: &[u8]) -> Outcome<Vec<Need>> {
        let function = &self.exports.krm_function;
        let called = function.call_needs(&mut self.store, resource_list);
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
            &mut self.store,
            resource_list,
            outputs,
            ceiling,
            policy,
            known_names,
        );
        stopped(&self.store, called)
    }

    /// Returns every problem with outputs documents.
    ///
    /// # Errors
    /// [`Stopped`], with [`Stopped::NoInterface`] if the module cannot answer this.
    pub fn check_outputs(&mut self, inputs: &OutputsInputs) -> Result<Findings, Stopped> {
        call!(self, outputs, call_check(inputs))
    }

    /// Returns the contract that outputs documents satisfy.
    ///
    /// # Errors
    /// As [`Self::check_outputs`]; the inner error contains all problems with the documents.
    pub fn outputs_contract(&mut self, inputs: &OutputsInputs) -> Outcome<Vec<u8>> {
        call!(self, outputs, call_contract(inputs))
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
        files: &[File],
        request: &Request,
        declared: &[Config],
    ) -> Result<Findings, Stopped> {
        call!(
            self,
            outputs,
            call_check_references(files, request, declared)
        )
    }

    /// Returns outputs in the form that the tool of a target reads.
    ///
    /// # Errors
    /// As [`Self::check_outputs`]; the inner error contains all problems with the documents
    /// and the options.
    pub fn export_outputs(
        &mut self,
        inputs: &OutputsInputs,
        target: &str,
        options: &[Parameter],
    ) -> Outcome<Exported> {
        call!(self, outputs, call_export(inputs, target, options))
    }

    /// Returns the names that a Binding binds.
    ///
    /// # Errors
    /// [`Stopped`], with [`Stopped::NoInterface`] if the module cannot answer this; the
    /// inner error contains all problems with the Binding.
    pub fn bound_names(&mut self, binding: &Config) -> Outcome<Vec<String>> {
        call!(self, bound_values, call_names(binding))
    }

    /// Returns the outputs documents of a Binding that are not files, except those of the
    /// names `bound_otherwise`.
    ///
    /// # Errors
    /// As [`Self::bound_names`]; the inner error also contains the parameters that are
    /// missing or cannot be used.
    pub fn bound_values(
        &mut self,
        binding: &Config,
        parameters: &[Parameter],
        bound_otherwise: &[String],
    ) -> Outcome<Vec<BoundDocument>> {
        call!(
            self,
            bound_values,
            call_documents(binding, parameters, bound_otherwise)
        )
    }

    /// Returns whether the format of a document marks which outputs are sensitive.
    ///
    /// # Errors
    /// As [`Self::check_outputs`].
    pub fn marks_sensitive(&mut self, document: &OutputsDocument) -> Result<bool, Stopped> {
        call!(self, bound_values, call_marks_sensitive(document))
    }

    /// Returns the hard-coded values in files that equal outputs, and the edits that replace
    /// them by references.
    ///
    /// # Errors
    /// [`Stopped`], with [`Stopped::NoInterface`] if the module cannot answer this; the
    /// inner error contains all problems of rendering the files.
    pub fn adopt(&mut self, files: &[File], request: &Request) -> Outcome<Proposal> {
        call!(self, adoption, call_adopt(files, request))
    }

    /// Returns the edits that rewrite the references of another dialect in landfall's own.
    ///
    /// # Errors
    /// [`Stopped`], with [`Stopped::NoInterface`] if the module cannot answer this; the
    /// inner error contains all problems of rendering the files, if some are not about a file.
    pub fn migrate(
        &mut self,
        files: &[File],
        request: &Request,
        dialect: &str,
    ) -> Outcome<Migrated> {
        call!(self, migration, call_migrate(files, request, dialect))
    }

    /// Returns the Applications of the ApplicationSets in these files.
    ///
    /// # Errors
    /// [`Stopped`], with [`Stopped::NoInterface`] if the module cannot answer this; the
    /// inner error contains all problems.
    pub fn expand(&mut self, files: &[File], clusters: &[File]) -> Outcome<Expanded> {
        call!(self, application_sets, call_expand(files, clusters))
    }

    /// Returns the tool that builds the manifests of a folder with this Binding.
    ///
    /// # Errors
    /// [`Stopped`], with [`Stopped::NoInterface`] if the module cannot answer this; the
    /// inner error contains all problems with the Binding.
    pub fn tool(&mut self, binding: Option<&Config>) -> Outcome<Option<Tool>> {
        call!(self, folders, call_tool_of(binding))
    }

    /// Returns the files with CustomResourceDefinitions that a Binding names.
    ///
    /// # Errors
    /// [`Stopped`], with [`Stopped::NoInterface`] if the module cannot answer this; the
    /// inner error contains all problems with the Binding.
    pub fn schemas(&mut self, binding: &Config) -> Outcome<Vec<SchemaFile>> {
        call!(self, folders, call_schemas(binding))
    }

    /// Returns how the chart of a folder is templated.
    ///
    /// # Errors
    /// [`Stopped`], with [`Stopped::NoInterface`] if the module cannot answer this; the
    /// inner error contains all problems with the Binding.
    pub fn chart(&mut self, binding: &Config) -> Outcome<ChartOptions> {
        call!(self, folders, call_chart(binding))
    }

    /// Renders files from which a tool builds the manifests.
    ///
    /// # Errors
    /// [`Stopped`], with [`Stopped::NoInterface`] if the module cannot do this; the inner
    /// error contains all diagnostics.
    pub fn render_values(&mut self, files: &[File], request: &Request) -> Outcome<Answer> {
        call!(self, folders, call_render_values(files, request))
    }

    /// Renders a part of the sources, one of `parts`. None: the answer for the whole sources
    /// may differ from that of their parts.
    ///
    /// # Errors
    /// [`Stopped`], with [`Stopped::NoInterface`] if the module cannot do this.
    pub fn render_part(
        &mut self,
        files: &[File],
        request: &Request,
        parts: u32,
    ) -> Result<Option<RenderedPart>, Stopped> {
        call!(self, parts, call_render(files, request, parts))
    }

    /// Returns what a render reports about unused outputs if those with these numbers are
    /// unused.
    ///
    /// # Errors
    /// As [`Self::render_part`].
    pub fn report_unused(
        &mut self,
        request: &Request,
        unused: &[u32],
    ) -> Result<Vec<Diagnostic>, Stopped> {
        call!(self, parts, call_report_unused(request, unused))
    }

    /// Returns what a tool must not have left in the manifests that it built from the
    /// rendered files of a request.
    ///
    /// # Errors
    /// [`Stopped`], with [`Stopped::NoInterface`] if the module cannot answer this.
    pub fn check_built(
        &mut self,
        built: &[File],
        rendered: &[File],
        request: &Request,
    ) -> Result<Findings, Stopped> {
        call!(self, folders, call_check_built(built, rendered, request))
    }

    /// Renders files from which a tool builds the manifests, with texts instead of sensitive
    /// values.
    ///
    /// # Errors
    /// [`Stopped`], with [`Stopped::NoInterface`] if the module cannot do this; the inner
    /// error contains all diagnostics.
    pub fn render_stand_ins(
        &mut self,
        files: &[File],
        request: &Request,
        stand_in: StandIn,
    ) -> Outcome<Answer> {
        call!(self, stand_ins, call_render(files, request, stand_in))
    }

    /// Returns the manifests of the first of two builds with the sensitive values; `rendered`
    /// are the files with them.
    ///
    /// # Errors
    /// [`Stopped`], with [`Stopped::NoInterface`] if the module cannot do this; the inner
    /// error says what depends on a sensitive value.
    pub fn restore_sensitive(
        &mut self,
        first: &StandInBuild,
        second: &StandInBuild,
        rendered: &[File],
        request: &Request,
    ) -> Outcome<Vec<u8>> {
        call!(
            self,
            stand_ins,
            call_restore(first, second, rendered, request)
        )
    }
}

fn stopped<T>(store: &Store<Meter>, called: wasmtime::Result<T>) -> Result<T, Stopped> {
    called.map_err(|error| Stopped::from_error(&error, store.data()))
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugin").finish_non_exhaustive()
    }
}
