//! `from: {resource: …}` in folders: the outputs are in a manifest.

use crate::run::{Run, TestFolder, config_map, finish, other_config_map};

/// An outputs document.
const INFRA: &str = r#"{"vpc_id": {"sensitive": false, "type": "string", "value": "vpc-1"}}"#;

fn binding(resource: &str, more: &str) -> String {
    format!(
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n    - name: infra\n      from: {{resource: {resource}}}\n{more}"
    )
}

/// A manifest with outputs that is not for the cluster.
fn outputs(kind: &str, name: &str) -> String {
    let data = if kind == "Secret" {
        "stringData"
    } else {
        "data"
    };
    format!(
        "apiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}\n  annotations: {{config.kubernetes.io/local-config: \"true\"}}\n{data}:\n  vpc_id: vpc-0ab1\n"
    )
}

/// A folder with an application `app` whose outputs are in a ConfigMap.
fn setup() -> TestFolder {
    let folder = TestFolder::new();
    folder.write(
        "app/landfall.yaml",
        binding("{kind: ConfigMap, name: infra}", ""),
    );
    folder.write("app/infra.yaml", outputs("ConfigMap", "infra"));
    folder.write("app/web.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder
}

#[test]
fn a_manifest_that_has_only_outputs_is_not_written() {
    let folder = setup();
    let rendered = config_map("vpc: vpc-0ab1");
    let render = || folder.run(&["render", "app"]).expect_stdout();
    assert_eq!(render(), rendered);
    assert_eq!(folder.run(&["check", "app"]).expect_stdout(), "");
    let out = ["render", "app", "--output-dir", "out"];
    assert_eq!(folder.run(&out).expect_stdout(), "");
    assert_eq!(folder.read("out/web.yaml"), rendered);
    assert!(!folder.at("out/infra.yaml").exists());

    // Without the annotation, it is a manifest like others.
    let kept = outputs("ConfigMap", "infra").replace("\"true\"", "\"false\"");
    folder.write("app/infra.yaml", &kept);
    assert_eq!(render(), format!("{kept}---\n{rendered}"));

    // Of a file with others, they are left.
    folder.write(
        "app/infra.yaml",
        outputs("ConfigMap", "infra") + "---\n" + &other_config_map("a: b"),
    );
    let run = render();
    assert!(!run.contains("infra"), "{run}");
    let documents: Vec<&str> = run.split("---\n").map(str::trim).collect();
    assert_eq!(
        documents,
        ["", other_config_map("a: b").trim(), rendered.trim()]
    );
}

#[test]
fn without_other_manifests_there_are_none() {
    let folder = setup();
    std::fs::remove_file(folder.at("app/web.yaml")).unwrap();
    let run = folder.run(&["render", "app"]);
    run.assert_input_error(&["error[no-manifests]"]);
}

#[test]
fn files_are_changed_in_place_with_their_outputs() {
    let folder = setup();
    let arguments = ["render", "app", "--in-place", "--replace-references"];
    let run = folder.run(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(folder.read("app/web.yaml"), config_map("vpc: vpc-0ab1"));
    assert_eq!(folder.read("app/infra.yaml"), outputs("ConfigMap", "infra"));
}

#[test]
fn only_manifests_are_searched() {
    let folder = setup();
    folder.write(
        "app/landfall.yaml",
        binding(
            "{kind: ConfigMap, name: infra}",
            "  manifests: {exclude: [infra.yaml]}\n",
        ),
    );
    let run = folder.run(&["render", "app"]);
    run.assert_input_error(&[
        "error[invalid-binding]: no manifest is the ConfigMap `infra`",
        "app/landfall.yaml:6",
        "help: manifests of this kind: `web`",
    ]);
    folder.write("infra.json", INFRA);
    let bound = folder.run(&["render", "app", "-b", "infra.json"]);
    assert_eq!(bound.expect_stdout(), config_map("vpc: vpc-1"));
}

#[test]
fn explains_where_values_are() {
    let folder = setup();
    let text = folder.run(&["explain", "app"]).expect_stdout();
    assert!(text.contains("<ConfigMap infra>:7"), "{text}");
    assert!(text.contains("app/web.yaml:6:"), "{text}");
}

/// A value of a Secret is sensitive, whoever can read the repository.
#[test]
fn values_of_a_secret_stay_in_secrets() {
    let folder = setup();
    folder.write(
        "app/landfall.yaml",
        binding("{kind: Secret, name: infra}", ""),
    );
    folder.write("app/infra.yaml", outputs("Secret", "infra"));
    let run = folder.run(&["render", "app"]);
    run.assert_input_error(&["error[sensitive-output]", "<Secret infra>:7"]);
    assert!(!run.stderr.contains("0ab1"), "{}", run.stderr);
}

/// The folder of a repository that Argo CD has extracted.
fn generate(folder: &TestFolder, more: &[&str]) -> Run {
    let mut command = folder.command(&[&["cmp", "generate"], more].concat());
    command
        .current_dir(folder.at("app"))
        .env("ARGOCD_APP_SOURCE_PATH", "app");
    finish(&mut command, b"")
}

#[test]
fn under_argo_cd() {
    let folder = setup();
    let run = generate(&folder, &[]);
    assert_eq!(run.expect_stdout(), config_map("vpc: vpc-0ab1"));

    folder.write(
        "app/landfall.yaml",
        binding("{kind: Secret, name: infra}", ""),
    );
    folder.write("app/infra.yaml", outputs("Secret", "infra"));
    let web = config_map("vpc: ${infra.vpc_id}")
        .replace("ConfigMap", "Secret")
        .replace("\ndata:", "\nstringData:");
    folder.write("app/web.yaml", &web);
    let sensitive = "error[sensitive-output]";
    generate(&folder, &[]).assert_input_error(&[
        "error[secret-in-git]: `app/infra.yaml` has sensitive values in plain text, and is in the repository",
        sensitive,
    ]);
    let run = generate(&folder, &["--allow-secret-files"]);
    run.assert_input_error(&["error: 1 error", sensitive]);
    let run = generate(&folder, &["--allow-secret-files", "--allow-sensitive"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rendered = web.replace("${infra.vpc_id}", "vpc-0ab1");
    assert_eq!(String::from_utf8(run.stdout).unwrap(), rendered);
}

#[test]
fn all_clusters_of_a_fleet_have_it() {
    let folder = setup();
    folder.write(
        "app/web.yaml",
        config_map("vpc: ${infra.vpc_id} ${cluster.vpc_id}"),
    );
    for cluster in ["a", "b"] {
        folder.write(&format!("clusters/{cluster}.json"), INFRA);
    }
    let each = [
        "render",
        "app",
        "--each",
        "cluster=clusters/*.json",
        "--output-dir",
        "out/{name}",
    ];
    assert_eq!(folder.run(&each).expect_stdout(), "");
    for cluster in ["a", "b"] {
        assert_eq!(
            folder.read(&format!("out/{cluster}/web.yaml")),
            config_map("vpc: vpc-0ab1 vpc-1")
        );
        assert!(!folder.at(&format!("out/{cluster}/infra.yaml")).exists());
    }
}

/// Large manifests are rendered in parts, one of which has the outputs.
#[test]
fn parts_of_large_manifests_have_it() {
    let folder = setup();
    let all: String = (0..20_000)
        .map(|nth| {
            config_map("vpc: ${infra.vpc_id}").replace("name: web", &format!("name: web-{nth}"))
                + "---\n"
        })
        .collect();
    folder.write("app/web.yaml", &all);
    let render = |jobs: &str| {
        folder
            .run(&["render", "app", "--jobs", jobs])
            .expect_stdout()
    };
    let rendered = render("1");
    assert!(rendered.contains("vpc: vpc-0ab1"));
    assert!(rendered == render("4"), "4 jobs render something else");
}

#[test]
fn it_is_an_error_where_manifests_are_not_read() {
    let folder = setup();
    let check = ["outputs", "check", "-c", "app/landfall.yaml"];
    folder.run(&check).assert_input_error(&[
        "error[no-outputs]: `<ConfigMap infra>`, the outputs document of `infra`, is not known: this command reads no manifests",
        "help: bind its file: `-b infra=FILE`",
    ]);
    let bound = [&check[..], &["-b", "infra=app/infra.yaml"]].concat();
    let run = folder.run(&bound);
    assert_eq!(run.code, Some(0), "{}", run.stderr);

    folder.write(
        "app/kustomization.yaml",
        "resources: [infra.yaml, web.yaml]\n",
    );
    folder.write(
        "app/landfall.yaml",
        binding("{kind: ConfigMap, name: infra}", "  tool: kustomize\n"),
    );
    folder.run(&["render", "app"]).assert_input_error(&[
        "error[no-outputs]: `<ConfigMap infra>`, the outputs document of `infra`, is not known: kustomize builds the manifests with the outputs",
    ]);
}

#[test]
fn adopt_leaves_it_alone() {
    let folder = setup();
    folder.write("app/web.yaml", config_map("vpc: vpc-0ab1"));
    let run = folder.run(&["adopt", "app", "--write"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(
        folder.read("app/web.yaml"),
        config_map("vpc: ${infra.vpc_id}")
    );
    assert_eq!(folder.read("app/infra.yaml"), outputs("ConfigMap", "infra"));
}
