//! `--output-dir`: all files or none.

use crate::run::{Place, config_map};

fn place() -> Option<Place> {
    let place = Place::with_infra()?;
    place.write("app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    place.write("app/deep/b.yaml", config_map("unchanged: yes"));
    Some(place)
}

#[test]
fn the_same_paths_below_it() {
    let Some(place) = place() else { return };
    let run = place.run(&[
        "render",
        "app",
        "-b",
        "infra.json",
        "--output-dir",
        "out/new",
    ]);
    assert_eq!(run.text(), "");
    assert_eq!(place.read("out/new/a.yaml"), config_map("vpc: vpc-0ab1"));
    assert_eq!(
        place.read("out/new/deep/b.yaml"),
        config_map("unchanged: yes")
    );
    assert_eq!(place.read("app/a.yaml"), config_map("vpc: ${infra.vpc_id}"));
}

#[test]
fn again_and_inside_the_folder() {
    let Some(place) = place() else { return };
    let render = [
        "render",
        "app",
        "-b",
        "infra.json",
        "--output-dir",
        "app/out",
    ];
    place.write(
        "app/landfall.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {manifests: {exclude: [out/]}}\n",
    );
    place.run(&render).text();
    let once = place.snapshot();
    // What was written is no source.
    place.run(&render).text();
    assert_eq!(place.snapshot(), once);
}

#[test]
fn refuses_a_folder_that_the_next_render_would_read() {
    let Some(place) = place() else { return };
    let before = place.snapshot();
    for output in ["app/out", "app/new/out", "app/deep", "app/x/../out"] {
        let arguments = ["render", "app", "-b", "infra.json", "--output-dir", output];
        let output = output.replace("x/../", "");
        place.run(&arguments).input_error(&[
            &format!(
                "error[output-among-manifests]: `{output}` is inside the application's folder"
            ),
            &format!("exclude: [{}/]", output.trim_start_matches("app/")),
        ]);
        assert_eq!(place.snapshot(), before);
    }
    // What no manifest is taken from may be anywhere.
    let arguments = [
        "render",
        "app",
        "-b",
        "infra.json",
        "--output-dir",
        "app/.rendered",
    ];
    assert_eq!(place.run(&arguments).text(), "");
}

#[test]
fn refuses_to_overwrite_the_manifests() {
    let Some(place) = place() else { return };
    #[cfg(unix)]
    std::os::unix::fs::symlink("app", place.at("link")).unwrap();
    let before = place.snapshot();
    for (what, output) in [
        ("app", "app"),
        ("app", "./app/../app/"),
        ("app/a.yaml", "app"),
        (".", "."),
        #[cfg(unix)]
        ("app", "link"),
        #[cfg(unix)]
        ("link", "app"),
    ] {
        let arguments = ["render", what, "-b", "infra.json", "--output-dir", output];
        place.run(&arguments).input_error(&[
            "error[output-among-manifests]",
            "would overwrite its own sources",
            "--in-place --replace-references",
        ]);
        assert_eq!(place.snapshot(), before, "{what} {output}");
    }
}

#[test]
fn nothing_is_touched_on_an_error() {
    let Some(place) = place() else { return };
    place.write("out/a.yaml", "before");
    place.write("app/deep/b.yaml", config_map("wrong: ${infra.nothing}"));
    let before = place.snapshot();
    let run = place.run(&["render", "app", "-b", "infra.json", "--output-dir", "out"]);
    run.input_error(&["app/deep/b.yaml:6:"]);
    let run = place.run(&[
        "render",
        "app",
        "-b",
        "infra.json",
        "--output-dir",
        "new/out",
    ]);
    run.input_error(&["app/deep/b.yaml:6:"]);
    assert_eq!(place.snapshot(), before);
}

#[test]
fn nothing_is_touched_when_one_cannot_be_written() {
    let Some(place) = place() else { return };
    place.write("out/a.yaml", "before");
    place.write("out/deep", "a file where a folder is needed");
    let before = place.snapshot();
    let run = place.run(&["render", "app", "-b", "infra.json", "--output-dir", "out"]);
    run.input_error(&["unwritable-file", "out/deep", "nothing was written"]);
    assert_eq!(place.snapshot(), before);
}

#[test]
fn two_files_for_one_place() {
    let Some(place) = place() else { return };
    place.write("other/a.yaml", config_map("x: y"));
    let run = place.run(&[
        "render",
        "app",
        "other",
        "-b",
        "infra.json",
        "--output-dir",
        "out",
    ]);
    run.input_error(&["out/a.yaml", "two files"]);
    assert!(!place.at("out").exists());
}

#[test]
fn standard_input_by_its_name() {
    let Some(place) = place() else { return };
    let arguments = [
        "render",
        "-",
        "-b",
        "infra.json",
        "--output-dir",
        "out",
        "--stdin-filename",
        "x/app.yaml",
    ];
    place
        .run_with_stdin(&arguments, "a: ${infra.vpc_id}\n")
        .text();
    assert_eq!(place.read("out/app.yaml"), "a: vpc-0ab1\n");
}
