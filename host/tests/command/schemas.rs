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
fn application(schemas: &str) -> Option<TestFolder> {
    let folder = TestFolder::new()?;
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
    Some(folder)
}

#[test]
fn a_schema_defines_types_and_is_not_written() {
    let Some(folder) = application("[../crds/widget.yaml]") else {
        return;
    };
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
    let Some(folder) = application("[crds/widget.yaml]") else {
        return;
    };
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
        let Some(folder) = application(schemas) else {
            return;
        };
        let run = folder.run(&["render", "app", "--root", "."]);
        run.assert_input_error(&[message, "app/landfall.yaml:4:13", "named here"]);
    }
}
