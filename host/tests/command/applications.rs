//! Which Binding applies: the nearest one at a path or above it.

use std::process::Stdio;

use crate::run::{INFRA, Run, TestFolder, config_map, finish};

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

/// Creates two applications in `apps`, of which `web` has a subfolder.
fn setup() -> TestFolder {
    let folder = TestFolder::new();
    folder.write(".git", "gitdir: elsewhere\n");
    folder.write("apps/infra.json", INFRA);
    folder.write("apps/web/landfall.yaml", binding(""));
    folder.write("apps/web/a.yaml", named("a"));
    folder.write("apps/web/nodes/b.yaml", named("b"));
    folder.write("apps/web/nodes/c.yaml", named("c"));
    folder.write("apps/db/landfall.yml", binding(""));
    folder.write("apps/db/d.yaml", named("d"));
    folder
}

fn run_in(folder: &TestFolder, subfolder: &str, arguments: &[&str]) -> Run {
    let mut command = folder.command(arguments);
    finish(
        command
            .current_dir(folder.at(subfolder))
            .stdin(Stdio::null()),
        b"",
    )
}

#[test]
fn a_file_is_rendered_by_the_binding_above_it() {
    let folder = setup();
    assert_eq!(
        folder
            .run(&["render", "apps/web/nodes/b.yaml"])
            .expect_stdout(),
        rendered("b")
    );
    for (subfolder, file) in [
        ("apps/web/nodes", "b.yaml"),
        ("apps/web/nodes", "../nodes/b.yaml"),
        ("apps/db", "../web/nodes/b.yaml"),
    ] {
        assert_eq!(
            run_in(&folder, subfolder, &["render", file]).expect_stdout(),
            rendered("b")
        );
    }
    let absolute = folder.at("apps/web/nodes/b.yaml");
    let run = folder.run(&["render", absolute.to_str().unwrap()]);
    assert_eq!(run.expect_stdout(), rendered("b"));
}

#[test]
fn a_folder_inside_an_application_is_a_part_of_it() {
    let folder = setup();
    let both = format!("{}---\n{}", rendered("b"), rendered("c"));
    assert_eq!(
        folder.run(&["render", "apps/web/nodes"]).expect_stdout(),
        both
    );
    assert_eq!(
        run_in(&folder, "apps/web/nodes", &["render"]).expect_stdout(),
        both
    );
    // Each file is written once, in the order of the application's paths.
    let run = folder.run(&["render", "apps/web/nodes/c.yaml", "apps/web/nodes"]);
    assert_eq!(run.expect_stdout(), both);
    let run = folder.run(&["render", "apps/web/nodes/c.yaml", "apps/web"]);
    assert_eq!(run.expect_stdout(), format!("{}---\n{both}", rendered("a")));
}

#[test]
fn paths_of_several_applications() {
    let folder = setup();
    let run = folder.run(&[
        "render",
        "apps/db/d.yaml",
        "apps/web/a.yaml",
        "apps/web/nodes/c.yaml",
    ]);
    let expected = [rendered("d"), rendered("a"), rendered("c")].join("---\n");
    assert_eq!(run.expect_stdout(), expected);
}

#[test]
fn the_whole_application_is_checked_for_a_part_of_it() {
    let folder = setup();
    // A field binding whose target is in another file is not an error.
    folder.write(
        "apps/web/landfall.yaml",
        binding(
            "  substitutions:\n  - {value: '${infra.vpc_id}', targets: [{select: {name: a}, fieldPaths: [data.vpc]}]}\n",
        ),
    );
    folder.write(
        "apps/web/a.yaml",
        config_map("vpc: old").replace("web", "a"),
    );
    let run = folder.run(&["check", "apps/web/nodes/b.yaml"]);
    assert_eq!(
        (run.code, run.stderr.contains("target")),
        (Some(0), false),
        "{}",
        run.stderr
    );
    // An output that only another file uses is not unused.
    folder.write("apps/web/c.yaml", config_map("x: ${infra.replicas}"));
    let run = folder.run(&["check", "apps/web/nodes/b.yaml", "--unused", "error"]);
    run.assert_input_error(&["`subnets`"]);
    assert!(!run.stderr.contains("replicas"), "{}", run.stderr);
    // The contract is checked.
    folder.write(
        "apps/web/landfall.yaml",
        binding("  contract: {infra: {account_id: {type: string}}}\n"),
    );
    folder
        .run(&["render", "apps/web/nodes/b.yaml"])
        .assert_input_error(&["contract-violation", "account_id"]);
}

