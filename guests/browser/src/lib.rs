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

use landfall_allocator as _;
use wasm_bindgen::prelude::wasm_bindgen;

use input::Input;

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
        self.answered(options, |input| answer::render(&input))
    }

    /// Reports diagnostics only.
    #[must_use]
    pub fn check(self, options: &str) -> String {
        self.answered(options, |input| answer::check(&input))
    }

    /// Renders the manifests and returns every substitution.
    #[must_use]
    pub fn explain(self, options: &str) -> String {
        self.answered(options, |input| answer::explain(&input))
    }

    /// Redacts the first outputs document.
    #[must_use]
    pub fn redact(self, options: &str) -> String {
        self.answered(options, |input| answer::redact(&input))
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
        let input = Input::read(options, self.contents);
        let answer = |input: Input| Ok(ask(answer::Cursor::new(&input, manifest, offset)?));
        written(&input.and_then(answer))
    }

    fn answered<T: serde::Serialize>(self, options: &str, call: impl FnOnce(Input) -> T) -> String {
        written(&Input::read(options, self.contents).map(call))
    }
}

fn written<T: serde::Serialize>(answer: &Result<T, String>) -> String {
    // Serializing fails only for maps with keys that are not strings, and answers contain
    // no maps.
    serde_json::to_string(answer).unwrap_or_default()
}
