//! Command lines and folders that are almost right: each error says what is wrong and
//! names one action.

use crate::run::{TestFolder, config_map};

/// Creates a folder with a manifest and an outputs document.
fn setup() -> TestFolder {
    let folder = TestFolder::with_infra();
    folder.write("r.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder
}

/// Returns the Binding of an application whose outputs document is `file`.
fn binding(file: &str) -> String {
    format!(
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {{outputs: [{{name: infra, from: {{file: \"{file}\"}}}}]}}\n"
    )
}

#[track_caller]
fn check(arguments: &[&str], parts: &[&str]) {
    let folder = setup();
    folder
        .run(&[&["render"], arguments].concat())
        .assert_input_error(parts);
}

#[test]
fn a_name_and_its_file_in_two_arguments() {
    let meant = "`-b infra=infra.json`";
    check(
        &["r.yaml", "-b", "infra", "infra.json"],
        &["`-b infra`", meant],
    );
    check(
        &["-b", "infra", "infra.json", "r.yaml"],
        &["`-b infra`", meant],
    );
    check(
        &["r.yaml", "-b", "infra:infra.json"],
        &["`-b infra:infra.json`", meant],
    );
    check(
        &["r.yaml", "-b", "infra"],
        &["`infra` does not exist", "`-b infra=FILE`"],
    );
}

#[test]
fn no_file_where_no_binding_is_meant() {
    check(
        &["r.yaml", "-b", "infra.json", "-c", "/dev/null"],
        &["`/dev/null`, named by --config", "pass `--no-binding`"],
    );
}

#[test]
fn a_folder_where_a_name_and_its_file_are_meant() {
    let folder = setup();
    folder.write("infra/main.tf", "");
    folder
        .run(&["render", "r.yaml", "-b", "infra", "infra.json"])
        .assert_input_error(&["`-b infra`", "`infra` is a folder", "`-b infra=infra.json`"]);
    // A file without an extension is accepted.
    std::fs::copy(folder.at("infra.json"), folder.at("outputs")).unwrap();
    let run = folder.run(&["render", "r.yaml", "-b", "outputs"]);
    assert_eq!(run.expect_stdout(), config_map("vpc: vpc-0ab1"));
}

#[test]
fn a_pattern_that_the_shell_passed_on() {
    check(
        &["*.yml", "-b", "infra.json"],
        &[
            "`*.yml` does not exist",
            "no file matches this pattern",
            "pass the folder: `.`",
        ],
    );
    check(&["a/b/[cd].yml"], &["pass the folder: `a/b`"]);
    check(
        &["r.yaml", "-b", "outputs/*.json"],
        &["`-b` takes one file, without wildcards"],
    );
}

#[test]
fn flags_of_kubectl() {
    let folder = setup();
    for flag in ["-f", "--filename", "--filename=r.yaml"] {
        let run = folder.run(&["render", flag, "r.yaml"]);
        run.assert_fails(2, &["unexpected argument", "tip: pass files and folders"]);
        assert!(!run.stderr.contains("tip: a similar"), "{}", run.stderr);
    }
    let run = folder.run(&["render", "--nonsense"]);
    assert!(
        !run.stderr.contains("tip: pass files and folders"),
        "{}",
        run.stderr
    );
}

#[test]
fn flags_and_commands_of_other_tools() {
    let folder = setup();
    for (arguments, tip) in [
        (
            &["r.yaml", "-b", "infra.json"][..],
            "use `landfall render r.yaml`",
        ),
        (
            &["-b", "infra.json", "render", "r.yaml"],
            "`-b` comes after the command",
        ),
        (
            &["apply", "r.yaml"],
            "landfall render … | kubectl apply -f -",
        ),
        (&["template", "r.yaml"], "use `landfall render`"),
        (&["validate", "r.yaml"], "use `landfall check`"),
        (&["plan"], "`landfall diff --plan FILE`"),
        (&["version"], "`landfall --version`"),
        (&["sync", "app"], "landfall render … | kubectl apply -f -"),
        (&["convert", "app"], "use `landfall migrate`"),
        (&["unused"], "use `landfall explain --unused`"),
        (&["digest"], "use `landfall stamp`"),
        (&["doctor"], "use `landfall argocd doctor`"),
        (&["install"], "use `landfall argocd install`"),
        (&["contract"], "use `landfall outputs contract`"),
        (&["flux"], "use `landfall export flux`"),
        (&["argocd", "generate"], "use `landfall cmp generate`"),
        (&["outputs", "export"], "use `landfall export`"),
        (
            &["render", "r.yaml", "-o", "out.yaml"],
            "`--output-dir DIR`",
        ),
        (&["render", "r.yaml", "-i"], "`--in-place`"),
        (&["render", "r.yaml", "--var", "a=b"], "`-b FILE`"),
        (&["adopt", "r.yaml", "--in-place"], "`--write`"),
        (&["adopt", "r.yaml", "--dry-run"], "only with `--write`"),
        (&["outputs", "check", "infra.json"], "`-b infra.json`"),
        (&["export", "flux", "infra.json"], "`-b infra.json`"),
        (
            &["export", "dotenv", "-b", "infra.json", "-o", "a.env"],
            "redirect it with `>`",
        ),
        (
            &["export", "argocd-cluster", "--name", "a"],
            "`--server-output OUTPUT`",
        ),
        (&["sample", "contract.yaml"], "`--contract contract.yaml`"),
        (&["diff", "r.yaml"], "`--plan FILE`"),
    ] {
        let run = folder.run(arguments);
        run.assert_fails(2, &[tip]);
        assert_eq!(run.stderr.matches("tip:").count(), 1, "{}", run.stderr);
    }
    for arguments in [&["render", "--zzz"][..], &["zzz"], &["diff", "--from", "a"]] {
        let run = folder.run(arguments);
        run.assert_fails(2, &["error: "]);
        assert!(!run.stderr.contains("tip:"), "{}", run.stderr);
    }
    // A similar name is a better tip than none.
    let run = folder.run(&["render", "--ouput-dir", "a"]);
    run.assert_fails(2, &["tip: a similar argument exists: '--output-dir'"]);
}

#[test]
fn addresses() {
    let url = "https://example.org/x.json?a=1&b=2";
    let is_address = format!("`{url}` is a remote address");
    let fetch = format!("curl -fsS '{url}' | landfall");
    check(&[url], &[&is_address, &format!("{fetch} render -")]);
    check(
        &["r.yaml", "-b", url],
        &[&is_address, &format!("{fetch} … -b infra=-")],
    );
    let named = format!("net={url}");
    check(&["r.yaml", "-b", &named], &[&is_address, "-b net=-"]);
    check(
        &["r.yaml", "-c", url],
        &[&is_address, &format!("{fetch} … --config -")],
    );
    check(
        &["r.yaml", "-b", "git@example.org:infra.json"],
        &["download it first"],
    );
    let folder = setup();
    folder.write("app/landfall.yaml", binding(url));
    folder
        .run(&["render", "app"])
        .assert_input_error(&[&is_address, &format!("curl -fsS '{url}' > infra.json")]);
}

#[cfg(unix)]
#[test]
fn broken_links() {
    let folder = setup();
    for link in ["a.yaml", "a.json"] {
        std::os::unix::fs::symlink("gone", folder.at(link)).unwrap();
    }
    folder
        .run(&["render", "a.yaml", "-b", "a.json"])
        .assert_input_error(&[
            "`a.yaml` is a broken link",
            "create the target, or remove the link",
            "no outputs document: `a.json` is a broken link",
        ]);
}

#[test]
fn too_large_an_input_is_reported_once() {
    let folder = setup();
    folder.write("app/landfall.yaml", binding("../infra.json"));
    let arguments = "render app r.yaml -b a=infra.json -b b=infra.json --max-input 100";
    let run = folder.run(&arguments.split(' ').collect::<Vec<_>>());
    run.assert_input_error(&[
        "`infra.json`, the outputs document of `a`,",
        "error: 1 error",
    ]);
}

#[test]
fn a_chart() {
    let folder = setup();
    folder.write("chart/Chart.yaml", "name: web\nversion: 1.0.0\n");
    folder.write("chart/templates/a.yaml", "a: {{ .Values.a }}\n");
    let what =
        "`chart/Chart.yaml` belongs to Helm, which landfall runs only with `spec.tool: helm`";
    let render = "`helm template chart` and pipe the result to `landfall render -`";
    folder
        .run(&["render", "chart", "-b", "infra.json"])
        .assert_input_error(&[what, render]);
}

#[test]
fn a_binding_of_two_documents() {
    let folder = setup();
    let one = binding("infra.json");
    folder.write("app/landfall.yaml", format!("{one}---\n{one}"));
    folder.run(&["render", "app"]).assert_input_error(&[
        "the file has more than one YAML document",
        "app/landfall.yaml:4:1",
        "merge them into one `spec`",
    ]);
}

#[test]
fn a_document_outside_of_the_root() {
    let folder = setup();
    folder.write("repo/app/landfall.yaml", binding("../../infra.json"));
    folder.write("repo/app/cm.yaml", config_map("a: b"));
    let render = |arguments: &[&str]| folder.run(&[&["render", "repo/app"], arguments].concat());
    render(&[]).assert_input_error(&["is outside the root", "no Git work tree here", "--root"]);
    render(&["--root", "repo"]).assert_input_error(&["pass a larger root with --root"]);
    assert_eq!(render(&["--root", "."]).code, Some(0));
    std::fs::create_dir(folder.at("repo/.git")).unwrap();
    render(&[]).assert_input_error(&["the root is the Git work tree"]);
    let mut generate = folder.command(&["cmp", "generate"]);
    generate
        .current_dir(folder.at("repo/app"))
        .env("ARGOCD_APP_SOURCE_PATH", "app");
    crate::run::finish(&mut generate, b"")
        .assert_input_error(&["is outside the root", "manifest-generate-paths"]);
}
