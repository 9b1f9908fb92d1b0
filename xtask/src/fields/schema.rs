//! client-go's schema of Kubernetes' types: YAML inside a Go source file, written
//! by a generator, read here as far as that generator goes and no further.
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
use std::iter::Peekable;

use anyhow::{Context, Result, bail};

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Scalar(Scalar),
    Named(String),
    List(Box<Type>),
    Map(Box<Type>),
    Struct(BTreeMap<String, Type>),
}

/// What a scalar holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    /// Anything, or it cannot be told.
    Unknown,
    String,
    Integer,
    Boolean,
    /// An integer or a string.
    Either,
}

/// The types whose schema says `untyped` where their Go code says more
/// (apimachinery: `MarshalJSON`, `OpenAPISchemaType`).
const UNTYPED: &[(&str, Scalar)] = &[
    ("api.resource.Quantity", Scalar::Either),
    ("util.intstr.IntOrString", Scalar::Either),
    ("apis.meta.v1.Time", Scalar::String),
    ("apis.meta.v1.MicroTime", Scalar::String),
];

/// Every type by its name.
///
/// # Errors
/// The source holds no schema, or one with something in it that is not known.
pub(crate) fn types(source: &str) -> Result<BTreeMap<String, Type>> {
    let (_, schema) = source
        .split_once("YAMLObject(`types:\n")
        .context("there is no schema")?;
    let (schema, _) = schema.split_once('`').context("the schema does not end")?;
    let mut lines = schema.lines().map(Line::read).peekable();
    let Node::List(items) = node(&mut lines, 0)? else {
        bail!("the types are no list");
    };
    if let Some(line) = lines.next() {
        bail!("`{}` is not understood", line.content);
    }
    items
        .iter()
        .map(|item| {
            let name = item.get("name").and_then(Node::text);
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

fn type_of(node: &Node<'_>) -> Result<Type> {
    if let Some(name) = node.get("namedType").and_then(Node::text) {
        return Ok(Type::Named(name.to_owned()));
    }
    match node.get("scalar").and_then(Node::text) {
        // Beside it may stand what a list or map would hold: anything, too.
        Some("untyped") => return Ok(Type::Scalar(Scalar::Unknown)),
        Some("string") => return Ok(Type::Scalar(Scalar::String)),
        Some("numeric") => return Ok(Type::Scalar(Scalar::Integer)),
        Some("boolean") => return Ok(Type::Scalar(Scalar::Boolean)),
        Some(other) => bail!("the scalar `{other}` is not known"),
        None => {}
    }
    let element = |node: &Node<'_>| {
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
            // A JSON object of any kind: `{"untyped": …}` stands beside it.
            Some(element) if element.get("scalar").and_then(Node::text) == Some("untyped") => {
                Ok(Type::Scalar(Scalar::Unknown))
            }
            Some(_) => Ok(Type::Map(element(map)?)),
            // Some types have no fields at all.
            None => Ok(Type::Struct(BTreeMap::new())),
        };
    };
    let Node::List(fields) = fields else {
        bail!("the fields are no list");
    };
    let fields = fields.iter().map(|field| {
        let name = field.get("name").and_then(Node::text);
        let name = name.context("a field has no name")?.to_owned();
        let field = field.get("type").context("a field has no type")?;
        let found = type_of(field).with_context(|| name.clone())?;
        Ok((name, found))
    });
    Ok(Type::Struct(fields.collect::<Result<_>>()?))
}

/// The schema's YAML.
#[derive(Debug)]
enum Node<'s> {
    Text(&'s str),
    List(Vec<Node<'s>>),
    Map(Vec<(&'s str, Node<'s>)>),
}

impl<'s> Node<'s> {
    fn get(&self, wanted: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => entries
                .iter()
                .find_map(|(key, value)| (*key == wanted).then_some(value)),
            _ => None,
        }
    }

    fn text(&self) -> Option<&'s str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

struct Line<'s> {
    column: usize,
    /// It begins with a dash: `column` is the dash's.
    item: bool,
    content: &'s str,
}

impl<'s> Line<'s> {
    fn read(line: &'s str) -> Self {
        let content = line.trim_start_matches(' ');
        let column = line.len() - content.len();
        match content.strip_prefix("- ") {
            Some(content) => Self {
                column,
                item: true,
                content,
            },
            None => Self {
                column,
                item: false,
                content,
            },
        }
    }
}

/// The list or map that begins in this column.
fn node<'s>(
    lines: &mut Peekable<impl Iterator<Item = Line<'s>>>,
    column: usize,
) -> Result<Node<'s>> {
    if !lines.peek().is_some_and(|line| line.item) {
        return map(lines, column);
    }
    let mut items = Vec::new();
    while let Some(line) = lines.peek_mut().filter(|l| l.item && l.column == column) {
        if line.content.contains(": ") || line.content.ends_with(':') {
            // What follows the dash is the first line of a map.
            line.item = false;
            line.column += 2;
            items.push(map(lines, column + 2)?);
        } else {
            items.push(Node::Text(line.content));
            lines.next();
        }
    }
    Ok(Node::List(items))
}

fn map<'s>(
    lines: &mut Peekable<impl Iterator<Item = Line<'s>>>,
    column: usize,
) -> Result<Node<'s>> {
    let mut entries = Vec::new();
    while let Some(line) = lines.next_if(|line| !line.item && line.column == column) {
        let (key, value) = line
            .content
            .split_once(':')
            .with_context(|| format!("`{}` is not understood", line.content))?;
        let value = match value.trim_start() {
            // A list may stand in its key's column.
            "" => match lines.peek() {
                Some(next) if next.column > column || next.item => {
                    let column = next.column;
                    node(lines, column)?
                }
                _ => bail!("`{key}` has no value"),
            },
            text => Node::Text(text),
        };
        entries.push((key, value));
    }
    Ok(Node::Map(entries))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_that_occur() {
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
    fn what_is_not_known_is_refused() {
        for (line, expected) in [
            ("  scalar: complex", "`complex` is not known"),
            ("  scalar: untyped", "what does it hold?"),
            ("  tuple: x", "neither scalar nor list nor map"),
            ("  nothing", "is not understood"),
        ] {
            let error = types(&format!("YAMLObject(`types:\n- name: io.x\n{line}\n`)"));
            let error = format!("{:#}", error.unwrap_err());
            assert!(error.contains(expected), "{line}: {error}");
        }
    }
}
