//! A ConfigMap: the entries of `data`, which are strings. `binaryData` cannot be read.

use crate::outputs::formats::kubernetes::{Entry, ObjectFormat, ObjectKind, Reader};
#[cfg(feature = "toys")]
use crate::outputs::formats::sample::{FormatSample, entry};

pub(super) const CONFIG_MAP: ObjectFormat = ObjectFormat {
    id: "configmap",
    kind: ObjectKind::ConfigMap,
    read,
    keeps_annotation: |_| false,
    #[cfg(feature = "toys")]
    sample: FormatSample::in_lines(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {annotations: {k: hunter2}}\ndata:\n",
        entry,
    ),
};

fn read<'o>(reader: &mut Reader<'o, '_>, fields: &[Entry<'o>]) {
    let document = reader.document;
    let declared = |name: &str| document.declares_sensitive(name);
    for field in fields {
        match &*field.name {
            "data" => {
                let mut outputs = reader.text_outputs(field, &declared);
                reader.read.outputs.append(&mut outputs);
            }
            "binaryData" => reader.unreadable_entries(field, "`binaryData` is not text"),
            _ => {}
        }
        if field.name != "data" {
            // Annotations may repeat the data.
            reader.hide(field);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{
        check_all_redacted, check_read, check_redacted, check_sensitive, document,
    };
    use crate::outputs::{Bindings, Declarations};

    /// Checks what is read from the `data` of a ConfigMap.
    #[track_caller]
    fn check(data: &str, expected: &[&str]) {
        let content = format!("apiVersion: v1\nkind: ConfigMap\ndata:\n{data}");
        for format in ["", "configmap"] {
            check_read(format, &content, expected);
        }
    }

    #[test]
    fn reads_strings() {
        check(
            "  region: eu-central-1 # c\n  'account': \"012345678901\"\n  a.b: 10.0.0.0/8\n  empty: ''\n",
            &[
                "region = \"eu-central-1\"",
                "'account' = \"012345678901\"",
                "a.b = \"10.0.0.0/8\"",
                "empty = \"\"",
            ],
        );
        check(
            "  literal: |\n    a\n     b\n\n  folded: >-\n    a\n    b\n",
            &["literal = \"a\\n b\\n\"", "folded = \"a b\""],
        );
        check_read(
            "",
            "\u{feff}# c\r\n---\r\nkind: ConfigMap\r\napiVersion: v1\r\ndata: {a: b}\r\n",
            &["a = \"b\""],
        );
        check_read(
            "",
            r#"{"kind": "ConfigMap", "apiVersion": "v1", "data": {"a": "x\u003cy", "b": "3"}}"#,
            &["\"a\" = \"x<y\"", "\"b\" = \"3\""],
        );
    }

    #[test]
    fn reads_a_config_map_without_data() {
        for content in [
            "apiVersion: v1\nkind: ConfigMap\n",
            "# c\n---\nkind: 'ConfigMap'\n\"apiVersion\": v1\ndata: null\n",
            "{apiVersion: v1, kind: ConfigMap, data: {}}",
        ] {
            check_read("", content, &[]);
        }
    }

    #[test]
    fn rejects_values_that_the_api_server_rejects() {
        let unquoted = "has an unquoted value that is not a string to every YAML reader";
        for value in ["3", "1.5", "true", "no", "null", "2024-01-31", "012", ""] {
            check(
                &format!("  a: {value}\n  b: x\n"),
                &["b = \"x\"", &format!("the output `a` {unquoted}: a")],
            );
        }
        for value in ["[x]", "{x: y}"] {
            check(
                &format!("  a: {value}\n"),
                &["the output `a` is not a string: a"],
            );
        }
        check_read(
            "",
            r#"{"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": 3}}"#,
            &["the output `a` is not a string: \"a\""],
        );
    }

    #[test]
    fn rejects_what_readers_read_differently() {
        let properties = "has a tag, an anchor or an alias";
        for value in ["!!str 3", "&x y", "*x"] {
            check(
                &format!("  a: {value}\n"),
                &[&format!("the output `a` {properties}: a")],
            );
        }
        for key in ["3", "yes", "<<", "'<<'"] {
            let why = "has a name that not every YAML reader reads as a string";
            let name = key.trim_matches('\'');
            check(
                &format!("  {key}: x\n"),
                &[&format!("the output `{name}` {why}: {key}")],
            );
        }
        check(
            "  a: x\n  'a': z\n",
            &["a = \"x\"", "duplicate output `a` in one document: 'a', a"],
        );
        check(
            "  a: x\ndata:\n  b: y\n",
            &["the outputs document has a duplicate key: 5:1"],
        );
        check(
            "  a: x\n<<: {b: c}\n",
            &["the outputs document has a key that not every YAML reader reads as a string: 5:1"],
        );
        check(
            "  a: \"\u{2028}\"\n",
            &[
                "the outputs document has a YAML 1.1 line break, which YAML 1.2 does not treat as one: 4:1",
            ],
        );
    }

    #[test]
    fn rejects_data_that_is_not_a_mapping() {
        for data in ["x", "[a]", "&x {a: b}", "!!map {a: b}"] {
            check_read(
                "",
                &format!("apiVersion: v1\nkind: ConfigMap\ndata: {data}\n"),
                &["`data` is not a mapping of names to strings: data"],
            );
        }
    }

    #[test]
    fn what_is_not_data_may_be_written_in_any_way() {
        check(
            "  a: x\nmetadata:\n  creationTimestamp: 2024-01-31\n  labels: &l {x: yes}\n  annotations: *l\n",
            &["a = \"x\""],
        );
    }

    #[test]
    fn a_name_in_data_and_binary_data_cannot_be_read() {
        let content =
            "apiVersion: v1\nkind: ConfigMap\ndata: {a: x, b: x}\nbinaryData: {a: eA==}\n";
        let (bindings, _) = Bindings::read(
            &[crate::OutputsDocument {
                name: "infra".into(),
                ..document("", content)
            }],
            &Declarations::default(),
        );
        let named = bindings.named("infra").unwrap();
        assert!(named.unreadable("a").is_some() && named.unreadable("b").is_none());
    }

    #[test]
    fn locations_do_not_reveal_the_length_of_an_annotation() {
        check_sensitive(
            "",
            r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"annotations": {"x": "y"}}, "data": {"a": "x"}}"#,
            &["1:1 = \"x\""],
        );
    }

    #[test]
    fn redacts_every_value_if_all_are_sensitive() {
        check_all_redacted(
            "",
            "# hunter2\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {\"data\": {\"a\": \"hunter2\"}}\ndata: # hunter2\n  a: hunter2 # hunter2\n  b: |\n    hunter2\nbinaryData: {c: /w==, d: aHVudGVyMg==}\nimmutable: true\n",
            "#\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: \"(sensitive)\"\ndata: #\n  a: \"(sensitive)\" #\n  b: \"(sensitive)\"\nbinaryData: {c: \"/w==\", d: \"KHNlbnNpdGl2ZSk=\"}\nimmutable: true\n",
        );
    }

    #[test]
    fn leaves_a_config_map_that_is_not_sensitive_unchanged() {
        let content = "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: b # c\n";
        check_redacted(&document("", content), Some((content, &[])));
    }
}
