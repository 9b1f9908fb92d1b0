//! The plugin for browsers and Node. Documents come in as bytes, options and
//! answers cross as one JSON text each; what JavaScript sees is
//! `guests/browser/js`. Places count as JavaScript does: in UTF-16 code units.

mod answer;
mod input;
mod positions;
mod provenance;

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the committed types are a file, and one variable asks to rewrite it"
)]
mod types;

use wasm_bindgen::prelude::wasm_bindgen;

use input::Input;

/// What one call is about. Documents are added in the order in which the options
/// name them: manifests, outputs, the Binding.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Call {
    contents: Vec<Vec<u8>>,
}

#[wasm_bindgen]
impl Call {
    /// A call without documents.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the bytes of the next document.
    pub fn document(&mut self, content: Vec<u8>) {
        self.contents.push(content);
    }

    /// The rendered files.
    #[must_use]
    pub fn render(self, options: &str) -> String {
        self.answered(options, |input| answer::render(&input))
    }

    /// Diagnostics alone.
    #[must_use]
    pub fn check(self, options: &str) -> String {
        self.answered(options, |input| answer::check(&input))
    }

    /// The rendered files with every substitution.
    #[must_use]
    pub fn explain(self, options: &str) -> String {
        self.answered(options, |input| answer::explain(&input))
    }

    /// What may stand at an offset of a manifest.
    #[must_use]
    pub fn complete(self, options: &str, manifest: usize, offset: usize) -> String {
        let input = Input::read(options, self.contents);
        written(&input.and_then(|input| answer::complete(&input, manifest, offset)))
    }

    fn answered<T: serde::Serialize>(self, options: &str, call: impl FnOnce(Input) -> T) -> String {
        written(&Input::read(options, self.contents).map(call))
    }
}

fn written<T: serde::Serialize>(answer: &Result<T, String>) -> String {
    // Serialising fails only for maps with keys that are no strings, and no answer
    // holds a map.
    serde_json::to_string(answer).unwrap_or_default()
}
