//! A Secret: the entries of `data`, decoded, and of `stringData`. All outputs are sensitive.
//!
//! tofu-controller writes an output that is not a string as JSON, and its type, in
//! Terraform's notation, to an entry named `NAME__type`. It does not write which outputs
//! are sensitive (controllers/tf_controller_outputs.go).

use crate::collections::OrderedSet;
use crate::outputs::formats::kubernetes::{Entry, ObjectFormat, ObjectKind, Reader, TYPE_SUFFIX};
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::{FormatSample, entry};
use crate::outputs::json::Json;
use crate::outputs::{Key, Output, Value};
use yaml::Span;

pub(super) const SECRET: ObjectFormat = ObjectFormat {
    id: "secret",
    kind: ObjectKind::Secret,
    read,
    keeps_annotation: |_| false,
    #[cfg(feature = "toys")]
    sample: FormatSample::in_lines(
        "apiVersion: v1\nkind: Secret\nmetadata: {annotations: {k: hunter2}}\nstringData:\n",
        entry,
    ),
};

fn read<'o>(reader: &mut Reader<'o, '_>, fields: &[Entry<'o>]) {
    reader.read.lacks_marks = true;
    let mut outputs = Vec::new();
    for field in fields {
        outputs.append(&mut reader.secret_data(field, &|_| true));
        reader.hide(field);
    }
    reader.apply_string_data(fields, &mut outputs);
    let types = types(&outputs);
    for mut output in outputs {
        let is_type = |name: &str| types.contains(name);
        if output.name.strip_suffix(TYPE_SUFFIX).is_some_and(is_type) {
            continue;
        }
        if is_type(&output.name) {
            match typed(&output) {
                Some(value) => output.value = value,
                None => {
                    let message = format!(
                        "the output `{}` has a type, but its value is not JSON",
                        output.name
                    );
                    let help = "bind the unchanged Secret that tofu-controller writes";
                    reader.wrong(output.written, &message, help);
                    continue;
                }
            }
        }
        reader.read.outputs.push(output);
    }
}

/// Returns the names of the outputs that have a type.
fn types(outputs: &[Output]) -> OrderedSet<String> {
    let names: OrderedSet<&str> = outputs.iter().map(|output| &*output.name).collect();
    let typed = outputs.iter().filter_map(|output| {
        let name = output.name.strip_suffix(TYPE_SUFFIX)?;
        let is_type = is_type(output.value.text()?);
        (is_type && names.contains(name)).then(|| name.to_owned())
    });
    typed.collect()
}

/// Returns whether a text is a type in Terraform's notation: `"number"`,
/// `["list", "string"]`.
fn is_type(text: &str) -> bool {
    let Ok(json) = Json::read(text, 0) else {
        return false;
    };
    let is_name = |name: &str| ["string", "number", "bool", "dynamic"].contains(&name);
    let is_constructor = |name: &str| ["list", "set", "map", "object", "tuple"].contains(&name);
    match json.root().value() {
        Ok(Value::String(name)) => is_name(&name),
        Ok(Value::List(items)) => {
            matches!(items.first(), Some(Value::String(name)) if is_constructor(name))
        }
        _ => false,
    }
}

/// Returns the value of an output whose text is JSON.
fn typed(output: &Output) -> Option<Value> {
    let json = Json::read(output.value.text()?, 0).ok()?;
    let value = json.root().value().ok()?;
    Some(located(value, output.span))
}

