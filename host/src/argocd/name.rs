//! Names that become part of generated configuration. Anything unusual is refused, so that
//! no name can change the structure of the YAML, a path in it, or a Helm template.

/// Returns whether `name` can be written as the name of a ConfigMap, a Secret or an
/// AppProject. Booleans of YAML 1.1, which Go reads, are left out: names are written without
/// quotes.
pub(crate) fn is_subdomain_in_yaml(name: &str) -> bool {
    !["y", "n", "yes", "no", "on", "off"].contains(&name) && is_subdomain(name)
}

/// Returns whether `name` can be the name of a ConfigMap, a Secret or an AppProject: an
/// RFC 1123 subdomain, as the API server validates it. It is also one segment of a path, and
/// never `.` or `..`.
pub(crate) fn is_subdomain(name: &str) -> bool {
    let is_alphanumeric = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_label = |label: &str| {
        let bytes = label.as_bytes();
        bytes.first().is_some_and(is_alphanumeric)
            && bytes.last().is_some_and(is_alphanumeric)
            && bytes
                .iter()
                .all(|byte| is_alphanumeric(byte) || *byte == b'-')
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

/// Checks the reference of an image.
///
/// # Errors
/// A message: it has unusual characters, or neither a tag nor a digest. Without them nodes
/// would keep whichever `latest` they have.
pub(crate) fn image_reference(image: &str) -> Result<(), String> {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"._/:@-".contains(&byte);
    if !image.starts_with(|first: char| first.is_ascii_alphanumeric())
        || !image.ends_with(|last: char| last.is_ascii_alphanumeric())
        || !image.bytes().all(is_usual)
    {
        return Err(format!(
            "`{image}` is not an image: expected one such as registry.example.com/landfall:{}",
            env!("CARGO_PKG_VERSION")
        ));
    }
    let name = image.rsplit('/').next().unwrap_or(image);
    if name.contains([':', '@']) && !name.ends_with(":latest") {
        Ok(())
    } else {
        Err(format!(
            "`{image}` needs a tag other than `latest`, or a digest, so that all nodes run the same image"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::{image_reference, is_subdomain, is_subdomain_in_yaml};

    #[test]
    fn names_are_those_of_the_api_server() {
        for name in [
            "a",
            "outputs",
            "team-a.prod",
            "0",
            "a--b",
            "default",
            "team-a",
            "a.b",
            "7",
        ] {
            assert!(is_subdomain(name), "{name}");
            assert!(is_subdomain_in_yaml(name), "{name}");
        }
        let long = "a".repeat(254);
        for name in [
            "", ".", "..", "a..b", "-a", "a-", "A", "a_b", "a/b", "../a", ".a", "a\n", "a\nb",
            "{{a}}", "_shared", &long,
        ] {
            assert!(!is_subdomain(name), "{name}");
            assert!(!is_subdomain_in_yaml(name), "{name}");
        }
        assert!(is_subdomain("yes") && !is_subdomain_in_yaml("yes"));
    }

    #[test]
    fn images_have_a_tag_or_a_digest() {
        for image in [
            "landfall:0.1.0",
            "registry.example.com:5000/a/landfall:0.1.0",
            "ghcr.io/a/landfall@sha256:0123",
        ] {
            assert_eq!(image_reference(image), Ok(()), "{image}");
        }
        for image in [
            "landfall",
            "landfall:latest",
            "registry.example.com:5000/landfall",
        ] {
            let error = image_reference(image).unwrap_err();
            assert!(error.contains("needs a tag"), "{error}");
        }
        for image in [
            "",
            ":1",
            "a:",
            "a b:1",
            "a:1\nb: c",
            "{{ .Values.x }}:1",
            "https:// a",
            "a:1 #",
        ] {
            let error = image_reference(image).unwrap_err();
            assert!(error.contains("is not an image"), "{error}");
        }
    }
}
