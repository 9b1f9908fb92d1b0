//! What kustomize itself does with a function's output: the facts that landfall's
//! output and errors are made for. The function here is a shell command.

use landfall_host_tests::kustomize::{Built, FLAGS, build};
use landfall_host_tests::scratch::Scratch;
use pretty_assertions::assert_eq;

const RESOURCE: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  id: \"${infra.id}\" # quoted\n";
const BUILT: &str =
    "apiVersion: v1\ndata:\n  id: ${infra.id}\nkind: ConfigMap\nmetadata:\n  name: a\n";

/// Builds one ConfigMap with this shell command as a function, which the kustomization
/// names in the list `role`.
fn built(role: &str, command: &str, flags: &[&str]) -> Built {
    let folder = Scratch::new();
    folder.write(
        "kustomization.yaml",
        &format!("resources: [a.yaml]\n{role}: [function.yaml]\n"),
    );
    folder.write("a.yaml", RESOURCE);
    folder.write("function.sh", &format!("#!/bin/sh\n{command}\n"));
    // A path with a slash is relative to the kustomization's folder; a bare name is
    // looked up on PATH.
    let function = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nmetadata:\n  name: b\n  annotations:\n    \
                    config.kubernetes.io/function: |\n      exec: {path: sh, args: [./function.sh]}\n";
    folder.write("function.yaml", function);
    build(folder.path(), flags, &folder.at("function.sh"))
}

#[test(tools)]
fn a_transformer_s_input_has_lost_quotes_and_comments() {
    let built = built("transformers", "cat", &FLAGS);
    assert_eq!((built.success, built.stdout.as_str()), (true, BUILT));
}

#[test(tools)]
fn without_enable_exec_the_function_is_skipped_silently() {
    let built = built("transformers", "echo called >&2; exit 1", &FLAGS[..1]);
    let expected = Built {
        success: true,
        stdout: BUILT.to_owned(),
        stderr: String::new(),
    };
    assert_eq!(built, expected);
}

#[test(tools)]
fn a_function_that_prints_nothing_deletes_every_resource() {
    let built = built("transformers", "true", &FLAGS);
    assert_eq!(
        built,
        Built {
            success: true,
            stdout: String::new(),
            stderr: String::new()
        }
    );
}

#[test(tools)]
fn stderr_of_a_failing_function_precedes_the_error_of_kustomize() {
    let built = built(
        "transformers",
        "cat; echo 'error: a.yaml:1:2' >&2; exit 1",
        &FLAGS,
    );
    let stderr = "error: a.yaml:1:2\nError: couldn't execute function: exit status 1 \n";
    assert_eq!(
        built,
        Built {
            success: false,
            stdout: String::new(),
            stderr: stderr.to_owned()
        }
    );
}

/// Errors among a ResourceList's results are ignored when the function exits with 0.
#[test(tools)]
fn results_are_ignored() {
    let command = "cat; printf 'results:\\n- message: wrong\\n  severity: error\\n'";
    let built = built("transformers", command, &FLAGS);
    assert_eq!(
        built,
        Built {
            success: true,
            stdout: BUILT.to_owned(),
            stderr: String::new()
        }
    );
}

/// kustomize adds a path annotation to every item that a function returns, and then
/// reports that its validator changed them. A validator passes by returning no items at
/// all.
#[test(tools)]
fn a_validator_that_returns_its_input_is_refused() {
    let copied = built("validators", "cat", &FLAGS);
    assert!(!copied.success);
    assert!(
        copied
            .stderr
            .starts_with("Error: validator shouldn't modify the resource map"),
        "{}",
        copied.stderr
    );

    let empty = "printf 'apiVersion: config.kubernetes.io/v1\\nkind: ResourceList\\nitems: []\\n'";
    for command in ["true", empty] {
        let silent = built("validators", command, &FLAGS);
        assert_eq!(
            silent,
            Built {
                success: true,
                stdout: BUILT.to_owned(),
                stderr: String::new()
            }
        );
    }
}

