//! The outputs that Terraform code declares in the files of one folder, as Terraform and
//! OpenTofu read them: files of subfolders do not count, and override files are merged.

mod contract;
mod hcl;
mod json;

pub(crate) use contract::DeclaredContract;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use landfall_sandbox::types::{Config, Diagnostic, Label, Origin, Span};

use crate::files::{Budget, read_user_path};
use crate::paths::display as display_path;
use crate::problem::{HostRule, Problem, diagnostics as problem_diagnostics};
use crate::settings::TerraformFolder;

/// The outputs that the files of a folder declare.
#[derive(Debug)]
pub(crate) struct Declared {
    /// The bound name.
    pub(crate) name: String,
    /// The files, in the order in which they were read.
    pub(crate) files: Vec<Config>,
    /// The outputs, sorted by name.
    outputs: BTreeMap<String, Output>,
}

/// An `output` block.
#[derive(Debug)]
struct Output {
    /// The position of its file.
    file: usize,
    /// The bytes of its name in the file.
    span: Range<usize>,
    attributes: Attributes,
}

/// The attributes of an `output` block. `None`: not set.
#[derive(Debug, Default)]
struct Attributes {
    sensitive: Option<bool>,
    description: Option<String>,
    /// A type of contracts: known if the value is a literal, or the type is given.
    value_type: Option<&'static str>,
    /// Whether the value is the literal `null`: Terraform leaves such an output out.
    is_null: Option<bool>,
}

/// The `output` blocks of one file.
#[derive(Debug, Default)]
struct FileOutputs {
    blocks: Vec<(String, Range<usize>, Attributes)>,
    /// What is wrong, and its bytes in the file.
    errors: Vec<(String, Range<usize>)>,
}

/// A folder that could not be read, with all problems.
#[derive(Debug)]
pub(crate) struct Unreadable {
    /// The files, which the diagnostics point into.
    pub(crate) files: Vec<Config>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A folder without Terraform code, or a file where such a folder is expected.
fn no_terraform(path: &str, is_file: bool) -> Problem {
    let message = if is_file {
        format!("`{path}` is a file, not a folder")
    } else {
        format!("`{path}` contains no Terraform code")
    };
    Problem::new(HostRule::InvalidTerraform, message).help(
        "pass the folder with the `output` blocks: its *.tf, *.tofu and *.tf.json files are read",
    )
}

/// Reads the files of a folder. `flag` is the flag that names it.
///
/// # Errors
/// All problems with the files.
pub(crate) fn read(
    folder: &TerraformFolder,
    flag: &'static str,
    budget: &mut Budget,
) -> Result<Declared, Unreadable> {
    let display = display_path(&folder.path);
    let failed = |problem| Unreadable {
        files: Vec::new(),
        diagnostics: problem_diagnostics(vec![problem]),
    };
    if folder.path.is_file() {
        return Err(failed(no_terraform(&display, true)));
    }
    let names = file_names(&folder.path)
        .map_err(|error| failed(Problem::flag(flag, &display, &error.into())))?;
    if names.is_empty() {
        return Err(failed(no_terraform(&display, false)));
    }
    let mut files = Vec::new();
    for name in &names {
        let file = folder.path.join(name);
        match read_user_path(&file, budget) {
            Ok(content) => files.push(Config {
                path: display_path(&file),
                content,
            }),
            Err(error) => {
                let path = display_path(&file);
                return Err(failed(Problem::flag(flag, &path, &error)));
            }
        }
    }
    let mut reading = Reading::default();
    let parsed: Vec<_> = std::iter::zip(&files, &names)
        .map(|(file, name)| parse(file, name))
        .collect();
    // Override files are merged after all others.
    let (overrides, primary): (Vec<_>, Vec<_>) =
        (parsed.into_iter().zip(&names).enumerate()).partition(|(_, (_, name))| is_override(name));
    for (file, (outputs, _)) in primary {
        reading.add(file, outputs);
    }
    for (file, (outputs, _)) in overrides {
        reading.merge(file, outputs);
    }
    let Reading {
        outputs,
        diagnostics,
    } = reading;
    if diagnostics.is_empty() {
        Ok(Declared {
            name: folder.name.clone(),
            files,
            outputs,
        })
    } else {
        Err(Unreadable { files, diagnostics })
    }
}

/// What has been read so far.
#[derive(Default)]
struct Reading {
    outputs: BTreeMap<String, Output>,
    diagnostics: Vec<Diagnostic>,
}

impl Reading {
    /// Adds the outputs of a file.
    fn add(&mut self, file: usize, outputs: FileOutputs) {
        self.report(file, outputs.errors);
        for (name, span, attributes) in outputs.blocks {
            if let Some(first) = self.outputs.get(&name) {
                let labels = [
                    (file, &span, ""),
                    (first.file, &first.span, "first declared here"),
                ];
                let found = invalid(format!("duplicate output `{name}`"), labels);
                self.diagnostics.push(found);
                continue;
            }
            let output = Output {
                file,
                span,
                attributes,
            };
            self.outputs.insert(name, output);
        }
    }

