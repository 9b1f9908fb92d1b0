//! An `--output-dir` inside the folder of the application that it is rendered from.

use std::path::Path;

use landfall_sandbox::types::{Diagnostic, Folder};

use crate::engine::Halted;
use crate::files::Root;
use crate::settings::Destination;

use super::load::{End, Loader};
use super::refusal::Refusal;
use super::shown;

/// The module's rule for patterns that no file matches.
const UNMATCHED_PATTERN: &str = "unmatched-pattern";

impl Loader<'_> {
    /// Refuses an output folder whose files the next render would take for manifests.
    /// `shown` is the application's folder, `paths` are the files in it.
    pub(super) fn expect_output_apart(
        &mut self,
        root: &Root,
        folder: &Path,
        shown: &str,
        paths: &[String],
    ) -> Result<(), End> {
        let Some(output) = self.output_below(root, folder) else {
            return Ok(());
        };
        let targets = self.loaded.application.targets.iter().flatten();
        let written = targets.map(|target| shown::for_module(&Path::new(&output).join(target)));
        // A file that is there is one of the sources, which has an error of its own.
        let written = written.filter(|path| paths.binary_search(path).is_err());
        let next: Vec<String> = paths.iter().cloned().chain(written).collect();
        let next = Folder {
            shown: shown.to_owned(),
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
            return Err(End::Refused(Refusal::OutputAmongManifests {
                path: shown::joined(shown, &output),
                below: output,
            }));
        }
        Ok(())
    }

    /// Drops warnings about patterns that exclude the output folder, which is not
    /// listed in the run that writes it.
    pub(super) fn forgive_output_folder(&mut self, root: &Root, folder: &Path) {
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

    /// The output folder relative to `folder`, when it is this one or below it; the
    /// first run makes it. Empty: it is this one.
    fn output_below(&self, root: &Root, folder: &Path) -> Option<String> {
        let Destination::Folder(output) = &self.job.destination else {
            return None;
        };
        let real = root.relative_if_made(output).ok()?;
        let below = real.strip_prefix(folder).ok()?;
        Some(shown::for_module(below))
    }
}
