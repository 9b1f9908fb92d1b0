//! Argo CD's calls.

use std::process::Stdio;

use crate::run::{INFRA, Place, Run, config_map, finish};

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1
kind: Binding
spec:
  outputs:
    - name: infra
      from: {file: ../../outputs/infra.json}
";

/// A repository as argocd-cmp-server unpacks it: with a new name every time.
fn repository() -> Option<Place> {
    let place = Place::new()?;
    place.write("outputs/infra.json", INFRA);
    place.write("apps/web/landfall.yaml", BINDING);
    place.write("apps/web/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    Some(place)
}

fn call(place: &Place, arguments: &[&str]) -> Run {
    let mut command = place.command(&[&["cmp"], arguments].concat());
    command
        .current_dir(place.at("apps/web"))
        .env("ARGOCD_APP_SOURCE_PATH", "apps/web")
        .stdin(Stdio::null());
    finish(&mut command, b"")
}

#[test]
fn generate() {
    let Some(place) = repository() else { return };
    assert_eq!(
        call(&place, &["generate"]).text(),
        config_map("vpc: vpc-0ab1")
    );
}

/// With the annotation `manifest-generate-paths` Argo CD unpacks the folder that
/// its paths have in common: here `apps` of a larger repository.
#[test]
fn generate_in_a_part_of_the_repository() {
    let Some(place) = repository() else { return };
    let render = |manifest: &str| {
        place.write("apps/web/a.yaml", config_map(manifest));
        let mut command = place.command(&["cmp", "generate"]);
        command
            .current_dir(place.at("apps/web"))
            .env("ARGOCD_APP_SOURCE_PATH", "clusters/one/apps/web");
        finish(command.stdin(Stdio::null()), b"")
    };
    place.write("apps/infra.json", INFRA);
    place.write(
        "apps/web/landfall.yaml",
        BINDING.replace("../../outputs", ".."),
    );
    assert_eq!(
        render("vpc: ${infra.vpc_id}").text(),
        config_map("vpc: vpc-0ab1")
    );
    render("vpc: ${infra.nothing}").input_error(&["--> clusters/one/apps/web/a.yaml:6:"]);
    // Further up is not what was unpacked.
    place.write(
        "apps/web/landfall.yaml",
        BINDING.replace("../../outputs", "../../.."),
    );
    render("vpc: ${infra.vpc_id}").input_error(&["outside-root"]);
}

#[test]
fn by_hand_it_says_what_the_plugin_has() {
    let Some(place) = repository() else { return };
    let generate = |source_path: Option<&str>| {
        let mut command = place.command(&["cmp", "generate"]);
        command.current_dir(place.at("apps/web"));
        command.envs(source_path.map(|path| ("ARGOCD_APP_SOURCE_PATH", path)));
        finish(command.stdin(Stdio::null()), b"")
    };
    let run = generate(None);
    run.input_error(&[
        "error[outside-root]",
        "there is no Git work tree here",
        "set ARGOCD_APP_SOURCE_PATH to the path of this folder in the repository",
    ]);
    assert!(!run.stderr.contains("--root"), "{}", run.stderr);
    generate(Some("apps/web")).text();
    place.write("apps/.git", "gitdir: elsewhere");
    let run = generate(None);
    run.input_error(&["the root is the Git work tree: move the document into it"]);
    assert!(!run.stderr.contains("--root"), "{}", run.stderr);
}

#[test]
fn no_path_of_this_call_is_told() {
    let (Some(one), Some(two)) = (repository(), repository()) else {
        return;
    };
    for place in [&one, &two] {
        place.write("apps/web/a.yaml", config_map("vpc: ${infra.vpc_idd}"));
    }
    let (one_run, two_run) = (call(&one, &["generate"]), call(&two, &["generate"]));
    one_run.input_error(&["--> apps/web/a.yaml:6:", "::: outputs/infra.json:2:3"]);
    assert_eq!(one_run.stderr, two_run.stderr);
}

#[test]
fn the_repository_is_the_root() {
    let Some(place) = repository() else { return };
    place.write(
        "apps/web/landfall.yaml",
        BINDING.replace("../../outputs", "../../../x/outputs"),
    );
    let run = call(&place, &["generate"]);
    run.input_error(&["outside-root", "apps/web/landfall.yaml:6:"]);
    assert!(
        !run.stderr.contains(place.path().to_str().unwrap()),
        "{}",
        run.stderr
    );
}

#[test]
fn no_sensitive_value_unless_the_operator_allows_it() {
    let Some(place) = repository() else { return };
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: \"${infra.password}\"}\n";
    place.write("apps/web/a.yaml", secret);
    let run = call(&place, &["generate"]);
    run.input_error(&["sensitive-output", "apps/web/a.yaml:4:"]);
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);

    place.write("policy.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: OperatorPolicy\nspec: {sensitive: {kinds: [Secret]}}\n");
    let run = call(
        &place,
        &["generate", "--operator-policy", "../../policy.yaml"],
    );
    assert_eq!(run.text(), secret.replace("${infra.password}", "hunter2"));
}

