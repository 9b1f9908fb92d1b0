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
