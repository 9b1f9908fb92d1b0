//! Writes outputs as `terraform output -json` does.

use crate::outputs::Value;
use crate::outputs::value::push_json_string;

/// Returns a document of the format `terraform`. Each output has a name, a value, and
/// whether it is sensitive.
pub(crate) fn terraform_document(outputs: &[(&str, Value, bool)]) -> String {
    let mut json = String::from("{");
    for (nth, (name, value, sensitive)) in outputs.iter().enumerate() {
        json.push_str(if nth == 0 { "\n  " } else { ",\n  " });
        push_json_string(name, &mut json);
        json.push_str(&format!(
            ": {{\n    \"sensitive\": {sensitive},\n    \"type\": "
        ));
        push_type(value, &mut json);
        json.push_str(&format!(",\n    \"value\": {}\n  }}", value.to_json()));
    }
    json.push_str(if outputs.is_empty() { "}\n" } else { "\n}\n" });
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
