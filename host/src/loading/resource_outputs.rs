//! Outputs documents that are resources among the manifests.

use landfall_sandbox::types::{Location, Need, Origin, Plan, ResourceDocument};

use crate::engine::{Halted, errors};
use crate::settings::{Destination, Tool};

use super::load::{Loader, Stop};
use super::manifest_files::is_blank;
use super::outputs_problems::not_among_manifests;
use super::required_outputs::document;

/// Returns whether a document is a resource.
pub(super) fn is_resource(need: &Need) -> bool {
    need.location == Location::Resource
}

impl Loader<'_> {
    /// Adds the outputs documents of the Binding that are resources among the manifests. Those
    /// that are not for the cluster are not written, unless the files themselves are.
    pub(super) fn resource_outputs(&mut self, plan: &Plan) -> Result<(), Stop> {
        if self.is_full() || !plan.documents.iter().any(is_resource) {
            return Ok(());
        }
        let is_in_place = matches!(self.job.destination, Destination::InPlace { .. });
        let keeps_local = is_in_place || self.job.is_about_sources;
        let application = &mut self.loaded.application;
        let configuration = &application.request.configuration;
        let found = self
            .plugin
            .resource_outputs(application.files(), configuration)
            .map_err(Halted::from)?;
        let found = match found {
            Ok(found) => found,
            Err(found) => {
                let found = errors(found)?.diagnostics;
                self.loaded.findings.diagnostics.extend(found);
                return Err(Stop::Reported);
            }
        };
        for ResourceDocument {
            need,
            resource,
            is_local,
        } in found
        {
            let (Origin::Manifest(file), Location::Held(content)) =
                (resource.origin, need.location.clone())
            else {
                return Err(Halted::BrokenAnswer.into());
            };
            let file = file as usize;
            if is_local && !keeps_local {
                let bytes = resource.start as usize..resource.end as usize;
                let blank = application.overwrite(file, bytes);
                if is_blank(blank.ok_or(Halted::BrokenAnswer)?) {
                    application.sources_mut()[file].target = None;
                }
            }
            if !self.flag_inputs.binds(&need.name) {
                let document = document(&need, need.path.clone(), content);
                application.request.inputs.documents.push(document);
                application.resources.insert(need.start, file);
            }
        }
        let documents = &mut application.request.inputs.documents;
        documents.sort_by_key(|document| document.declared_at);
        Ok(())
    }

    /// Reports outputs documents that are resources where no manifests are read, or where `tool`
    /// builds them later.
    pub(super) fn report_resource_outputs(&mut self, plan: &Plan, tool: Option<Tool>) {
        for need in plan.documents.iter().filter(|need| is_resource(need)) {
            if !need.optional && !self.flag_inputs.binds(&need.name) {
                self.report(not_among_manifests(need, tool));
            }
        }
    }
}
