//! Documents full of anchors, aliases and merge keys. The generator and the property are those of
//! the law's tests, which ask more readers.

#[path = "../../tests/law/aliases/case.rs"]
mod case;
#[path = "../../tests/law/aliases/property.rs"]
mod property;

pub(crate) use case::{bound, is_secret};

use crate::choices::Choices;
use crate::render;

/// Renders the document that these decisions make.
///
/// # Panics
/// A sensitive value is anywhere but in the data of a Secret, as serde_yaml reads it.
pub fn survives(numbers: &[u16]) {
    let render = |text: &str, request: &_| render(text.as_bytes(), request).map(|done| done.output);
    property::is_right_for_one_reader(&mut Choices::new(numbers), render);
}
