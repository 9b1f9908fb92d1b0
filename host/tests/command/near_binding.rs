//! What a Binding declares sensitive is never lost because the Binding is not found.

use std::process::Stdio;

use crate::run::{Run, TestFolder, config_map, finish};

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n  - {name: infra, from: {file: infra.json}, sensitive: [value]}\n";
const INFRA: &str = r#"{"value": {"sensitive": false, "type": "string", "value": "hunter23"}}"#;

/// Creates the application `repo/app` in a work tree, whose Binding is the file `name` in
/// `folder`.
fn setup(folder: &str, name: &str) -> TestFolder {
    let test = TestFolder::new();
    test.write("repo/.git/HEAD", "");
    test.write("infra.json", INFRA);
    test.write("repo/app/infra.json", INFRA);
    test.write("repo/infra.json", INFRA);
    test.write("repo/app/a.yaml", config_map("a: ${infra.value}"));
    test.write(&format!("{folder}/{name}"), BINDING);
    test
}

/// Checks that a run is refused with these words and writes the value nowhere, and that it
/// is rendered with `--no-binding`.
#[track_caller]
fn check(folder: &TestFolder, arguments: &[&str], stdin: &str, parts: &[&str]) {
    let run = folder.run_with_stdin(arguments, stdin);
    let parts: Vec<&str> = [parts, &["error[binding-not-applied]", "--no-binding"]].concat();
    run.assert_input_error(&parts);
    assert!(!run.stderr.contains("hunter23"), "{}", run.stderr);
    let without = [arguments, &["--no-binding"]].concat();
    let run = folder.run_with_stdin(&without, stdin);
    assert_eq!(run.expect_stdout(), config_map("a: hunter23"));
}

/// Runs the command in a subfolder.
fn run_in(folder: &TestFolder, subfolder: &str, arguments: &[&str]) -> Run {
    let mut command = folder.command(arguments);
    let command = command.current_dir(folder.at(subfolder));
    finish(command.stdin(Stdio::null()), b"")
}

const BIND: &[&str] = &["-b", "infra.json"];

fn render<'a>(paths: &[&'a str]) -> Vec<&'a str> {
    [&["render"], paths, BIND].concat()
}

#[test]
fn a_name_in_another_case_is_not_overlooked() {
    for name in ["Landfall.yaml", "LANDFALL.YML", "landfall.Yml"] {
        let folder = setup("repo/app", name);
        let path = format!("the Binding `repo/app/{name}`");
        let words = [path.as_str(), "its name is not `landfall.yaml`"];
        check(&folder, &render(&["repo/app/a.yaml"]), "", &words);
        // Where outputs are exported, too.
        let arguments = ["export", "dotenv", "-b", "infra.json"];
        let run = run_in(&folder, "repo/app", &arguments);
        run.assert_input_error(&[name, "is not applied to the outputs"]);
    }
}

#[test]
fn a_similar_name_of_a_binding_is_not_overlooked() {
    for name in [
        "landfal.yaml",
        "landfall.json",
        "Landfall.yml.bak",
        "binding.yaml",
    ] {
        let folder = setup("repo/app", name);
        let path = format!("the Binding `repo/app/{name}`");
        check(&folder, &render(&["repo/app/a.yaml"]), "", &[&path]);
        // The name alone is none.
        folder.write(&format!("repo/app/{name}"), config_map("b: landfall.dev"));
        let run = folder.run(&render(&["repo/app/a.yaml"]));
        assert_eq!(run.expect_stdout(), config_map("a: hunter23"), "{name}");
    }
}

#[test]
fn a_binding_above_the_root_is_not_overlooked() {
    for (binding, root) in [("repo", "repo/app"), (".", "repo/app"), (".", "repo")] {
        let folder = setup(binding, "landfall.yaml");
        let paths = ["repo/app/a.yaml", "--root", root];
        let words = ["landfall.yaml`", "it is above the root"];
        check(&folder, &render(&paths), "", &words);
    }
}

#[test]
fn nothing_above_the_git_work_tree_is_listed() {
    for name in ["Landfall.yaml", "binding.yaml"] {
        let folder = setup(".", name);
        for root in [&[][..], &["--root", "repo/app"], &["--root", "repo"]] {
            let bind = ["-b", "repo/infra.json"];
            let run = folder.run(&[&["render", "repo/app/a.yaml"][..], &bind, root].concat());
            assert_eq!(run.expect_stdout(), config_map("a: hunter23"), "{name}");
        }
    }
}

