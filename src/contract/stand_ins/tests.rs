//! A tool that reads files with stand-ins, and what becomes of its result.

use super::{StandInBuild, restore_sensitive};
use crate::contract::{Content, File, Request, Sources};
use crate::functions::StandIn;
use crate::outputs::OutputsDocument;
use yaml::splice;

const OUTPUTS: &str = r#"{
    "vpc": {"sensitive": false, "type": "string", "value": "vpc-0ab1"},
    "pw": {"sensitive": true, "type": "string", "value": "hunter2"},
    "pem": {"sensitive": true, "type": "string", "value": "---\na: \"b\" # c\n"},
    "port": {"sensitive": true, "type": "number", "value": 5432}
}"#;

fn request() -> Request {
    Request {
        outputs: vec![OutputsDocument {
            name: "infra".into(),
            content: OUTPUTS.into(),
            ..OutputsDocument::default()
        }],
        ..Request::default()
    }
}

/// Returns the result of a tool that builds `build` of a rendered file.
fn result(source: &str, build: &dyn Fn(&str) -> String) -> Result<String, Vec<String>> {
    let sources = Sources::new(vec![File {
        path: "a.yaml".into(),
        content: source.into(),
    }]);
    let rendered = |content: &Content| {
        let content = match content {
            Content::Unchanged => source.as_bytes().to_vec(),
            Content::Edited(edits) => splice(source.as_bytes(), edits).unwrap(),
        };
        vec![File {
            path: "a.yaml".into(),
            content,
        }]
    };
    let [first, second] = [StandIn::First, StandIn::Second].map(|stand_in| {
        let answer = sources.generate_stand_ins(&request(), stand_in).unwrap();
        let rendered = rendered(&answer.sources[0]);
        let text = std::str::from_utf8(&rendered[0].content).unwrap();
        assert!(
            !text.contains("hunter2") && text.contains("vpc-0ab1"),
            "{text}"
        );
        StandInBuild {
            manifests: build(text).into_bytes(),
            rendered,
        }
    });
    let answer = sources.generate(&request()).unwrap();
    let restored = restore_sensitive(&first, &second, &rendered(&answer.sources[0]), &request());
    restored
        .map(|content| String::from_utf8(content).unwrap())
        .map_err(|found| {
            let found = found.iter().map(|found| {
                assert!(!format!("{found:?}").contains("hunter2"));
                let field = found.field.clone().unwrap_or_default();
                format!("{} {field}: {}", found.rule.id(), found.message)
            });
            found.collect()
        })
}

const SOURCE: &str = "apiVersion: v1
kind: Secret
metadata: {name: db, labels: {vpc: '${infra.vpc}'}}
stringData:
  pw: ${infra.pw}
  url: pg://u:${infra.pw}@h:${infra.port}
  pem: ${infra.pem}
  port: ${infra.port}
  app.yaml: |
    # kept
    pw: ${infra.pw}
    pem: ${infra.pem}
data:
  encoded: ${infra.pw | base64}
";

#[test]
fn values_follow_where_their_texts_are() {
    let restored = result(SOURCE, &str::to_owned).unwrap();
    let rendered = Sources::new(vec![File {
        path: "a.yaml".into(),
        content: SOURCE.into(),
    }]);
    let answer = rendered.generate(&request()).unwrap();
    let Content::Edited(edits) = &answer.sources[0] else {
        panic!()
    };
    let expected = splice(SOURCE.as_bytes(), edits).unwrap();
    let read = |text: &[u8]| -> serde_json::Value { serde_yaml::from_slice(text).unwrap() };
    assert_eq!(read(restored.as_bytes()), read(&expected), "{restored}");
}

/// Returns the scalar after `key: ` in a rendered file.
fn scalar<'t>(text: &'t str, key: &str) -> &'t str {
    let (_, after) = text.split_once(&format!("{key}: ")).unwrap();
    after.split('\n').next().unwrap()
}

