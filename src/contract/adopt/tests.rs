use super::*;
use crate::contract::File;
use crate::outputs::OutputsDocument;

const OUTPUTS: &str = r##"{
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
  "spaces": {"value": "a  b: c d"},
  "tokens": {"sensitive": true, "value": ["token-1234567"]},
  "users": {"sensitive": true, "value": {"kex9-key": "user-1234567"}},
  "key": {"sensitive": true, "value": "-----BEGIN KEY-----\nABCD/FGH1\n-----END KEY-----\n"},
  "spaced": {"sensitive": true, "value": " leading-space1"},
  "decimal": {"sensitive": true, "value": 98765.4321012},
  "negative": {"sensitive": true, "value": -987654321012},
  "pin": {"sensitive": true, "value": "z1!"},
  "quoted": {"sensitive": true, "value": "it's \"this\" <secret>"},
  "url": {"sensitive": true, "value": "postgres://x:p@db.internal.example.com:5432"},
  "host_and_key": {"value": "host.example.com?key=token-1234567"},
  "tags": {"value": {"a b": "value-of-tag-1", "it's": "value-of-tag-2", "'\"": "value-of-tag-3", "c\\d": "value-of-tag-4"}},
  "shared_secret": {"sensitive": true, "value": "both-same-value"},
  "shared_public": {"value": "both-same-value"}
}"##;

fn adopt(manifest: &str) -> (String, Adoption) {
    adopt_from(OUTPUTS, manifest)
}

