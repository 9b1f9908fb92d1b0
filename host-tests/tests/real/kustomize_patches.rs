//! Values in patches have the types of the fields that the real kustomize writes them to,
//! wherever the patch is written.

use std::path::Path;
use std::process::Command;

use landfall_host_tests::program;
use landfall_host_tests::scratch::Scratch;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

const BASE: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {a: b}}
spec:
  replicas: 1
  template:
    spec:
      nodeSelector: {a: b}
      containers: [{name: web, image: nginx}]
";

/// Strings where Kubernetes takes numbers, and the other way round.
const OUTPUTS: &str = r#"{"replicas": "3", "port": 8080, "public": true, "web": {"name": "web", "image": "nginx", "ports": [{"containerPort": "80"}]}}"#;

const OPERATIONS: &str = "- {op: replace, path: /spec/replicas, value: ${infra.replicas}}
- {op: add, path: /metadata/annotations/a, value: ${infra.port}}
- {op: add, path: /spec/template/spec/nodeSelector/a, value: ${infra.public}}
- {op: replace, path: /spec/template/spec/containers/0, value: ${infra.web}}
";

const MERGED: &str = "metadata: {name: web, annotations: {a: \"${infra.port}\"}}
spec:
  replicas: ${infra.replicas}
  template:
    spec:
      nodeSelector: {a: ${infra.public}}
      containers:
      - ${infra.web}
";

const KINDS: &str = "apiVersion: apps/v1\nkind: Deployment\n";

const TARGET: &str = "target: {group: apps, version: v1, kind: Deployment, name: web}";

/// Returns a text as a block scalar, whose key has this indentation.
fn block(text: &str, indentation: usize) -> String {
    let line = format!("\n{}", " ".repeat(indentation + 2));
    format!("|{line}{}", text.trim_end().replace('\n', &line))
}

/// Returns the files of each place in which kustomize reads a patch.
fn places() -> Vec<Vec<(&'static str, String)>> {
    let merged = format!("{KINDS}{MERGED}");
    // kustomize wants a kind, and ignores it beside a target.
    let other = format!("apiVersion: not/important\nkind: not-important\n{MERGED}");
    let kustomization = |text: String| {
        (
            "kustomization.yaml",
            format!("resources: [base.yaml]\n{text}\n"),
        )
    };
    let patch = |text: &str| ("p.yaml", text.to_owned());
    let transformer = |kind: &str, text: String| {
        let head = format!("apiVersion: builtin\nkind: {kind}\nmetadata: {{name: a}}\n");
        vec![
            kustomization("transformers: [t.yaml]".to_owned()),
            ("t.yaml", format!("{head}{text}\n")),
        ]
    };
    vec![
        vec![kustomization(format!(
            "patches:\n- {TARGET}\n  patch: {}",
            block(OPERATIONS, 2)
        ))],
        vec![kustomization(format!(
            "patches:\n- {TARGET}\n  patch: {}",
            block(&other, 2)
        ))],
        vec![kustomization(format!(
            "patches:\n- patch: {}",
            block(&merged, 2)
        ))],
        vec![
            kustomization(format!("patches: [{{path: p.yaml, {TARGET}}}]")),
            patch(OPERATIONS),
        ],
        vec![
            kustomization("patches: [{path: p.yaml}]".to_owned()),
            patch(&merged),
        ],
        vec![kustomization(format!(
            "patchesJson6902:\n- {TARGET}\n  patch: {}",
            block(OPERATIONS, 2)
        ))],
        vec![
            kustomization(format!("patchesJson6902: [{{path: ./p.yaml, {TARGET}}}]")),
            patch(OPERATIONS),
        ],
        vec![
            kustomization("patchesStrategicMerge: [p.yaml]".to_owned()),
            patch(&merged),
        ],
        transformer(
            "PatchTransformer",
            format!("{TARGET}\npatch: {}", block(OPERATIONS, 0)),
        ),
        transformer(
            "PatchJson6902Transformer",
            format!("{TARGET}\njsonOp: {}", block(OPERATIONS, 0)),
        ),
        vec![
            (
                "kustomization.yaml",
                "resources: [base.yaml]\ncomponents: [part]\n".to_owned(),
            ),
            (
                "part/kustomization.yaml",
                format!(
                    "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- {TARGET}\n  patch: {}\n",
                    block(OPERATIONS, 2)
                ),
            ),
        ],
    ]
}

#[test(tools)]
fn kustomize_writes_what_the_field_takes() {
    let (landfall, kustomize) = (program::landfall(), program::tool("kustomize"));
    for files in places() {
        let folder = Scratch::new();
        folder.write("base.yaml", BASE);
        folder.write("infra.json", OUTPUTS);
        folder.write("landfall.yaml", "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  tool: kustomize\n  outputs: [{name: infra, from: {file: infra.json}, format: json}]\n");
        for (path, text) in &files {
            folder.write(path, text);
        }
        let output = Command::new(&landfall)
            .args(["render", "."])
            .current_dir(folder.path())
            .env(
                "PATH",
                program::path_with(kustomize.parent().unwrap_or(Path::new(""))),
            )
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{files:?} {stderr}");
        let built: Value = serde_yaml::from_slice(&output.stdout).unwrap();
        let expected = json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web", "annotations": {"a": "8080"}},
            "spec": {
                "replicas": 3,
                "template": {"spec": {
                    "nodeSelector": {"a": "true"},
                    "containers": [{"name": "web", "image": "nginx", "ports": [{"containerPort": 80}]}],
                }},
            },
        });
        assert_eq!(built, expected, "{files:?}");
        // kustomize itself says that some of these keys are old.
        assert!(!stderr.contains("warning["), "{stderr}");
    }
}
