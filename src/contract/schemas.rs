//! The files of `spec.schemas`: CustomResourceDefinitions that define the types of fields.

use crate::collections::OrderedMap;
use crate::contract::File;
use crate::report::{Diagnostic, Diagnostics, Origin, Rule, shown_at};
use yaml::{Kind, NodeId, Span, Tree};

/// A file that `spec.schemas` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFile {
    /// Its path is that in diagnostics.
    pub file: File,
    /// The location of its entry in the Binding.
    pub span: Span,
}

/// Why a file does not define the types of a kind.
#[derive(Debug, PartialEq, Eq)]
enum UnusableSchema {
    NotUtf8,
    /// It is not YAML. The text continues its path.
    NotYaml(String),
    /// It has no CustomResourceDefinition.
    NoDefinition,
    /// The CustomResourceDefinition with this name has no schema where version v1 has it.
    NoTypes(String),
}

/// Returns the errors of files that define no kind, and a warning for each kind that they define
/// differently.
#[must_use]
pub fn check_schemas(files: &[SchemaFile]) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    // Each kind with the file that defines it first, and how.
    let mut kinds: OrderedMap<String, (&str, String)> = OrderedMap::new();
    for SchemaFile { file, span } in files {
        match definitions(&file.content) {
            Ok(defined) => {
                for (kind, definition) in defined {
                    let path = file.path.as_str();
                    let (first, known) = kinds
                        .entry(kind.clone())
                        .or_insert_with(|| (path, definition.clone()));
                    if *known != definition {
                        diagnostics.push(named(other(path, first, &kind), *span));
                    }
                }
            }
            Err(why) => diagnostics.push(named(unusable(&file.path, &why), *span)),
        }
    }
    diagnostics
}

fn named(found: Diagnostic, span: Span) -> Diagnostic {
    found.at(Origin::Binding, span, "named here")
}

/// Returns the error of a schema file that defines nothing.
fn unusable(path: &str, why: &UnusableSchema) -> Diagnostic {
    let (message, help) = match why {
        UnusableSchema::NotUtf8 => (format!("`{path}` is not UTF-8"), "save it as UTF-8"),
        UnusableSchema::NotYaml(why) => (
            format!("`{path}` {why}"),
            "name a file with CustomResourceDefinitions; if it is a template, such as a chart's, name the rendered file",
        ),
        UnusableSchema::NoDefinition => (
            format!("`{path}` contains no CustomResourceDefinition"),
            "name a file with CustomResourceDefinitions, or remove the entry",
        ),
        UnusableSchema::NoTypes(name) => (
            format!(
                "the CustomResourceDefinition `{name}` in `{path}` has no `spec.versions[].schema.openAPIV3Schema`"
            ),
            "use a definition of apiVersion `apiextensions.k8s.io/v1`: older ones have their schema elsewhere",
        ),
    };
    Diagnostic::error(Rule::InvalidSchema, message).help(help)
}

/// Returns the warning of a kind that two schema files define differently.
fn other(path: &str, first: &str, kind: &str) -> Diagnostic {
    let message = if path == first {
        format!("`{path}` defines `{kind}` twice, with different types")
    } else {
        format!("`{path}` and `{first}` define `{kind}` with different types")
    };
    Diagnostic::warning(Rule::InvalidSchema, message)
        .help("the first definition is used: name only the one that is installed")
}

/// Returns the kinds that a file defines, such as `example.com/v1 Widget`, each with a text
/// that is equal for equal types.
fn definitions(content: &[u8]) -> Result<Vec<(String, String)>, UnusableSchema> {
    let text = std::str::from_utf8(content).map_err(|_| UnusableSchema::NotUtf8)?;
    let mut found = Vec::new();
    for document in yaml::split(text) {
        let tree = yaml::locate(document.text).map_err(|error| {
            let before = &content[..(document.offset + shown_at(&error)).min(content.len())];
            let line = memchr::memchr_iter(b'\n', before).count() + 1;
            let described = error.described("");
            UnusableSchema::NotYaml(format!("{} (line {line})", described.trim_start()))
        })?;
        for (id, _) in tree.nodes() {
            if text_of(&tree, id, "kind") == Some("CustomResourceDefinition") {
                found.extend(versions(&tree, id)?);
            }
        }
    }
    if found.is_empty() {
        Err(UnusableSchema::NoDefinition)
    } else {
        Ok(found)
    }
}

