//! The exports of the component: translates between the records of `wit/` and those of
//! [`landfall`], by move, without logic of its own.

#![deny(unsafe_code)]

mod bindings;
mod from_wit;
mod to_wit;

use bindings::exports::landfall::config_management::{
    adoption, application_sets, bound_values, folders, generator, krm_function, migration, outputs,
    parts, stand_ins, types,
};

struct Plugin;

impl generator::Guest for Plugin {
    type Sources = Sources;

    fn discover(paths: Vec<String>) -> bool {
        landfall::discover(&from_wit::paths(&paths))
    }

    fn needs(
        binding: Option<types::Config>,
        parameters: Vec<types::Parameter>,
        folder: Option<types::Folder>,
    ) -> Result<types::Plan, types::Findings> {
        let binding = binding.map(from_wit::config);
        let parameters = from_wit::parameters(parameters);
        let paths = folder.as_ref().map(|folder| from_wit::paths(&folder.paths));
        let folder = folder.as_ref().zip(paths.as_deref());
        let folder = folder.map(|(folder, paths)| landfall::Folder {
            shown: &folder.shown,
            paths,
        });
        landfall::needs(binding.as_ref(), &parameters, folder.as_ref())
            .map(to_wit::plan)
            .map_err(to_wit::findings)
    }
}

struct Sources(landfall::Sources);

impl generator::GuestSources for Sources {
    fn new(files: Vec<types::File>) -> Self {
        Self(from_wit::sources(files))
    }

    fn parameters(
        &self,
        request: types::Request,
    ) -> Result<Vec<types::Announcement>, types::Findings> {
        self.0
            .parameters(&from_wit::request(request))
            .map(|announcements| {
                announcements
                    .into_iter()
                    .map(to_wit::announcement)
                    .collect()
            })
            .map_err(to_wit::findings)
    }

    fn unrendered(&self, request: types::Request, allowed: Vec<String>) -> types::Findings {
        to_wit::findings(self.0.unrendered(&from_wit::request(request), &allowed))
    }

    fn generate(&self, request: types::Request) -> Result<types::Answer, types::Findings> {
        self.0
            .generate(&from_wit::request(request))
            .map(to_wit::answer)
            .map_err(to_wit::findings)
    }
}

impl krm_function::Guest for Plugin {
    fn needs(resource_list: Vec<u8>) -> Result<Vec<types::Need>, types::Findings> {
        landfall::krm_needs(&resource_list)
            .map(|needs| needs.into_iter().map(to_wit::need).collect())
            .map_err(to_wit::findings)
    }

