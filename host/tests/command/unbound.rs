//! References that nothing answers, and what other Bindings have to do with them.

use crate::run::{INFRA, Place, config_map};

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n  - {name: NAME, from: {file: out.json}}\n";

/// Two applications; the first binds `infra`, the second `network`.
fn two_applications(data: &str) -> Option<Place> {
    let place = Place::new()?;
    for (folder, name) in [("apps/web", "infra"), ("apps/other", "network")] {
        place.write(
            &format!("{folder}/landfall.yaml"),
            BINDING.replace("NAME", name),
        );
        place.write(&format!("{folder}/out.json"), INFRA);
    }
    place.write("apps/web/a.yaml", config_map(data));
    Some(place)
}

#[test]
fn names_the_binding_that_binds_a_name() {
    let Some(place) = two_applications("vpc: ${infra.vpc_id} ${network.vpc_id}") else {
        return;
    };
    place
        .run(&["render", "apps/web", "--root", "."])
        .input_error(&[
            "error[bound-elsewhere]: `network` is bound by apps/other/landfall.yaml but not here",
        ]);
}

#[test]
fn an_unbound_name_that_no_binding_knows_is_a_warning() {
    let Some(place) = two_applications("vpc: ${infra.vpc_id} ${schema.vpc_id}") else {
        return;
    };
    let run = place.run(&["render", "apps/web", "--root", "."]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("warning[unbound-reference]: nothing is bound to `schema`"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_broken_binding_of_a_neighbour_is_its_own_affair() {
    let Some(place) = two_applications("vpc: ${infra.vpc_id} ${schema.vpc_id}") else {
        return;
    };
    place.write("apps/broken/landfall.yaml", "spec: [");
    let run = place.run(&["check", "apps/web", "--root", "."]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
fn an_empty_binding_binds_nothing() {
    let Some(place) = Place::new() else { return };
    place.write(
        "app/landfall.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {}\n",
    );
    place.write("app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    place
        .run(&["render", "app"])
        .input_error(&["error[nothing-bound]", "`infra`"]);
}

#[test]
fn manifests_without_references_need_no_binding() {
    let Some(place) = Place::new() else { return };
    let run = place.run_with_stdin(&["render", "-"], "a: ${HOME} $x\n");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_function_on_kustomizes_list_refuses_as_render_does() {
    let Some(place) = Place::new() else { return };
    let list = |data: &str| {
        format!(
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {{name: a}}\n  data: {{x: '{data}'}}\n"
        )
    };
    let binding = "functionConfig:\n  apiVersion: landfall.dev/v1alpha1\n  kind: Binding\n  metadata: {name: bind}\n  spec: {}\n";
    let run = place.run_with_stdin(&["krm"], list("${infra.vpc_id}") + binding);
    run.input_error(&["error[nothing-bound]"]);
    place.write("infra.json", INFRA);
    let near = place.run_with_stdin(&["krm", "-b", "infra.json"], list("${infr.vpc_id}"));
    near.input_error(&["error[near-miss]"]);
    place.write(
        "apps/other/landfall.yaml",
        BINDING.replace("NAME", "network"),
    );
    let elsewhere = place.run_with_stdin(&["krm", "-b", "infra.json"], list("${network.vpc_id}"));
    elsewhere.input_error(&["error[bound-elsewhere]", "apps/other/landfall.yaml"]);
}

#[test]
fn strict_makes_every_warning_an_error() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    let manifest = "a: ${infra.vpc_id} ${schema.name}\n";
    let arguments = ["render", "-", "-b", "infra.json"];
    let run = place.run_with_stdin(&arguments, manifest);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    place
        .run_with_stdin(&[&arguments[..], &["--strict"]].concat(), manifest)
        .input_error(&["error[unbound-reference]", "1 error; nothing was rendered"]);
}

#[test]
fn the_gate_fails_on_what_is_left() {
    let Some(place) = Place::new() else { return };
    let gate = [
        "check",
        "--no-references",
        "-",
        "-b",
        "infra=not-opened.json",
    ];
    let clean = place.run_with_stdin(&gate, "a: vpc-0ab1 ${network.id} # ${infra.vpc_id}\n");
    assert_eq!((clean.code, clean.stderr.as_str()), (Some(0), ""));
    let left = "a: |\n  ${infra.vpc_id}\n";
    place
        .run_with_stdin(&gate, left)
        .input_error(&["error[unrendered-reference]", "<stdin>:2:5"]);
    let allowed = [&gate[..], &["--allow", "${infra.vpc_id}"]].concat();
    assert_eq!(place.run_with_stdin(&allowed, left).code, Some(0));
    place.write("out/a.yaml", "a: ${other.id}\n");
    place
        .run(&["check", "--no-references", "out"])
        .input_error(&["error[unrendered-reference]", "out/a.yaml:1:6"]);
}