#[test]
fn hides_warnings_of_files_that_are_not_named() {
    let folder = setup();
    folder.write("apps/web/a.yaml", config_map("x: ${infra.nothing}"));
    let arguments = ["render", "apps/web/nodes/b.yaml", "--missing", "keep"];
    assert_eq!(folder.run(&arguments).expect_stdout(), rendered("b"));
    folder
        .run(&["render", "apps/web/nodes/b.yaml"])
        .assert_input_error(&["apps/web/a.yaml:6:"]);
}

#[test]
fn explain_reports_the_named_file() {
    let folder = setup();
    let run = folder.run(&["explain", "apps/web/nodes/b.yaml"]);
    let table = String::from_utf8(run.stdout).unwrap();
    assert!(table.contains("apps/web/nodes/b.yaml:4:"), "{table}");
    assert_eq!(table.lines().count(), 2, "{table}");
}

#[test]
fn in_place_writes_the_named_file() {
    let folder = setup();
    let arguments = [
        "render",
        "apps/web/nodes/b.yaml",
        "--in-place",
        "--replace-references",
    ];
    assert_eq!(folder.run(&arguments).expect_stdout(), "");
    assert_eq!(folder.read("apps/web/nodes/b.yaml"), rendered("b"));
    assert_eq!(folder.read("apps/web/nodes/c.yaml"), named("c"));
}

#[test]
fn output_paths_do_not_depend_on_the_named_file() {
    let folder = setup();
    let arguments = ["render", "apps/web/nodes/b.yaml", "--output-dir", "out"];
    assert_eq!(folder.run(&arguments).expect_stdout(), "");
    assert_eq!(folder.read("out/nodes/b.yaml"), rendered("b"));
    assert!(!folder.at("out/a.yaml").exists());
}

#[test]
fn rejects_paths_that_are_not_manifests_of_the_application() {
    let folder = setup();
    folder.write("apps/web/notes.txt", "${infra.vpc_id}");
    folder.write("apps/web/empty/notes.txt", "");
    folder
        .run(&["render", "apps/web/notes.txt"])
        .assert_input_error(&[
            "not-in-application",
            "`apps/web/notes.txt` is not a manifest of the application `apps/web`",
        ]);
    folder
        .run(&["render", "apps/web/empty"])
        .assert_input_error(&[
            "`apps/web/empty` contains no manifest of the application `apps/web`",
        ]);
    folder
        .run(&["render", "apps/web/landfall.yaml"])
        .assert_input_error(&[
            "`apps/web/landfall.yaml` is a Binding, not a manifest",
            "pass its folder instead: `apps/web`",
        ]);
}

#[test]
fn renders_all_applications_of_a_folder() {
    let folder = setup();
    let (a, b, c, d) = (rendered("a"), rendered("b"), rendered("c"), rendered("d"));
    let all = [d.as_str(), &a, &b, &c].join("---\n");
    assert_eq!(folder.run(&["render", "apps"]).expect_stdout(), all);
    assert_eq!(folder.run(&["render", "."]).expect_stdout(), all);
    assert_eq!(
        folder
            .run(&["render", "apps", "--output-dir", "out"])
            .expect_stdout(),
        ""
    );
    assert_eq!(folder.read("out/db/d.yaml"), d);
    assert_eq!(folder.read("out/web/nodes/b.yaml"), b);
    // The output folder is not searched.
    assert_eq!(
        folder
            .run(&["render", ".", "--output-dir", "out"])
            .expect_stdout(),
        ""
    );
    assert_eq!(folder.read("out/apps/web/a.yaml"), a);

    // An error in one application fails all of them.
    folder.write("apps/db/d.yaml", config_map("x: ${infra.nothing}"));
    folder
        .run(&["render", "apps"])
        .assert_input_error(&["apps/db/d.yaml:6:"]);
}

#[test]
fn reports_manifests_outside_the_applications_of_a_folder() {
    let folder = setup();
    folder.write("apps/stray.yaml", named("stray"));
    folder.write("apps/compose.yaml", "services: {}\n");
    folder.write("apps/.github/x.yaml", named("hidden"));
    let run = folder.run(&["render", "apps"]);
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
    let folder = setup();
    folder.write(
        "apps/web/deep/landfall.yaml",
        binding("").replace("../", "../../"),
    );
    folder.write("apps/web/deep/e.yaml", named("e"));
    for path in ["apps/web", "apps", "apps/web/a.yaml"] {
        folder.run(&["render", path]).assert_input_error(&[
            "nested-binding",
            "`apps/web/deep/landfall.yaml`",
            "exclude: [deep/]",
        ]);
    }
    // It applies to the files in its own folder.
    assert_eq!(
        folder
            .run(&["render", "apps/web/deep/e.yaml"])
            .expect_stdout(),
        rendered("e")
    );
    folder.write(
        "apps/web/landfall.yaml",
        binding("  manifests: {exclude: [deep/]}\n"),
    );
    let all = ["d", "a", "b", "c", "e"].map(rendered).join("---\n");
    assert_eq!(folder.run(&["render", "apps"]).expect_stdout(), all);
}

