//! `nameNormalized` of ApplicationSets.

/// The maximum length of the name of a resource, in bytes.
const MAX_NAME: usize = 253;

/// Returns a name in the characters that names of resources have, as Argo CD 3.2.12 does
/// (`SanitizeName` in `applicationset/utils/template_functions.go`).
pub(crate) fn normalized(name: &str) -> String {
    let lower = name.to_lowercase();
    let allowed = |c: char| match c {
        '-' | '.' | 'a'..='z' | '0'..='9' => c,
        _ => '-',
    };
    let mut name: String = lower.chars().map(allowed).collect();
    name.truncate(MAX_NAME);
    name.trim_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::normalized;

    #[test]
    fn replaces_what_names_of_resources_cannot_have() {
        for (name, expected) in [
            ("prod", "prod"),
            ("Prod_US.1", "prod-us.1"),
            ("-é_", ""),
            (".a.", "a"),
        ] {
            assert_eq!(normalized(name), expected);
        }
        assert_eq!(normalized(&"a".repeat(300)).len(), 253);
    }
}
