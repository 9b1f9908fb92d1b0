//! What goes wrong for plugins of Argo CD, and not for landfall: each test has the name of one
//! such trap, and calls the real argocd-cmp-server. `argo_cd_server` shows the server's part.

use landfall_host_tests::plugin_server::{Application, PluginServer, Refusal};
use landfall_host_tests::scratch::Scratch;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

const BINDING: &str = "apiVersion: landfall.dev/v1alpha1
kind: Binding
spec: {outputs: [{name: infra, from: {file: ../infra.json}}]}
";

/// A server, and a repository with the application `app`.
struct Plugin {
    server: PluginServer,
    repository: Scratch,
}

impl Plugin {
    fn new(outputs: &Value, manifest: &str) -> Self {
        let plugin = Self {
            server: PluginServer::with_landfall(),
            repository: Scratch::new(),
        };
        plugin.repository.write("app/landfall.yaml", BINDING);
        plugin.write_outputs(outputs);
        plugin.repository.write("app/a.yaml", manifest);
        plugin
    }

    /// Writes public outputs.
    fn write_outputs(&self, outputs: &Value) {
        let outputs = outputs.as_object().unwrap().iter();
        let outputs: serde_json::Map<_, _> = outputs
            .map(|(name, value)| (name.clone(), json!({"sensitive": false, "value": value})))
            .collect();
        let text = Value::from(outputs).to_string();
        self.repository.write("infra.json", &text);
    }

    fn generate(&self, parameters: &str) -> Result<Vec<String>, Refusal> {
        let application = Application {
            root: self.repository.path(),
            folder: &self.repository.at("app"),
            source_path: "app",
        };
        self.server
            .generate_with_parameters(&application, parameters)
    }

    /// Returns `data` of the only manifest.
    fn data(&self) -> Value {
        let manifests = self.generate("null").unwrap();
        let [manifest] = manifests.as_slice() else {
            panic!("{manifests:?}")
        };
        let manifest: Value = serde_json::from_str(manifest).unwrap();
        manifest["data"].clone()
    }
}

fn config_map(data: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n{data}")
}

#[test(tools)]
fn a_string_that_yaml_1_1_reads_as_another_type_stays_a_string() {
    let strings = [
        "012345678901",
        "012",
        "0o17",
        "0b1",
        "0x1f",
        "1_000",
        "1.10",
        "1e3",
        "+1",
        ".5",
        "yes",
        "No",
        "on",
        "y",
        "~",
        "null",
        "",
        ".inf",
        "12:30:45",
        "2026-11-23",
        "<<",
        "=",
        "- a",
        "a: b",
        "a # b",
        "{a: b}",
        "---",
        "...",
        "a\n---\nkind: B",
        " a ",
    ];
    let outputs: serde_json::Map<_, _> = strings
        .iter()
        .enumerate()
        .map(|(nth, string)| (format!("o{nth}"), Value::from(*string)))
        .collect();
    let lines: String = (0..strings.len())
        .map(|nth| match strings[nth] {
            "" => format!("  o{nth}: ${{infra.o{nth} | default(\"\")}}\n"),
            _ => format!("  o{nth}: ${{infra.o{nth}}}\n"),
        })
        .collect();
    let outputs = Value::from(outputs);
    let plugin = Plugin::new(&outputs, &config_map(&lines));
    assert_eq!(plugin.data(), outputs);
}

#[test(tools)]
fn a_document_after_a_bare_end_marker_is_not_lost() {
    let manifest = format!(
        "{}...\n{}",
        config_map("  id: ${infra.id}\n"),
        config_map("  id: b\n")
    );
    let plugin = Plugin::new(&json!({"id": "a"}), &manifest);
    let manifests = plugin.generate("null").unwrap();
    assert_eq!(manifests.len(), 2, "{manifests:?}");
}

#[test(tools)]
fn a_key_that_a_value_makes_twice_is_not_dropped_silently() {
    let manifest = config_map("  id: a\n  ${infra.key}: b\n");
    let plugin = Plugin::new(&json!({"key": "id"}), &manifest);
    let message = plugin.generate("null").unwrap_err().message;
    assert!(message.contains("error[duplicate-key]"), "{message}");
    assert!(message.contains("app/a.yaml:"), "{message}");
}

#[test(tools)]
fn the_folder_of_a_call_is_not_in_the_result() {
    let plugin = Plugin::new(&json!({"id": "a"}), &config_map("  id: ${infra.id}\n"));
    let manifests = plugin.generate("null");
    assert_eq!(plugin.generate("null"), manifests);
    assert!(!manifests.unwrap()[0].contains("_cmp_server"));

    plugin.write_outputs(&json!({}));
    let refusal = plugin.generate("null").unwrap_err();
    assert!(!refusal.message.contains("_cmp_server"), "{refusal:?}");
    assert_eq!(plugin.generate("null"), Err(refusal));
}

#[test(tools)]
fn parameters_whose_variables_collide_are_kept_apart() {
    let binding = "apiVersion: landfall.dev/v1alpha1
kind: Binding
spec:
  outputs:
    - {name: dash, from: {parameter: a-b}}
    - {name: dot, from: {parameter: a.b}}
";
    let manifest = config_map("  dash: ${dash.id}\n  dot: ${dot.id}\n");
    let plugin = Plugin::new(&json!({}), &manifest);
    plugin.repository.write("app/landfall.yaml", binding);
    let parameters = json!([
        {"name": "a-b", "map": {"id": "1"}},
        {"name": "a.b", "map": {"id": "2"}},
    ]);
    let manifests = plugin.generate(&parameters.to_string()).unwrap();
    let manifest: Value = serde_json::from_str(&manifests[0]).unwrap();
    assert_eq!(manifest["data"], json!({"dash": "1", "dot": "2"}));
}

#[test(tools)]
fn the_order_of_a_map_parameter_does_not_change_the_result() {
    let binding = "apiVersion: landfall.dev/v1alpha1
kind: Binding
spec: {outputs: [{name: infra, from: {parameter: metadata}}]}
";
    let manifest = config_map("  a: ${infra.a}\n  b: ${infra.c}\n");
    let plugin = Plugin::new(&json!({}), &manifest);
    plugin.repository.write("app/landfall.yaml", binding);
    // serde_json would sort the keys.
    let generate =
        |map: &str| plugin.generate(&format!(r#"[{{"name": "metadata", "map": {{{map}}}}}]"#));
    let first = generate(r#""a": "1", "c": "3", "unused": """#).unwrap();
    let second = generate(r#""unused": "", "c": "3", "a": "1""#).unwrap();
    assert_eq!(first, second);
}
