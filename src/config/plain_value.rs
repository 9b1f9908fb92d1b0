//! Values that are written in a configuration document: every YAML reader reads them alike.

use crate::config::reader::Reader;
use crate::outputs::{Key, Value};
use yaml::{Context, Kind, NodeId, Style, is_number, number, plain_reads_back};

/// The maximum depth of lists and mappings in a value.
const MAX_DEPTH: usize = 32;

const QUOTE: &str = "quote it to make it a string";

/// Returns the value of a node, or `None` after reporting an error. `what` is the key of
/// the node.
pub(crate) fn plain_value(reader: &mut Reader<'_>, id: NodeId, what: &str) -> Option<Value> {
    value(reader, id, what, 0)
}

fn value(reader: &mut Reader<'_>, id: NodeId, what: &str, depth: usize) -> Option<Value> {
    let tree = reader.tree();
    match tree[id].kind() {
        Kind::Scalar {
            style: Style::Plain,
            ..
        } => plain(reader, id),
        Kind::Scalar { .. } => tree.text(id).map(|text| Value::String(text.to_owned())),
        // Reported as ambiguous.
        Kind::Alias(_) => None,
        _ if depth == MAX_DEPTH => {
            let help = "nest it less deeply";
            let message =
                format!("`{what}` nests lists and mappings more than {MAX_DEPTH} levels deep");
            reader.error(id, message, help);
            None
        }
        Kind::Sequence { .. } => {
            let items = reader
                .items(id, what)
                .into_iter()
                .map(|item| value(reader, item, what, depth + 1));
            items.collect::<Option<_>>().map(Value::List)
        }
        Kind::Mapping { .. } => {
            let entries = reader
                .entries(id, what, "")
                .into_iter()
                .map(|(name, key, node)| {
                    let name = name.to_owned();
                    let span = reader.span(key);
                    Some((Key { name, span }, value(reader, node, what, depth + 1)?))
                });
            entries.collect::<Option<_>>().map(Value::Object)
        }
    }
}

/// Returns the value of an unquoted scalar that every YAML reader reads alike.
fn plain(reader: &mut Reader<'_>, id: NodeId) -> Option<Value> {
    let tree = reader.tree();
    let context = Context {
        flow: tree.in_flow(id),
        json: false,
    };
    Some(match tree.text(id).unwrap_or_default() {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "" | "null" => Value::Null,
        text if is_number(text) && number(text) == text => Value::Number(text.to_owned()),
        text if plain_reads_back(text, context) => Value::String(text.to_owned()),
        text => {
            let message = format!("not every YAML reader reads `{text}` as a string");
            reader.error(id, message, QUOTE);
            return None;
        }
    })
}
