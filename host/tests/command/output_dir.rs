//! `--output-dir`: writes all files or none.

use std::fs::OpenOptions;
use std::process::Stdio;

use crate::run::{TestFolder, config_map, other_config_map};

fn setup() -> TestFolder {
    let folder = TestFolder::with_infra();
    folder.write("app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder.write("app/deep/b.yaml", other_config_map("unchanged: yes"));
    folder
}

#[test]
fn keeps_relative_paths() {
    let folder = setup();
    let run = folder.run(&[
        "render",
        "app",
        "-b",
        "infra.json",
        "--output-dir",
        "out/new",
    ]);
    assert_eq!(run.expect_stdout(), "");
    assert_eq!(folder.read("out/new/a.yaml"), config_map("vpc: vpc-0ab1"));
    assert_eq!(
        folder.read("out/new/deep/b.yaml"),
        other_config_map("unchanged: yes")
    );
    assert_eq!(
        folder.read("app/a.yaml"),
        config_map("vpc: ${infra.vpc_id}")
    );
}

#[test]
fn renders_again_into_an_excluded_subfolder() {
    let folder = setup();
    let render = [
        "render",
        "app",
        "-b",
        "infra.json",
        "--output-dir",
        "app/out",
    ];
    folder.write(
        "app/landfall.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {manifests: {exclude: [out/]}}\n",
    );
    folder.run(&render).expect_stdout();
    let once = folder.snapshot();
    // The written files are not sources.
    folder.run(&render).expect_stdout();
    assert_eq!(folder.snapshot(), once);
}

#[test]
fn refuses_a_folder_that_the_next_render_would_read() {
    let folder = setup();
    let before = folder.snapshot();
    for output in ["app/out", "app/new/out", "app/deep", "app/x/../out"] {
        let arguments = ["render", "app", "-b", "infra.json", "--output-dir", output];
        let output = output.replace("x/../", "");
        folder.run(&arguments).assert_input_error(&[
            &format!(
                "error[output-among-manifests]: `{output}` is inside the application's folder"
            ),
            &format!("exclude: [{}/]", output.trim_start_matches("app/")),
        ]);
        assert_eq!(folder.snapshot(), before);
    }
    // A folder that the next render does not read is allowed inside the application.
    let arguments = [
        "render",
        "app",
        "-b",
        "infra.json",
        "--output-dir",
        "app/.rendered",
    ];
    assert_eq!(folder.run(&arguments).expect_stdout(), "");
}

#[test]
fn refuses_to_overwrite_the_manifests() {
    let folder = setup();
    #[cfg(unix)]
    std::os::unix::fs::symlink("app", folder.at("link")).unwrap();
    let before = folder.snapshot();
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
        folder.run(&arguments).assert_input_error(&[
            "error[output-among-manifests]",
            "would overwrite its own sources",
            "--in-place --replace-references",
        ]);
        assert_eq!(folder.snapshot(), before, "{what} {output}");
    }
}

#[test]
fn an_error_changes_nothing() {
    let folder = setup();
    folder.write("out/a.yaml", "before");
    folder.write("app/deep/b.yaml", config_map("wrong: ${infra.nothing}"));
    let before = folder.snapshot();
    let run = folder.run(&["render", "app", "-b", "infra.json", "--output-dir", "out"]);
    run.assert_input_error(&["app/deep/b.yaml:6:"]);
    let run = folder.run(&[
        "render",
        "app",
        "-b",
        "infra.json",
        "--output-dir",
        "new/out",
    ]);
    run.assert_input_error(&["app/deep/b.yaml:6:"]);
    assert_eq!(folder.snapshot(), before);
}

#[test]
fn a_failed_write_changes_nothing() {
    let folder = setup();
    folder.write("out/a.yaml", "before");
    folder.write("out/deep", "a file where a folder is needed");
    let before = folder.snapshot();
    let run = folder.run(&["render", "app", "-b", "infra.json", "--output-dir", "out"]);
    run.assert_input_error(&["unwritable-file", "out/deep", "nothing was written"]);
    assert_eq!(folder.snapshot(), before);
}

