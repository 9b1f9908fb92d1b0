//! Argo CD's calls, and everyone else's who renders a folder of files: which
//! files are ours, and which must be opened.

use std::collections::BTreeSet;

use super::{Config, Need, Parameter};
use crate::binding::config::{self, Binding};
use crate::report::{Diagnostic, Origin};

/// The names of the Binding file.
const BINDINGS: &[&str] = &["landfall.yaml", "landfall.yml"];
/// The names of kustomize's and kpt's own files.
const NO_MANIFESTS: &[&str] = &["kustomization.yaml", "kustomization.yml", "Kptfile"];
/// A folder with this file is a Helm chart: its files are templates and values.
const CHART: &str = "Chart.yaml";
const EXTENSIONS: &[&str] = &[".yaml", ".yml", ".json"];

/// What a host opens before it calls [`crate::Sources::generate`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Outputs documents that the Binding asks for.
    pub outputs: Vec<Need>,
    /// Positions in the given paths: the source manifests among them.
    pub manifests: Vec<usize>,
}

/// Whether a folder that holds these paths is landfall's: it has a Binding.
///
/// # Examples
/// ```
/// assert!(landfall::discover(&["landfall.yaml", "deployment.yaml"]));
/// assert!(!landfall::discover(&["deployment.yaml", "sub/landfall.yaml"]));
/// ```
#[must_use]
pub fn discover(paths: &[&str]) -> bool {
    paths.iter().any(|path| BINDINGS.contains(path))
}

/// What must be opened: the outputs documents that the Binding asks for, and the
/// manifests among `paths`, all files of the application's folder relative to
/// it.
///
/// Unless the Binding says otherwise, manifests are the YAML and JSON files at
/// any depth, without dotfiles, Bindings, bound documents, `kustomization.yaml`,
/// `Kptfile` and the files of Helm charts.
///
/// # Errors
/// Everything that is wrong with the Binding.
///
/// # Examples
/// ```
/// let plan = landfall::needs(None, &[], &["a.yaml", ".hidden.yaml", "b/c.json", "README.md"]).unwrap();
/// assert_eq!(plan.manifests, [0, 2]);
/// ```
pub fn needs(
    binding: Option<&Config>,
    _parameters: &[Parameter],
    paths: &[&str],
) -> Result<Plan, Vec<Diagnostic>> {
    let binding = match binding {
        Some(binding) => config::read(binding, Origin::Binding)?,
        None => Binding::default(),
    };
    let manifests = manifests(&binding, paths);
    Ok(Plan {
        outputs: binding.outputs,
        manifests,
    })
}

fn manifests(binding: &Binding, paths: &[&str]) -> Vec<usize> {
    let charts: BTreeSet<&str> = paths
        .iter()
        .filter(|path| file_name(path) == CHART)
        .map(|path| path.strip_suffix(CHART).unwrap_or_default())
        .collect();
    let bound: BTreeSet<String> = binding
        .outputs
        .iter()
        .map(|need| normalized(&need.path))
        .collect();
    let matches = |patterns: &[String], path: &str| {
        patterns
            .iter()
            .any(|pattern| fast_glob::glob_match(pattern, path))
    };
    let is_manifest = |path: &str| {
        if BINDINGS.contains(&file_name(path))
            || bound.contains(path)
            || matches(&binding.exclude, path)
        {
            return false;
        }
        match &binding.include {
            Some(include) => matches(include, path),
            None => {
                EXTENSIONS.iter().any(|extension| path.ends_with(extension))
                    && !path.split('/').any(|segment| segment.starts_with('.'))
                    && !NO_MANIFESTS.contains(&file_name(path))
                    && !charts.iter().any(|chart| path.starts_with(chart))
            }
        }
    };
    (0..paths.len())
        .filter(|position| is_manifest(paths[*position]))
        .collect()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `./a/../b.json` is `b.json`; what leads out of the folder keeps its `..`.
fn normalized(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." if segments.last().is_some_and(|last| *last != "..") => {
                segments.pop();
            }
            other => segments.push(other),
        }
    }
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(spec: &str, paths: &[&str], expected: &[&str]) {
        let content = format!("apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {spec}\n")
            .into_bytes();
        let plan = needs(
            Some(&Config {
                path: "landfall.yaml".into(),
                content,
            }),
            &[],
            paths,
        )
        .unwrap();
        let chosen: Vec<_> = plan.manifests.iter().map(|at| paths[*at]).collect();
        assert_eq!(chosen, expected);
    }

    #[test]
    fn the_default_manifests() {
        let paths = [
            "a.yaml",
            "b.yml",
            "c.json",
            "d.md",
            "landfall.yaml",
            "sub/landfall.yml",
            "sub/e.yaml",
            ".github/f.yaml",
            ".g.yaml",
            "kustomization.yaml",
            "sub/kustomization.yml",
            "Kptfile",
            "chart/Chart.yaml",
            "chart/values.yaml",
            "chart/templates/h.yaml",
            "outputs/i.json",
        ];
        check(
            "{outputs: [{name: i, from: {file: ./outputs/i.json}}]}",
            &paths,
            &["a.yaml", "b.yml", "c.json", "sub/e.yaml"],
        );
    }

    #[test]
    fn a_chart_at_the_root_leaves_no_manifests() {
        check("{}", &["Chart.yaml", "templates/a.yaml"], &[]);
    }

    #[test]
    fn the_binding_includes_and_excludes() {
        let paths = [
            "a.yaml",
            "b/c.yaml",
            "b/d.yaml.tpl",
            ".e.yaml",
            "landfall.yaml",
        ];
        check(
            "{manifests: {include: ['**/*.tpl', '.*.yaml']}}",
            &paths,
            &["b/d.yaml.tpl", ".e.yaml"],
        );
        check("{manifests: {exclude: ['b/**']}}", &paths, &["a.yaml"]);
    }
}