#[test]
fn the_binding_of_an_outputs_document_is_not_overlooked() {
    for name in ["landfall.yaml", "Landfall.yaml"] {
        let folder = setup("repo/app", name);
        folder.write("repo/other/c.yaml", config_map("a: ${infra.value}"));
        let bind = ["-b", "repo/app/infra.json"];
        let path = format!("the Binding `repo/app/{name}`");
        let file = [&["render", "repo/other/c.yaml"][..], &bind].concat();
        check(&folder, &file, "", &[&path]);
        let each = [
            "check",
            "repo/other/c.yaml",
            "--each",
            "infra=repo/app/infra.*",
        ];
        let run = folder.run(&each);
        run.assert_input_error(&["error[binding-not-applied]", &path]);
        let stdin = [&["render", "-"][..], &bind].concat();
        check(&folder, &stdin, &config_map("a: ${infra.value}"), &[&path]);
        let run = folder.run(&[&["export", "dotenv"][..], &bind].concat());
        run.assert_input_error(&[&path, "is not applied to the outputs"]);
        assert!(!run.stderr.contains("hunter23"), "{}", run.stderr);
    }
}

#[test]
fn what_the_binding_of_a_document_declares_is_not_lost_to_a_nearer_one() {
    let folder = setup("repo/app", "landfall.yaml");
    let own = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {outputs: []}\n";
    folder.write("repo/landfall.yaml", own);
    for arguments in [&["export", "dotenv"][..], &["outputs", "contract"]] {
        let bind = ["-b", "app/infra.json"];
        let run = run_in(&folder, "repo", &[arguments, &bind].concat());
        run.assert_input_error(&["the Binding `app/landfall.yaml`", "--no-binding"]);
        assert!(!run.stderr.contains("hunter23"), "{}", run.stderr);
    }
}

