//! Selects the manifests among the files of an application's folder, by default or by the
//! patterns of the Binding. A folder must not be rendered if it, or a part of it, belongs
//! to another Binding or another tool.

#[cfg(test)]
mod tests;
mod tool;

use crate::collections::{OrderedMap, OrderedSet};
use crate::config::Location;
use crate::config::binding::Binding;
use crate::config::parameter_path::ParameterPath;
use crate::config::patterns::{Matcher, Pattern};
use crate::report::suggest;
use crate::report::{Diagnostic, MAX_DIAGNOSTICS, Origin, Rule};
use tool::Tool;

/// The names of the Binding file.
pub(crate) const BINDINGS: &[&str] = &["landfall.yaml", "landfall.yml"];
/// kpt's own file: not a manifest, but unlike those of [`Tool`] it does not prevent a
/// render.
const KPTFILE: &str = "Kptfile";
const EXTENSIONS: &[&str] = &[".yaml", ".yml", ".json"];
/// How many paths are compared with a pattern that matches none.
const MAX_COMPARED: usize = 1000;

/// All files of an application's folder.
#[derive(Clone, Copy, Debug)]
pub struct Folder<'f> {
    /// The path of the folder in diagnostics: `apps/web`; may be empty.
    pub shown: &'f str,
    /// Relative to the folder, with `/`.
    pub paths: &'f [&'f str],
}

/// Returns the positions of the manifests among the folder's paths.
///
/// # Errors
/// The reasons why the folder must not be rendered. Warnings are added to `warnings` in
/// either case.
pub(crate) fn select(
    binding: &Binding,
    folder: &Folder<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<usize>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let bound: OrderedSet<String> = binding
        .outputs
        .iter()
        .filter(|need| need.location == Location::Root)
        .map(|need| normalized(&need.path))
        .collect();
    // The documents of all values of their parameters: those of other clusters.
    let with_parameters: Vec<ParameterPath<'_>> = bound
        .iter()
        .filter(|path| path.contains('{'))
        .filter_map(|path| ParameterPath::parse(path))
        .collect();
    let is_never_manifest = |path: &str| {
        BINDINGS.contains(&file_name(path))
            || bound.contains(path)
            || with_parameters.iter().any(|bound| bound.can_be(path))
    };
    let mut exclude = Matcher::new(&binding.exclude);
    let excluded: Vec<bool> = folder
        .paths
        .iter()
        .map(|path| exclude.matches(path))
        .collect();
    let not_excluded = || {
        let paths = folder.paths.iter().copied().enumerate();
        paths.filter(|(position, _)| !excluded[*position])
    };

    let mut unmatched = Vec::new();
    let manifests: Vec<usize> = match &binding.include {
        Some(patterns) => {
            let mut include = Matcher::new(patterns);
            let included: Vec<bool> = folder
                .paths
                .iter()
                .map(|path| !is_never_manifest(path) && include.matches_but_dotfiles(path))
                .collect();
            for pattern in include.unmatched() {
                if pattern.negated {
                    unmatched.push(pattern);
                } else {
                    errors.push(unmatched_include(pattern, folder, &is_never_manifest));
                }
            }
            errors.extend(include.too_large.iter().map(|pattern| too_large(pattern)));
            not_excluded()
                .map(|(position, _)| position)
                .filter(|position| included[*position])
                .collect()
        }
        None => not_excluded()
            .filter(|(_, path)| !is_never_manifest(path) && is_default(path))
            .map(|(position, _)| position)
            .collect(),
    };
    errors.extend(exclude.too_large.iter().map(|pattern| too_large(pattern)));
    unmatched.extend(exclude.unmatched());
    warn_of_unmatched(&unmatched, folder, warnings);

    // A folder from which `include` selects nothing is excluded on purpose.
    let with_manifests: Option<OrderedSet<&str>> = binding.include.as_ref().map(|_| {
        let paths = manifests.iter().map(|position| folder.paths[*position]);
        paths.flat_map(ancestors).collect()
    });
    let is_rendered = |path: &str| match &with_manifests {
        Some(folders) => folders.contains(folder_of(path)),
        None => !is_hidden(path),
    };
    let owners = not_excluded()
        .map(|(_, path)| path)
        .filter(|path| is_rendered(path));
    let (mut nested, mut tools) = (Vec::new(), OrderedMap::<Tool, Vec<&str>>::new());
    for path in owners {
        if path.contains('/') && BINDINGS.contains(&file_name(path)) {
            nested.push(path);
        } else if binding.tool.is_none()
            && let Some(tool) = Tool::of_file(file_name(path))
        {
            tools.entry(tool).or_default().push(path);
        }
    }
    if !nested.is_empty() {
        errors.push(nested_binding(&nested, folder));
    }
    for tool in Tool::ALL {
        if let Some(paths) = tools.get(&tool) {
            errors.push(other_tool(tool, paths, folder));
        }
    }
    if errors.is_empty() {
        Ok(manifests)
    } else {
        Err(errors)
    }
}

