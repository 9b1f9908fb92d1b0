//! The input that JavaScript passes. `js/module.js` has checked its fields and their types.

use landfall::{
    Application, Config, Configuration, Detail, File, OutputsDocument, Request, Sources,
};
use wasm_bindgen::prelude::wasm_bindgen;

/// The documents and settings of one call.
#[wasm_bindgen]
#[derive(Clone, Debug, Default)]
pub struct Call {
    manifests: Vec<File>,
    configuration: Configuration,
    /// Without the configuration.
    request: Request,
}

#[wasm_bindgen]
impl Call {
    /// Creates a call without documents.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(resources_only: bool, keep_references: bool) -> Self {
        Self {
            manifests: Vec::new(),
            configuration: Configuration::default(),
            request: Request {
                resources_only,
                keep_references,
                ..Request::default()
            },
        }
    }

    /// Adds the next manifest.
    pub fn manifest(&mut self, path: String, content: Vec<u8>) {
        self.manifests.push(File { path, content });
    }

    /// Adds the next outputs document.
    pub fn outputs(
        &mut self,
        path: String,
        content: Vec<u8>,
        name: String,
        format: Option<String>,
        sensitive: bool,
    ) {
        self.request.outputs.push(OutputsDocument {
            name,
            path,
            content,
            format,
            sensitive,
            declared_at: None,
        });
    }

    /// Sets the Binding.
    pub fn binding(&mut self, path: String, content: Vec<u8>) {
        self.configuration.binding = Some(Config { path, content });
    }

    /// Sets the policies that override the Binding, as JSON.
    pub fn policy(&mut self, json: String) {
        self.configuration.policy = Some(Config {
            path: "policy".to_owned(),
            // JSON is YAML.
            content: json.into_bytes(),
        });
    }
}

#[cfg(test)]
impl Call {
    /// Creates a call with one manifest and one outputs document, bound to `infra`.
    pub(crate) fn of(manifest: &str, infra: &str) -> Self {
        let mut call = Self::default();
        call.manifest("a.yaml".to_owned(), manifest.into());
        let [path, name] = ["infra.json", "infra"].map(str::to_owned);
        call.outputs(path, infra.into(), name, None, false);
        call
    }
}

/// The documents of a call, as the plugin takes them: no content is copied.
#[derive(Debug)]
pub(crate) struct Documents {
    pub(crate) sources: Sources,
    /// With the outputs, the Binding and the policies.
    pub(crate) request: Request,
}

impl Documents {
    pub(crate) fn new(call: Call, detail: Detail) -> Self {
        let Call {
            manifests,
            configuration,
            mut request,
        } = call;
        let application = Application::new(configuration);
        for document in &mut request.outputs {
            if document.format.is_none() {
                let declared = application.declared_format(&document.name, &document.path);
                document.format = declared.map(str::to_owned);
            }
        }
        Self {
            sources: Sources::new(manifests),
            request: Request {
                application,
                detail,
                ..request
            },
        }
    }

    /// Returns the manifests.
    pub(crate) fn manifests(&self) -> &[File] {
        self.sources.files()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The format that a Binding with these entries declares for `net.env`, bound to `net`.
    fn format(entries: &str) -> Option<String> {
        let mut call = Call::default();
        let [path, name] = ["net.env", "net"].map(str::to_owned);
        call.outputs(path, b"A=1\n".to_vec(), name, None, false);
        let binding = format!(
            "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs: [{entries}]\n"
        );
        call.binding("landfall.yaml".to_owned(), binding.into_bytes());
        let documents = Documents::new(call, Detail::Diagnostics);
        documents.request.outputs.into_iter().next()?.format
    }

    #[test]
    fn the_format_of_a_document_is_the_one_that_the_binding_declares() {
        let declared = "{name: net, from: {file: ../net.env}, format: dotenv}";
        assert_eq!(format(declared).as_deref(), Some("dotenv"));
        assert_eq!(
            format("{name: infra, from: {file: net.env}, format: dotenv}"),
            None
        );
        let two = |last: &str| {
            format(&format!(
                "{{name: net, from: {{file: a.json}}, format: terraform}}, {{name: net, from: {{file: {last}}}, format: dotenv}}"
            ))
        };
        assert_eq!(two("b/net.env").as_deref(), Some("dotenv"));
        assert_eq!(two("b.env"), None);
    }
}
