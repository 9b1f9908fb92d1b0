//! `check -o …`: the machine-readable formats.

use serde_json::{Value, json};

use crate::run::{Run, TestFolder, config_map};

/// A manifest with an error that has a fix, an error about a sensitive output, and a
/// warning. Has non-ASCII characters, CRLF line ends and a byte order mark.
const APP: &str = "\u{feff}apiVersion: v1\r\nkind: ConfigMap\r\nmetadata:\r\n  name: web\r\ndata:\r\n  \"ключ😀\": ${infra.vpc_di}\r\n  password: ${infra.password}\r\n  near: ${other.vpc_id}\r\n";

fn check(folder: &TestFolder, format: &str, paths: &[&str]) -> Run {
    let mut arguments = vec!["check", "-o", format, "-b", "infra.json"];
    arguments.extend(paths);
    folder.run(&arguments)
}

/// Returns the standard output of a run that found errors and wrote nothing to standard
/// error.
#[track_caller]
fn report(run: Run) -> String {
    let text = String::from_utf8(run.stdout).unwrap();
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
    text
}

#[track_caller]
fn json_report(run: Run) -> Value {
    serde_json::from_str(&report(run)).unwrap()
}

fn app() -> TestFolder {
    let folder = TestFolder::with_infra();
    folder.write("app/a b.yaml", APP);
    folder.write("app/fine.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder
}

fn rules(findings: &Value, member: &str) -> Vec<String> {
    let findings = findings.as_array().unwrap();
    let rules = findings.iter().map(|found| found[member].as_str().unwrap());
    rules.map(str::to_owned).collect()
}

#[test]
fn json_has_everything() {
    let folder = app();
    let document = json_report(check(&folder, "json", &["app"]));
    assert_eq!(document["apiVersion"], "landfall.dev/diagnostics/v1alpha1");
    assert_eq!(
        document["counts"],
        json!({"manifests": 2, "errors": 2, "warnings": 1, "notes": 0})
    );
    let diagnostics = &document["diagnostics"];
    let mut found = rules(diagnostics, "rule");
    found.sort();
    assert_eq!(
        found,
        ["sensitive-output", "unbound-reference", "unknown-output"]
    );
    let unknown = diagnostics
        .as_array()
        .unwrap()
        .iter()
        .find(|found| found["rule"] == "unknown-output")
        .unwrap();
    let start = APP.find("vpc_di").unwrap();
    let location = json!({"path": "app/a b.yaml", "line": 6, "column": 20, "endLine": 6,
        "endColumn": 26, "start": start, "end": start + 6});
    let mut label = location.clone();
    label["origin"] = "manifest".into();
    label["message"] = "no such output".into();
    assert_eq!(unknown["labels"][0], label);
    assert_eq!(unknown["labels"][1]["origin"], "outputs");
    assert_eq!(unknown["labels"][1]["path"], "infra.json");
    assert_eq!(unknown["labels"][1]["line"], 2);
    let mut edit = location;
    edit["text"] = "vpc_id".into();
    assert_eq!(
        unknown["fixes"],
        json!([{"title": "replace with `vpc_id`", "edits": [edit]}])
    );
    assert_eq!(
        unknown["resource"],
        json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "web", "namespace": ""})
    );
    assert_eq!(unknown["severity"], "error");
    assert_eq!(unknown["help"], "did you mean `vpc_id`?");
}

#[test]
fn a_run_without_findings() {
    let folder = app();
    let files = ["app/fine.yaml", "--unused", "ignore"];
    let run = check(&folder, "json", &files);
    assert_eq!(run.code, Some(0));
    let document: Value = serde_json::from_str(&run.expect_stdout()).unwrap();
    assert_eq!(document["diagnostics"], json!([]));
    assert_eq!(document["counts"]["manifests"], 1);
    assert_eq!(
        check(&folder, "github", &files).expect_stdout(),
        String::new()
    );
    let sarif: Value =
        serde_json::from_str(&check(&folder, "sarif", &files).expect_stdout()).unwrap();
    assert_eq!(sarif["runs"][0]["results"], json!([]));
}

#[test]
fn reports_omit_text_around_a_concealed_span() {
    let folder = TestFolder::with_infra();
    folder.write(
        "s.yaml",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData:\n  password: \"s3cret ${infra.vpc_di} ${infra.subnets}\"\n",
    );
    for format in ["json", "sarif", "github", "junit"] {
        let text = report(check(&folder, format, &["s.yaml"]));
        assert!(text.contains("unknown-output"), "{text}");
        assert!(!text.contains("s3cret"), "{text}");
    }
    let document = json_report(check(&folder, "json", &["s.yaml"]));
    assert_eq!(document["diagnostics"][0]["fixes"][0]["edits"], json!([]));
}

