//! `landfall cmp`, called as Argo CD calls it.

use std::process::Stdio;

use crate::run::{INFRA, Run, TestFolder, config_map, finish};

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1
kind: Binding
spec:
  outputs:
    - name: infra
      from: {file: ../../outputs/infra.json}
";

/// Creates a repository as argocd-cmp-server extracts it: in a folder with a new name
/// for every call.
fn repository() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("outputs/infra.json", INFRA);
    folder.write("apps/web/landfall.yaml", BINDING);
    folder.write("apps/web/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder
}

/// `cmp generate` where the outputs of the repository may hold secrets.
const GENERATE: [&str; 3] = ["cmp", "generate", "--allow-secret-files"];

fn call(folder: &TestFolder, arguments: &[&str]) -> Run {
    let secrets: &[&str] = match arguments {
        ["generate", ..] => &["--allow-secret-files"],
        _ => &[],
    };
    call_exactly(folder, &[arguments, secrets].concat())
}

fn call_exactly(folder: &TestFolder, arguments: &[&str]) -> Run {
    let mut command = folder.command(&[&["cmp"], arguments].concat());
    command
        .current_dir(folder.at("apps/web"))
        .env("ARGOCD_APP_SOURCE_PATH", "apps/web")
        .stdin(Stdio::null());
    finish(&mut command, b"")
}

#[test]
fn generate() {
    let folder = repository();
    assert_eq!(
        call(&folder, &["generate"]).expect_stdout(),
        config_map("vpc: vpc-0ab1")
    );
}

/// With the annotation `manifest-generate-paths`, Argo CD extracts the innermost folder
/// that contains all its paths: here `clusters/one`.
#[test]
fn generate_in_a_part_of_the_repository() {
    let folder = repository();
    let render = |manifest: &str| {
        folder.write("apps/web/a.yaml", config_map(manifest));
        let mut command = folder.command(&GENERATE);
        command
            .current_dir(folder.at("apps/web"))
            .env("ARGOCD_APP_SOURCE_PATH", "clusters/one/apps/web");
        finish(command.stdin(Stdio::null()), b"")
    };
    folder.write("apps/infra.json", INFRA);
    folder.write(
        "apps/web/landfall.yaml",
        BINDING.replace("../../outputs", ".."),
    );
    assert_eq!(
        render("vpc: ${infra.vpc_id}").expect_stdout(),
        config_map("vpc: vpc-0ab1")
    );
    render("vpc: ${infra.nothing}").assert_input_error(&["--> clusters/one/apps/web/a.yaml:6:"]);
    // The folder above the extracted one is outside the root.
    folder.write(
        "apps/web/landfall.yaml",
        BINDING.replace("../../outputs", "../../.."),
    );
    render("vpc: ${infra.vpc_id}").assert_input_error(&["outside-root"]);
}

#[test]
fn a_manual_call_suggests_the_source_path_variable() {
    let folder = repository();
    let generate = |source_path: Option<&str>| {
        let mut command = folder.command(&GENERATE);
        command.current_dir(folder.at("apps/web"));
        command.envs(source_path.map(|path| ("ARGOCD_APP_SOURCE_PATH", path)));
        finish(command.stdin(Stdio::null()), b"")
    };
    let run = generate(None);
    run.assert_input_error(&[
        "error[outside-root]",
        "there is no Git work tree here",
        "set ARGOCD_APP_SOURCE_PATH to the path of this folder in the repository",
    ]);
    assert!(!run.stderr.contains("--root"), "{}", run.stderr);
    generate(Some("apps/web")).expect_stdout();
    folder.write("apps/.git", "gitdir: elsewhere");
    let run = generate(None);
    run.assert_input_error(&["the root is the Git work tree: move the document into it"]);
    assert!(!run.stderr.contains("--root"), "{}", run.stderr);
}

#[test]
fn messages_do_not_depend_on_the_extracted_path() {
    let (one, two) = (repository(), repository());
    for folder in [&one, &two] {
        folder.write("apps/web/a.yaml", config_map("vpc: ${infra.vpc_idd}"));
    }
    let (one_run, two_run) = (call(&one, &["generate"]), call(&two, &["generate"]));
    one_run.assert_input_error(&["--> apps/web/a.yaml:6:", "::: outputs/infra.json:2:3"]);
    assert_eq!(one_run.stderr, two_run.stderr);
}

