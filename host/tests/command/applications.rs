//! Which Binding holds: the nearest one at a path or above it.

use std::process::Stdio;

use crate::run::{INFRA, Place, Run, config_map, finish};

fn binding(spec: &str) -> String {
    format!(
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs: [{{name: infra, from: {{file: ../infra.json}}}}]\n{spec}"
    )
}

fn named(name: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{vpc: \"${{infra.vpc_id}}\"}}\n"
    )
}

fn rendered(name: &str) -> String {
    named(name).replace("${infra.vpc_id}", "vpc-0ab1")
}

/// Two applications in `apps`, of which `web` has a folder.
fn place() -> Option<Place> {
    let place = Place::new()?;
    place.write(".git", "gitdir: elsewhere\n");
    place.write("apps/infra.json", INFRA);
    place.write("apps/web/landfall.yaml", binding(""));
    place.write("apps/web/a.yaml", named("a"));
    place.write("apps/web/nodes/b.yaml", named("b"));
    place.write("apps/web/nodes/c.yaml", named("c"));
    place.write("apps/db/landfall.yml", binding(""));
    place.write("apps/db/d.yaml", named("d"));
    Some(place)
}

fn run_in(place: &Place, folder: &str, arguments: &[&str]) -> Run {
    let mut command = place.command(arguments);
    finish(
        command.current_dir(place.at(folder)).stdin(Stdio::null()),
        b"",
    )
}

#[test]
fn a_file_is_rendered_by_the_binding_above_it() {
    let Some(place) = place() else { return };
    assert_eq!(
        place.run(&["render", "apps/web/nodes/b.yaml"]).text(),
        rendered("b")
    );
    for (folder, file) in [
        ("apps/web/nodes", "b.yaml"),
        ("apps/web/nodes", "../nodes/b.yaml"),
        ("apps/db", "../web/nodes/b.yaml"),
    ] {
        assert_eq!(
            run_in(&place, folder, &["render", file]).text(),
            rendered("b")
        );
    }
    let absolute = place.at("apps/web/nodes/b.yaml");
    let run = place.run(&["render", absolute.to_str().unwrap()]);
    assert_eq!(run.text(), rendered("b"));
}

#[test]
fn a_folder_inside_an_application_is_a_part_of_it() {
    let Some(place) = place() else { return };
    let both = format!("{}---\n{}", rendered("b"), rendered("c"));
    assert_eq!(place.run(&["render", "apps/web/nodes"]).text(), both);
    assert_eq!(run_in(&place, "apps/web/nodes", &["render"]).text(), both);
    // Each file once, in the order of the application's paths.
    let run = place.run(&["render", "apps/web/nodes/c.yaml", "apps/web/nodes"]);
    assert_eq!(run.text(), both);
    let run = place.run(&["render", "apps/web/nodes/c.yaml", "apps/web"]);
    assert_eq!(run.text(), format!("{}---\n{both}", rendered("a")));
}

#[test]
fn paths_of_several_applications() {
    let Some(place) = place() else { return };
    let run = place.run(&[
        "render",
        "apps/db/d.yaml",
        "apps/web/a.yaml",
        "apps/web/nodes/c.yaml",
    ]);
    let expected = [rendered("d"), rendered("a"), rendered("c")].join("---\n");
    assert_eq!(run.text(), expected);
}

#[test]
fn the_whole_application_is_checked_for_a_part_of_it() {
    let Some(place) = place() else { return };
    // A field binding whose target is in another file is no mistake.
    place.write(
        "apps/web/landfall.yaml",
        binding(
            "  substitutions:\n  - {value: '${infra.vpc_id}', targets: [{select: {name: a}, fieldPaths: [data.vpc]}]}\n",
        ),
    );
    place.write(
        "apps/web/a.yaml",
        config_map("vpc: old").replace("web", "a"),
    );
    let run = place.run(&["check", "apps/web/nodes/b.yaml"]);
    assert_eq!(
        (run.code, run.stderr.contains("target")),
        (Some(0), false),
        "{}",
        run.stderr
    );
    // An output that only another file uses is not unused.
    place.write("apps/web/c.yaml", config_map("x: ${infra.replicas}"));
    let run = place.run(&["check", "apps/web/nodes/b.yaml", "--unused", "error"]);
    run.input_error(&["`subnets`"]);
    assert!(!run.stderr.contains("replicas"), "{}", run.stderr);
    // The contract holds.
    place.write(
        "apps/web/landfall.yaml",
        binding("  contract: {infra: {account_id: {type: string}}}\n"),
    );
    place
        .run(&["render", "apps/web/nodes/b.yaml"])
        .input_error(&["contract-violation", "account_id"]);
}

