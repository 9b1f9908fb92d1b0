//! What came from where.

use crate::run::{Place, config_map};

#[test]
fn a_line_for_every_substitution() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    place.write("a.yaml", config_map("vpc: \"ключ ${infra.vpc_id}\"\n  n: ${infra.replicas}\n  d: ${infra.zone | default('none')}"));
    let text = place.run(&["explain", "a.yaml", "-b", "infra.json"]).text();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| {
            line.split("   ")
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
                .collect()
        })
        .collect();
    assert_eq!(
        rows[0],
        ["PLACE", "FIELD", "OUTPUT", "TYPE", "VALUE", "FROM"]
    );
    assert_eq!(
        rows[1],
        [
            "a.yaml:6:14",
            "ConfigMap/web data.vpc",
            "infra.vpc_id",
            "string",
            "vpc-0ab1",
            "infra.json:2"
        ]
    );
    assert_eq!(
        rows[2],
        [
            "a.yaml:7:6",
            "ConfigMap/web data.n",
            "infra.replicas",
            "number",
            "3",
            "infra.json:3"
        ]
    );
    assert_eq!(
        rows[3],
        [
            "a.yaml:8:6",
            "ConfigMap/web data.d",
            "infra.zone",
            "string",
            "none",
            "(default)"
        ]
    );
    assert_eq!(rows.len(), 4);
}

#[test]
fn a_sensitive_value_never_shows() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    place.write("s.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData:\n  password: ${infra.password}\n");
    let text = place.run(&["explain", "s.yaml", "-b", "infra.json"]).text();
    assert!(
        text.contains("infra.password") && text.contains("(sensitive)"),
        "{text}"
    );
    assert!(!text.contains("hunter2"), "{text}");
}

#[test]
fn errors_come_instead() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    place
        .run_with_stdin(
            &["explain", "-", "-b", "infra.json"],
            "a: ${infra.nothing}\n",
        )
        .input_error(&["unknown-output"]);
}
