//! `example` of a clause: a value that the contract's author chose for samples.

use crate::config::outputs_contract::Clause;
use crate::config::plain_value::plain_value;
use crate::config::reader::Reader;
use crate::outputs::Value;
use yaml::NodeId;

/// Reads the example of a clause whose other keys have been read, and reports an example
/// that the clause does not allow.
pub(super) fn read(reader: &mut Reader<'_>, id: NodeId, clause: &Clause) -> Option<Value> {
    let example = plain_value(reader, id, "example")?;
    if example == Value::Null {
        reader.error(id, "`example` has no value", "give it a value or remove it");
        return None;
    }
    // The message of the violation quotes it, and a mistake may hide that it is sensitive.
    if clause.accepts(&example).is_err() {
        let message = "`example` does not match the other keys of this output";
        let help = "change the example or the other keys of this output";
        reader.error(id, message, help);
        return None;
    }
    Some(example)
}
