//! What the WASI command writes, beside what the native command writes.

use std::process::Command;
use std::sync::OnceLock;

use landfall_host_tests::scratch::Scratch;
use landfall_test_support::skip::needed_program;
use pretty_assertions::assert_eq;

use crate::cases::{Case, documentation};
use crate::runtimes::{Ended, chromium, documented, module, native, node, wasmtime};

/// The cases, and how the native command ends.
struct Expected {
    cases: Vec<Case>,
    ended: Vec<Ended>,
}

/// Returns the examples of the documentation, each rendered and checked, and mistakes.
fn expected() -> &'static Expected {
    static EXPECTED: OnceLock<Expected> = OnceLock::new();
    EXPECTED.get_or_init(|| {
        let (examples, others) = documentation();
        let mut counts = std::collections::BTreeMap::new();
        others
            .iter()
            .for_each(|why| *counts.entry(why).or_insert(0) += 1);
        // Three of four.
        assert!(
            examples.len() > 3 * others.len(),
            "{} examples are ResourceLists; the others: {counts:?}",
            examples.len()
        );

        let checks = examples.iter().map(|example| {
            let name = format!("{}, checked", example.name);
            let arguments = ["check", "--no-references", "-b", "infra=none.json", "-"];
            Case::new(&name, &arguments, &example.stdin)
        });
        let mut cases: Vec<Case> = checks.collect();
        cases.extend(examples);
        cases.extend(others_of_krm());
        cases.extend(others_of_check());
        let ended: Vec<Ended> = cases.iter().map(native).collect();
        let rendered = cases.iter().zip(&ended);
        let rendered =
            rendered.filter(|(case, ended)| ended.code == 0 && case.arguments[0] == "krm");
        assert!(rendered.count() > 200);
        Expected { cases, ended }
    })
}

/// Lists that are no examples: larger, in other encodings, generated, validated, broken.
fn others_of_krm() -> Vec<Case> {
    let bound = "functionConfig:\n  apiVersion: landfall.dev/v1alpha1\n  kind: Binding\n  metadata: {name: landfall}\n  spec:\n    outputs: [{name: infra, from: {inline: {a: \"1\", n: 2}}}]\n";
    let list = |items: &str, config: &str| {
        format!("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: {items}\n{config}")
    };
    let item =
        "- {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: '${infra.a}'}}\n";
    let many = format!("\n{}", item.repeat(20_000));
    let generated =
        "    generate: [{kind: Secret, name: s, data: {a: '${infra.a}', b: '${infra.n}'}}]\n";
    let validator = "    validate: true\n";
    let wrong = format!("\n{}", item.replace("infra.a", "infra.b").repeat(200));
    vec![
        Case::krm("20,000 items", &list(&many, bound)),
        Case::krm("a generator", &list("[]", &format!("{bound}{generated}"))),
        Case::krm(
            "a validator",
            &list(&format!("\n{item}"), &format!("{bound}{validator}")),
        ),
        Case::krm("200 errors", &list(&wrong, bound)),
        Case::krm(
            "CR LF",
            &list(&format!("\n{item}"), bound).replace('\n', "\r\n"),
        ),
        Case::krm(
            "a byte order mark",
            &format!("\u{feff}{}", list(&format!("\n{item}"), bound)),
        ),
        Case::krm("no items", &list("", bound)),
        Case::krm("no functionConfig", &list(&format!("\n{item}"), "")),
        Case::krm("not a list", "apiVersion: v1\nkind: ConfigMap\n"),
        Case::krm("not YAML", "a: [\n"),
        Case::krm("nothing", ""),
    ]
}

fn others_of_check() -> Vec<Case> {
    let check = |name: &str, flags: &[&str], stdin: &str| {
        let arguments: Vec<&str> = ["check", "--no-references"]
            .iter()
            .chain(flags)
            .copied()
            .collect();
        Case::new(name, &arguments, stdin)
    };
    let text = "a: ${infra.a}\nb: ${dns.b}\nc: $${infra.c}\n";
    vec![
        check("any name", &["-"], text),
        check("one name", &["-b", "dns=d.json", "-"], text),
        check("the default name", &["--bind=infra.json", "-"], text),
        check(
            "allowed text",
            &["--allow", "${infra", "--allow=${dns", "-"],
            text,
        ),
        check("nothing", &["-"], " \n"),
        check("nothing is allowed", &["--no-resources", "allow", "-"], ""),
        check("not YAML", &["-"], "a: [${infra.a}\n"),
    ]
}