#[test]
fn the_repository_is_the_root() {
    let folder = repository();
    folder.write(
        "apps/web/landfall.yaml",
        BINDING.replace("../../outputs", "../../../x/outputs"),
    );
    let run = call(&folder, &["generate"]);
    run.assert_input_error(&["outside-root", "apps/web/landfall.yaml:6:"]);
    assert!(
        !run.stderr.contains(folder.path().to_str().unwrap()),
        "{}",
        run.stderr
    );
}

#[test]
fn rejects_sensitive_values_unless_the_operator_allows_them() {
    let folder = repository();
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: \"${infra.password}\"}\n";
    folder.write("apps/web/a.yaml", secret);
    let run = call(&folder, &["generate"]);
    run.assert_input_error(&["sensitive-output", "apps/web/a.yaml:4:"]);
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);

    folder.write("policy.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: OperatorPolicy\nspec: {sensitive: {kinds: [Secret]}}\n");
    let run = call(
        &folder,
        &["generate", "--operator-policy", "../../policy.yaml"],
    );
    assert_eq!(
        run.expect_stdout(),
        secret.replace("${infra.password}", "hunter2")
    );
}

#[test]
fn a_variable_names_the_operator_policy_unless_the_flag_does() {
    let folder = repository();
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: \"${infra.password}\"}\n";
    folder.write("apps/web/a.yaml", secret);
    folder.write("policy.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: OperatorPolicy\nspec: {sensitive: {kinds: [Secret]}}\n");
    let generate = |variable: &str, policy: &str, flags: &[&str]| {
        let mut command = folder.command(&[&GENERATE, flags].concat());
        command
            .current_dir(folder.at("apps/web"))
            .env("ARGOCD_APP_SOURCE_PATH", "apps/web")
            .env(variable, policy);
        finish(command.stdin(Stdio::null()), b"")
    };
    let allowed = generate("LANDFALL_OPERATOR_POLICY", "../../policy.yaml", &[]);
    assert_eq!(
        allowed.expect_stdout(),
        secret.replace("${infra.password}", "hunter2")
    );
    // What an Application sets has a prefix.
    generate(
        "ARGOCD_ENV_LANDFALL_OPERATOR_POLICY",
        "../../policy.yaml",
        &[],
    )
    .assert_input_error(&["sensitive-output"]);
    // A policy that cannot be read is not ignored, not even one without a name.
    for missing in ["../../none.yaml", ""] {
        generate("LANDFALL_OPERATOR_POLICY", missing, &[])
            .assert_input_error(&["missing-file", "named by LANDFALL_OPERATOR_POLICY"]);
    }
    generate(
        "LANDFALL_OPERATOR_POLICY",
        "../../policy.yaml",
        &["--operator-policy", "../../none.yaml"],
    )
    .assert_input_error(&["named by --operator-policy"]);
}

#[test]
fn a_variable_mounts_outputs_unless_the_flag_does() {
    let folder = repository();
    folder.write(
        "apps/web/landfall.yaml",
        BINDING.replace("file: ../../outputs/infra.json", "mounted: infra.json"),
    );
    folder.write("mounted/shop/infra.json", INFRA);
    let generate = |variables: &[(&str, &str)], flags: &[&str]| {
        let mut command = folder.command(&[&GENERATE, flags].concat());
        command
            .current_dir(folder.at("apps/web"))
            .env("ARGOCD_APP_SOURCE_PATH", "apps/web")
            .env("ARGOCD_APP_PROJECT_NAME", "shop")
            .envs(variables.iter().copied());
        finish(command.stdin(Stdio::null()), b"")
    };
    let mounted = ("LANDFALL_MOUNTED_OUTPUTS", "../../mounted");
    let rendered = config_map("vpc: vpc-0ab1");
    assert_eq!(generate(&[mounted], &[]).expect_stdout(), rendered);
    let missing = ("LANDFALL_MOUNTED_OUTPUTS", "../../none");
    let flags = ["--mounted-outputs", "../../mounted"];
    assert_eq!(generate(&[missing], &flags).expect_stdout(), rendered);
    generate(&[missing], &[]).assert_input_error(&["infra.json"]);

    // The format does not mark what is sensitive.
    let binding = folder.read("apps/web/landfall.yaml");
    folder.write("apps/web/landfall.yaml", binding + "      format: json\n");
    folder.write("mounted/shop/infra.json", "{\"vpc_id\": \"vpc-0ab1\"}");
    generate(&[mounted], &[]).assert_input_error(&["sensitive-output"]);
    let public = |value| ("LANDFALL_MOUNTED_OUTPUTS_PUBLIC", value);
    assert_eq!(
        generate(&[mounted, public("true")], &[]).expect_stdout(),
        rendered
    );
    generate(&[mounted, public("false")], &[]).assert_input_error(&["sensitive-output"]);
    generate(&[mounted, public("yes")], &[]).assert_fails(
        2,
        &["LANDFALL_MOUNTED_OUTPUTS_PUBLIC is not `true` or `false`"],
    );
}