#[test]
fn a_flag_replaces_the_binding_and_a_bound_file_one_name() {
    let folder = setup();
    folder.write("other.json", INFRA.replace("vpc-0ab1", "vpc-2"));
    let run = folder.run(&["render", "apps/web/nodes/b.yaml", "-b", "infra=other.json"]);
    assert_eq!(
        run.expect_stdout(),
        named("b").replace("${infra.vpc_id}", "vpc-2")
    );
    folder.write("apps/other.yaml", binding("").replace("../", ""));
    folder.write("apps/web/landfall.yaml", "not a Binding");
    let run = folder.run(&["render", "apps/web/nodes/b.yaml", "-c", "apps/other.yaml"]);
    assert_eq!(run.expect_stdout(), rendered("b"));
}

#[test]
fn the_search_ends_at_the_root() {
    let folder = setup();
    std::fs::remove_file(folder.at("apps/web/landfall.yaml")).unwrap();
    folder.write("landfall.yaml", binding("").replace("../", "apps/"));
    let is_above = |run: Run| {
        run.assert_input_error(&["binding-not-applied", "it is above the root"]);
    };
    // The search does not go above the root, but says so.
    is_above(folder.run(&["render", "apps/web/a.yaml", "--root", "apps"]));
    folder.write("apps/.git", "gitdir: elsewhere\n");
    is_above(folder.run(&["render", "apps/web/a.yaml"]));
    // Without a work tree, the root is the current folder.
    std::fs::remove_file(folder.at("apps/.git")).unwrap();
    std::fs::remove_file(folder.at(".git")).unwrap();
    std::fs::remove_file(folder.at("apps/db/landfall.yml")).unwrap();
    assert_eq!(
        folder.run(&["render", "apps/web/a.yaml"]).expect_stdout(),
        rendered("a")
    );
    is_above(run_in(&folder, "apps/web", &["render", "a.yaml"]));
}

#[cfg(unix)]
#[test]
fn a_linked_folder_belongs_to_the_application_that_links_it() {
    use std::os::unix::fs::symlink;
    let folder = setup();
    folder.write("shared/s.yaml", named("s"));
    symlink("../../shared", folder.at("apps/web/shared")).unwrap();
    assert_eq!(
        folder
            .run(&["render", "apps/web/shared/s.yaml"])
            .expect_stdout(),
        rendered("s")
    );
    // An application that can also be reached through a link is rendered once.
    symlink("web", folder.at("apps/current")).unwrap();
    let all = ["d", "a", "b", "c", "s"].map(rendered).join("---\n");
    assert_eq!(folder.run(&["render", "apps"]).expect_stdout(), all);
}

#[test]
fn rejects_a_binding_that_nothing_uses() {
    let folder = setup();
    for (file, text) in [
        ("apps/web/binding.yaml", binding("")),
        ("apps/web/Landfall.yaml", binding("")),
        ("apps/web/z.yaml", format!("{}---\n{}", named("z"), binding(""))),
        (
            "apps/web/list.yaml",
            "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: landfall.dev/v1alpha1, kind: Binding}\n".to_owned(),
        ),
    ] {
        folder.write(file, text);
        folder
            .run(&["render", "apps/web"])
            .assert_input_error(&["stray-binding", &format!("{file}:")]);
        std::fs::remove_file(folder.at(file)).unwrap();
    }
    let run = folder.run_with_stdin(&["render", "-", "-b", "apps/infra.json"], binding(""));
    run.assert_input_error(&["stray-binding"]);
    let pod = "apiVersion: v1\nkind: Binding\nmetadata: {name: x}\ntarget: {name: node}\n";
    folder.write("apps/web/pod.yaml", pod);
    let run = folder.run(&["render", "apps/web/pod.yaml"]);
    assert_eq!(run.expect_stdout(), pod);
}

#[test]
fn an_excluded_output_folder_is_not_an_unmatched_pattern() {
    let folder = setup();
    folder.write(
        "apps/web/landfall.yaml",
        binding("  manifests: {exclude: ['rendered/']}\n"),
    );
    for _ in 0..2 {
        let run = folder.run(&["render", "apps/web", "--output-dir", "apps/web/rendered"]);
        assert_eq!(run.expect_stdout(), "");
    }
    let run = folder.run(&["render", "apps/web", "-q"]);
    assert_eq!(
        run.expect_stdout(),
        ["a", "b", "c"].map(rendered).join("---\n")
    );
}
