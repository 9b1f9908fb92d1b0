//! One table for each editor feature. `‸` marks the offset.

use proptest::prelude::*;

use crate::assist::{HoverKind, complete, definition, hover};
use crate::contract::Application;
use crate::outputs::OutputsDocument;
use crate::report::Origin;

const INFRA: &str = r#"{
  "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"},
  "tags": {"sensitive": false, "type": ["map", "string"], "value": {"team": "core", "cost center": "x"}},
  "subnets": {"sensitive": false, "type": ["list", "string"], "value": ["subnet-a", "subnet-b"]},
  "pools": {"sensitive": false, "type": "dynamic", "value": [{"size": 3}]},
  "zones": {"sensitive": false, "type": "dynamic", "value": [
    {"name": "a", "nets": [{"id": 1}, {"id": 2, "x": 3}], "tag": 1},
    {"name": "b", "nets": [{"id": 3}], "team": 2}
  ]},
  "cluster.name": {"sensitive": false, "type": "string", "value": "blue"},
  "keys": {"sensitive": true, "type": ["list", "string"], "value": ["hunter2"]},
  "db": {"sensitive": true, "type": ["object", {}], "value": {"password": "hunter2"}}
}"#;

fn outputs() -> Vec<OutputsDocument> {
    let bound = |name: &str, content: &str| OutputsDocument {
        name: name.to_owned(),
        content: content.into(),
        ..OutputsDocument::default()
    };
    vec![
        bound("infra", INFRA),
        bound(
            "net-work",
            r#"{"cidr": {"sensitive": false, "type": "string", "value": "10.0.0.0/16"}}"#,
        ),
    ]
}

/// Returns the manifest without the mark, and the offset of the mark.
fn marked(manifest: &str) -> (String, usize) {
    let at = manifest.find('‸').unwrap();
    (manifest.replace('‸', ""), at)
}

/// Returns the labels at the mark, or only their number if there are more than eight.
fn labels(manifest: &str) -> String {
    let (manifest, at) = marked(manifest);
    let completions = complete(manifest.as_bytes(), at, &outputs(), &Application::default());
    let labels: Vec<&str> = completions.iter().map(|one| &one.label[..]).collect();
    match labels.len() {
        0..=8 => labels.join(" "),
        many => format!("{many} of them"),
    }
}

/// Returns the first six labels at the mark.
fn first_labels(manifest: &str) -> String {
    let (manifest, at) = marked(manifest);
    let completions = complete(manifest.as_bytes(), at, &outputs(), &Application::default());
    let labels = completions.iter().take(6).map(|one| &one.label[..]);
    labels.collect::<Vec<_>>().join(" ")
}

/// Returns the manifest after the first completion has been applied.
fn completed(manifest: &str) -> String {
    let (mut manifest, at) = marked(manifest);
    let completions = complete(manifest.as_bytes(), at, &outputs(), &Application::default());
    manifest.replace_range(completions[0].span.range(), &completions[0].insert);
    manifest
}

/// Returns the name at the mark and what it means.
fn hovered(manifest: &str) -> String {
    let (manifest, at) = marked(manifest);
    let Some(found) = hover(manifest.as_bytes(), at, &outputs(), &Application::default()) else {
        return String::new();
    };
    let name = &manifest[found.span.range()];
    let meaning = match found.kind {
        HoverKind::Binding { name, outputs } => format!("{name} has {outputs}"),
        HoverKind::Output {
            path,
            value_type,
            value,
            origin,
            definition,
            ..
        } => {
            let Origin::Outputs(document) = origin else {
                panic!("{origin:?}")
            };
            let definition = &outputs()[document].content[definition.range()];
            let definition = String::from_utf8_lossy(definition);
            format!("{path}, {value_type} {value}, from {definition} of {document}")
        }
        HoverKind::Function {
            signature, summary, ..
        } => format!("{signature}: {summary}"),
    };
    format!("{name} => {meaning}")
}

