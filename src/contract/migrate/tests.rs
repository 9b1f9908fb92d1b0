use super::*;
use crate::config::Config;
use crate::contract::{Configuration, File};
use crate::outputs::OutputsDocument;
use yaml::splice;

fn outputs(name: &str, values: &str) -> OutputsDocument {
    OutputsDocument {
        name: name.to_owned(),
        content: values.as_bytes().to_vec(),
        format: Some("json".to_owned()),
        ..OutputsDocument::default()
    }
}

fn request() -> Request {
    Request {
        outputs: vec![
            outputs(
                "infra",
                r#"{"domain": "example.com", "vpc-id": "vpc-0ab1", "port": 8080, "text": "8080", "list": ["a"], "in_text": "[a, b]", "empty": "", "image": "nginx", "tag": "1.8.0", "base64": "YQ=="}"#,
            ),
            outputs("team", r#"{"name": "web", "tag": "1.9.0"}"#),
        ],
        ..Request::default()
    }
}

fn migrated_with(request: &Request, manifest: &str, from: &str) -> (String, Vec<String>) {
    let sources = Sources::new(vec![File {
        path: "a.yaml".to_owned(),
        content: manifest.as_bytes().to_vec(),
    }]);
    let migration = sources.migrate(request, from).unwrap();
    let edits = migration.changes[0]
        .iter()
        .map(|change| change.edit.clone());
    let output = splice(manifest.as_bytes(), &edits.collect::<Vec<_>>()).unwrap();
    let left = migration.left.iter().map(|left| left.message.clone());
    (String::from_utf8(output).unwrap(), left.collect())
}

/// Migrates one line after another.
fn check(from: &str, lines: &[(&str, &str)]) {
    for (line, expected) in lines {
        let (output, left) = migrated_with(&request(), &format!("{line}\n"), from);
        assert_eq!(output, format!("{expected}\n"));
        assert_eq!(left, [""; 0], "{line}");
    }
}

fn check_left(from: &str, lines: &[(&str, &str)]) {
    for (line, why) in lines {
        let (output, left) = migrated_with(&request(), &format!("{line}\n"), from);
        assert_eq!(output, format!("{line}\n"));
        let left: Vec<_> = left
            .iter()
            .map(|message| message.split_once(" is not migrated: ").unwrap().1)
            .collect();
        assert_eq!(left, [*why], "{line}");
    }
}

#[test]
fn variables_name_their_bindings() {
    check(
        "flux",
        &[
            ("a: ${domain}", "a: ${infra.domain}"),
            (
                "a: x-${vpc_id}-${name}",
                "a: x-${infra.vpc-id}-${team.name}",
            ),
            ("a: \"${tag}\"", "a: \"${team.tag}\""),
            ("${domain}/x: y", "${infra.domain}/x: y"),
            (
                "a: |\n  ${domain} ${name}",
                "a: |\n  ${infra.domain} ${team.name}",
            ),
            ("a: b # ${domain}", "a: b # ${domain}"),
        ],
    );
}

/// Flux's tools drop the quotes; here they would make a string of the number.
#[test]
fn quotes_go_where_only_a_number_is_allowed() {
    let deployment = |replicas: &str, annotation: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: a, annotations: {{a: {annotation}}}}}\nspec: {{replicas: {replicas}}} # {replicas}"
        )
    };
    let migrated = [
        ("\"${port}\"", "${infra.port}"),
        ("'${text}'", "${infra.text}"),
        ("\"${port:=3}\"", "${infra.port | default(\"3\")}"),
    ];
    for (replicas, expected) in migrated {
        let (output, left) =
            migrated_with(&request(), &deployment(replicas, "\"${port}\""), "flux");
        let expected = deployment(expected, "\"${infra.port}\"");
        let comment = expected.rsplit_once(" # ").unwrap().0;
        assert_eq!(output, format!("{comment} # {replicas}"));
        assert_eq!(left, [""; 0], "{replicas}");
    }
}

