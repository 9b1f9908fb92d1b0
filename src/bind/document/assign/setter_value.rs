//! The value that a setter of kpt's writes: its setters are strings, also those of lists.

use crate::bind::document::Renderer;
use crate::bind::document::validate::Placement;
use crate::outputs::{Key, Type, Value};
use crate::report::{Diagnostic, Origin, Rule};
use yaml::{Context, Kind, NodeId, Span, Style, Tree};
use yaml::{is_number, locate, number, plain_reads_back, read_differently, split};

/// The maximum nesting of a list in a string.
const MAX_DEPTH: usize = 16;

/// What a setter comment replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replaced {
    Scalar,
    List,
    Map,
}

impl Replaced {
    /// Returns what a node is. An alias is replaced by any value.
    pub(crate) fn of(tree: &Tree, node: NodeId) -> Self {
        match tree[node].kind() {
            Kind::Sequence { .. } => Self::List,
            Kind::Mapping { .. } => Self::Map,
            Kind::Scalar { .. } | Kind::Alias(_) => Self::Scalar,
        }
    }

    pub(crate) const fn described(self) -> &'static str {
        match self {
            Self::Scalar => "a scalar",
            Self::List => "a list",
            Self::Map => "a map",
        }
    }
}

/// Why a value cannot replace a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotSettable {
    /// The node is a list, and the value is neither a list nor a string that holds one.
    NotList(Type),
    /// The node is a list, and the value a string with a list that not every reader reads
    /// alike.
    NotPortable,
    /// The node is a list, and the value a sensitive string.
    SensitiveString,
    /// The node is a map, and the value is not an object.
    NotObject(Type),
}

/// Returns the value for a node, if it is another one than this: the list in a string. A
/// list or an object may replace a scalar.
///
/// # Errors
/// The value cannot replace the node. For a sensitive value, that depends on its type alone.
pub(crate) fn converted(
    replaced: Replaced,
    value: &Value,
    is_sensitive: bool,
) -> Result<Option<Value>, NotSettable> {
    match (replaced, value) {
        (Replaced::List, Value::String(_)) if is_sensitive => Err(NotSettable::SensitiveString),
        (Replaced::List, Value::String(text)) => list_in(text).map(Some),
        (Replaced::List, Value::List(_)) | (Replaced::Map, Value::Object(_)) => Ok(None),
        (Replaced::List, _) => Err(NotSettable::NotList(value.value_type())),
        (Replaced::Map, _) => Err(NotSettable::NotObject(value.value_type())),
        (Replaced::Scalar, _) => Ok(None),
    }
}

impl Renderer<'_, '_> {
    /// Reports the value of a setter comment that cannot replace its node.
    pub(super) fn report_not_settable(&mut self, placement: &Placement<'_, '_>, why: NotSettable) {
        let Some((found, value)) = placement.each().next() else {
            return;
        };
        let output = found.reference.path.display();
        let (message, help) = match why {
            NotSettable::NotList(found) => (
                format!(
                    "a list is set by a list, or by a string with a YAML list, but `{output}` is {}",
                    match found {
                        Type::String => "another string",
                        found => found.described(),
                    }
                ),
                "bind it to a list: `[a, b]`",
            ),
            NotSettable::NotPortable => (
                format!("YAML readers may read the list in `{output}` differently"),
                "quote its items, and write it without tags, anchors and duplicate keys",
            ),
            NotSettable::SensitiveString => (
                format!("a list is set by a list, but `{output}` is a sensitive string"),
                "bind it to a list",
            ),
            NotSettable::NotObject(found) => (
                format!(
                    "a map is set by an object, but `{output}` is {}",
                    found.described()
                ),
                "set the values in the map instead",
            ),
        };
        let mut error = Diagnostic::error(Rule::TypeMismatch, message);
        error = error.at(found.origin, found.span, "");
        if let Some((document, span)) = value.source {
            error = error.at_concealed(Origin::Outputs(document), span, "this output");
        }
        self.report(error.help(help), placement.field);
    }
}

