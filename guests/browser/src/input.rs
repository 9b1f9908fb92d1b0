//! The input that JavaScript passes.

use landfall::{Config, Detail, File, OutputsDocument, Request};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};
use serde_json::value::RawValue;

/// One document.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Document {
    /// Shown in diagnostics. Never opened.
    pub(crate) path: String,
    /// The unmodified content, including a byte order mark and carriage returns.
    #[serde(default, deserialize_with = "passed_separately")]
    #[cfg_attr(test, ts(type = "string | Uint8Array"))]
    pub(crate) content: Vec<u8>,
}

/// An outputs document with the name to which it is bound.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "OutputsDocument"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct BoundDocument {
    /// Shown in diagnostics. Never opened.
    pub(crate) path: String,
    /// The unmodified content.
    #[serde(default, deserialize_with = "passed_separately")]
    #[cfg_attr(test, ts(type = "string | Uint8Array"))]
    pub(crate) content: Vec<u8>,
    /// The bound name: `infra` in `${infra.vpc_id}`. Several documents may share a name;
    /// outputs of later documents override those of earlier ones.
    pub(crate) name: String,
    /// The id of the format, such as `terraform`. Detected from the content by default.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub(crate) format: Option<String>,
    /// Whether every output in it is sensitive.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub(crate) sensitive: bool,
}

/// The input of a render. Equal inputs give equal results.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// The source manifests.
    pub(crate) manifests: Vec<Document>,
    /// The bound outputs documents.
    pub(crate) outputs: Vec<BoundDocument>,
    /// The Binding, `landfall.yaml`. The documents in its `spec.outputs` are not opened:
    /// pass them in `outputs`.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub(crate) binding: Option<Document>,
    /// Policies that override the Binding: keys of `spec.policy`, such as
    /// `{unused: "ignore"}`.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "Record<string, unknown>"))]
    pub(crate) policy: Option<Box<RawValue>>,
    /// Whether every document must be a Kubernetes resource.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub(crate) resources_only: bool,
    /// Whether to update only setter comments and leave references unchanged.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub(crate) keep_references: bool,
}

impl Input {
    /// Parses the options and adds the contents of the documents, in the order manifests,
    /// outputs, Binding.
    ///
    /// # Errors
    /// A message for programmers if the options are invalid.
    pub(crate) fn read(options: &str, contents: Vec<Vec<u8>>) -> Result<Self, String> {
        let mut input: Self = serde_json::from_str(options).map_err(|error| message(&error))?;
        let mut contents = contents.into_iter();
        let manifests = input.manifests.iter_mut().map(|of| &mut of.content);
        let outputs = input.outputs.iter_mut().map(|of| &mut of.content);
        let binding = input.binding.iter_mut().map(|of| &mut of.content);
        for content in manifests.chain(outputs).chain(binding) {
            *content = contents.next().ok_or("a document has no content")?;
        }
        Ok(input)
    }

    pub(crate) fn files(&self) -> Vec<File> {
        let file = |document: &Document| File {
            path: document.path.clone(),
            content: document.content.clone(),
        };
        self.manifests.iter().map(file).collect()
    }

    pub(crate) fn outputs(&self) -> Vec<OutputsDocument> {
        let bound = |document: &BoundDocument| OutputsDocument {
            name: document.name.clone(),
            path: document.path.clone(),
            content: document.content.clone(),
            format: document.format.clone(),
            sensitive: document.sensitive,
        };
        self.outputs.iter().map(bound).collect()
    }

    pub(crate) fn binding(&self) -> Option<Config> {
        self.binding.as_ref().map(|binding| Config {
            path: binding.path.clone(),
            content: binding.content.clone(),
        })
    }

    pub(crate) fn request(&self, detail: Detail) -> Request {
        Request {
            outputs: self.outputs(),
            binding: self.binding(),
            policy: self.policy.as_ref().map(|policy| Config {
                path: "policy".to_owned(),
                // JSON is YAML.
                content: policy.get().as_bytes().to_vec(),
            }),
            resources_only: self.resources_only,
            keep_references: self.keep_references,
            detail,
            ..Request::default()
        }
    }
}

/// Ignores a content in the options: contents are passed separately, as bytes.
fn passed_separately<'de, D: Deserializer<'de>>(options: D) -> Result<Vec<u8>, D::Error> {
    IgnoredAny::deserialize(options).map(|_| Vec::new())
}

/// Returns the error message without the position in the JSON, which the wrapper wrote.
fn message(error: &serde_json::Error) -> String {
    let mut message = error.to_string();
    if let Some(position) = message.rfind(" at line ") {
        message.truncate(position);
    }
    message
}