#[test]
fn operators_become_functions() {
    check(
        "flux",
        &[
            ("a: ${domain:=x}", "a: ${infra.domain | default(\"x\")}"),
            ("a: x${domain:-}", "a: x${infra.domain | default(\"\")}"),
            (
                "a: \"${domain:=it's}\"",
                "a: \"${infra.domain | default(\\\"it's\\\")}\"",
            ),
            (
                "a: \"${domain:=x}\"",
                "a: \"${infra.domain | default('x')}\"",
            ),
            ("a: '${domain:=x}'", "a: '${infra.domain | default(\"x\")}'"),
            ("a: ${port:-90}", "a: ${infra.port | default(90)}"),
            ("a: \"${port:-90}\"", "a: \"${infra.port | default('90')}\""),
            (
                "a: ${domain:=${name}}",
                "a: ${infra.domain | default(team.name)}",
            ),
            (
                "a: ${domain:=${name:=${tag:=x}}}",
                "a: ${infra.domain | default(team.name) | default(team.tag) | default(\"x\")}",
            ),
            ("a: ${domain^^}", "a: ${infra.domain | upper}"),
            ("a: ${domain,,}", "a: ${infra.domain | lower}"),
            (
                "a: ${domain//./-}",
                "a: ${infra.domain | replace(\".\", \"-\")}",
            ),
            (
                "a: ${domain#example.}",
                "a: ${infra.domain | trim_prefix(\"example.\")}",
            ),
            (
                "a: ${domain%.com}",
                "a: ${infra.domain | trim_suffix(\".com\")}",
            ),
            ("a: ${domain:0:7}", "a: ${infra.domain | substring(0, 7)}"),
            ("a: x${#domain}", "a: x${infra.domain | length}"),
        ],
    );
}

#[test]
fn dollars_are_what_they_mean() {
    check(
        "flux",
        &[
            ("a: $$x $${HOME}", "a: $x ${HOME}"),
            (
                "a: $${infra.x} $$$${infra.x}",
                "a: $${infra.x} $$${infra.x}",
            ),
            ("a: $$(A) $x", "a: $(A) $x"),
            ("a: ${domain} $$", "a: ${infra.domain} $"),
        ],
    );
}

#[test]
fn what_landfall_would_read_is_escaped() {
    let disabled = "metadata:\n  labels: {kustomize.toolkit.fluxcd.io/substitute: disabled}\nkind: A\napiVersion: v1\n";
    check(
        "flux",
        &[(
            &format!("{disabled}a: ${{domain}} ${{infra.x}} $${{infra.x}}"),
            &format!("{disabled}a: ${{domain}} $${{infra.x}} $$${{infra.x}}"),
        )],
    );
    check(
        "kpt-set",
        &[
            ("a: ${infra.x}", "a: $${infra.x}"),
            (
                "a: \"$${infra.x} ${domain}\"",
                "a: \"$$${infra.x} ${domain}\"",
            ),
            (
                "a: b # landfall: ${infra.domain}",
                "a: b # landfall: $${infra.domain}",
            ),
            ("a: b # ${infra.domain}", "a: b # ${infra.domain}"),
        ],
    );
}

#[test]
fn setters_keep_the_parts_that_nothing_binds() {
    check(
        "kpt-set",
        &[
            (
                "a: nginx # kpt-set: ${image}",
                "a: nginx # landfall: ${infra.image}",
            ),
            (
                "a: x/nginx:1.7.1 # kpt-set: ${registry}/${image}:${tag}",
                "a: x/nginx:1.7.1 # landfall: x/${infra.image}:${team.tag}",
            ),
            (
                "a: [x] # kpt-set: ${list}",
                "a: [x] # landfall: ${infra.list}",
            ),
            (
                "a: # kpt-set: ${list}\n- x",
                "a: # landfall: ${infra.list}\n- x",
            ),
            (
                "a: 80 # kpt-set: ${text}",
                "a: 80 # landfall: ${infra.text | number}",
            ),
            ("a: b # kpt-set: ${text}", "a: b # landfall: ${infra.text}"),
        ],
    );
}

#[test]
fn values_of_secrets_stay_encoded() {
    let head = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata:\n  ";
    check(
        "flux",
        &[(
            &format!("{head}a: ${{base64}}"),
            &format!("{head}a: ${{infra.base64 | verbatim}}"),
        )],
    );
    check(
        "kpt-set",
        &[(
            &format!("{head}a: YQ== # kpt-set: ${{base64}}"),
            &format!("{head}a: YQ== # landfall: ${{infra.base64 | verbatim}}"),
        )],
    );
}

