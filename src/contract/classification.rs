//! What is in a file, for a host that sorts files or is about to show them to others.

use memchr::memmem;

use crate::contract::File;
use crate::kubernetes::resources::Resources;
use crate::outputs;
use crate::reference::references_of_others;
use crate::report::ResourceRef;
use yaml::{Kind, NodeId, Tree, locate, split};

/// What is in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Classification {
    /// Whether it is an outputs document, a state or a plan, and not a manifest.
    pub is_outputs: bool,
    /// The resources with secrets in plain text, in order: Secrets whose data is not only
    /// references, and Bindings that declare outputs sensitive and have values `inline`. The
    /// fields are empty for a document that may be one of them and is not YAML.
    pub secrets: Vec<ResourceRef>,
    /// What would be a reference in another dialect than landfall's own.
    pub other_dialects: Vec<OtherDialect>,
}

/// A text that would be a reference in another dialect, and may be meant as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OtherDialect {
    /// The dialect's id, as in `spec.dialect`.
    pub dialect: String,
    /// The first such text, at most 80 characters of it: `${vpc_id}`.
    pub reference: String,
}

/// The longest reference that is shown, in characters.
const MAX_REFERENCE_LENGTH: usize = 80;

/// Classifies a file.
///
/// # Examples
/// ```
/// # use landfall::{File, classify};
/// let content = b"kind: Secret\napiVersion: v1\nmetadata: {name: db}\ndata: {key: aHVudGVy}";
/// let file = File { path: "db.yaml".to_owned(), content: content.to_vec() };
/// let found = classify(&file);
/// assert!(!found.is_outputs);
/// assert_eq!(found.secrets[0].name, "db");
/// ```
#[must_use]
pub fn classify(file: &File) -> Classification {
    let text = String::from_utf8_lossy(&file.content);
    let mut found = Classification {
        is_outputs: outputs::is_outputs(&text),
        ..Classification::default()
    };
    for (dialect, reference) in references_of_others(&text) {
        found.other_dialects.push(OtherDialect {
            dialect: dialect.to_owned(),
            reference: reference.chars().take(MAX_REFERENCE_LENGTH).collect(),
        });
    }
    for document in split(&text) {
        let holds = |word: &str| memmem::find(document.text.as_bytes(), word.as_bytes()).is_some();
        let is_binding_with_values = holds("Binding") && holds("inline") && holds("sensitive");
        if !holds("Secret") && !is_binding_with_values {
            continue;
        }
        let Ok(tree) = locate(document.text) else {
            found.secrets.push(ResourceRef::default());
            continue;
        };
        let resources = Resources::new(&tree);
        for (id, resource) in resources.resources() {
            let has_secrets = match &*resource.kind {
                "Secret" => has_literal_data(&tree, &resources, id),
                "Binding" => is_binding_with_values,
                _ => false,
            };
            if has_secrets {
                found.secrets.push(resource);
            }
        }
    }
    found
}

/// Returns whether a value in the data of a Secret is not only a reference.
fn has_literal_data(tree: &Tree, resources: &Resources<'_>, secret: NodeId) -> bool {
    for (key, data) in tree.entries(secret) {
        if !matches!(resources.text(key), Some("data" | "stringData" | "<<")) {
            continue;
        }
        let data = resources.target(data);
        if let Kind::Scalar { .. } = tree[data].kind() {
            return true;
        }
        for (_, value) in tree.entries(data) {
            let text = resources.text(value).map(str::trim);
            if text.is_none_or(|text| !text.is_empty() && !is_reference(text)) {
                return true;
            }
        }
    }
    false
}

/// Returns whether a text is only a reference, of any dialect that references values by name.
fn is_reference(text: &str) -> bool {
    let inside = text
        .strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'));
    inside.is_some_and(|inside| !inside.contains(['{', '}', '"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::classify;
    use crate::contract::File;

    #[track_caller]
    fn check(content: &str, expected: &[&str]) {
        let file = File {
            path: "a.yaml".to_owned(),
            content: content.into(),
        };
        let found = classify(&file);
        let names: Vec<_> = found.secrets.iter().map(|found| &*found.name).collect();
        assert_eq!(names, expected, "{content}");
    }

    #[test]
    fn finds_literal_data_of_secrets() {
        let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\n";
        for literal in [
            "data: {a: aHVudGVy}",
            "stringData:\n  a: ${infra.a}\n  b: |\n    hunter2",
            "stringData: {a: 'postgres://me:hunter2@${infra.host}'}",
            "stringData: {a: \"${infra.a | default('hunter2')}\"}",
            "stringData: &data {a: hunter2}\nother: *data",
            "<<: {stringData: {a: hunter2}}",
            "data: hunter2",
        ] {
            check(&format!("{secret}{literal}\n"), &["db"]);
        }
        for public in [
            "",
            "data: {}",
            "stringData: {a: \"${infra.a}\", b: '${infra.b | base64}', c: \"\"}",
            "type: Opaque",
        ] {
            check(&format!("{secret}{public}\n"), &[]);
        }
        check(
            "apiVersion: v1\nkind: SecretList\nitems: [{metadata: {name: db}, data: {a: Yg==}}]\n",
            &["db"],
        );
        check("kind: Secret\n\tdata: {a: hunter2}\n", &[""]);
        check(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nmetadata: {name: shop}\nspec: {outputs: [{name: a, sensitive: true, from: {inline: {key: hunter2}}}]}\n",
            &["shop"],
        );
        check("kind: SecretStore\napiVersion: v1\ndata: {a: b}\n", &[]);
    }

    #[test]
    fn names_the_dialects_that_a_text_may_be_in() {
        let others = |content: &str| -> Vec<(String, String)> {
            let file = File {
                path: "a.yaml".to_owned(),
                content: content.into(),
            };
            let found = classify(&file).other_dialects.into_iter();
            found.map(|one| (one.dialect, one.reference)).collect()
        };
        let check = |content: &str, expected: &[(&str, &str)]| {
            let found = others(content);
            let found: Vec<_> = found.iter().map(|(id, text)| (&**id, &**text)).collect();
            assert_eq!(found, expected, "{content}");
        };
        check("vpc: ${infra.vpc_id}\n", &[]);
        check(
            "vpc: $${vpc_id} ${vpc_id:=none}\n",
            &[("flux", "${vpc_id:=none}")],
        );
        check(
            "vpc: vpc-0 # kpt-set: ${vpc_id}\n",
            &[("flux", "${vpc_id}"), ("kpt-set", "# kpt-set: ${vpc_id}")],
        );
        check(
            "env: '{{ .metadata.labels.env }}'\n",
            &[("applicationset", "{{ .metadata.labels.env }}")],
        );
        // Its end is looked for nearby only.
        check(
            &format!("a: ${{a:={}}} ${{b}}\n", "x".repeat(300)),
            &[("flux", "${b}")],
        );
        let long = format!("a: ${{a:={}}}", "é".repeat(100));
        assert!(!others(&long).is_empty());
        assert!(
            others(&long)
                .iter()
                .all(|(_, text)| text.chars().count() <= 80)
        );
    }
}
