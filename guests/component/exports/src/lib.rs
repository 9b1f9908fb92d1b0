//! The exports of the component: translates between the records of `wit/` and those of
//! [`landfall`], by move, without logic of its own.

#![deny(unsafe_code)]

mod assist;
mod bindings;
mod from_wit;
mod to_wit;

use std::cell::{Ref, RefCell};

use bindings::exports::landfall::config_management::{
    adoption, application_sets, exports, krm_function, migration, outputs, parts, rendering,
    resource_outputs, stand_ins, types,
};
use rendering::{ApplicationBorrow, SourcesBorrow};

struct Plugin;

impl rendering::Guest for Plugin {
    type Sources = Sources;
    type Application = Application;
}

/// Never borrowed by two calls: a component is not entered again during one.
struct Sources(RefCell<landfall::Sources>);

impl Sources {
    fn borrow(&self) -> Ref<'_, landfall::Sources> {
        self.0.borrow()
    }
}

impl rendering::GuestSources for Sources {
    fn new(files: Vec<types::File>) -> Self {
        Self(RefCell::new(from_wit::sources(files)))
    }

    fn replace(&self, position: u32, content: Vec<u8>) -> bool {
        let position = from_wit::position(position);
        self.0.borrow_mut().replace(position, content)
    }
}

struct Application(landfall::Application);

impl rendering::GuestApplication for Application {
    fn new(configuration: rendering::Configuration) -> Self {
        Self(from_wit::configuration(configuration).into())
    }

    fn plan(
        &self,
        parameters: Vec<types::Parameter>,
        folder: Option<rendering::Folder>,
    ) -> rendering::Plan {
        let parameters = from_wit::parameters(parameters);
        let paths = folder.as_ref().map(|folder| from_wit::paths(&folder.paths));
        let folder = folder.as_ref().zip(paths.as_deref());
        let folder = folder.map(|(folder, paths)| landfall::Folder {
            shown: &folder.shown,
            paths,
        });
        to_wit::plan(self.0.plan(&parameters, folder.as_ref()))
    }

    fn generate(
        &self,
        sources: SourcesBorrow<'_>,
        inputs: rendering::Inputs,
    ) -> Result<rendering::Answer, types::Findings> {
        let sources = sources.get::<Sources>().borrow();
        sources
            .generate(&from_wit::request(&self.0, inputs))
            .map(to_wit::answer)
            .map_err(to_wit::findings)
    }

    fn generate_values(
        &self,
        sources: SourcesBorrow<'_>,
        inputs: rendering::Inputs,
    ) -> Result<rendering::Answer, types::Findings> {
        let sources = sources.get::<Sources>().borrow();
        sources
            .generate_values(&from_wit::request(&self.0, inputs))
            .map(to_wit::answer)
            .map_err(to_wit::findings)
    }

    fn check_schemas(&self, files: Vec<rendering::SchemaFile>) -> types::Findings {
        let files: Vec<_> = files.into_iter().map(from_wit::schema_file).collect();
        to_wit::findings(landfall::check_schemas(&files))
    }

    fn check_built(
        &self,
        built: Vec<types::File>,
        rendered: Vec<types::File>,
        inputs: rendering::Inputs,
    ) -> types::Findings {
        let [built, rendered] = [built, rendered].map(from_wit::sources);
        to_wit::findings(built.check_built(&rendered, &from_wit::request(&self.0, inputs)))
    }

    fn unrendered(
        &self,
        sources: SourcesBorrow<'_>,
        inputs: rendering::Inputs,
        allowed: Vec<String>,
    ) -> types::Findings {
        let sources = sources.get::<Sources>().borrow();
        to_wit::findings(sources.unrendered(&from_wit::request(&self.0, inputs), &allowed))
    }
}

impl krm_function::Guest for Plugin {
    fn needs(resource_list: Vec<u8>) -> Result<Vec<rendering::Need>, types::Findings> {
        landfall::krm_needs(&resource_list)
            .map(|needs| needs.into_iter().map(to_wit::need).collect())
            .map_err(to_wit::findings)
    }

    fn process(
        resource_list: Vec<u8>,
        documents: Vec<types::OutputsDocument>,
        ceiling: types::Ceiling,
        policy: Option<types::Config>,
        known_names: Vec<rendering::KnownName>,
    ) -> Result<krm_function::Processed, types::Findings> {
        let outputs = from_wit::outputs_documents(documents);
        let ceiling = from_wit::ceiling(ceiling);
        let policy = policy.map(from_wit::config);
        let known_names = from_wit::known_names(known_names);
        landfall::process(
            &resource_list,
            &outputs,
            &ceiling,
            policy.as_ref(),
            &known_names,
        )
        .map(to_wit::processed)
        .map_err(to_wit::findings)
    }
}

/// Returns the outputs documents of an application, and what applies to them.
fn outputs_inputs(
    application: &ApplicationBorrow<'_>,
    documents: Vec<types::OutputsDocument>,
    contract: Option<types::Config>,
) -> landfall::OutputsInputs {
    landfall::OutputsInputs {
        application: application.get::<Application>().0.clone(),
        documents: from_wit::outputs_documents(documents),
        contract: contract.map(from_wit::config),
    }
}

/// Returns a request for an application.
fn request(application: &ApplicationBorrow<'_>, inputs: rendering::Inputs) -> landfall::Request {
    from_wit::request(&application.get::<Application>().0, inputs)
}

