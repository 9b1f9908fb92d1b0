//! Nothing that a Binding or a folder names is opened outside the one root.

use crate::run::{INFRA, Place, config_map};

fn binding(file: &str) -> String {
    format!(
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n    - name: infra\n      from: {{file: {file}}}\n"
    )
}

/// `root/app` is the application; a document lies outside of `root`.
fn place() -> Option<Place> {
    let place = Place::new()?;
    place.write("outside.json", INFRA);
    place.write("root/.git/config", "");
    place.write("root/infra.json", INFRA);
    place.write("root/app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    Some(place)
}

#[test]
fn up_to_the_work_tree_and_no_further() {
    let Some(place) = place() else { return };
    place.write("root/app/landfall.yaml", binding("../infra.json"));
    assert_eq!(
        place.run(&["render", "root/app"]).text(),
        config_map("vpc: vpc-0ab1")
    );
    for outside in ["../../outside.json", "x/../../../outside.json"] {
        place.write("root/app/landfall.yaml", binding(outside));
        place
            .run(&["render", "root/app"])
            .input_error(&["outside-root", "root/app/landfall.yaml:6:"]);
    }
    place.write("root/app/landfall.yaml", binding("/etc/hostname"));
    place
        .run(&["render", "root/app"])
        .input_error(&["root/app/landfall.yaml:6:"]);
    // By flag the user names it.
    place.write("root/app/landfall.yaml", binding("../../outside.json"));
    let run = place.run(&["render", "root/app", "-b", "infra=outside.json"]);
    assert_eq!(run.text(), config_map("vpc: vpc-0ab1"));
}

#[test]
fn a_root_by_flag() {
    let Some(place) = place() else { return };
    place.write("root/app/landfall.yaml", binding("../../outside.json"));
    assert_eq!(
        place.run(&["render", "root/app", "--root", "."]).text(),
        config_map("vpc: vpc-0ab1")
    );
    place.write("root/app/landfall.yaml", binding("../infra.json"));
    place
        .run(&["render", "root/app", "--root", "root/app"])
        .input_error(&["outside-root"]);
    place
        .run(&["render", "root/app", "--root", "elsewhere"])
        .input_error(&["`elsewhere`, named by --root,"]);
    place.write("elsewhere/x", "");
    place
        .run(&["render", "root/app", "--root", "elsewhere"])
        .input_error(&["`root/app` is outside the root"]);
}

#[test]
fn a_binding_outside_the_root_asks_for_nothing_inside() {
    let Some(place) = place() else { return };
    place.write("binding.yaml", binding("outside.json"));
    let run = place.run(&["render", "root/app", "-c", "binding.yaml"]);
    run.input_error(&["outside-root", "`binding.yaml`, named by --config,"]);
}

#[cfg(unix)]
#[test]
fn links_stay_under_it() {
    use std::os::unix::fs::symlink;
    let Some(place) = place() else { return };
    place.write("root/app/landfall.yaml", binding("link.json"));
    symlink("../infra.json", place.at("root/app/link.json")).unwrap();
    assert_eq!(
        place.run(&["render", "root/app"]).text(),
        config_map("vpc: vpc-0ab1")
    );

    std::fs::remove_file(place.at("root/app/link.json")).unwrap();
    symlink("../../outside.json", place.at("root/app/link.json")).unwrap();
    place
        .run(&["render", "root/app"])
        .input_error(&["outside-root", "`root/app/link.json`"]);

    place.write("root/app/landfall.yaml", binding("../infra.json"));
    std::fs::remove_file(place.at("root/app/link.json")).unwrap();
    place.write("outside.yaml", config_map("secret: of another"));
    symlink("../../outside.yaml", place.at("root/app/link.yaml")).unwrap();
    let run = place.run(&["render", "root/app"]);
    run.input_error(&["outside-root", "`root/app/link.yaml`"]);
    assert!(!run.stderr.contains("of another"));

    // It could be a folder of manifests.
    std::fs::remove_file(place.at("root/app/link.yaml")).unwrap();
    symlink("../..", place.at("root/app/result")).unwrap();
    let error = "error[outside-root]: the link `root/app/result` points outside the root";
    place
        .run(&["render", "root/app"])
        .input_error(&[error, "exclude: [result/]", "--root"]);
    let excluding = |patterns: &str| {
        let binding = binding("../infra.json");
        place.write(
            "root/app/landfall.yaml",
            format!("{binding}  manifests: {patterns}\n"),
        );
        place.run(&["render", "root/app", "--strict"])
    };
    let rendered = config_map("vpc: vpc-0ab1");
    for patterns in [
        "{exclude: [result/]}",
        "{exclude: ['res*/**']}",
        "{include: ['**/*.yaml'], exclude: [result/]}",
    ] {
        assert_eq!(excluding(patterns).text(), rendered, "{patterns}");
    }
    excluding("{include: ['**/*.yaml']}").input_error(&[error]);
    // Who lists files may mean this one or not.
    excluding("{include: [a.yaml]}")
        .input_error(&["error[outside-root]: skipped `root/app/result`"]);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let Some(place) = place() else { return };
    place.write("root/app/landfall.yaml", binding("../infra.json"));
    let rendered = config_map("vpc: vpc-0ab1");
    let named = |name: &[u8]| place.at("root/app").join(OsStr::from_bytes(name));
    std::fs::write(named(b"caf\xe9.txt"), "no manifest").unwrap();
    assert_eq!(place.run(&["render", "root/app"]).text(), rendered);
    std::fs::write(named(b"caf\xe9.yaml"), &rendered).unwrap();
    let refused = &[
        "error[unlisted-file]",
        "caf\u{fffd}.yaml` cannot be rendered: its name is not UTF-8",
        "exclude: [\"caf?.yaml\"]",
    ];
    place.run(&["render", "root/app"]).input_error(refused);
    let mut generate = place.command(&["cmp", "generate"]);
    generate
        .current_dir(place.at("root/app"))
        .stdin(std::process::Stdio::null());
    crate::run::finish(&mut generate, b"").input_error(refused);
    std::os::unix::fs::symlink("../..", named(b"\xe9")).unwrap();
    place.run(&["render", "root/app"]).input_error(&[
        "error[outside-root]",
        "\u{fffd}` points outside",
        "exclude: [\"?/\"]",
    ]);
    let excluding = format!(
        "{}  manifests: {{exclude: [\"caf?.yaml\", \"?/\"]}}\n",
        binding("../infra.json")
    );
    place.write("root/app/landfall.yaml", excluding);
    assert_eq!(
        place.run(&["render", "root/app", "--strict"]).text(),
        rendered
    );
}

/// The gate reads what it is given, or fails.
#[cfg(unix)]
#[test]
fn the_gate_follows_no_link_out_of_the_root() {
    let Some(place) = place() else { return };
    place.write("rendered/a.yaml", config_map("vpc: vpc-0ab1"));
    std::os::unix::fs::symlink("../root", place.at("rendered/more")).unwrap();
    place
        .run(&["check", "--no-references", "rendered"])
        .input_error(&["error[outside-root]: the link `rendered/more`", "--root"]);
}

#[cfg(unix)]
#[test]
fn linked_folders_belong_to_the_application() {
    use std::os::unix::fs::symlink;
    let Some(place) = place() else { return };
    place.write(
        "root/shared/s.yaml",
        config_map("shared: ${infra.subnets[0]}"),
    );
    symlink("../shared", place.at("root/app/shared")).unwrap();
    symlink("..", place.at("root/app/circle")).unwrap();
    place.write("root/app/landfall.yaml", binding("../infra.json"));
    let rendered = place.run(&["render", "root/app"]).text();
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
    let Some(place) = place() else { return };
    place.write("root/app/mounted/..2026/infra.json", INFRA);
    symlink("..2026", place.at("root/app/mounted/..data")).unwrap();
    symlink("..data/infra.json", place.at("root/app/mounted/infra.json")).unwrap();
    place.write("root/app/landfall.yaml", binding("mounted/infra.json"));
    assert_eq!(
        place.run(&["render", "root/app"]).text(),
        config_map("vpc: vpc-0ab1")
    );
}
