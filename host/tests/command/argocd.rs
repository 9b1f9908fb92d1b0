//! `landfall argocd`: the configuration that it writes, and its checks of an application. The
//! sidecar itself is checked in host-tests, where one runs.

use crate::run::{INFRA, Run, TestFolder, config_map};

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1
kind: Binding
spec:
  outputs:
    - name: infra
      from: {file: ../../outputs/infra.json}
";

/// Creates a work tree with the application `apps/web`.
fn repository() -> TestFolder {
    let folder = TestFolder::new();
    folder.write(".git/HEAD", "");
    folder.write("outputs/infra.json", INFRA);
    folder.write("apps/web/landfall.yaml", BINDING);
    folder.write("apps/web/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder
}

fn doctor(folder: &TestFolder) -> Run {
    folder.run(&["argocd", "doctor", "apps/web"])
}

/// Returns the annotation that the command prints for `apps/web`.
#[track_caller]
fn annotation(folder: &TestFolder) -> String {
    let text = doctor(folder).expect_stdout();
    let (_, annotation) = text.split_once("manifest-generate-paths: ").unwrap();
    annotation.trim_end().to_owned()
}

#[test]
fn install_writes_the_configuration_alone() {
    let folder = TestFolder::new();
    let text = folder
        .run(&[
            "argocd",
            "install",
            "--as",
            "helm-values",
            "--image",
            "registry.example.com/landfall:1.2.3",
        ])
        .expect_stdout();
    assert!(text.contains("  - name: landfall\n"), "{text}");
    assert!(
        text.contains("    image: registry.example.com/landfall:1.2.3\n"),
        "{text}"
    );
}

#[test]
fn doctor_prints_the_annotation_of_an_application() {
    let folder = repository();
    assert_eq!(
        doctor(&folder).expect_stdout(),
        "ok       sidecar: not checked: this is not a sidecar
ok       module: runs
ok       application: apps/web/landfall.yaml
ok       outputs `infra`: outputs/infra.json

metadata:
  annotations:
    argocd.argoproj.io/manifest-generate-paths: .;../../outputs/infra.json
"
    );
    let json = folder.run(&["argocd", "doctor", "apps/web", "-o", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json.expect_stdout()).unwrap();
    assert_eq!(json["apiVersion"], "landfall.dev/checkup/v1alpha1");
    assert_eq!(json["checks"][2]["status"], "ok");
    assert_eq!(
        json["annotations"]["argocd.argoproj.io/manifest-generate-paths"],
        ".;../../outputs/infra.json"
    );
}

#[test]
fn documents_inside_the_application_need_no_path_of_their_own() {
    let folder = repository();
    folder.write(
        "apps/web/landfall.yaml",
        BINDING.replace("../../outputs", "./x/.."),
    );
    folder.write("apps/web/infra.json", INFRA);
    folder.write("apps/web/x/b.yaml", config_map("a: b"));
    assert_eq!(annotation(&folder), ".");
}

/// A commit that changes the file changes nothing at the path of the link.
#[cfg(unix)]
#[test]
fn links_add_the_paths_they_point_to() {
    use std::os::unix::fs::symlink;
    let folder = repository();
    folder.write("outputs/v2.json", INFRA);
    std::fs::remove_file(folder.at("outputs/infra.json")).unwrap();
    symlink("v2.json", folder.at("outputs/infra.json")).unwrap();
    folder.write("shared/b.yaml", config_map("a: b"));
    symlink("../../shared/b.yaml", folder.at("apps/web/b.yaml")).unwrap();
    assert_eq!(
        annotation(&folder),
        ".;../../outputs/infra.json;../../outputs/v2.json;../../shared/b.yaml"
    );
}

#[test]
fn problems_of_the_application_are_errors_without_an_annotation() {
    let folder = repository();
    let check = |part: &str| {
        let Run {
            code,
            stdout,
            stderr,
            ..
        } = doctor(&folder);
        let text = String::from_utf8(stdout).unwrap();
        assert_eq!((code, stderr.as_str()), (Some(1), ""), "{text}");
        let errors: Vec<_> = text
            .lines()
            .filter(|line| line.starts_with("error  "))
            .collect();
        assert!(errors.iter().any(|line| line.contains(part)), "{text}");
        assert!(!text.contains("manifest-generate-paths"), "{text}");
    };
    std::fs::remove_file(folder.at("outputs/infra.json")).unwrap();
    check("[outputs-not-published]");
    folder.write(
        "apps/web/landfall.yaml",
        BINDING.replace("../../outputs", "../../../outputs"),
    );
    check("[outside-root]");
    folder.write("apps/web/landfall.yaml", "kind: [");
    check("[invalid-binding]");
    std::fs::remove_file(folder.at("apps/web/landfall.yaml")).unwrap();
    check("it has no landfall.yaml");
    std::fs::remove_dir_all(folder.at("apps/web")).unwrap();
    check("`apps/web` does not exist");
}

/// A semicolon separates paths, and cannot be escaped.
#[test]
fn a_path_that_the_annotation_cannot_hold_is_an_error() {
    let folder = repository();
    folder.write("a;b/infra.json", INFRA);
    folder.write(
        "apps/web/landfall.yaml",
        BINDING.replace("../../outputs/infra.json", "\"../../a;b/infra.json\""),
    );
    let run = doctor(&folder);
    assert_eq!(run.code, Some(1));
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(!text.contains("manifest-generate-paths"), "{text}");
    assert!(
        text.contains("cannot contain the path `../../a;b/infra.json`"),
        "{text}"
    );
}

#[test]
fn the_operator_s_files_are_checked_as_the_plugin_reads_them() {
    let folder = repository();
    let check = |variable: &str, path: &str, code: i32, part: &str| {
        let mut command = folder.command(&["argocd", "doctor", "apps/web"]);
        let run = crate::run::finish(command.env(variable, path), b"");
        let text = String::from_utf8(run.stdout).unwrap();
        assert_eq!(run.code, Some(code), "{text}");
        assert!(text.contains(part), "{part} is not in\n{text}");
    };
    let policy = "LANDFALL_OPERATOR_POLICY";
    folder.write(
        "policy.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: OperatorPolicy\nspec: {sensitive: {kinds: [Secret]}}\n",
    );
    check(
        policy,
        "policy.yaml",
        0,
        "ok       operator's policy: policy.yaml",
    );
    check(
        policy,
        "none.yaml",
        1,
        "none.yaml, named by LANDFALL_OPERATOR_POLICY, does not exist",
    );
    folder.write(
        "policy.yaml",
        "kind: OperatorPolicy\nspec: {sensitiv: {}}\n",
    );
    check(policy, "policy.yaml", 1, "[invalid-policy]");
    let outputs = "LANDFALL_MOUNTED_OUTPUTS";
    check(outputs, "outputs", 0, "ok       mounted outputs: outputs");
    check(
        outputs,
        "none",
        1,
        "none, named by LANDFALL_MOUNTED_OUTPUTS, is not a readable folder",
    );
    let key = "LANDFALL_DIGEST_KEY";
    folder.write("key", "0123456789abcdef\n");
    let path = folder.at("key");
    let path = path.to_str().unwrap();
    check(key, path, 0, "ok       digest key: ");
    check(
        key,
        "key",
        1,
        "named by LANDFALL_DIGEST_KEY, cannot be read: an absolute path is required",
    );
    check(
        key,
        "/none/key",
        1,
        "`/none/key`, named by LANDFALL_DIGEST_KEY, does not exist",
    );
    folder.write("key", "");
    check(key, path, 1, "it is empty");
}

/// The document that a parameter chooses is another for each Application.
#[test]
fn parameters_of_paths_are_covered_by_their_folder_or_set() {
    let folder = repository();
    folder.write("outputs/eu/infra.json", INFRA);
    folder.write(
        "apps/web/landfall.yaml",
        BINDING
            .replace("outputs/infra.json", "outputs/{cluster}/infra.json")
            .replace("file: ..", "file: \"..")
            .replace(".json}", ".json\"}"),
    );
    assert_eq!(annotation(&folder), ".;../../outputs");
    let run = folder.run(&["argocd", "doctor", "apps/web", "--param", "cluster=eu"]);
    let text = run.expect_stdout();
    assert!(
        text.ends_with("manifest-generate-paths: .;../../outputs/eu/infra.json\n"),
        "{text}"
    );
    let run = folder.run(&["argocd", "doctor", "apps/web", "--param", "cluster=us"]);
    assert_eq!(run.code, Some(1));
}

#[test]
fn doctor_takes_the_folder_of_an_application() {
    let folder = repository();
    let run = folder.run(&["argocd", "doctor", "apps/web/landfall.yaml"]);
    assert_eq!(run.code, Some(1));
    let text = String::from_utf8(run.stdout).unwrap();
    for part in [
        "`apps/web/landfall.yaml` is a file",
        "pass its folder: `apps/web`",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn files_with_types_are_covered() {
    let folder = repository();
    let binding = BINDING.to_owned() + "  schemas: [../../crds/widgets.yaml]\n";
    folder.write("apps/web/landfall.yaml", binding);
    folder.write("crds/widgets.yaml", "");
    assert_eq!(
        annotation(&folder),
        ".;../../crds/widgets.yaml;../../outputs/infra.json"
    );
    std::fs::remove_file(folder.at("crds/widgets.yaml")).unwrap();
    let text = String::from_utf8(doctor(&folder).stdout).unwrap();
    assert!(
        text.contains("`crds/widgets.yaml` does not exist"),
        "{text}"
    );
}

/// A commit that changes the base changes what kustomize builds.
#[test]
fn a_kustomization_adds_its_bases() {
    let folder = repository();
    let binding = BINDING.to_owned() + "  tool: kustomize\n";
    folder.write("apps/web/landfall.yaml", binding);
    folder.write(
        "apps/web/kustomization.yaml",
        "resources: [a.yaml, ../../base]\ncomponents: [../../base/component]\n",
    );
    folder.write("base/kustomization.yaml", "resources: [b.yaml]\n");
    folder.write("base/b.yaml", config_map("a: b"));
    folder.write(
        "base/component/kustomization.yaml",
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n",
    );
    assert_eq!(annotation(&folder), ".;../../base;../../outputs/infra.json");

    folder.write("base/kustomization.yaml", "resources: [none.yaml]\n");
    let run = doctor(&folder);
    let text = String::from_utf8(run.stdout).unwrap();
    assert_eq!(run.code, Some(1), "{text}");
    assert!(text.contains("base/none.yaml"), "{text}");
    assert!(!text.contains("manifest-generate-paths"), "{text}");
}

#[test]
fn elsewhere_than_in_a_sidecar_a_path_is_required() {
    let folder = TestFolder::new();
    let run = folder.run(&["argocd", "doctor", "-q"]);
    assert_eq!(run.code, Some(1));
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(
        text.contains("run it in the sidecar, `kubectl exec"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 1, "{text}");
}