/// Whether a file is a manifest unless the Binding says otherwise.
fn is_default(path: &str) -> bool {
    EXTENSIONS.iter().any(|extension| path.ends_with(extension))
        && !is_hidden(path)
        && file_name(path) != KPTFILE
        && !is_other_tools(path)
}

/// Returns whether a file is read by another tool, such as `kustomization.yaml`.
pub(super) fn is_other_tools(path: &str) -> bool {
    Tool::of_file(file_name(path)).is_some()
}

fn is_hidden(path: &str) -> bool {
    path.split('/').any(|segment| segment.starts_with('.'))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the folder of a path, with a trailing `/`; empty at the top level.
fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..=at])
}

/// Returns all folders that contain a path, including the top level (empty).
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let below = path.match_indices('/').map(|(at, _)| &path[..=at]);
    std::iter::once("").chain(below)
}

/// Normalizes a path: `./a/../b.json` is `b.json`. A path out of the folder keeps its `..`.
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

/// Returns a path as diagnostics show it.
fn shown(folder: &Folder<'_>, path: &str) -> String {
    match folder.shown {
        "" | "." => path.to_owned(),
        "/" => format!("/{path}"),
        shown => format!("{shown}/{path}"),
    }
}

/// Formats the first of several paths, and how many more there are.
fn list_paths(paths: &[&str], folder: &Folder<'_>) -> String {
    match paths {
        [] => String::new(),
        [one] => format!("`{}`", shown(folder, one)),
        [first, more @ ..] => format!("`{}` and {} more", shown(folder, first), more.len()),
    }
}

fn nested_binding(paths: &[&str], folder: &Folder<'_>) -> Diagnostic {
    let inside = folder_of(paths.first().copied().unwrap_or_default());
    Diagnostic::error(
        Rule::NestedBinding,
        format!(
            "Binding inside the folder of another Binding: {}",
            list_paths(paths, folder)
        ),
    )
    .help(format!(
        "if it is a separate application, exclude its folder here: `spec: {{manifests: {{exclude: [{inside}]}}}}`; otherwise remove that Binding"
    ))
}

fn other_tool(tool: Tool, paths: &[&str], folder: &Folder<'_>) -> Diagnostic {
    let first = paths.first().copied().unwrap_or_default();
    let inside = match folder_of(first) {
        "" if tool == Tool::Jsonnet => first,
        inside => inside,
    };
    let exclude = match inside {
        "" => String::new(),
        inside => format!(", or exclude it: `spec: {{manifests: {{exclude: [{inside}]}}}}`"),
    };
    let belong = match paths {
        [_] => "belongs",
        _ => "belong",
    };
    let combined_use = tool.combined_use(&shown(folder, first));
    Diagnostic::error(
        Rule::OtherTool,
        format!(
            "{} {belong} to {}, which landfall {}: {} would be missing",
            list_paths(paths, folder),
            tool.name(),
            tool.is_run(),
            tool.produces()
        ),
    )
    .help(format!(
        "{combined_use}; to render only the plain manifests, set `spec: {{tool: none}}` in the Binding{exclude}"
    ))
}

