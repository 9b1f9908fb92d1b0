//! A file and a resource are one, however they are reached.

use crate::run::{TestFolder, config_map};

fn named(name: &str, line: &str) -> String {
    config_map(line).replace("name: web", &format!("name: {name}"))
}

#[cfg(unix)]
#[test]
fn links_in_a_folder_are_one_file() {
    use std::os::unix::fs::symlink;
    let folder = TestFolder::with_infra();
    folder.write(".git/HEAD", "");
    folder.write("app/b.yaml", named("b", "vpc: ${infra.vpc_id}"));
    folder.write("shared/s.yaml", named("s", "vpc: ${infra.vpc_id}"));
    symlink("b.yaml", folder.at("app/a.yaml")).unwrap();
    symlink("../shared/s.yaml", folder.at("app/one.yaml")).unwrap();
    symlink("../shared/s.yaml", folder.at("app/two.yaml")).unwrap();
    symlink("../shared", folder.at("app/zshared")).unwrap();
    let [b, s] = ["b", "s"].map(|name| named(name, "vpc: vpc-0ab1"));
    let run = folder.run(&["render", "app", "-b", "infra.json", "--strict"]);
    assert_eq!(run.expect_stdout(), format!("{b}---\n{s}"));
    // The path that was asked for is the one that is written.
    folder.write(
        "app/landfall.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {}\n",
    );
    for path in ["app/a.yaml", "app/b.yaml"] {
        let run = folder.run(&["render", path, "-b", "infra.json"]);
        assert_eq!(run.expect_stdout(), b);
    }
    let out = [
        "render",
        "app/a.yaml",
        "app/b.yaml",
        "-b",
        "infra.json",
        "--output-dir",
        "out",
    ];
    assert_eq!(folder.run(&out).expect_stdout(), "");
    assert!(folder.at("out/b.yaml").exists() && !folder.at("out/a.yaml").exists());
    // The outputs document and the Binding are no manifests by another path, either.
    folder.write("app/landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: [{name: infra, from: {file: outputs.json}}]}\n");
    symlink("../infra.json", folder.at("app/outputs.json")).unwrap();
    symlink("../infra.json", folder.at("app/zoutputs.json")).unwrap();
    let run = folder.run(&["render", "app"]);
    assert_eq!(run.expect_stdout(), format!("{b}---\n{s}"));
}