#[test]
fn a_policy_that_cannot_be_had_opens_nothing() {
    let Some(place) = repository() else { return };
    let missing = call(
        &place,
        &["generate", "--operator-policy", "../../policy.yaml"],
    );
    missing.input_error(&["missing-file", "named by --operator-policy"]);
    place.write(
        "policy.yaml",
        "kind: OperatorPolicy\nspec: {sensitiv: {}}\n",
    );
    let broken = call(
        &place,
        &["generate", "--operator-policy", "../../policy.yaml"],
    );
    broken.input_error(&["invalid-policy", "../../policy.yaml:"]);
}

#[test]
fn everything_must_be_a_resource() {
    let Some(place) = repository() else { return };
    place.write("apps/web/values.yaml", "a: 1\n");
    call(&place, &["generate"]).input_error(&["not-a-resource", "apps/web/values.yaml:1:1"]);
}

#[test]
fn an_empty_answer_would_prune_the_application() {
    let Some(place) = repository() else { return };
    std::fs::remove_file(place.at("apps/web/a.yaml")).unwrap();
    call(&place, &["generate"]).input_error(&["no-manifests"]);
}

#[test]
fn discover_prints_for_its_own_folders_only() {
    let Some(place) = repository() else { return };
    assert_eq!(call(&place, &["discover"]).text(), "landfall\n");
    std::fs::remove_file(place.at("apps/web/landfall.yaml")).unwrap();
    assert_eq!(call(&place, &["discover"]).text(), "");
}

/// What is not claimed Argo CD renders by itself, with success.
#[test]
fn discover_claims_every_folder_with_a_binding_and_never_fails() {
    let Some(place) = repository() else { return };
    let discover = |place: &Place, folder: &str| {
        let mut command = place.command(&["cmp", "discover"]);
        command
            .current_dir(place.at(folder))
            .env("ARGOCD_APP_SOURCE_PATH", folder)
            .stdin(Stdio::null());
        finish(&mut command, b"").text()
    };
    for binding in ["", "a: [", "kind: Other\n", "\u{0}"] {
        place.write("apps/web/landfall.yaml", binding);
        assert_eq!(discover(&place, "apps/web"), "landfall\n", "{binding:?}");
    }
    place.write("apps/web/landfall.yml", "");
    place.write("apps/web/kustomization.yaml", "");
    place.write("apps/web/deep/landfall.yaml", BINDING);
    assert_eq!(discover(&place, "apps/web"), "landfall\n");
    place.write("apps/other/Landfall.yml", BINDING);
    assert_eq!(discover(&place, "apps/other"), "landfall\n");
    // Nobody's, and a folder of applications.
    assert_eq!(discover(&place, "outputs"), "");
    assert_eq!(discover(&place, "apps"), "");
}

#[cfg(unix)]
#[test]
fn discover_claims_a_binding_that_is_a_broken_link() {
    let Some(place) = repository() else { return };
    std::fs::remove_file(place.at("apps/web/landfall.yaml")).unwrap();
    std::os::unix::fs::symlink("nowhere", place.at("apps/web/landfall.yaml")).unwrap();
    assert_eq!(call(&place, &["discover"]).text(), "landfall\n");
    call(&place, &["generate"]).input_error(&["`apps/web/landfall.yaml` is a broken link"]);
}

#[test]
fn a_folder_of_applications_is_refused() {
    let Some(place) = repository() else { return };
    place.write("apps/db/landfall.yaml", BINDING);
    let mut command = place.command(&["cmp", "generate"]);
    command
        .current_dir(place.at("apps"))
        .env("ARGOCD_APP_SOURCE_PATH", "apps")
        .stdin(Stdio::null());
    finish(&mut command, b"").input_error(&[
        "several-applications",
        "`apps` has no Binding, but there are applications below it: `db` and 1 more folder",
    ]);
}

#[test]
fn a_folder_of_kustomize_is_refused_with_the_way_out() {
    let Some(place) = repository() else { return };
    place.write("apps/web/base/kustomization.yaml", "namePrefix: prod-\n");
    call(&place, &["generate"]).input_error(&[
        "other-tool",
        "`apps/web/base/kustomization.yaml`",
        "`spec: {tool: none}`",
        "`kustomize: {…}`",
    ]);
    place.write(
        "apps/web/landfall.yaml",
        BINDING.to_owned() + "  tool: none\n",
    );
    assert_eq!(
        call(&place, &["generate"]).text(),
        config_map("vpc: vpc-0ab1")
    );
}