/// Returns the name at the mark and where it is defined.
fn defined(manifest: &str) -> String {
    let (manifest, at) = marked(manifest);
    let Some(found) = definition(manifest.as_bytes(), at, &outputs(), &Application::default())
    else {
        return String::new();
    };
    let Origin::Outputs(document) = found.origin else {
        panic!("{found:?}")
    };
    let target = &outputs()[document].content[found.target.range()];
    let target = String::from_utf8_lossy(target);
    format!(
        "{} => `{target}` of {document}",
        &manifest[found.span.range()]
    )
}

#[track_caller]
fn check(table: &[(&str, &str)], of: fn(&str) -> String) {
    for (manifest, expected) in table {
        assert_eq!(of(manifest), *expected, "{manifest:?}");
    }
}

/// Returns a manifest that contains an embedded document.
fn in_config_map(document: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\ndata:\n  values.yaml: |\n    {document}\n")
}

const OUTPUTS: &str = "cluster.name db keys pools subnets tags vpc_id zones";

#[test]
fn completes_bindings() {
    check(
        &[
            ("a: ${‸", "infra net-work"),
            ("a: ${ ‸", "infra net-work"),
            ("a: ${inf‸", "infra"),
            ("a: ${i‸nfra.vpc_id}", "infra"),
            ("a: ${WORK‸", "net-work"),
            ("a: ${infra.x | default(‸", "infra net-work omit"),
            ("a: ${infra.x | default(om‸)}", "omit"),
            ("a: ${infra.x | concat(om‸)}", ""),
            ("a: ${infra.x | default(net‸)}", "net-work"),
            ("a: ${HOME‸}", ""),
        ],
        labels,
    );
}

#[test]
fn completes_outputs_and_keys() {
    check(
        &[
            ("a: ${infra.‸", OUTPUTS),
            ("a: ${infra.‸}", OUTPUTS),
            ("a: ${ infra . ‸", OUTPUTS),
            ("a: ${infra[‸", OUTPUTS),
            ("a: ${infra[\"‸", OUTPUTS),
            ("a: ${infra.vp‸", "vpc_id"),
            ("a: ${infra.ID‸", "vpc_id"),
            ("a: ${infra.tags.‸", "team cost center"),
            ("a: ${infra.tags[‸", "team cost center"),
            ("a: ${infra.tags['c‸", "cost center"),
            ("a: ${infra[\"tags\"].tea‸", "team"),
            ("a: ${infra.subnets[‸", "0 1"),
            ("a: ${infra.subnets.‸", "0 1"),
            ("a: ${infra.pools[0].‸", "size"),
            ("a: ${infra.pools.0.‸", "size"),
            ("a: ${infra.x | default(infra.tags.‸", "team cost center"),
            ("a: ${infra.x | concat(infra.subnets, infra.su‸", "subnets"),
        ],
        labels,
    );
}

#[test]
fn completes_nothing_where_no_name_is_expected() {
    check(
        &[
            ("a: ${other.‸", ""),
            ("a: ${infra.vpc_id.‸", ""),
            ("a: ${infra.nothing.‸", ""),
            ("a: ${infra.subnets[\"‸", ""),
            ("a: ${infra.vpc_id‸", "vpc_id"),
            ("a: ${infra.vpc_id ‸", ""),
            ("a: ${infra.vpc_id}‸", ""),
            ("a: ${infra.vpc_id | default(\"‸", ""),
            ("a: ${infra.vpc_id | default(\"${‸", ""),
            ("a: ${infra.vpc_id | at(1‸", ""),
            ("a: $‸{infra.x}", ""),
            ("a: $${infra.‸", ""),
            ("a: $infra.‸", ""),
            ("a: ${infra.x\nb: c‸", ""),
            ("‸", ""),
        ],
        labels,
    );
}

