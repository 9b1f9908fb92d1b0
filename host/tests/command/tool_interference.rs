//! The law of interference through kustomize: whatever a kustomization does, nothing but the
//! data of Secrets and the hashes of their names depends on a sensitive value. Each attack is
//! run with pairs of secrets, and all that can be observed is compared.

use crate::run::Run;
use crate::tool::{ToolRepository, tool_binding};

const BINDING: &str = tool_binding!("kustomize");

/// A kustomization that does something with secrets, and its files.
struct Attack {
    kustomization: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// Whether it is built.
    is_built: bool,
}

const SECRET: (&str, &str) = (
    "secret.yaml",
    "apiVersion: v1
kind: Secret
metadata: {name: db}
stringData:
  pw: ${infra.password}
  url: pg://x${infra.password}@host
  upper: ${infra.password | upper}
  app.yaml: |
    pw: ${infra.password}
data:
  encoded: ${infra.password | base64}
",
);

const CONFIG: (&str, &str) = (
    "config.yaml",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, annotations: {a: b}}\ndata: {a: none, x: none}\n",
);

const ATTACKS: &[Attack] = &[
    // What is allowed.
    Attack {
        kustomization: "resources: [secret.yaml, config.yaml]
namePrefix: prod-
secretGenerator:
- name: gen
  files: [password.txt, app.yaml]
  envs: [db.env]
  literals: [a=b]
",
        files: &[
            ("password.txt", "${infra.password}"),
            ("app.yaml", "a: ${infra.password}\n"),
            ("db.env", "# c\nA=x${infra.password}\n\nB=${infra.vpc_id}\n"),
        ],
        is_built: true,
    },
    // A reference to a generated name.
    Attack {
        kustomization: "resources: [pod.yaml]
secretGenerator: [{name: gen, files: [password.txt]}]
",
        files: &[
            ("password.txt", "${infra.password}"),
            (
                "pod.yaml",
                "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {volumes: [{name: a, secret: {secretName: gen}}]}\n",
            ),
        ],
        is_built: true,
    },
    // A copy from Secret to Secret.
    Attack {
        kustomization: "resources: [secret.yaml]
secretGenerator: [{name: gen, files: [password.txt]}]
replacements:
- source: {kind: Secret, name: gen, fieldPath: data.password\\.txt}
  targets: [{select: {name: db}, fieldPaths: [data.other], options: {create: true}}]
- source: {kind: Secret, name: db, fieldPath: stringData.url}
  targets: [{select: {name: db}, fieldPaths: [stringData.other], options: {create: true}}]
",
        files: &[("password.txt", "${infra.password}")],
        is_built: true,
    },
    // A variable's name, a comment, nothing.
    Attack {
        kustomization: "secretGenerator: [{name: gen, envs: [db.env]}]\n",
        files: &[("db.env", "${infra.password}\n")],
        is_built: false,
    },
    Attack {
        kustomization: "secretGenerator: [{name: gen, envs: [db.env]}]\n",
        files: &[("db.env", "A${infra.password}=1\n")],
        is_built: false,
    },
    // Guesses.
    Attack {
        kustomization: "resources: [secret.yaml]
patches:
- target: {kind: Secret}
  patch: '[{\"op\": \"test\", \"path\": \"/stringData/pw\", \"value\": \"tango\"}]'
",
        files: &[],
        is_built: false,
    },
    Attack {
        kustomization: "resources: [secret.yaml]
patches:
- target: {kind: Secret}
  patch: '[{\"op\": \"test\", \"path\": \"/stringData/url\", \"value\": \"pg://xa@host\"}]'
",
        files: &[],
        is_built: false,
    },
    // A guess at a value that is only in the way.
    Attack {
        kustomization: "resources: [inner]
patches:
- target: {annotationSelector: pw=tango}
  patch: '[{\"op\": \"add\", \"path\": \"/data/guessed\", \"value\": \"yes\"}]'
- target: {kind: ConfigMap}
  patch: '[{\"op\": \"remove\", \"path\": \"/metadata/annotations\"}]'
",
        files: &[
            (
                "inner/kustomization.yaml",
                "resources: [../copy]
",
            ),
            (
                "copy/kustomization.yaml",
                "resources: [secret.yaml, config.yaml]
replacements:
- source: {kind: Secret, fieldPath: stringData.pw}
  targets: [{select: {kind: ConfigMap}, fieldPaths: [metadata.annotations.pw], options: {create: true}}]
",
            ),
            ("copy/secret.yaml", SECRET.1),
            ("copy/config.yaml", CONFIG.1),
        ],
        is_built: true,
    },
    // Copies.
    Attack {
        kustomization: "resources: [secret.yaml, config.yaml]
replacements:
- source: {kind: Secret, fieldPath: stringData.pw}
  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a]}]
",
        files: &[],
        is_built: false,
    },
    Attack {
        kustomization: "resources: [secret.yaml, config.yaml]
replacements:
- source: {kind: Secret, fieldPath: stringData.upper}
  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a]}]
",
        files: &[],
        is_built: false,
    },
    Attack {
        kustomization: "resources: [secret.yaml, config.yaml]
replacements:
- source: {kind: Secret, fieldPath: stringData.url, options: {delimiter: '@'}}
  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a]}]
",
        files: &[],
        is_built: false,
    },
    Attack {
        kustomization: "resources: [secret.yaml, config.yaml]
replacements:
- source: {kind: Secret, fieldPath: data.encoded}
  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a]}]
