//! The files that configure a render. They contain more than what manifests reference, so a
//! tool that builds an application must not read them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use landfall_sandbox::types::{Location, Plan};

use crate::discovery::BINDINGS;
use crate::engine::{Halted, Request};
use crate::files::Root;
use crate::paths;
use crate::settings::InputPath;

use super::load::{Loader, Stop};

/// The bound outputs documents and the Binding of an application, relative to the root.
#[derive(Debug, Default)]
pub(crate) struct OwnInputs {
    bindings: Vec<PathBuf>,
    bound: Vec<PathBuf>,
    /// The paths of outputs documents in which parameters choose one of several.
    with_parameters: Vec<String>,
}

impl OwnInputs {
    /// Returns what a file is, given its canonical path: `None` if it is no such file.
    pub(crate) fn role(&self, real: &Path) -> Option<&'static str> {
        let is_real = |other: &PathBuf| other == real;
        if self.bindings.iter().any(is_real) {
            return Some("a Binding");
        }
        let path = paths::for_module(real);
        let may_be_chosen = |other: &String| can_be(other, &path);
        let is_bound =
            self.bound.iter().any(is_real) || self.with_parameters.iter().any(may_be_chosen);
        is_bound.then_some("a bound outputs document")
    }
}

impl Loader<'_> {
    /// Returns the files that configure the render of `folder`, a path relative to the root.
    pub(crate) fn own_inputs(
        &mut self,
        root: &Root,
        folder: &Path,
        plan: &Plan,
    ) -> Result<OwnInputs, Stop> {
        let inside = |path: PathBuf| root.inside(&path).ok();
        let in_root = plan
            .documents
            .iter()
            .filter(|need| need.location == Location::Root);
        let bound = in_root.filter_map(|need| inside(folder.join(&need.path)));
        let config = self.job.config.and_then(|config| match config {
            InputPath::Path(path) => root.relative(path).ok(),
            InputPath::Stdin => None,
        });
        let bindings = BINDINGS.iter().filter_map(|name| inside(folder.join(name)));
        Ok(OwnInputs {
            bindings: bindings.chain(config).collect(),
            bound: bound.chain(self.named_by_flags(root)).collect(),
            with_parameters: self.paths_with_parameters(folder, plan)?,
        })
    }

    /// Returns the files that flags name, relative to the root.
    fn named_by_flags(&self, root: &Root) -> Vec<PathBuf> {
        let paths = self
            .flag_inputs
            .paths
            .iter()
            .map(PathBuf::as_path)
            .chain(self.job.operator_policy_file);
        paths.filter_map(|path| root.relative(path).ok()).collect()
    }

    /// Returns the paths of outputs documents in which parameters choose one of several,
    /// relative to the root.
    fn paths_with_parameters(&mut self, folder: &Path, plan: &Plan) -> Result<Vec<String>, Stop> {
        let Request {
            configuration,
            parameters,
            ..
        } = &self.loaded.application.request;
        let documents = if parameters.is_empty() {
            plan.documents.clone()
        } else {
            let plan = self.plugin.plan(configuration, &[], None);
            plan.map_err(Halted::from)?.documents
        };
        let folder = paths::for_module(folder);
        let paths = documents
            .into_iter()
            .filter(|need| need.location == Location::Root && need.path.contains('{'))
            .map(|need| paths::join(&folder, &need.path));
        Ok(paths.collect())
    }
}

/// Returns whether a path can be that of an outputs document whose path has parameters:
/// `{name}`, each a part of a segment.
fn can_be(with_parameters: &str, path: &str) -> bool {
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let mut ends = BTreeSet::from([0]);
    let mut rest = with_parameters;
    loop {
        let (literal, after) = match rest.split_once('{') {
            Some((literal, after)) => (literal, Some(after)),
            None => (rest, None),
        };
        let after_literal = ends.iter().filter(|at| path[**at..].starts_with(literal));
        let starts: Vec<usize> = after_literal.map(|at| at + literal.len()).collect();
        let Some(after) = after else {
            return starts.contains(&path.len());
        };
        ends.clear();
        // Values that begin in the same part of a segment end at the same places.
        let mut done = 0;
        for start in starts {
            let from = done.max(start);
            let values = path.as_bytes()[from..].iter();
            done = from + values.take_while(|byte| is_inner(byte)).count();
            ends.extend(from.max(start + 1)..=done);
        }
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
}

#[cfg(test)]
mod tests {
    use super::can_be;

    #[test]
    fn a_parameter_is_a_part_of_a_segment() {
        assert!(can_be("outputs/{cluster}.json", "outputs/b.json"));
        assert!(can_be("{env}/{cluster}-{nth}.json", "prod/a-b-1.json"));
        assert!(!can_be("outputs/{cluster}.json", "outputs/a/b.json"));
        assert!(!can_be("outputs/{cluster}.json", "outputs/.json"));
        assert!(!can_be("outputs/{cluster}.json", "outputs/ü.json"));
        let hostile = "{a}".repeat(200);
        assert!(!can_be(&hostile, &format!("{}/", "a".repeat(2_000))));
    }
}
