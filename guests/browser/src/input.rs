//! What JavaScript hands over.

use landfall::{Config, Detail, File, OutputsDocument, Request};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};
use serde_json::value::RawValue;

/// One document.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Document {
    /// Shown in diagnostics; never opened.
    pub(crate) path: String,
    /// As it is: a byte order mark and carriage returns included.
    #[serde(default, deserialize_with = "beside")]
    #[cfg_attr(test, ts(type = "string | Uint8Array"))]
    pub(crate) content: Vec<u8>,
}

/// A document of infra outputs under the name that references use.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "OutputsDocument"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct BoundDocument {
    /// Shown in diagnostics; never opened.
    pub(crate) path: String,
    /// As it is.
    #[serde(default, deserialize_with = "beside")]
    #[cfg_attr(test, ts(type = "string | Uint8Array"))]
    pub(crate) content: Vec<u8>,
    /// `infra` in `${infra.vpc_id}`. Several documents may share a name: later ones
    /// win for each output.
    pub(crate) name: String,
    /// A format's id, such as `terraform`; none: recognised by content.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub(crate) format: Option<String>,
    /// Every output in it is sensitive.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub(crate) sensitive: bool,
}

/// What a render depends on. Equal inputs have equal answers.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    /// The source files.
    pub(crate) manifests: Vec<Document>,
    /// The bound outputs documents.
    pub(crate) outputs: Vec<BoundDocument>,
    /// `landfall.yaml`. The documents of its `spec.outputs` are not opened here: bind
    /// them by name in `outputs`.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    pub(crate) binding: Option<Document>,
    /// Policies as flags: keys of `spec.policy`, such as `{unused: "ignore"}`.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "Record<string, unknown>"))]
    pub(crate) policy: Option<Box<RawValue>>,
    /// Every document must be a Kubernetes resource.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub(crate) resources_only: bool,
    /// Render setter comments only: references stay as they are.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub(crate) keep_references: bool,
}

impl Input {
    /// The input that these options describe, with its documents: manifests,
    /// outputs, the Binding.
    ///
    /// # Errors
    /// The options have another form, in words for programmers.
    pub(crate) fn read(options: &str, contents: Vec<Vec<u8>>) -> Result<Self, String> {
        let mut input: Self = serde_json::from_str(options).map_err(|error| told(&error))?;
        let mut contents = contents.into_iter();
        let manifests = input.manifests.iter_mut().map(|of| &mut of.content);
        let outputs = input.outputs.iter_mut().map(|of| &mut of.content);
        let binding = input.binding.iter_mut().map(|of| &mut of.content);
        for place in manifests.chain(outputs).chain(binding) {
            *place = contents.next().ok_or("a document has no content")?;
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

    pub(crate) fn request(&self, detail: Detail) -> Request {
        Request {
            outputs: self.outputs(),
            binding: self.binding.as_ref().map(|binding| Config {
                path: binding.path.clone(),
                content: binding.content.clone(),
            }),
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

/// A content crosses beside the options: only its key is one of them.
fn beside<'de, D: Deserializer<'de>>(options: D) -> Result<Vec<u8>, D::Error> {
    IgnoredAny::deserialize(options).map(|_| Vec::new())
}

/// What is wrong, without the place in a JSON text that the wrapper wrote.
fn told(error: &serde_json::Error) -> String {
    let mut told = error.to_string();
    if let Some(place) = told.rfind(" at line ") {
        told.truncate(place);
    }
    told
}