",
        files: &[],
        is_built: false,
    },
    Attack {
        kustomization: "resources: [secret.yaml, config.yaml]
replacements:
- source: {kind: Secret, fieldPath: stringData.pw}
  targets: [{select: {kind: ConfigMap}, fieldPaths: [metadata.name]}]
",
        files: &[],
        is_built: false,
    },
    // A message that quotes the value.
    Attack {
        kustomization: "resources: [secret.yaml]
replacements:
- source: {kind: Secret, fieldPath: stringData.pw.none}
  targets: [{select: {kind: Secret}, fieldPaths: [metadata.name]}]
",
        files: &[],
        is_built: false,
    },
    Attack {
        kustomization: "resources: [secret.yaml, config.yaml]
vars: [{name: PW, objref: {apiVersion: v1, kind: Secret, name: db}, fieldref: {fieldpath: stringData.pw}}]
patches:
- target: {kind: ConfigMap}
  patch: '[{\"op\": \"replace\", \"path\": \"/metadata/annotations/a\", \"value\": \"$(PW)\"}]'
",
        files: &[],
        is_built: false,
    },
];

/// Guessed values, short ones, and ones that would be read as something else.
const SECRETS: [&str; 6] = [
    "tango",
    "a",
    "#b=c",
    "true",
    "$(PW) ${infra.x} {{ x }}",
    "0x10: 'é\\",
];

/// Returns all that can be observed but for what may depend on a value.
fn observable(run: &Run) -> String {
    let mut observed = format!("{:?}\n{}\n", run.code, run.stderr);
    let stdout = String::from_utf8_lossy(&run.stdout);
    for document in stdout.split("---\n") {
        let is_secret = document.contains("kind: Secret\n");
        let mut is_data = false;
        for line in document.lines() {
            if !line.starts_with(' ') {
                is_data = is_secret && matches!(line, "data:" | "stringData:");
            }
            if !is_data || !line.starts_with(' ') {
                observed.push_str(without_hash(line));
                observed.push('\n');
            }
        }
    }
    observed
}

/// Returns a line without the hash that it ends with.
fn without_hash(line: &str) -> &str {
    let is_hash =
        |hash: &str| hash.len() == 10 && hash.bytes().all(|b| b"2456789bcdfghkmt".contains(&b));
    match line.rsplit_once('-') {
        Some((before, hash)) if is_hash(hash) => before,
        _ => line,
    }
}

#[test(tools)]
fn nothing_but_secrets_depends_on_a_sensitive_value() {
    for (nth, attack) in ATTACKS.iter().enumerate() {
        let mut first = None;
        for secret in SECRETS {
            let outputs = serde_json::json!({
                "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-0ab1"},
                "password": {"sensitive": true, "type": "string", "value": secret},
            });
            let repository = ToolRepository::new("kustomize", BINDING, &outputs.to_string(), &[]);
            for (path, content) in [SECRET, CONFIG].iter().chain(attack.files) {
                repository.write(&format!("apps/web/{path}"), content);
            }
            repository.write("apps/web/kustomization.yaml", attack.kustomization);
            let run = repository.cmp(&["--operator-policy", "../../policy.yaml"]);
            assert_eq!(
                run.code == Some(0),
                attack.is_built,
                "{nth}: {}",
                run.stderr
            );
            let observed = observable(&run);
            let first = first.get_or_insert_with(|| observed.clone());
            assert_eq!(*first, observed, "attack {nth} with {secret:?}");
        }
    }
}

/// A value that is two variables is refused by an error that says nothing about it.
#[test(tools)]
fn a_sensitive_value_adds_no_variable() {
    let repository = ToolRepository::new("kustomize", BINDING, "{}", &[]);
    repository.write("apps/web/db.env", "A=${infra.password}\nB=1\n");
    repository.write(
        "apps/web/kustomization.yaml",
        "secretGenerator: [{name: gen, envs: [db.env]}]\n",
    );
    for secret in ["tango\nC=1", "tango\n# comment", "tango\r"] {
        let outputs = serde_json::json!({
            "password": {"sensitive": true, "type": "string", "value": secret},
        });
        repository.write("outputs/infra.json", outputs.to_string());
        let run = repository.cmp(&["--operator-policy", "../../policy.yaml"]);
        run.assert_input_error(&[
            "error[invalid-kustomization]: a sensitive value cannot be written to a file of the kustomization",
        ]);
        assert!(
            !run.stderr.contains("tango") && !run.stderr.contains("db.env"),
            "{}",
            run.stderr
        );
    }
}

/// What is built has the values.
#[test(tools)]
fn secrets_are_those_that_kustomize_would_build() {
    let repository = ToolRepository::new("kustomize", BINDING, "{}", &[]);
    for secret in [
        "tango",
        "a",
        "#b=c",
        "two\nlines\n",
        "a long value ".repeat(20).as_str(),
    ] {
        let outputs = serde_json::json!({
            "password": {"sensitive": true, "type": "string", "value": secret},
        });
        repository.write("outputs/infra.json", outputs.to_string());
        repository.write("apps/web/password.txt", "x=${infra.password}");
        repository.write(
            "apps/web/kustomization.yaml",
            "namePrefix: p-\nsecretGenerator: [{name: gen, files: [password.txt], literals: [a=b]}]\n",
        );
        let run = repository.cmp(&["--operator-policy", "../../policy.yaml"]);
        repository.write("apps/web/password.txt", format!("x={secret}"));
        let built = std::process::Command::new(&repository.program)
            .args(["build", "."])
            .current_dir(repository.at("apps/web"))
            .output()
            .unwrap();
        let built = String::from_utf8(built.stdout).unwrap();
        snapbox::assert_data_eq!(run.expect_stdout(), built);
    }
}
