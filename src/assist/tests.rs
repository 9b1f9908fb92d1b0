//! One table for each kind of place. `‸` is where somebody writes.

use crate::assist::complete;
use crate::outputs::OutputsDocument;

const INFRA: &str = r#"{
  "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"},
  "tags": {"sensitive": false, "type": ["map", "string"], "value": {"team": "core", "cost center": "x"}},
  "subnets": {"sensitive": false, "type": ["list", "string"], "value": ["subnet-a", "subnet-b"]},
  "pools": {"sensitive": false, "type": "dynamic", "value": [{"size": 3}]},
  "cluster.name": {"sensitive": false, "type": "string", "value": "blue"},
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

/// The labels at the mark; of more than eight only how many there are.
fn labels(manifest: &str) -> String {
    let at = manifest.find('‸').unwrap();
    let completions = complete(manifest.replace('‸', "").as_bytes(), at, &outputs());
    let labels: Vec<&str> = completions.iter().map(|one| &one.label[..]).collect();
    match labels.len() {
        0..=8 => labels.join(" "),
        many => format!("{many} of them"),
    }
}

/// What stands there when the first completion has been taken.
fn taken(manifest: &str) -> String {
    let at = manifest.find('‸').unwrap();
    let manifest = manifest.replace('‸', "");
    let completions = complete(manifest.as_bytes(), at, &outputs());
    let mut taken = manifest.clone();
    taken.replace_range(completions[0].span.range(), &completions[0].insert);
    taken
}

#[track_caller]
fn check(table: &[(&str, &str)], of: fn(&str) -> String) {
    for (manifest, expected) in table {
        assert_eq!(of(manifest), *expected, "{manifest:?}");
    }
}

const OUTPUTS: &str = "cluster.name db pools subnets tags vpc_id";

#[test]
fn bindings() {
    check(
        &[
            ("a: ${‸", "infra net-work"),
            ("a: ${ ‸", "infra net-work"),
            ("a: ${inf‸", "infra"),
            ("a: ${i‸nfra.vpc_id}", "infra"),
            ("a: ${WORK‸", "net-work"),
            ("a: ${infra.x | default(‸", "infra net-work"),
            ("a: ${infra.x | default(net‸)}", "net-work"),
            ("a: ${HOME‸}", ""),
        ],
        labels,
    );
}

#[test]
fn outputs_and_keys() {
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
fn what_leads_to_nothing() {
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
fn functions() {
    let all = crate::functions::catalogue().count();
    check(
        &[
            ("a: ${infra.x | ‸", &format!("{all} of them")),
            ("a: ${infra.x |‸}", &format!("{all} of them")),
            ("a: ${infra.x | dec‸", "base64_decode"),
            ("a: ${infra.x | split(\",\") | fir‸", "first"),
            ("a: ${infra.x | default(\"a | b\") | fir‸", "first"),
            ("a: ${infra.x | default(-1.5e+3) | fir‸", "first"),
            ("a: \"${infra.x | default(\\\"a\\\") | fir‸\"", "first"),
            ("a: '${infra.x | default(''a'') | fir‸'", "first"),
        ],
        labels,
    );
}

#[test]
fn every_place_of_a_document_where_a_reference_may_stand() {
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
        ],
        labels,
    );
}

#[test]
fn comments_only_when_they_set_something() {
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
fn what_is_written() {
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
            ("a: ${infra.subnets[‸}", "a: ${infra.subnets[0]}"),
            ("a: ${infra.subnets[‸]}", "a: ${infra.subnets[0]}"),
            ("a: ${infra.subnets.‸}", "a: ${infra.subnets.0}"),
            ("a: ${infra.x | def‸}", "a: ${infra.x | default(}"),
            ("a: ${infra.x | def‸(1)}", "a: ${infra.x | default(1)}"),
            ("a: ${infra.x | tri‸}", "a: ${infra.x | trim}"),
        ],
        taken,
    );
}

#[test]
fn what_is_told() {
    let details = |manifest: &str| {
        let at = manifest.find('‸').unwrap();
        complete(manifest.replace('‸', "").as_bytes(), at, &outputs())
            .into_iter()
            .map(|one| format!("{}: {}", one.label, one.detail))
            .collect::<Vec<_>>()
            .join("; ")
    };
    assert_eq!(details("${‸"), "infra: 6 outputs; net-work: 1 output");
    assert_eq!(
        details("${infra.‸"),
        "cluster.name: string; db: object, sensitive; pools: list; subnets: list; tags: object; vpc_id: string"
    );
    assert_eq!(
        details("${infra.tags.t‸"),
        "team: string; cost center: string"
    );
    assert_eq!(
        details("${infra.x | join‸"),
        "join: join(separator): the items of the list as one text"
    );
}

#[test]
fn nothing_of_a_sensitive_value_is_told() {
    check(
        &[
            ("a: ${infra.db.‸", ""),
            ("a: ${infra.db[‸", ""),
            ("a: ${infra.db.p‸", ""),
        ],
        labels,
    );
}

#[test]
fn any_bytes_and_any_place() {
    assert_eq!(complete(b"a: \xFF ${", 6, &outputs()), []);
    let manifest = "a: ${infra.tags[\"é😀\"] | default(\"é\") | é ${";
    // Whatever is offered there, its span is one of the manifest's.
    for at in 0..manifest.len() + 3 {
        for one in complete(manifest.as_bytes(), at, &outputs()) {
            assert!(manifest.get(one.span.range()).is_some(), "{at}: {one:?}");
        }
    }
}
