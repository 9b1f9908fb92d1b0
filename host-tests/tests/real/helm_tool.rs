//! An application with `spec.tool: helm`, templated by the real Helm below the real
//! argocd-cmp-server.

use std::process::{Command, Stdio};

use landfall_host_tests::plugin_server::PluginServer;
use landfall_host_tests::program;
use landfall_host_tests::scratch::Scratch;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::manifests::{documents, generate};

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1
kind: Binding
spec:
  tool: helm
  helm: {releaseName: shop, namespace: prod, kubeVersion: 1.33.0, valueFiles: [values-prod.yaml]}
  outputs:
  - {name: infra, from: {file: infra.json}}
";

const OUTPUTS: &str = r#"{
  "account_id": {"sensitive": false, "type": "string", "value": "012345678901"},
  "zones": {"sensitive": false, "type": ["list", "string"], "value": ["a", "b"]},
  "replicas": {"sensitive": false, "type": "number", "value": 3}
}"#;

const TEMPLATE: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  namespace: {{ .Release.Namespace }}
  annotations:
    account: ${infra.account_id}
spec:
  replicas: {{ .Values.replicas }}
  template:
    spec:
      containers:
      - name: web
        args:
        {{- range .Values.zones }}
        - --zone={{ . }}
        {{- end }}
";

fn repository() -> Scratch {
    let repository = Scratch::new();
    repository.write(
        "app/Chart.yaml",
        "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    );
    repository.write("app/values.yaml", "replicas: 1\n");
    repository.write(
        "app/values-prod.yaml",
        "replicas: ${infra.replicas}\nzones: ${infra.zones}\n",
    );
    repository.write("app/templates/web.yaml", TEMPLATE);
    repository.write("app/infra.json", OUTPUTS);
    repository.write("app/landfall.yaml", BINDING);
    repository
}

fn server() -> PluginServer {
    PluginServer::with_tool("helm")
}

#[test(tools)]
fn a_chart_is_templated_as_by_helm_with_the_same_values() {
    let server = server();
    let repository = repository();
    let manifests = generate(&server, &repository).unwrap();
    let [deployment] = manifests.as_slice() else {
        panic!("{manifests:?}")
    };
    let annotations = &deployment["metadata"]["annotations"];
    assert_eq!(*annotations, json!({"account": "012345678901"}));
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["args"], json!(["--zone=a", "--zone=b"]));

    // Helm, with the values written by hand.
    repository.write("app/values-prod.yaml", "replicas: 3\nzones: [a, b]\n");
    let template = TEMPLATE.replace("${infra.account_id}", "'012345678901'");
    repository.write("app/templates/web.yaml", &template);
    let helm = program::tool("helm");
    let output = Command::new(helm)
        .args(["template", "shop", "app", "--namespace=prod"])
        .args(["--kube-version=1.33.0", "--values=app/values-prod.yaml"])
        .current_dir(repository.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let by_hand = documents(str::from_utf8(&output.stdout).unwrap());
    assert_eq!(manifests, by_hand);
}

#[test(tools)]
fn a_refusal_of_helm_names_the_file_of_the_repository() {
    let server = server();
    let repository = repository();
    repository.write("app/values-prod.yaml", "replicas: [\n");
    let refusal = generate(&server, &repository).unwrap_err();
    let text = format!("{refusal:?}");
    assert!(text.contains("app/values-prod.yaml"), "{text}");
    assert!(!text.contains("_cmp_server"), "{text}");
}
