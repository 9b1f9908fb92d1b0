//! `--each`: the same manifests, rendered for each cluster of a fleet.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::run::{Run, TestFolder, config_map, finish, other_config_map};

/// An outputs document.
fn outputs(vpc: &str) -> String {
    format!(r#"{{"vpc_id": {{"sensitive": false, "type": "string", "value": "{vpc}"}}}}"#)
}

/// A folder with the application `app` and the clusters `a`, `b` and `c`.
fn setup() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder.write("app/deep/b.yaml", other_config_map("unchanged: yes"));
    for cluster in ["a", "b", "c"] {
        folder.write(
            &format!("clusters/{cluster}.json"),
            outputs(&format!("vpc-{cluster}")),
        );
    }
    folder
}

const RENDER: [&str; 6] = [
    "render",
    "app",
    "--each",
    "clusters/*.json",
    "--output-dir",
    "out/{name}",
];

const CHECK: [&str; 4] = ["check", "app", "--each", "clusters/*.json"];

fn render(folder: &TestFolder, more: &[&str]) -> Run {
    folder.run(&[&RENDER, more].concat())
}

/// Checks that a render fails with all of `parts`, and writes nothing.
#[track_caller]
fn assert_writes_nothing(folder: &TestFolder, more: &[&str], parts: &[&str]) {
    let before = folder.snapshot();
    render(folder, more).assert_input_error(parts);
    assert_eq!(folder.snapshot(), before);
}

