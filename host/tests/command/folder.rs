//! A folder as an application: its Binding selects the manifests.

use crate::run::{TestFolder, config_map, other_config_map};

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1
kind: Binding
spec:
  outputs:
    - name: infra
      from: {file: ../infra.json}
";

fn application() -> TestFolder {
    let folder = TestFolder::with_infra();
    folder.write(".git", "gitdir: elsewhere\n");
    folder.write("app/landfall.yaml", BINDING);
    folder.write("app/b.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder.write(
        "app/a/deep.yaml",
        other_config_map("subnet: ${infra.subnets[1]}"),
    );
    folder.write("app/README.md", "${infra.nothing}\n");
    folder.write("app/.hidden.yaml", "${infra.nothing}\n");
    folder
}

fn expected() -> String {
    format!(
        "{}---\n{}",
        other_config_map("subnet: subnet-2"),
        config_map("vpc: vpc-0ab1")
    )
}

#[test]
fn renders_manifests_in_path_order() {
    let folder = application();
    assert_eq!(folder.run(&["render", "app"]).expect_stdout(), expected());
    assert_eq!(
        folder.run(&["render", "./app/"]).expect_stdout(),
        expected()
    );
    let absolute = folder.at("app");
    assert_eq!(
        folder
            .run(&["render", absolute.to_str().unwrap()])
            .expect_stdout(),
        expected()
    );
}

#[test]
fn the_current_folder_is_the_default() {
    let folder = application();
    let mut command = folder.command(&["render"]);
    let run = crate::run::finish(
        command
            .current_dir(folder.at("app"))
            .stdin(std::process::Stdio::null()),
        b"",
    );
    assert_eq!(run.expect_stdout(), expected());
}

#[test]
fn locations_are_relative_to_the_current_folder() {
    let folder = application();
    folder.write("app/b.yaml", config_map("vpc: ${infra.vpc_idd}"));
    folder
        .run(&["check", "app"])
        .assert_input_error(&["app/b.yaml:6:", "::: infra.json:2:3"]);
    let mut command = folder.command(&["check"]);
    let run = crate::run::finish(
        command
            .current_dir(folder.at("app"))
            .stdin(std::process::Stdio::null()),
        b"",
    );
    run.assert_input_error(&["--> b.yaml:6:", "::: ../infra.json:2:3"]);
}

#[test]
fn a_flag_selects_another_binding() {
    let folder = application();
    folder.write("app/landfall.yaml", "not a binding");
    folder.write("other/binding.yaml", BINDING);
    assert_eq!(
        folder
            .run(&["render", "app", "-c", "other/binding.yaml"])
            .expect_stdout(),
        expected()
    );
}

#[test]
fn files_named_by_flags_are_not_manifests() {
    let folder = TestFolder::with_infra();
    folder.write("a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder.write(
        "binding.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {}\n",
    );
    let run = folder.run(&["render", ".", "-b", "infra.json", "-c", "binding.yaml"]);
    assert_eq!(run.expect_stdout(), config_map("vpc: vpc-0ab1"));
}

#[test]
fn rejects_two_bindings_in_one_folder() {
    let folder = application();
    folder.write("app/landfall.yml", BINDING);
    folder
        .run(&["render", "app"])
        .assert_input_error(&["two-bindings", "`app`"]);
}

#[test]
fn several_applications_at_once() {
    let folder = application();
    folder.write("second/landfall.yaml", BINDING.replace("infra\n", "tf\n"));
    folder.write("second/c.yaml", config_map("vpc: ${tf.vpc_id}"));
    let second = config_map("vpc: vpc-0ab1");
    let run = folder.run(&["render", "app", "second", "-q"]);
    assert_eq!(run.expect_stdout(), format!("{}---\n{second}", expected()));

    // An error in one application fails all of them.
    folder.write("second/c.yaml", config_map("vpc: ${tf.nothing}"));
    folder
        .run(&["render", "app", "second"])
        .assert_input_error(&["second/c.yaml:6:"]);

    // Names that one application binds are not bound in the other.
    folder.write("second/c.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder
        .run(&["render", "app", "second"])
        .assert_input_error(&["bound-elsewhere", "`infra` is bound by app/landfall.yaml"]);
}

#[test]
fn a_file_with_several_paths_is_rendered_once() {
    let folder = TestFolder::with_infra();
    folder.write("app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder.write("app/b.yaml", other_config_map("vpc: ${infra.vpc_id}"));
    #[cfg(unix)]
    std::os::unix::fs::symlink("app/a.yaml", folder.at("link.yaml")).unwrap();
    let one = config_map("vpc: vpc-0ab1");
    let both = format!("{one}---\n{}", other_config_map("vpc: vpc-0ab1"));
    for (paths, expected) in [
        (&["app/a.yaml", "./app/a.yaml"][..], &one),
        (&["app/a.yaml", "app/../app/a.yaml", "app/b.yaml"], &both),
        (&["app", "app/a.yaml"], &both),
        (&["app/a.yaml", "app"], &both),
        (&["app", "app/b.yaml", "app/a.yaml"], &both),
        (&["app", "./app/"], &both),
        #[cfg(unix)]
        (&["link.yaml", "app/a.yaml"], &one),
    ] {
        let run = folder.run(&[&["render", "-b", "infra.json"], paths].concat());
        assert_eq!(run.expect_stdout(), *expected, "{paths:?}");
    }
    // Two hard links may be changed one by one.
    folder.write("two/a.yaml", &one);
    std::fs::hard_link(folder.at("two/a.yaml"), folder.at("two/b.yaml")).unwrap();
    let twice = format!("{one}---\n{one}");
    assert_eq!(folder.run(&["render", "two", "-q"]).expect_stdout(), twice);
}

#[test]
fn check_writes_nothing() {
    let folder = application();
    let before = folder.snapshot();
    let check = ["check", "app", "--unused", "ignore"];
    assert_eq!(folder.run(&check).expect_stdout(), "");
    let run = folder.run(&["check", "-v", "app"]);
    assert!(run.stderr.contains("2 manifest files"), "{}", run.stderr);
    assert_eq!(folder.snapshot(), before);
}
