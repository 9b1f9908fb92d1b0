//! The plugin for browsers and Node. Documents are passed as bytes, answers as JSON.
//! `guests/browser/js` is the JavaScript API. Positions are in UTF-16 code units.

mod answer;
mod input;
mod positions;
mod provenance;
#[cfg(feature = "tools")]
mod tools;

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

use answer::Cursor;
use input::Documents;

pub use input::Call;
#[cfg(feature = "tools")]
pub use tools::Tool;

/// What a call asks. One export for all of them takes less glue code than one for each.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug)]
pub enum Question {
    /// [`Call::render`]
    Render,
    /// [`Call::check`]
    Check,
    /// [`Call::explain`]
    Explain,
    /// [`Call::redact`]
    Redact,
    /// What is in each manifest.
    Classify,
    /// [`Call::complete`]
    Complete,
    /// [`Call::hover`]
    Hover,
    /// [`Call::definition`]
    Definition,
}

#[wasm_bindgen]
impl Call {
    /// Returns the answer to a question as JSON: `Ok`, or `Err` with a message for programmers.
    /// Only questions about an offset use `manifest` and `offset`.
    #[must_use]
    pub fn answer(self, question: Question, manifest: usize, offset: usize) -> String {
        let detail = match question {
            Question::Explain => Detail::Substitutions,
            _ => Detail::Diagnostics,
        };
        let documents = Documents::new(self, detail);
        let cursor = || Cursor::new(&documents, manifest, offset);
        match question {
            Question::Render => written(&Ok(answer::render(&documents))),
            Question::Check => written(&Ok(answer::check(&documents))),
            Question::Explain => written(&Ok(answer::explain(&documents))),
            Question::Redact => written(&Ok(answer::redact(&documents))),
            Question::Classify => written(&Ok(answer::classify(&documents))),
            Question::Complete => written(&cursor().map(Cursor::complete)),
            Question::Hover => written(&cursor().map(Cursor::hover)),
            Question::Definition => written(&cursor().map(Cursor::definition)),
        }
    }
}

impl Call {
    /// Renders the manifests.
    #[must_use]
    pub fn render(self) -> String {
        self.answer(Question::Render, 0, 0)
    }

    /// Reports diagnostics only.
    #[must_use]
    pub fn check(self) -> String {
        self.answer(Question::Check, 0, 0)
    }

    /// Renders the manifests and returns every substitution.
    #[must_use]
    pub fn explain(self) -> String {
        self.answer(Question::Explain, 0, 0)
    }

    /// Redacts the first outputs document.
    #[must_use]
    pub fn redact(self) -> String {
        self.answer(Question::Redact, 0, 0)
    }

    /// Returns completions at an offset of a manifest.
    #[must_use]
    pub fn complete(self, manifest: usize, offset: usize) -> String {
        self.answer(Question::Complete, manifest, offset)
    }

    /// Returns what the name at an offset of a manifest means.
    #[must_use]
    pub fn hover(self, manifest: usize, offset: usize) -> String {
        self.answer(Question::Hover, manifest, offset)
    }

    /// Returns where the name at an offset of a manifest is defined.
    #[must_use]
    pub fn definition(self, manifest: usize, offset: usize) -> String {
        self.answer(Question::Definition, manifest, offset)
    }
}

fn written<T: serde::Serialize>(answer: &Result<T, String>) -> String {
    // Serializing fails only for maps with keys that are not strings, and answers contain
    // no maps.
    serde_json::to_string(answer).unwrap_or_default()
}
