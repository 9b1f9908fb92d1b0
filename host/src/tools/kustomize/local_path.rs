//! The paths that a kustomization names. Only files below the root are read, so every path
//! must be a relative one that kustomize reads as such.

/// What a path of a kustomization names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// A file or folder below the root: its path relative to the root, with `/` and without
    /// `.` and `..`. Empty: the root itself.
    Local(String),
    /// A URL, or a path that kustomize treats as one.
    Remote,
    /// An absolute path.
    Absolute,
    /// A path to something outside the root.
    OutsideRoot,
    /// Nothing: the path is empty.
    Nothing,
}

/// Returns what `path` names in the kustomization of `folder`, a path relative to the root.
///
/// kustomize joins both as text before it opens anything (`filepath.Join`, kustomize 5.8.1),
/// so a `..` after a link does not follow the link.
pub(super) fn named(folder: &str, path: &str) -> Named {
    if path.is_empty() {
        return Named::Nothing;
    }
    if path.starts_with('/') {
        return Named::Absolute;
    }
    if is_remote(path) {
        return Named::Remote;
    }
    let mut segments: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                if segments.pop().is_none() {
                    return Named::OutsideRoot;
                }
            }
            other => segments.push(other),
        }
    }
    Named::Local(segments.join("/"))
}

/// Returns whether kustomize may download this path. It downloads files whose path is an
/// http URL (`http:x` is one), and clones what looks like a repository: with a scheme, with
/// a user, or at GitHub (api/internal/loader/fileloader.go, api/internal/git/repospec.go,
/// kustomize 5.8.1). A path with one of these characters that is a local file is very rare,
/// so all of them are refused.
fn is_remote(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let first = lower.split('/').next().unwrap_or_default();
    lower.contains([':', '?'])
        || first.contains('@')
        || matches!(first, "github.com" | "ssh.github.com" | "www.github.com")
}

/// Returns whether `path` is `folder` or below it. Both are relative to the root.
pub(super) fn is_in(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns `path` relative to the folder `from`. Both are relative to the root.
pub(super) fn from_folder(from: &str, path: &str) -> String {
    let parts = |path: &str| -> Vec<String> {
        let parts = path.split('/').filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    };
    let (from, path) = (parts(from), parts(path));
    let common = std::iter::zip(&from, &path).take_while(|(a, b)| a == b);
    let common = common.count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - common);
    let relative: Vec<String> = up.chain(path[common..].iter().cloned()).collect();
    relative.join("/")
}

#[cfg(test)]
mod tests {
    use super::{Named, from_folder, is_in, named};

    #[test]
    fn paths_are_relative_to_the_folder_of_the_kustomization() {
        for (path, expected) in [
            ("a.yaml", "apps/web/a.yaml"),
            ("./a//b.yaml", "apps/web/a/b.yaml"),
            ("../../base/", "base"),
            ("../..", ""),
            ("x/../a.yaml", "apps/web/a.yaml"),
            ("user@2x.png", ""),
        ] {
            let expected = match expected {
                "" if path.contains('@') => Named::Remote,
                expected => Named::Local(expected.to_owned()),
            };
            assert_eq!(named("apps/web", path), expected, "{path}");
        }
    }

    #[test]
    fn no_path_leads_out_of_the_root() {
        for path in ["../../..", "../../../apps/web/a.yaml", "x/../../../../y"] {
            assert_eq!(named("apps/web", path), Named::OutsideRoot, "{path}");
        }
        assert_eq!(named("", ".."), Named::OutsideRoot);
        assert_eq!(named("", "/etc/passwd"), Named::Absolute);
        assert_eq!(named("", ""), Named::Nothing);
    }

    #[test]
    fn what_kustomize_downloads_is_remote() {
        for path in [
            "https://example.com/a.yaml",
            "HTTP:x",
            "http:/x",
            "git::https://example.com/x",
            "git@github.com:org/repo",
            "GitHub.com/org/repo",
            "github.com/org/repo//base?ref=v1",
            "ssh://git@example.com/repo",
            "file:///etc",
            "org@host/repo",
            "base?ref=v1",
        ] {
            assert_eq!(named("apps/web", path), Named::Remote, "{path}");
        }
    }

    #[test]
    fn compares_whole_segments() {
        assert!(is_in("apps/web/a", "apps/web") && is_in("apps/web", "apps/web"));
        assert!(is_in("apps", "") && !is_in("apps/website", "apps/web"));
        assert_eq!(from_folder("apps/web", "apps/base/a"), "../base/a");
        assert_eq!(from_folder("apps/web", "apps/web/a"), "a");
        assert_eq!(from_folder("", "a"), "a");
    }
}
