//! Command lines and folders that are nearly right: each error says what is wrong and
//! one thing to do.

use crate::run::{Place, config_map};

/// A folder with a manifest, an outputs document and an application.
fn place() -> Option<Place> {
    let place = Place::with_infra()?;
    place.write("r.yaml", config_map("vpc: ${infra.vpc_id}"));
    Some(place)
}

/// The Binding of an application whose outputs document is `file`.
fn binding(file: &str) -> String {
    format!(
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {{outputs: [{{name: infra, from: {{file: \"{file}\"}}}}]}}\n"
    )
}

#[track_caller]
fn check(arguments: &[&str], parts: &[&str]) {
    let Some(place) = place() else { return };
    place
        .run(&[&["render"], arguments].concat())
        .input_error(parts);
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
fn a_folder_where_a_name_and_its_file_are_meant() {
    let Some(place) = place() else { return };
    place.write("infra/main.tf", "");
    place
        .run(&["render", "r.yaml", "-b", "infra", "infra.json"])
        .input_error(&["`-b infra`", "`infra` is a folder", "`-b infra=infra.json`"]);
    // A file without an extension is one.
    std::fs::copy(place.at("infra.json"), place.at("outputs")).unwrap();
    let run = place.run(&["render", "r.yaml", "-b", "outputs"]);
    assert_eq!(run.text(), config_map("vpc: vpc-0ab1"));
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
    let Some(place) = place() else { return };
    for flag in ["-f", "--filename", "--filename=r.yaml"] {
        let run = place.run(&["render", flag, "r.yaml"]);
        run.refused(2, &["unexpected argument", "tip: pass files and folders"]);
        assert!(!run.stderr.contains("tip: a similar"), "{}", run.stderr);
    }
    let run = place.run(&["render", "--nonsense"]);
    assert!(
        !run.stderr.contains("tip: pass files and folders"),
        "{}",
        run.stderr
    );
}

#[test]
fn addresses() {
    let url = "https://example.org/x.json?a=1&b=2";
    let is_address = format!("`{url}` is a remote address");
    let fetch = format!("curl -fsS '{url}' | landfall render");
    check(&[url], &[&is_address, &format!("{fetch} -")]);
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
    let Some(place) = place() else { return };
    place.write("app/landfall.yaml", binding(url));
    place
        .run(&["render", "app"])
        .input_error(&[&is_address, &format!("curl -fsS '{url}' > infra.json")]);
}

#[cfg(unix)]
#[test]
fn broken_links() {
    let Some(place) = place() else { return };
    for link in ["a.yaml", "a.json"] {
        std::os::unix::fs::symlink("gone", place.at(link)).unwrap();
    }
    place
        .run(&["render", "a.yaml", "-b", "a.json"])
        .input_error(&[
            "`a.yaml` is a broken link",
            "create the target, or remove the link",
            "no outputs document: `a.json` is a broken link",
        ]);
}

#[test]
fn too_large_an_input_is_reported_once() {
    let Some(place) = place() else { return };
    place.write("app/landfall.yaml", binding("../infra.json"));
    let arguments = "render app r.yaml -b a=infra.json -b b=infra.json --max-input 100";
    let run = place.run(&arguments.split(' ').collect::<Vec<_>>());
    run.input_error(&[
        "`infra.json`, the outputs document of `a`,",
        "error: 1 error",
    ]);
}

#[test]
fn a_chart() {
    let Some(place) = place() else { return };
    place.write("chart/Chart.yaml", "name: web\nversion: 1.0.0\n");
    place.write("chart/templates/a.yaml", "a: {{ .Values.a }}\n");
    let what = "`chart/Chart.yaml` belongs to Helm, which landfall does not run";
    let render = "`helm template chart` and pipe the result to `landfall render -`";
    place
        .run(&["render", "chart", "-b", "infra.json"])
        .input_error(&[what, render]);
}

#[test]
fn a_binding_of_two_documents() {
    let Some(place) = place() else { return };
    let one = binding("infra.json");
    place.write("app/landfall.yaml", format!("{one}---\n{one}"));
    place.run(&["render", "app"]).input_error(&[
        "the file has more than one YAML document",
        "app/landfall.yaml:4:1",
        "merge them into one `spec`",
    ]);
}

#[test]
fn a_document_outside_of_the_root() {
    let Some(place) = place() else { return };
    place.write("repo/app/landfall.yaml", binding("../../infra.json"));
    place.write("repo/app/cm.yaml", config_map("a: b"));
    let render = |arguments: &[&str]| place.run(&[&["render", "repo/app"], arguments].concat());
    render(&[]).input_error(&["is outside the root", "no Git work tree here", "--root"]);
    render(&["--root", "repo"]).input_error(&["pass a larger root with --root"]);
    assert_eq!(render(&["--root", "."]).code, Some(0));
    std::fs::create_dir(place.at("repo/.git")).unwrap();
    render(&[]).input_error(&["the root is the Git work tree"]);
    let mut generate = place.command(&["cmp", "generate"]);
    generate
        .current_dir(place.at("repo/app"))
        .env("ARGOCD_APP_SOURCE_PATH", "app");
    crate::run::finish(&mut generate, b"")
        .input_error(&["is outside the root", "manifest-generate-paths"]);
}
