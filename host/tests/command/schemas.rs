//! `spec.schemas`: CustomResourceDefinitions that are not manifests of the application.

use crate::run::TestFolder;

const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget}
  versions:
    - name: v1
      schema:
        openAPIV3Schema:
          properties:
            spec: {type: object, properties: {size: {type: string}, count: {type: integer}}}
";

const WIDGET: &str = "apiVersion: example.com/v1
kind: Widget
metadata: {name: a}
spec:
  size: ${infra.size}
  count: ${infra.count}
";

/// Creates an application that names these schemas.
fn application(schemas: &str) -> TestFolder {
    let folder = TestFolder::new();
    folder.write(
        "infra.json",
        r#"{"size": {"value": 3}, "count": {"value": "7"}}"#,
    );
    folder.write("crds/widget.yaml", DEFINITION);
    folder.write("app/widget.yaml", WIDGET);
    let binding = format!(
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  schemas: {schemas}\n  outputs: [{{name: infra, from: {{file: ../infra.json}}}}]\n"
    );
    folder.write("app/landfall.yaml", binding);
    folder
}

#[test]
fn a_schema_defines_types_and_is_not_written() {
    let folder = application("[../crds/widget.yaml]");
    let rendered = folder
        .run(&["render", "app", "--root", "."])
        .expect_stdout();
    let expected = WIDGET
        .replace("${infra.size}", "\"3\"")
        .replace("${infra.count}", "7");
    assert_eq!(rendered, expected);
}

#[test]
fn a_schema_can_be_a_manifest_too() {
    let folder = application("[crds/widget.yaml]");
    folder.write("app/crds/widget.yaml", DEFINITION);
    let rendered = folder
        .run(&["render", "app", "--root", "."])
        .expect_stdout();
    assert_eq!(rendered.matches("CustomResourceDefinition").count(), 1);
}

#[test]
fn a_schema_is_inside_the_root() {
    for (schemas, message) in [
        (
            "[../crds/missing.yaml]",
            "`crds/missing.yaml` does not exist",
        ),
        ("[../../outside.yaml]", "error[outside-root]"),
        ("[../crds]", "is a folder"),
    ] {
        let folder = application(schemas);
        let run = folder.run(&["render", "app", "--root", "."]);
        run.assert_input_error(&[message, "app/landfall.yaml:4:13", "named here"]);
    }
}

#[test]
fn a_schema_defines_types() {
    let old = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec: {group: example.com, names: {kind: Widget}, version: v1, validation: {openAPIV3Schema: {}}}\n";
    for (content, message) in [
        (
            "",
            "`crds/widget.yaml` contains no CustomResourceDefinition",
        ),
        (
            old,
            "`widgets.example.com` in `crds/widget.yaml` has no `spec.versions[]",
        ),
        (
            "{{- if .Values.crds }}\nkind: CustomResourceDefinition\n",
            "`crds/widget.yaml` is not valid YAML",
        ),
        (
            &DEFINITION[..DEFINITION.len() - 20],
            "`crds/widget.yaml` is not valid YAML",
        ),
    ] {
        let folder = application("[../crds/widget.yaml]");
        folder.write("crds/widget.yaml", content);
        let run = folder.run(&["render", "app", "--root", "."]);
        run.assert_input_error(&[
            "error[invalid-schema]",
            message,
            "app/landfall.yaml:4:13",
            "named here",
        ]);
    }
}

#[test]
fn two_schemas_of_a_kind_that_differ_are_reported() {
    let folder = application("[../crds/widget.yaml, ../crds/other.yaml]");
    let render = || folder.run(&["render", "app", "--root", "."]);
    folder.write("crds/other.yaml", DEFINITION);
    assert_eq!(render().stderr, "");
    folder.write("crds/other.yaml", DEFINITION.replace("integer", "string"));
    let run = render();
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let warning = "warning[invalid-schema]: `crds/other.yaml` and `crds/widget.yaml` define `example.com/v1 Widget` with different types";
    assert!(run.stderr.contains(warning), "{}", run.stderr);
}

#[test]
fn a_manifest_is_no_schema() {
    let folder = application("[web.yaml]");
    folder.write(
        "app/web.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
    );
    let run = folder.run(&["render", "app", "--root", "."]);
    run.assert_input_error(&["contains no CustomResourceDefinition", "named here"]);
}

/// A file and standard input belong to no folder, but to the Binding that a flag names.
#[test]
fn schemas_apply_where_a_flag_names_the_binding() {
    let folder = application("[../crds/widget.yaml]");
    let rendered = folder
        .run(&["render", "app", "--root", "."])
        .expect_stdout();
    let config = ["-c", "app/landfall.yaml", "--root", "."];
    let file = [&["render", "app/widget.yaml"], &config[..]].concat();
    assert_eq!(folder.run(&file).expect_stdout(), rendered);
    let stdin = [&["render", "-"], &config[..]].concat();
    assert_eq!(
        folder.run_with_stdin(&stdin, WIDGET).expect_stdout(),
        rendered
    );
    folder.write("crds/widget.yaml", "");
    folder
        .run(&file)
        .assert_input_error(&["error[invalid-schema]"]);
}
