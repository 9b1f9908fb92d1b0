//! Checks for an `--output-dir` inside the folder of the rendered application.

use std::path::Path;

use landfall_sandbox::types::{Diagnostic, Folder};

use crate::engine::Halted;
use crate::files::Root;
use crate::settings::Destination;

use super::load::{Loader, Stop};
use super::paths;
use super::problem::Problem;

/// The module's rule for patterns that match no file.
const UNMATCHED_PATTERN: &str = "unmatched-pattern";

impl Loader<'_> {
    /// Reports an error if the next render would read the written files as manifests.
    /// `paths` are the files in the application's folder.
    pub(super) fn check_output_folder(
        &mut self,
        root: &Root,
        folder: &Path,
        display_path: &str,
        paths: &[String],
    ) -> Result<(), Stop> {
        let Some(output) = self.output_below(root, folder) else {
            return Ok(());
        };
        let targets = self.loaded.application.targets.iter().flatten();
        let written = targets.map(|target| paths::for_module(&Path::new(&output).join(target)));
        // Overwriting an existing source is a separate error.
        let written = written.filter(|path| paths.binary_search(path).is_err());
        let next: Vec<String> = paths.iter().cloned().chain(written).collect();
        let next = Folder {
            shown: display_path.to_owned(),
            paths: next,
        };
        let request = &self.loaded.application.request;
        let plan = self
            .plugin
            .needs(request.binding.as_ref(), &request.parameters, Some(&next))
            .map_err(Halted::from)?;
        let is_manifest = plan.is_ok_and(|plan| {
            let mut manifests = plan.manifests.iter();
            manifests.any(|&position| position as usize >= paths.len())
        });
        if is_manifest {
            return Err(Stop::Problem(Problem::OutputAmongManifests {
                path: paths::join(display_path, &output),
                below: output,
            }));
        }
        Ok(())
    }

    /// Drops warnings about patterns that exclude the output folder. They match no file
    /// in this run because the output folder is not listed.
    pub(super) fn drop_output_folder_warnings(&mut self, root: &Root, folder: &Path) {
        let Some(output) = self.output_below(root, folder) else {
            return;
        };
        let binding = &self.loaded.application.request.binding;
        let Some(text) = binding.as_ref().map(|binding| &binding.content) else {
            return;
        };
        let excludes_it = |found: &Diagnostic| {
            found.rule == UNMATCHED_PATTERN
                && found.labels.iter().any(|label| {
                    let span = label.span.start as usize..label.span.end as usize;
                    let pattern = text.get(span).unwrap_or_default();
                    let pattern = pattern.trim_ascii_start();
                    let pattern = pattern
                        .strip_prefix(b"\"")
                        .or(pattern.strip_prefix(b"'"))
                        .unwrap_or(pattern);
                    pattern
                        .strip_prefix(output.as_bytes())
                        .is_some_and(|rest| rest.first().is_none_or(|next| *next == b'/'))
                })
        };
        self.loaded
            .findings
            .diagnostics
            .retain(|found| !excludes_it(found));
    }

    /// Returns the output folder, which need not exist, relative to `folder` if it is
    /// inside it. Empty if they are the same.
    fn output_below(&self, root: &Root, folder: &Path) -> Option<String> {
        let Destination::Folder(output) = &self.job.destination else {
            return None;
        };
        let real = root.relative_if_created(output).ok()?;
        let below = real.strip_prefix(folder).ok()?;
        Some(paths::for_module(below))
    }
}
