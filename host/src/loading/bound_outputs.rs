//! Loads the outputs documents that a Binding binds: files inside the root, documents that
//! the operator has mounted, and values that the module has.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use landfall_sandbox::types::{BuiltInCeiling, Location, Need, Origin, OutputsDocument, Plan};

use crate::engine::{Halted, errors};
use crate::files::Root;
use crate::paths;
use crate::problem::Problem;
use crate::rendered::may_have_sensitive_outputs;
use crate::settings::InputPath;

use super::flag_inputs::display_name;
use super::load::{Loader, Stop};
use super::mounted::{MountedFolders, NotFound};
use super::mounted_problems::{
    not_found, not_mounted, nothing_digested, other_digest, unkeyed_digest,
};
use super::renamed_outputs::{RequiredFiles, patterns};
use super::required_outputs::{document, open_required};
use super::resource_outputs::is_resource;

/// How long to wait before mounted documents are read again.
const POLL: Duration = Duration::from_millis(500);

impl Loader<'_> {
    /// Opens the outputs documents of the Binding, except those whose names flags bind and those
    /// that are resources. `folder` is the folder of the Binding unless a flag names the Binding.
    pub(super) fn outputs(
        &mut self,
        plan: &Plan,
        root: &Root,
        folder: Option<(&Path, &str)>,
    ) -> Result<(), Stop> {
        let needs = &plan.documents;
        let is_file = |need: &Need| matches!(need.location, Location::Root | Location::Mounted);
        let by_flag = match self.job.config {
            Some(config) if needs.iter().any(is_file) => Some(self.binding_folder(config, root)?),
            _ => None,
        };
        let (folder, display_path) = match &by_flag {
            Some((folder, display_path)) => (folder.as_path(), display_path.as_str()),
            None => folder.unwrap_or((Path::new(""), ".")),
        };
        self.report_renamed(plan, root, folder)?;
        if !plan.parameter_findings.diagnostics.is_empty() {
            self.loaded.findings = errors(plan.parameter_findings.clone())?;
            return Err(Stop::Reported);
        }
        let needs = needs
            .iter()
            .filter(|need| !is_resource(need) && !self.flag_inputs.binds(&need.name));
        let (mounted, others): (Vec<&Need>, Vec<&Need>) =
            needs.partition(|need| need.location == Location::Mounted);
        let mut documents = Vec::new();
        for need in others {
            if let Location::Held(content) = &need.location {
                let document = document(need, need.path.clone(), content.clone());
                documents.push((need.start, document));
                continue;
            }
            if self.is_full() {
                break;
            }
            let opened = open_required(
                need,
                Origin::Binding,
                root,
                folder,
                display_path,
                self.budget,
            );
            documents.extend(self.opened(need, opened));
        }
        self.mounted(&mounted, &mut documents)?;
        documents.sort_by_key(|(start, _)| *start);
        let documents = documents.into_iter().map(|(_, document)| document);
        let request = &mut self.loaded.application.request;
        request.inputs.documents.extend(documents);
        Ok(())
    }

    /// Reports a file that is bound under another name than the one under which the Binding, in
    /// `folder`, declares outputs of it sensitive.
    fn report_renamed(&mut self, plan: &Plan, root: &Root, folder: &Path) -> Result<(), Halted> {
        let named = &self.flag_inputs.named;
        let configuration = &self.loaded.application.request.configuration;
        let Some(binding) = &configuration.binding else {
            return Ok(());
        };
        let patterns = patterns(named, plan, configuration, self.plugin)?;
        let mounted = self.job.mounted.as_ref().ok();
        let files = RequiredFiles {
            binding: &binding.path,
            needs: &plan.documents,
            patterns: &patterns,
            // An empty path has no canonical one.
            folder: root.real(&folder.join(".")).ok(),
            mounted: mounted.map(MountedFolders::real),
        };
        if let Some(problem) = files.declared_under_other_name(named) {
            self.report(problem);
        }
        Ok(())
    }

    /// Returns a document with its location in the Binding, or reports the problem.
    fn opened(
        &mut self,
        need: &Need,
        opened: Result<OutputsDocument, Problem>,
    ) -> Option<(u32, OutputsDocument)> {
        match opened {
            Ok(document) => return Some((need.start, document)),
            Err(problem) if self.job.policies.keeps_unpublished(need) => {
                self.report(problem.into_optional(need.may_be_absent));
            }
            Err(problem) => self.report(problem),
        }
        None
    }

    /// Opens the outputs documents that the operator has mounted.
    fn mounted(
        &mut self,
        needs: &[&Need],
        documents: &mut Vec<(u32, OutputsDocument)>,
    ) -> Result<(), Stop> {
        if self.is_full() {
            return Ok(());
        }
        if needs.is_empty() {
            if self.job.digest.is_some() {
                self.report(nothing_digested());
            }
            return Ok(());
        }
        let folders = match &self.job.mounted {
            Ok(folders) => folders,
            Err(why) => {
                for need in needs {
                    let is_plugin = self.job.ceiling.built_in == BuiltInCeiling::ArgoCd;
                    let problem = not_mounted(need, Origin::Binding, why, is_plugin);
                    self.opened(need, Err(problem));
                }
                return Ok(());
            }
        };
        let read = self.read_expected(folders, needs)?;
        for (need, read) in std::iter::zip(needs, read) {
            let opened = read.map_err(|not| not_found(need, Origin::Binding, &not));
            let Some((start, mut document)) = self.opened(need, opened) else {
                continue;
            };
            if !folders.is_public {
                let configuration = &self.loaded.application.request.configuration;
                let one = std::slice::from_ref(&document);
                let read = self.plugin.read_outputs(one, configuration);
                let mut formats = read.map_err(Halted::from)?.formats.into_iter();
                document.sensitive = !formats.all(|format| format.marks_sensitive);
            }
            documents.push((start, document));
        }
        Ok(())
    }

    /// Reads mounted documents. If the Application asks for a digest that they do not have,
    /// waits for Kubernetes to update the volume.
    fn read_expected(
        &mut self,
        folders: &MountedFolders,
        needs: &[&Need],
    ) -> Result<Vec<Result<OutputsDocument, NotFound>>, Stop> {
        loop {
            let mut left = self.budget.clone();
            let read = folders.read(needs, &mut left);
            let Some((expected, until)) = &self.job.digest else {
                *self.budget = left;
                return Ok(read);
            };
            // Compared with secrets, a digest without a key would confirm guesses.
            if !expected.is_keyed() && self.may_be_sensitive(folders, &read)? {
                self.report(unkeyed_digest(None));
                return Ok(read);
            }
            let is_broken = |read: &Result<_, NotFound>| {
                read.as_ref()
                    .is_err_and(|not_found| !not_found.is_missing())
            };
            if expected.matches(read.iter().flatten()) || read.iter().any(is_broken) {
                *self.budget = left;
                return Ok(read);
            }
            if Instant::now() + POLL > *until {
                self.report(other_digest());
                return Ok(read);
            }
            std::thread::sleep(POLL);
        }
    }

    fn may_be_sensitive(
        &mut self,
        folders: &MountedFolders,
        read: &[Result<OutputsDocument, NotFound>],
    ) -> Result<bool, Stop> {
        let documents: Vec<_> = read.iter().flatten().cloned().collect();
        let configuration = &self.loaded.application.request.configuration;
        let trusts_unmarked = folders.is_public;
        Ok(may_have_sensitive_outputs(
            &documents,
            trusts_unmarked,
            configuration,
            self.plugin,
        )?)
    }

    /// Returns the folder of the Binding that a flag names, relative to the root, and
    /// its path in diagnostics.
    pub(super) fn binding_folder(
        &self,
        config: &InputPath,
        root: &Root,
    ) -> Result<(PathBuf, String), Problem> {
        let folder = match config {
            InputPath::Path(path) => paths::folder_of(path),
            InputPath::Stdin => PathBuf::from("."),
        };
        let display_path = display_name(config, self.job.stdin_name);
        match root.relative(&folder) {
            Ok(folder) => Ok((folder, paths::parent(&display_path).to_owned())),
            Err(error) => Err(Problem::flag("--config", &display_path, &error)),
        }
    }
}
