//! `landfall migrate`: manifests of Flux and kpt in landfall's own dialect.

use serde_json::json;

use crate::run::TestFolder;

const MANIFEST: &str = "a: ${domain} # c\nb: \"x-${domain:=y}\"\n";
const MIGRATED: &str = "a: ${infra.domain} # c\nb: \"x-${infra.domain | default('y')}\"\n";

/// Creates a folder with a manifest and an outputs document.
fn setup() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("a.yaml", MANIFEST);
    let outputs = json!({
        "domain": {"sensitive": false, "type": "string", "value": "example.com"},
        "password": {"sensitive": true, "type": "string", "value": "hunter2-hunter2"},
    });
    folder.write("infra.json", outputs.to_string());
    folder
}

fn rendered(folder: &TestFolder, arguments: &[&str]) -> String {
    let run = folder.run(&[&["render", "a.yaml", "-b", "infra.json"], arguments].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    String::from_utf8(run.stdout).unwrap()
}

#[test]
fn changes_files_only_with_write() {
    let folder = setup();
    let arguments = ["migrate", "--from", "flux", "a.yaml", "-b", "infra.json"];
    let run = folder.run(&arguments);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(
        String::from_utf8_lossy(&run.stdout),
        "a.yaml:1\n- a: ${domain} # c\n+ a: ${infra.domain} # c\na.yaml:2\n- b: \"x-${domain:=y}\"\n+ b: \"x-${infra.domain | default('y')}\"\n2 changes: `--write` writes them\n"
    );
    assert_eq!(folder.read("a.yaml"), MANIFEST);
    let before = rendered(&folder, &["--dialect", "flux"]);

    let run = folder.run(&[&arguments[..], &["--write"]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.ends_with(b"2 changes written\n"));
    assert_eq!(folder.read("a.yaml"), MIGRATED);
    assert_eq!(rendered(&folder, &[]), before);
}

#[test]
fn writes_nothing_if_something_is_left_unless_it_may_be() {
    let folder = setup();
    folder.write("b.yaml", "a: ${region} ${domain}\n");
    let arguments = [
        "migrate",
        "--from",
        "flux",
        "a.yaml",
        "b.yaml",
        "-b",
        "infra.json",
    ];
    let run = folder.run(&arguments);
    assert_eq!(run.code, Some(0));
    assert!(
        run.stderr.contains("warning[not-migrated]"),
        "{}",
        run.stderr
    );
    assert!(run.stdout.ends_with(
        b"3 changes: `--write` writes them; 1 not migrated\nwith --partial, b.yaml waits until all of it is migrated\n"
    ));
    let run = folder.run(&[&arguments[..], &["--write"]].concat());
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("error[not-migrated]"), "{}", run.stderr);
    assert!(run.stderr.contains("--partial"), "{}", run.stderr);
    assert_eq!(folder.read("a.yaml"), MANIFEST);

    let run = folder.run(&[&arguments[..], &["--write", "--partial"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(folder.read("a.yaml"), MIGRATED);
    // One dialect renders each file.
    assert_eq!(folder.read("b.yaml"), "a: ${region} ${domain}\n");
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(
        text.contains("b.yaml waits until all of it is migrated\n"),
        "{text}"
    );
}

/// A file in landfall's own dialect would be rendered in that of its Binding.
#[test]
fn a_partial_migration_writes_nothing_that_its_binding_does_not_render() {
    for (dialect, manifest, left) in [
        ("flux", "a: ${domain}\n", "a: ${region}\n"),
        (
            "kpt-set",
            "a: b # kpt-set: ${domain}\n",
            "a: b # kpt-set: ${region}\n",
        ),
    ] {
        let folder = setup();
        let binding = format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  dialect: {dialect}\n  policy: {{missing: keep}}\n  outputs:\n  - {{name: net, from: {{file: ../infra.json}}}}\n"
        );
        let head = |name: &str| format!("apiVersion: v1\nkind: X\nmetadata: {{name: {name}}}\n");
        let (manifest, left) = (head("a") + manifest, head("b") + left);
        folder.write("app/landfall.yaml", &binding);
        folder.write("app/a.yaml", &manifest);
        folder.write("app/b.yaml", &left);
        let before = folder.run(&["render", "app", "--root", "."]).stdout;
        let run = folder.run(&[
            "migrate",
            "--from",
            dialect,
            "app",
            "--write",
            "--partial",
            "--root",
            ".",
        ]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let text = String::from_utf8_lossy(&run.stdout);
        let waits = "app/a.yaml waits until all manifests of its Binding are migrated\n";
        assert!(text.contains(waits), "{text}");
        assert_eq!(folder.read("app/a.yaml"), manifest);
        assert_eq!(folder.read("app/landfall.yaml"), binding);
        let after = folder.run(&["render", "app", "--root", "."]).stdout;
        assert_eq!(after, before);
        assert!(
            String::from_utf8_lossy(&after).contains("example.com"),
            "{dialect}"
        );
    }
}

#[test]
fn changes_the_dialect_of_the_binding() {
    let folder = setup();
    let binding = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  dialect: flux # old\n  outputs:\n  - {name: net, from: {file: ../infra.json}}\n";
    let manifest =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: \"${domain}\"}\n";
    folder.write("app/landfall.yaml", binding);
    folder.write("app/a.yaml", manifest);
    let render = || {
        let run = folder.run(&["render", "app", "--root", "."]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stdout
    };
    let before = render();
    let flags = ["migrate", "--from", "flux", "app", "--write"];
    let run = folder.run(&[&flags[..], &["--root", "."]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let expected = manifest.replace("${domain}", "${net.domain}");
    assert_eq!(folder.read("app/a.yaml"), expected);
    let expected = binding.replace("dialect: flux", "dialect: landfall");
    assert_eq!(folder.read("app/landfall.yaml"), expected);
    assert_eq!(render(), before);
}

#[test]
fn migrates_setters_of_kpt() {
    let folder = setup();
    folder.write("a.yaml", "a: x-1 # kpt-set: ${domain}-${n}\nb: ${domain}\n");
    let run = folder.run(&[
        "migrate",
        "--from",
        "kpt-set",
        "a.yaml",
        "-b",
        "infra.json",
        "--write",
    ]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let migrated = "a: x-1 # landfall: ${infra.domain}-1\nb: ${domain}\n";
    assert_eq!(folder.read("a.yaml"), migrated);
}

#[test]
fn conceals_lines_of_secrets() {
    let folder = setup();
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  a: hunter2-hunter2 ${password} ${region}\n  b: ${password:=hunter2-hunter2}\n";
    folder.write("a.yaml", secret);
    let run = folder.run(&["migrate", "--from", "flux", "a.yaml", "-b", "infra.json"]);
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(
        text.contains("- (concealed)\n+ ${infra.password}\n")
            && text.contains("+ ${infra.password | …}\n"),
        "{text}"
    );
    assert!(
        !text.contains("hunter2") && !run.stderr.contains("hunter2"),
        "{text}{}",
        run.stderr
    );
}

#[test]
fn needs_outputs_and_a_dialect() {
    let folder = setup();
    let run = folder.run(&["migrate", "--from", "flux", "a.yaml"]);
    run.assert_input_error(&["no outputs document is bound"]);
    // A folder, too, in which every document must be a resource.
    let resource = "apiVersion: v1\nkind: X\nmetadata: {name: a}\na: ${domain}\n";
    folder.write("app/a.yaml", resource);
    let run = folder.run(&["migrate", "--from", "flux", "app"]);
    run.assert_input_error(&["error[no-outputs]", "1 error; nothing was migrated"]);
    for arguments in [
        &["migrate", "a.yaml", "-b", "infra.json"][..],
        &[
            "migrate",
            "--from",
            "landfall",
            "a.yaml",
            "-b",
            "infra.json",
        ],
        &[
            "migrate",
            "--from",
            "flux",
            "--dialect",
            "flux",
            "a.yaml",
            "-b",
            "infra.json",
        ],
        &[
            "migrate",
            "--from",
            "flux",
            "-",
            "-b",
            "infra.json",
            "--write",
        ],
        &[
            "migrate",
            "--from",
            "flux",
            "a.yaml",
            "-b",
            "infra.json",
            "--partial",
        ],
    ] {
        assert_eq!(folder.run(arguments).code, Some(2), "{arguments:?}");
    }
    assert_eq!(folder.read("a.yaml"), MANIFEST);
}

#[test]
fn keeps_the_dialect_of_a_binding_with_other_manifests() {
    let folder = setup();
    let binding = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  dialect: flux\n  outputs:\n  - {name: net, from: {file: ../infra.json}}\n";
    let manifest =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: \"${domain}\"}\n";
    for arguments in [
        &["app/a.yaml"][..],
        &["app/a.yaml", "app/b.yaml", "-c", "app/landfall.yaml"],
    ] {
        folder.write("app/landfall.yaml", binding);
        folder.write("app/a.yaml", manifest);
        folder.write("app/b.yaml", manifest.replace("name: a", "name: b"));
        let flags = ["migrate", "--from", "flux", "--write", "--root", "."];
        let run = folder.run(&[&flags[..], arguments].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let text = String::from_utf8_lossy(&run.stdout);
        assert!(text.contains("landfall.yaml is not changed"), "{text}");
        assert_eq!(folder.read("app/landfall.yaml"), binding);
        assert!(folder.read("app/a.yaml").contains("${net.domain}"));
    }
}