#[test]
fn each_cluster_has_a_folder() {
    let folder = setup();
    assert_eq!(render(&folder, &[]).expect_stdout(), "");
    for cluster in ["a", "b", "c"] {
        assert_eq!(
            folder.read(&format!("out/{cluster}/a.yaml")),
            config_map(&format!("vpc: vpc-{cluster}"))
        );
        let single = [
            "render",
            "app",
            "-b",
            &format!("clusters/{cluster}.json"),
            "--output-dir",
            &format!("single/{cluster}"),
        ];
        folder.run(&single).expect_stdout();
        for file in ["a.yaml", "deep/b.yaml", ".landfall/written"] {
            let [fleet, single] =
                ["out", "single"].map(|out| folder.read(&format!("{out}/{cluster}/{file}")));
            assert_eq!(fleet, single, "{cluster} {file}");
        }
    }
    let run = render(&folder, &["-v"]);
    assert!(
        run.stderr
            .contains("info: rendered 2 manifest files for 3 clusters"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_name_is_in_the_paths_of_the_binding() {
    let folder = setup();
    folder.write(".git/HEAD", "");
    folder.write(
        "app/landfall.yaml",
        "apiVersion: landfall.dev/v1alpha1
kind: Binding
spec:
  outputs:
    - {name: network, from: {file: \"../network/{name}.json\"}}
    - {name: infra, from: {file: missing.json}}
",
    );
    folder.write(
        "app/deep/b.yaml",
        other_config_map("both: ${infra.vpc_id} ${network.vpc_id} ${common.vpc_id}"),
    );
    folder.write("common.json", outputs("common"));
    for cluster in ["a", "b"] {
        let vpc = format!("net-{cluster}");
        folder.write(&format!("network/{cluster}.json"), outputs(&vpc));
    }
    // The third cluster has no such file.
    assert_writes_nothing(
        &folder,
        &["-b", "common=common.json"],
        &[
            "error[outputs-not-published]",
            "network/c.json",
            "in 1 of 3 clusters: c",
        ],
    );
    folder.write("network/c.json", outputs("net-c"));
    render(&folder, &["-b", "common=common.json"]).expect_stdout();
    for cluster in ["a", "b", "c"] {
        assert_eq!(
            folder.read(&format!("out/{cluster}/deep/b.yaml")),
            other_config_map(&format!("both: vpc-{cluster} net-{cluster} common"))
        );
    }
}

#[test]
fn documents_of_a_cluster_follow_those_of_all_clusters() {
    let folder = setup();
    folder.write("app/deep/b.yaml", config_map("region: ${infra.region}"));
    folder.write(
        "common.json",
        r#"{"vpc_id": {"value": "overridden"}, "region": {"value": "eu-west-1"}}"#,
    );
    render(&folder, &["-b", "common.json", "-q"]).expect_stdout();
    assert_eq!(folder.read("out/b/a.yaml"), config_map("vpc: vpc-b"));
    assert_eq!(
        folder.read("out/b/deep/b.yaml"),
        config_map("region: eu-west-1")
    );
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let folder = setup();
    folder.write(
        "app/deep/b.yaml",
        config_map("a: ${infra.often} ${infra.vpc_id}"),
    );
    // A reference to a name that is not bound makes the command look for other Bindings.
    folder.write("app/c.yaml", config_map("c: ${other.x}"));
    let clusters = 40;
    for cluster in 0..clusters {
        let vpc = format!(
            r#""vpc_id": {{"value": "{}"}}"#,
            "v".repeat(cluster * 10 + 1)
        );
        let often = match cluster % 4 {
            0 => String::new(),
            nth => format!(r#", "often": {{"value": {nth}}}"#),
        };
        folder.write(
            &format!("clusters/{cluster:02}.json"),
            format!("{{{vpc}{often}}}"),
        );
    }
    for jobs in ["1", "2", "4", "100"] {
        let run = render(&folder, &["--jobs", jobs]);
        let one = render(&folder, &["--jobs", "1"]);
        run.assert_input_error(&["in 13 of 43 clusters: 00, 04, 08, "]);
        assert_eq!(run.stderr, one.stderr, "{jobs}");
    }
    folder.write(
        "app/deep/b.yaml",
        config_map("a: ${infra.often | default(0)}"),
    );
    let mut snapshots = Vec::new();
    for jobs in ["1", "4"] {
        let run = render(&folder, &["--jobs", jobs]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        snapshots.push((run.stderr, folder.snapshot()));
        std::fs::remove_dir_all(folder.at("out")).unwrap();
    }
    let [one, four] = snapshots.as_slice() else {
        panic!("two snapshots");
    };
    assert!(one == four, "{}\n{}", one.0, four.0);
    assert!(one.1.len() > 3 * 43);
}

#[test]
fn errors_of_all_clusters_are_reported_once_and_nothing_is_written() {
    let folder = setup();
    folder.write("out/a/a.yaml", "before");
    folder.write(
        "app/a.yaml",
        config_map("vpc: ${infra.vpc_id} ${infra.nothing}"),
    );
    folder.write("clusters/b.json", "{");
    let before = folder.snapshot();
    let run = render(&folder, &[]);
    run.assert_input_error(&[
        "error[unknown-output]",
        "in 2 of 3 clusters: a, c",
        "error[invalid-outputs]",
        "--> clusters/b.json:1:",
        "in 1 of 3 clusters: b",
        "error: 2 errors; nothing was rendered",
    ]);
    assert_eq!(folder.snapshot(), before);
    folder.write("clusters/b.json", outputs("b"));
    let run = render(&folder, &[]);
    run.assert_input_error(&["in all 3 clusters", "error: 1 error; nothing was rendered"]);
}

#[test]
fn check_reports_in_all_formats() {
    let folder = setup();
    assert_eq!(folder.run(&CHECK).expect_stdout(), "");
    folder.write("app/a.yaml", config_map("vpc: ${infra.nothing}"));
    let before = folder.snapshot();
    folder
        .run(&CHECK)
        .assert_input_error(&["error: 1 error", "in all 3 clusters"]);
    for format in ["json", "sarif", "github", "junit"] {
        let run = folder.run(&[&CHECK[..], &["-q", "-o", format]].concat());
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        let report = String::from_utf8(run.stdout).unwrap();
        assert_eq!(
            report.matches("in all 3 clusters").count(),
            1,
            "{format}: {report}"
        );
    }
    assert_eq!(folder.snapshot(), before);
}

#[test]
fn patterns_are_joined_by_name() {
    let folder = setup();
    folder.write(
        "app/a.yaml",
        config_map("both: ${infra.vpc_id} ${network.vpc_id}"),
    );
    for cluster in ["a", "b"] {
        let vpc = format!("net-{cluster}");
        folder.write(&format!("network/{cluster}.json"), outputs(&vpc));
    }
    let network = ["--each", "network=network/*.json"];
    assert_writes_nothing(
        &folder,
        &network,
        &[
            "error[invalid-clusters]: the cluster `c` has no outputs document for `network`",
            "`network/*.json` matches no file with this name",
        ],
    );
    folder.write("network/c.json", outputs("net-c"));
    render(&folder, &network).expect_stdout();
    assert_eq!(folder.read("out/c/a.yaml"), config_map("both: vpc-c net-c"));
    // Two patterns of one name have files of different clusters.
    folder.write("more/d.json", outputs("vpc-d"));
    render(
        &folder,
        &[
            &network[..],
            &["--each", "more/*", "--each", "network=more/*"],
        ]
        .concat(),
    )
    .expect_stdout();
    assert_eq!(folder.read("out/d/a.yaml"), config_map("both: vpc-d vpc-d"));
}

#[test]
fn rejects_names_that_are_not_folders() {
    let folder = setup();
    for name in [
        "with space.json",
        "straße.json",
        "new\nline.json",
        "${x}.json",
    ] {
        folder.write(&format!("clusters/{name}"), outputs("x"));
        assert_writes_nothing(
            &folder,
            &[],
            &["error[invalid-clusters]: the name of `clusters/"],
        );
        std::fs::remove_file(folder.at(&format!("clusters/{name}"))).unwrap();
    }
    // Only a pattern that begins with a dot matches it.
    folder.write("clusters/.git.json", outputs("x"));
    assert_writes_nothing(
        &folder,
        &["--each", "clusters/.*.json"],
        &["the name of `clusters/.git.json` cannot be the name of a cluster"],
    );
    render(&folder, &[]).expect_stdout();
    std::fs::remove_file(folder.at("clusters/.git.json")).unwrap();
    // Folders are skipped. The name is that of the file alone.
    std::fs::create_dir(folder.at("clusters/folder.json")).unwrap();
    folder
        .run(&["check", "app", "--each", "clust*/*"])
        .expect_stdout();
    let run = folder.run(&[
        "render",
        "app",
        "--each",
        "clusters/../clusters/[a].json",
        "--output-dir",
        "up/{name}",
    ]);
    run.expect_stdout();
    assert_eq!(folder.read("up/a/a.yaml"), config_map("vpc: vpc-a"));
    assert!(!folder.at("up/b").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn rejects_names_that_are_not_utf_8() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = setup();
    let name = std::ffi::OsStr::from_bytes(b"x\xff.json");
    std::fs::write(folder.at("clusters").join(name), outputs("x")).unwrap();
    assert_writes_nothing(
        &folder,
        &[],
        &["error[invalid-clusters]: the name of `clusters/x\u{fffd}.json`"],
    );
}

#[test]
fn rejects_two_files_of_one_cluster() {
    let folder = setup();
    folder.write("clusters/a.yaml", outputs("x"));
    folder.write("more/b.json", outputs("x"));
    let each = ["--each", "clusters/*.yaml", "--each", "more/*.json"];
    assert_writes_nothing(
        &folder,
        &each,
        &[
            "`clusters/a.json` and `clusters/a.yaml` have the same name, `a`",
            "`clusters/b.json` and `more/b.json` have the same name, `b`",
            "error: 2 errors; nothing was rendered",
        ],
    );
    folder.write("more/C.json", outputs("x"));
    assert_writes_nothing(
        &folder,
        &["--each", "more/C*"],
        &["have names that differ only in upper and lower case"],
    );
    // The same file twice is one file.
    render(&folder, &["--each", "clusters/a.json"]).expect_stdout();
}

#[test]
fn reports_patterns_without_files() {
    let folder = setup();
    for (pattern, help) in [
        ("clusters/*.yaml", "relative to the current folder"),
        ("clusters/missing.json", "relative to the current folder"),
        ("clusters/{a,b}.json", "is not a wildcard here"),
        ("clusters", "`--each 'clusters/*.json'`"),
    ] {
        let run = folder.run(&["check", "app", "--each", pattern]);
        run.assert_input_error(&["error[invalid-clusters]: no file matches", pattern, help]);
    }
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_the_root() {
    use std::os::unix::fs::symlink;
    let folder = setup();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("x.json"), outputs("outside")).unwrap();
    symlink(outside.path().join("x.json"), folder.at("clusters/d.json")).unwrap();
    assert_writes_nothing(
        &folder,
        &[],
        &[
            "error[outside-root]",
            "clusters/d.json",
            "in 1 of 4 clusters: d",
        ],
    );
    // Inside the Git work tree, it may lead anywhere.
    std::fs::remove_file(folder.at("clusters/d.json")).unwrap();
    folder.write(".git/HEAD", "");
    folder.write("terraform/d/outputs.json", outputs("vpc-d"));
    symlink("../terraform/d/outputs.json", folder.at("clusters/d.json")).unwrap();
    symlink("nowhere.json", folder.at("clusters/e.json")).unwrap();
    render(&folder, &[]).assert_input_error(&["`clusters/e.json` is a broken link"]);
    assert!(!folder.at("out").exists());
    std::fs::remove_file(folder.at("clusters/e.json")).unwrap();
    render(&folder, &[]).expect_stdout();
    assert_eq!(folder.read("out/d/a.yaml"), config_map("vpc: vpc-d"));
}

#[cfg(unix)]
#[test]
fn links_to_folders_do_not_lead_out_of_the_root() {
    use std::os::unix::fs::symlink;
    let folder = setup();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("d.json"), outputs("outside")).unwrap();
    symlink(outside.path(), folder.at("clusters/link")).unwrap();
    let render = |root: &[&str]| {
        let pattern = ["--each", "clusters/*/*.json", "--output-dir", "out/{name}"];
        folder.run(&[&["render", "app"], &pattern[..], root].concat())
    };
    let parts = ["error[outside-root]", "clusters/link/d.json"];
    render(&[]).assert_input_error(&parts);
    render(&["--root", "."]).assert_input_error(&parts);
    folder.write(".git/HEAD", "");
    render(&[]).assert_input_error(&parts);
    assert!(!folder.at("out").exists());
    // Inside the Git work tree, it may lead anywhere.
    std::fs::remove_file(folder.at("clusters/link")).unwrap();
    folder.write("terraform/d.json", outputs("vpc-d"));
    symlink("../terraform", folder.at("clusters/link")).unwrap();
    render(&[]).expect_stdout();
    assert_eq!(folder.read("out/d/a.yaml"), config_map("vpc: vpc-d"));
}

#[cfg(unix)]
#[test]
fn does_not_write_through_links() {
    let folder = setup();
    folder.write("private/keep", "");
    std::fs::create_dir(folder.at("out")).unwrap();
    std::os::unix::fs::symlink("../private", folder.at("out/c")).unwrap();
    assert_writes_nothing(
        &folder,
        &[],
        &[
            "error[unwritable-file]",
            "`out/c` cannot be written: it is a link",
            "nothing was written",
        ],
    );
    // A link that the user names is followed.
    std::fs::remove_file(folder.at("out/c")).unwrap();
    std::os::unix::fs::symlink("out", folder.at("link")).unwrap();
    let run = folder.run(&[
        "render",
        "app",
        "--each",
        "clusters/*.json",
        "--output-dir",
        "link/{name}",
    ]);
    run.expect_stdout();
    assert_eq!(folder.read("out/c/a.yaml"), config_map("vpc: vpc-c"));
}

#[test]
fn a_failed_write_names_what_was_written() {
    let folder = setup();
    folder.write("out/b/deep", "a file where a folder is needed");
    render(&folder, &[]).assert_input_error(&[
        "error[unwritable-file]",
        "out/b/deep",
        "only the first 1 of 3 clusters were written",
    ]);
    assert_eq!(folder.read("out/a/a.yaml"), config_map("vpc: vpc-a"));
    assert!(!folder.at("out/b/a.yaml").exists());
    assert!(!folder.at("out/c").exists());
}

#[test]
fn prunes_each_folder() {
    let folder = setup();
    render(&folder, &[]).expect_stdout();
    std::fs::remove_file(folder.at("app/deep/b.yaml")).unwrap();
    folder.write("out/b/deep/b.yaml", "modified");
    let run = render(&folder, &["--prune"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stderr.contains("warning[kept-file]") && run.stderr.contains("out/b/deep/b.yaml"),
        "{}",
        run.stderr
    );
    assert!(!folder.at("out/a/deep").exists());
    assert!(!folder.at("out/c/deep").exists());
}

#[test]
fn output_folders_are_not_sources() {
    let folder = setup();
    let render = [
        "render",
        "app",
        "--each",
        "clusters/*.json",
        "--output-dir",
        "app/out/{name}",
    ];
    folder.run(&render).assert_input_error(&[
        "error[output-among-manifests]: `app/out/a` is inside the application's folder",
        "exclude: [out/]",
    ]);
    folder.write(
        "app/landfall.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {manifests: {exclude: [out/]}}\n",
    );
    assert_eq!(folder.run(&render).expect_stdout(), "");
    let once = folder.snapshot();
    assert_eq!(folder.run(&render).expect_stdout(), "");
    assert_eq!(folder.snapshot(), once);
    // Nor are the outputs documents of other clusters.
    folder.write("app/clusters/x.json", outputs("vpc-x"));
    folder.write("app/clusters/y.json", outputs("vpc-y"));
    let run = folder.run(&[
        "render",
        "app",
        "--each",
        "app/clusters/*.json",
        "--output-dir",
        "other/{name}",
    ]);
    run.expect_stdout();
    assert!(!folder.at("other/x/clusters").exists());
}

#[test]
fn refuses_to_overwrite_the_manifests() {
    let folder = setup();
    folder.write("clusters/app.json", outputs("x"));
    let before = folder.snapshot();
    let run = folder.run(&[
        "render",
        "app",
        "--each",
        "clusters/*.json",
        "--output-dir",
        "{name}",
    ]);
    run.assert_input_error(&["error[output-among-manifests]"]);
    assert_eq!(folder.snapshot(), before);
}

#[test]
fn renders_several_applications() {
    let folder = setup();
    for app in ["web", "worker"] {
        folder.write(
            &format!("apps/{app}/landfall.yaml"),
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {}\n",
        );
        folder.write(
            &format!("apps/{app}/{app}.yaml"),
            config_map("vpc: ${infra.vpc_id}").replace("name: web", &format!("name: {app}")),
        );
    }
    let render = [
        "render",
        "apps",
        "--each",
        "clusters/*.json",
        "--output-dir",
        "out/{name}",
    ];
    folder.run(&render).expect_stdout();
    for app in ["web", "worker"] {
        let written = folder.read(&format!("out/c/{app}/{app}.yaml"));
        assert!(written.contains("vpc: vpc-c"), "{written}");
    }
    // An error in one of them.
    folder.write("apps/web/web.yaml", config_map("vpc: ${infra.nothing}"));
    let before = folder.snapshot();
    folder
        .run(&render)
        .assert_input_error(&["in all 3 clusters"]);
    assert_eq!(folder.snapshot(), before);
}

#[test]
fn the_input_limit_is_for_one_cluster() {
    let folder = setup();
    for cluster in ["a", "b", "c"] {
        folder.write(
            &format!("clusters/{cluster}.json"),
            outputs(&"v".repeat(3000)),
        );
    }
    render(&folder, &["--max-input", "4000B"]).expect_stdout();
    assert_writes_nothing(
        &folder,
        &["--max-input", "3000B"],
        &["error[input-too-large]", "in 1 of 3 clusters: a"],
    );
}

#[test]
fn renders_a_thousand_clusters() {
    let folder = setup();
    for cluster in 0..1000 {
        let vpc = format!("vpc-{cluster}");
        folder.write(&format!("clusters/n{cluster}.json"), outputs(&vpc));
    }
    render(&folder, &[]).expect_stdout();
    for cluster in 0..1000 {
        assert_eq!(
            folder.read(&format!("out/n{cluster}/a.yaml")),
            config_map(&format!("vpc: vpc-{cluster}"))
        );
    }
    folder.write("app/a.yaml", config_map("vpc: ${infra.nothing}"));
    render(&folder, &[]).assert_input_error(&["in all 1,003 clusters"]);
}

#[test]
fn rejects_invalid_command_lines() {
    let folder = setup();
    let output_dir = ["--output-dir", "out/{name}"];
    let each = ["--each", "clusters/*.json"];
    for (arguments, parts) in [
        // As a shell passes `--each clusters/*.json` without quotes.
        (
            [
                &["app", "--each", "clusters/a.json", "clusters/b.json"][..],
                &["clusters/c.json"],
                &output_dir,
            ]
            .concat(),
            &[
                "the shell has expanded the pattern of --each",
                "'clusters/*.json'",
            ][..],
        ),
        (
            [
                &["--each", "clusters/a.json", "clusters/b.json", "app"],
                &output_dir[..],
            ]
            .concat(),
            &["the shell has expanded the pattern of --each"],
        ),
        (
            [&["app"], &each[..]].concat(),
            &["--each requires --output-dir", "'out/{name}'"],
        ),
        (
            [&["app", "--output-dir", "out"], &each[..]].concat(),
            &["--output-dir must contain `{name}`", "'out/{name}'"],
        ),
        (
            [&["app", "--output-dir", "out/{name}/.."], &each[..]].concat(),
            &["--output-dir must not contain `..` after `{name}`"],
        ),
        (
            [&["app"], &output_dir[..]].concat(),
            &["`{name}` in --output-dir requires --each"],
        ),
        (
            [&["app", "--param", "name=x"], &each[..], &output_dir].concat(),
            &["remove --param name="],
        ),
        (
            [&["app", "--each", "a[.json"], &output_dir[..]].concat(),
            &["`--each a[.json` is not a valid pattern, at character 2"],
        ),
        (
            [&["app", "--each", "clusters/**/*.json"], &output_dir[..]].concat(),
            &["`**` is not supported"],
        ),
        (
            [&["app", "--each", "x="], &output_dir[..]].concat(),
            &["`--each x=` has no pattern"],
        ),
        (
            [&["app", "--each", "-"], &output_dir[..]].concat(),
            &["not standard input"],
        ),
        (
            [&["app", "--each", "1st=a.json"], &output_dir[..]].concat(),
            &["`1st` is not a valid binding name"],
        ),
        (
            [&["app", "--in-place"], &each[..]].concat(),
            &["cannot be used with"],
        ),
        (
            [&["app", "--jobs", "0"], &each[..], &output_dir].concat(),
            &["--jobs"],
        ),
    ] {
        let before = folder.snapshot();
        folder
            .run(&[&["render"], &arguments[..]].concat())
            .assert_fails(2, parts);
        assert_eq!(folder.snapshot(), before);
    }
    // One file that matches is not a mistake, whoever expanded it.
    let run = folder.run(
        &[
            &["render", "app", "--each", "clusters/a.json"],
            &output_dir[..],
        ]
        .concat(),
    );
    run.expect_stdout();
    assert!(folder.at("out/a/a.yaml").exists());
}

#[test]
fn the_command_of_the_example_renders_what_each_cluster_gets() {
    let folder = TestFolder::new();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/fleet");
    let readme = std::fs::read_to_string(example.join("README.md")).unwrap();
    let commands = readme.lines().filter_map(|line| line.strip_prefix("$ "));
    let commands: Vec<_> = commands.filter(|line| line.contains("--each")).collect();
    assert!(commands.len() >= 2, "{commands:?}");
    let program = Path::new(env!("CARGO_BIN_EXE_landfall"));
    for command in commands {
        let mut shell = Command::new("sh");
        shell
            .args([
                "-c",
                &format!(
                    "cp -R \"$1\"/* . && {}",
                    command.replacen("landfall", "\"$2\"", 1)
                ),
                "sh",
            ])
            .args([&example, program])
            .current_dir(folder.path())
            .stdin(Stdio::null());
        assert_eq!(finish(&mut shell, b"").expect_stdout(), "", "{command}");
    }
    for cluster in ["prod-eu", "prod-us", "staging"] {
        assert_eq!(
            folder.read(&format!("rendered/{cluster}/promtail.yaml")),
            folder.read(&format!("expected/{cluster}/promtail.yaml")),
            "{cluster}"
        );
    }
}

#[test]
fn a_resource_is_repeated_in_each_cluster_alone() {
    let folder = setup();
    // The name is that of another resource in one cluster, which is not the first.
    folder.write("app/c.yaml", config_map("a: c").replace("web", "vpc-c"));
    folder.write(
        "app/d.yaml",
        config_map("a: d").replace("name: web", "name: ${infra.vpc_id}"),
    );
    let run = folder.run(&CHECK);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let warning = "warning[repeated-resource]: the ConfigMap `vpc-c` is in the manifests twice";
    for part in [warning, "in 1 of 3 clusters: c"] {
        assert_eq!(run.stderr.matches(part).count(), 1, "{}", run.stderr);
    }
}

#[test]
fn what_is_wrong_with_the_folder_of_a_tool_is_reported_beside_flags() {
    let folder = setup();
    folder.write(
        "app/landfall.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {tool: kustomize}\n",
    );
    folder.write("app/kustomization.yaml", "resources: [missing.yaml]\n");
    let run = folder.run(&[&CHECK[..], &["-b", "net=none.json"]].concat());
    run.assert_input_error(&["`none.json` does not exist", "missing.yaml"]);
}