#[test]
fn a_root_that_does_not_contain_the_manifests_is_an_error() {
    let folder = setup("repo/app", "landfall.yaml");
    folder.write("other/x.yaml", "");
    for (root, part) in [
        ("rep", "`rep`, named by --root, does not exist"),
        ("other", "`repo/app/a.yaml` is outside the root"),
    ] {
        let arguments = render(&["repo/app/a.yaml", "--root", root]);
        let run = folder.run(&arguments);
        run.assert_input_error(&[part]);
        assert!(!run.stderr.contains("hunter23"), "{}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn the_binding_of_a_link_s_target_is_not_overlooked() {
    use std::os::unix::fs::symlink;
    let folder = setup("repo/app", "landfall.yaml");
    std::fs::create_dir(folder.at("elsewhere")).unwrap();
    symlink("../repo/app/a.yaml", folder.at("elsewhere/link.yaml")).unwrap();
    symlink("../repo/app", folder.at("elsewhere/linked")).unwrap();
    let words = ["`repo/app/landfall.yaml`", "a link leads to its folder"];
    check(&folder, &render(&["elsewhere/link.yaml"]), "", &words);
    // Also one that is found in a folder, or below a link to one.
    symlink("../repo/app", folder.at("elsewhere/.hidden")).unwrap();
    symlink("../infra.json", folder.at("elsewhere/data.txt")).unwrap();
    folder.write("repo/other/README", "");
    for (link, target) in [("m.yaml", "../app/a.yaml"), ("deep", "../app/deep")] {
        let link = folder.at(&format!("repo/other/{link}"));
        folder.write("repo/app/deep/a.yaml", config_map("a: ${infra.value}"));
        symlink(target, &link).unwrap();
        check(&folder, &render(&["repo/other"]), "", &words);
        let mut command = folder.command(&["cmp", "generate"]);
        command
            .env("ARGOCD_APP_SOURCE_PATH", "other")
            .current_dir(folder.at("repo/other"));
        finish(command.stdin(Stdio::null()), b"").assert_input_error(&[
            "error[binding-not-applied]: the Binding `app/landfall.yaml`",
            "`spec.source.path`",
        ]);
        std::fs::remove_file(link).unwrap();
    }
    // This folder has its own Binding.
    let run = folder.run(&["render", "elsewhere/linked/a.yaml"]);
    run.assert_input_error(&["sensitive-output"]);
}

#[test]
fn the_binding_around_standard_input_is_not_overlooked() {
    let folder = setup("repo/app", "landfall.yaml");
    let manifest = config_map("a: ${infra.value}");
    for name in ["repo/app/stdin.yaml", "repo/app/not/there/stdin.yaml"] {
        let named = ["-", "--stdin-filename", name];
        let words = ["repo/app/landfall.yaml`", "not applied to standard input"];
        check(&folder, &render(&named), &manifest, &words);
    }
    for current in ["repo/app", "repo/app/deep"] {
        std::fs::create_dir_all(folder.at(current)).unwrap();
        let run = |arguments: &[&str]| {
            let mut command = folder.command(arguments);
            command.current_dir(folder.at(current));
            finish(command.stdin(Stdio::piped()), manifest.as_bytes())
        };
        let bind = "infra=../../infra.json";
        let bind = if current == "repo/app" {
            bind
        } else {
            "infra=../../../infra.json"
        };
        run(&["render", "-", "-b", bind]).assert_input_error(&["-c", "landfall.yaml"]);
        let binding = if current == "repo/app" {
            "landfall.yaml"
        } else {
            "../landfall.yaml"
        };
        run(&["render", "-", "-c", binding]).assert_input_error(&["sensitive-output"]);
        let rendered = run(&["render", "-", "-b", bind, "--no-binding"]).expect_stdout();
        assert_eq!(rendered, config_map("a: hunter23"));
    }
}

#[test]
fn no_binding_ignores_that_of_a_folder() {
    let folder = setup("repo/app", "landfall.yaml");
    std::fs::remove_file(folder.at("repo/app/infra.json")).unwrap();
    let run = folder.run(&["render", "repo/app", "-b", "infra.json", "--no-binding"]);
    assert_eq!(run.expect_stdout(), config_map("a: hunter23"));
    let run = folder.run(&[
        "render",
        "repo/app",
        "--no-binding",
        "-c",
        "repo/app/landfall.yaml",
    ]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

#[test]
fn argo_cd_does_not_overlook_it() {
    for (at, name) in [("repo/app", "Landfall.YAML"), ("repo", "landfall.yaml")] {
        let folder = setup(at, name);
        let mut command = folder.command(&["cmp", "generate"]);
        command
            .env("ARGOCD_APP_SOURCE_PATH", "app")
            .current_dir(folder.at("repo/app"));
        let run = finish(command.stdin(Stdio::null()), b"");
        let path = format!("`{}`", format!("{at}/{name}").replace("repo/", ""));
        run.assert_input_error(&["binding-not-applied", &path]);
        assert!(!run.stderr.contains("--no-binding"), "{}", run.stderr);
    }
}

#[test]
fn the_binding_of_bound_outputs_counts_for_another_application() {
    let folder = setup("repo/db", "landfall.yaml");
    let own = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {}\n";
    folder.write("repo/db/infra.json", INFRA);
    folder.write("repo/web/landfall.yaml", own);
    folder.write("repo/web/a.yaml", config_map("a: ${infra.value}"));
    let bind = ["render", "repo/web", "-b", "repo/db/infra.json"];
    let words = [
        "`repo/db/landfall.yaml`, which may declare outputs sensitive",
        "-c repo/web/landfall.yaml",
    ];
    folder.run(&bind).assert_input_error(&words);
    // Whoever names a Binding has chosen.
    let named = [&bind[..], &["-c", "repo/web/landfall.yaml"]].concat();
    let run = folder.run(&named);
    assert_eq!(run.expect_stdout(), config_map("a: hunter23"));
}

#[cfg(unix)]
#[test]
fn a_link_to_outputs_is_the_file_that_a_binding_declares() {
    let folder = setup("repo/app", "landfall.yaml");
    std::fs::remove_file(folder.at("infra.json")).unwrap();
    std::os::unix::fs::symlink("repo/app/infra.json", folder.at("infra.json")).unwrap();
    folder.write("web.yaml", config_map("a: ${infra.value}"));
    let words = ["a link leads to its folder"];
    check(&folder, &render(&["web.yaml"]), "", &words);
    let run = folder.run(&["export", "dotenv", "-b", "infra.json"]);
    run.assert_input_error(&["error[binding-not-applied]"]);
    assert!(!run.stderr.contains("hunter23"), "{}", run.stderr);
}

/// Under another name, nothing in the Binding would declare the value sensitive.
#[test]
fn what_the_binding_declares_of_a_file_is_not_lost_under_another_name() {
    let folder = setup("repo/app", "landfall.yaml");
    let binding = BINDING.replace("spec:\n", "spec:\n  policy: {unused: ignore}\n");
    folder.write("repo/app/landfall.yaml", &binding);
    folder.write("repo/app/a.yaml", config_map("a: ${net.value}"));
    folder.write("outside.yaml", config_map("a: ${net.value}"));
    folder.write("repo/new.json", INFRA);
    let check = |current: &str, arguments: &str, file: &str, flag: &str| {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let run = run_in(&folder, current, &arguments);
        // `diff` exits with 1 if there are changes.
        let code = if arguments[0] == "diff" { 2 } else { 1 };
        let parts = [
            "error[binding-not-applied]: the Binding `",
            &format!("declares outputs of `{file}` sensitive under the name `infra`, not `net`"),
            &format!("help: bind it under that name: `{flag} infra={file}`"),
        ];
        run.assert_fails(code, &parts);
        assert!(!run.stderr.contains("hunter23"), "{}", run.stderr);
    };
    for command in [
        "render app",
        "render app/a.yaml",
        "render ../outside.yaml -c app/landfall.yaml",
        "check app",
        "explain app",
        "adopt app",
        "migrate --from flux app",
        "outputs check -c app/landfall.yaml",
        "export dotenv -c app/landfall.yaml",
    ] {
        let bind = format!("{command} -b net=app/infra.json");
        check("repo", &bind, "app/infra.json", "-b");
    }
    for (from, to) in [("app/infra", "new"), ("new", "app/infra")] {
        let diff = format!("diff app --from net={from}.json --to net={to}.json");
        let flag = if to == "new" { "--from" } else { "--to" };
        check("repo", &diff, "app/infra.json", flag);
    }
    check(
        "repo",
        "check app --each net=app/infra.*",
        "app/infra.json",
        "--each",
    );
    for command in ["export dotenv", "outputs check", "outputs contract"] {
        let bind = format!("{command} -b net=infra.json");
        check("repo/app", &bind, "infra.json", "-b");
    }
    // Whose path depends on parameters may be any file.
    folder.write(
        "repo/app/landfall.yaml",
        binding.replace("file: infra.json", "file: \"{name}.json\""),
    );
    for command in ["export dotenv", "outputs contract", "stamp"] {
        let bind = format!("{command} -b net=infra.json");
        let run = run_in(&folder, "repo/app", &bind.split(' ').collect::<Vec<_>>());
        let parts = [
            "error[binding-not-applied]: the Binding `",
            "whether `net` is one of them",
        ];
        run.assert_fails(1, &parts);
        assert!(!run.stderr.contains("hunter23"), "{}", run.stderr);
    }
    // Whoever binds it to both names in the Binding has decided for each.
    let both = format!("{binding}  - {{name: net, from: {{file: infra.json}}}}\n");
    folder.write("repo/app/landfall.yaml", both);
    let run = run_in(
        &folder,
        "repo",
        &["render", "app", "-b", "net=app/infra.json"],
    );
    assert_eq!(run.expect_stdout(), config_map("a: hunter23"));
    // Without sensitive outputs, any name will do.
    folder.write("repo/app/landfall.yaml", binding.replace("[value]", "[]"));
    let run = run_in(
        &folder,
        "repo",
        &["render", "app", "-b", "net=app/infra.json"],
    );
    assert_eq!(run.expect_stdout(), config_map("a: hunter23"));
}

/// Commands without manifests read the Binding of the current folder.
const OF_OUTPUTS: [&[&str]; 4] = [
    &["export", "dotenv"],
    &["export", "dotenv", "-b", "infra.json"],
    &["outputs", "check", "-b", "infra.json"],
    &["stamp", "-b", "infra.json"],
];

#[test]
fn two_bindings_are_refused_wherever_one_is_read() {
    let folder = setup("repo/app", "landfall.yml");
    let public = BINDING.replace(", sensitive: [value]", "");
    folder.write("repo/app/landfall.yaml", &public);
    for arguments in OF_OUTPUTS {
        let run = run_in(&folder, "repo/app", arguments);
        run.assert_input_error(&["error[two-bindings]"]);
    }
    let run = run_in(&folder, "repo/app", &["argocd", "doctor", "."]);
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(text.contains("two-bindings"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_binding_that_is_a_link_out_of_the_root_is_refused_wherever_one_is_read() {
    let folder = setup("repo/app", "a.yaml");
    folder.write("outside.yaml", BINDING);
    let link = folder.at("repo/app/landfall.yaml");
    std::os::unix::fs::symlink(folder.at("outside.yaml"), link).unwrap();
    for arguments in OF_OUTPUTS {
        let run = run_in(&folder, "repo/app", arguments);
        run.assert_input_error(&["landfall.yaml", "outside"]);
    }
}

/// A flag does not say for which item of a name its file is.
#[test]
fn files_that_flags_bind_have_all_declarations_of_their_name() {
    let folder = setup("repo/app", "a.yaml");
    let item = "  - {name: infra, from: {file: FILE}";
    let items = item.replace("FILE", "public.json") + "}\n" + &item.replace("FILE", "secret.json");
    let binding = BINDING.replace(&item.replace("FILE", "infra.json"), &items);
    std::fs::remove_file(folder.at("repo/app/infra.json")).unwrap();
    folder.write("repo/app/landfall.yaml", binding);
    folder.write(
        "repo/app/public.json",
        INFRA.replace("value\": {", "region\": {"),
    );
    folder.write("repo/app/secret.json", INFRA);
    folder.write("repo/app/a.yaml", config_map("a: ${infra.value}"));
    for order in [
        ["secret.json", "public.json"],
        ["public.json", "secret.json"],
    ] {
        let [first, second] = order.map(|file| format!("infra={file}"));
        let run = run_in(
            &folder,
            "repo/app",
            &["render", ".", "-b", &first, "-b", &second],
        );
        run.assert_input_error(&["error[sensitive-output]"]);
        assert!(!run.stderr.contains("hunter23"), "{}", run.stderr);
    }
}

/// Creates an application in `repo/app` that binds `infra` to this source, and uses `net`.
fn declaring(source: &str) -> TestFolder {
    let folder = setup("repo/app", "landfall.yaml");
    let binding = BINDING.replace("{file: infra.json}", source);
    folder.write("repo/app/landfall.yaml", binding);
    folder.write("repo/app/a.yaml", config_map("a: ${net.value}"));
    folder.write("repo/prod/infra.json", INFRA);
    folder.write("repo/o.json", INFRA);
    std::fs::remove_file(folder.at("repo/app/infra.json")).unwrap();
    folder
}

/// Checks that a run in `repo/app` is refused because `net` is another name of a declared file.
#[track_caller]
fn check_renamed(folder: &TestFolder, arguments: &str) {
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let run = run_in(folder, "repo/app", &arguments);
    run.assert_input_error(&[
        "error[binding-not-applied]",
        "under the name `infra`, not `net`",
    ]);
    assert!(!run.stderr.contains("hunter23"), "{}", run.stderr);
}

#[test]
fn what_is_declared_of_a_mounted_document_is_not_lost_under_another_name() {
    let folder = declaring("{mounted: infra.json}");
    let bind = "-b net=../prod/infra.json";
    for command in ["render .", "explain .", "export dotenv"] {
        check_renamed(
            &folder,
            &format!("{command} --mounted-outputs ../prod {bind}"),
        );
    }
    check_renamed(&folder, &format!("stamp {bind}"));
}

/// Of the documents of a parameter's other values, the same outputs are sensitive.
#[test]
fn what_is_declared_of_a_path_with_parameters_is_not_lost_under_another_name() {
    let folder = declaring("{file: '../{c}/infra.json'}");
    check_renamed(
        &folder,
        "render . -b infra=../o.json -b net=../prod/infra.json",
    );
    check_renamed(&folder, "render . --param c=dev -b net=../prod/infra.json");
}

#[test]
fn a_file_with_two_names_is_declared_under_both() {
    let folder = declaring("{file: ../o.json}");
    let binding = std::fs::read_to_string(folder.at("repo/app/landfall.yaml")).unwrap();
    let other = "  - {name: net, from: {file: '../app/../o.json'}}\n";
    folder.write("repo/app/landfall.yaml", binding.clone() + other);
    check_renamed(&folder, "render .");
    let both = other.replace("}}", "}, sensitive: [value]}");
    folder.write("repo/app/landfall.yaml", binding + &both);
    let run = run_in(&folder, "repo/app", &["render", "."]);
    run.assert_input_error(&["error[sensitive-output]"]);
}
