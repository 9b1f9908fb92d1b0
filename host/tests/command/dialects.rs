//! `--dialect` and `spec.dialect`: manifests that are written for other tools.

use serde_json::json;

use crate::run::TestFolder;

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nmetadata: {name: app}\nspec:\n  dialect: flux\n  outputs:\n  - {name: substitute, from: {inline: {zone: a.example.com}}}\n  - {name: settings, from: {file: ../settings.yaml}}\n";

const SETTINGS: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cluster-settings}\ndata:\n  zone: b.example.com\n  cluster: \"01234\"\n";

const MANIFEST: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  host: web.${zone}  # kept\n  cluster: ${cluster}\n  tier: ${tier:=basic} $${tier}\n";

fn setup() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("app/landfall.yaml", BINDING);
    folder.write("app/web.yaml", MANIFEST);
    folder.write("settings.yaml", SETTINGS);
    folder
}

#[test]
fn renders_the_variables_of_flux() {
    let folder = setup();
    let expected = MANIFEST
        .replace("${zone}", "a.example.com")
        .replace("${cluster}", "\"01234\"")
        .replace("${tier:=basic} $${tier}", "basic ${tier}");
    let run = folder.run(&["render", "app", "--root", "."]);
    assert!(
        run.stderr
            .starts_with("note[output-overridden]: `zone` in the Binding replaces"),
        "{}",
        run.stderr
    );
    assert_eq!(String::from_utf8(run.stdout).unwrap(), expected);
    let folder_flags = ["--root", ".", "--overridden", "ignore"];
    let run = folder.run(&["check", "app", "--root", "."]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = folder.run(&[&["explain", "app"][..], &folder_flags].concat());
    let table = run.expect_stdout();
    for words in ["substitute.zone", "settings.cluster", "(default)"] {
        assert!(table.contains(words), "{table}");
    }
}

#[test]
fn a_flag_replaces_the_dialect_of_the_binding() {
    let folder = setup();
    let run = folder.run(&["render", "app", "--root", ".", "--dialect", "landfall"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("warning[near-miss]: `${zone}` is not a reference"),
        "{}",
        run.stderr
    );
    assert_eq!(String::from_utf8(run.stdout).unwrap(), MANIFEST);
    let flags = ["render", "app/web.yaml", "-b", "settings.yaml", "--dialect"];
    std::fs::remove_file(folder.at("app/landfall.yaml")).unwrap();
    let run = folder.run(&[&flags[..], &["flux"]].concat());
    assert!(
        run.expect_stdout()
            .contains("host: web.b.example.com  # kept")
    );
    let run = folder.run(&[&flags[..], &["fluks"]].concat());
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("flux"), "{}", run.stderr);
}

#[test]
fn reports_every_missing_variable_with_its_place() {
    let folder = setup();
    folder.write(
        "app/web.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata:\n  a: ${zoned}\n  b: ${AUTH[@]}\n",
    );
    let run = folder.run(&["render", "app", "--root", "."]);
    run.assert_input_error(&[
        "app/web.yaml:5:8",
        "did you mean `zone`?",
        "app/web.yaml:6:12",
        "2 errors",
    ]);
    let run = folder.run(&["render", "app", "--root", ".", "--missing", "empty"]);
    run.assert_input_error(&["warning[unknown-output]", "1 error"]);
}

#[test]
fn without_outputs_a_variable_is_an_error() {
    let folder = TestFolder::new();
    folder.write("a.yaml", MANIFEST);
    let run = folder.run(&["render", "a.yaml", "--dialect", "flux"]);
    run.assert_input_error(&["nothing-bound"]);
}

#[test]
fn no_references_finds_variables_that_are_left() {
    let folder = setup();
    let flags = ["check", "--no-references", "app/web.yaml"];
    assert_eq!(folder.run(&flags).code, Some(0));
    let run = folder.run(&[&flags[..], &["--dialect", "flux"]].concat());
    run.assert_input_error(&["unrendered-reference", "app/web.yaml:6:15"]);
}

#[test]
fn adopts_variables() {
    let folder = setup();
    let outputs =
        json!({"zone": {"sensitive": false, "type": "string", "value": "shop.example.com"}});
    folder.write("infra.json", outputs.to_string());
    folder.write("a.yaml", "host: shop.example.com\n");
    let flags = [
        "adopt",
        "a.yaml",
        "-b",
        "infra.json",
        "--dialect",
        "flux",
        "--write",
    ];
    let run = folder.run(&flags);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(folder.read("a.yaml"), "host: ${zone}\n");
}
