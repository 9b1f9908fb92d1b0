//! Field bindings: the Binding names fields of manifests that hold no references.

use landfall::{Config, Configuration, Request};
use serde_json::json;

use crate::{OUTPUTS, render, request, tokens, yaml};

/// The text before every manifest, so that the Binding finds it.
const RESOURCE: &str = "apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
";

/// Sets the field at `path` of `manifest`, which goes on after the head of a
/// resource, to `value`. `@x` in all of them means `${infra.x}`. `options`
/// chooses what else the target says.
///
/// # Panics
/// The answer does not hold together, the manifest does not parse any more, or a
/// second render makes something else.
pub fn survives(manifest: &str, path: &str, value: &str, options: u8) {
    let delimiter = options & 1 != 0;
    let mut target = json!({
        "select": {"kind": "Pod"},
        "fieldPaths": [path, "spec.containers.[name=app].image"],
        "options": {},
    });
    if delimiter {
        target["options"]["delimiter"] = json!(if options & 2 == 0 { "=" } else { ":" });
        target["options"]["index"] = json!(options >> 6);
    }
    if options & 4 != 0 {
        target["options"]["create"] = json!(true);
    }
    if options & 8 != 0 {
        target["select"]["name"] = json!("web");
    }
    // JSON is YAML.
    let binding = json!({
        "apiVersion": "landfall.dev/v1alpha1",
        "kind": "Binding",
        "spec": {"substitutions": [{"value": tokens::references(value), "targets": [target]}]},
    });
    let request = Request {
        application: Configuration {
            binding: Some(Config {
                path: "landfall.yaml".into(),
                content: binding.to_string().into_bytes(),
            }),
            ..Configuration::default()
        }
        .into(),
        // The fields alone.
        keep_references: true,
        ..request(OUTPUTS)
    };
    let manifest = format!("{RESOURCE}{}", tokens::references(manifest));
    let Some(once) = render(manifest.as_bytes(), &request) else {
        return;
    };
    let output = &once.output;
    if yaml::documents(&manifest).is_none() {
        return;
    }
    let tree = yaml::documents(output);
    assert!(tree.is_some(), "broken by a value:\n{manifest}\n{output}");
    // A value that holds the delimiter makes more parts.
    if !delimiter {
        let Some(again) = render(output.as_bytes(), &request) else {
            panic!("refused when it is rendered again:\n{manifest}\n{output}");
        };
        assert_eq!(
            yaml::documents(&again.output),
            tree,
            "{manifest}\n{output}\n{}",
            again.output
        );
    }
}