#[test]
fn a_value_in_another_field_is_refused() {
    let copied = "a sensitive value was copied to a field that may not contain it";
    for (built, field) in [
        (
            "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: PW\n",
            "data.a",
        ),
        (
            "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: x-PW\n",
            "data.a",
        ),
        (
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: PW\n",
            "metadata.name",
        ),
        (
            "apiVersion: v1\nkind: Secret\nmetadata:\n  labels: {a: PW}\n",
            "metadata.labels.a",
        ),
        (
            "apiVersion: v1\nkind: Secret\nstringData:\n  PW: x\n",
            "stringData",
        ),
        (
            "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: BASE64\n",
            "data.a",
        ),
        (
            "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: FIRST\n",
            "data.a",
        ),
    ] {
        let found = result(SOURCE, &|text| {
            let pw = scalar(text, "pw");
            let plain: String = serde_yaml::from_str(pw).unwrap();
            let encoded = crate::outputs::base64_text(&plain);
            built
                .replace("BASE64", &encoded)
                .replace("FIRST", &plain[..1])
                .replace("x-PW", &format!("'x-{}'", plain.replace('\'', "''")))
                .replace("PW", pw)
        })
        .unwrap_err();
        assert_eq!(found.len(), 1, "{built}: {found:?}");
        assert!(
            found[0].starts_with(&format!("sensitive-output {field}"))
                && found[0].ends_with(copied),
            "{built}: {found:?}"
        );
    }
}

/// kustomize's `replacements` copy a text from `stringData` to `data` as it is.
#[test]
fn a_value_that_is_not_base64_is_refused_in_data() {
    let build = |key: &'static str| {
        move |text: &str| {
            let value = scalar(text, key);
            format!("apiVersion: v1\nkind: Secret\ndata:\n  a: {value}\n")
        }
    };
    for key in ["pw", "url"] {
        assert_eq!(
            result(SOURCE, &build(key)).unwrap_err(),
            [
                "secret-data-not-base64 data.a: `data` of a Secret must be base64, but a text with a sensitive value was copied there as it is"
            ],
            "{key}"
        );
    }
    let restored = result(SOURCE, &build("encoded")).unwrap();
    assert_eq!(scalar(&restored, "a"), "aHVudGVyMg==");
}

#[test]
fn a_text_that_was_taken_apart_is_refused() {
    // At a delimiter, where one of the texts has it.
    for delimiter in ['@', ':', '/', ' ', ',', '='] {
        let found = result(SOURCE, &|text| {
            let pw: String = serde_yaml::from_str(scalar(text, "pw")).unwrap();
            let part = pw.split(delimiter).next().unwrap();
            format!("apiVersion: v1\nkind: Secret\nstringData:\n  a: {part:?}\n")
        });
        assert_eq!(
            found.unwrap_err(),
            [
                "sensitive-output stringData.a: a text with a sensitive value was changed after it was rendered"
            ],
            "{delimiter}"
        );
    }
}

#[test]
fn what_depends_on_a_value_is_refused() {
    let depends = "sensitive-output : what is built depends on a sensitive value: the number or the shape of the resources does";
    let secret = "apiVersion: v1\nkind: Secret\n";
    for (if_first, otherwise) in [
        (format!("{secret}---\n{secret}"), secret.to_owned()),
        (format!("{secret}data: {{a: b}}\n"), secret.to_owned()),
        (format!("{secret}data: [a]\n"), format!("{secret}data: a\n")),
    ] {
        let found = result(SOURCE, &|text| {
            if text.contains("SENSITIV") {
                if_first.clone()
            } else {
                otherwise.clone()
            }
        });
        assert_eq!(found.unwrap_err(), [depends]);
    }
}