#[test]
fn completes_functions() {
    let all = crate::functions::FUNCTIONS.len();
    check(
        &[
            ("a: ${infra.x | ‸", &format!("{all} of them")),
            ("a: ${infra.x |‸}", &format!("{all} of them")),
            (
                "a: ${infra.x | dec‸",
                "json_decode yaml_decode base64_decode",
            ),
            ("a: ${infra.x | split(\",\") | fir‸", "first"),
            ("a: ${infra.x | default(\"a | b\") | fir‸", "first"),
            ("a: ${infra.x | default(-1.5e+3) | fir‸", "first"),
            ("a: \"${infra.x | default(\\\"a\\\") | fir‸\"", "first"),
            ("a: '${infra.x | default(''a'') | fir‸'", "first"),
            ("a: ${infra.x | default(unquoted) | fir‸", "first"),
            ("a: ${infra.x | at(01) | fir‸", "first"),
            ("a: ${infra.x | each(fir‸", "first"),
            ("a: ${infra.x | each(each(fir‸))}", "first"),
            ("a: \"${infra.x | each(replace(\\\"a\\\", in‸\"", "infra"),
            ("a: ${infra.x | each(nonsens‸", ""),
            ("a: ${infra.x | default(fir‸", ""),
            (
                "a: {{ broken\nb: \"${infra.x | default(\\\"a\\\") | fir‸\"",
                "first",
            ),
            (
                "a: {{ broken\nb: '${infra.x | default(''a'') | fir‸'",
                "first",
            ),
            (
                "a: {{ broken\nb: ['x', ${infra.x | default(\"a\") | fir‸]",
                "first",
            ),
        ],
        labels,
    );
}

#[test]
fn completes_wherever_a_reference_is_read() {
    check(
        &[
            ("a: x-${infra.vp‸-y", "vpc_id"),
            ("a: \"${infra.vp‸\"", "vpc_id"),
            ("a: '${infra.vp‸'", "vpc_id"),
            ("a: [${infra.vp‸, b]", "vpc_id"),
            ("{\"a\": \"${infra.vp‸\"}", "vpc_id"),
            ("${infra.vp‸: x", "vpc_id"),
            ("a: |\n  b\n  # ${infra.vp‸\n", "vpc_id"),
            ("a: >-\n  b ${infra.vp‸\n  c\n", "vpc_id"),
            (
                "a: 1\n---\nb: ${infra.vp‸\n---\nc: ${infra.vpc_id}\n",
                "vpc_id",
            ),
            ("a: {{ broken\nb: ${infra.vp‸", "vpc_id"),
            ("ключ: \"😀 ${infra.vp‸\"", "vpc_id"),
            ("a: ${infra.vpc_id} ${infra.vp‸", "vpc_id"),
            ("a: ${infra.\nb: ${infra.vp‸", "vpc_id"),
            ("a: {{ broken\nb: \"${infra.vp‸\"", "vpc_id"),
            ("a: [${in‸, b]", "infra"),
            ("a: x # landfall: ${infra.vp‸\nb: {{ broken", "vpc_id"),
            (&in_config_map("a: \"${infra.vp‸\""), "vpc_id"),
            (&in_config_map("a: [${inf‸, b]"), "infra"),
            (
                &in_config_map("{{ broken\n    a: \"${infra.vp‸\""),
                "vpc_id",
            ),
        ],
        labels,
    );
}

#[test]
fn completes_in_setter_comments_only() {
    check(
        &[
            ("a: b # ${infra.vp‸", ""),
            ("# ${infra.vp‸\na: b", ""),
            ("a: b # landfall: ${infra.vp‸", "vpc_id"),
            ("a: b #landfall:x-${infra.vp‸\n", "vpc_id"),
            ("a: # landfall: ${infra.su‸\n  - b\n", "subnets"),
            ("a: {{ broken\n# ${infra.vp‸", ""),
            ("a: {{ broken\n# landfall: ${infra.vp‸", "vpc_id"),
        ],
        labels,
    );
}