#[test]
fn quiet_and_verbose() {
    let folder = app();
    let run = folder.run(&["check", "-q", "-o", "json", "-b", "infra.json", "app"]);
    assert_eq!(json_report(run)["counts"]["warnings"], 0);
    let run = folder.run(&["check", "-v", "-o", "json", "-b", "infra.json", "app"]);
    assert!(
        run.stderr.contains("error[unknown-output]"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.ends_with("error: 2 errors\n"), "{}", run.stderr);
    serde_json::from_slice::<Value>(&run.stdout).unwrap();
}

#[test]
fn reports_missing_files() {
    let folder = TestFolder::with_infra();
    for format in ["json", "sarif", "github", "junit"] {
        let text = report(check(&folder, format, &["missing.yaml"]));
        assert!(text.contains("missing-file"), "{text}");
    }
}

#[test]
fn an_unknown_format() {
    let folder = TestFolder::with_infra();
    folder
        .run(&["check", "-o", "xml"])
        .assert_fails(2, &["text, json, sarif, github, junit"]);
}

/// Checks that the SARIF objects have all required members and no unknown ones, as far
/// as landfall writes them (section 3 of the standard).
fn assert_sarif(log: &Value) {
    assert_members(log, &["version", "runs"], &["$schema"]);
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_members(run, &["tool"], &["columnKind", "invocations", "results"]);
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let driver = &run["tool"]["driver"];
    assert_members(
        driver,
        &["name"],
        &["version", "semanticVersion", "informationUri", "rules"],
    );
    let rules = driver["rules"].as_array().unwrap();
    for rule in rules {
        assert_members(rule, &["id"], &["helpUri", "shortDescription", "help"]);
        let id = rule["id"].as_str().unwrap();
        assert!(
            rule["helpUri"]
                .as_str()
                .unwrap()
                .ends_with(&format!("docs/rules.md#{id}"))
        );
    }
    for result in run["results"].as_array().unwrap() {
        assert_members(
            result,
            &["message"],
            &[
                "ruleId",
                "ruleIndex",
                "level",
                "locations",
                "relatedLocations",
                "codeFlows",
                "fixes",
            ],
        );
        assert_members(&result["message"], &["text"], &[]);
        let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        for location in items(&result["locations"]).chain(items(&result["relatedLocations"])) {
            assert_location(location);
        }
        for flow in items(&result["codeFlows"]) {
            assert_members(flow, &["threadFlows"], &[]);
            for thread in items(&flow["threadFlows"]) {
                assert_members(thread, &["locations"], &[]);
                for step in items(&thread["locations"]) {
                    assert_members(step, &["location"], &[]);
                    assert_location(&step["location"]);
                }
            }
        }
        for fix in items(&result["fixes"]) {
            assert_members(fix, &["artifactChanges"], &["description"]);
            for change in items(&fix["artifactChanges"]) {
                assert_members(change, &["artifactLocation", "replacements"], &[]);
                for replacement in items(&change["replacements"]) {
                    assert_members(replacement, &["deletedRegion"], &["insertedContent"]);
                    assert_region(&replacement["deletedRegion"]);
                }
            }
        }
    }
}

fn assert_location(location: &Value) {
    assert_members(
        location,
        &["physicalLocation"],
        &["id", "message", "logicalLocations"],
    );
    let physical = &location["physicalLocation"];
    assert_members(physical, &["artifactLocation", "region"], &[]);
    assert_members(&physical["artifactLocation"], &["uri"], &["uriBaseId"]);
    assert_region(&physical["region"]);
}

fn assert_region(region: &Value) {
    let names = ["startLine", "startColumn", "endLine", "endColumn"];
    assert_members(region, &names, &[]);
    assert!(names.iter().all(|name| region[name].as_u64() > Some(0)));
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[track_caller]
fn assert_members(object: &Value, required: &[&str], optional: &[&str]) {
    let object = object.as_object().unwrap();
    for name in required {
        assert!(object.contains_key(*name), "{name} is missing: {object:?}");
    }
    for name in object.keys() {
        assert!(
            required.contains(&name.as_str()) || optional.contains(&name.as_str()),
            "{name} should not be here: {object:?}"
        );
    }
}

#[test]
fn sarif_for_code_scanning() {
    let folder = app();
    let log = json_report(check(&folder, "sarif", &["app"]));
    assert_sarif(&log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let unknown = results
        .iter()
        .find(|result| result["ruleId"] == "unknown-output")
        .unwrap();
    let physical = &unknown["locations"][0]["physicalLocation"];
    assert_eq!(
        physical["artifactLocation"],
        json!({"uri": "app/a%20b.yaml", "uriBaseId": "%SRCROOT%"})
    );
    let region = json!({"startLine": 6, "startColumn": 20, "endLine": 6, "endColumn": 26});
    assert_eq!(physical["region"], region);
    let steps = &unknown["codeFlows"][0]["threadFlows"][0]["locations"];
    let path = |nth: usize| &steps[nth]["location"]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(
        (path(0), path(1)),
        (&json!("app/a%20b.yaml"), &json!("infra.json"))
    );
    assert_eq!(
        unknown["fixes"][0]["artifactChanges"][0]["replacements"],
        json!([{"deletedRegion": region, "insertedContent": {"text": "vpc_id"}}])
    );
    assert!(!log.to_string().contains("snippet"));
}

#[test]
fn sarif_paths_are_relative_to_the_current_folder() {
    let folder = app();
    let absolute = std::fs::canonicalize(folder.at("app")).unwrap();
    let log = json_report(check(&folder, "sarif", &[absolute.to_str().unwrap()]));
    assert_sarif(&log);
    let location = &log["runs"][0]["results"][0]["locations"][0];
    assert_eq!(
        location["physicalLocation"]["artifactLocation"]["uri"],
        "app/a%20b.yaml"
    );
}

#[test]
fn github_annotations() {
    let folder = app();
    let text = report(check(&folder, "github", &["app"]));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    let unknown = lines
        .iter()
        .find(|line| line.contains("unknown-output"))
        .unwrap();
    assert_eq!(
        *unknown,
        "::error file=app/a b.yaml,line=6,col=20,endColumn=26,title=landfall unknown-output::`infra` has no output `vpc_di`%0Aapp/a b.yaml:6:20: no such output%0Ainfra.json:2:3: this output exists%0Ahelp: did you mean `vpc_id`?"
    );
    assert!(lines[2].starts_with("::warning "), "{text}");
}

#[test]
fn github_shows_at_most_ten_annotations() {
    let folder = TestFolder::with_infra();
    let path = "a,b:c%.yaml";
    folder.write(
        path,
        "a: ${infra.x}\n".to_owned() + &"---\nb: ${infra.y}\n".repeat(11),
    );
    let text = report(check(&folder, "github", &[path]));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 11, "{text}");
    assert!(
        lines[0].starts_with("::error file=a%2Cb%3Ac%25.yaml,line=1,col="),
        "{text}"
    );
    assert_eq!(
        lines[10],
        "landfall found 12 errors, 0 warnings and 0 notes: the first 10 are annotations, 2 more are not"
    );
}

#[test]
fn github_escapes_commands_in_a_manifest() {
    let folder = TestFolder::with_infra();
    folder.write(
        "a.yaml",
        "a: ${infra[\"x\\n::warning::pwned\"]}\nb: ${infra[\"%0A::warning::pwned\"]}\n",
    );
    let text = report(check(&folder, "github", &["a.yaml"]));
    assert!(
        text.lines()
            .all(|line| line.starts_with("::error file=a.yaml,")),
        "{text}"
    );
}

#[test]
fn junit_for_ci_servers() {
    let folder = app();
    let text = report(check(&folder, "junit", &["app"]));
    assert!(
        text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"landfall\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\">\n"),
        "{text}"
    );
    for part in [
        "<testcase classname=\"landfall\" name=\"app/fine.yaml\" file=\"app/fine.yaml\"/>",
        "name=\"app/a b.yaml\" file=\"app/a b.yaml\">",
        "(and 1 more)\">",
        "app/a b.yaml:6:20: error[unknown-output]: `infra` has no output `vpc_di`\n",
        "  in ConfigMap/web data.ключ😀\n",
        "<system-out>app/a b.yaml:8:",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    assert_eq!(text.matches("<failure ").count(), 1, "{text}");
}

#[test]
fn junit_escapes() {
    let folder = TestFolder::with_infra();
    folder.write("a&b.yaml", "a: ${infra[\"<x> & ]]> \\u0007\"]}\n");
    let text = report(check(&folder, "junit", &["a&b.yaml"]));
    assert!(text.contains("name=\"a&amp;b.yaml\""), "{text}");
    assert!(text.contains("&lt;x&gt; &amp; ]]&gt;"), "{text}");
    assert!(!text.contains('\u{7}'), "{text}");
}