/// Only with `vars`, and in all fields that can have a reference to one.
#[test(tools)]
fn vars_expand_names_and_doubled_dollars() {
    let folder = Scratch::new();
    folder.write(
        "a.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - {name: a, args: [$(NAME), x$(NAME)x, $(OTHER), a$$b, $$(NAME), $a]}\n",
    );
    let args = |vars: &str| {
        folder.write(
            "kustomization.yaml",
            &format!("resources: [a.yaml]\n{vars}"),
        );
        let built = build(folder.path(), &[], &folder.at("a.yaml"));
        assert!(built.success, "{}", built.stderr);
        let (_, args) = built.stdout.split_once("args:\n").unwrap();
        let (args, _) = args.split_once("    name: a").unwrap();
        args.replace("    - ", "")
            .replace('\n', " ")
            .trim()
            .to_owned()
    };
    let vars = "vars:\n- name: NAME\n  objref: {apiVersion: v1, kind: Pod, name: a}\n  fieldref: {fieldpath: metadata.name}\n";
    let expanded = args(vars);
    assert_eq!(expanded, "a xax $(OTHER) a$b $(NAME) $a");
    let kept = "$(NAME) x$(NAME)x $(OTHER) a$$b $$(NAME) $a";
    assert_eq!(args(""), kept);
}

/// So a function that fails prints nothing.
#[test(tools)]
fn output_that_is_not_yaml_masks_the_exit_code() {
    let command = "echo 'a: b: c'; echo 'error: real' >&2; exit 1";
    let built = built("transformers", command, &FLAGS);
    assert!(!built.success);
    assert_eq!(built.stdout, "");
    let expected = "error: real\nError: couldn't execute function: MalformedYAMLError: ";
    assert!(built.stderr.starts_with(expected), "{}", built.stderr);
    assert!(!built.stderr.contains("exit status"), "{}", built.stderr);
}

#[test(tools)]
fn without_enable_alpha_plugins_the_build_fails() {
    for flags in [&FLAGS[1..], &[]] {
        let built = built("transformers", "cat", flags);
        assert!(!built.success);
        let expected = "Error: external plugins disabled; unable to load external plugin 'Binding'";
        assert!(built.stderr.starts_with(expected), "{}", built.stderr);
    }
}

/// All variables, those of a pipeline with its passwords too.
#[test(tools)]
fn a_function_gets_the_environment_and_runs_in_the_folder_of_its_kustomization() {
    // Cargo's own, which nothing here passes on.
    let variable = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let command = "cat; echo \"$CARGO_MANIFEST_DIR\" >&2; ls >&2";
    let built = built("transformers", command, &FLAGS);
    assert!(built.success);
    let expected = format!("{variable}\na.yaml\nfunction.sh\nfunction.yaml\nkustomization.yaml\n");
    assert_eq!(built.stderr, expected);
}

#[test(tools)]
fn an_unknown_key_of_exec_is_refused_and_the_old_annotation_is_read() {
    let folder = Scratch::new();
    let build_with = |annotation: &str, exec: &str| {
        folder.write(
            "kustomization.yaml",
            "resources: [a.yaml]\ntransformers: [function.yaml]\n",
        );
        folder.write("a.yaml", RESOURCE);
        folder.write(
            "function.yaml",
            &format!(
                "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nmetadata:\n  name: b\n  annotations:\n    {annotation}: |\n      exec: {{path: cat{exec}}}\n"
            ),
        );
        build(folder.path(), &FLAGS, &folder.at("a.yaml"))
    };
    let strict = build_with("config.kubernetes.io/function", ", argz: [-]");
    assert!(!strict.success);
    let expected = "json: unknown field \"argz\"";
    assert!(strict.stderr.contains(expected), "{}", strict.stderr);
    let old = build_with("config.k8s.io/function", "");
    assert_eq!((old.success, old.stdout.as_str()), (true, BUILT));
}

/// An empty kustomization is not a list without items: the only one is the function's
/// configuration, which is dropped from the result.
#[test(tools)]
fn without_resources_a_function_gets_its_own_configuration_as_the_only_item() {
    for role in ["generators", "transformers", "validators"] {
        let folder = Scratch::new();
        folder.write("kustomization.yaml", &format!("{role}: [function.yaml]\n"));
        folder.write(
            "function.yaml",
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nmetadata:\n  name: b\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: sh, args: [./function.sh]}\n",
        );
        let script = "cat > list; printf 'kind: ResourceList\\nitems: []\\n'\n";
        folder.write("function.sh", script);
        let built = build(folder.path(), &FLAGS, &folder.at("function.sh"));
        assert_eq!((built.success, built.stdout.as_str()), (true, ""));
        let list = folder.read("list");
        let item = "items:\n- apiVersion: landfall.dev/v1alpha1\n  kind: Binding\n";
        assert!(list.contains(item), "{role}: {list}");
        assert_eq!(list.matches("\n- ").count(), 1, "{role}: {list}");
    }
}
