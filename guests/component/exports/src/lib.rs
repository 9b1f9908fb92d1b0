//! The exports of the component. It translates between the records of
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
        folder: Option<types::Folder>,
    ) -> Result<types::Plan, types::Findings> {
        let binding = binding.map(inward::config);
        let parameters: Vec<_> = parameters.into_iter().map(inward::parameter).collect();
        let paths = folder.as_ref().map(|folder| inward::paths(&folder.paths));
        let folder = folder.as_ref().zip(paths.as_deref());
        let folder = folder.map(|(folder, paths)| landfall::Folder {
            shown: &folder.shown,
            paths,
        });
        landfall::needs(binding.as_ref(), &parameters, folder.as_ref())
            .map(outward::plan)
            .map_err(outward::findings)
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
    ) -> Result<Vec<types::Announcement>, types::Findings> {
        self.0
            .parameters(&inward::request(request))
            .map(|announcements| {
                announcements
                    .into_iter()
                    .map(outward::announcement)
                    .collect()
            })
            .map_err(outward::findings)
    }

    fn unrendered(&self, request: types::Request, allowed: Vec<String>) -> types::Findings {
        outward::findings(self.0.unrendered(&inward::request(request), &allowed))
    }

    fn generate(&self, request: types::Request) -> Result<types::Answer, types::Findings> {
        self.0
            .generate(&inward::request(request))
            .map(outward::answer)
            .map_err(outward::findings)
    }
}

impl krm_function::Guest for Plugin {
    fn needs(resource_list: Vec<u8>) -> Result<Vec<types::Need>, types::Findings> {
        landfall::krm_needs(&resource_list)
            .map(|needs| needs.into_iter().map(outward::need).collect())
            .map_err(outward::findings)
    }

    fn process(
        resource_list: Vec<u8>,
        outputs: Vec<types::OutputsDocument>,
        ceiling: types::Ceiling,
        policy: Option<types::Config>,
        known_names: Vec<types::KnownName>,
    ) -> Result<krm_function::Processed, types::Findings> {
        let outputs: Vec<_> = outputs.into_iter().map(inward::outputs_document).collect();
        let ceiling = inward::ceiling(ceiling);
        let policy = policy.map(inward::config);
        let known_names: Vec<_> = known_names.into_iter().map(inward::known_name).collect();
        landfall::process(
            &resource_list,
            &outputs,
            &ceiling,
            policy.as_ref(),
            &known_names,
        )
        .map(outward::processed)
        .map_err(outward::findings)
    }
}
