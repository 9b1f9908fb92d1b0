//! Files that a Binding names or a folder contains are opened only inside the root.

use crate::run::{INFRA, TestFolder, config_map, other_config_map};

fn binding(file: &str) -> String {
    format!(
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n    - name: infra\n      from: {{file: {file}}}\n"
    )
}

/// Creates the application `root/app`, and an outputs document outside `root`.
fn setup() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("outside.json", INFRA);
    folder.write("root/.git/config", "");
    folder.write("root/infra.json", INFRA);
    folder.write("root/app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder
}

#[test]
fn the_work_tree_is_the_default_root() {
    let folder = setup();
    folder.write("root/app/landfall.yaml", binding("../infra.json"));
    assert_eq!(
        folder.run(&["render", "root/app"]).expect_stdout(),
        config_map("vpc: vpc-0ab1")
    );
    for outside in ["../../outside.json", "x/../../../outside.json"] {
        folder.write("root/app/landfall.yaml", binding(outside));
        folder
            .run(&["render", "root/app"])
            .assert_input_error(&["outside-root", "root/app/landfall.yaml:6:"]);
    }
    folder.write("root/app/landfall.yaml", binding("/etc/hostname"));
    folder
        .run(&["render", "root/app"])
        .assert_input_error(&["root/app/landfall.yaml:6:"]);
    // A file that a flag names may be anywhere.
    folder.write("root/app/landfall.yaml", binding("../../outside.json"));
    let run = folder.run(&["render", "root/app", "-b", "infra=outside.json"]);
    assert_eq!(run.expect_stdout(), config_map("vpc: vpc-0ab1"));
}

#[test]
fn a_flag_sets_the_root() {
    let folder = setup();
    folder.write("root/app/landfall.yaml", binding("../../outside.json"));
    assert_eq!(
        folder
            .run(&["render", "root/app", "--root", "."])
            .expect_stdout(),
        config_map("vpc: vpc-0ab1")
    );
    folder.write("root/app/landfall.yaml", binding("../infra.json"));
    folder
        .run(&["render", "root/app", "--root", "root/app"])
        .assert_input_error(&["outside-root"]);
    folder
        .run(&["render", "root/app", "--root", "elsewhere"])
        .assert_input_error(&["`elsewhere`, named by --root,"]);
    folder.write("elsewhere/x", "");
    folder
        .run(&["render", "root/app", "--root", "elsewhere"])
        .assert_input_error(&["`root/app` is outside the root"]);
}

#[test]
fn rejects_documents_of_a_binding_outside_the_root() {
    let folder = setup();
    folder.write("binding.yaml", binding("outside.json"));
    let run = folder.run(&["render", "root/app", "-c", "binding.yaml"]);
    run.assert_input_error(&["outside-root", "`binding.yaml`, named by --config,"]);
}