#[test]
fn other_files_of_the_application_keep_their_warnings_to_themselves() {
    let Some(place) = place() else { return };
    place.write("apps/web/a.yaml", config_map("x: ${infra.nothing}"));
    let arguments = ["render", "apps/web/nodes/b.yaml", "--missing", "keep"];
    assert_eq!(place.run(&arguments).text(), rendered("b"));
    place
        .run(&["render", "apps/web/nodes/b.yaml"])
        .input_error(&["apps/web/a.yaml:6:"]);
}

#[test]
fn explain_reports_the_named_file() {
    let Some(place) = place() else { return };
    let run = place.run(&["explain", "apps/web/nodes/b.yaml"]);
    let told = String::from_utf8(run.stdout).unwrap();
    assert!(told.contains("apps/web/nodes/b.yaml:4:"), "{told}");
    assert_eq!(told.lines().count(), 2, "{told}");
}

#[test]
fn in_place_writes_the_named_file() {
    let Some(place) = place() else { return };
    let arguments = [
        "render",
        "apps/web/nodes/b.yaml",
        "--in-place",
        "--replace-references",
    ];
    assert_eq!(place.run(&arguments).text(), "");
    assert_eq!(place.read("apps/web/nodes/b.yaml"), rendered("b"));
    assert_eq!(place.read("apps/web/nodes/c.yaml"), named("c"));
}

#[test]
fn output_paths_of_a_part_are_those_of_the_whole() {
    let Some(place) = place() else { return };
    let arguments = ["render", "apps/web/nodes/b.yaml", "--output-dir", "out"];
    assert_eq!(place.run(&arguments).text(), "");
    assert_eq!(place.read("out/nodes/b.yaml"), rendered("b"));
    assert!(!place.at("out/a.yaml").exists());
}

#[test]
fn what_is_not_a_manifest_of_the_application_is_refused() {
    let Some(place) = place() else { return };
    place.write("apps/web/notes.txt", "${infra.vpc_id}");
    place.write("apps/web/empty/notes.txt", "");
    place.run(&["render", "apps/web/notes.txt"]).input_error(&[
        "not-in-application",
        "`apps/web/notes.txt` is not a manifest of the application `apps/web`",
    ]);
    place
        .run(&["render", "apps/web/empty"])
        .input_error(&["`apps/web/empty` contains no manifest of the application `apps/web`"]);
    place
        .run(&["render", "apps/web/landfall.yaml"])
        .input_error(&[
            "`apps/web/landfall.yaml` is a Binding, not a manifest",
            "pass its folder instead: `apps/web`",
        ]);
}

#[test]
fn a_folder_of_applications_is_a_set() {
    let Some(place) = place() else { return };
    let (a, b, c, d) = (rendered("a"), rendered("b"), rendered("c"), rendered("d"));
    let all = [d.as_str(), &a, &b, &c].join("---\n");
    assert_eq!(place.run(&["render", "apps"]).text(), all);
    assert_eq!(place.run(&["render", "."]).text(), all);
    assert_eq!(
        place.run(&["render", "apps", "--output-dir", "out"]).text(),
        ""
    );
    assert_eq!(place.read("out/db/d.yaml"), d);
    assert_eq!(place.read("out/web/nodes/b.yaml"), b);
    // What was written is not a part of the set.
    assert_eq!(
        place.run(&["render", ".", "--output-dir", "out"]).text(),
        ""
    );
    assert_eq!(place.read("out/apps/web/a.yaml"), a);

    // An error in one is an error of all.
    place.write("apps/db/d.yaml", config_map("x: ${infra.nothing}"));
    place
        .run(&["render", "apps"])
        .input_error(&["apps/db/d.yaml:6:"]);
}