    fn process(
        resource_list: Vec<u8>,
        outputs: Vec<types::OutputsDocument>,
        ceiling: types::Ceiling,
        policy: Option<types::Config>,
        known_names: Vec<types::KnownName>,
    ) -> Result<krm_function::Processed, types::Findings> {
        let outputs = from_wit::outputs_documents(outputs);
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

impl outputs::Guest for Plugin {
    fn check(inputs: outputs::Inputs) -> types::Findings {
        to_wit::findings(landfall::check_outputs(&from_wit::outputs_inputs(inputs)))
    }

    fn contract(inputs: outputs::Inputs) -> Result<Vec<u8>, types::Findings> {
        landfall::outputs_contract(&from_wit::outputs_inputs(inputs)).map_err(to_wit::findings)
    }

    fn check_references(
        files: Vec<types::File>,
        request: types::Request,
        declared: Vec<types::Config>,
    ) -> types::Findings {
        let sources = from_wit::sources(files);
        let declared: Vec<_> = declared.into_iter().map(from_wit::config).collect();
        to_wit::findings(sources.check_references(&from_wit::request(request), &declared))
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

    fn export(
        inputs: outputs::Inputs,
        target: String,
        options: Vec<types::Parameter>,
    ) -> Result<outputs::Exported, types::Findings> {
        let inputs = from_wit::outputs_inputs(inputs);
        let options = from_wit::parameters(options);
        landfall::export_outputs(&inputs, &target, &options)
            .map(to_wit::exported)
            .map_err(to_wit::findings)
    }
}

impl bound_values::Guest for Plugin {
    fn names(binding: types::Config) -> Result<Vec<String>, types::Findings> {
        landfall::bound_names(&from_wit::config(binding)).map_err(to_wit::findings)
    }

    fn documents(
        binding: types::Config,
        parameters: Vec<types::Parameter>,
        bound_otherwise: Vec<String>,
    ) -> Result<Vec<bound_values::BoundDocument>, types::Findings> {
        let parameters = from_wit::parameters(parameters);
        landfall::bound_values(&from_wit::config(binding), &parameters, &bound_otherwise)
            .map(|documents| documents.into_iter().map(to_wit::bound_document).collect())
            .map_err(to_wit::findings)
    }

    fn marks_sensitive(document: types::OutputsDocument) -> bool {
        landfall::marks_sensitive(&from_wit::outputs_document(document))
    }
}

impl adoption::Guest for Plugin {
    fn adopt(
        files: Vec<types::File>,
        request: types::Request,
    ) -> Result<adoption::Proposal, types::Findings> {
        let sources = from_wit::sources(files);
        sources
            .adopt(&from_wit::request(request))
            .map(to_wit::proposal)
            .map_err(to_wit::findings)
    }
}

impl migration::Guest for Plugin {
    fn migrate(
        files: Vec<types::File>,
        request: types::Request,
        dialect: String,
    ) -> Result<migration::Migrated, types::Findings> {
        let sources = from_wit::sources(files);
        sources
            .migrate(&from_wit::request(request), &dialect)
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
        files: Vec<types::File>,
        request: types::Request,
        parts: u32,
    ) -> Option<parts::RenderedPart> {
        from_wit::sources(files)
            .render_part(&from_wit::request(request), parts.into())
            .map(to_wit::rendered_part)
    }

    fn report_unused(request: types::Request, unused: Vec<u32>) -> Vec<types::Diagnostic> {
        let unused: Vec<_> = unused.into_iter().map(from_wit::position).collect();
        to_wit::diagnostics(landfall::report_unused(
            &from_wit::request(request),
            &unused,
        ))
    }
}

impl folders::Guest for Plugin {
    fn tool_of(binding: Option<types::Config>) -> Result<Option<folders::Tool>, types::Findings> {
        landfall::tool(binding.map(from_wit::config).as_ref())
            .map(|tool| tool.map(to_wit::tool))
            .map_err(to_wit::findings)
    }

    fn schemas(binding: types::Config) -> Result<Vec<folders::SchemaFile>, types::Findings> {
        landfall::schemas(&from_wit::config(binding))
            .map(|schemas| schemas.into_iter().map(to_wit::schema_file).collect())
            .map_err(to_wit::findings)
    }

    fn chart(binding: types::Config) -> Result<folders::ChartOptions, types::Findings> {
        landfall::chart_options(&from_wit::config(binding))
            .map(to_wit::chart_options)
            .map_err(to_wit::findings)
    }

    fn render_values(
        files: Vec<types::File>,
        request: types::Request,
    ) -> Result<types::Answer, types::Findings> {
        from_wit::sources(files)
            .generate_values(&from_wit::request(request))
            .map(to_wit::answer)
            .map_err(to_wit::findings)
    }

    fn check_built(
        built: Vec<types::File>,
        rendered: Vec<types::File>,
        request: types::Request,
    ) -> types::Findings {
        let [built, rendered] = [built, rendered].map(from_wit::sources);
        to_wit::findings(built.check_built(&rendered, &from_wit::request(request)))
    }
}

impl stand_ins::Guest for Plugin {
    fn render(
        files: Vec<types::File>,
        request: types::Request,
        stand_in: stand_ins::StandIn,
    ) -> Result<types::Answer, types::Findings> {
        let stand_in = from_wit::stand_in(stand_in);
        from_wit::sources(files)
            .generate_stand_ins(&from_wit::request(request), stand_in)
            .map(to_wit::answer)
            .map_err(to_wit::findings)
    }

    fn restore(
        first: stand_ins::StandInBuild,
        second: stand_ins::StandInBuild,
        rendered: Vec<types::File>,
        request: types::Request,
    ) -> Result<Vec<u8>, types::Findings> {
        let [first, second] = [first, second].map(from_wit::stand_in_build);
        let rendered = from_wit::files(rendered);
        landfall::restore_sensitive(&first, &second, &rendered, &from_wit::request(request))
            .map_err(to_wit::findings)
    }
}