    /// Merges the outputs of an override file: its attributes replace those of the output.
    fn merge(&mut self, file: usize, outputs: FileOutputs) {
        self.report(file, outputs.errors);
        for (name, span, attributes) in outputs.blocks {
            let Some(output) = self.outputs.get_mut(&name) else {
                let message = format!("no output `{name}` to override");
                self.diagnostics.push(invalid(message, [(file, &span, "")]));
                continue;
            };
            let Attributes {
                sensitive,
                description,
                value_type,
                is_null,
            } = attributes;
            let own = &mut output.attributes;
            own.sensitive = sensitive.or(own.sensitive);
            own.description = description.or(own.description.take());
            // The value may be another one now.
            own.value_type = value_type;
            own.is_null = is_null.or(own.is_null);
        }
    }

    fn report(&mut self, file: usize, errors: Vec<(String, Range<usize>)>) {
        let errors = errors.into_iter();
        self.diagnostics
            .extend(errors.map(|(message, span)| invalid(message, [(file, &span, "")])));
    }
}

fn invalid<'s>(
    message: String,
    labels: impl IntoIterator<Item = (usize, &'s Range<usize>, &'static str)>,
) -> Diagnostic {
    let labels = labels.into_iter().map(|(file, span, message)| Label {
        span: at(file, span),
        message: message.to_owned(),
        conceal: false,
    });
    let problem = Problem::new(HostRule::InvalidTerraform, message);
    labels.fold(problem, Problem::at).diagnostic()
}

/// Returns the span of some bytes of a file.
fn at(file: usize, span: &Range<usize>) -> Span {
    let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    Span {
        origin: Origin::Outputs(offset(file)),
        start: offset(span.start),
        end: offset(span.end),
    }
}

fn parse(file: &Config, name: &str) -> FileOutputs {
    let Ok(text) = std::str::from_utf8(&file.content) else {
        return FileOutputs {
            errors: vec![("the file is not UTF-8".to_owned(), 0..0)],
            ..FileOutputs::default()
        };
    };
    if name.ends_with(".json") {
        json::outputs(text)
    } else {
        hcl::outputs(text)
    }
}

const EXTENSIONS: [&str; 4] = [".tf", ".tofu", ".tf.json", ".tofu.json"];

/// Returns the name of a Terraform file without its extension.
fn stem(name: &str) -> Option<(&str, &'static str)> {
    let mut extensions = EXTENSIONS.iter();
    extensions.find_map(|extension| Some((name.strip_suffix(extension)?, *extension)))
}

fn is_override(name: &str) -> bool {
    stem(name).is_some_and(|(stem, _)| stem == "override" || stem.ends_with("_override"))
}

/// Returns the names of the folder's Terraform files, sorted. Hidden files and editors'
/// backups do not count (internal/configs/parser_config_dir.go), and OpenTofu prefers
/// `x.tofu` to `x.tf`.
fn file_names(folder: &Path) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let Ok(name) = entry?.file_name().into_string() else {
            continue;
        };
        let is_backup = name.starts_with('.') || name.starts_with('#') && name.ends_with('#');
        if !is_backup && stem(&name).is_some() && !folder.join(&name).is_dir() {
            names.push(name);
        }
    }
    names.sort();
    let all = names.clone();
    names.retain(|name| match stem(name) {
        Some((stem, ".tf")) => !all.contains(&format!("{stem}.tofu")),
        Some((stem, ".tf.json")) => !all.contains(&format!("{stem}.tofu.json")),
        _ => true,
    });
    Ok(names)
}

#[cfg(test)]
mod tests;