#[test]
fn a_missing_or_invalid_operator_policy_is_an_error() {
    let folder = repository();
    let missing = call(
        &folder,
        &["generate", "--operator-policy", "../../policy.yaml"],
    );
    missing.assert_input_error(&["missing-file", "named by --operator-policy"]);
    folder.write(
        "policy.yaml",
        "kind: OperatorPolicy\nspec: {sensitiv: {}}\n",
    );
    let broken = call(
        &folder,
        &["generate", "--operator-policy", "../../policy.yaml"],
    );
    broken.assert_input_error(&["invalid-policy", "../../policy.yaml:"]);
}

#[test]
fn rejects_documents_that_are_not_resources() {
    let folder = repository();
    folder.write("apps/web/values.yaml", "a: 1\n");
    call(&folder, &["generate"])
        .assert_input_error(&["not-a-resource", "apps/web/values.yaml:1:1"]);
}

#[test]
fn rejects_an_application_without_manifests() {
    let folder = repository();
    std::fs::remove_file(folder.at("apps/web/a.yaml")).unwrap();
    call(&folder, &["generate"]).assert_input_error(&["no-manifests"]);
}

#[test]
fn discover_claims_only_folders_with_a_binding() {
    let folder = repository();
    assert_eq!(call(&folder, &["discover"]).expect_stdout(), "landfall\n");
    std::fs::remove_file(folder.at("apps/web/landfall.yaml")).unwrap();
    assert_eq!(call(&folder, &["discover"]).expect_stdout(), "");
}

/// Argo CD itself renders a folder that is not claimed, without an error.
#[test]
fn discover_claims_every_folder_with_a_binding_and_never_fails() {
    let folder = repository();
    let discover = |folder: &TestFolder, subfolder: &str| {
        let mut command = folder.command(&["cmp", "discover"]);
        command
            .current_dir(folder.at(subfolder))
            .env("ARGOCD_APP_SOURCE_PATH", subfolder)
            .stdin(Stdio::null());
        finish(&mut command, b"").expect_stdout()
    };
    for binding in ["", "a: [", "kind: Other\n", "\u{0}"] {
        folder.write("apps/web/landfall.yaml", binding);
        assert_eq!(discover(&folder, "apps/web"), "landfall\n", "{binding:?}");
    }
    folder.write("apps/web/landfall.yml", "");
    folder.write("apps/web/kustomization.yaml", "");
    folder.write("apps/web/deep/landfall.yaml", BINDING);
    assert_eq!(discover(&folder, "apps/web"), "landfall\n");
    folder.write("apps/other/Landfall.yml", BINDING);
    assert_eq!(discover(&folder, "apps/other"), "landfall\n");
    // A folder without applications, and a folder of applications.
    assert_eq!(discover(&folder, "outputs"), "");
    assert_eq!(discover(&folder, "apps"), "");
}

/// As above: `generate` reports the variable.
#[test]
fn a_variable_that_is_not_valid_does_not_make_discover_fail() {
    let folder = repository();
    let run = |call: &str| {
        let mut command = folder.command(&["cmp", call]);
        command
            .current_dir(folder.at("apps/web"))
            .env("ARGOCD_APP_SOURCE_PATH", "apps/web")
            .env("LANDFALL_MOUNTED_OUTPUTS", "/outputs")
            .env("LANDFALL_MOUNTED_OUTPUTS_PUBLIC", "yes")
            .stdin(Stdio::null());
        finish(&mut command, b"")
    };
    assert_eq!(run("discover").expect_stdout(), "landfall\n");
    for call in ["init", "generate"] {
        run(call).assert_fails(2, &["LANDFALL_MOUNTED_OUTPUTS_PUBLIC is not"]);
    }
}

#[cfg(unix)]
#[test]
fn discover_claims_a_binding_that_is_a_broken_link() {
    let folder = repository();
    std::fs::remove_file(folder.at("apps/web/landfall.yaml")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.at("apps/web/landfall.yaml")).unwrap();
    assert_eq!(call(&folder, &["discover"]).expect_stdout(), "landfall\n");
    call(&folder, &["generate"]).assert_input_error(&["`apps/web/landfall.yaml` is a broken link"]);
}

