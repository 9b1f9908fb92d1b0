//! What is said about the files of `--each`.

use crate::problem::{HostRule, Problem, is_pattern};

/// Why files are not those of a fleet.
#[derive(Debug)]
pub(super) enum ClustersProblem {
    /// No file matches a pattern.
    NoMatch { pattern: String, is_folder: bool },
    /// The name of a file cannot be the name of a cluster.
    InvalidName { path: String },
    /// Two files have the same name, or names that differ in case only.
    SameName {
        name: String,
        paths: [String; 2],
        differs_in_case: bool,
    },
    /// A cluster has no document for one of the bound names.
    NoDocument {
        cluster: String,
        bound: String,
        pattern: String,
    },
}

impl From<ClustersProblem> for Problem {
    fn from(problem: ClustersProblem) -> Self {
        let (message, help) = match &problem {
        ClustersProblem::NoMatch { pattern, is_folder } => (
            format!("no file matches the pattern `{pattern}` of --each"),
            match (is_folder, pattern.contains('{')) {
                (true, _) => format!(
                    "it is a folder: pass a pattern of files, such as `--each '{}/*.json'`",
                    pattern.trim_end_matches('/')
                ),
                (false, true) => {
                    "`{a,b}` is not a wildcard here: use --each once for each pattern".to_owned()
                }
                (false, false) if !is_pattern(pattern) => {
                    "the path is relative to the current folder".to_owned()
                }
                (false, false) => {
                    "the pattern is relative to the current folder; `*` does not match names that start with a dot".to_owned()
                }
            },
        ),
        ClustersProblem::InvalidName { path } => (
            format!("the name of `{path}` cannot be the name of a cluster"),
            "a name without its extension is a folder in --output-dir: use only ASCII letters, digits, `.`, `_` and `-`, and no `.` at the beginning".to_owned(),
        ),
        ClustersProblem::SameName {
            name,
            paths: [first, second],
            differs_in_case,
        } => (
            if *differs_in_case {
format!(
                    "`{first}` and `{second}` have names that differ only in upper and lower case"
                )
} else {
format!("`{first}` and `{second}` have the same name, `{name}`")
},
            "rename one of them, because each cluster has a folder of its own in --output-dir"
                .to_owned(),
        ),
        ClustersProblem::NoDocument {
            cluster,
            bound,
            pattern,
        } => (
            format!("the cluster `{cluster}` has no outputs document for `{bound}`"),
            format!("`{pattern}` matches no file with this name: create it, or remove those of the other names"),
        ),
    };
        Self::new(HostRule::InvalidClusters, message).help(help)
    }
}
