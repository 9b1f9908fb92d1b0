//! `--jobs`: large manifests are rendered in several threads, and nothing else changes.

use std::fs;

use crate::run::{Run, TestFolder};

/// Sizes from about 1 MB on are divided.
const DOCUMENTS: usize = 9_000;

const OUTPUTS: &str = r#"{
  "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"},
  "odd": {"sensitive": false, "type": "string", "value": "- a: 'b' # \"c\"\n---\nd: ${infra.x}\n"},
  "replicas": {"sensitive": false, "type": "number", "value": 3},
  "subnets": {"sensitive": false, "type": ["list", "string"], "value": ["subnet-1", "a: b"]},
  "password": {"sensitive": true, "type": "string", "value": "hunter2"},
  "first": {"sensitive": false, "type": "string", "value": "1"},
  "last": {"sensitive": false, "type": "string", "value": "2"},
  "nowhere": {"sensitive": false, "type": "string", "value": "3"}
}
"#;

fn setup() -> TestFolder {
    let folder = TestFolder::new();
    folder.write("infra.json", OUTPUTS);
    folder
}

/// Returns the document with this number.
fn document(nth: usize) -> String {
    let head = |kind: &str| format!("apiVersion: v1\nkind: {kind}\nmetadata:\n  name: a{nth}\n");
    match nth % 5 {
        0 => head("ConfigMap") + "data:\n  vpc: ${infra.vpc_id} # kept\n  odd: ${infra.odd}\n",
        1 => head("Secret") + "stringData:\n  password: ${infra.password}\n",
        2 => format!(
            "# app {nth}\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: a{nth}}}\nspec:\n  replicas: ${{infra.replicas}}\n"
        ),
        3 => {
            head("ConfigMap")
                + "data:\n  text: |\n    ---\n    in ${infra.vpc_id}\n  old: x # landfall: ${infra.vpc_id}\n"
        }
        _ => {
            head("PodTemplate")
                + "template:\n  spec:\n    containers:\n    - name: a\n      args: ${infra.subnets}\n      command: [\"${infra.odd}\"]\n"
        }
    }
}

/// Returns a stream of more than 1 MB.
fn stream() -> String {
    let documents: Vec<_> = (0..DOCUMENTS).map(document).collect();
    documents.join("---\n")
}

/// Runs a command with one job and with several, and returns the run with one. The files of
/// the folder are as after that run.
#[track_caller]
fn same(folder: &TestFolder, arguments: &[&str], stdin: &str) -> Run {
    let before = folder.snapshot();
    let run = |jobs: &str| {
        let arguments = [arguments, &["--jobs", jobs]].concat();
        let run = folder.run_with_stdin(&arguments, stdin);
        (run, folder.snapshot())
    };
    let restore = || {
        for (path, content) in &before {
            if path.is_file() {
                fs::write(path, content).unwrap();
            }
        }
        for name in ["out", "report"] {
            let _ = fs::remove_dir_all(folder.at(name));
        }
    };
    let (one, expected) = run("1");
    for jobs in ["2", "5"] {
        restore();
        let (several, files) = run(jobs);
        assert_eq!(several.code, one.code, "{jobs}: {}", several.stderr);
        assert_eq!(several.stderr, one.stderr, "{jobs}");
        assert!(several.stdout == one.stdout, "{jobs}: standard output");
        assert!(files == expected, "{jobs}: files");
    }
    restore();
    one
}

/// Returns the stream as files of so many documents.
fn files(documents: usize) -> Vec<String> {
    let all: Vec<_> = (0..DOCUMENTS).map(document).collect();
    all.chunks(documents)
        .map(|some| some.join("---\n"))
        .collect()
}

#[test]
fn a_stream_is_rendered_as_with_one_job() {
    let folder = setup();
    let run = same(&folder, &["render", "-", "-b", "infra.json"], &stream());
    assert_eq!(run.code, Some(0));
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(!text.contains("in ${infra") && text.matches("hunter2").count() == DOCUMENTS / 5);
}

#[test]
fn an_output_is_used_if_one_document_uses_it() {
    let folder = setup();
    let text = format!(
        "v: ${{infra.first}}\n---\n{}---\nv: ${{infra.last}}\n",
        stream()
    );
    let check = ["check", "-", "-b", "infra.json"];
    let run = same(&folder, &check, &stream());
    let unused = "3 unused outputs of `infra`: `first`, `last`, `nowhere`";
    assert!(run.stderr.contains(unused), "{}", run.stderr);
    let run = same(&folder, &check, &text);
    assert!(
        run.stderr.contains("unused output of `infra`: `nowhere`"),
        "{}",
        run.stderr
    );
    let more = format!("{text}---\nv: ${{infra.nowhere}}\n");
    assert_eq!(same(&folder, &check, &more).stderr, "");
    let run = same(
        &folder,
        &["check", "-", "-b", "infra.json", "--unused", "error"],
        &text,
    );
    assert_eq!(run.code, Some(1));
}

