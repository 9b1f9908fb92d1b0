//! Field bindings on decoded documents. The generator and the model are those of the
//! law's tests.

#[path = "../../tests/law/replacements/case.rs"]
mod case;
#[path = "../../tests/law/replacements/model.rs"]
mod model;
#[path = "../../tests/law/replacements/property.rs"]
mod property;
#[path = "../../tests/law/replacements/select.rs"]
mod select;

use crate::choices::Choices;

/// Renders the case that these decisions make.
///
/// # Panics
/// The documents become something else than the model says, or one is refused that the
/// model takes, or the other way round.
pub fn survives(numbers: &[u16]) {
    property::does_as_the_model_does(&mut Choices::new(numbers));
}