#[test]
fn lists_what_has_no_equivalent() {
    check_left(
        "flux",
        &[
            ("a: ${domian}", "no bound document has an output `domian`"),
            (
                "a: ${unbound:=x}",
                "no bound document has an output `unbound`",
            ),
            (
                "a: ${domain^}",
                "landfall has no function for `^` with these arguments",
            ),
            (
                "a: ${domain/e/}",
                "landfall has no function for `/` with these arguments",
            ),
            (
                "a: ${domain%.*}",
                "landfall has no function for `%` with these arguments",
            ),
            (
                "a: ${domain:=x${name}}",
                "its fallback is more than one value",
            ),
            (
                "a: ${domain:=${name^^}}",
                "its fallback is more than one value",
            ),
            (
                "a: x$$${domain}",
                "a `$` before a reference escapes it in landfall",
            ),
        ],
    );
    check_left(
        "kpt-set",
        &[
            (
                "a: x # kpt-set: ${y}",
                "nothing in this setter comment is bound",
            ),
            (
                "a: [x] # kpt-set: ${in_text}",
                "`in_text` is a string, which landfall does not read as a list",
            ),
        ],
    );
}

#[test]
fn the_binding_is_no_longer_in_the_dialect() {
    let content = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  dialect: flux # old\n  substitutions:\n  - value: ${domain}\n    targets: [{select: {kind: A}, fieldPaths: [x]}]\n";
    let request = Request {
        application: Configuration {
            binding: Some(Config {
                path: "landfall.yaml".to_owned(),
                content: content.as_bytes().to_vec(),
            }),
            ..Configuration::default()
        }
        .into(),
        ..request()
    };
    let manifest = "apiVersion: v1\nkind: A\nmetadata: {name: a}\nx: y\na: ${domain}\n";
    let sources = Sources::new(vec![File {
        path: "a.yaml".to_owned(),
        content: manifest.as_bytes().to_vec(),
    }]);
    let migration = sources.migrate(&request, "flux").unwrap();
    let edited = splice(content.as_bytes(), &migration.binding).unwrap();
    let expected = content.replace("dialect: flux", "dialect: landfall");
    assert_eq!(String::from_utf8(edited).unwrap(), expected);
    assert_eq!(migration.changes[0].len(), 1);
    let left: Vec<_> = migration.left.iter().map(|left| &left.message).collect();
    assert_eq!(
        left,
        ["`${domain}` is not migrated: a field binding is written in the dialect"]
    );
}

#[test]
fn shows_no_text_of_a_secret() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  a: ${nowhere/hunter2/x} ${nowhere}\n";
    let sources = Sources::new(vec![File {
        path: "a.yaml".into(),
        content: secret.into(),
    }]);
    let migration = sources.migrate(&request(), "flux").unwrap();
    let left: Vec<_> = migration.left.iter().collect();
    assert_eq!(left.len(), 2);
    assert!(left[0].message.starts_with("`${…}` is not migrated"));
    assert!(left[1].message.starts_with("`${nowhere}` is not migrated"));
    assert_eq!(left[0].labels[0].span.range().len(), 0);
}