/// Checks what is reported about a folder with these manifests.
#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let folder = TestFolder::with_infra();
    for (path, content) in files {
        folder.write(&format!("app/{path}"), content);
    }
    let run = folder.run(&["render", "app", "-b", "infra.json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let lines = run.stderr.lines();
    let found: Vec<&str> = lines
        .filter(|line| line.contains("[repeated-resource]"))
        .collect();
    assert_eq!(found, expected, "{files:?}\n{}", run.stderr);
    let strict = folder.run(&["render", "app", "-b", "infra.json", "--strict"]);
    let is_warned = expected.iter().any(|line| line.starts_with("warning"));
    assert_eq!(strict.code, Some(i32::from(is_warned)), "{}", strict.stderr);
    // One after the other, or each in a file of its own.
    let one_by_one = files.iter().map(|(_, content)| *content);
    let one_by_one: Vec<&str> = one_by_one.collect();
    let stream = folder.run_with_stdin(
        &["render", "-", "-b", "infra.json"],
        one_by_one.join("---\n"),
    );
    let lines = stream.stderr.lines();
    assert_eq!(
        lines
            .filter(|line| line.contains("[repeated-resource]"))
            .count(),
        expected.len(),
        "{}",
        stream.stderr
    );
}

const WARNING: &str = "warning[repeated-resource]: the ConfigMap `web` is in the manifests twice";
const NOTE: &str = "note[repeated-resource]: the ConfigMap `web` is in the manifests twice";

#[test]
fn reports_a_resource_that_is_emitted_twice() {
    let (one, two) = (config_map("a: b"), config_map("a: c"));
    check(&[("a.yaml", &one), ("b.yaml", &two)], &[WARNING]);
    check(&[("a.yaml", &one), ("b.yaml", &one)], &[NOTE]);
    check(&[("a.yaml", &format!("{one}---\n{two}"))], &[WARNING]);
    check(
        &[(
            "a.yaml",
            &format!("# first\n---\n{one}---\n# second\n{one}"),
        )],
        &[WARNING],
    );
    let three = [("a.yaml", &*one), ("b.yaml", &two), ("c.yaml", &one)];
    check(&three, &[WARNING, NOTE]);
    // By what is rendered.
    let rendered = named("${infra.vpc_id}", "a: b");
    let written = named("\"vpc-0ab1\"", "a: c");
    let warning = "warning[repeated-resource]: the ConfigMap `vpc-0ab1` is in the manifests twice";
    check(&[("a.yaml", &rendered), ("b.yaml", &written)], &[warning]);
    let flow = "kind: ConfigMap\napiVersion: v1\ndata: {a: b}\nmetadata: {labels: {a: \"}, b\"}, name: web} # flow\n";
    check(&[("a.yaml", &one), ("b.yaml", flow)], &[WARNING]);
    let last = "apiVersion: v1\ndata:\n  kind: x\n  metadata: y\nkind: ConfigMap\nmetadata:\n  annotations:\n    a: |\n      name: other\n  # name: none\n  name: 'web' # it\n  namespace:\n";
    let last = last.replace("  namespace:\n", "");
    check(&[("a.yaml", &one), ("b.yaml", &last)], &[WARNING]);
    let crlf = one.replace('\n', "\r\n");
    check(&[("a.yaml", &two), ("b.yaml", &crlf)], &[WARNING]);
}

#[test]
fn other_resources_are_not_the_same() {
    let one = config_map("a: b");
    for other in [
        one.replace("name: web", "name: web2"),
        one.replace("name: web", "name: web\n  namespace: b"),
        one.replace("kind: ConfigMap", "kind: Secret"),
        one.replace("apiVersion: v1", "apiVersion: example.com/v1"),
        one.replace("name: web", "generateName: web"),
        one.replace("name: web", "labels:\n    name: web\n  generateName: web-"),
        // What the lines do not show.
        one.replace("name: web", "<<: {name: web}"),
        one.replace("name: web", "name: &name web"),
        one.replace("name: web", "name: ${infra.vpc_id}"),
    ] {
        check(&[("a.yaml", &one), ("b.yaml", &other)], &[]);
    }
    let generated = one.replace("name: web", "generateName: web-");
    check(&[("a.yaml", &generated), ("b.yaml", &generated)], &[]);
    // The group alone counts, not the version.
    let apps = |version: &str| {
        format!(
            "apiVersion: apps/{version}\nkind: Deployment\nmetadata:\n  namespace: x\n  name: web\n"
        )
    };
    check(
        &[("a.yaml", &apps("v1")), ("b.yaml", &apps("v1beta1"))],
        &[
            "warning[repeated-resource]: the Deployment `web` in the namespace `x` is in the manifests twice",
        ],
    );
}

#[test]
fn it_is_an_error_under_argo_cd() {
    let folder = TestFolder::with_infra();
    folder.write(
        "landfall.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {}\n",
    );
    folder.write("a.yaml", config_map("a: b"));
    folder.write("b.yaml", config_map("a: c"));
    std::fs::remove_file(folder.at("infra.json")).unwrap();
    let run = folder.run(&["cmp", "generate"]);
    run.assert_input_error(&[
        "error[repeated-resource]",
        "a.yaml:4",
        "b.yaml:4",
        "only the last",
    ]);
    folder.write("b.yaml", config_map("a: b"));
    let run = folder.run(&["cmp", "generate"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stderr.contains("note[repeated-resource]"),
        "{}",
        run.stderr
    );
}

#[test]
fn files_outside_of_an_application_are_not_compared() {
    let folder = TestFolder::with_infra();
    folder.write("base.yaml", config_map("a: b"));
    folder.write("overlay.yaml", config_map("a: c"));
    let run = folder.run(&["check", "base.yaml", "overlay.yaml"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}
