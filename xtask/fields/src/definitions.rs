//! The schemas of CustomResourceDefinitions. Of a schema, only what decides how a value is
//! written is read: which fields are strings, integers, numbers or bools.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_yaml::Value;

use super::types::{Kind, Scalar, Type};

/// Kinds that controllers create, by group: nobody writes them into a manifest.
const CREATED: &[(&str, &str)] = &[
    ("acme.cert-manager.io", "Challenge"),
    ("acme.cert-manager.io", "Order"),
    ("cert-manager.io", "CertificateRequest"),
    ("generators.external-secrets.io", "GeneratorState"),
    ("karpenter.sh", "NodeClaim"),
];

/// Adds every version of every kind that a folder defines, and its type.
///
/// # Errors
/// The folder has no definitions, or one with an unknown construct.
pub(crate) fn read(
    folder: &Path,
    types: &mut BTreeMap<String, Type>,
    kinds: &mut Vec<Kind>,
) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("listing {}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            files.push(path);
        }
    }
    files.sort();
    let before = kinds.len();
    for file in files {
        let text =
            fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
        definitions(&text, types, kinds).with_context(|| format!("in {}", file.display()))?;
    }
    if kinds.len() == before {
        bail!("{} defines no kinds", folder.display());
    }
    Ok(())
}

/// Adds the kinds that a file defines, and their types.
fn definitions(
    text: &str,
    types: &mut BTreeMap<String, Type>,
    kinds: &mut Vec<Kind>,
) -> Result<()> {
    if !text.contains("kind: CustomResourceDefinition") {
        return Ok(());
    }
    let document: Value = serde_yaml::from_str(text)?;
    let group = string(&document, &["spec", "group"]).context("it has no group")?;
    let kind = string(&document, &["spec", "names", "kind"]).context("it has no kind")?;
    if CREATED.contains(&(group, kind)) {
        return Ok(());
    }
    let versions = get(&document, &["spec", "versions"]).and_then(Value::as_sequence);
    // Older clusters serve versions that this one no longer does.
    for version in versions.context("it has no versions")? {
        let name = string(version, &["name"]).context("a version has no name")?;
        let schema = get(version, &["schema", "openAPIV3Schema"]);
        let found = type_of(schema.context("it has no schema")?)
            .with_context(|| format!("{kind} {name}"))?;
        if !matches!(found, Type::Struct(_) | Type::Open(_)) {
            bail!("{kind} {name} has no fields");
        }
        let api_version = format!("{group}/{name}");
        let type_name = format!("{api_version} {kind}");
        let known = types.insert(type_name.clone(), found.clone());
        if known.is_some_and(|known| known != found) {
            bail!("{type_name} is defined twice, with different types");
        }
        kinds.push(Kind {
            api_version,
            kind: kind.to_owned(),
            type_name,
        });
    }
    Ok(())
}

/// Returns the type that a schema describes.
fn type_of(schema: &Value) -> Result<Type> {
    if flag(schema, "x-kubernetes-int-or-string") {
        return Ok(Type::Scalar(Scalar::Either));
    }
    Ok(match string(schema, &["type"]) {
        Some("string") => Type::Scalar(Scalar::String),
        Some("integer") => Type::Scalar(Scalar::Integer),
        Some("number") => Type::Scalar(Scalar::Number),
        Some("boolean") => Type::Scalar(Scalar::Boolean),
        Some("array") => {
            let items = get(schema, &["items"]).context("a list has no items")?;
            Type::List(Box::new(type_of(items)?))
        }
        Some("object") => object(schema)?,
        Some(other) => bail!("the type `{other}` is not known"),
        // Anything: `x-kubernetes-preserve-unknown-fields`, `additionalProperties: true`.
        None => Type::Scalar(Scalar::Unknown),
    })
}

fn object(schema: &Value) -> Result<Type> {
    let mut fields = BTreeMap::new();
    if let Some(properties) = get(schema, &["properties"]).and_then(Value::as_mapping) {
        for (name, field) in properties {
            let name = name
                .as_str()
                .context("the name of a field isn't a string")?;
            let field = type_of(field).with_context(|| name.to_owned())?;
            fields.insert(name.to_owned(), field);
        }
    }
    let others = get(schema, &["additionalProperties"]).filter(|others| others.is_mapping());
    Ok(match others {
        // A structural schema has either `properties` or `additionalProperties`.
        Some(_) if !fields.is_empty() => bail!("both `properties` and `additionalProperties`"),
        Some(others) => Type::Map(Box::new(type_of(others)?)),
        None if is_open(schema) => Type::Open(fields),
        None => Type::Struct(fields),
    })
}

