//! Checks for the folders of `--output-dir` inside the folder of the rendered application.

use std::path::Path;

use landfall_sandbox::types::{Diagnostic, Folder, Topic};

use crate::engine::Halted;
use crate::files::Root;
use crate::paths;

use super::folder_problems::output_among_manifests;
use super::load::{Loader, Stop};

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
        let outputs = self.outputs_below(root, folder);
        if outputs.is_empty() {
            return Ok(());
        }
        let sources = self.loaded.application.sources();
        let written = outputs.iter().flat_map(|output| {
            let targets = sources.iter().filter_map(|source| source.target.as_ref());
            targets.map(move |target| {
                let path = paths::for_module(&Path::new(output).join(target));
                (output, path)
            })
        });
        // Overwriting an existing source is a separate error.
        let written: Vec<(&String, String)> = written
            .filter(|(_, path)| paths.binary_search(path).is_err())
            .collect();
        let next = written.iter().map(|(_, path)| path);
        let next = Folder {
            shown: display_path.to_owned(),
            paths: paths.iter().chain(next).cloned().collect(),
        };
        let request = &self.loaded.application.request;
        let plan = (self.plugin)
            .plan(&request.configuration, &request.parameters, Some(&next))
            .map_err(Halted::from)?;
        let is_written = |position: &u32| (*position as usize).checked_sub(paths.len());
        let read_next = plan.manifests.iter().find_map(is_written);
        let Some((output, _)) = read_next.and_then(|nth| written.get(nth)) else {
            return Ok(());
        };
        let common = common_folder(&outputs);
        let of_all_clusters = if self.job.fleet.is_some() && !common.is_empty() {
            common
        } else {
            output
        };
        Err(Stop::Problem(output_among_manifests(
            &paths::join(display_path, output),
            of_all_clusters,
        )))
    }

    /// Drops warnings about patterns that exclude the output folders. They match no file
    /// in this run because the output folders are not listed.
    pub(super) fn drop_output_folder_warnings(&mut self, root: &Root, folder: &Path) {
        let outputs = self.outputs_below(root, folder);
        if outputs.is_empty() {
            return;
        }
        let binding = &self.loaded.application.request.configuration.binding;
        let Some(text) = binding.as_ref().map(|binding| &binding.content) else {
            return;
        };
        let excludes_it = |found: &Diagnostic| {
            found.topic == Some(Topic::UnmatchedPattern)
                && found.labels.iter().any(|label| {
                    let span = label.span.start as usize..label.span.end as usize;
                    let pattern = text.get(span).unwrap_or_default();
                    let pattern = pattern.trim_ascii_start();
                    let pattern = pattern
                        .strip_prefix(b"\"")
                        .or(pattern.strip_prefix(b"'"))
                        .unwrap_or(pattern);
                    outputs.iter().any(|output| is_at_or_below(pattern, output.as_bytes()))
                        // The folder of all clusters: `out/`, `out/**` or `out/*/`.
                        || self.job.fleet.is_some() && outputs.first().is_some_and(|output| {
                            let folder = pattern.split(|byte| *byte == b'*').next();
                            let folder = folder.and_then(|folder| folder.strip_suffix(b"/"));
                            folder.is_some_and(|folder| is_at_or_below(output.as_bytes(), folder))
                        })
                })
        };
        self.loaded
            .findings
            .diagnostics
            .retain(|found| !excludes_it(found));
    }

    /// Returns the output folders that are inside `folder`, relative to it. They need not
    /// exist. Empty for the folder itself.
    fn outputs_below(&self, root: &Root, folder: &Path) -> Vec<String> {
        let outputs = self.job.output_folders().iter();
        let below = |output| {
            let real = root.relative_if_created(output).ok()?;
            let below = real.strip_prefix(folder).ok()?;
            Some(paths::for_module(below))
        };
        outputs.filter_map(|output| below(output)).collect()
    }
}

/// Returns the innermost folder that contains all of these folders, without a `/` at its end;
/// empty if there is none.
fn common_folder(folders: &[String]) -> &str {
    let above = |folder: &'_ str| folder.rfind('/').unwrap_or(0);
    let Some(first) = folders.first() else {
        return "";
    };
    let mut common = &first[..above(first)];
    while !common.is_empty()
        && !(folders.iter()).all(|folder| is_at_or_below(folder.as_bytes(), common.as_bytes()))
    {
        common = &common[..above(common)];
    }
    common
}

/// Returns whether a path is `folder` or below it.
fn is_at_or_below(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.first().is_none_or(|next| *next == b'/'))
}

#[cfg(test)]
mod tests {
    use super::common_folder;

    #[test]
    fn finds_the_folder_of_all_clusters() {
        for (folders, expected) in [
            (&["out/a", "out/b"][..], "out"),
            (&["out/a/k8s", "out/b/k8s"], "out"),
            (&["out/x/a", "out/x/ab"], "out/x"),
            (&["out/a"], "out"),
            (&["x-a", "x-b"], ""),
            (&[], ""),
        ] {
            let folders: Vec<String> = folders.iter().map(|&folder| folder.to_owned()).collect();
            assert_eq!(common_folder(&folders), expected, "{folders:?}");
        }
    }
}
