//! `example` of a clause: a value that the contract's author chose for samples.

use crate::config::outputs_contract::Clause;
use crate::config::reader::Reader;
use crate::outputs::{Key, Value};
use yaml::{Context, Kind, NodeId, Style, is_number, number, plain_reads_back};

/// The maximum depth of lists and mappings in an example.
const MAX_DEPTH: usize = 32;

const QUOTE: &str = "quote it to make it a string";

/// Reads the example of a clause whose other keys have been read, and reports an example
/// that the clause does not allow.
pub(super) fn read(reader: &mut Reader<'_>, id: NodeId, clause: &Clause) -> Option<Value> {
    let example = value(reader, id, 0)?;
    if example == Value::Null {
        reader.error(id, "`example` has no value", "give it a value or remove it");
        return None;
    }
    if let Err(violation) = clause.accepts(&example) {
        let help = "change the example or the other keys of this output";
        reader.error(id, violation.message, help);
        return None;
    }
    Some(example)
}

/// Returns the value of a node, or `None` if the node has an error.
fn value(reader: &mut Reader<'_>, id: NodeId, depth: usize) -> Option<Value> {
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
            let help = "nest the example less deeply";
            reader.error(id, format!("more than {MAX_DEPTH} levels deep"), help);
            None
        }
        Kind::Sequence { .. } => {
            let items = reader.items(id, "example").into_iter();
            let items = items.map(|item| value(reader, item, depth + 1));
            items.collect::<Option<_>>().map(Value::List)
        }
        Kind::Mapping { .. } => {
            let entries = reader.entries(id, "example", "").into_iter();
            let entries = entries.map(|(name, key, node)| {
                let name = name.to_owned();
                let span = reader.span(key);
                Some((Key { name, span }, value(reader, node, depth + 1)?))
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