fn adopt_from(outputs: &str, manifest: &str) -> (String, Adoption) {
    let request = Request {
        outputs: vec![OutputsDocument {
            name: "infra".into(),
            content: outputs.into(),
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

/// Keys are not replaced, so what names them must not be.
#[test]
fn leaves_the_paths_of_fields() {
    check_kept(
        "source: {fieldPath: data.eu-west-1}\ntargets: [{fieldPaths: [data.eu-west-1]}]\n",
        &[],
    );
    check_kept(
        "- {op: remove, path: /data/eu-west-1}\n- {op: move, from: /data/eu-west-1, path: /data/a}\n",
        &[],
    );
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
    let manifest = "kind: ConfigMap\ndata: {a: hunter2-hunter2, b: 'eu-west-1'}\n";
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
        "a: [eu-west-1, '${infra.region}']\n",
    );
}

/// Returns the line from 1, the outcome and the outputs of each value, and whether all are
/// concealed.
fn reports(manifest: &str) -> (Vec<(usize, AdoptionOutcome, String)>, bool) {
    let (_, adoption) = adopt(manifest);
    let values = adoption.values.iter().map(|value| {
        let line = manifest[..value.span.start].matches('\n').count() + 1;
        (line, value.outcome, value.outputs.join(" "))
    });
    let conceal = adoption.values.iter().all(|value| value.conceal);
    (values.collect(), conceal)
}

#[test]
fn conceals_documents_that_contain_any_sensitive_text() {
    for text in [
        "eu-west-1 # hunter2-hunter2",
        "{hunter2-hunter2: 'eu-west-1'}",
        "eu-west-1 xhunter2-hunter2x",
        "'eu-west-1 token-1234567'",
        "eu-west-1 user-1234567",
        "\"eu-west-1 \\n  ABCD/FGH1\\n\"",
        "\"eu-west-1 ABCD\\/FGH1\"",
        "eu-west-1 leading-space1",
        "eu-west-1 98765.4321012",
        "eu-west-1 -987654321012",
        "eu-west-1 z1!",
        "[&a hunter2-hunter2, 'eu-west-1']",
        "[!!str hunter2-hunter2, 'eu-west-1']",
        "\"eu-west-1 hunter2\\x2dhunter2\"",
        "eu-west-1 aHVudGVyMi1odW50ZXIy",
        "eu-west-1 aHVudGVyMi1odW50ZXIyCg==",
        "eu-west-1 dXNlcjpodW50ZXIyLWh1bnRlcjI6eA==",
        "eu-west-1 dTpodW50ZXIyLWh1bnRlcjI",
        "eu-west-1 68756e746572322d68756e74657232",
        "'eu-west-1 postgres://u:hunter2%2Dhunter2@db'",
        "'eu-west-1 it%27s%20%22this%22%20%3csecret%3E'",
        "['eu-west-1', 'it''s \"this\" <secret>']",
        "'eu-west-1 {\"a\": \"it''s \\\"this\\\" \\u003csecret\\u003e\"}'",
        "|\n  eu-west-1\n  b: 'it''s \"this\" <secret>'",
        "|\n  x: eu-west-1\n  b: >\n    it's \"this\"\n    <secret>",
        "eu-west-1 # Secret",
        "|\n  kind: \"S\\x65cret\"\n  x: eu-west-1",
        "'eu-west-1 {\"kind\":\"Secret\"}'",
        "eu-west-1\nkind: SecretList",
        "eu-west-1\nkind: ${kind}",
        "eu-west-1\nkind: ${infra.region}",
        "eu-west-1\nkind: '{{ .kind }}'",
        "eu-west-1\nstringData: {}",
        "|\n  kind: ${kind}\n  x: eu-west-1",
    ] {
        let (values, conceal) = reports(&format!("a: {text}\n"));
        assert!(conceal && !values.is_empty(), "{text}: {values:?}");
    }
    let (values, conceal) = reports("a: eu-west-1 # SealedSecret, Secrets\n");
    assert!(!conceal && values.len() == 1);
}

/// Each is searched for in a time that does not grow with the product of the lengths.
#[test]
fn long_values_are_found_in_text_that_repeats_them() {
    let long = "ab-".repeat(20_000);
    let public = format!("{}c", "id-".repeat(20_000));
    let outputs = format!(
        r#"{{"key": {{"sensitive": true, "value": "{long}"}}, "id": {{"value": "{public}"}}}}"#
    );
    for (text, is_found) in [
        (format!("x {long}{long}"), true),
        (long.repeat(10), true),
        (format!("x {}", &long[3..]), false),
        (format!("x {}", public.replace('c', "id-")), false),
    ] {
        let (adopted, adoption) = adopt_from(&outputs, &format!("a: {text}\n"));
        assert_eq!(adopted, format!("a: {text}\n"));
        let found: Vec<_> = adoption.values.iter().map(|found| found.outcome).collect();
        let expected = vec![AdoptionOutcome::Sensitive; usize::from(is_found)];
        assert_eq!(found, expected);
        assert!(adoption.values.iter().all(|found| found.conceal));
    }
    let (adopted, _) = adopt_from(&outputs, &format!("a: {public}\n"));
    assert_eq!(adopted, "a: ${infra.id}\n");
}

#[test]
fn text_that_embeds_itself_is_searched_once() {
    // A plain scalar with a quote decodes to a text that is the same plain scalar.
    check(
        "a: it's one\nb: vpc-0ab1c2d3\n",
        "a: it's one\nb: ${infra.vpc_id}\n",
    );
    check("a: it's\n  two\n", "a: it's\n  two\n");
    check("a: \"'it''s'\"\n", "a: \"'it''s'\"\n");
}

#[test]
fn reports_sensitive_values_that_are_not_whole_scalars() {
    use AdoptionOutcome::{Adopted, Sensitive};
    let password = |line| (line, Sensitive, "infra.password".to_owned());
    let manifest = "# hunter2-hunter2 hunter2-hunter2\nmetadata: {name: hunter2-hunter2}\nhunter2-hunter2: &a hunter2-hunter2\nb: hunter2-hunter2 ${infra.region}\nc: !!str hunter2-hunter2\n";
    let expected: Vec<_> = (1..=5).map(password).collect();
    assert_eq!(reports(manifest), (expected, true));
    let manifest =
        "apiVersion: v1\nkind: Secret\nstringData:\n  a: hunter2-hunter2 # hunter2-hunter2\n";
    let (values, _) = reports(manifest);
    assert_eq!(
        values,
        [password(4), (4, Adopted, "infra.password".to_owned())]
    );
    let tokens = (1, Sensitive, "infra.tokens".to_owned());
    assert_eq!(reports("a: x token-1234567\n"), (vec![tokens], true));
    let key = (1, Sensitive, "infra.key".to_owned());
    let manifest = "a: |\n  -----BEGIN KEY-----\n  ABCD/FGH1\n  -----END KEY-----\n";
    let (values, _) = reports(manifest);
    assert_eq!(values, [(2, key.1, key.2)]);
}

#[test]
fn sensitive_values_win_over_others_that_overlap() {
    let url = [(AdoptionOutcome::Sensitive, &["infra.url"][..])];
    check_kept("a: postgres://x:p@db.internal.example.com:5432\n", &url);
    check_kept("a: x postgres://x:p@db.internal.example.com:5432/y\n", &url);
    check_kept(
        "a: host.example.com?key=token-1234567\n",
        &[(AdoptionOutcome::Sensitive, &["infra.tokens"])],
    );
}

#[test]
fn names_only_the_output_of_a_member_of_a_sensitive_object() {
    let users = (4, AdoptionOutcome::Adopted, "infra.users".to_owned());
    let manifest = "apiVersion: v1\nkind: Secret\nstringData:\n  a: user-1234567\n";
    assert_eq!(reports(manifest), (vec![users], true));
    check(
        manifest,
        "apiVersion: v1\nkind: Secret\nstringData:\n  a: ${infra.users.kex9-key}\n",
    );
    check_kept(
        "a: user-1234567\n",
        &[(AdoptionOutcome::Sensitive, &["infra.users"])],
    );
}

#[test]
fn names_only_sensitive_outputs_as_sensitive() {
    check_kept(
        "a: both-same-value\n",
        &[(AdoptionOutcome::Sensitive, &["infra.shared_secret"])],
    );
}

#[test]
fn keeps_yaml_and_json_valid() {
    let unquoted = [(AdoptionOutcome::Unquoted, &["infra.region"][..])];
    check_kept("a: [eu-west-1]\n", &unquoted);
    check_kept("a: {b: eu-west-1}\n", &unquoted);
    check_kept("a: [--x=eu-west-1, b]\n", &unquoted);
    check(
        "[{\"a\": \"eu-west-1\", \"b\": 123456789012}]\n",
        "[{\"a\": \"${infra.region}\", \"b\": 123456789012}]\n",
    );
    let kept = |output: &'static [&'static str]| [(AdoptionOutcome::NotAdoptable, output)];
    check(
        "a: \"value-of-tag-1\"\nb: 'value-of-tag-1'\nc: \"value-of-tag-2 x\"\n",
        "a: \"${infra.tags['a b']}\"\nb: '${infra.tags[\"a b\"]}'\nc: \"value-of-tag-2 x\"\n",
    );
    check_kept("a: value-of-tag-3\n", &kept(&["infra.tags[\"'\\\"\"]"]));
    check_kept("a: value-of-tag-4\n", &kept(&["infra.tags[\"c\\\\d\"]"]));
}

#[test]
fn treats_embedded_documents_like_others() {
    check(
        "a.yaml: |\n  apiVersion: vpc-0ab1c2d3\n  vpc-0ab1c2d3: x\n  metadata: {name: 'vpc-0ab1c2d3'}\n  a: &a vpc-0ab1c2d3\n  b: !!str vpc-0ab1c2d3\n  c: [vpc-0ab1c2d3, 'vpc-0ab1c2d3']\n  d: vpc-0ab1c2d3 # vpc-0ab1c2d3\n",
        "a.yaml: |\n  apiVersion: vpc-0ab1c2d3\n  vpc-0ab1c2d3: x\n  metadata: {name: 'vpc-0ab1c2d3'}\n  a: &a vpc-0ab1c2d3\n  b: !!str vpc-0ab1c2d3\n  c: [vpc-0ab1c2d3, '${infra.vpc_id}']\n  d: ${infra.vpc_id} # vpc-0ab1c2d3\n",
    );
    check(
        "a: '{\"vpc-0ab1c2d3\": \"vpc-0ab1c2d3\"}'\n",
        "a: '{\"vpc-0ab1c2d3\": \"${infra.vpc_id}\"}'\n",
    );
    check_kept(
        "a: '{\"a\": \"value-of-tag-1\"}'\nb: '{\"account\": 123456789012}'\n",
        &[
            (AdoptionOutcome::NotAdoptable, &["infra.tags[\"a b\"]"]),
            (AdoptionOutcome::Unquoted, &["infra.account"]),
        ],
    );
    check(
        "a: |\n  {\"a\": \"value-of-tag-1\"}\n",
        "a: |\n  {\"a\": \"${infra.tags['a b']}\"}\n",
    );
    check_kept("a: |\n  kind: Secret\n  data:\n    p: vpc-0ab1c2d3\n", &[]);
}

#[test]
fn leaves_files_of_other_tools() {
    let request = Request {
        outputs: vec![OutputsDocument {
            name: "infra".into(),
            content: OUTPUTS.into(),
            ..OutputsDocument::default()
        }],
        ..Request::default()
    };
    for name in ["kustomization.yaml", "chart/Chart.yaml", "a/helmfile.yaml"] {
        let sources = Sources::new(vec![File {
            path: name.into(),
            content: b"a: eu-west-1\n".to_vec(),
        }]);
        let adoption = sources.adopt(&request).unwrap();
        assert!(adoption.edits[0].is_empty());
        assert_eq!(adoption.values[0].outcome, AdoptionOutcome::OtherTool);
    }
}

/// Checks the items of a list, with those of these outputs.
#[track_caller]
fn check_lists(items: &str, expected: &str) {
    let outputs = r#"{"subnets": {"value": ["subnet-0aa", "subnet-0bb"]}, "more": {"value": ["subnet-0aa", "subnet-0bb", "subnet-0cc"]}, "domains": {"value": ["a.example.com", "b.example.com"]}, "first": {"value": ["x.example.com", "y.example.com"]}, "second": {"value": ["x.example.com", "y.example.com"]}, "short": {"value": ["a", "b"]}, "one": {"value": ["one.example.com"]}}"#;
    let manifest = |items: &str| {
        let items = items.replace('\n', "\n  ");
        format!("apiVersion: example.com/v1\nkind: Widget\nspec:\n  list:\n  {items}\n")
    };
    let (adopted, _) = adopt_from(outputs, &manifest(items));
    assert_eq!(adopted, manifest(expected));
}

#[test]
fn the_items_of_a_list_are_spread() {
    check_lists("- subnet-0aa\n- subnet-0bb", "- ${infra.subnets | spread}");
    check_lists(
        "# all\n- own\n- subnet-0aa\n- subnet-0bb\n- subnet-0bb # own",
        "# all\n- own\n- ${infra.subnets | spread}\n- subnet-0bb # own",
    );
    check_lists(
        "- subnet-0aa\n- subnet-0bb\n- subnet-0cc\n- subnet-0aa\n- subnet-0bb",
        "- ${infra.more | spread}\n- ${infra.subnets | spread}",
    );
    check_lists(
        "- --source=ingress\n- --domain-filter=a.example.com\n- --domain-filter=b.example.com\n- --policy=sync",
        "- --source=ingress\n- ${infra.domains | each(prefix(\"--domain-filter=\")) | spread}\n- --policy=sync",
    );
    check_lists(
        "- id: subnet-0aa\n- id: subnet-0bb\n- name: a\n  id: subnet-0aa",
        "- ${infra.subnets | each(object(\"id\")) | spread}\n- name: a\n  id: subnet-0aa",
    );
}

/// One that would be written in another way says nothing about another.
#[test]
fn each_list_is_verified_on_its_own() {
    check_lists(
        "- subnet-0aa\n- subnet-0bb\n- id:  subnet-0aa\n- id:  subnet-0bb",
        "- ${infra.subnets | spread}\n- id:  subnet-0aa\n- id:  subnet-0bb",
    );
}

#[test]
fn other_lists_stay() {
    for items in [
        // Not all items, in another order, or too common.
        "- subnet-0aa",
        "- subnet-0bb\n- subnet-0aa",
        "- a\n- b",
        "- one.example.com",
        // Several outputs have it.
        "- x.example.com\n- y.example.com",
        // They would be written in another way.
        "- \"subnet-0aa\"\n- \"subnet-0bb\"",
        "- subnet-0aa # one\n- subnet-0bb",
        "- subnet-0aa\n- subnet-0bb # two",
        "- subnet-0aa\n# two\n- subnet-0bb",
        "- {id: subnet-0aa}\n- {id: subnet-0bb}",
        "- id: subnet-0aa\n- key: subnet-0bb",
        "- id: x-subnet-0aa\n- id: x-subnet-0bb",
        "- --a=subnet-0aa\n- --b=subnet-0bb",
        "- &a subnet-0aa\n- subnet-0bb",
        "- subnet-0aa\n- subnet-0bb${infra.one[0]}",
        "- xsubnet-0aa\n- xsubnet-0bb",
    ] {
        check_lists(items, items);
    }
}