/// Returns a value whose keys are located at `span`: they have no bytes of their own.
fn located(value: Value, span: Span) -> Value {
    match value {
        Value::List(items) => {
            Value::List(items.into_iter().map(|item| located(item, span)).collect())
        }
        Value::Object(entries) => {
            let entries = entries.into_iter().map(|(key, value)| {
                let Key { name, .. } = key;
                (Key { name, span }, located(value, span))
            });
            Value::Object(entries.collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_all_redacted, check_redacted, check_sensitive, document};
    use crate::outputs::{Bindings, Declarations};

    /// Checks what is read from the fields of a Secret.
    #[track_caller]
    fn check(fields: &str, expected: &[&str]) {
        let content = format!("apiVersion: v1\nkind: Secret\n{fields}");
        for format in ["", "secret"] {
            check_sensitive(format, &content, expected);
        }
    }

    #[test]
    fn decodes_data() {
        check(
            "data:\n  password: aHVudGVyMg==\n  'user-0': dQ==\n  empty: \"\"\n  lines: |\n    aHVu\n    dGVyMg==\n",
            &[
                "password = \"hunter2\"",
                "'user-0' = \"u\"",
                "empty = \"\"",
                "lines = \"hunter2\"",
            ],
        );
        check_sensitive(
            "",
            r#"{"apiVersion": "v1", "data": {"a": "aHVu\r\ndGVyMg==", "b": "MQ=="}, "kind": "Secret"}"#,
            &["\"a\" = \"hunter2\"", "1:1 = \"1\""],
        );
    }

    #[test]
    fn string_data_replaces_data() {
        check(
            "stringData:\n  a: new\n  b: '2'\ndata:\n  a: b2xk\n  b: /w==\n  c: Yw==\n",
            &["a = \"new\"", "b = \"2\"", "c = \"c\""],
        );
        check(
            "data:\n  a: b2xk\n  c: Yw==\nstringData:\n  a: new\n",
            &["c = \"c\"", "a = \"new\""],
        );
    }

    #[test]
    fn every_output_is_sensitive() {
        let content = "apiVersion: v1\nkind: Secret\ndata: {a: YQ==}\nstringData: {b: b}\n";
        let (bindings, diagnostics) = Bindings::read(
            &[crate::OutputsDocument {
                name: "db".into(),
                ..document("", content)
            }],
            &Declarations::default(),
        );
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let outputs = bindings.outputs("db").unwrap();
        let sensitive = outputs.values().filter(|bound| bound.sensitive);
        assert_eq!((outputs.len(), sensitive.count()), (2, 2));
    }

    #[test]
    fn rejects_what_is_not_base64_at_the_start_of_its_line() {
        for value in ["hunter2", "aHVudGVyMg", "'aHVu dGVyMg=='", "aHVudGV-"] {
            check(
                &format!("data:\n  a: {value}\n  b: YQ==\n"),
                &["b = \"a\"", "the output `a` is not valid base64: 4:1"],
            );
        }
        check(
            "data:\n  a: 1234\n",
            &[
                "the output `a` has an unquoted value that is not a string to every YAML reader: 4:1",
            ],
        );
        check(
            "data: {a: aHVudGVyMg==, a: aHVudGVyMg==}\n",
            &[
                "a = \"hunter2\"",
                "duplicate output `a` in one document: 3:1, a",
            ],
        );
    }

    #[test]
    fn an_entry_that_is_not_text_does_not_prevent_reading_the_others() {
        check("data:\n  keystore: /w==\n  a: YQ==\n", &["a = \"a\""]);
    }

    #[test]
    fn reports_broken_yaml_by_its_line() {
        check(
            "data:\n  a: aHVudGVyMg== : [\n",
            &["the outputs document is not valid YAML: 4:1"],
        );
        check(
            "data:\n  a: YQ==\n---\nkind: Secret\n",
            &["the outputs document has more than one YAML document: 5:1"],
        );
    }

    #[test]
    fn reads_the_types_that_tofu_controller_writes() {
        check(
            "stringData:\n  id: vpc-1\n  size: '10.50'\n  size__type: '\"number\"'\n  b: 'true'\n  b__type: '\"bool\"'\n  l: \"[\\n  \\\"a\\\"\\n]\"\n  l__type: '[\"list\", \"string\"]'\n  o: '{\"k\": [1]}'\n  o__type: '[\"object\", {\"k\": [\"tuple\", [\"number\"]]}]'\n  d: 'null'\n  d__type: '\"dynamic\"'\n",
            &[
                "id = \"vpc-1\"",
                "size = 10.50",
                "b = true",
                "l = [\"a\"]",
                "o = {\"k\":[1]}",
                "d = null",
            ],
        );
        for value in ["hunter2", "{\"a\": 1, \"a\": 2}", ""] {
            check(
                &format!("stringData:\n  size: '{value}'\n  size__type: '\"dynamic\"'\n"),
                &["the output `size` has a type, but its value is not JSON: 4:1"],
            );
        }
    }

    #[test]
    fn an_entry_that_is_not_a_type_is_an_output() {
        check(
            "stringData:\n  db: x\n  db__type: postgres\n  size__type: '\"number\"'\n  l: '1'\n  l__type: '[1]'\n",
            &[
                "db = \"x\"",
                "db__type = \"postgres\"",
                "size__type = \"\\\"number\\\"\"",
                "l = \"1\"",
                "l__type = \"[1]\"",
            ],
        );
    }

    #[test]
    fn redacts_everything_that_may_repeat_a_value() {
        let content = "# hunter2\napiVersion: v1\nkind: Secret\nmetadata:\n  name: m # hunter2\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {\"data\": {\"a\": \"aHVudGVyMg==\"}}\n    x: hunter2\n    y:\ntype: Opaque\ndata:\n  a: aHVudGVyMg==\n  b: /w==\n  c: aHVudGVyMg==\n  size: MTA=\n  size__type: Im51bWJlciI=\nstringData:\n  c: |\n    hunter2\n";
        let redacted = "#\napiVersion: v1\nkind: Secret\nmetadata:\n  name: m #\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: \"(sensitive)\"\n    x: \"(sensitive)\"\n    y:\ntype: Opaque\ndata:\n  a: \"KHNlbnNpdGl2ZSk=\"\n  b: \"/w==\"\n  c: \"KHNlbnNpdGl2ZSk=\"\n  size: \"MA==\"\n  size__type: \"ImR5bmFtaWMi\"\nstringData:\n  c: \"(sensitive)\"\n";
        check_all_redacted("", content, redacted);
        check_redacted(
            &document("", content),
            Some((redacted, &["a", "b", "size", "c"])),
        );
        check_redacted(
            &document(
                "",
                r#"{"apiVersion":"v1","data":{"a":"aHVudGVyMg=="},"kind":"Secret"}"#,
            ),
            Some((
                r#"{"apiVersion":"v1","data":{"a": "KHNlbnNpdGl2ZSk="},"kind":"Secret"}"#,
                &["a"],
            )),
        );
    }

    #[test]
    fn does_not_redact_what_is_unclear() {
        for content in [
            "apiVersion: v1\nkind: Secret\nmetadata: {name: &a x}\ndata: {a: YQ==}\n",
            "apiVersion: v1\nkind: Secret\ndata: {a: hunter2}\n",
            "apiVersion: v1\nkind: Secret\ndata: {a: YQ==}\nstatus: hunter2\n",
        ] {
            check_redacted(&document("", content), None);
        }
    }
}