fn compare(runtime: &str, ended: &[Ended]) {
    let Expected {
        cases,
        ended: native,
    } = expected();
    assert_eq!(ended.len(), cases.len());
    for ((case, native), ended) in cases.iter().zip(native).zip(ended) {
        let name = format!("{runtime}: {}\n{}", case.name, ended.stderr);
        assert_eq!(ended.stdout, native.stdout, "{name}");
        assert_eq!(ended.code, native.code, "{name}");
        assert_eq!(ended.findings(), native.findings(), "{name}");
    }
}

#[test(node)]
fn node_writes_what_the_native_command_writes() {
    compare("Node", &node(&expected().cases));
}

#[test]
fn wasmtime_writes_what_the_native_command_writes() {
    if let Some(ended) = wasmtime(&expected().cases) {
        compare("wasmtime", &ended);
    }
}

#[test(browser)]
fn chromium_writes_what_the_native_command_writes() {
    compare("Chromium", &chromium(&expected().cases));
}

/// A runtime that grants nothing else can run it.
#[test(node)]
fn it_imports_no_clock_no_files_and_no_environment() {
    let script = "console.log(WebAssembly.Module.imports(new WebAssembly.Module(require('fs').readFileSync(process.argv[1]))).map((i) => `${i.module}.${i.name}`).sort().join('\\n'))";
    let output = Command::new(needed_program("node"))
        .args(["-e", script])
        .arg(module())
        .output()
        .unwrap();
    let functions = [
        "args_get",
        "args_sizes_get",
        "fd_read",
        "fd_write",
        "proc_exit",
    ];
    let expected: String = functions
        .iter()
        .map(|name| format!("wasi_snapshot_preview1.{name}\n"))
        .collect();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

#[test(node)]
fn the_program_of_the_page_prints_what_the_page_shows() {
    let scratch = Scratch::new();
    for (name, language) in [("list.yaml", "yaml"), ("node.mjs", "js")] {
        scratch.write(name, &documented(&format!("{language} {name}")));
    }
    std::fs::copy(module(), scratch.at("landfall.wasi.wasm")).unwrap();
    let output = Command::new(needed_program("node"))
        .args(["--no-warnings", "--no-turbo-fast-api-calls", "node.mjs"])
        .current_dir(scratch.path())
        .stdin(std::fs::File::open(scratch.at("list.yaml")).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        documented("yaml printed")
    );
}

/// Runs one case in Node.
fn one(arguments: &[&str], stdin: &str) -> Ended {
    node(&[Case::new("", arguments, stdin)]).remove(0)
}

#[test(node)]
fn without_arguments_it_is_a_krm_function() {
    let (examples, _) = documentation();
    let example = &examples[0].stdin;
    assert_eq!(one(&[], example), one(&["krm"], example));
}

#[test(node)]
fn a_document_in_a_file_is_an_error_that_says_what_to_do() {
    let list = "kind: ResourceList\nitems: [{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: '${infra.a}'}}]\nfunctionConfig:\n  apiVersion: landfall.dev/v1alpha1\n  kind: Binding\n  spec: {outputs: [{name: infra, from: {file: infra.json}}]}\n";
    let ended = one(&["krm"], list);
    assert_eq!((ended.code, &*ended.stdout), (1, ""));
    assert_eq!(
        ended.stderr,
        "\
error[invalid-binding]: `infra.json` cannot be read: landfall.wasi.wasm has no files
 --> ResourceList:6:47
  = help: write the outputs into the functionConfig, `from: {inline: ...}`, or bind a resource of the list, `from: {resource: ...}`; the native command reads files

error: 1 error; nothing was rendered
"
    );
}

#[test(node)]
fn what_needs_files_is_a_mistake_of_usage() {
    for arguments in [
        &["render", "app"][..],
        &["krm", "-b", "infra.json"],
        &["check", "app"],
        &["check", "--no-references", "app"],
        &["check", "--no-references", "-c", "landfall.yaml", "-"],
    ] {
        let ended = one(arguments, "");
        assert_eq!((ended.code, &*ended.stdout), (2, ""), "{arguments:?}");
        assert!(ended.stderr.starts_with("error: "), "{}", ended.stderr);
    }
    let help = one(&["--help"], "");
    assert_eq!((help.code, &*help.stderr), (0, ""));
    assert!(
        help.stdout.contains("check --no-references"),
        "{}",
        help.stdout
    );
}
