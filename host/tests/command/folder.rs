//! A folder is an application: its Binding says what belongs to it.

use crate::run::{Place, config_map};

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1
kind: Binding
spec:
  outputs:
    - name: infra
      from: {file: ../infra.json}
";

fn application() -> Option<Place> {
    let place = Place::with_infra()?;
    place.write(".git", "gitdir: elsewhere\n");
    place.write("app/landfall.yaml", BINDING);
    place.write("app/b.yaml", config_map("vpc: ${infra.vpc_id}"));
    place.write("app/a/deep.yaml", config_map("subnet: ${infra.subnets[1]}"));
    place.write("app/README.md", "${infra.nothing}\n");
    place.write("app/.hidden.yaml", "${infra.nothing}\n");
    Some(place)
}

fn expected() -> String {
    format!(
        "{}---\n{}",
        config_map("subnet: subnet-2"),
        config_map("vpc: vpc-0ab1")
    )
}

#[test]
fn its_manifests_in_the_order_of_their_paths() {
    let Some(place) = application() else { return };
    assert_eq!(place.run(&["render", "app"]).text(), expected());
    assert_eq!(place.run(&["render", "./app/"]).text(), expected());
    let absolute = place.at("app");
    assert_eq!(
        place.run(&["render", absolute.to_str().unwrap()]).text(),
        expected()
    );
}

#[test]
fn the_current_folder_is_the_default() {
    let Some(place) = application() else { return };
    let mut command = place.command(&["render"]);
    let run = crate::run::finish(
        command
            .current_dir(place.at("app"))
            .stdin(std::process::Stdio::null()),
        b"",
    );
    assert_eq!(run.text(), expected());
}

#[test]
fn places_are_shown_as_the_user_reaches_them() {
    let Some(place) = application() else { return };
    place.write("app/b.yaml", config_map("vpc: ${infra.vpc_idd}"));
    place
        .run(&["check", "app"])
        .input_error(&["app/b.yaml:6:", "::: infra.json:2:3"]);
    let mut command = place.command(&["check"]);
    let run = crate::run::finish(
        command
            .current_dir(place.at("app"))
            .stdin(std::process::Stdio::null()),
        b"",
    );
    run.input_error(&["--> b.yaml:6:", "::: ../infra.json:2:3"]);
}

#[test]
fn another_binding_by_flag() {
    let Some(place) = application() else { return };
    place.write("app/landfall.yaml", "not a binding");
    place.write("other/binding.yaml", BINDING);
    assert_eq!(
        place
            .run(&["render", "app", "-c", "other/binding.yaml"])
            .text(),
        expected()
    );
}

#[test]
fn files_that_flags_name_are_no_manifests() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    place.write("a.yaml", config_map("vpc: ${infra.vpc_id}"));
    place.write(
        "binding.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {}\n",
    );
    let run = place.run(&["render", ".", "-b", "infra.json", "-c", "binding.yaml"]);
    assert_eq!(run.text(), config_map("vpc: vpc-0ab1"));
}

#[test]
fn two_bindings_are_one_too_many() {
    let Some(place) = application() else { return };
    place.write("app/landfall.yml", BINDING);
    place
        .run(&["render", "app"])
        .input_error(&["two-bindings", "`app`"]);
}

#[test]
fn several_applications_at_once() {
    let Some(place) = application() else { return };
    place.write("second/landfall.yaml", BINDING.replace("infra\n", "tf\n"));
    place.write("second/c.yaml", config_map("vpc: ${tf.vpc_id}"));
    let second = config_map("vpc: vpc-0ab1");
    let run = place.run(&["render", "app", "second", "-q"]);
    assert_eq!(run.text(), format!("{}---\n{second}", expected()));

    // An error in one is an error of all.
    place.write("second/c.yaml", config_map("vpc: ${tf.nothing}"));
    place
        .run(&["render", "app", "second"])
        .input_error(&["second/c.yaml:6:"]);

    // What one binds is not bound in the other.
    place.write("second/c.yaml", config_map("vpc: ${infra.vpc_id}"));
    place
        .run(&["render", "app", "second"])
        .input_error(&["bound-elsewhere", "`infra` is bound by app/landfall.yaml"]);
}

#[test]
fn a_file_of_several_names_is_written_once() {
    let Some(place) = Place::with_infra() else {
        return;
    };
    place.write("app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    place.write("app/b.yaml", config_map("vpc: ${infra.vpc_id}"));
    #[cfg(unix)]
    std::os::unix::fs::symlink("app/a.yaml", place.at("link.yaml")).unwrap();
    let one = config_map("vpc: vpc-0ab1");
    let both = format!("{one}---\n{one}");
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
        let run = place.run(&[&["render", "-b", "infra.json"], paths].concat());
        assert_eq!(run.text(), *expected, "{paths:?}");
    }
    // In a folder, both are manifests.
    place.write("two/a.yaml", &one);
    std::fs::hard_link(place.at("two/a.yaml"), place.at("two/b.yaml")).unwrap();
    assert_eq!(place.run(&["render", "two"]).text(), both);
}

#[test]
fn check_writes_nothing() {
    let Some(place) = application() else { return };
    let before = place.snapshot();
    let check = ["check", "app", "--unused", "ignore"];
    assert_eq!(place.run(&check).text(), "");
    let told = place.run(&["check", "-v", "app"]);
    assert!(told.stderr.contains("2 manifest files"), "{}", told.stderr);
    assert_eq!(place.snapshot(), before);
}
