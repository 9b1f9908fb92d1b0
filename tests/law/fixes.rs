//! Fixes: the change that a diagnostic offers makes the manifest render, however names
//! and scalars are quoted.

use landfall::{Diagnostic, Fix, Request, Rule, splice};
use serde_json::json;

use crate::render::{outputs, render, request};
use crate::tree::{self, Tree};

/// Applies the first fix of the only error of `template`, and renders again: every scalar
/// must be `expected`.
fn check(template: &str, rule: Rule, expected: &Tree) -> Result<(), String> {
    let text = json!("value");
    let list = json!(["value"]);
    let object = json!({"key": "value", "other.key": "value", "q\"k": "value"});
    let document = outputs(
        [
            ("vpc_id", &text),
            ("cluster.name", &text),
            ("it's", &text),
            ("say \"hi\"", &text),
            ("with space", &text),
            ("list", &list),
            ("object", &object),
        ]
        .map(|(name, value)| (name.to_owned(), value)),
    );
    let request = request(document);
    let is_list = matches!(expected, Tree::List(_));
    let wanted = |fix: &Fix| !is_list || fix.title == "remove the quotes";
    let Fixed {
        error,
        source,
        output,
    } = fixed(template, &request, wanted)?;
    if error.rule != rule {
        return Err(format!("{template:?}: {}", error.message));
    }
    match tree::read(&output)?.as_slice() {
        [Tree::Map(entries)] if entries.iter().all(|(_, value)| value == expected) => Ok(()),
        other => Err(format!("{template:?} became {source:?}: {other:?}")),
    }
}

/// A template whose only error has been fixed.
struct Fixed {
    error: Diagnostic,
    source: String,
    /// The rendered output of the fixed template.
    output: String,
}

/// Applies the first wanted fix of the only error of `template`, and renders again.
fn fixed(
    template: &str,
    request: &Request,
    wanted: impl Fn(&Fix) -> bool,
) -> Result<Fixed, String> {
    let found = render(template.as_bytes(), request)
        .err()
        .unwrap_or_default();
    let [error] = found.as_slice() else {
        return Err(format!("{template:?}: {} errors", found.len()));
    };
    let fix = error
        .fixes
        .iter()
        .find(|fix| wanted(fix))
        .ok_or(format!("{template:?}: {}: no fix", error.message))?;
    let source = String::from_utf8(splice(template.as_bytes(), &fix.edits).unwrap()).unwrap();
    let rendered = render(source.as_bytes(), request).map_err(|found| {
        let why: Vec<_> = found.into_iter().map(|error| error.message).collect();
        format!("{template:?} became {source:?}: {}", why.join("; "))
    })?;
    Ok(Fixed {
        error: error.clone(),
        source,
        output: String::from_utf8(rendered.output).unwrap(),
    })
}

#[test]
fn suggests_a_name_as_it_must_be_written() {
    let value = Tree::Text("value".into());
    let mut broken = Vec::new();
    for reference in [
        "${infra.vpc_ib}",
        "${infra.cluster_name}",
        "${infra[\"cluster_name\"]}",
        "${infra['cluster_name']}",
        "${infra.its}",
        "${infra[\"its\"]}",
        "${infra['its']}",
        "${infra.with_space}",
        "${infra['say hi']}",
        "${infra[\"say hi\"]}",
        "${infra.object.keg}",
        "${infra.object.other_key}",
        "${infra.object.q_k}",
        "${infra.object['q_k']}",
        "${infra.nothing | default(infra.vpc_ib)}",
        "${infra.nothing | default(infra.cluster_name)}",
        "${infra.nothing | defualt('value')}",
    ] {
        for template in [
            format!("a: {reference}\n"),
            format!("a: \"{}\"\n", reference.replace('"', "\\\"")),
            format!("a: '{}'\n", reference.replace('\'', "''")),
            format!("a: |-\n  {reference}\n"),
            ["{a: ", reference, "}\n"].concat(),
        ] {
            let rule = match reference {
                _ if reference.contains("object") => Rule::UnknownKey,
                _ if reference.contains("defualt") => Rule::UnknownFunction,
                _ => Rule::UnknownOutput,
            };
            broken.extend(check(&template, rule, &value).err());
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn quotes_around_a_list_are_dropped_with_their_escapes() {
    let list = Tree::List(vec![Tree::Text("value".into())]);
    let mut broken = Vec::new();
    for template in [
        "a: \"${infra.list}\"\n",
        "a: '${infra.list}'\n",
        "a: \"${infra[\\\"list\\\"]}\"\n",
        "a: \"${infra['list']}\"\n",
        "a: '${infra[''list'']}'\n",
        "a: '${infra[\"list\"]}'\n",
        "{a: \"${infra.list}\"}\n",
        "{\"a\":'${infra.list | default(\": # ]\")}'}\n",
        "a: \"${infra.\n  list}\"\n",
        "a: \"${infra.\\\n  list}\"\n",
    ] {
        broken.extend(check(template, Rule::TypeMismatch, &list).err());
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Applies the first fix of the only error and returns the rendered output.
fn output_of_fix(template: &str, list: &serde_json::Value) -> Result<String, String> {
    let document = outputs([("list".to_owned(), list)]);
    fixed(template, &request(document), |_| true).map(|fixed| fixed.output)
}

#[test]
fn a_list_in_a_text_is_joined_with_commas() {
    const ANNOTATED: &str =
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n  annotations:\n    a: ";
    let list = json!(["subnet-1", "subnet-2", 3]);
    let mut broken = Vec::new();
    for (before, reference, after) in [
        ("", "a: \"${infra.list}\"\n", "a: \"subnet-1,subnet-2,3\"\n"),
        ("", "a: '${infra.list}'\n", "a: 'subnet-1,subnet-2,3'\n"),
        ("", "a: x ${infra.list} y\n", "a: x subnet-1,subnet-2,3 y\n"),
        (
            "",
            "a: \"x ${infra['list']}\"\n",
            "a: \"x subnet-1,subnet-2,3\"\n",
        ),
        (
            "",
            "a: \"x ${infra[\\\"list\\\"]}\"\n",
            "a: \"x subnet-1,subnet-2,3\"\n",
        ),
        (
            "",
            "a: 'x ${infra[''list'']} y'\n",
            "a: 'x subnet-1,subnet-2,3 y'\n",
        ),
        (
            "",
            "a: |-\n  x\n  ${infra.list}\n",
            "a: |-\n  x\n  subnet-1,subnet-2,3\n",
        ),
        (
            "",
            "{\"a\": \"${infra.list}\"}\n",
            "{\"a\": \"subnet-1,subnet-2,3\"}\n",
        ),
        (
            "",
            "a: old # landfall: x-${infra.list}\n",
            "a: x-subnet-1,subnet-2,3 # landfall: x-${infra.list | join(\",\")}\n",
        ),
        (ANNOTATED, "${infra.list}\n", "subnet-1,subnet-2,3\n"),
        (
            ANNOTATED,
            "\"${infra.list}\"\n",
            "\"subnet-1,subnet-2,3\"\n",
        ),
        (ANNOTATED, "'${infra.list}'\n", "'subnet-1,subnet-2,3'\n"),
        (
            ANNOTATED,
            "old # landfall: ${infra.list}\n",
            "subnet-1,subnet-2,3 # landfall: ${infra.list | join(\",\")}\n",
        ),
    ] {
        match output_of_fix(&format!("{before}{reference}"), &list) {
            Ok(output) if output == format!("{before}{after}") => {}
            Ok(output) => broken.push(format!("{reference:?} became {output:?}")),
            Err(error) => broken.push(error),
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
