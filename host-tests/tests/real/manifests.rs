//! Manifests as an independent reader understands them, and positions in them.

use std::path::{Path, PathBuf};

use landfall_host_tests::plugin_server::{Application, PluginServer, Refusal};
use landfall_host_tests::scratch::{self, Scratch};
use serde::Deserialize as _;
use serde_json::Value;

/// Returns every non-empty document of a YAML stream.
pub(crate) fn documents(text: &str) -> Vec<Value> {
    let documents = serde_yaml::Deserializer::from_str(text)
        .map(|document| Value::deserialize(document).unwrap());
    documents.filter(|document| !document.is_null()).collect()
}

/// Generates the application `app` of a repository.
pub(crate) fn generate(server: &PluginServer, repository: &Scratch) -> Result<Vec<Value>, Refusal> {
    let manifests = server.generate(&Application {
        root: repository.path(),
        folder: &repository.at("app"),
        source_path: "app",
    })?;
    Ok(parsed(&manifests))
}

/// Returns the manifests that the plugin server answers with, each a JSON object.
pub(crate) fn parsed(manifests: &[String]) -> Vec<Value> {
    let parsed = manifests.iter().map(|text| serde_json::from_str(text));
    parsed.map(Result::unwrap).collect()
}

/// Returns every document of every file under `folder`, in the order of the files' paths.
pub(crate) fn documents_under(folder: &Path) -> Vec<Value> {
    files(folder)
        .iter()
        .flat_map(|file| documents(&scratch::read(file)))
        .collect()
}

/// Returns every file under `folder`, sorted by path.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns `:LINE:COLUMN` of the only `needle` in `text`, both from 1, columns in
/// characters.
pub(crate) fn position(text: &str, needle: &str) -> String {
    assert_eq!(text.matches(needle).count(), 1, "{needle}");
    let before = text.split(needle).next().unwrap();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
    format!(":{line}:{column}")
}

/// Fails if `text` contains a value that the outputs document marks as sensitive,
/// verbatim or as JSON.
pub(crate) fn assert_holds_no_sensitive_value(text: &str, outputs: &str) {
    let outputs: Value = serde_json::from_str(outputs).unwrap();
    let mut checked = 0;
    for (name, output) in outputs.as_object().unwrap() {
        if output["sensitive"] != Value::Bool(true) {
            continue;
        }
        let plain = output["value"].as_str().unwrap();
        // Terraform escapes & < > as Go does, serde_json does not.
        let escaped = serde_json::to_string(plain).unwrap();
        let terraform = escaped
            .replace('&', "\\u0026")
            .replace('<', "\\u003c")
            .replace('>', "\\u003e");
        for form in [
            plain,
            escaped.trim_matches('"'),
            terraform.trim_matches('"'),
        ] {
            assert!(
                !text.contains(form),
                "the value of {name} is shown:\n{text}"
            );
        }
        checked += 1;
    }
    assert!(checked > 0, "the outputs document has a sensitive output");
}
