//! Detection of remote addresses that were passed as files. landfall reads local files
//! only.

/// Returns whether a path that does not exist is a remote address: `https://…`,
/// `s3://…`, `git@host:…`.
pub(crate) fn is_remote(path: &str) -> bool {
    let is_scheme = |scheme: &str| {
        scheme.len() > 1
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b':'))
    };
    let url = path.split_once(":/");
    url.is_some_and(|(scheme, _)| is_scheme(scheme)) || path.starts_with("git@")
}

/// Returns the command that fetches an address to standard output, if its scheme is
/// known.
pub(super) fn fetch_command(address: &str) -> Option<String> {
    let quoted = format!("'{}'", address.replace('\'', "'\\''"));
    match address.split_once(":/")?.0 {
        "http" | "https" => Some(format!("curl -fsS {quoted}")),
        "s3" => Some(format!("aws s3 cp {quoted} -")),
        "gs" => Some(format!("gcloud storage cat {quoted}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::is_remote;

    #[test]
    fn distinguishes_addresses_from_paths() {
        for address in [
            "https://example.org/infra.json",
            "https:/example.org/infra.json",
            "s3://bucket/infra.json",
            "git@github.com:org/repo.git",
            "git::https://example.org/repo",
            "oci://ghcr.io/org/infra",
        ] {
            assert!(is_remote(address), "{address}");
        }
        for path in [
            "infra.json",
            "a/b:/c",
            "C:/infra.json",
            "./https",
            "a b:/c",
            ":/x",
        ] {
            assert!(!is_remote(path), "{path}");
        }
    }
}
