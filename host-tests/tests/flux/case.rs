//! One manifest with its variables, and landfall's render of it.

use std::sync::Arc;

use landfall::{
    Config, Configuration, Content, Diagnostic, File, OutputsDocument, Request, Severity, Sources,
    splice,
};
use serde_json::{Map, Value as Json, json};

use crate::peer::Variables;

/// One manifest with its variables.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// Where it comes from.
    pub(crate) name: String,
    /// A stream of one document.
    pub(crate) manifest: String,
    pub(crate) variables: Arc<Variables>,
    /// Whether a variable that is not set is an error.
    pub(crate) strict: bool,
}

/// The bindings of Flux's two modes. In both, a variable may be empty.
const STRICT: &str = "{missing: error, empty: allow}";
const NOT_STRICT: &str = "{missing: empty, empty: allow}";

impl Case {
    /// Renders the manifest in the dialect `flux`.
    ///
    /// # Errors
    /// The errors.
    pub(crate) fn render(&self) -> Result<String, Vec<Diagnostic>> {
        let named = self.variables.iter();
        let outputs: Map<String, Json> = named
            .map(|(name, value)| {
                (
                    name.clone(),
                    json!({"sensitive": false, "type": "string", "value": value}),
                )
            })
            .collect();
        let policy = if self.strict { STRICT } else { NOT_STRICT };
        let request = Request {
            outputs: vec![OutputsDocument {
                name: "settings".into(),
                path: "settings.json".into(),
                content: Json::Object(outputs).to_string().into_bytes(),
                ..OutputsDocument::default()
            }],application: Configuration {
            binding: Some(Config {
                path: "landfall.yaml".into(),
                content: format!(
                    "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {{dialect: flux, policy: {policy}}}\n"
                )
                .into(),
            }), ..Configuration::default()}.into(),
            ..Request::default()
        };
        let sources = Sources::new(vec![File {
            path: "manifest.yaml".into(),
            content: self.manifest.clone().into_bytes(),
        }]);
        let mut answer = sources.generate(&request).map_err(|found| {
            let errors = found.into_iter();
            errors
                .filter(|one| one.severity == Severity::Error)
                .collect::<Vec<_>>()
        })?;
        let bytes = match answer.sources.remove(0) {
            Content::Unchanged => self.manifest.clone().into_bytes(),
            Content::Edited(edits) => splice(self.manifest.as_bytes(), &edits).unwrap(),
        };
        Ok(String::from_utf8(bytes).unwrap())
    }
}
