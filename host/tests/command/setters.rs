//! `--in-place` alone: fields with setter comments get the current values and can be
//! rendered again; references are left as they are.

use crate::run::{INFRA, Run, TestFolder, config_map};

const VPC: &str = "vpc: vpc-old  # landfall: ${infra.vpc_id}";

fn setup() -> TestFolder {
    let folder = TestFolder::with_infra();
    folder.write("app/a.yaml", config_map(VPC));
    folder.write("app/b.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder.write("app/c.yaml", config_map("vpc: vpc-old  # by hand"));
    folder
}

fn render(folder: &TestFolder, flags: &[&str]) -> Run {
    folder.run(&[&["render", "app", "-b", "infra.json", "--in-place"], flags].concat())
}

#[test]
fn sets_values_and_keeps_comments() {
    let folder = setup();
    assert_eq!(render(&folder, &[]).expect_stdout(), "");
    assert_eq!(
        folder.read("app/a.yaml"),
        config_map("vpc: vpc-0ab1  # landfall: ${infra.vpc_id}")
    );
    assert_eq!(
        folder.read("app/b.yaml"),
        config_map("vpc: ${infra.vpc_id}")
    );
    assert_eq!(
        folder.read("app/c.yaml"),
        config_map("vpc: vpc-old  # by hand")
    );
}

#[test]
fn renders_again_with_changed_outputs() {
    let folder = setup();
    render(&folder, &[]).expect_stdout();
    let once = folder.snapshot();
    let modified = || {
        std::fs::metadata(folder.at("app/a.yaml"))
            .unwrap()
            .modified()
            .unwrap()
    };
    let written = modified();
    assert!(render(&folder, &["-v"]).stderr.contains("0 files changed"));
    assert_eq!(folder.snapshot(), once);
    assert_eq!(modified(), written);

    folder.write("infra.json", INFRA.replace("vpc-0ab1", "vpc-new"));
    assert!(render(&folder, &["-v"]).stderr.contains("1 file changed"));
    assert_eq!(
        folder.read("app/a.yaml"),
        config_map("vpc: vpc-new  # landfall: ${infra.vpc_id}")
    );
}

#[test]
fn check_lists_the_files_that_would_change() {
    let folder = setup();
    folder.write("app/d.yaml", config_map(VPC));
    let before = folder.snapshot();
    let run = render(&folder, &["--check"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    assert_eq!(
        String::from_utf8(run.stdout).unwrap(),
        "app/a.yaml\napp/d.yaml\n"
    );
    assert_eq!(folder.snapshot(), before);
    assert!(
        render(&folder, &["--check", "-v"])
            .stderr
            .contains("2 files would change")
    );

    // A file that only references would change is listed with --replace-references.
    let run = render(&folder, &["--check", "--replace-references"]);
    let listed = String::from_utf8(run.stdout).unwrap();
    assert_eq!(listed, "app/a.yaml\napp/b.yaml\napp/d.yaml\n");

    assert_eq!(render(&folder, &[]).expect_stdout(), "");
    assert_eq!(render(&folder, &["--check"]).expect_stdout(), "");
}

#[test]
fn check_reports_errors() {
    let folder = setup();
    folder.write(
        "app/a.yaml",
        config_map("vpc: vpc-old  # landfall: ${infra.vpcid}"),
    );
    render(&folder, &["--check"]).assert_input_error(&["unknown-output", "nothing was rendered"]);
}

#[test]
fn replaces_references_on_request() {
    let folder = setup();
    assert_eq!(
        render(&folder, &["--replace-references"]).expect_stdout(),
        ""
    );
    assert_eq!(
        folder.read("app/a.yaml"),
        config_map("vpc: vpc-0ab1  # landfall: ${infra.vpc_id}")
    );
    assert_eq!(folder.read("app/b.yaml"), config_map("vpc: vpc-0ab1"));
}

#[test]
fn patterns() {
    let folder = setup();
    folder.write(
        "app/a.yaml",
        config_map(
            "url: \"vpc-old.internal:80\" # landfall: ${infra.vpc_id}.internal:${infra.replicas}",
        ),
    );
    render(&folder, &[]).expect_stdout();
    assert_eq!(
        folder.read("app/a.yaml"),
        config_map(
            "url: \"vpc-0ab1.internal:3\" # landfall: ${infra.vpc_id}.internal:${infra.replicas}"
        )
    );
}

#[test]
fn does_not_resolve_references_that_stay() {
    let folder = setup();
    // Another render may replace it, perhaps with other outputs.
    folder.write("app/b.yaml", config_map("vpc: ${infra.not_published_yet}"));
    assert_eq!(render(&folder, &[]).expect_stdout(), "");
    assert_eq!(
        folder.read("app/b.yaml"),
        config_map("vpc: ${infra.not_published_yet}")
    );
}

#[test]
fn a_setter_with_an_unknown_output_changes_no_file() {
    let folder = setup();
    folder.write(
        "app/c.yaml",
        config_map("vpc: vpc-old  # landfall: ${infra.nothing}"),
    );
    let before = folder.snapshot();
    render(&folder, &[]).assert_input_error(&[
        "unknown-output",
        "app/c.yaml:6:",
        "nothing was rendered",
    ]);
    assert_eq!(folder.snapshot(), before);
}

#[test]
fn a_sensitive_output_is_refused() {
    let folder = setup();
    folder.write(
        "app/a.yaml",
        config_map("password: old  # landfall: ${infra.password}"),
    );
    let before = folder.snapshot();
    let run = render(&folder, &[]);
    run.assert_input_error(&["app/a.yaml:6:"]);
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
    assert_eq!(folder.snapshot(), before);
}

#[test]
fn a_stream_keeps_setter_comments() {
    let folder = setup();
    let run = folder.run(&["render", "app/a.yaml", "-b", "infra.json"]);
    assert_eq!(
        run.expect_stdout(),
        config_map("vpc: vpc-0ab1  # landfall: ${infra.vpc_id}")
    );
}