/// Reads a YAML list; the empty text is an empty one.
fn list_in(text: &str) -> Result<Value, NotSettable> {
    const NOT_LIST: NotSettable = NotSettable::NotList(Type::String);
    if text.trim_matches([' ', '\t', '\n', '\r']).is_empty() {
        return Ok(Value::List(Vec::new()));
    }
    if split(text).len() != 1 || text.trim_start().starts_with('%') {
        return Err(NOT_LIST);
    }
    let tree = locate(text.to_owned()).map_err(|_| NOT_LIST)?;
    let root = tree.get(0).ok_or(NOT_LIST)?;
    match root.kind() {
        Kind::Sequence { .. } if read_differently(text, false).is_none() => {
            value_of(&tree, 0, 0).ok_or(NotSettable::NotPortable)
        }
        Kind::Sequence { .. } => Err(NotSettable::NotPortable),
        _ => Err(NOT_LIST),
    }
}

/// Returns the value of a node, if every reader reads it alike.
fn value_of(tree: &Tree, id: NodeId, depth: usize) -> Option<Value> {
    let node = &tree[id];
    if depth > MAX_DEPTH || node.tag().is_some() || node.has_anchor() {
        return None;
    }
    match node.kind() {
        Kind::Alias(_) => None,
        Kind::Scalar {
            style: Style::Plain,
            ..
        } => plain(tree.text(id)?, tree.in_flow(id)),
        Kind::Scalar { .. } => Some(Value::String(tree.text(id)?.to_owned())),
        Kind::Sequence { .. } => {
            let items = tree
                .children(id)
                .map(|item| value_of(tree, item, depth + 1));
            Some(Value::List(items.collect::<Option<_>>()?))
        }
        Kind::Mapping { .. } => {
            let mut entries: Vec<(Key, Value)> = Vec::new();
            for (key, value) in tree.entries(id) {
                let Value::String(name) = value_of(tree, key, MAX_DEPTH)? else {
                    return None;
                };
                if name == "<<" || entries.iter().any(|(key, _)| key.name == name) {
                    return None;
                }
                let span = Span::point(0);
                entries.push((Key { name, span }, value_of(tree, value, depth + 1)?));
            }
            Some(Value::Object(entries))
        }
    }
}

fn plain(text: &str, flow: bool) -> Option<Value> {
    let context = Context { flow, json: false };
    match text {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        "null" => Some(Value::Null),
        _ if is_number(text) && number(text) == text => Some(Value::Number(text.to_owned())),
        _ => plain_reads_back(text, context).then(|| Value::String(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, NotSettable>) {
        let value = Value::String(text.to_owned());
        let found = converted(Replaced::List, &value, false).map(|value| value.unwrap().to_json());
        assert_eq!(found, expected.map(str::to_owned), "{text}");
    }

    #[test]
    fn reads_the_list_in_a_string() {
        check(
            "[a, 'b', \"1\", 1, true, null]",
            Ok(r#"["a","b","1",1,true,null]"#),
        );
        check("- a\n- b c\n- {k: [v]}\n", Ok(r#"["a","b c",{"k":["v"]}]"#));
        check("", Ok("[]"));
        check(" \n", Ok("[]"));
        check("[]", Ok("[]"));
    }

    #[test]
    fn rejects_a_string_without_a_portable_list() {
        let not_list = Err(NotSettable::NotList(Type::String));
        for text in [
            "a",
            "a, b",
            "{a: b}",
            "[a",
            "[a]\n---\n[b]",
            "%YAML 1.2\n---\n[a]",
        ] {
            check(text, not_list);
        }
        let nested = format!("{}{}", "[".repeat(40), "]".repeat(40));
        for text in [
            "[yes]",
            "[0x1f]",
            "[1e5]",
            "[!!str 1]",
            "[&a b]",
            "[{a: 1, a: 2}]",
            "[{1: a}]",
            "[{[a]: b}]",
            "[\"\u{2028}\"]",
            &nested,
        ] {
            check(text, Err(NotSettable::NotPortable));
        }
    }

    #[test]
    fn says_nothing_about_a_sensitive_string() {
        for text in ["[a]", "a", ""] {
            let value = Value::String(text.to_owned());
            let found = converted(Replaced::List, &value, true).err();
            assert_eq!(found, Some(NotSettable::SensitiveString));
        }
    }
}
