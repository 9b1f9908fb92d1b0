//! The plugin as a WebAssembly component. It translates between the records of
//! `wit/` and those of [`landfall`], by move, and decides nothing.

#![deny(unsafe_code)]

mod bindings;
mod inward;
mod outward;

use bindings::exports::landfall::config_management::{generator, krm_function, types};

struct Plugin;

impl generator::Guest for Plugin {
    type Sources = Sources;

    fn discover(paths: Vec<String>) -> bool {
        landfall::discover(&inward::paths(&paths))
    }

    fn needs(
        binding: Option<types::Config>,
        parameters: Vec<types::Parameter>,
        paths: Vec<String>,
    ) -> Result<types::Plan, Vec<types::Diagnostic>> {
        let binding = binding.map(inward::config);
        let parameters: Vec<_> = parameters.into_iter().map(inward::parameter).collect();
        landfall::needs(binding.as_ref(), &parameters, &inward::paths(&paths))
            .map(outward::plan)
            .map_err(outward::diagnostics)
    }
}

struct Sources(landfall::Sources);

impl generator::GuestSources for Sources {
    fn new(files: Vec<types::File>) -> Self {
        Self(landfall::Sources::new(
            files.into_iter().map(inward::file).collect(),
        ))
    }

    fn parameters(
        &self,
        request: types::Request,
    ) -> Result<Vec<types::Announcement>, Vec<types::Diagnostic>> {
        self.0
            .parameters(&inward::request(request))
            .map(|announcements| {
                announcements
                    .into_iter()
                    .map(outward::announcement)
                    .collect()
            })
            .map_err(outward::diagnostics)
    }

    fn generate(&self, request: types::Request) -> Result<types::Answer, Vec<types::Diagnostic>> {
        self.0
            .generate(&inward::request(request))
            .map(outward::answer)
            .map_err(outward::diagnostics)
    }
}

impl krm_function::Guest for Plugin {
    fn needs(resource_list: Vec<u8>) -> Result<Vec<types::Need>, Vec<types::Diagnostic>> {
        landfall::krm_needs(&resource_list)
            .map(|needs| needs.into_iter().map(outward::need).collect())
            .map_err(outward::diagnostics)
    }

    fn process(
        resource_list: Vec<u8>,
        outputs: Vec<types::OutputsDocument>,
        operator_policy: Option<types::Config>,
        policy: Option<types::Config>,
    ) -> Result<krm_function::Processed, Vec<types::Diagnostic>> {
        let outputs: Vec<_> = outputs.into_iter().map(inward::outputs_document).collect();
        let operator_policy = operator_policy.map(inward::config);
        let policy = policy.map(inward::config);
        landfall::process(
            &resource_list,
            &outputs,
            operator_policy.as_ref(),
            policy.as_ref(),
        )
        .map(outward::processed)
        .map_err(outward::diagnostics)
    }
}
