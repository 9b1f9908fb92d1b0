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

    // What nobody asks for is told, and no more.
    std::fs::remove_file(place.at("root/app/link.yaml")).unwrap();
    symlink("../..", place.at("root/app/result")).unwrap();
    let run = place.run(&["render", "root/app"]);
    assert_eq!(
        (run.code, run.stdout),
        (Some(0), config_map("vpc: vpc-0ab1").into_bytes())
    );
    assert!(
        run.stderr
            .contains("warning[outside-root]: `root/app/result` is left out"),
        "{}",
        run.stderr
    );
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
