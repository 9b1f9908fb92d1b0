//! Policies under a ceiling, and operator's policies that readers read differently. The
//! generator and the properties are those of the law's tests.

#[path = "../../tests/law/ceilings/case.rs"]
mod case;
#[path = "../../tests/law/ceilings/hostile.rs"]
mod hostile;
#[path = "../../tests/law/ceilings/property.rs"]
mod property;

use crate::choices::Choices;

/// Renders the case that these decisions make, in both ways.
///
/// # Panics
/// A render does what its ceiling does not allow, or a policy is read in a way in which
/// no other reader reads it.
pub fn survives(numbers: &[u16]) {
    property::within_the_ceiling(&mut Choices::new(numbers));
    property::read_alike(&mut Choices::new(numbers));
}
