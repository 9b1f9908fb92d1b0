//! Paths in diagnostics, and paths for the module.

use std::path::{Component, Path, PathBuf};

/// Joins `base` and `path` and normalizes `.` and `..` segments. For display only:
/// removing `..` changes what a path with links refers to.
pub(super) fn join(base: &str, path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    let is_absolute = base.starts_with('/');
    for segment in base.split('/').chain(path.split('/')) {
        match segment {
            "" | "." => {}
            ".." if segments.last().is_some_and(|last| *last != "..") => {
                segments.pop();
            }
            ".." if is_absolute => {}
            segment => segments.push(segment),
        }
    }
    let joined = segments.join("/");
    match (is_absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

/// Returns the display form of a path that the user named.
pub(crate) fn display(path: &Path) -> String {
    if path.as_os_str().is_empty() {
        // Not the current folder, but a mistake such as an unset variable.
        return String::new();
    }
    let path = slashed(path);
    // Keep both slashes of a URL.
    if path.contains("://") {
        path
    } else {
        join(&path, "")
    }
}

/// Returns the parent folder of a display path.
pub(super) fn parent(display_path: &str) -> &str {
    match display_path.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((parent, _)) => parent,
        None => ".",
    }
}

/// Returns the last segment of a display path.
pub(super) fn file_name(display_path: &str) -> &str {
    display_path.rsplit('/').next().unwrap_or(display_path)
}

/// Returns the path in the form that the module expects: relative, without `.` and `..`.
pub(super) fn for_module(path: &Path) -> String {
    let segments = path.components().filter_map(|component| match component {
        Component::Normal(segment) => Some(segment.to_string_lossy()),
        _ => None,
    });
    segments.collect::<Vec<_>>().join("/")
}

fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' {
        text.into_owned()
    } else {
        text.replace(std::path::MAIN_SEPARATOR, "/")
    }
}

/// Returns the folder of a file that the user named.
pub(super) fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Returns `path` relative to the folder `base`, both given relative to the same root.
pub(super) fn relative_to(base: &Path, path: &str) -> String {
    let common = std::iter::zip(base, Path::new(path))
        .take_while(|(base, path)| base == path)
        .count();
    let up = base.iter().skip(common).map(|_| Path::new(".."));
    let down = Path::new(path).iter().skip(common).map(Path::new);
    let relative: PathBuf = up.chain(down).collect();
    relative.to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::{folder_of, for_module, join, parent, relative_to};
    use std::path::Path;

    #[test]
    fn join_normalizes_the_path() {
        for (base, path, expect) in [
            (".", "a.yaml", "a.yaml"),
            ("", "a.yaml", "a.yaml"),
            ("apps/web/", "a.yaml", "apps/web/a.yaml"),
            ("./apps", "x/a.yaml", "apps/x/a.yaml"),
            ("apps/web", "../outputs/tf.json", "apps/outputs/tf.json"),
            (".", "../tf.json", "../tf.json"),
            ("..", "../tf.json", "../../tf.json"),
            ("/srv/apps", "../tf.json", "/srv/tf.json"),
            ("/srv", "../../tf.json", "/tf.json"),
            (".", "", "."),
        ] {
            assert_eq!(join(base, path), expect, "{base} {path}");
        }
    }

    #[test]
    fn parents_of_files() {
        assert_eq!(parent("apps/web/landfall.yaml"), "apps/web");
        assert_eq!(parent("landfall.yaml"), ".");
        assert_eq!(parent("/landfall.yaml"), "/");
        assert_eq!(folder_of(Path::new("landfall.yaml")), Path::new("."));
        assert_eq!(
            folder_of(Path::new("../x/landfall.yaml")),
            Path::new("../x")
        );
    }

    #[test]
    fn module_paths_have_no_root_and_no_dots() {
        assert_eq!(
            for_module(Path::new("/srv/./apps/../a.yaml")),
            "srv/apps/a.yaml"
        );
        assert_eq!(for_module(Path::new("../a.yaml")), "a.yaml");
    }

    #[test]
    fn paths_are_relative_to_the_folder() {
        let check = |base: &str, path: &str, expected: &str| {
            assert_eq!(relative_to(Path::new(base), path), expected);
        };
        check("", "apps/other/landfall.yaml", "apps/other/landfall.yaml");
        check(
            "apps/web",
            "apps/other/landfall.yaml",
            "../other/landfall.yaml",
        );
        check("apps/web", "landfall.yaml", "../../landfall.yaml");
        check("apps", "apps/web/landfall.yaml", "web/landfall.yaml");
    }
}
