//! ResourceList in, ResourceList out.

use crate::run::{INFRA, Place};

const LIST: &str = "apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: web
  data:
    vpc: ${infra.vpc_id}
functionConfig:
  apiVersion: landfall.dev/v1alpha1
  kind: Binding
  metadata:
    name: landfall
  spec:
    outputs:
    - name: infra
      from:
        file: outputs/infra.json
";

fn place() -> Option<Place> {
    let place = Place::new()?;
    place.write("outputs/infra.json", INFRA);
    Some(place)
}

#[test]
fn the_items_are_rendered_and_the_rest_stays() {
    let Some(place) = place() else { return };
    let text = place.run_with_stdin(&["krm"], LIST).text();
    assert!(text.contains("    vpc: vpc-0ab1\n"), "{text}");
    assert!(
        text.contains("        file: outputs/infra.json\n"),
        "{text}"
    );
}

/// kustomize calls a function by its path, without arguments.
#[cfg(unix)]
#[test]
fn called_by_the_name_of_a_function() {
    let Some(place) = place() else { return };
    let link = place.at("landfall-krm");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_landfall"), &link).unwrap();
    let mut command = std::process::Command::new(&link);
    command
        .current_dir(place.path())
        .env_clear()
        .stdin(std::process::Stdio::piped());
    let run = crate::run::finish(&mut command, LIST.as_bytes());
    assert_eq!(run.text(), place.run_with_stdin(&["krm"], LIST).text());
}

#[test]
fn a_failure_writes_nothing() {
    let Some(place) = place() else { return };
    let run = place.run_with_stdin(&["krm"], LIST.replace("infra.vpc_id", "infra.vpc_idd"));
    run.input_error(&[
        "unknown-output",
        "ResourceList:9:",
        "ConfigMap web",
        "outputs/infra.json:2:3",
    ]);
    let run = place.run_with_stdin(
        &["krm", "--stdin-filename", "list.yaml"],
        LIST.replace("vpc_id", "vpc_idd"),
    );
    run.input_error(&["list.yaml:9:"]);
}

#[test]
fn an_outputs_document_that_is_not_there() {
    let Some(place) = place() else { return };
    let run = place.run_with_stdin(
        &["krm"],
        LIST.replace("outputs/infra.json", "outputs/none.json"),
    );
    run.input_error(&[
        "outputs-not-published",
        "`outputs/none.json`",
        "ResourceList:19:",
    ]);
}

#[test]
fn the_kustomization_is_the_root() {
    let Some(place) = place() else { return };
    place.write("outside.json", INFRA);
    place.write("base/x", "");
    let list = LIST.replace("outputs/infra.json", "../outside.json");
    let run = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        command
            .current_dir(place.at("base"))
            .stdin(std::process::Stdio::piped());
        crate::run::finish(&mut command, list.as_bytes())
    };
    run(&["krm"]).input_error(&["outside-root", "`../outside.json`"]);
    assert_eq!(run(&["krm", "--root", ".."]).code, Some(0));
}

#[test]
fn an_outputs_document_by_flag() {
    let Some(place) = place() else { return };
    let list = LIST.replace("outputs/infra.json", "outputs/none.json");
    let run = place.run_with_stdin(&["krm", "-b", "infra=outputs/infra.json"], list);
    assert!(run.text().contains("vpc: vpc-0ab1"));
}

#[test]
fn input_that_is_no_resource_list() {
    let Some(place) = place() else { return };
    for input in ["", "a: 1\n", "[", "\u{0}\u{0}"] {
        place
            .run_with_stdin(&["krm"], input)
            .input_error(&["invalid-resource-list"]);
    }
    place
        .run_with_stdin(&["krm"], b"\xff")
        .input_error(&["ResourceList:1:1"]);
}
