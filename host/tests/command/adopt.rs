//! `landfall adopt`: references in place of hard-coded values.

use serde_json::{Value, json};

use crate::run::TestFolder;

const MANIFEST: &str = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData:\n  password: hunter2-hunter2\n  vpc: 'vpc-0ab1c2d3'\n";

/// Creates a folder with a manifest and an outputs document.
fn setup() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("a.yaml", MANIFEST);
    let outputs = json!({
        "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1c2d3"},
        "password": {"sensitive": true, "type": "string", "value": "hunter2-hunter2"},
    });
    folder.write("infra.json", outputs.to_string());
    folder
}

#[test]
fn changes_files_only_with_write() {
    let folder = setup();
    let run = folder.run(&["adopt", "a.yaml", "-b", "infra.json"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(folder.read("a.yaml"), MANIFEST);
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(!text.contains("hunter2"), "{text}");
    assert!(
        text.contains("- (concealed)\n+ ${infra.password}\n"),
        "{text}"
    );

    let run = folder.run(&["adopt", "a.yaml", "-b", "infra.json", "--write"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let adopted = folder.read("a.yaml");
    let expected = MANIFEST
        .replace("hunter2-hunter2", "${infra.password}")
        .replace("vpc-0ab1c2d3", "${infra.vpc_id}");
    assert_eq!(adopted, expected);
    let run = folder.run(&["render", "a.yaml", "-b", "infra.json"]);
    assert_eq!(String::from_utf8(run.stdout).unwrap(), MANIFEST);
}

#[test]
fn requires_outputs() {
    let folder = setup();
    let run = folder.run(&["adopt", "a.yaml"]);
    run.assert_input_error(&["no outputs document is bound", "`-b FILE`"]);
    let binding = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\n";
    folder.write("app/landfall.yaml", binding);
    folder.write("app/a.yaml", MANIFEST);
    let run = folder.run(&["adopt", "app"]);
    run.assert_input_error(&["no outputs document is bound"]);
    let run = folder.run(&["adopt", "app", "-b", "infra.json"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}

#[test]
fn writes_json_without_values() {
    let folder = setup();
    let run = folder.run(&["adopt", "a.yaml", "-b", "infra.json", "-o", "json"]);
    let report: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(
        report,
        json!({
            "apiVersion": "landfall.dev/adoption/v1alpha1",
            "written": false,
            "values": [
                {"path": "a.yaml", "line": 5, "outcome": "adopted", "outputs": ["infra.password"]},
                {"path": "a.yaml", "line": 6, "outcome": "adopted", "outputs": ["infra.vpc_id"]},
            ],
        })
    );
}

#[test]
fn does_not_write_standard_input() {
    let folder = setup();
    let run = folder.run(&["adopt", "-", "-b", "infra.json", "--write"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("--write cannot be used"),
        "{}",
        run.stderr
    );
}

#[test]
fn changes_nothing_if_the_manifests_do_not_render() {
    let folder = setup();
    let broken = format!("{MANIFEST}  x: ${{infra.missing}}\n");
    folder.write("a.yaml", &broken);
    let run = folder.run(&["adopt", "a.yaml", "-b", "infra.json", "--write"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(folder.read("a.yaml"), broken);
}

#[test]
fn conceals_keys_of_sensitive_objects_and_comments() {
    let folder = setup();
    let outputs = json!({
        "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1c2d3"},
        "users": {"sensitive": true, "type": ["map", "string"], "value": {"kex9-key": "user-1234567"}},
    });
    folder.write("infra.json", outputs.to_string());
    let manifest = "apiVersion: v1\nkind: Secret\nstringData:\n  a: user-1234567\n---\na: vpc-0ab1c2d3 # user-1234567\n";
    folder.write("a.yaml", manifest);
    let run = folder.run(&["adopt", "a.yaml", "-b", "infra.json"]);
    assert_eq!(
        String::from_utf8_lossy(&run.stdout),
        "a.yaml:4: infra.users\n- (concealed)\n+ (concealed)\na.yaml:6: not replaced: contains the value of the sensitive output infra.users\na.yaml:6: infra.vpc_id\n- (concealed)\n+ ${infra.vpc_id}\n2 values to replace: `--write` replaces them; 1 not replaced\n"
    );
}

#[test]
fn leaves_files_of_other_tools() {
    let folder = setup();
    folder.write("kustomization.yaml", "namePrefix: vpc-0ab1c2d3\n");
    let run = folder.run(&["adopt", "kustomization.yaml", "-b", "infra.json", "--write"]);
    assert_eq!(
        String::from_utf8_lossy(&run.stdout),
        "kustomization.yaml:1: not replaced: equals infra.vpc_id, but another tool reads this file\nno values to replace; 1 not replaced\n"
    );
}

/// They have neither `apiVersion` nor `kind`.
#[test]
fn reads_values_files_of_helm() {
    let folder = setup();
    let values = "# of production\nvpc: vpc-0ab1c2d3\n";
    folder.write("chart/values.yaml", values);
    folder.write(
        "chart/Chart.yaml",
        "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    );
    let adopt = |arguments: &[&str]| folder.run(&[&["adopt"], arguments].concat());
    let named = ["chart/values.yaml", "-b", "infra.json"];
    let expected = "chart/values.yaml:2: infra.vpc_id\n- vpc: vpc-0ab1c2d3\n+ vpc: ${infra.vpc_id}\n1 value to replace: `--write` replaces them\n";
    assert_eq!(adopt(&named).expect_stdout(), expected);

    // The chart is rendered by Helm, which `adopt` does not run.
    folder.write(
        "chart/landfall.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {tool: helm}\n",
    );
    for path in ["chart", "chart/values.yaml"] {
        let run = adopt(&[path, "-b", "infra.json"]);
        assert_eq!(run.expect_stdout(), expected, "{path}");
    }
}