#[test]
fn completions_replace_the_word_and_close_its_quotes() {
    check(
        &[
            ("a: ${‸", "a: ${infra."),
            ("a: ${i‸nfra.vpc_id}", "a: ${infra.vpc_id}"),
            ("a: ${infra.vp‸}", "a: ${infra.vpc_id}"),
            ("a: ${infra.vp‸x}", "a: ${infra.vpc_id}"),
            ("a: ${infra.clu‸}", "a: ${infra[\"cluster.name\"]}"),
            ("a: \"${infra.clu‸}\"", "a: \"${infra['cluster.name']}\""),
            ("a: '${infra.clu‸}'", "a: '${infra[\"cluster.name\"]}'"),
            ("a: ${infra[clu‸}", "a: ${infra[\"cluster.name\"]}"),
            ("a: ${infra[clu‸]}", "a: ${infra[\"cluster.name\"]}"),
            ("a: ${infra['clu‸']}", "a: ${infra['cluster.name']}"),
            ("a: ${infra['clu‸}", "a: ${infra['cluster.name']}"),
            ("a: '${infra[''clu‸}'", "a: '${infra[''cluster.name'']}'"),
            (
                "a: \"${infra[\\\"clu‸}\"",
                "a: \"${infra[\\\"cluster.name\\\"]}\"",
            ),
            ("a: ${infra.x |   ‸", "a: ${infra.x |   default("),
            (
                &in_config_map("a: \"${infra.clu‸}\""),
                &in_config_map("a: \"${infra['cluster.name']}\""),
            ),
            ("a: ${infra.subnets[‸}", "a: ${infra.subnets[0]}"),
            ("a: ${infra.subnets[‸]}", "a: ${infra.subnets[0]}"),
            ("a: ${infra.subnets.‸}", "a: ${infra.subnets.0}"),
            ("a: ${infra.x | def‸}", "a: ${infra.x | default(}"),
            ("a: ${infra.x | def‸(1)}", "a: ${infra.x | default(1)}"),
            ("a: ${infra.x | tri‸}", "a: ${infra.x | trim}"),
        ],
        completed,
    );
}

#[test]
fn offers_only_functions_that_accept_the_type_most_specific_first() {
    check(
        &[
            ("a: ${infra.subnets | ‸", "join first last at sort unique"),
            ("a: ${infra.subnets | lower‸", ""),
            ("a: ${infra.subnets | def‸", "default"),
            ("a: ${infra.subnets | first | low‸", "lower"),
            ("a: ${infra.subnets | each(low‸", "lower"),
            ("a: ${infra.subnets | each(jo‸", ""),
            ("a: ${infra.subnets | each(length) | first | jo‸", ""),
            ("a: ${infra.subnets | each(split(\"-\")) | each(jo‸", "join"),
            (
                "a: ${infra.subnets | each(split(\"-\")) | each(each(low‸",
                "lower",
            ),
            ("a: ${infra.subnets | first | jo‸", ""),
            (
                "a: ${infra.pools | first | ‸",
                "get keys values pairs each length",
            ),
            (
                "a: ${infra.pools[0].size | ‸",
                "number string lower upper title trim",
            ),
            ("a: ${infra.tags | ‸", "get keys values pairs each length"),
            (
                "a: ${infra.tags | keys | ‸",
                "join first last at sort unique",
            ),
            ("a: ${infra.vpc_id | jo‸", ""),
            (
                "a: ${infra.vpc_id | split(\"-\") | ‸",
                "join first last at sort unique",
            ),
            (
                "a: ${infra.vpc_id | length | ‸",
                "number string lower upper title trim",
            ),
            // An unknown value may have any type.
            ("a: ${infra.none | jo‸", "join"),
            (
                "a: ${infra.tags | get(\"team\") | ‸",
                "default required nonsensitive string number bool",
            ),
            ("a: ${infra.vpc_id | other | jo‸", "join"),
            (
                "a: x # landfall: ${infra.subnets | ‸",
                "join first last at sort unique",
            ),
            (
                &in_config_map("a: \"${infra.subnets | ‸\""),
                "join first last at sort unique",
            ),
        ],
        first_labels,
    );
}