#[test]
fn files_are_written_as_with_one_job() {
    let folder = setup();
    for (nth, text) in files(1_300).iter().enumerate() {
        folder.write(&format!("app/{nth}.yaml"), text);
    }
    folder.write("app/small.yaml", "# nothing\n");
    for arguments in [
        &["render", "app", "-b", "infra.json", "--output-dir", "out"][..],
        &["render", "app", "-b", "infra.json", "--in-place"],
        &[
            "render",
            "app",
            "-b",
            "infra.json",
            "--in-place",
            "--replace-references",
        ],
        &[
            "render",
            "app/1.yaml",
            "app/0.yaml",
            "app/3.yaml",
            "app/4.yaml",
            "app/5.yaml",
            "-b",
            "infra.json",
        ],
        &["check", "app", "-b", "infra.json", "-o", "json"],
        &["check", "app", "-b", "infra.json", "-o", "sarif"],
        &["check", "app", "-b", "infra.json", "-o", "junit"],
        &["check", "app", "-b", "infra.json", "-o", "github"],
    ] {
        let run = same(&folder, arguments, "");
        assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
    }
}

/// Whatever may cross from one document to another is last, first, or both.
#[test]
fn what_crosses_documents_is_as_with_one_job() {
    let folder = setup();
    let text = stream();
    let definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec:\n  group: example.com\n  names: {kind: Widget}\n  versions:\n  - name: v1\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {text: {type: string}}}}}}\n";
    let widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {text: \"${infra.replicas}\"}\n";
    let anchored = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: &a\n  v: ${infra.password}\n";
    let alias = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: *a\n";
    for (first, last, code) in [
        (widget, definition, 0),
        (definition, widget, 0),
        (anchored, alias, 1),
        (alias, "v: 1\n", 0),
        ("v: ${infra.missing}\n", "v: ${infra.mising}\n", 1),
        ("v: 1\n", "v: ${infra.missing}\n", 1),
        ("v: ${other.x}\n", "v: ${other.y}\n", 0),
        ("v: ${infar.x}\n", "v: ${infar.y}\n", 1),
        ("v: 1\n", "a: [\nb: ${infra.first}\n", 1),
        ("v: 1\n", "v: ${infra.password}\n", 1),
        (
            "v: 1\n",
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\n",
            1,
        ),
        ("...\n# c\n", "...\nv: ${infra.first}\n", 0),
    ] {
        let text = format!("{first}---\n{text}---\n{last}");
        let run = same(&folder, &["render", "-", "-b", "infra.json"], &text);
        assert_eq!(run.code, Some(code), "{first}{last}{}", run.stderr);
    }
}

#[test]
fn a_binding_is_applied_as_with_one_job() {
    let folder = setup();
    for (nth, text) in files(2_000).iter().enumerate() {
        folder.write(&format!("app/{nth}.yaml"), text);
    }
    let outputs = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs: [{name: infra, file: ../infra.json}]\n";
    for spec in [
        "",
        "  policy: {unused: error}\n",
        "  policy: {unused: ignore}\n",
        "  contract: {infra: {nowhere: {unused: error}}}\n",
        "  substitutions:\n  - value: ${infra.first}\n    targets: [{select: {kind: Service}, fieldPaths: [spec.clusterIP]}]\n",
        "  substitutions:\n  - value: ${infra.first}\n    targets: [{select: {name: a8999}, fieldPaths: [spec.clusterIP]}]\n",
        "  substitutions:\n  - value: ${infra.first}\n    targets: [{select: {name: nobody}, fieldPaths: [spec.clusterIP]}]\n",
        "  dialect: flux\n",
        "  invalid: 1\n",
    ] {
        folder.write("app/landfall.yaml", format!("{outputs}{spec}"));
        for arguments in [
            &["render", "app", "--output-dir", "out"][..],
            &["check", "app", "-o", "json"],
        ] {
            same(&folder, arguments, "");
        }
    }
}

/// Several instances need less memory each, so they may render what one cannot.
#[test]
fn limits_are_reported_as_with_one_job() {
    let folder = setup();
    let text = stream();
    for limit in [
        &["--max-memory", "1M"][..],
        &["--max-memory", "3M"],
        &["--max-memory", "12M"],
        &["--max-memory", "40M"],
        &["--max-input", "1M"],
        &["--max-answer", "100K"],
    ] {
        let run = |jobs| {
            let arguments = [&["render", "-", "-b", "infra.json", "--jobs", jobs], limit].concat();
            folder.run_with_stdin(&arguments, &text)
        };
        let (one, several) = (run("1"), run("4"));
        if several.code == Some(0) && limit[0] == "--max-memory" {
            let unlimited = folder.run_with_stdin(&["render", "-", "-b", "infra.json"], &text);
            assert!(several.stdout == unlimited.stdout, "{limit:?}");
        } else {
            assert_eq!(several.code, one.code, "{limit:?}");
            assert_eq!(several.stderr, one.stderr, "{limit:?}");
            assert!(several.stdout == one.stdout, "{limit:?}");
        }
    }
}

#[test]
fn jobs_is_a_positive_number() {
    let folder = setup();
    for jobs in ["0", "x", ""] {
        let run = folder.run(&["render", "-", "--jobs", jobs]);
        run.assert_fails(2, &["--jobs"]);
    }
}
