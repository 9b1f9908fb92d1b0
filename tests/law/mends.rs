//! A mend mends: the change that a diagnostic offers makes the manifest render,
//! however names and scalars are quoted.

use landfall::{Rule, splice};
use serde_json::json;

use crate::render::{outputs, render, request};
use crate::tree::{self, Tree};

/// Applies the first mend of the only error of `template`, and renders again:
/// every scalar must be `expected`.
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
    let found = render(template.as_bytes(), &request)
        .err()
        .unwrap_or_default();
    let [error] = found.as_slice() else {
        return Err(format!("{template:?}: {} errors", found.len()));
    };
    let mend = error
        .mends
        .first()
        .ok_or(format!("{template:?}: {}: no mend", error.message))?;
    let mended = String::from_utf8(splice(template.as_bytes(), &mend.edits).unwrap()).unwrap();
    if error.rule != rule {
        return Err(format!("{template:?}: {}", error.message));
    }
    let rendered = render(mended.as_bytes(), &request).map_err(|found| {
        let why: Vec<_> = found.into_iter().map(|error| error.message).collect();
        format!("{template:?} became {mended:?}: {}", why.join("; "))
    })?;
    let output = String::from_utf8(rendered.output).unwrap();
    match tree::read(&output)?.as_slice() {
        [Tree::Map(entries)] if entries.iter().all(|(_, value)| value == expected) => Ok(()),
        other => Err(format!("{template:?} became {mended:?}: {other:?}")),
    }
}

#[test]
fn a_name_that_is_nearly_right_is_written_as_it_must_stand_there() {
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
