//! Writes outputs as `terraform output -json` does.

use crate::outputs::Value;
use crate::outputs::public::LEFT_OUT;
use crate::outputs::value::push_json_string;

/// Returns a document of the format `terraform`. Each output has a name, a value, and
/// whether it is sensitive.
pub(crate) fn terraform_document(outputs: &[(&str, Value, bool)]) -> String {
    let mut json = String::from("{");
    for (name, value, sensitive) in outputs {
        push_output(name, value, Some(value), *sensitive, &mut json);
    }
    end(json)
}

/// Returns a document of the format `terraform` in which the values of sensitive outputs
/// were left out. The value of such an output determines only its `type`.
pub(super) fn public_document(outputs: &[(String, Value, bool)]) -> String {
    let mut json = String::from("{");
    for (name, value, sensitive) in outputs {
        let shown = (!sensitive).then_some(value);
        push_output(name, value, shown, *sensitive, &mut json);
    }
    end(json)
}

/// Appends an output. Without a value, it is one that was left out.
fn push_output(
    name: &str,
    type_of: &Value,
    value: Option<&Value>,
    sensitive: bool,
    json: &mut String,
) {
    json.push_str(if json.len() == 1 { "\n  " } else { ",\n  " });
    push_json_string(name, json);
    json.push_str(&format!(
        ": {{\n    \"sensitive\": {sensitive},\n    \"type\": "
    ));
    match (value, type_of) {
        // The type of a list or an object has its length or its keys in it.
        (None, Value::List(_) | Value::Object(_)) => push_type(&Value::Null, json),
        _ => push_type(type_of, json),
    }
    json.push_str(",\n    \"value\": ");
    match value {
        Some(value) => json.push_str(&value.to_json()),
        None => json.push_str(&format!("null,\n    \"{LEFT_OUT}\": true")),
    }
    json.push_str("\n  }");
}

fn end(mut json: String) -> String {
    json.push_str(if json.len() == 1 { "}\n" } else { "\n}\n" });
    json
}

/// Appends the type of a value in Terraform's JSON notation.
fn push_type(value: &Value, json: &mut String) {
    match value {
        Value::Null => json.push_str("\"dynamic\""),
        Value::List(items) => {
            json.push_str("[\"tuple\",[");
            for (nth, item) in items.iter().enumerate() {
                if nth > 0 {
                    json.push(',');
                }
                push_type(item, json);
            }
            json.push_str("]]");
        }
        Value::Object(entries) => {
            json.push_str("[\"object\",{");
            for (nth, (key, value)) in entries.iter().enumerate() {
                if nth > 0 {
                    json.push(',');
                }
                push_json_string(&key.name, json);
                json.push(':');
                push_type(value, json);
            }
            json.push_str("}]");
        }
        scalar => push_json_string(scalar.value_type().name(), json),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::value_of_json;

    #[test]
    fn writes_values_with_their_types() {
        let outputs = [
            ("id", value_of_json("\"a\\\"b\""), true),
            ("all", value_of_json("[1, null, {\"k\": [true]}]"), false),
        ];
        assert_eq!(
            terraform_document(&outputs),
            "{\n  \"id\": {\n    \"sensitive\": true,\n    \"type\": \"string\",\n    \"value\": \"a\\\"b\"\n  },\n  \"all\": {\n    \"sensitive\": false,\n    \"type\": [\"tuple\",[\"number\",\"dynamic\",[\"object\",{\"k\":[\"tuple\",[\"bool\"]]}]]],\n    \"value\": [1,null,{\"k\":[true]}]\n  }\n}\n"
        );
        assert_eq!(terraform_document(&[]), "{}\n");
    }
}