#[test]
fn rejects_two_files_with_one_output_path() {
    let folder = setup();
    folder.write("other/a.yaml", config_map("x: y"));
    let run = folder.run(&[
        "render",
        "app",
        "other",
        "-b",
        "infra.json",
        "--output-dir",
        "out",
    ]);
    run.assert_input_error(&["out/a.yaml", "two files"]);
    assert!(!folder.at("out").exists());
}

#[test]
fn standard_input_is_named_by_its_flag() {
    let folder = setup();
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
    folder
        .run_with_stdin(&arguments, "a: ${infra.vpc_id}\n")
        .expect_stdout();
    assert_eq!(folder.read("out/app.yaml"), "a: vpc-0ab1\n");
}

#[cfg(unix)]
#[test]
fn standard_output_is_not_a_source() {
    let folder = setup();
    let file = |path: &str| {
        let mut options = OpenOptions::new();
        options
            .append(true)
            .create(true)
            .open(folder.at(path))
            .unwrap()
    };
    for (arguments, path, is_source) in [
        (
            &["render", "app", "-b", "infra.json"][..],
            "app/all.yaml",
            true,
        ),
        (
            &["render", "app/a.yaml", "-b", "infra.json"],
            "app/a.yaml",
            true,
        ),
        (&["render", "app", "-b", "infra.json"], "all.yaml", false),
        (&["render", "app", "-b", "infra.json"], "app/all.txt", false),
    ] {
        let output = folder
            .command(arguments)
            .stdin(Stdio::null())
            .stdout(file(path))
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(i32::from(is_source)), "{stderr}");
        if is_source {
            let message = format!("standard output is written to `{path}`");
            assert!(stderr.contains(&message), "{stderr}");
            std::fs::remove_file(folder.at("app/all.yaml")).ok();
        }
    }
}

/// `.landfall/written` may be committed where the Secret is not.
#[test]
fn no_digest_of_sensitive_values_is_recorded() {
    let folder = setup();
    let secret = |kind: &str| {
        format!(
            "apiVersion: v1\nkind: {kind}\nmetadata: {{name: s}}\nstringData:\n  a: hunter2 # landfall: ${{infra.password}}\n"
        )
    };
    folder.write("app/secret.yaml", secret("Secret"));
    folder.write(
        "app/escaped.yaml",
        secret("\"Secr\\x65t\"").replace(": s}", ": t}"),
    );
    let render = |paths: &str, password: &str| {
        let infra = crate::run::INFRA.replace("hunter2", password);
        folder.write("infra.json", infra);
        let flags = "-b infra.json --output-dir out --prune";
        let arguments = format!("render {paths} {flags}");
        folder.run(&arguments.split(' ').collect::<Vec<_>>())
    };
    let record = || folder.read("out/.landfall/written");
    render("app", "hunter2").expect_stdout();
    let once = record();
    assert!(once.contains("\"secret.yaml\": \"\""), "{once}");
    assert!(once.contains("\"escaped.yaml\": \"\""), "{once}");
    assert!(once.contains("\"a.yaml\": \"xxh3:"), "{once}");
    render("app", "other").expect_stdout();
    assert_eq!(record(), once);
    // A policy may allow sensitive values in other kinds.
    folder.write("vault/vault.yaml", secret("Vault"));
    render("app vault --sensitive-kinds Secret,Vault", "other").expect_stdout();
    assert!(!record().contains("xxh3"), "{}", record());
    // Nothing shows whether somebody modified it, so it is kept.
    let kept = render("vault --sensitive-kinds Vault", "other");
    let message = "warning[kept-file]: kept `out/secret.yaml`: it may contain sensitive values, so whether it was modified is not recorded";
    assert_eq!(kept.code, Some(0));
    assert!(kept.stderr.contains(message), "{}", kept.stderr);
    assert!(folder.at("out/secret.yaml").exists());
}
