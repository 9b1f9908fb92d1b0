//! Text that looks like a reference to a name that is not bound. The generator and the
//! model are those of the law's tests.

#[path = "../../tests/law/unbound/case.rs"]
mod case;
#[path = "../../tests/law/unbound/model.rs"]
mod model;
#[path = "../../tests/law/unbound/property.rs"]
mod property;
#[path = "../../tests/law/unbound/text.rs"]
mod text;

use crate::choices::Choices;

/// Renders the case that these decisions make.
///
/// # Panics
/// A render reports something else than the model.
pub fn survives(numbers: &[u16]) {
    property::reported_as_the_model_says(&mut Choices::new(numbers));
}
