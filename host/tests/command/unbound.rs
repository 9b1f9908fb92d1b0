//! References to unbound names, and names that other Bindings bind.

use crate::run::{INFRA, TestFolder, config_map};

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n  - {name: NAME, from: {file: out.json}}\n";

/// Creates two applications; the first binds `infra`, the second `network`.
fn two_applications(data: &str) -> TestFolder {
    let folder = TestFolder::new();
    for (path, name) in [("apps/web", "infra"), ("apps/other", "network")] {
        folder.write(
            &format!("{path}/landfall.yaml"),
            BINDING.replace("NAME", name),
        );
        folder.write(&format!("{path}/out.json"), INFRA);
    }
    folder.write("apps/web/a.yaml", config_map(data));
    folder
}

#[test]
fn names_the_binding_that_binds_a_name() {
    let folder = two_applications("vpc: ${infra.vpc_id} ${network.vpc_id}");
    folder
        .run(&["render", "apps/web", "--root", "."])
        .assert_input_error(&[
            "error[bound-elsewhere]: `network` is bound by apps/other/landfall.yaml but not here",
        ]);
}

#[test]
fn an_unbound_name_that_no_binding_knows_is_a_warning() {
    let folder = two_applications("vpc: ${infra.vpc_id} ${schema.vpc_id}");
    let run = folder.run(&["render", "apps/web", "--root", "."]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("warning[unbound-reference]: nothing is bound to `schema`"),
        "{}",
        run.stderr
    );
}

#[test]
fn without_a_binding_the_help_names_the_flag() {
    let folder = two_applications("vpc: ${infra.vpc_id}");
    folder.write(
        "a.yaml",
        config_map("vpc: ${network.vpc_id}\n  b: ${schema.b}"),
    );
    folder.write("infra.json", INFRA);
    let arguments = ["render", "a.yaml", "-b", "infra.json", "--root", "."];
    folder.run(&arguments).assert_input_error(&[
        "error[bound-elsewhere]: `network`",
        "warning[unbound-reference]: nothing is bound to `schema`",
        "; on the command line, bind it with `-b NAME=FILE`",
    ]);
}

