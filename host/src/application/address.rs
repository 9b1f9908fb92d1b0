//! Addresses where a file is wanted: landfall reads nothing from a network.

/// Whether a path that leads to nothing is an address: `https://…`, `s3://…`,
/// `git@host:…`.
pub(super) fn is_address(path: &str) -> bool {
    let is_scheme = |scheme: &str| {
        scheme.len() > 1
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b':'))
    };
    let url = path.split_once(":/");
    url.is_some_and(|(scheme, _)| is_scheme(scheme)) || path.starts_with("git@")
}

/// The command that writes what is at an address to standard output, where its scheme
/// is known.
pub(super) fn fetch(address: &str) -> Option<String> {
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
    use super::is_address;

    #[test]
    fn knows_addresses_from_paths() {
        for address in [
            "https://example.org/infra.json",
            "https:/example.org/infra.json",
            "s3://bucket/infra.json",
            "git@github.com:org/repo.git",
            "git::https://example.org/repo",
            "oci://ghcr.io/org/infra",
        ] {
            assert!(is_address(address), "{address}");
        }
        for path in [
            "infra.json",
            "a/b:/c",
            "C:/infra.json",
            "./https",
            "a b:/c",
            ":/x",
        ] {
            assert!(!is_address(path), "{path}");
        }
    }
}
