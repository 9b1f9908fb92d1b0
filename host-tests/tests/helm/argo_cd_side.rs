//! What Argo CD makes of the parameters of an Application, and what Helm makes of that.

use std::process::{Command, Stdio};

use landfall_host_tests::program;
use landfall_host_tests::scratch::Scratch;
use serde_json::Value;

/// A chart whose only resource contains its values.
const TEMPLATE: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: values}
data:
  values: {{ toJson .Values | quote }}
";

/// A parameter of an Application.
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) is_forced: bool,
}

/// Replaces variables, of which none is set (`Env.Envsubst`, argo-cd v3.2.12, which is Go's
/// `os.Expand`).
fn expanded(text: &str) -> String {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        expanded.push_str(before);
        rest = match after.strip_prefix('$') {
            Some(rest) => {
                expanded.push('$');
                rest
            }
            // No name follows that the tests write.
            None => panic!("{text}"),
        };
    }
    expanded + rest
}

/// Escapes commas (`cleanSetParameters` in util/helm/cmd.go, argo-cd v3.2.12).
fn escaped(text: &str) -> String {
    if text.starts_with('{') && text.ends_with('}') {
        return text.to_owned();
    }
    let mut escaped = String::new();
    for c in text.chars() {
        if c == ',' && !escaped.ends_with('\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Returns the values that a chart receives.
pub(crate) fn values(parameters: &[Parameter]) -> Value {
    let chart = Scratch::new();
    chart.write(
        "web/Chart.yaml",
        "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    );
    chart.write("web/values.yaml", "{}\n");
    chart.write("web/templates/values.yaml", TEMPLATE);
    let mut command = Command::new(program::tool("helm"));
    command.args(["template", "web"]).arg(chart.at("web"));
    for parameter in parameters {
        let option = if parameter.is_forced {
            "--set-string"
        } else {
            "--set"
        };
        let value = escaped(&expanded(&parameter.value));
        command.args([option, &format!("{}={value}", parameter.name)]);
    }
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let manifest: serde_yaml::Value = serde_yaml::from_slice(&output.stdout).unwrap();
    let values = manifest["data"]["values"].as_str().unwrap();
    serde_json::from_str(values).unwrap()
}
