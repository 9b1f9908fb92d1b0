//! `landfall expand`: files, folders and standard input, and where the Applications go.

use crate::run::TestFolder;

const SET: &str = "apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: web, namespace: argocd}
spec:
  generators:
    - clusters: {selector: {matchLabels: {env: prod}}}
  template:
    metadata: {name: 'web-{{name}}'}
    spec: {project: default, destination: {server: '{{server}}'}}
";

fn secret(name: &str) -> String {
    format!(
        "---
apiVersion: v1
kind: Secret
metadata:
  name: {name}
  labels: {{argocd.argoproj.io/secret-type: cluster, env: prod}}
stringData: {{name: {name}, server: https://{name}, config: hunter2}}
"
    )
}

fn folder() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("sets/web.yaml", SET);
    folder.write("sets/.hidden.yaml", "not: [yaml\n");
    folder.write("sets/readme.txt", "not: [yaml\n");
    folder.write("sets/other.yaml", "kind: ConfigMap\napiVersion: v1\n");
    folder.write("clusters/a.yaml", secret("a"));
    folder.write("clusters/more/rest.yaml", secret("c") + &secret("b"));
    folder
}

fn application(name: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: web-{name}
  namespace: argocd
  finalizers:
    - resources-finalizer.argocd.argoproj.io
spec:
  project: default
  destination:
    server: https://{name}
"
    )
}

#[test]
fn reads_folders_and_streams_and_writes_a_stream() {
    let folder = folder();
    let run = folder.run(&["expand", "sets", "--clusters", "clusters"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stderr, "");
    assert_eq!(
        run.expect_stdout(),
        ["a", "b", "c"].map(application).join("---\n")
    );
}

#[test]
fn reads_clusters_from_standard_input() {
    let folder = folder();
    let run = folder.run_with_stdin(&["expand", "sets/web.yaml", "--clusters", "-"], secret("x"));
    assert_eq!(run.expect_stdout(), application("x"));
}

#[test]
fn writes_a_file_for_each_application_and_removes_those_of_earlier_runs() {
    let folder = folder();
    let arguments = [
        "expand",
        "sets",
        "--output-dir",
        "out",
        "--prune",
        "--clusters",
    ];
    let run = folder.run(&[&arguments[..], &["clusters"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(folder.read("out/web-b.yaml"), application("b"));
    let run = folder.run(&[&arguments[..], &["clusters/a.yaml"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(folder.read("out/web-a.yaml"), application("a"));
    assert!(!folder.at("out/web-b.yaml").exists());
}

#[test]
fn a_name_cannot_leave_the_output_folder() {
    let folder = folder();
    let set = SET.replace("web-{{name}}", "../{{name}}");
    folder.write("set.yaml", set);
    let run = folder.run(&[
        "expand",
        "set.yaml",
        "--clusters",
        "clusters",
        "--output-dir",
        "out",
    ]);
    run.assert_fails(
        1,
        &["the name cannot be that of a file", "nothing was written"],
    );
    assert!(!folder.at("a.yaml").exists());
}

#[test]
fn writes_nothing_if_a_cluster_lacks_a_parameter() {
    let folder = folder();
    let set = SET.replace("project: default", "project: '{{metadata.labels.team}}'");
    folder.write("set.yaml", set);
    let run = folder.run(&[
        "expand",
        "set.yaml",
        "--clusters",
        "clusters",
        "--output-dir",
        "out",
    ]);
    run.assert_fails(
        1,
        &[
            "error[missing-parameter]: `metadata.labels.team` is missing for `a`, `b`, `c`",
            "--> set.yaml:9:22",
            "nothing was expanded",
        ],
    );
    assert!(!folder.at("out").exists());
}

#[test]
fn names_files_that_cannot_be_read_or_have_nothing() {
    let folder = folder();
    let run = folder.run(&["expand", "missing.yaml", "--clusters", "none.yaml"]);
    run.assert_fails(1, &["missing.yaml", "none.yaml", "nothing was expanded"]);
    let run = folder.run(&["expand", "sets/other.yaml"]);
    run.assert_fails(
        1,
        &["error[no-manifests]: there is no ApplicationSet in these files"],
    );
    let run = folder.run(&["expand", "sets", "--clusters", "sets/other.yaml"]);
    run.assert_fails(
        1,
        &[
            "`sets/other.yaml` has no cluster Secret",
            "kubectl get secret",
        ],
    );
    let run = folder.run(&["expand", "sets", "--prune"]);
    run.assert_fails(2, &["--prune requires --output-dir"]);
    let run = folder.run(&["expand", "-", "--clusters", "-"]);
    run.assert_fails(2, &["standard input can be read only once"]);
}

#[test]
fn a_broken_secret_is_located_but_not_shown() {
    let folder = folder();
    folder.write("broken.yaml", secret("a") + "  password: 'hunter2\n");
    let run = folder.run(&["expand", "sets", "--clusters", "broken.yaml"]);
    run.assert_fails(1, &["broken.yaml:", "is not valid YAML"]);
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn a_link_and_its_target_are_one_file() {
    let folder = folder();
    let once = folder.run(&["expand", "sets", "--clusters", "clusters"]);
    for (target, link) in [
        ("web.yaml", "sets/again.yaml"),
        ("a.yaml", "clusters/again.yaml"),
        ("more", "clusters/rest"),
    ] {
        std::os::unix::fs::symlink(target, folder.at(link)).unwrap();
    }
    let linked = folder.run(&["expand", "sets", "--clusters", "clusters"]);
    assert_eq!((linked.code, &linked.stdout), (once.code, &once.stdout));
}