#[test]
fn a_folder_of_applications_is_refused() {
    let folder = repository();
    folder.write("apps/db/landfall.yaml", BINDING);
    let mut command = folder.command(&["cmp", "generate"]);
    command
        .current_dir(folder.at("apps"))
        .env("ARGOCD_APP_SOURCE_PATH", "apps")
        .stdin(Stdio::null());
    finish(&mut command, b"").assert_input_error(&[
        "several-applications",
        "`apps` has no Binding, but there are applications below it: `db` and 1 more folder",
    ]);
}

#[test]
fn rejects_a_kustomize_folder_and_suggests_alternatives() {
    let folder = repository();
    folder.write("apps/web/base/kustomization.yaml", "namePrefix: prod-\n");
    call(&folder, &["generate"]).assert_input_error(&[
        "other-tool",
        "`apps/web/base/kustomization.yaml`",
        "`spec: {tool: none}`",
        "`kustomize: {…}`",
    ]);
    folder.write(
        "apps/web/landfall.yaml",
        BINDING.to_owned() + "  tool: none\n",
    );
    assert_eq!(
        call(&folder, &["generate"]).expect_stdout(),
        config_map("vpc: vpc-0ab1")
    );
}

/// What Argo CD extracts was committed: a secret in it is in the history of the repository.
#[test]
fn a_secret_in_the_repository_is_an_error() {
    let generate = |binding: &str, infra: &str| {
        let folder = repository();
        folder.write("outputs/infra.json", infra);
        folder.write("apps/web/landfall.yaml", binding);
        call_exactly(&folder, &["generate"])
    };
    let run = generate(BINDING, INFRA);
    run.assert_input_error(&[
        "error[secret-in-git]: `outputs/infra.json` has sensitive values in plain text",
        "mounted",
    ]);
    let inline = BINDING.replace(
        "{file: ../../outputs/infra.json}",
        "{inline: {vpc_id: hunter2}}\n      sensitive: [vpc_id]",
    );
    let run = generate(&inline, INFRA);
    run.assert_input_error(&["error[secret-in-git]: `<inline infra>`"]);
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
    let public = r#"{"vpc_id": {"sensitive": false, "value": "vpc-0ab1"}}"#;
    let named = |format: &str| {
        BINDING.replace(
            "infra.json}",
            &format!("infra.json}}\n      format: {format}"),
        )
    };
    for (binding, infra) in [
        (BINDING, public),
        (&*inline.replace("      sensitive: [vpc_id]", ""), ""),
        // Nothing in these can be read that is sensitive.
        (
            &*named("pulumi"),
            r#"{"vpc_id": "vpc-0ab1", "password": "[secret]"}"#,
        ),
        (
            &*named("azure"),
            r#"{"vpc_id": {"type": "String", "value": "vpc-0ab1"}, "password": {"type": "SecureString"}}"#,
        ),
        (
            BINDING,
            "apiVersion: v1\nkind: ConfigMap\ndata: {vpc_id: vpc-0ab1}\n",
        ),
    ] {
        let run = generate(binding, infra);
        assert!(!run.stderr.contains("secret-in-git"), "{}", run.stderr);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
}

/// Argo CD shows all of standard error in one small field of the Application.
#[test]
fn a_cause_in_many_files_is_one_error_with_its_places() {
    let folder = repository();
    std::fs::remove_file(folder.at("apps/web/a.yaml")).unwrap();
    for cluster in 1..=40 {
        let name = format!("c{cluster:02}");
        let manifest = config_map("vpc: ${infra.vpc_idd}").replace("web", &name);
        folder.write(&format!("apps/web/{name}.yaml"), manifest);
    }
    let run = call(&folder, &["generate"]);
    run.assert_input_error(&[]);
    let page = include_str!("../../../deploy/argocd/README.md");
    assert!(
        page.contains(run.stderr.trim_end()),
        "not in the page:\n{}",
        run.stderr
    );
}

#[test]
fn other_names_with_the_same_problem_are_one_cause() {
    let folder = repository();
    folder.write(
        "apps/web/landfall.yaml",
        BINDING.to_owned() + "  policy: {unbound: error}\n",
    );
    let lines = |name: &str| -> String {
        (0..100)
            .map(|nth| format!("  k{nth}: ${{{name}{nth}.id}}\n"))
            .collect()
    };
    for name in ["name", "infra.name"] {
        let manifest = config_map("vpc: ${infra.vpc_id}") + &lines(name);
        folder.write("apps/web/a.yaml", manifest);
        let run = call(&folder, &["generate"]);
        run.assert_input_error(&[
            "error: 100 errors in 1 file; nothing was rendered",
            "and 95 more",
        ]);
        assert!(run.stderr.len() < 2000, "{}", run.stderr);
    }
}