/// Returns the versions of the kind that a CustomResourceDefinition defines.
fn versions(tree: &Tree, definition: NodeId) -> Result<Vec<(String, String)>, UnusableSchema> {
    let versions = || {
        let spec = member(tree, definition, "spec")?;
        let group = text_of(tree, spec, "group")?;
        let kind = text_of(tree, member(tree, spec, "names")?, "kind")?;
        let version = |version: NodeId| {
            let name = text_of(tree, version, "name")?;
            let schema = member(tree, version, "schema")?;
            let mut types = String::new();
            add_types(tree, member(tree, schema, "openAPIV3Schema")?, &mut types);
            Some((format!("{group}/{name} {kind}"), types))
        };
        let versions = tree.members(member(tree, spec, "versions")?);
        Some(versions.filter_map(version).collect::<Vec<_>>())
    };
    versions()
        .filter(|versions| !versions.is_empty())
        .ok_or_else(|| {
            let metadata = member(tree, definition, "metadata");
            let name = metadata.and_then(|metadata| text_of(tree, metadata, "name"));
            UnusableSchema::NoTypes(name.unwrap_or_default().to_owned())
        })
}

fn member(tree: &Tree, mapping: NodeId, name: &str) -> Option<NodeId> {
    let mut entries = tree.entries(mapping);
    let found = entries.find(|(key, _)| tree.text(*key) == Some(name));
    found.map(|(_, value)| value)
}

fn text_of<'t>(tree: &'t Tree, mapping: NodeId, name: &str) -> Option<&'t str> {
    tree.text(member(tree, mapping, name)?)
}

/// Adds a schema without its descriptions.
fn add_types(tree: &Tree, id: NodeId, types: &mut String) {
    match tree[id].kind() {
        Kind::Mapping { .. } => {
            types.push('{');
            for (key, value) in tree.entries(id) {
                let key = tree.text(key).unwrap_or_default();
                if key == "description" && tree.text(value).is_some() {
                    continue;
                }
                types.push_str(key);
                types.push(':');
                add_types(tree, value, types);
            }
            types.push('}');
        }
        Kind::Sequence { .. } => {
            types.push('[');
            for item in tree.members(id) {
                add_types(tree, item, types);
            }
            types.push(']');
        }
        Kind::Scalar { .. } => types.push_str(tree.text(id).unwrap_or_default()),
        // What it repeats is compared where it is.
        Kind::Alias(target) => types.push_str(&target.unwrap_or_default().to_string()),
    }
    types.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(size: &str) -> String {
        format!(
            "kind: CustomResourceDefinition\nmetadata: {{name: widgets}}\nspec:\n  group: example.com\n  names: {{kind: Widget}}\n  versions:\n  - name: v1\n    schema: {{openAPIV3Schema: {{description: {size}, properties: {{size: {{type: {size}}}}}}}}}\n"
        )
    }

    #[test]
    fn finds_the_kinds_of_a_file() {
        let both = format!("# none\n---\n{}", definition("integer"));
        let list = format!(
            "kind: List\nitems:\n- {}",
            definition("integer").trim().replace('\n', "\n  ")
        );
        let [both, list] = [both, list].map(|text| definitions(text.as_bytes()).unwrap());
        assert_eq!(both[0].0, "example.com/v1 Widget");
        assert_eq!(both, list);
    }

    #[test]
    fn compares_types_without_descriptions() {
        let types = |text: String| definitions(text.as_bytes()).unwrap().remove(0).1;
        let integer = types(definition("integer"));
        assert_ne!(integer, types(definition("string")));
        let other = definition("integer").replace("description: integer", "description: b");
        assert_eq!(integer, types(other));
    }

    #[test]
    fn a_file_must_define_types() {
        let old = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: widgets}\nspec: {validation: {openAPIV3Schema: {}}}\n";
        for (text, expected) in [
            ("", UnusableSchema::NoDefinition),
            ("kind: ConfigMap\n", UnusableSchema::NoDefinition),
            (old, UnusableSchema::NoTypes("widgets".to_owned())),
        ] {
            assert_eq!(definitions(text.as_bytes()), Err(expected), "{text}");
        }
        for text in [
            "{{- if .Values.crds }}\nkind: CustomResourceDefinition\n",
            "a: [\n",
        ] {
            let found = definitions(text.as_bytes());
            assert!(matches!(found, Err(UnusableSchema::NotYaml(_))), "{text}");
        }
        assert_eq!(definitions(&[0xff]), Err(UnusableSchema::NotUtf8));
    }
}
