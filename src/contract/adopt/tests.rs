use super::*;
use crate::contract::File;
use crate::outputs::OutputsDocument;

const OUTPUTS: &str = r#"{
  "vpc_id": {"value": "vpc-0ab1c2d3"},
  "region": {"value": "eu-west-1"},
  "account": {"value": 123456789012},
  "account_text": {"value": "210987654321"},
  "db": {"value": {"host": "db.internal.example.com", "port": 5432}},
  "subnets": {"value": ["subnet-0aa", "subnet-0bb"]},
  "word": {"value": "production"},
  "flag": {"value": true},
  "one": {"value": "shared-value"},
  "two": {"value": "shared-value"},
  "password": {"sensitive": true, "value": "hunter2-hunter2"},
  "spaces": {"value": "a  b: c d"}
}"#;

fn adopt(manifest: &str) -> (String, Adoption) {
    let request = Request {
        outputs: vec![OutputsDocument {
            name: "infra".into(),
            content: OUTPUTS.into(),
            ..OutputsDocument::default()
        }],
        ..Request::default()
    };
    let sources = |content: &[u8]| {
        Sources::new(vec![File {
            path: "a.yaml".into(),
            content: content.to_vec(),
        }])
    };
    let adoption = sources(manifest.as_bytes()).adopt(&request).unwrap();
    let adopted = yaml::splice(manifest.as_bytes(), &adoption.edits[0]).unwrap();
    let render = |content: &[u8]| {
        let answer = sources(content).generate(&request).unwrap();
        match &answer.sources[0] {
            crate::contract::Content::Edited(edits) => yaml::splice(content, edits).unwrap(),
            _ => content.to_vec(),
        }
    };
    assert_eq!(
        String::from_utf8_lossy(&render(&adopted)),
        String::from_utf8_lossy(&render(manifest.as_bytes())),
    );
    (String::from_utf8(adopted).unwrap(), adoption)
}

/// Checks the adopted text of a manifest.
#[track_caller]
fn check(manifest: &str, expected: &str) {
    assert_eq!(adopt(manifest).0, expected);
}

/// Checks that nothing is adopted, and what is reported.
#[track_caller]
fn check_kept(manifest: &str, expected: &[(AdoptionOutcome, &[&str])]) {
    let (adopted, adoption) = adopt(manifest);
    assert_eq!(adopted, manifest);
    let values: Vec<(AdoptionOutcome, Vec<&str>)> = adoption
        .values
        .iter()
        .map(|value| {
            (
                value.outcome,
                value.outputs.iter().map(String::as_str).collect(),
            )
        })
        .collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|(outcome, outputs)| (*outcome, outputs.to_vec()))
        .collect();
    assert_eq!(values, expected, "{manifest}");
}

#[test]
fn adopts_whole_scalars_and_keeps_quotes_and_comments() {
    check(
        "a: vpc-0ab1c2d3 # vpc-0ab1c2d3\n",
        "a: ${infra.vpc_id} # vpc-0ab1c2d3\n",
    );
    check(
        "a: 'vpc-0ab1c2d3'\nb: \"eu-west-1\"\n",
        "a: '${infra.vpc_id}'\nb: \"${infra.region}\"\n",
    );
    check("- eu-west-1\r\n- b\r\n", "- ${infra.region}\r\n- b\r\n");
    check(
        "host: db.internal.example.com\n",
        "host: ${infra.db.host}\n",
    );
    check("a: 'a  b: c d'\n", "a: '${infra.spaces}'\n");
}

#[test]
fn adopts_parts_at_token_boundaries() {
    check(
        "arn: arn:aws:iam::123456789012:role/x\nurl: https://db.internal.example.com:5432/x\n",
        "arn: arn:aws:iam::${infra.account}:role/x\nurl: https://${infra.db.host}:5432/x\n",
    );
    check(
        "a: |\n  --vpc=vpc-0ab1c2d3\n  x\n",
        "a: |\n  --vpc=${infra.vpc_id}\n  x\n",
    );
    check_kept("a: eu-west-1a\nb: x1234567890123\nc: xeu-west-1\n", &[]);
}

#[test]
fn adopts_values_in_json() {
    check(
        "{\"kind\": \"X\", \"vpc\": \"vpc-0ab1c2d3\", \"account\": 123456789012}\n",
        "{\"kind\": \"X\", \"vpc\": \"${infra.vpc_id}\", \"account\": 123456789012}\n",
    );
}

#[test]
fn adopts_numbers_only_where_they_stay_numbers_or_strings() {
    check("a: 123456789012\n", "a: ${infra.account}\n");
    check("a: \"123456789012\"\n", "a: \"${infra.account}\"\n");
    check("a: \"210987654321\"\n", "a: \"${infra.account_text}\"\n");
    check_kept(
        "a: 210987654321\n",
        &[(AdoptionOutcome::NotAdoptable, &["infra.account_text"])],
    );
}

#[test]
fn leaves_texts_that_are_not_distinct() {
    check_kept("a: production\nb: true\nc: 5432\nd: subnet-0aa\n", &[]);
}

#[test]
fn leaves_identities_keys_anchors_and_encrypted_documents() {
    check_kept(
        "apiVersion: eu-west-1\nkind: eu-west-1\nmetadata: {name: eu-west-1, namespace: eu-west-1}\neu-west-1: x\n",
        &[],
    );
    check_kept("a: &a eu-west-1\nb: *a\n", &[]);
    check_kept("a: !!str eu-west-1\n", &[]);
    check_kept("a: eu-west-1\nsops: {}\n", &[]);
    check_kept("a: eu-west-1 # landfall: ${infra.region}\n", &[]);
}

#[test]
fn reports_ambiguous_values() {
    check_kept(
        "a: shared-value\n",
        &[(AdoptionOutcome::Ambiguous, &["infra.one", "infra.two"])],
    );
}

#[test]
fn reports_sensitive_values_without_their_bytes() {
    let manifest = "kind: ConfigMap\ndata: {a: hunter2-hunter2, b: eu-west-1}\n";
    let (adopted, adoption) = adopt(manifest);
    assert_eq!(adopted, manifest.replace("eu-west-1", "${infra.region}"));
    let [sensitive, region] = &adoption.values[..] else {
        panic!("{adoption:?}")
    };
    assert_eq!(sensitive.outcome, AdoptionOutcome::Sensitive);
    assert_eq!(sensitive.span, Span::point(16));
    assert!(sensitive.conceal && region.conceal);
}

#[test]
fn adopts_sensitive_values_in_the_string_data_of_secrets() {
    check(
        "apiVersion: v1\nkind: Secret\nstringData: {a: 'hunter2-hunter2'}\n",
        "apiVersion: v1\nkind: Secret\nstringData: {a: '${infra.password}'}\n",
    );
}

#[test]
fn leaves_what_no_render_changes() {
    check_kept(
        "metadata: {annotations: {landfall.dev/substitute: disabled}}\na: eu-west-1\n",
        &[(AdoptionOutcome::NotAdoptable, &["infra.region"])],
    );
    check(
        "a: eu-west-1\n---\na: ${infra.region}-eu-west-1\n",
        "a: ${infra.region}\n---\na: ${infra.region}-${infra.region}\n",
    );
    check(
        "a: [eu-west-1, 'eu-west-1']\n",
        "a: [${infra.region}, '${infra.region}']\n",
    );
}
