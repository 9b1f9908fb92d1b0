//! The input that JavaScript passes.

use landfall::{Config, Detail, File, OutputsDocument, Request, Sources};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

/// One document.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Document {
    /// Shown in diagnostics. Never opened.
    pub(crate) path: String,
    /// The unmodified content, including a byte order mark and carriage returns.
    #[serde(default)]
    #[cfg_attr(test, ts(type = "string | Uint8Array"))]
    #[expect(dead_code, reason = "contents are passed separately, as bytes")]
    pub(crate) content: IgnoredAny,
}

/// An outputs document with the name to which it is bound.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "OutputsDocument"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct BoundDocument {
    /// Shown in diagnostics. Never opened.
    pub(crate) path: String,
    /// The unmodified content.
    #[serde(default)]
    #[cfg_attr(test, ts(type = "string | Uint8Array"))]
    #[expect(dead_code, reason = "contents are passed separately, as bytes")]
    pub(crate) content: IgnoredAny,
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

/// The documents of a call, as the plugin takes them: no content is copied.
#[derive(Debug)]
pub(crate) struct Documents {
    pub(crate) sources: Sources,
    /// With the outputs, the Binding and the policies.
    pub(crate) request: Request,
}

impl Documents {
    /// Parses the options, and takes the contents of the documents in the order manifests,
    /// outputs, Binding.
    ///
    /// # Errors
    /// A message for programmers if the options are invalid.
    pub(crate) fn read(
        options: &str,
        contents: Vec<Vec<u8>>,
        detail: Detail,
    ) -> Result<Self, String> {
        let Input {
            manifests,
            outputs,
            binding,
            policy,
            resources_only,
            keep_references,
        } = serde_json::from_str(options).map_err(|error| message(&error))?;
        if contents.len() < manifests.len() + outputs.len() + usize::from(binding.is_some()) {
            return Err("a document has no content".to_owned());
        }
        let mut contents = contents.into_iter();
        let mut content = || contents.next().unwrap_or_default();
        let manifests = manifests.into_iter().map(|Document { path, .. }| File {
            path,
            content: content(),
        });
        let sources = Sources::new(manifests.collect());
        let outputs = outputs.into_iter().map(|document| OutputsDocument {
            name: document.name,
            path: document.path,
            content: content(),
            format: document.format,
            sensitive: document.sensitive,
        });
        let outputs = outputs.collect();
        let binding = binding.map(|Document { path, .. }| Config {
            path,
            content: content(),
        });
        let policy = policy.map(|policy| Config {
            path: "policy".to_owned(),
            // JSON is YAML.
            content: Box::<str>::from(policy).into_string().into_bytes(),
        });
        Ok(Self {
            sources,
            request: Request {
                outputs,
                binding,
                policy,
                resources_only,
                keep_references,
                detail,
                ..Request::default()
            },
        })
    }

    /// Returns the manifests.
    pub(crate) fn manifests(&self) -> &[File] {
        self.sources.files()
    }
}

/// Returns the error message without the position in the JSON, which the wrapper wrote.
fn message(error: &serde_json::Error) -> String {
    let mut message = error.to_string();
    if let Some(position) = message.rfind(" at line ") {
        message.truncate(position);
    }
    message
}