/// Returns whether an object may have fields that its schema does not name.
fn is_open(schema: &Value) -> bool {
    flag(schema, "x-kubernetes-preserve-unknown-fields") || flag(schema, "additionalProperties")
}

fn get<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, key| value.get(*key))
}

fn string<'v>(value: &'v Value, path: &[&str]) -> Option<&'v str> {
    get(value, path).and_then(Value::as_str)
}

fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(schema: &str) -> String {
        format!(
            "---\nkind: CustomResourceDefinition\nspec:\n  group: example.com\n  names: {{kind: Widget}}\n  versions:\n  - {{name: v1, schema: {{openAPIV3Schema: {schema}}}}}\n"
        )
    }

    fn read(schema: &str) -> Result<Type> {
        let (mut types, mut kinds) = (BTreeMap::new(), Vec::new());
        definitions(&definition(schema), &mut types, &mut kinds)?;
        let [kind] = &kinds[..] else {
            bail!("{} kinds", kinds.len());
        };
        assert_eq!(kind.api_version, "example.com/v1");
        assert_eq!(kind.kind, "Widget");
        Ok(types[&kind.type_name].clone())
    }

    #[test]
    fn reads_the_types_of_a_schema() {
        let found = read(
            "{type: object, properties: {
                text: {type: string, enum: [a, b]},
                size: {type: integer, format: int32},
                ratio: {type: number},
                on: {type: boolean},
                port: {anyOf: [{type: integer}, {type: string}], x-kubernetes-int-or-string: true},
                args: {type: array, items: {type: string}},
                settings: {type: object, additionalProperties: {type: string}}}}",
        );
        let scalar = |scalar| Type::Scalar(scalar);
        let string = || Box::new(scalar(Scalar::String));
        let fields = [
            ("text", scalar(Scalar::String)),
            ("size", scalar(Scalar::Integer)),
            ("ratio", scalar(Scalar::Number)),
            ("on", scalar(Scalar::Boolean)),
            ("port", scalar(Scalar::Either)),
            ("args", Type::List(string())),
            ("settings", Type::Map(string())),
        ];
        let fields = fields.map(|(name, found)| (name.to_owned(), found));
        assert_eq!(found.unwrap(), Type::Struct(BTreeMap::from(fields)));
    }

    #[test]
    fn what_a_schema_leaves_open_has_no_type() {
        let found = read(
            "{type: object, properties: {
                any: {x-kubernetes-preserve-unknown-fields: true},
                values: {type: object, x-kubernetes-preserve-unknown-fields: true},
                map: {type: object, additionalProperties: {x-kubernetes-preserve-unknown-fields: true}},
                more: {type: object, additionalProperties: true},
                part: {type: object, properties: {a: {type: string}}, x-kubernetes-preserve-unknown-fields: true}}}",
        );
        let Type::Struct(fields) = found.unwrap() else {
            panic!("no struct");
        };
        let unknown = || Type::Scalar(Scalar::Unknown);
        let part = BTreeMap::from([("a".to_owned(), Type::Scalar(Scalar::String))]);
        assert_eq!(fields["any"], unknown());
        assert_eq!(fields["values"], Type::Open(BTreeMap::new()));
        assert_eq!(fields["map"], Type::Map(Box::new(unknown())));
        assert_eq!(fields["more"], Type::Open(BTreeMap::new()));
        assert_eq!(fields["part"], Type::Open(part));
    }

    #[test]
    fn rejects_unknown_schemas() {
        for (schema, expected) in [
            ("{type: tuple}", "`tuple` is not known"),
            ("{type: string}", "has no fields"),
            (
                "{type: object, properties: {a: {type: array}}}",
                "has no items",
            ),
            (
                "{type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}",
                "both `properties`",
            ),
        ] {
            let error = format!("{:#}", read(schema).unwrap_err());
            assert!(error.contains(expected), "{schema}: {error}");
        }
    }
}