impl outputs::Guest for Plugin {
    fn check(
        application: ApplicationBorrow<'_>,
        documents: Vec<types::OutputsDocument>,
        contract: Option<types::Config>,
    ) -> types::Findings {
        let inputs = outputs_inputs(&application, documents, contract);
        to_wit::findings(landfall::check_outputs(&inputs))
    }

    fn contract(
        application: ApplicationBorrow<'_>,
        documents: Vec<types::OutputsDocument>,
        contract: Option<types::Config>,
    ) -> Result<Vec<u8>, types::Findings> {
        let inputs = outputs_inputs(&application, documents, contract);
        landfall::outputs_contract(&inputs).map_err(to_wit::findings)
    }

    fn check_references(
        application: ApplicationBorrow<'_>,
        files: Vec<types::File>,
        inputs: rendering::Inputs,
        declared: Vec<types::Config>,
    ) -> types::Findings {
        let sources = from_wit::sources(files);
        let declared = from_wit::configs(declared);
        to_wit::findings(sources.check_references(&request(&application, inputs), &declared))
    }

    fn sample(contract: types::Config) -> Result<Vec<types::OutputsDocument>, types::Findings> {
        landfall::sample_outputs(&from_wit::config(contract))
            .map(|documents| {
                documents
                    .into_iter()
                    .map(to_wit::outputs_document)
                    .collect()
            })
            .map_err(to_wit::findings)
    }

    fn read(
        application: ApplicationBorrow<'_>,
        documents: Vec<types::OutputsDocument>,
    ) -> outputs::ReadOutputs {
        let inputs = outputs_inputs(&application, documents, None);
        to_wit::read_outputs(landfall::read_outputs(&inputs))
    }
}

impl resource_outputs::Guest for Plugin {
    fn find(
        application: ApplicationBorrow<'_>,
        files: Vec<types::File>,
    ) -> Result<Vec<resource_outputs::ResourceDocument>, types::Findings> {
        let Application(application) = application.get();
        from_wit::sources(files)
            .resource_documents(application)
            .map(|found| found.into_iter().map(to_wit::resource_document).collect())
            .map_err(to_wit::findings)
    }
}

impl exports::Guest for Plugin {
    fn export(
        application: ApplicationBorrow<'_>,
        documents: Vec<types::OutputsDocument>,
        contract: Option<types::Config>,
        target: String,
        options: Vec<types::Parameter>,
    ) -> Result<exports::Exported, types::Findings> {
        let inputs = outputs_inputs(&application, documents, contract);
        let options = from_wit::parameters(options);
        landfall::export_outputs(&inputs, &target, &options)
            .map(to_wit::exported)
            .map_err(to_wit::findings)
    }
}

impl adoption::Guest for Plugin {
    fn adopt(
        application: ApplicationBorrow<'_>,
        files: Vec<types::File>,
        inputs: rendering::Inputs,
    ) -> Result<adoption::Proposal, types::Findings> {
        from_wit::sources(files)
            .adopt(&request(&application, inputs))
            .map(to_wit::proposal)
            .map_err(to_wit::findings)
    }
}

impl migration::Guest for Plugin {
    fn migrate(
        application: ApplicationBorrow<'_>,
        files: Vec<types::File>,
        inputs: rendering::Inputs,
        dialect: String,
    ) -> Result<migration::Migrated, types::Findings> {
        from_wit::sources(files)
            .migrate(&request(&application, inputs), &dialect)
            .map(to_wit::migrated)
            .map_err(to_wit::findings)
    }
}

impl application_sets::Guest for Plugin {
    fn expand(
        files: Vec<types::File>,
        clusters: Vec<types::File>,
    ) -> Result<application_sets::Expanded, types::Findings> {
        let [files, clusters] = [files, clusters].map(from_wit::files);
        landfall::expand(&files, &clusters)
            .map(to_wit::expanded)
            .map_err(to_wit::findings)
    }
}

impl parts::Guest for Plugin {
    fn render(
        application: ApplicationBorrow<'_>,
        files: Vec<types::File>,
        inputs: rendering::Inputs,
        parts: u32,
    ) -> Option<parts::RenderedPart> {
        from_wit::sources(files)
            .render_part(&request(&application, inputs), parts.into())
            .map(to_wit::rendered_part)
    }

    fn report_unused(
        application: ApplicationBorrow<'_>,
        inputs: rendering::Inputs,
        unused: Vec<u32>,
    ) -> Vec<types::Diagnostic> {
        let unused: Vec<_> = unused.into_iter().map(from_wit::position).collect();
        let request = request(&application, inputs);
        to_wit::diagnostics(landfall::report_unused(&request, &unused))
    }
}

impl stand_ins::Guest for Plugin {
    fn render(
        application: ApplicationBorrow<'_>,
        files: Vec<types::File>,
        inputs: rendering::Inputs,
        stand_in: stand_ins::StandIn,
    ) -> Result<rendering::Answer, types::Findings> {
        let stand_in = from_wit::stand_in(stand_in);
        from_wit::sources(files)
            .generate_stand_ins(&request(&application, inputs), stand_in)
            .map(to_wit::answer)
            .map_err(to_wit::findings)
    }

    fn restore(
        application: ApplicationBorrow<'_>,
        first: stand_ins::StandInBuild,
        second: stand_ins::StandInBuild,
        rendered: Vec<types::File>,
        inputs: rendering::Inputs,
    ) -> Result<Vec<u8>, types::Findings> {
        let [first, second] = [first, second].map(from_wit::stand_in_build);
        let rendered = from_wit::files(rendered);
        let request = request(&application, inputs);
        landfall::restore_sensitive(&first, &second, &rendered, &request).map_err(to_wit::findings)
    }
}