/// A setter comment that nothing answers may have replaced a sensitive output before: only its
/// own line is concealed.
#[test]
fn conceals_only_the_lines_of_sensitive_setters() {
    let manifest = "apiVersion: v1\nkind: X\nmetadata: {name: a}\na: x # kpt-set: ${image}\nb: x-y # kpt-set: ${passwords}-${domain}\nc: hunter2 # kpt-set: ${gone}\ne: x # kpt-set: ${domain}\nd: hunter2-y # kpt-set: ${password_old}-${tag}\n";
    let content = br#"{"password": {"sensitive": true, "value": "x7"}}"#;
    let mut request = request();
    request.outputs.push(OutputsDocument {
        name: "secrets".to_owned(),
        content: content.to_vec(),
        ..OutputsDocument::default()
    });
    let sources = Sources::new(vec![File {
        path: "a.yaml".into(),
        content: manifest.into(),
    }]);
    let migration = sources.migrate(&request, "kpt-set").unwrap();
    let changes = migration.changes[0].iter();
    let shown = changes.filter(|change| !change.conceal);
    assert_eq!(shown.count(), 2);
    let left: Vec<_> = migration.left.iter().map(|left| &left.message).collect();
    assert_eq!(
        left,
        ["`# kpt-set: ${gone}` is not migrated: nothing in this setter comment is bound"]
    );
    let setters = |comment: &str| {
        let (config, _) = request.application.effective();
        let (bindings, _) = Bindings::read(&request.outputs, &config.declarations);
        SensitiveSetters::new(&bindings).are_in(&format!("# landfall: {comment}"))
    };
    for (comment, is_public) in [
        ("${infra.domain | default(secrets.password)}", false),
        ("${infra.domain | default(password)}", false),
        (
            "${infra.domain | default(\"a\", secrets[\"password\"])}",
            false,
        ),
        ("${infra.domain | default(gone.nothing)}", false),
        ("${infra.domain | default(\"x\") | lower}", true),
        ("${infra.domain | replace(\"a\", team.name)}/24", true),
        ("${infra.domain | default(\"10.0.0.1\")}", true),
        ("${domain:=x}", true),
        ("${domain:=${password}}", false),
    ] {
        assert_eq!(setters(comment), is_public, "{comment}");
    }
}

#[test]
fn conceals_what_is_not_rendered_beside_the_values_of_sensitive_outputs() {
    let mut infra = outputs(
        "infra",
        r#"{"token": {"value": "s3cr3t-token", "sensitive": true}}"#,
    );
    infra.format = None;
    let request = Request {
        outputs: vec![infra],
        ..Request::default()
    };
    for (text, is_concealed) in [
        ("a: [--token=s3cr3t-token, \"${nosuch\"]\n", true),
        ("a: s3cr3t-token\nb: ${nosuch", true),
        ("a: s3cr3t-token\n---\nb: ${nosuch\n", false),
    ] {
        let sources = Sources::new(vec![File {
            path: "a.yaml".to_owned(),
            content: text.into(),
        }]);
        let migration = sources.migrate(&request, "flux").unwrap();
        let labels = migration.left.iter().flat_map(|found| &found.labels);
        let mut in_manifest = labels.filter(|label| label.origin == Origin::Manifest(0));
        let is_left = in_manifest.clone().next().is_some();
        let is_shown_as_expected = in_manifest.all(|label| label.conceal == is_concealed);
        assert!(
            is_left && is_shown_as_expected,
            "{text}: {:?}",
            migration.left
        );
    }
}

#[test]
fn conceals_errors_of_the_result_beside_the_values_of_sensitive_outputs() {
    let mut infra = outputs(
        "infra",
        r#"{"token": {"value": "s3cr3t-token", "sensitive": true}, "vpc": {"value": "v"}}"#,
    );
    infra.format = None;
    let request = Request {
        outputs: vec![infra],
        ..Request::default()
    };
    for text in [
        "a: [s3cr3t-token, ${infra.vpc | nofn}]\n",
        "a: [s3cr3t-token, ${infra.vpcs}]\n",
        "a: [--token=s3cr3t-token, \"${infra.vpc}\"",
        "a: s3cr3t-token ${infra.vpc}: x\n",
    ] {
        let sources = Sources::new(vec![File {
            path: "a.yaml".to_owned(),
            content: text.into(),
        }]);
        let found = match sources.migrate(&request, "kpt-set") {
            Ok(migration) => migration.left,
            Err(found) => found.iter().cloned().collect(),
        };
        let labels = found.iter().flat_map(|found| &found.labels);
        let mut in_manifest = labels.filter(|label| label.origin == Origin::Manifest(0));
        assert!(in_manifest.clone().next().is_some(), "{text}");
        let is_concealed =
            in_manifest.all(|label| label.conceal && label.span.start == label.span.end);
        let has_fixes = found.iter().any(|found| !found.fixes.is_empty());
        assert!(is_concealed && !has_fixes, "{text}: {found:?}");
    }
}
