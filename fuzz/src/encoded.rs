//! References in base64. The generator and the property are those of the law's tests.

#[path = "../../tests/law/encoded/case.rs"]
mod case;
#[path = "../../tests/law/encoded/property.rs"]
mod property;

use crate::choices::Choices;

/// Renders the case that these decisions make.
///
/// # Panics
/// A reference that a cluster would decode is not reported, or something else is.
pub fn survives(numbers: &[u16]) {
    property::found_and_nothing_else(&mut Choices::new(numbers));
}
