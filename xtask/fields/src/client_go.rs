//! client-go's schema of Kubernetes' types: generated YAML inside a Go source file.
//! Anything that the generator does not write is refused.
//!
//! ```yaml
//! types:
//! - name: io.k8s.api.core.v1.EnvVar
//!   map:
//!     fields:
//!     - name: value
//!       type:
//!         scalar: string
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_yaml::Value;

use super::types::{Kind, Scalar, Type};

/// The types that are `untyped` in the schema but more specific in their Go code
/// (apimachinery: `MarshalJSON`, `OpenAPISchemaType`).
const UNTYPED: &[(&str, Scalar)] = &[
    ("api.resource.Quantity", Scalar::Either),
    ("util.intstr.IntOrString", Scalar::Either),
    ("apis.meta.v1.Time", Scalar::String),
    ("apis.meta.v1.MicroTime", Scalar::String),
];

/// Returns every type by its name, and every kind.
///
/// # Errors
/// The module has no schema, or one with an unknown construct.
pub(crate) fn read(folder: &Path) -> Result<(BTreeMap<String, Type>, Vec<Kind>)> {
    let path = folder.join("internal/internal.go");
    let source =
        fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let types = types(&source).with_context(|| format!("in {}", path.display()))?;
    Ok((types, kinds(folder)?))
}

/// Returns every type by its name.
fn types(source: &str) -> Result<BTreeMap<String, Type>> {
    let (_, schema) = source
        .split_once("YAMLObject(`")
        .context("there is no schema")?;
    let (schema, _) = schema.split_once('`').context("the schema does not end")?;
    let schema: Value = serde_yaml::from_str(schema).context("the schema is not YAML")?;
    let types = schema.get("types").and_then(Value::as_sequence);
    types
        .context("the types are not a list")?
        .iter()
        .map(|item| {
            let name = item.get("name").and_then(Value::as_str);
            let name = name.context("a type has no name")?.to_owned();
            let mut found = type_of(item).with_context(|| name.clone())?;
            let untyped = UNTYPED
                .iter()
                .find(|(tail, _)| name.strip_prefix("io.k8s.apimachinery.pkg.") == Some(tail));
            if let (Type::Scalar(Scalar::Unknown), Some((_, scalar))) = (&found, untyped) {
                found = Type::Scalar(*scalar);
            } else if item.get("scalar").is_some() && !name.starts_with("__") {
                bail!("{name} is a scalar: what does it hold?");
            }
            Ok((name, found))
        })
        .collect()
}

fn type_of(node: &Value) -> Result<Type> {
    if let Some(name) = node.get("namedType").and_then(Value::as_str) {
        return Ok(Type::Named(name.to_owned()));
    }
    match node.get("scalar").and_then(Value::as_str) {
        // Next to it the elements of a list or map may be given: of any type, too.
        Some("untyped") => return Ok(Type::Scalar(Scalar::Unknown)),
        Some("string") => return Ok(Type::Scalar(Scalar::String)),
        Some("numeric") => return Ok(Type::Scalar(Scalar::Integer)),
        Some("boolean") => return Ok(Type::Scalar(Scalar::Boolean)),
        Some(other) => bail!("the scalar `{other}` is not known"),
        None => {}
    }
    let element = |node: &Value| {
        let element = node.get("elementType").context("it has no elementType")?;
        type_of(element).map(Box::new)
    };
    if let Some(list) = node.get("list") {
        return Ok(Type::List(element(list)?));
    }
    let map = node
        .get("map")
        .context("it is neither scalar nor list nor map")?;
    let Some(fields) = map.get("fields") else {
        return match map.get("elementType") {
            // A JSON object of any kind: its element type is `untyped`.
            Some(element) if element.get("scalar").and_then(Value::as_str) == Some("untyped") => {
                Ok(Type::Scalar(Scalar::Unknown))
            }
            Some(_) => Ok(Type::Map(element(map)?)),
            // Some types have no fields at all.
            None => Ok(Type::Struct(BTreeMap::new())),
        };
    };
    let fields = fields.as_sequence().context("the fields are not a list")?;
    let fields = fields.iter().map(|field| {
        let name = field.get("name").and_then(Value::as_str);
        let name = name.context("a field has no name")?.to_owned();
        let field = field.get("type").context("a field has no type")?;
        let found = type_of(field).with_context(|| name.clone())?;
        Ok((name, found))
    });
    Ok(Type::Struct(fields.collect::<Result<_>>()?))
}

/// Returns every kind with its apiVersion and the name of its type, as set in the
/// generated constructors:
///
/// ```go
/// b.WithKind("Deployment")
/// b.WithAPIVersion("apps/v1")
/// … internal.Parser().Type("io.k8s.api.apps.v1.Deployment") …
/// ```
fn kinds(folder: &Path) -> Result<Vec<Kind>> {
    let mut kinds = Vec::new();
    for file in go_files(folder)? {
        let source =
            fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
        if source.contains("float32") || source.contains("float64") {
            bail!(
                "{}: a float: `numeric` is no longer always an integer",
                file.display()
            );
        }
        let argument = |call: &str| {
            let (_, rest) = source.split_once(call)?;
            rest.split('"').next().map(str::to_owned)
        };
        let (Some(kind), Some(api_version), Some(type_name)) = (
            argument("b.WithKind(\""),
            argument("b.WithAPIVersion(\""),
            argument("Parser().Type(\""),
        ) else {
            continue;
        };
        kinds.push(Kind {
            api_version,
            kind,
            type_name,
        });
    }
    kinds.sort();
    kinds.dedup();
    Ok(kinds)
}

fn go_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("listing {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(go_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "go") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_all_forms_of_the_schema() {
        let source = "x = typed.YAMLObject(`types:
- name: io.k8s.a.Env
  map:
    fields:
    - name: args
      type:
        list:
          elementType:
            scalar: string
          elementRelationship: atomic
    - name: ports
      type:
        list:
          elementType:
            namedType: io.k8s.a.Port
          elementRelationship: associative
          keys:
          - port
          - protocol
    - name: selector
      type:
        map:
          elementType:
            scalar: string
      default: {}
    elementRelationship: atomic
- name: io.k8s.apimachinery.pkg.util.intstr.IntOrString
  scalar: untyped
- name: __untyped_atomic_
  scalar: untyped
  list:
    elementType:
      namedType: __untyped_atomic_
`)
";
        let types = types(source).unwrap();
        let string = || Box::new(Type::Scalar(Scalar::String));
        let Type::Struct(fields) = &types["io.k8s.a.Env"] else {
            panic!("no struct");
        };
        assert_eq!(fields["args"], Type::List(string()));
        assert_eq!(
            fields["ports"],
            Type::List(Box::new(Type::Named("io.k8s.a.Port".to_owned())))
        );
        assert_eq!(fields["selector"], Type::Map(string()));
        assert_eq!(
            types["io.k8s.apimachinery.pkg.util.intstr.IntOrString"],
            Type::Scalar(Scalar::Either)
        );
        assert_eq!(types["__untyped_atomic_"], Type::Scalar(Scalar::Unknown));
    }

    #[test]
    fn rejects_unknown_schemas() {
        for (line, expected) in [
            ("  scalar: complex", "`complex` is not known"),
            ("  scalar: untyped", "what does it hold?"),
            ("  tuple: x", "neither scalar nor list nor map"),
            ("  nothing", "the schema is not YAML"),
        ] {
            let error = types(&format!("YAMLObject(`types:\n- name: io.x\n{line}\n`)"));
            let error = format!("{:#}", error.unwrap_err());
            assert!(error.contains(expected), "{line}: {error}");
        }
    }
}