#[test]
fn ignores_invalid_bindings_of_other_applications() {
    let folder = two_applications("vpc: ${infra.vpc_id} ${schema.vpc_id}");
    folder.write("apps/broken/landfall.yaml", "spec: [");
    let run = folder.run(&["check", "apps/web", "--root", "."]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
fn an_empty_binding_binds_nothing() {
    let folder = TestFolder::new();
    folder.write(
        "app/landfall.yaml",
        "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {}\n",
    );
    folder.write("app/a.yaml", config_map("vpc: ${infra.vpc_id}"));
    folder
        .run(&["render", "app"])
        .assert_input_error(&["error[nothing-bound]", "`infra`"]);
}

#[test]
fn manifests_without_references_need_no_binding() {
    let folder = TestFolder::new();
    let run = folder.run_with_stdin(&["render", "-"], "a: ${HOME} $x\n");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}

#[test]
fn krm_rejects_what_render_rejects() {
    let folder = TestFolder::new();
    let list = |data: &str| {
        format!(
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {{name: a}}\n  data: {{x: '{data}'}}\n"
        )
    };
    let binding = "functionConfig:\n  apiVersion: landfall.dev/v1alpha1\n  kind: Binding\n  metadata: {name: bind}\n  spec: {}\n";
    let run = folder.run_with_stdin(&["krm"], list("${infra.vpc_id}") + binding);
    run.assert_input_error(&["error[nothing-bound]"]);
    folder.write("infra.json", INFRA);
    let near = folder.run_with_stdin(&["krm", "-b", "infra.json"], list("${infr.vpc_id}"));
    near.assert_input_error(&["error[near-miss]"]);
    folder.write(
        "apps/other/landfall.yaml",
        BINDING.replace("NAME", "network"),
    );
    let elsewhere = folder.run_with_stdin(&["krm", "-b", "infra.json"], list("${network.vpc_id}"));
    elsewhere.assert_input_error(&["error[bound-elsewhere]", "apps/other/landfall.yaml"]);
}

#[test]
fn strict_makes_every_warning_an_error() {
    let folder = TestFolder::with_infra();
    let manifest = "a: ${infra.vpc_id} ${schema.name}\n";
    let arguments = ["render", "-", "-b", "infra.json"];
    let run = folder.run_with_stdin(&arguments, manifest);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    folder
        .run_with_stdin(&[&arguments[..], &["--strict"]].concat(), manifest)
        .assert_input_error(&["error[unbound-reference]", "1 error; nothing was rendered"]);
}

#[test]
fn no_references_fails_on_remaining_references() {
    let folder = TestFolder::new();
    let no_references = [
        "check",
        "--no-references",
        "-",
        "-b",
        "infra=not-opened.json",
    ];
    let clean = folder.run_with_stdin(
        &no_references,
        "a: vpc-0ab1 ${network.id} # ${infra.vpc_id}\n",
    );
    assert_eq!((clean.code, clean.stderr.as_str()), (Some(0), ""));
    let remaining = "a: |\n  ${infra.vpc_id}\n";
    folder
        .run_with_stdin(&no_references, remaining)
        .assert_input_error(&["error[unrendered-reference]", "<stdin>:2:5"]);
    // It would look for `infra`, which is not what is left.
    std::fs::create_dir(folder.at("net")).unwrap();
    for name in ["dns", "dns:d.json", "net"] {
        folder
            .run_with_stdin(
                &["check", "--no-references", "-b", name, "-"],
                "a: ${dns.zone}\n",
            )
            .assert_input_error(&[
                "error[missing-file]",
                "pass the name and the file as one argument: `-b ",
            ]);
    }
    let allowed = [&no_references[..], &["--allow", "${infra.vpc_id}"]].concat();
    assert_eq!(folder.run_with_stdin(&allowed, remaining).code, Some(0));
    // The command before the pipe failed.
    for empty in ["", "\n"] {
        let run = folder.run_with_stdin(&no_references, empty);
        run.assert_input_error(&["error[nothing-checked]: `<stdin>` is empty", "pipefail"]);
        let allowed = [&no_references[..], &["--no-resources", "allow"]].concat();
        assert_eq!(folder.run_with_stdin(&allowed, empty).code, Some(0));
    }
    std::fs::create_dir(folder.at("empty")).unwrap();
    folder
        .run(&["check", "--no-references", "empty"])
        .assert_input_error(&["error[nothing-checked]: `empty` contains no manifests"]);
    folder.write("out/a.yaml", "a: ${other.id}\n");
    folder
        .run(&["check", "--no-references", "out"])
        .assert_input_error(&["error[unrendered-reference]", "out/a.yaml:1:6"]);
}

/// Text in a block scalar may be a script's, so that it is only reported if another Binding binds
/// its name.
#[test]
fn names_the_binding_also_where_other_names_are_not_reported() {
    for data in [
        "a: |\n    echo ${network.vpc_id} ${infra.vpc_id}",
        "a.yaml: |\n    a: ${network.vpc_id}\n    b: ${infra.vpc_id}",
    ] {
        let folder = two_applications(data);
        let run = folder.run(&["check", "apps/web", "--root", ".", "--strict"]);
        run.assert_input_error(&["[bound-elsewhere]: `network`", "apps/other/landfall.yaml"]);
    }
}

/// A large file is rendered in parts, in which these names are unbound, too.
#[test]
fn names_the_binding_in_parts_of_a_large_file() {
    let folder = two_applications("a: ${infra.vpc_id}");
    let document = config_map("vpc: ${infra.vpc_id}") + "---\n";
    let many = document.repeat(12_000) + &config_map("z: |\n    x ${network.vpc_id}");
    folder.write("apps/web/a.yaml", many);
    for jobs in ["1", "2"] {
        let arguments = [
            "check", "apps/web", "--root", ".", "--strict", "--jobs", jobs,
        ];
        folder
            .run(&arguments)
            .assert_input_error(&["[bound-elsewhere]: `network`"]);
    }
}

#[test]
fn bindings_in_folders_that_begin_with_a_dot_bind_nothing() {
    let folder = two_applications("vpc: ${infra.vpc_id} ${schema.vpc_id}");
    folder.write(".hidden/landfall.yaml", BINDING.replace("NAME", "schema"));
    let run = folder.run(&["check", "apps/web", "--root", "."]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

/// The text of a field binding is landfall's own, and would be written as it is.
#[test]
fn names_the_binding_in_setters_and_field_bindings() {
    let setter = "vpc: x # landfall: ${infra.vpc_id}-${network.vpc_id}";
    let folder = two_applications(setter);
    let check = || folder.run(&["check", "apps/web", "--root", "."]);
    let elsewhere = ["error[bound-elsewhere]: `network` is bound by apps/other/landfall.yaml"];
    check().assert_input_error(&elsewhere);
    let substitutions = |name: &str| {
        format!(
            "{}  substitutions:\n  - {{value: '${{infra.vpc_id}}-${{{name}.vpc_id}}', targets: [{{select: {{kind: ConfigMap}}, fieldPaths: [data.vpc]}}]}}\n",
            BINDING.replace("NAME", "infra")
        )
    };
    folder.write("apps/web/a.yaml", config_map("vpc: x"));
    folder.write("apps/web/landfall.yaml", substitutions("network"));
    check().assert_input_error(&elsewhere);
    folder.write("apps/web/landfall.yaml", substitutions("nobody"));
    check().assert_input_error(&["error[unbound-reference]: nothing is bound to `nobody`"]);
}