#[test]
fn manifests_beside_the_applications_of_a_set_are_reported() {
    let Some(place) = place() else { return };
    place.write("apps/stray.yaml", named("stray"));
    place.write("apps/compose.yaml", "services: {}\n");
    place.write("apps/.github/x.yaml", named("hidden"));
    let run = place.run(&["render", "apps"]);
    assert_eq!(run.code, Some(0));
    assert!(
        run.stderr
            .contains("warning[outside-applications]: skipped `apps/stray.yaml` in `apps`"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_binding_below_another_must_be_excluded() {
    let Some(place) = place() else { return };
    place.write(
        "apps/web/deep/landfall.yaml",
        binding("").replace("../", "../../"),
    );
    place.write("apps/web/deep/e.yaml", named("e"));
    for path in ["apps/web", "apps", "apps/web/a.yaml"] {
        place.run(&["render", path]).input_error(&[
            "nested-binding",
            "`apps/web/deep/landfall.yaml`",
            "exclude: [deep/]",
        ]);
    }
    // It holds for its own.
    assert_eq!(
        place.run(&["render", "apps/web/deep/e.yaml"]).text(),
        rendered("e")
    );
    place.write(
        "apps/web/landfall.yaml",
        binding("  manifests: {exclude: [deep/]}\n"),
    );
    let all = ["d", "a", "b", "c", "e"].map(rendered).join("---\n");
    assert_eq!(place.run(&["render", "apps"]).text(), all);
}

#[test]
fn a_flag_replaces_the_binding_and_a_bound_file_one_name() {
    let Some(place) = place() else { return };
    place.write("other.json", INFRA.replace("vpc-0ab1", "vpc-2"));
    let run = place.run(&["render", "apps/web/nodes/b.yaml", "-b", "infra=other.json"]);
    assert_eq!(run.text(), named("b").replace("${infra.vpc_id}", "vpc-2"));
    place.write("apps/other.yaml", binding("").replace("../", ""));
    place.write("apps/web/landfall.yaml", "not a Binding");
    let run = place.run(&["render", "apps/web/nodes/b.yaml", "-c", "apps/other.yaml"]);
    assert_eq!(run.text(), rendered("b"));
}

#[test]
fn the_search_ends_at_the_root() {
    let Some(place) = place() else { return };
    std::fs::remove_file(place.at("apps/web/landfall.yaml")).unwrap();
    place.write("landfall.yaml", binding("").replace("../", "apps/"));
    let unbound = |run: Run| run.input_error(&["nothing-bound"]);
    // Above the root nothing is looked for.
    unbound(place.run(&["render", "apps/web/a.yaml", "--root", "apps"]));
    place.write("apps/.git", "gitdir: elsewhere\n");
    unbound(place.run(&["render", "apps/web/a.yaml"]));
    // Without a work tree it is the current folder.
    std::fs::remove_file(place.at("apps/.git")).unwrap();
    std::fs::remove_file(place.at(".git")).unwrap();
    std::fs::remove_file(place.at("apps/db/landfall.yml")).unwrap();
    assert_eq!(
        place.run(&["render", "apps/web/a.yaml"]).text(),
        rendered("a")
    );
    unbound(run_in(&place, "apps/web", &["render", "a.yaml"]));
}

#[cfg(unix)]
#[test]
fn a_linked_folder_belongs_to_the_application_that_links_it() {
    use std::os::unix::fs::symlink;
    let Some(place) = place() else { return };
    place.write("shared/s.yaml", named("s"));
    symlink("../../shared", place.at("apps/web/shared")).unwrap();
    assert_eq!(
        place.run(&["render", "apps/web/shared/s.yaml"]).text(),
        rendered("s")
    );
    // An application that a link leads to as well is one.
    symlink("web", place.at("apps/current")).unwrap();
    let all = ["d", "a", "b", "c", "s"].map(rendered).join("---\n");
    assert_eq!(place.run(&["render", "apps"]).text(), all);
}

#[test]
fn a_binding_that_nothing_uses_is_an_error() {
    let Some(place) = place() else { return };
    for (file, text) in [
        ("apps/web/binding.yaml", binding("")),
        ("apps/web/Landfall.yaml", binding("")),
        ("apps/web/z.yaml", format!("{}---\n{}", named("z"), binding(""))),
        (
            "apps/web/list.yaml",
            "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: landfall.dev/v1alpha1, kind: Binding}\n".to_owned(),
        ),
    ] {
        place.write(file, text);
        place
            .run(&["render", "apps/web"])
            .input_error(&["stray-binding", &format!("{file}:")]);
        std::fs::remove_file(place.at(file)).unwrap();
    }
    let run = place.run_with_stdin(&["render", "-", "-b", "apps/infra.json"], binding(""));
    run.input_error(&["stray-binding"]);
    let pod = "apiVersion: v1\nkind: Binding\nmetadata: {name: x}\ntarget: {name: node}\n";
    place.write("apps/web/pod.yaml", pod);
    let run = place.run(&["render", "apps/web/pod.yaml"]);
    assert_eq!(run.text(), pod);
}

#[test]
fn an_excluded_output_folder_is_no_pattern_without_files() {
    let Some(place) = place() else { return };
    place.write(
        "apps/web/landfall.yaml",
        binding("  manifests: {exclude: ['rendered/']}\n"),
    );
    for _ in 0..2 {
        let run = place.run(&["render", "apps/web", "--output-dir", "apps/web/rendered"]);
        assert_eq!(run.text(), "");
    }
    let run = place.run(&["render", "apps/web", "-q"]);
    assert_eq!(run.text(), ["a", "b", "c"].map(rendered).join("---\n"));
}