#[cfg(unix)]
#[test]
fn rejects_links_out_of_the_root() {
    use std::os::unix::fs::symlink;
    let folder = setup();
    folder.write("root/app/landfall.yaml", binding("link.json"));
    symlink("../infra.json", folder.at("root/app/link.json")).unwrap();
    assert_eq!(
        folder.run(&["render", "root/app"]).expect_stdout(),
        config_map("vpc: vpc-0ab1")
    );

    std::fs::remove_file(folder.at("root/app/link.json")).unwrap();
    symlink("../../outside.json", folder.at("root/app/link.json")).unwrap();
    folder
        .run(&["render", "root/app"])
        .assert_input_error(&["outside-root", "`root/app/link.json`"]);

    folder.write("root/app/landfall.yaml", binding("../infra.json"));
    std::fs::remove_file(folder.at("root/app/link.json")).unwrap();
    folder.write("outside.yaml", config_map("secret: of another"));
    symlink("../../outside.yaml", folder.at("root/app/link.yaml")).unwrap();
    let run = folder.run(&["render", "root/app"]);
    run.assert_input_error(&["outside-root", "`root/app/link.yaml`"]);
    assert!(!run.stderr.contains("of another"));

    // The link could point to a folder of manifests.
    std::fs::remove_file(folder.at("root/app/link.yaml")).unwrap();
    symlink("../..", folder.at("root/app/result")).unwrap();
    let error = "error[outside-root]: the link `root/app/result` points outside the root";
    folder.run(&["render", "root/app"]).assert_input_error(&[
        error,
        "exclude: [result/]",
        "--root",
    ]);
    let excluding = |patterns: &str| {
        let binding = binding("../infra.json");
        folder.write(
            "root/app/landfall.yaml",
            format!("{binding}  manifests: {patterns}\n"),
        );
        folder.run(&["render", "root/app", "--strict"])
    };
    let rendered = config_map("vpc: vpc-0ab1");
    for patterns in [
        "{exclude: [result/]}",
        "{exclude: ['res*/**']}",
        "{include: ['**/*.yaml'], exclude: [result/]}",
    ] {
        assert_eq!(excluding(patterns).expect_stdout(), rendered, "{patterns}");
    }
    excluding("{include: ['**/*.yaml']}").assert_input_error(&[error]);
    // An `include` list of files may or may not mean this link.
    excluding("{include: [a.yaml]}")
        .assert_input_error(&["error[outside-root]: skipped `root/app/result`"]);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = setup();
    folder.write("root/app/landfall.yaml", binding("../infra.json"));
    let rendered = config_map("vpc: vpc-0ab1");
    let named = |name: &[u8]| folder.at("root/app").join(OsStr::from_bytes(name));
    std::fs::write(named(b"caf\xe9.txt"), "no manifest").unwrap();
    assert_eq!(
        folder.run(&["render", "root/app"]).expect_stdout(),
        rendered
    );
    std::fs::write(named(b"caf\xe9.yaml"), &rendered).unwrap();
    let expected = &[
        "error[unlisted-file]",
        "caf\u{fffd}.yaml` cannot be rendered: its name is not UTF-8",
        "exclude: [\"caf?.yaml\"]",
    ];
    folder
        .run(&["render", "root/app"])
        .assert_input_error(expected);
    let mut generate = folder.command(&["cmp", "generate"]);
    generate
        .current_dir(folder.at("root/app"))
        .stdin(std::process::Stdio::null());
    crate::run::finish(&mut generate, b"").assert_input_error(expected);
    std::os::unix::fs::symlink("../..", named(b"\xe9")).unwrap();
    folder.run(&["render", "root/app"]).assert_input_error(&[
        "error[outside-root]",
        "\u{fffd}` points outside",
        "exclude: [\"?/\"]",
    ]);
    let excluding = format!(
        "{}  manifests: {{exclude: [\"caf?.yaml\", \"?/\"]}}\n",
        binding("../infra.json")
    );
    folder.write("root/app/landfall.yaml", excluding);
    assert_eq!(
        folder
            .run(&["render", "root/app", "--strict"])
            .expect_stdout(),
        rendered
    );
}

/// `--no-references` reads all files that it is given, or fails.
#[cfg(unix)]
#[test]
fn no_references_rejects_links_out_of_the_root() {
    let folder = setup();
    folder.write("rendered/a.yaml", config_map("vpc: vpc-0ab1"));
    std::os::unix::fs::symlink("../root", folder.at("rendered/more")).unwrap();
    folder
        .run(&["check", "--no-references", "rendered"])
        .assert_input_error(&["error[outside-root]: the link `rendered/more`", "--root"]);
}

#[cfg(unix)]
#[test]
fn linked_folders_belong_to_the_application() {
    use std::os::unix::fs::symlink;
    let folder = setup();
    folder.write(
        "root/shared/s.yaml",
        other_config_map("shared: ${infra.subnets[0]}"),
    );
    symlink("../shared", folder.at("root/app/shared")).unwrap();
    symlink("..", folder.at("root/app/circle")).unwrap();
    folder.write("root/app/landfall.yaml", binding("../infra.json"));
    let rendered = folder.run(&["render", "root/app"]).expect_stdout();
    assert_eq!(
        rendered.matches("shared: subnet-1").count(),
        1,
        "{rendered}"
    );
}

/// As Kubernetes mounts ConfigMaps: `key -> ..data/key`, `..data -> ..2026`.
#[cfg(unix)]
#[test]
fn a_mounted_config_map() {
    use std::os::unix::fs::symlink;
    let folder = setup();
    folder.write("root/app/mounted/..2026/infra.json", INFRA);
    symlink("..2026", folder.at("root/app/mounted/..data")).unwrap();
    symlink(
        "..data/infra.json",
        folder.at("root/app/mounted/infra.json"),
    )
    .unwrap();
    folder.write("root/app/landfall.yaml", binding("mounted/infra.json"));
    assert_eq!(
        folder.run(&["render", "root/app"]).expect_stdout(),
        config_map("vpc: vpc-0ab1")
    );
}
