//! Policies by flags, and documents that need not be published.

use crate::run::{INFRA, Place, config_map, finish};

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n  - {name: infra, from: {file: infra.json}}\n  - {name: network, from: {file: network.json}}\n";

fn app(policy: &str) -> Option<Place> {
    let place = Place::new()?;
    place.write("app/landfall.yaml", format!("{BINDING}{policy}"));
    place.write("app/infra.json", INFRA);
    place.write(
        "app/a.yaml",
        config_map("vpc: ${infra.vpc_id} ${network.vpc_id}"),
    );
    Some(place)
}

#[test]
fn a_document_that_need_not_be_there() {
    let Some(place) = app("  policy: {unpublished: keep}\n") else {
        return;
    };
    let run = place.run(&["render", "app"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let stdout = String::from_utf8(run.stdout.clone()).unwrap();
    assert!(
        stdout.contains("vpc: vpc-0ab1 ${network.vpc_id}\n"),
        "{stdout}"
    );
    for part in [
        "warning[outputs-not-published]: `network` is not published yet",
        "references to it are left as they are",
        "app/landfall.yaml:6:34",
    ] {
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
    let error = ["error[outputs-not-published]", "app/network.json"];
    place
        .run(&["render", "app", "--unpublished", "error"])
        .input_error(&error);
}

#[test]
fn a_flag_keeps_what_is_not_published() {
    let Some(place) = app("") else { return };
    place
        .run(&["check", "app"])
        .input_error(&["error[outputs-not-published]"]);
    let run = place.run(&["check", "app", "--unpublished", "keep"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    // One that a flag binds likewise; the Binding's does not stand in for it.
    place.write("app/network.json", INFRA);
    let arguments = ["render", "app", "-b", "network=none.json"];
    place
        .run(&arguments)
        .input_error(&["error[outputs-not-published]", "none.json"]);
    let run = place.run(&[&arguments[..], &["--unpublished", "keep"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let stdout = String::from_utf8(run.stdout).unwrap();
    assert!(stdout.contains("${network.vpc_id}"), "{stdout}");
}

#[test]
fn keeping_what_is_not_published_opens_no_door() {
    let Some(place) = app("") else { return };
    let binding = BINDING.replace("network.json", "../../network.json");
    let policy = "  policy: {unpublished: keep}\n";
    place.write("app/landfall.yaml", format!("{binding}{policy}"));
    place
        .run(&["check", "app", "--root", "."])
        .input_error(&["error[outside-root]"]);
}

#[test]
fn an_operator_refuses_flags_too() {
    let Some(place) = app("") else { return };
    place.write("app/network.json", INFRA);
    place.write(
        "policy.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: OperatorPolicy\nspec: {missing: error}\n",
    );
    let ceiling = ["--operator-policy", "../policy.yaml"];
    let flags = ["--missing", "keep"];
    let mut command = place.command(&[&["cmp", "generate"], &ceiling[..], &flags].concat());
    let run = finish(command.current_dir(place.at("app")), b"");
    run.input_error(&[
        "error[refused-by-operator]",
        "--> <flags>:1:10",
        "policy.yaml:3:17",
    ]);
}

#[test]
fn explain_tells_unused_outputs_where_they_are_an_error() {
    let Some(place) = app("  policy: {unused: error}\n") else {
        return;
    };
    place.write("app/network.json", INFRA);
    place
        .run(&["check", "app"])
        .input_error(&["error[unused-output]", "3 unused outputs of `infra`"]);
    let table = place.run(&["explain", "app", "--unused"]).text();
    assert!(table.contains("infra.replicas"), "{table}");
}

#[test]
fn what_one_of_several_applications_does_not_use_is_no_note() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    place.write("a/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    place.write("b/b.yaml", config_map("n: \"${infra.replicas}\""));
    let note = "note[unused-output]";
    let one = place.run(&["check", "a", "-b", "infra.json"]);
    assert!(one.stderr.contains(note), "{}", one.stderr);
    let both = place.run(&["check", "a", "b", "-b", "infra.json"]);
    assert!(!both.stderr.contains(note), "{}", both.stderr);
    place
        .run(&["check", "a", "b", "-b", "infra.json", "--unused", "error"])
        .input_error(&["error[unused-output]"]);
}

#[test]
fn a_function_config_has_policies() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    let item = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: \"${infra.none} ${network.x}\"}}\n";
    let binding = BINDING.replace('\n', "\n  ");
    let list = format!("{item}functionConfig:\n  {}\n", binding.trim_end());
    place
        .run_with_stdin(&["krm"], &list)
        .input_error(&["error[outputs-not-published]"]);
    let keep = ["krm", "--unpublished", "keep", "--unused", "ignore"];
    place
        .run_with_stdin(&keep, &list)
        .input_error(&["error[unknown-output]", "warning[outputs-not-published]"]);
    let run = place.run_with_stdin(&[&keep[..], &["--missing", "keep"]].concat(), &list);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let stdout = String::from_utf8(run.stdout).unwrap();
    assert!(
        stdout.contains("\"${infra.none} ${network.x}\""),
        "{stdout}"
    );
}

#[test]
fn who_renders_hears_of_unused_outputs_only_when_asking() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    place.write("a.yaml", config_map("vpc: ${infra.vpc_id}"));
    let arguments = ["a.yaml", "-b", "infra.json"];
    let told = |command: &[&str]| place.run(&[command, &arguments].concat()).stderr;
    assert_eq!(told(&["render"]), "");
    assert!(told(&["render", "-v"]).contains("note[unused-output]"));
    assert!(told(&["check"]).contains("note[unused-output]"));
    assert_eq!(told(&["check", "--quiet"]), "");
}
