//! The outputs of a file in Terraform's JSON syntax.

use std::ops::Range;

use serde_json::Value;

use super::{Attributes, FileOutputs};

/// Reads the outputs of a file. The parser limits the depth of nesting.
pub(super) fn outputs(text: &str) -> FileOutputs {
    let mut outputs = FileOutputs::default();
    let content = text.trim_start_matches('\u{feff}');
    let root: Value = match serde_json::from_str(content) {
        Ok(root) => root,
        Err(error) => {
            let at = offset(text, error.line(), error.column());
            let message = "the file is not valid JSON".to_owned();
            outputs.errors.push((message, at..at));
            return outputs;
        }
    };
    for file in objects(&root) {
        for all in file.get("output").into_iter().flat_map(objects) {
            for (name, body) in all.iter().filter(|(name, _)| *name != "//") {
                let at = place(text, name);
                if !super::hcl::is_identifier(name) {
                    let message = format!("`{name}` is not a valid name of an output");
                    outputs.errors.push((message, at));
                    continue;
                }
                for body in objects(body) {
                    let sensitive = match body.get("sensitive") {
                        None | Some(Value::Null) => None,
                        Some(Value::Bool(flag)) => Some(*flag),
                        Some(Value::String(text)) if text == "true" => Some(true),
                        Some(Value::String(text)) if text == "false" => Some(false),
                        Some(_) => {
                            let message = format!(
                                "`sensitive` of the output `{name}` must be `true` or `false`"
                            );
                            outputs.errors.push((message, at.clone()));
                            None
                        }
                    };
                    let text_of =
                        |key: &str| body.get(key)?.as_str().filter(|text| !is_template(text));
                    let declared = text_of("type").and_then(|constraint| {
                        let name = constraint.split('(').next().unwrap_or_default();
                        super::contract::type_of(name.trim())
                    });
                    let attributes = Attributes {
                        sensitive,
                        description: text_of("description").map(str::to_owned),
                        value_type: declared.or_else(|| body.get("value").and_then(literal_type)),
                    };
                    outputs.blocks.push((name.clone(), at.clone(), attributes));
                }
            }
        }
    }
    outputs
}

/// Returns the objects of a value: Terraform accepts a list of them in place of one.
fn objects(value: &Value) -> Vec<&serde_json::Map<String, Value>> {
    match value {
        Value::Object(object) => vec![object],
        Value::Array(items) => items.iter().filter_map(Value::as_object).collect(),
        _ => Vec::new(),
    }
}

fn is_template(text: &str) -> bool {
    text.contains("${") || text.contains("%{")
}

fn literal_type(value: &Value) -> Option<&'static str> {
    match value {
        Value::String(text) if is_template(text) => None,
        Value::String(_) => Some("string"),
        Value::Number(_) => Some("number"),
        Value::Bool(_) => Some("bool"),
        Value::Array(_) => Some("list"),
        Value::Object(_) => Some("object"),
        Value::Null => None,
    }
}

/// Returns the bytes of a name, where it is written first, without its quotes.
fn place(text: &str, name: &str) -> Range<usize> {
    match text.find(&format!("\"{name}\"")) {
        Some(at) => at + 1..at + 1 + name.len(),
        None => 0..0,
    }
}

/// Returns the offset of a line and a column, both from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let lines = text.split_inclusive('\n').take(line.saturating_sub(1));
    let start: usize = lines.map(str::len).sum();
    let mut at = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