/// The hashes are those of kustomize 5.8.1 for the data with the values.
#[test]
fn the_hash_in_a_name_is_that_of_the_values() {
    let tree =
        yaml::locate("type: Opaque\nkind: Secret\ndata: {password: aHVudGVyMg==}\n").unwrap();
    let unchanged = crate::collections::OrderedMap::default();
    let name = super::generated_name::with_hash("db", &tree, &unchanged);
    assert_eq!(name, "db-cf85kd65mm");
}

/// kustomize sorts by name, so that the hashes decide which of `db` and `db-creds` is first, and
/// `vars` put a name into a text.
#[test]
fn generated_secrets_may_change_places() {
    let source = "apiVersion: v1\nkind: Secret\nmetadata: {name: '${infra.vpc}'}\nstringData:\n  pw: ${infra.pw}\n";
    let build = |text: &str| {
        let secret: serde_yaml::Value = serde_yaml::from_str(text).unwrap();
        let data = crate::outputs::base64_text(secret["stringData"]["pw"].as_str().unwrap());
        let generated = |base: &str| {
            let body = format!("data: {{pw: {data}}}\nkind: Secret\napiVersion: v1\n");
            let tree = yaml::locate(&body).unwrap();
            let unchanged = crate::collections::OrderedMap::default();
            let name = super::generated_name::with_hash(base, &tree, &unchanged);
            (format!("{body}metadata: {{name: {name}}}\n"), name)
        };
        let ((db, name), (creds, _)) = (generated("db"), generated("db-creds"));
        let pod = format!("kind: Pod\nargs: [--secret={name}, {name}]\n");
        if text.contains("SENSITIV") {
            format!("{db}---\n{creds}---\n{pod}")
        } else {
            format!("{creds}---\n{db}---\n{pod}")
        }
    };
    let restored = result(source, &build).unwrap();
    let (generated, pod) = restored.rsplit_once("---\n").unwrap();
    assert_eq!(
        generated.matches("pw: aHVudGVyMg==").count(),
        2,
        "{restored}"
    );
    assert!(generated.contains("metadata: {name: db-"), "{restored}");
    let name = scalar(generated, "metadata: {name").trim_end_matches('}');
    assert_eq!(pod, format!("kind: Pod\nargs: [--secret={name}, {name}]\n"));
}

/// kustomize writes a text of several lines, and long base64, as a block scalar.
#[test]
fn a_block_scalar_ends_where_the_next_key_begins() {
    let source = "apiVersion: v1
kind: Secret
metadata: {name: db, labels: {vpc: '${infra.vpc}'}}
stringData:
  first: |
    ${infra.pw}
  second: >-
    a ${infra.pw}

  ? third
  : |2
      ${infra.pw}
  last: |
    ${infra.pw}
";
    let restored = result(source, &str::to_owned).unwrap();
    assert_eq!(
        restored,
        "apiVersion: v1
kind: Secret
metadata: {name: db, labels: {vpc: 'vpc-0ab1'}}
stringData:
  first: \"hunter2\\n\"
  second: a hunter2

  ? third
  : \"  hunter2\\n\"
  last: \"hunter2\\n\"
"
    );
    let encoded = |text: &str| {
        let secret: serde_yaml::Value = serde_yaml::from_str(text).unwrap();
        let text = secret["stringData"]["long"].as_str().unwrap();
        let base64 = super::built::wrapped(crate::outputs::base64_text(text));
        let lines: String = base64.lines().map(|line| format!("    {line}\n")).collect();
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: db}}\ndata:\n  long: |\n{lines}  next: eQ==\n"
        )
    };
    let long = "x".repeat(100);
    let source = format!(
        "apiVersion: v1\nkind: Secret\nmetadata: {{name: '${{infra.vpc}}'}}\nstringData:\n  long: {long}${{infra.pw}}\n"
    );
    let restored = result(&source, &encoded).unwrap();
    let expected = format!("stringData: {{long: {long}hunter2}}");
    assert_eq!(restored, encoded(&expected));
}
