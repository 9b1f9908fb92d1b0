//! The plugin for browsers and Node. Documents are passed as bytes, options and answers as
//! JSON. `guests/browser/js` is the JavaScript API. Positions are in UTF-16 code units.

mod answer;
mod input;
mod positions;
mod provenance;

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the test compares a file, and a variable has it rewritten"
)]
mod types;

use landfall::Detail;
use landfall_allocator as _;
use wasm_bindgen::prelude::wasm_bindgen;

use input::Documents;

/// The documents of one call. They are added in the order in which the options name them:
/// manifests, outputs, Binding.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Call {
    contents: Vec<Vec<u8>>,
}

#[wasm_bindgen]
impl Call {
    /// Creates a call without documents.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the bytes of the next document.
    pub fn document(&mut self, content: Vec<u8>) {
        self.contents.push(content);
    }

    /// Renders the manifests.
    #[must_use]
    pub fn render(self, options: &str) -> String {
        self.answered(options, Detail::Diagnostics, |documents| {
            written(&Ok(answer::render(documents)))
        })
    }

    /// Reports diagnostics only.
    #[must_use]
    pub fn check(self, options: &str) -> String {
        self.answered(options, Detail::Diagnostics, |documents| {
            written(&Ok(answer::check(documents)))
        })
    }

    /// Renders the manifests and returns every substitution.
    #[must_use]
    pub fn explain(self, options: &str) -> String {
        self.answered(options, Detail::Substitutions, |documents| {
            written(&Ok(answer::explain(documents)))
        })
    }

    /// Redacts the first outputs document.
    #[must_use]
    pub fn redact(self, options: &str) -> String {
        self.answered(options, Detail::Diagnostics, |documents| {
            written(&Ok(answer::redact(documents)))
        })
    }

    /// Returns completions at an offset of a manifest.
    #[must_use]
    pub fn complete(self, options: &str, manifest: usize, offset: usize) -> String {
        self.asked(options, manifest, offset, |cursor| cursor.complete())
    }

    /// Returns what the name at an offset of a manifest means.
    #[must_use]
    pub fn hover(self, options: &str, manifest: usize, offset: usize) -> String {
        self.asked(options, manifest, offset, |cursor| cursor.hover())
    }

    /// Returns where the name at an offset of a manifest is defined.
    #[must_use]
    pub fn definition(self, options: &str, manifest: usize, offset: usize) -> String {
        self.asked(options, manifest, offset, |cursor| cursor.definition())
    }

    fn asked<T: serde::Serialize>(
        self,
        options: &str,
        manifest: usize,
        offset: usize,
        ask: fn(answer::Cursor<'_>) -> T,
    ) -> String {
        self.answered(options, Detail::Diagnostics, |documents| {
            written(&answer::Cursor::new(documents, manifest, offset).map(ask))
        })
    }

    fn answered(
        self,
        options: &str,
        detail: Detail,
        answer: impl FnOnce(&Documents) -> String,
    ) -> String {
        match Documents::read(options, self.contents, detail) {
            Ok(documents) => answer(&documents),
            Err(message) => written::<()>(&Err(message)),
        }
    }
}

fn written<T: serde::Serialize>(answer: &Result<T, String>) -> String {
    // Serializing fails only for maps with keys that are not strings, and answers contain
    // no maps.
    serde_json::to_string(answer).unwrap_or_default()
}