#[test]
fn details_give_types_and_signatures() {
    let details = |manifest: &str| {
        let (manifest, at) = marked(manifest);
        complete(manifest.as_bytes(), at, &outputs(), &Application::default())
            .into_iter()
            .map(|one| format!("{}: {}", one.label, one.detail))
            .collect::<Vec<_>>()
            .join("; ")
    };
    assert_eq!(details("${‸"), "infra: 8 outputs; net-work: 1 output");
    assert_eq!(
        details("${infra.‸"),
        "cluster.name: string; db: object, sensitive; keys: list, sensitive; pools: list; subnets: list; tags: object; vpc_id: string; zones: list"
    );
    assert_eq!(
        details("${infra.tags.t‸"),
        "team: string; cost center: string"
    );
    assert_eq!(
        details("${infra.x | join‸"),
        "join: join(separator): the items of the list as one string"
    );
}

#[test]
fn completes_nothing_inside_sensitive_outputs() {
    check(
        &[
            ("a: ${infra.db.‸", ""),
            ("a: ${infra.db[‸", ""),
            ("a: ${infra.db.p‸", ""),
            ("a: ${infra.db.password | jo‸", "join"),
            ("a: ${infra.keys | first | jo‸", "join"),
        ],
        labels,
    );
}

#[test]
fn completes_what_every_item_of_a_list_has() {
    check(
        &[
            ("a: ${infra.zones[*].‸", "name nets"),
            ("a: ${infra.zones[*].ne‸}", "nets"),
            ("a: ${infra.zones[‸", "0 1 *"),
            ("a: ${infra.zones.‸", "0 1 *"),
            ("a: ${infra.zones[*].nets[‸", "0 *"),
            ("a: ${infra.zones[*].nets[*].‸", "id"),
            ("a: ${infra.zones[*].nets[0].‸", "id"),
            ("a: ${infra.x | default(infra.zones[*].na‸", "name"),
            ("a: ${infra.subnets[*].‸", ""),
            ("a: ${infra.tags[*].‸", ""),
            ("a: ${infra.db[*].‸", ""),
            ("a: ${infra.keys[‸", ""),
            ("a: ${infra[*].‸", ""),
        ],
        labels,
    );
    check(
        &[
            ("a: ${infra.zones[*].na‸}", "a: ${infra.zones[*].name}"),
            ("a: \"${infra.zones[*‸]}\"", "a: \"${infra.zones[*]}\""),
        ],
        completed,
    );
    check(
        &[
            (
                "a: ${infra.zones[*].name | ‸",
                "join first last at sort unique",
            ),
            ("a: ${infra.zones[*].name | first | low‸", "lower"),
            ("a: ${infra.zones[*].nets | first | low‸", ""),
        ],
        first_labels,
    );
    // The dot before it becomes a bracket.
    let (mut manifest, at) = marked("a: ${infra.zones.‸}");
    let completions = complete(manifest.as_bytes(), at, &outputs(), &Application::default());
    let splat = completions.iter().find(|one| one.label == "*").unwrap();
    manifest.replace_range(splat.span.range(), &splat.insert);
    assert_eq!(manifest, "a: ${infra.zones[*]}");
}

#[test]
fn takes_any_bytes_and_any_offset() {
    assert_eq!(
        complete(b"a: \xFF ${", 6, &outputs(), &Application::default()),
        []
    );
    let manifest = "a: ${infra.tags[\"é😀\"] | default(\"é\") | é ${";
    // The span of every completion is valid in the manifest.
    for at in 0..manifest.len() + 3 {
        for one in complete(manifest.as_bytes(), at, &outputs(), &Application::default()) {
            assert!(manifest.get(one.span.range()).is_some(), "{at}: {one:?}");
        }
    }
}

