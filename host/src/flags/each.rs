//! `--each`: a render for each cluster of a fleet. `--jobs`: the threads that share it.

use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::{Component, Path, PathBuf};

use clap::Args;
use landfall_sandbox::types::Parameter;

use crate::settings::{Each, EachPattern};

use super::binding::{DEFAULT_NAME, split};
use super::environment::Environment;

const PLACEHOLDER: &str = Each::PLACEHOLDER;

#[derive(Args)]
#[command(next_display_order = 11)]
pub(super) struct EachFlags {
    /// Render once for each file that matches GLOB, and bind it to a name, `infra` by default
    ///
    /// Quote GLOB, so that the shell does not expand it: `--each 'clusters/*.json'`. The
    /// wildcards are `*`, `?` and `[a-z]`. The file's name without its extension is
    /// the parameter `name` of the Binding, and `{name}` in --output-dir. Can be repeated:
    /// files with the same name are of the same cluster.
    #[arg(long, value_name = "[NAME=]GLOB")]
    pub(super) each: Vec<OsString>,
}

#[derive(Args)]
#[command(next_display_order = 12)]
pub(super) struct JobsFlag {
    /// Number of threads that render large manifests, or the files of --each [default: the
    /// number of cores]
    ///
    /// The result is the same for every N.
    #[arg(long, value_name = "N")]
    pub(super) jobs: Option<NonZeroUsize>,
}

impl EachFlags {
    /// Resolves the flags. None: there is no `--each`. `paths` are the path arguments of the
    /// command line.
    ///
    /// # Errors
    /// A pattern that is invalid, or that the shell has expanded; `--param name=…`.
    pub(super) fn resolve(
        self,
        paths: &[PathBuf],
        parameters: &[Parameter],
        environment: &Environment<'_>,
        is_quiet: bool,
    ) -> Result<Option<Each>, String> {
        if self.each.is_empty() {
            return Ok(None);
        }
        let patterns: Vec<_> = self.each.iter().map(|each| pattern(each)).collect();
        let patterns = patterns.into_iter().collect::<Result<Vec<_>, _>>()?;
        if let Some(EachPattern { name, pattern }) = patterns
            .iter()
            .find(|each| is_expanded(&each.pattern, paths))
        {
            let quoted = quoted(name, pattern);
            return Err(format!(
                "the shell has expanded the pattern of --each: quote it, as in --each {quoted}"
            ));
        }
        if parameters.iter().any(|one| one.name == Each::PARAMETER) {
            return Err(
                "--each sets the parameter `name` to the name of each file: remove --param name="
                    .to_owned(),
            );
        }
        let is_dumb = (environment.variable)("TERM").is_none_or(|term| term == "dumb");
        Ok(Some(Each {
            patterns,
            shows_progress: environment.stderr_is_terminal && !is_quiet && !is_dumb,
        }))
    }
}

/// Checks the folder of `--output-dir`.
///
/// # Errors
/// Only one of `--each` and `{name}` is given.
pub(super) fn check_output_dir(each: Option<&Each>, folder: Option<&Path>) -> Result<(), String> {
    let has_placeholder = |folder: &Path| folder.to_string_lossy().contains(PLACEHOLDER);
    match (each, folder) {
        (None, None) => Ok(()),
        (None, Some(folder)) if has_placeholder(folder) => Err(format!(
            "`{PLACEHOLDER}` in --output-dir requires --each, which gives the names"
        )),
        (None, Some(_)) => Ok(()),
        (Some(_), None) => Err(format!(
            "--each requires --output-dir with `{PLACEHOLDER}`, a folder for each file: --output-dir 'out/{PLACEHOLDER}'"
        )),
        (Some(_), Some(folder)) if folder.to_str().is_none() => {
            Err("with --each, the path of --output-dir must be UTF-8".to_owned())
        }
        (Some(_), Some(folder)) if leaves_placeholder(folder) => Err(format!(
            "with --each, --output-dir must not contain `..` after `{PLACEHOLDER}`, because the files of all clusters would be in one folder"
        )),
        (Some(_), Some(folder)) if has_placeholder(folder) => Ok(()),
        (Some(_), Some(folder)) => Err(format!(
            "with --each, --output-dir must contain `{PLACEHOLDER}`, so that each file has a folder of its own: --output-dir '{}'",
            folder.join(PLACEHOLDER).to_string_lossy()
        )),
    }
}

/// Returns whether a path has `..` after `{name}`.
fn leaves_placeholder(folder: &Path) -> bool {
    let is_named = |part: &Component<'_>| {
        let text = part.as_os_str().to_string_lossy();
        text.contains(PLACEHOLDER)
    };
    let after = folder.components().skip_while(|part| !is_named(part));
    let mut after = after.skip(1);
    after.any(|part| part == Component::ParentDir)
}

fn pattern(argument: &OsStr) -> Result<EachPattern, String> {
    let (name, pattern) = split(argument)?;
    let Some(pattern) = pattern.to_str() else {
        let shown = argument.to_string_lossy();
        return Err(format!("`--each {shown}` is not UTF-8"));
    };
    match pattern {
        "" => {
            let shown = argument.to_string_lossy();
            return Err(format!(
                "`--each {shown}` has no pattern: use `--each [NAME=]GLOB`"
            ));
        }
        "-" => return Err("`--each` takes a pattern of files, not standard input".to_owned()),
        _ => {}
    }
    if let Err(error) = glob::Pattern::new(pattern) {
        let shown = argument.to_string_lossy();
        return Err(format!(
            "`--each {shown}` is not a valid pattern, at character {}: {}",
            error.pos + 1,
            error.msg
        ));
    }
    if pattern.contains("**") {
        let shown = argument.to_string_lossy();
        return Err(format!(
            "`--each {shown}`: `**` is not supported, use `*` for each folder"
        ));
    }
    Ok(EachPattern {
        name: name.unwrap_or(DEFAULT_NAME).to_owned(),
        pattern: pattern.to_owned(),
    })
}

/// Returns whether a shell has probably expanded a pattern: into one file for the flag, and
/// others of the same folder and with the same extension as paths of manifests.
fn is_expanded(pattern: &str, paths: &[PathBuf]) -> bool {
    let file = Path::new(pattern);
    let is_sibling = |path: &&PathBuf| {
        path.parent() == file.parent()
            && path.extension() == file.extension()
            && path.as_path() != file
    };
    !EachPattern::has_wildcards(pattern)
        && file.extension().is_some()
        && paths.iter().any(|path| is_sibling(&path))
}

/// Returns the argument that was probably meant by a file.
fn quoted(name: &str, file: &str) -> String {
    let file = Path::new(file);
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    let pattern = file.with_file_name(format!("*.{extension}"));
    match name {
        DEFAULT_NAME => format!("'{}'", pattern.to_string_lossy()),
        name => format!("'{name}={}'", pattern.to_string_lossy()),
    }
}