fn unmatched_include(
    pattern: &Pattern,
    folder: &Folder<'_>,
    is_never_manifest: &dyn Fn(&str) -> bool,
) -> Diagnostic {
    let found = Diagnostic::error(
        Rule::UnmatchedPattern,
        format!("`{}` includes no file", pattern.text),
    )
    .at(Origin::Binding, pattern.span, "no file matches");
    let one = std::slice::from_ref(pattern);
    let mut alone = Matcher::new(one);
    let only = folder
        .paths
        .iter()
        .find(|path| is_never_manifest(path) && alone.matches(path));
    if let Some(path) = only {
        return found.help(format!(
            "it matches only `{path}`, but Bindings and outputs documents are never manifests"
        ));
    }
    if let Some(path) = folder.paths.iter().find(|path| alone.matches(path)) {
        return found.help(format!(
            "it matches only dotfiles, such as `{path}`: to include them, start a segment of the pattern with a dot"
        ));
    }
    match nearest(&pattern.text, folder) {
        Some(help) => found.help(help),
        None => found.help(
            "patterns are relative to the application's folder, as in `base/*.yaml` or `**/*.yaml`",
        ),
    }
}

/// Warns about each pattern, or about the last ones together if there are many.
fn warn_of_unmatched(unmatched: &[&Pattern], folder: &Folder<'_>, warnings: &mut Vec<Diagnostic>) {
    let alone = if unmatched.len() > MAX_DIAGNOSTICS {
        MAX_DIAGNOSTICS - 1
    } else {
        unmatched.len()
    };
    let (alone, together) = unmatched.split_at(alone);
    warnings.extend(
        alone
            .iter()
            .map(|pattern| unmatched_warning(pattern, folder)),
    );
    if let [next, more @ ..] = together {
        let message = format!(
            "`{}` and {} more patterns match no file",
            next.text,
            more.len()
        );
        warnings.push(
            Diagnostic::warning(Rule::UnmatchedPattern, message)
                .at(Origin::Binding, next.span, "no file matches")
                .help("remove these patterns, or correct their paths: patterns are relative to the application's folder"),
        );
    }
}

fn unmatched_warning(pattern: &Pattern, folder: &Folder<'_>) -> Diagnostic {
    let does = if pattern.negated {
        "negates"
    } else {
        "excludes"
    };
    let found = Diagnostic::warning(
        Rule::UnmatchedPattern,
        format!("`{}` {does} no file", pattern.text),
    )
    .at(Origin::Binding, pattern.span, "no file matches");
    match nearest(&pattern.text, folder) {
        Some(help) => found.help(help),
        None => found.help(
            "remove it, or correct the path: patterns are relative to the application's folder",
        ),
    }
}

/// Returns a hint to what the author of a pattern that matches nothing most likely meant.
fn nearest(text: &str, folder: &Folder<'_>) -> Option<String> {
    let wanted = text.trim_start_matches('!').trim_start_matches("./");
    let below = format!("{wanted}/");
    if folder.paths.iter().any(|path| path.starts_with(&below)) {
        return Some(format!(
            "`{wanted}` is a folder: write `{below}` to match everything in it"
        ));
    }
    let candidates = folder.paths.iter().copied().take(MAX_COMPARED);
    let near = suggest::closest(wanted, candidates).or_else(|| {
        // The right name in another folder.
        let mut paths = folder.paths.iter().copied();
        paths.find(|path| file_name(path) == file_name(wanted))
    })?;
    Some(format!("did you mean `{near}`?"))
}

fn too_large(pattern: &Pattern) -> Diagnostic {
    Diagnostic::error(
        Rule::InvalidBinding,
        format!("the pattern `{}` is too large", pattern.text),
    )
    .at(Origin::Binding, pattern.span, "")
    .help("split it into smaller ones")
}