#[test]
fn hover_shows_what_a_name_means() {
    check(
        &[
            ("a: ${in‸fra.vpc_id}", "infra => infra has 8"),
            (
                "a: ${infra.vp‸c_id | upper}",
                "vpc_id => infra.vpc_id, string vpc-0ab1, from \"vpc_id\" of 0",
            ),
            (
                "a: ${infra.‸tags.team}",
                "tags => infra.tags, object {\"team\":\"core\",\"cost center\":\"x\"}, from \"tags\" of 0",
            ),
            (
                "a: ${infra.tags.te‸am}",
                "team => infra.tags.team, string core, from \"tags\" of 0",
            ),
            (
                "a: \"${infra.tags['cost‸ center']}\"",
                "cost center => infra.tags[\"cost center\"], string x, from \"tags\" of 0",
            ),
            (
                "a: \"${infra[\\\"tags‸\\\"].team}\"",
                "tags => infra.tags, object {\"team\":\"core\",\"cost center\":\"x\"}, from \"tags\" of 0",
            ),
            (
                "a: ${infra.subnets[‸1]}",
                "1 => infra.subnets[1], string subnet-b, from \"subnets\" of 0",
            ),
            (
                "a: ${infra.zones[*].na‸me}",
                "name => infra.zones[*].name, list [\"a\",\"b\"], from \"zones\" of 0",
            ),
            (
                "a: ${infra.zones[*].nets[‸*].id}",
                "* => infra.zones[*].nets[*], list [[{\"id\":1},{\"id\":2,\"x\":3}],[{\"id\":3}]], from \"zones\" of 0",
            ),
            (
                "a: ${infra.subnets | jo‸in(\",\")}",
                "join => join(separator): the items of the list as one string",
            ),
            (
                "a: ${infra.x | default(net-work.ci‸dr)}",
                "cidr => net-work.cidr, string 10.0.0.0/16, from \"cidr\" of 1",
            ),
            (
                "a: x # landfall: ${infra.vpc‸_id}",
                "vpc_id => infra.vpc_id, string vpc-0ab1, from \"vpc_id\" of 0",
            ),
            (
                &in_config_map("a: \"${infra.vpc‸_id}\""),
                "vpc_id => infra.vpc_id, string vpc-0ab1, from \"vpc_id\" of 0",
            ),
            (
                "a: {{ broken\nb: \"${infra.vpc‸_id}\"",
                "vpc_id => infra.vpc_id, string vpc-0ab1, from \"vpc_id\" of 0",
            ),
            (
                "a: ${infra.vpc‸_id | at(01)}",
                "vpc_id => infra.vpc_id, string vpc-0ab1, from \"vpc_id\" of 0",
            ),
            ("${infra.tags[\"‸${infra.\\é", ""),
        ],
        hovered,
    );
}

#[test]
fn hover_shows_nothing_without_a_name() {
    check(
        &[
            ("a: $‸{infra.vpc_id}", ""),
            ("a: ${infra.vpc_id ‸| upper}", ""),
            ("a: ${infra.vpc_id}‸", ""),
            ("a: ${infra.vpc_id | ‸", ""),
            ("a: ${infra.no‸ne}", ""),
            ("a: ${infra.tags.no‸ne}", ""),
            ("a: ${infra.zones[*].t‸ag}", ""),
            ("a: ${infra.vpc_id | no‸ne}", ""),
            ("a: ${infra.x | default(\"infra.vp‸c_id\")}", ""),
            ("a: ${oth‸er.vpc_id}", ""),
            ("a: $${infra.vp‸c_id}", ""),
            ("a: x # ${infra.vp‸c_id}", ""),
            ("a: b‸", ""),
        ],
        hovered,
    );
}

#[test]
fn hover_conceals_sensitive_values() {
    let of_db = r#"=> infra.db, object (sensitive), from "db" of 0"#;
    check(
        &[
            ("a: ${infra.d‸b}", &format!("db {of_db}")),
            ("a: ${infra.db.pass‸word}", &format!("password {of_db}")),
            ("a: ${infra.db[*].pass‸word}", &format!("password {of_db}")),
            // Reported as if it existed.
            ("a: ${infra.db.no‸ne}", &format!("none {of_db}")),
        ],
        hovered,
    );
}

#[test]
fn names_are_defined_in_the_outputs_documents() {
    check(
        &[
            ("a: ${infra.vp‸c_id}", "vpc_id => `\"vpc_id\"` of 0"),
            ("a: ${infra.tags.te‸am}", "team => `\"tags\"` of 0"),
            ("a: ${infra.zones[*].na‸me}", "name => `\"zones\"` of 0"),
            ("a: ${infra.db.pass‸word}", "password => `\"db\"` of 0"),
            ("a: ${net-w‸ork.cidr}", "net-work => `` of 1"),
            (
                "a: ${infra.x | default(net-work.ci‸dr)}",
                "cidr => `\"cidr\"` of 1",
            ),
            (
                &in_config_map("a: \"${infra.vpc‸_id}\""),
                "vpc_id => `\"vpc_id\"` of 0",
            ),
            ("a: ${infra.no‸ne}", ""),
            ("a: ${oth‸er.vpc_id}", ""),
            ("a: ${infra.vpc_id | up‸per}", ""),
        ],
        defined,
    );
}

/// Fragments of manifests with references.
const FRAGMENTS: &[&str] = &[
    "${infra.",
    "${infra.tags[",
    "${infra.subnets | ",
    "${infra.db",
    "${infra.zones[*].",
    "[*]",
    "${",
    "$${",
    "}",
    "infra",
    "net-work",
    "other",
    ".",
    "[",
    "]",
    "(",
    ")",
    ",",
    "|",
    " ",
    "\n",
    "\n  ",
    "\r\n",
    "'",
    "''",
    "\"",
    "\\\"",
    "\\",
    "\\x41",
    "a: ",
    "- ",
    "{",
    "? ",
    "# ",
    " # landfall: ",
    "vpc_id",
    "tags",
    "cost center",
    "subnets",
    "db",
    "password",
    "0",
    "-1",
    "01",
    "join",
    "first",
    "default",
    "true",
    "é",
    "😀",
    "|\n    ",
    ">-\n    ",
    "---\n",
    "&a ",
    "*a",
    "!!str ",
    "\u{feff}",
    "apiVersion: v1\nkind: ConfigMap\ndata:\n  values.yaml: |\n    ",
    "values.json: '",
    "\t",
    "\u{85}",
];

proptest! {
    #![proptest_config(landfall_test_support::property::cases(1_500))]

    #[test]
    fn answers_for_any_manifest_are_in_bounds_and_reveal_no_sensitive_values(
        fragments in prop::collection::vec(prop::sample::select(FRAGMENTS), 1..24),
        at in any::<prop::sample::Index>(),
    ) {
        let manifest = fragments.concat();
        let outputs = outputs();
        let at = at.index(manifest.len() + 2);
        let offset = manifest.floor_char_boundary(at);
        for one in complete(manifest.as_bytes(), at, &outputs, &Application::default()) {
            let span = one.span.range();
            prop_assert!(manifest.get(span.clone()).is_some(), "{manifest:?} {at} {one:?}");
            prop_assert!(
                span.start <= offset && offset <= span.end,
                "{manifest:?} {at} {one:?}"
            );
            let shown = format!("{one:?}");
            prop_assert!(!shown.contains("hunter2"));
        }
        if let Some(found) = hover(manifest.as_bytes(), at, &outputs, &Application::default()) {
            let name = manifest.get(found.span.range());
            prop_assert!(name.is_some_and(|name| !name.is_empty()), "{manifest:?} {at}");
            let shown = format!("{found:?}");
            prop_assert!(!shown.contains("hunter2"));
        }
        if let Some(found) = definition(manifest.as_bytes(), at, &outputs, &Application::default()) {
            prop_assert!(manifest.get(found.span.range()).is_some(), "{manifest:?} {at}");
        }
    }
}
